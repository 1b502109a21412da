"""Local rules (ローカルルール) as patches: those that came after the first ones of `patches`.

Plain data, nothing else; `arena.rules.patches` puts them beside the others of the document `local`.
"""

from __future__ import annotations

from arena.rules.catalogue import Patch

FURTHER: dict[str, Patch] = {
    "king_skip": Patch(
        "Each king played skips one player.",
        {"skip_ranks": ("K",)},
        "13スキップ",
        "jūsan sukippu",
        ("Kスキップ", "king skip", "K-skip"),
    ),
    "ten_tobi": Patch(
        "Each 10 played skips one player.",
        {"skip_ranks": ("T",)},
        "10飛び",
        "jū-tobi",
        ("10-skip",),
    ),
    "q_reverse": Patch(
        "A play with a queen turns the direction for the rest of the hand.",
        {"reverse_ranks": ("Q",)},
        "Qリバース",
        "kyū ribāsu",
        ("12リバース", "queen reverse", "Q-reverse"),
    ),
    "k_reverse": Patch(
        "A play with a king turns the direction for the rest of the hand.",
        {"reverse_ranks": ("K",)},
        "Kリバース",
        "kē ribāsu",
        ("king reverse", "K-reverse"),
    ),
    "equal_skips": Patch(
        "An equal play may follow, and skips the next player, as in President.",
        {"equal_plays": True, "equal_skips": True},
        "同ランク重ね",
        "dō-ranku kasane",
    ),
    "two_back": Patch(
        "A play with a 2 reverses the order until the clear.",
        {"back_ranks": ("2",)},
        "2バック",
        "ni bakku",
        ("2-back",),
    ),
    "ten_modoshi": Patch(
        "A play with a 10 reverses the order until the clear.",
        {"back_ranks": ("T",)},
        "10戻し",
        "jū-modoshi",
    ),
    "six_modoshi": Patch(
        "A jack reverses the order until the clear, and a 6 ends that.",
        {"jack_back": "trick", "six_modoshi": True},
        "6戻し",
        "roku-modoshi",
    ),
    "joker_kakumei": Patch(
        "Two jokers played together reverse the ranks.",
        {"joker_kakumei": True, "jokers": 2},
        "ジョーカー革命",
        "jōkā kakumei",
    ),
    "no_counter": Patch(
        "Four of a kind reverses the ranks, once in a hand.",
        {"kakumei": True, "kakumei_counter": False},
        "革命返しなし",
        "kakumei gaeshi nashi",
        ("no counter-revolution",),
    ),
    "cho_kakumei": Patch(
        "Four of a kind and runs of five reverse the ranks; five cards do so for the whole hand.",
        {"kakumei": True, "kakumei_sequence": 5, "kakumei_lock_at": 5},
        "超革命",
        "chō kakumei",
        ("核爆弾", "kakubakudan"),
    ),
    "omen": Patch(
        "Three 6s reverse the ranks for the rest of the hand.",
        {"kakumei_triples": ("6",), "omen_final": True},
        "オーメン",
        "ōmen",
    ),
    "kakumei_clears": Patch(
        "Four of a kind reverses the ranks and clears the table.",
        {"kakumei": True, "kakumei_clears": True},
        "革命流し",
        "kakumei nagashi",
    ),
    "kakumei_cuts": Patch(
        "Under a revolution 5s, 6s and 7s clear the table.",
        {"kakumei": True, "kakumei_cuts": ("5", "6", "7")},
        "5切り・6切り・7切り",
        "go-giri, roku-giri, nana-giri",
    ),
    "igen": Patch("The sequence J-Q-K clears the table.", {"igen": True}, "威厳", "igen"),
    "spade_two": Patch(
        "Under a revolution the spade 2 answers a single joker and clears.",
        {"kakumei": True, "spade_two": "clears"},
        "スペ2返し",
        "supe-ni gaeshi",
    ),
    "nana_tsuke": Patch(
        "For each 7 played one more card may be thrown away.",
        {"discard_ranks": ("7",)},
        "7付け",
        "nana-tsuke",
    ),
    "kyu_modoshi": Patch(
        "For each 9 played one card may be given to the player before.",
        {"nine_modoshi": "may"},
        "9戻し",
        "kyū-modoshi",
    ),
    "yagiri": Patch(
        "An 8 clears the table, and one card may be given to the next player.",
        {"hachi_giri": True, "yagiri": True},
        "矢切の渡し",
        "yagiri no watashi",
    ),
    "q_bomber_own": Patch(
        "For each queen a rank may be named that one holds; everybody throws away all of it.",
        {"q_bomber": "own_rank"},
        "12ボンバー",
        "jūni bonbā",
    ),
    "q_bomber_each": Patch(
        "For each queen everybody throws away one card.",
        {"q_bomber": "one_each"},
        "12ボンバー",
        "jūni bonbā",
    ),
    "tenpen_chii_both": Patch(
        "If a poor player holds nothing above 10, he and his rich one swap all their cards.",
        {"tenpen_chii": "both"},
        "天変地異",
        "tenpen-chii",
    ),
    "kyo_ochi": Patch(
        "If the winner of the hand before wins again, its second becomes last.",
        {"kyo_ochi": "drop"},
        "京落ち",
        "kyō-ochi",
    ),
    "four_stop": Patch(
        "An 8 clears the table unless somebody answers a single one with two 4s.",
        {"hachi_giri": True, "four_stop": "single"},
        "4止め",
        "yon-dome",
        ("four stop", "4-stop"),
    ),
    "three_stop": Patch(
        "Each 5 played skips one player, who may answer with two 3s, clears the table and leads.",
        {"go_tobi": "per_card", "three_stop": True},
        "3止め",
        "san-dome",
        ("three stop", "3-stop"),
    ),
    "q_toki": Patch(
        "Two plays in a row of the same suits lock them, and a queen lifts that.",
        {"shibari": "full", "q_toki": True},
        "Q解き",
        "kyū-toki",
    ),
    "nine_quick": Patch(
        "Who plays a 9 has the next turn too.", {"nine_quick": True}, "9クイック", "kyū kuikku"
    ),
    "eight_return": Patch(
        "An 8 clears the table unless somebody lays another 8 on it.",
        {"hachi_giri": True, "eight_answers": ("eight",)},
        "8切り返し",
        "hachi-giri gaeshi",
    ),
    "seven_counter": Patch(
        "An 8 clears the table unless somebody answers a single one with the spade 7.",
        {"hachi_giri": True, "eight_answers": ("spade_seven",)},
        "7カウンター",
        "nana kauntā",
    ),
    "ten_return": Patch(
        "An 8 clears the table unless somebody answers a single one with the 10 of its suit.",
        {"hachi_giri": True, "eight_answers": ("ten",)},
        "10返し",
        "jū gaeshi",
    ),
    "six_nine": Patch(
        "On a single 6 only a 9 may follow, and on a single 9 only a 6.",
        {"six_nine": True},
        "6→9, 9→6",
        "roku kyū, kyū roku",
    ),
    "kakumei_optional": Patch(
        "Four of a kind reverses the ranks if its player wants it to.",
        {"kakumei": True, "kakumei_optional": True},
        "革命選択",
        "kakumei sentaku",
        ("optional revolution",),
    ),
    "jack_optional": Patch(
        "A jack reverses the order until the clear if its player wants it to.",
        {"jack_back": "trick", "jack_back_optional": True},
        "上下選択",
        "jōge sentaku",
        ("optional jack-back",),
    ),
    "jack_three": Patch(
        "A jack reverses the order until the clear, three jacks for the next trick too.",
        {"jack_back": "trick", "jack_back_three": True},
        "強化Jバック",
        "kyōka J-bakku",
    ),
    "lucky_seven": Patch(
        "Who lays three 7s that nobody beats is out at once.",
        {"lucky_seven": True},
        "ラッキーセブン",
        "rakkī sebun",
        ("lucky seven",),
    ),
    "dai_kakumei": Patch(
        "Four 2s reverse the ranks, and their player is out at once.",
        {"dai_kakumei": True},
        "大革命",
        "dai kakumei",
    ),
    "ace_take": Patch(
        "An ace takes the card that it beats.",
        {"ace_take": True},
        "A拾い",
        "ē-hiroi",
        ("税収", "A-hiroi"),
    ),
    "king": Patch(
        "From seven players on there are a king above and a slave below.",
        {"titles": "king"},
        "王様・奴隷",
        "ōsama, dorei",
    ),
}
