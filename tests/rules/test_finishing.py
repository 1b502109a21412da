"""Going out: several at once, upside down, fallen, forbidden; and hands that end otherwise."""

from __future__ import annotations

from typing import Any

from arena.rules import decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Discarded
from tests.rules.table import after, holds, table
from tests.rules.vectors import Scene

BOMB = {"q_bomber": "rank"}


def test_those_whom_a_queen_empties_finish_in_turn_order_from_the_player() -> None:
    scene = table(BOMB, "A SQ S5 / B H5 / C D5 / D S6 S8")
    after(scene, "A SQ, A name 5")
    holds(scene, out=["A", "B", "C"], ended=True, places=["A", "B", "C", "D"])


def test_turn_order_follows_the_direction_of_play() -> None:
    scene = table(BOMB, "A SQ S5 / B H5 / C D5 / D S6 S8", direction="ccw")
    after(scene, "A SQ, A name 5")
    holds(scene, out=["A", "C", "B"], places=["A", "C", "B", "D"])


def test_the_poorest_emptied_first_by_a_queen_turns_the_titles_upside_down() -> None:
    """rests: XV-gekokujo"""
    options = BOMB | {"gekokujo": True, "miyako_ochi": "drop"}
    before = ["B", "C", "D", "A"]
    scene = table(options, "A SQ S5 / B H5 / C D6 / D S6 S8", prev_places=before)
    after(scene, "A SQ, A name 5")
    holds(scene, gekokujo=True, fallen=None, places=["A", "D", "C", "B"])


def test_the_poorest_who_is_only_second_turns_nothing() -> None:
    """rests: OR-50"""
    options = BOMB | {"gekokujo": True}
    before = ["D", "C", "A", "B"]
    scene = table(options, "A SQ S5 / B H5 / C D6 / D S6 S8", prev_places=before)
    after(scene, "A SQ, A name 5")
    holds(scene, gekokujo=False, out=["A", "B"], ended=False)


def test_the_rich_one_emptied_just_after_another_has_fallen_before_he_is_out() -> None:
    options = BOMB | {"miyako_ochi": "drop"}
    before = ["B", "C", "D", "A"]
    scene = table(options, "A SQ S5 / B H5 / C D6 / D S6 S8", prev_places=before)
    after(scene, "A SQ, A name 5")
    holds(scene, fallen="B", out=["A"], ended=False)


def test_a_fallen_player_who_plays_on_is_out_when_he_runs_out_and_still_last() -> None:
    """rests: OR-31 AM-47"""
    options = {"miyako_ochi": "play_on"}
    before = ["B", "C", "D", "A"]
    scene = table(options, "A S3 / B H4 / C D5 / D S6 S8", prev_places=before)
    after(scene, "A S3, B H4, C D5")
    holds(scene, fallen="B", out=["A", "B", "C"], places=["A", "C", "D", "B"])


def test_an_offender_ranks_below_the_fallen() -> None:
    """rests: AM-48 OR-30"""
    options = {"miyako_ochi": "drop", "forbidden_finish": ["jack"]}
    before = ["D", "C", "B", "A"]
    scene = table(options, "A S3 / B HJ / C D5 D6 / D S6 S8", prev_places=before)
    after(scene, "A S3, B HJ")
    holds(scene, fallen="D", fouled=["B"], places=["A", "C", "D", "B"])


def test_a_refused_finish_does_not_end_a_hand_of_the_first_out() -> None:
    """rests: AM-24 RU-39"""
    options = {
        "forbidden_finish": ["high_set"],
        "forbidden_effect": "refuse",
        "hand_end": "first_out",
    }
    scene = table(options, "A S2 / B H3 H4 / C D5", "C D4")
    after(scene, "A S2 !forbidden_finish, A pass, B pass")
    holds(scene, turn="C", ended=False)
    after(scene, "C D5")
    holds(scene, places=["C", "A", "B"])


def test_leaders_who_are_all_stuck_rank_by_cards_and_then_from_the_first_who_passed() -> None:
    """rests: AM-24 OR-02"""
    options = {
        "forbidden_finish": ["high_set", "jack"],
        "forbidden_effect": "refuse",
        "sequences": False,
    }
    scene = table(options, "A S2 / B HJ / C D2", turn="B")
    after(scene, "B HJ !forbidden_finish, B pass, C pass, A pass")
    holds(scene, ended=True, places=["B", "C", "A"])


def test_what_is_refused_as_the_last_play_is_lawful_before() -> None:
    """rests: AM-24"""
    options = {"forbidden_finish": ["high_set"], "forbidden_effect": "refuse"}
    after(table(options, "A S2 S3 / B HJ H4 / C D2 D4"), "A S2, B pass, C pass, A S3")


def test_a_high_run_ends_with_the_highest_card_of_runs_and_a_high_set_is_no_run() -> None:
    """rests: OR-30 AM-44"""
    others = " / B HJ H4 / C D2 D4"
    run, set_ = {"forbidden_finish": ["high_sequence"]}, {"forbidden_finish": ["high_set"]}
    last = "SQ SK SA"
    no_twos = run | {"sequence_twos": False}
    holds(after(table(no_twos, f"A {last}{others}"), f"A {last}"), fouled=["A"])
    holds(after(table(run, f"A {last}{others}"), f"A {last}"), fouled=[])
    holds(after(table(run, f"A S2{others}"), "A S2"), fouled=[])
    low = table(set_, f"A S3 S4 S5{others}", revolution=True)
    holds(after(low, "A S3 S4 S5"), fouled=[])
    shorter = table(no_twos, f"A ST SJ SQ SK{others}")
    holds(after(shorter, "A ST SJ SQ SK"), fouled=[])
    next_ = table(run, f"A S4 S5 S6{others}", revolution=True)
    holds(after(next_, "A S4 S5 S6"), fouled=[])


def test_a_jack_under_a_revolution_makes_the_twos_forbidden_again() -> None:
    """rests: AM-44"""
    options = {"forbidden_finish": ["high_set"], "jack_back": "trick", "kakumei": True}
    follows = options | {"forbidden_follow_jack": True}
    hands = "A S2 / B HJ H4 / C D3 D4"
    both: dict[str, Any] = {"revolution": True, "jack_reversal": True}
    holds(after(table(follows, hands, "B HJ", **both), "A S2"), fouled=["A"])
    holds(after(table(options, hands, "B HJ", **both), "A S2"), fouled=[])
    alone = table(follows, "A S3 / B HJ H4 / C D2 D4", revolution=True)
    holds(after(alone, "A S3"), fouled=["A"])


def test_of_the_spades_only_the_three_is_forbidden_by_name() -> None:
    """rests: XV-hansoku"""
    options = {"forbidden_finish": ["spade_three"]}
    for card, fouled in (("S3", ["A"]), ("S4", []), ("H3", [])):
        holds(after(table(options, f"A {card} / B HJ H4 / C D2 D4"), f"A {card}"), fouled=fouled)


def test_who_falls_as_the_hand_ends_by_passes_keeps_his_cards() -> None:
    """rests: OR-65"""
    options = {"lead_pass": "always", "max_idle_passes": 3, "miyako_ochi": "drop"}
    hands = "A S3 / B H4 H5 / C D5 D6 D7"
    scene = after(table(options, hands, prev_places=["B", "C", "A"]), "A pass, B pass, C pass")
    holds(scene, ended=True, fallen="B", hand_B="H4 H5", places=["A", "C", "B"])


def test_nobody_falls_in_the_first_hand() -> None:
    """rests: OR-65"""
    options = {"lead_pass": "always", "max_idle_passes": 3, "miyako_ochi": "drop"}
    scene = table(options, "A S3 / B H4 H5 / C D5 D6 D7")
    holds(after(scene, "A pass, B pass, C pass"), ended=True, fallen=None)


def test_who_goes_out_second_makes_nobody_fall() -> None:
    """rests: XV-kyo_ochi"""
    hands = "A S9 / B HK HA H4 / C C5 C6 / D D4"
    scene = table({"kyo_ochi": "drop"}, hands, turn="D", prev_places=["A", "B", "C", "D"])
    holds(after(scene, "D D4, A S9"), out=["D", "A"], fallen=None)


def test_the_winner_falls_also_where_the_poorest_could_have_turned_all_round() -> None:
    """rests: XV-gekokujo PG-73"""
    options = {"gekokujo": True, "miyako_ochi": "drop"}
    hands = "A S9 S4 / B HK H4 / C C5 C6 / D D4"
    scene = table(options, hands, turn="D", prev_places=["B", "C", "D", "A"])
    holds(after(scene, "D D4"), out=["D"], fallen="B", gekokujo=False)


def test_four_twos_as_the_last_cards_throw_nothing_away() -> None:
    """rests: XV-dai_kakumei"""
    scene = table({"dai_kakumei": True}, "A S2 H2 D2 C2 / B HJ H4 / C D4 D5")
    events = decide(scene.rules, scene.state, Play(0, parse(["S2", "H2", "D2", "C2"])))
    assert not any(isinstance(event, Discarded) for event in events)


def test_four_twos_throw_the_rest_away_face_down_and_nothing_else_does() -> None:
    """rests: XV-dai_kakumei"""
    options = {"dai_kakumei": True, "kakumei_timing": "immediate"}
    hands = "A S2 H2 D2 C2 JK S9 H9 D9 C9 S3 / B HJ H4 / C D4 D5"
    scene = table(options, hands)
    events = decide(scene.rules, scene.state, Play(0, parse(["S2", "H2", "D2", "C2"])))
    assert [event.shown for event in events if isinstance(event, Discarded)] == [False]
    holds(after(table(options, hands), "A S9 H9 D9 C9"), out=[], revolution=False)
    holds(after(table(options, hands), "A S2 H2 D2 JK"), out=["A"], revolution=True)
    holds(after(table(options, hands), "A S2 H2 D2"), out=[], revolution=False)
    real = options | {"kakumei_joker": False, "max_set": 5}
    holds(after(table(real, hands), "A S2 H2 D2 JK"), out=[], revolution=False)
    holds(after(table(real, hands), "A S2 H2 D2 C2"), out=["A"], revolution=True)
    holds(after(table(real, hands), "A S2 H2 D2 C2 JK"), out=["A"], revolution=True)


def test_what_is_thrown_away_is_named_by_cards_whichever_copies_are_held() -> None:
    """rests: XV-dai_kakumei XV-after_fall"""
    four = {"dai_kakumei": True, "decks": 2}
    scene = table(four, "A S3 S9 / B S2 H2 D2 C2 S9 S3 / C D4 D5", turn="B")
    assert thrown(scene, "S2 H2 D2 C2") == parse(["S3", "S9"])
    fall = {"miyako_ochi": "play_on", "mura_hachibu": True, "decks": 2}
    scene = table(fall, "A S9 / B S9 SK H4 / C D4 D5", prev_places=list("BCA"))
    assert thrown(scene, "S9") == parse(["S9", "SK"])


def thrown(scene: Scene, cards: str) -> int:
    """What is thrown away because of a play of whose turn it is."""
    play = Play(scene.state.to_move, parse(cards.split()))
    events = decide(scene.rules, scene.state, play)
    return next(event.cards for event in events if isinstance(event, Discarded))


def test_a_leader_with_a_legal_play_may_not_pass_though_refusal_is_on() -> None:
    """rests: AM-30 C-3"""
    options = {"forbidden_finish": ["high_set"], "forbidden_effect": "refuse"}
    scene = table(options, "A S2 S3 / B HJ / C D2")
    after(scene, "A pass !must_lead, A S3")
    holds(scene, turn="B")


def test_a_forbidden_last_eight_clears_and_the_lead_goes_left() -> None:
    options = {"hachi_giri": True, "forbidden_finish": ["eight"]}
    scene = table(options, "A S8 / B HJ H4 / C D2 D4", "C D7")
    after(scene, "A S8")
    holds(scene, fouled=["A"], cleared=1, turn="B")


def test_the_hand_ends_with_the_pass_that_reaches_the_limit() -> None:
    """rests: C-2 AM-79 XV-kuba_pass"""
    options = {"lead_pass": "always", "max_idle_passes": 2}
    scene = table(options, "A S2 S3 / B HJ H4 / C D2", "A S4", turn="B")
    after(scene, "B pass, C pass")
    holds(scene, ended=True, places=["C", "A", "B"])


def test_passes_count_on_the_empty_table_and_off_it() -> None:
    """rests: C-2"""
    options = {"lead_pass": "always", "max_idle_passes": 4}
    scene = table(options, "A S2 S3 / B HJ H4 / C D2", "A S4", turn="B")
    after(scene, "B pass, C pass, A pass")
    holds(scene, turn="B", ended=False)
    after(scene, "B pass")
    holds(scene, ended=True, places=["C", "A", "B"])


def test_gifts_and_discards_that_empty_a_hand_are_no_forbidden_finish() -> None:
    """rests: AM-29 XV-nana_watashi"""
    options = {"nana_watashi": "may", "forbidden_finish": ["high_set"]}
    scene = table(options, "A S7 S2 / B HJ H4 / C D2 D4")
    after(scene, "A S7, A give S2")
    holds(scene, out=["A"], fouled=[], hand_B="H4 HJ S2", turn="B")


def test_going_out_clears_by_agari_nagashi_also_by_a_forbidden_play() -> None:
    """rests: XV-agari_nagashi OR-34"""
    options = {"agari_nagashi": True, "forbidden_finish": ["jack"]}
    scene = table(options, "A SJ / B HQ H4 / C D2 D4", "C D4")
    after(scene, "A SJ")
    holds(scene, fouled=["A"], cleared=1, turn="B")


def test_if_the_winner_wins_again_the_second_of_the_hand_before_falls() -> None:
    """rests: XV-kyo_ochi"""
    hands = "A S9 / B HK H4 / C C5 C6 / D D4 D5"
    before = {"prev_places": ["A", "B", "C", "D"]}
    scene = after(table({"kyo_ochi": "drop"}, hands, **before), "A S9")
    holds(scene, out=["A"], fallen="B", turn="C")
    scene = after(table({"kyo_ochi": "play_on"}, hands, **before), "A S9, B HK")
    holds(scene, fallen="B", hand_B="H4")
    other = {"prev_places": ["B", "A", "C", "D"]}
    holds(after(table({"kyo_ochi": "drop"}, hands, **other), "A S9"), fallen=None)
    both = {"kyo_ochi": "drop", "miyako_ochi": "play_on"}
    holds(after(table(both, hands, **other), "A S9"), fallen="B", hand_B="H4 HK")
