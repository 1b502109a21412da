"""Named variations that are laid over a preset, as plain data.

A patch belongs to a document and is named with or without its prefix: `kakumei` on a preset of the
Pagat page, `pagat.kakumei` on any preset. Those of `local`, the rules from elsewhere that many
people know, need no prefix anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.rules.catalogue import Patch
from arena.rules.local_patches import FURTHER

LOCAL = "local"


PAGAT: dict[str, Patch] = {
    "eight_players": Patch("Up to eight players.", {"players_range": (3, 8)}),
    "double_deck": Patch(
        "Two packs and two jokers, for many players.",
        {"decks": 2, "jokers": 2},
        also=("two packs",),
    ),
    "kakumei": Patch(
        "Four of a kind reverses the ranks from the next clear on; another one restores them.",
        {"kakumei": True},
        "革命",
        "kakumei",
        ("revolution",),
    ),
    "kakumei_run5": Patch(
        "Revolution by four of a kind, and by a sequence of five or more.",
        {"kakumei": True, "kakumei_sequence": 5},
        "階段革命",
        "kaidan kakumei",
    ),
    "kakumei_run4": Patch(
        "Revolution by four of a kind, and by a sequence of four or more.",
        {"kakumei": True, "kakumei_sequence": 4},
        "階段革命",
        "kaidan kakumei",
    ),
    "kakumei_333": Patch(
        "Revolution by four of a kind, and by three 3s.",
        {"kakumei": True, "kakumei_triples": ("3",)},
    ),
    "kakumei_genuine": Patch(
        "Revolution by four real cards only, not by three and a joker.",
        {"kakumei": True, "kakumei_joker": False},
    ),
    "no_joker": Patch("No jokers.", {"jokers": 0}),
    "two_jokers": Patch("Two jokers; both together are the highest pair.", {"jokers": 2}),
    "early_1979": Patch(
        "The form of 1979: two jokers, no sequences; a poor player with both turns the titles.",
        {"jokers": 2, "sequences": False, "both_jokers_reversal": True},
    ),
    "no_twos": Patch("No 2 in a sequence.", {"sequence_twos": False}),
    "miyako_ochi": Patch(
        "The winner of the hand before who does not win again becomes last.",
        {"miyako_ochi": "drop"},
        "都落ち",
        "miyako-ochi",
        ("fall from the capital",),
    ),
    "shibari": Patch(
        "Two plays in a row of the same suits lock those suits until the clear.",
        {"shibari": "full"},
        "縛り",
        "shibari",
        ("suit lock",),
    ),
    "kata_shibari": Patch(
        "Two plays in a row lock the suits that they have in common.",
        {"shibari": "kata"},
        "片縛り",
        "kata-shibari",
        ("partial lock",),
    ),
    "shibari_three": Patch(
        "Three plays in a row of the same suits lock those suits.",
        {"shibari": "full", "shibari_after": 3},
        "縛り",
        "shibari",
    ),
    "no_high_finish": Patch(
        "Going out with the highest rank, the highest sequence or a single joker makes one last.",
        {"forbidden_finish": ("high_set", "high_sequence", "single_joker")},
        "反則上がり",
        "hansoku agari",
        ("forbidden finish", "禁止上がり"),
    ),
    "no_joker_finish": Patch(
        "Going out with a single joker makes one last.",
        {"forbidden_finish": ("single_joker",)},
        "反則上がり",
        "hansoku agari",
    ),
    "spade_three": Patch(
        "The spade 3 beats a single joker, lies there as a 3 and may be beaten.",
        {"spade_three": "beatable"},
        "スペ3返し",
        "supe-san gaeshi",
    ),
    "hachi_giri": Patch(
        "An 8, or a combination with an 8, clears the table and its player leads.",
        {"hachi_giri": True},
        "八切り",
        "hachi-giri",
        ("8切り", "eight cut", "8-cut"),
    ),
    "hachi_giri_no_finish": Patch(
        "An 8 clears the table, and going out with one makes one last.",
        {"hachi_giri": True, "forbidden_finish": ("eight",)},
        "八切り",
        "hachi-giri",
    ),
    "jack": Patch(
        "A play with a jack reverses the order until the clear.",
        {"jack_back": "trick"},
        "11バック",
        "irebun bakku",
        ("Jバック", "jack back", "J-back"),
    ),
    "tens": Patch(
        "For each ten played one more card may be thrown away.",
        {"ten_discard": "on_play"},
        "10捨て",
        "jū-sute",
        ("10-discard",),
    ),
    "pass_lockout": Patch(
        "Who passes is out of the trick until the clear.",
        {"pass_lockout": True},
        "パス制限",
        "pasu seigen",
    ),
    "seats": Patch(
        "New seats before each deal: clockwise from the last player the poor, then the rich.",
        {"seats": "poor_first"},
        "席替え",
        "sekigae",
    ),
    "seats_reverse": Patch(
        "New seats before each deal: the winner sits left of the dealer and leads.",
        {"seats": "rich_first", "next_lead": "winner"},
        "席替え",
        "sekigae",
    ),
    "exchange_two_one": Patch(
        "First and last exchange two cards, second and second last one, with four players too.",
        {"exchange": "pagat_two_one"},
    ),
    "keep_joker": Patch(
        "The poorest player need not give a joker away.", {"exchange_keep_joker": True}
    ),
    "ask": Patch(
        "The rich name the ranks or cards that they want from the poor.", {"exchange_pick": "asked"}
    ),
    "score": Patch("2 points for the Dai Fugō, 1 for the Fugō.", {"scoring": "dai2_fu1"}),
    "score_pay": Patch("The poor pay their points to the rich.", {"scoring": "pay"}),
}

DENEXA: dict[str, Patch] = {
    "timed": Patch("The sitting ends after an hour.", {"session_end": "minutes:60"}),
    "forfeits": Patch("The loser fetches drinks and snacks.", {"forfeits": True}),
}

RU: dict[str, Patch] = {
    "eight": Patch("Eight players, two packs.", {"players": 8, "decks": 2, "jokers": 2}),
    "eight_one_deck": Patch("Eight players, one pack.", {"players": 8}),
    "kakumei": Patch(
        "Four of a kind reverses the ranks at once.",
        {"kakumei": True, "kakumei_timing": "immediate"},
        "革命",
        "kakumei",
        ("revolution",),
    ),
    "kakumei_run": Patch(
        "Four of a kind, or a sequence of five or more, reverses the ranks at once.",
        {"kakumei": True, "kakumei_timing": "immediate", "kakumei_sequence": 5},
        "階段革命",
        "kaidan kakumei",
    ),
    "two_jokers": PAGAT["two_jokers"],
    "no_twos": PAGAT["no_twos"],
    "miyako_ochi": Patch(
        "The winner of the hand before who does not win again becomes last, but plays on.",
        {"miyako_ochi": "play_on"},
        "都落ち",
        "miyako-ochi",
    ),
    "shibari": Patch(
        "Every pair must share a suit with the pair just before it.",
        {"shibari_pair_link": True},
        "縛り",
        "shibari",
    ),
    "no_two_finish": Patch(
        "A 2, or a set of 2s, may not be the last play.",
        {"forbidden_finish": ("high_set",), "forbidden_effect": "refuse"},
        "反則上がり",
        "hansoku agari",
    ),
    "spade_three": PAGAT["spade_three"],
    "hachi_giri": PAGAT["hachi_giri"],
    "jack": Patch(
        "A play with a jack reverses the order for the hand, until the next reversal.",
        {"jack_back": "hand"},
        "11バック",
        "irebun bakku",
    ),
    "tens": Patch(
        "At the clear one more card may be thrown away for each ten played.",
        {"ten_discard": "on_clear"},
        "10捨て",
        "jū-sute",
    ),
    "seats": Patch(
        "First and last change seats after each hand.", {"seats": "swap_ends"}, "席替え", "sekigae"
    ),
}

LOCAL_PATCHES: dict[str, Patch] = {
    "immediate": Patch(
        "Four of a kind reverses the ranks at once, also within the trick.",
        {"kakumei": True, "kakumei_timing": "immediate"},
        "革命",
        "kakumei",
        ("immediate revolution", "即革命"),
    ),
    "kaidan_kakumei": Patch(
        "A sequence of four or more reverses the ranks.",
        {"kakumei_sequence": 4},
        "階段革命",
        "kaidan kakumei",
        ("sequence revolution",),
    ),
    "coup": Patch(
        "Three 9s reverse the ranks.", {"kakumei_triples": ("9",)}, "クーデター", "kūdetā"
    ),
    "nana_san": Patch(
        "Three 7s reverse the ranks.",
        {"kakumei_triples": ("7",)},
        "ナナサン革命",
        "nana-san kakumei",
    ),
    "emperor": Patch(
        "Four consecutive ranks in four suits are a play, and reverse the ranks.",
        {"emperor": "kakumei"},
        "エンペラー",
        "enperā",
    ),
    "jack_back": PAGAT["jack"],
    "hachi_giri_sets": Patch(
        "An 8 clears the table, but not inside a sequence.",
        {"hachi_giri": True, "hachi_giri_sequences": False},
        "8切り(階段を除く)",
        "hachi-giri",
    ),
    "spade_three_clears": Patch(
        "The spade 3 beats a single joker and clears the table.",
        {"spade_three": "clears"},
        "スペ3返し",
        "supe-san gaeshi",
        ("spade 3 return",),
    ),
    "joker_return": Patch(
        "A second joker beats a single joker; two jokers.",
        {"joker_return": True, "jokers": 2},
        "ジョーカー返し",
        "jōkā gaeshi",
    ),
    "sunaarashi": Patch(
        "Three real 3s beat any play and clear the table.",
        {"sunaarashi": "clears"},
        "砂嵐",
        "sunaarashi",
        ("33返し",),
    ),
    "sandstorm": Patch(
        "Sandstorm, ambulance and rokurokubi: 3-3-3 beats anything and clears; 9-9 and 6-6 clear.",
        {"sunaarashi": "clears", "kyukyusha": True, "rokurokubi": True},
        "砂嵐・救急車・ろくろ首",
        "sunaarashi, kyūkyūsha, rokurokubi",
    ),
    "kyukyusha": Patch(
        "A pair of 9s clears the table.",
        {"kyukyusha": True},
        "救急車",
        "kyūkyūsha",
        ("ambulance",),
    ),
    "rokurokubi": Patch(
        "A pair of 6s clears the table.", {"rokurokubi": True}, "ろくろ首", "rokurokubi"
    ),
    "two_clears": Patch(
        "Any play with a 2 clears the table.", {"two_clears": True}, "2切り", "ni-giri"
    ),
    "six_cards": Patch(
        "Sets of up to six with two jokers; six of a kind clears the table and reverses.",
        {"jokers": 2, "max_set": 6, "six_card_clears": True},
        "シックスカード",
        "shikkusu kādo",
    ),
    "top_sequence_clears": Patch(
        "A sequence that nothing can beat clears the table.",
        {"top_sequence_clears": True},
        "最強階段",
        "saikyō kaidan",
    ),
    "agari_nagashi": Patch(
        "Going out clears the table, and the next to the left leads.",
        {"agari_nagashi": True},
        "あがり流し",
        "agari-nagashi",
    ),
    "down_number": Patch(
        "On a single card the one of the same suit one rank lower may follow.",
        {"down_number": True},
        "ダウンナンバー",
        "daun nanbā",
    ),
    "go_tobi": Patch(
        "Each 5 played skips one player.",
        {"go_tobi": "per_card"},
        "5飛び",
        "go-tobi",
        ("5スキップ", "five skip", "5-skip"),
    ),
    "kyu_reverse": Patch(
        "A play with a 9 turns the direction for the rest of the hand.",
        {"kyu_reverse": "hand"},
        "9リバース",
        "kyū ribāsu",
        ("nine reverse", "9-reverse"),
    ),
    "nana_watashi": Patch(
        "For each 7 played one card may be given to the next player.",
        {"nana_watashi": "may"},
        "7渡し",
        "nana-watashi",
        ("seven pass", "7-pass"),
    ),
    "ten_discard": PAGAT["tens"],
    "q_bomber": Patch(
        "For each queen a rank is named, and everybody throws away all cards of it.",
        {"q_bomber": "rank"},
        "12ボンバー",
        "jūni bonbā",
        ("Qボンバー", "queen bomber", "Q-bomber"),
    ),
    "suu_shibari": Patch(
        "After two plays in rank order the next must again be one rank up.",
        {"suu_shibari": True},
        "数縛り",
        "suu-shibari",
        ("number lock", "階段縛り"),
    ),
    "geki_shibari": Patch(
        "Two plays of the same suits and in rank order lock suits and ranks together.",
        {"geki_shibari": True},
        "激縛り",
        "geki-shibari",
        ("激シバ",),
    ),
    "gekokujo": Patch(
        "The last of the hand before goes out first: all titles turn upside down.",
        {"gekokujo": True},
        "下克上",
        "gekokujō",
    ),
    "tenpen_chii": Patch(
        "If the last player holds nothing above 10, first and last swap all their cards.",
        {"tenpen_chii": "ends"},
        "天変地異",
        "tenpen-chii",
    ),
    "tunnel": Patch(
        "A-2-3 is the lowest sequence.", {"sequence_wrap": "tunnel"}, "トンネル", "tonneru"
    ),
    "past_two": Patch(
        "A-2-Joker is the highest sequence.",
        {"sequence_past_two": True},
        "A-2-ジョーカー",
        "ē-ni-jōkā",
    ),
    "two_card_run": Patch(
        "Sequences from two cards on.", {"sequence_min": 2}, "2枚階段", "ni-mai kaidan"
    ),
    "disjoint": Patch(
        "Every card of a sequence has to be above the highest on the table.",
        {"sequence_compare": "disjoint"},
        "階段の強さ",
        "kaidan no tsuyosa",
    ),
    "diamond_three_leads": Patch(
        "Who holds the diamond 3 leads the first hand.",
        {"first_lead": "holder:D3"},
        "ダイヤの3スタート",
        "daiya no san sutāto",
    ),
    "together": Patch(
        "In the exchange both give at once, unseen.",
        {"exchange_order": "together"},
        "同時交換",
        "dōji kōkan",
    ),
    "foul_finish": Patch(
        "Going out with the highest rank, any joker, an 8 or the spade 3 alone makes one last.",
        {"forbidden_finish": ("high_set", "any_joker", "eight", "spade_three")},
        "反則上がり",
        "hansoku agari",
        ("forbidden finish", "foul finish", "禁止上がり"),
    ),
    "free_lead_pass": Patch(
        "The leader may pass; after twenty passes in a row the hand ends.",
        {"lead_pass": "always", "max_idle_passes": 20},
        "空場パス",
        "kūba pasu",
    ),
    **FURTHER,
}

PATCHES: dict[str, dict[str, Patch]] = {
    "pagat": PAGAT,
    "denexa": DENEXA,
    "forum": {
        name: PAGAT[name]
        for name in ("eight_players", "double_deck", "kakumei", "kakumei_run5", "score")
    },
    "ru": RU,
    LOCAL: LOCAL_PATCHES,
}

ADDING = (
    "forbidden_finish",
    "kakumei_triples",
    "skip_ranks",
    "reverse_ranks",
    "back_ranks",
    "discard_ranks",
    "kakumei_cuts",
    "eight_answers",
    "restrict",
    "instant_wins",
    "rob",
)
"""A patch adds to these lists (C-12)."""


def patch_names() -> Iterator[tuple[str, Patch]]:
    """All patches with the prefix of their document."""
    for document, patches in PATCHES.items():
        for name, patch in patches.items():
            yield f"{document}.{name}", patch


def patches_of(document: str) -> dict[str, Patch]:
    """The patches that need no prefix on a preset of this document: its own, and the local ones."""
    return LOCAL_PATCHES | PATCHES.get(document, {})
