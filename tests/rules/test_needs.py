"""No option does nothing: where what it needs is missing the ruleset is refused, and rulesets that
play alike have one fingerprint."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput
from arena.reference.examples import EXAMPLES
from arena.reference.scenes import rules_of
from arena.rules import compile_ruleset, resolve
from arena.rules.fingerprints import canonical_json, fingerprint, is_fingerprint
from arena.rules.idle import without_idle
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from arena.rules.ruleset import written_table

NO_RUNS = {"sequences": False}
TRIPLES_OF_NO_JOKER = {"kakumei_triples": ["3"], "joker_wild": False, "jokers": 4}
NO_JOKER = {"jokers": 0}
NO_TWOS = {"sequence_twos": False}
HACHI = {"hachi_giri": True}
REFUSING = {"forbidden_finish": ["jack"], "forbidden_effect": "refuse"}
JACKS_ARE_FOUL = {"forbidden_finish": ["jack"], "jack_back": "trick"}
KAKUMEI = {"kakumei": True}
TWO_PACKS_AND_TAME_JOKERS = {"decks": 2, "jokers": 2, "joker_wild": False}
FIRST_HANDS = {"reset_every": 1}
RUSSIAN = [
    ["first", "last", 2, "any"],
    ["last", "first", 2, "any"],
    ["last", "first", 1, "highest"],
    ["first", "last", 1, "any"],
]
SECOND_LAST_GIVES = [["second_last", "first", 1, "highest"]]
TO_THE_FIRST = [["last", "first", 1, "highest"], ["second_last", "first", 1, "any"]]
BY_THE_FIRST = [["first", "last", 1, "any"], ["first", "second_last", 1, "any"]]
WINNER_FIRST = [["first", "last", 1, "any"], ["last", "first", 1, "any"]]
REFUSED: list[tuple[str, Any, dict[str, Any], str]] = [
    # option, its value, the rest of the ruleset, what is missing
    ("hachi_giri_sequences", False, {}, "hachi_giri"),
    ("hachi_giri_sequences", False, HACHI | NO_RUNS, "sequences"),
    ("kyukyusha", True, {"max_set": 1}, "max_set"),
    ("rokurokubi", True, {"max_set": 1}, "max_set"),
    ("six_card_clears", True, {"max_set": 6}, "jokers"),
    ("top_sequence_clears", True, NO_RUNS, "sequences"),
    ("spade_three", "clears", NO_JOKER, "jokers"),
    ("spade_three", "beatable", NO_JOKER, "jokers"),
    ("joker_return", True, {}, "jokers"),
    ("joker_return", True, {"jokers": 2, "equal_plays": True}, "equal_plays"),
    ("sunaarashi", "beats", {"max_set": 2}, "max_set"),
    ("agari_nagashi", True, {"hand_end": "first_out"}, "hand_end"),
    ("joker_effects", False, {}, "hachi_giri"),
    ("joker_effects", False, HACHI | NO_JOKER, "jokers"),
    ("joker_effects", False, HACHI | {"joker_wild": False}, "joker_wild"),
    ("ten_discard_must", True, {}, "ten_discard"),
    ("four_stop", "any", {}, "hachi_giri"),
    ("three_stop", True, {}, "go_tobi"),
    ("three_stop", True, {"go_tobi": "one", "max_set": 1}, "max_set"),
    ("four_stop", "single", HACHI | {"max_set": 1}, "max_set"),
    ("eight_answers", ["eight"], {}, "hachi_giri"),
    ("kakumei_optional", True, {}, "kakumei"),
    ("jack_back_optional", True, {}, "jack_back"),
    ("jack_back_three", True, {"jack_back": "hand"}, "jack_back"),
    ("jack_back_three", True, {"jack_back": "trick", "max_set": 2}, "max_set"),
    ("lucky_seven", True, {"max_set": 2}, "max_set"),
    ("dai_kakumei", True, {"max_set": 3}, "max_set"),
    ("exchange", "denexa", FIRST_HANDS, "reset_every"),
    ("exchange", [["last", "last", 1, "any"]], {}, "exchange"),
    ("exchange", [["second", "second_last", 1, "any"]], {"players": 3}, "players"),
    ("exchange", [["last", "first", 1, "any"]] * 2, {"exchange_order": "together"}, "together"),
    ("exchange_order", "together", {"exchange": "none"}, "exchange"),
    ("exchange_order", "together", {"exchange": "ru"}, "exchange"),
    ("exchange_order", "winner_first", {"exchange": [["last", "first", 1, "any"]]}, "exchange"),
    ("exchange", BY_THE_FIRST, {"exchange_order": "together"}, "together"),
    ("exchange", [["first", "second_last", 1, "any"]], {"players": 2}, "players"),
    ("exchange_keep_joker", True, {"exchange": TO_THE_FIRST[1:]}, "exchange"),
    ("exchange_keep_joker", True, {"exchange": WINNER_FIRST}, "exchange"),
    ("exchange_keep_joker", True, {"exchange": SECOND_LAST_GIVES}, "exchange"),
    ("exchange_order", "winner_first", {"exchange": WINNER_FIRST}, "exchange"),
    ("exchange_order", "together", {"exchange": WINNER_FIRST[:1]}, "exchange"),
    ("exchange_pick", "asked", {"exchange": "none"}, "exchange"),
    ("exchange_keep_joker", True, {"exchange": "none"}, "exchange"),
    ("exchange_keep_joker", True, NO_JOKER, "jokers"),
    ("exchange_ties", "suits", {"exchange": [["last", "first", 1, "any"]]}, "exchange"),
    ("both_jokers_reversal", True, {}, "jokers"),
    ("tenpen_chii", "ends", FIRST_HANDS, "reset_every"),
    ("exchange_order", "together", FIRST_HANDS, "reset_every"),
    ("exchange_pick", "asked", FIRST_HANDS, "reset_every"),
    ("exchange_keep_joker", True, FIRST_HANDS, "reset_every"),
    ("exchange_ties", "suits", FIRST_HANDS, "reset_every"),
    ("both_jokers_reversal", True, FIRST_HANDS | {"jokers": 2}, "reset_every"),
    ("forbidden_finish", ["eight"], {}, "hachi_giri"),
    ("forbidden_finish", ["high_sequence"], NO_RUNS, "sequences"),
    ("forbidden_finish", ["single_joker"], NO_JOKER, "jokers"),
    ("forbidden_finish", ["high_set", "any_joker"], NO_JOKER, "jokers"),
    ("forbidden_follow_jack", True, {"forbidden_finish": ["high_set"]}, "jack_back"),
    ("forbidden_follow_jack", True, {"jack_back": "trick"}, "forbidden_finish"),
    ("forbidden_follow_jack", True, JACKS_ARE_FOUL, "forbidden_finish"),
    ("forbidden_effect", "refuse", {}, "forbidden_finish"),
    ("foul_clears", True, {}, "forbidden_finish"),
    ("foul_clears", True, REFUSING, "forbidden_effect"),
    ("foul_clears", True, {"forbidden_finish": ["jack"], "agari_nagashi": True}, "agari_nagashi"),
    ("miyako_ochi", "drop", FIRST_HANDS, "reset_every"),
    ("gekokujo", True, FIRST_HANDS, "reset_every"),
    ("max_set", 5, NO_JOKER, "jokers"),
    ("max_set", 6, {"joker_wild": False}, "joker_wild"),
    ("joker_wild", False, NO_JOKER, "jokers"),
    ("joker_wild", False, NO_RUNS | {"max_set": 1}, "max_set"),
    ("sequence_min", 4, NO_RUNS, "sequences"),
    ("sequence_twos", False, NO_RUNS, "sequences"),
    ("sequence_wrap", "tunnel", NO_RUNS, "sequences"),
    ("sequence_wrap", "tunnel", NO_TWOS, "sequence_twos"),
    ("sequence_wrap", "tunnel", {"sequence_min": 4}, "sequence_min"),
    ("sequence_compare", "disjoint", NO_RUNS, "sequences"),
    ("sequence_past_two", True, NO_RUNS, "sequences"),
    ("sequence_past_two", True, NO_TWOS, "sequence_twos"),
    ("sequence_past_two", True, NO_JOKER, "jokers"),
    ("sequence_below_three", True, {"joker_wild": False}, "joker_wild"),
    ("sequence_below_three", True, NO_RUNS, "sequences"),
    ("first_lead", "holder:JK", NO_JOKER, "jokers"),
    ("first_lead_show", True, {"first_lead": "lot"}, "first_lead"),
    ("next_lead", "holder:JK", NO_JOKER, "jokers"),
    ("blind_cards", 6, {"suits": ["S"], "jokers": 0, "players": 8}, "suits"),
    ("exchange", [["second", "last", 1, "any"]], {"players": 2}, "players"),
    ("first_lead", "holder:C3", {"suits": ["S", "H", "D"]}, "suits"),
    ("next_lead", "holder:C3", {"suits": ["S", "H", "D"]}, "suits"),
    ("next_lead", "winner", FIRST_HANDS, "reset_every"),
    ("janken_mode", "interactive", {"first_lead": "lot"}, "first_lead"),
    ("shibari_after", 3, {"geki_shibari": True}, "shibari"),
    ("shibari_sequences", False, {}, "shibari"),
    ("shibari_sequences", False, {"shibari": "full"} | NO_RUNS, "sequences"),
    ("joker_lock", "full", {}, "shibari"),
    ("joker_lock", "full", {"shibari": "full", "joker_wild": False}, "joker_wild"),
    ("joker_lock", "none", {"shibari": "full"} | NO_JOKER, "jokers"),
    ("joker_lifts_lock", True, {}, "shibari"),
    ("joker_lifts_lock", True, {"shibari": "kata"} | NO_JOKER, "jokers"),
    ("shibari_pair_link", True, {"max_set": 1}, "max_set"),
    ("geki_shibari", True, {"suu_shibari": True, "shibari": "full"}, "suu_shibari"),
    ("q_toki", True, {}, "geki_shibari"),
    ("q_toki", True, {"restrict": ["even"]}, "iro_shibari"),
    ("complete_four", True, {"suits": ["S", "H", "D"]}, "suits"),
    ("complete_four", True, {"max_set": 1}, "max_set"),
    ("fu_ochi", True, {}, "miyako_ochi"),
    ("four_take", True, {"ace_take": True}, "ace_take"),
    ("exchange_no_joker", True, NO_JOKER, "jokers"),
    ("exchange_no_joker", True, {"exchange": "none"}, "exchange"),
    ("exchange_no_joker", True, FIRST_HANDS, "reset_every"),
    ("exchange_keep_joker", True, {"exchange_no_joker": True}, "exchange_no_joker"),
    ("rob", ["thief"], {"max_set": 2}, "max_set"),
    ("shimin_byodo", True, {}, "kakumei"),
    ("shimin_byodo", True, KAKUMEI | {"kakumei_counter": False}, "kakumei_counter"),
    ("shimin_byodo", True, KAKUMEI | FIRST_HANDS, "reset_every"),
    ("dokusen", True, {"jokers": 0}, "jokers"),
    ("dokusen", True, FIRST_HANDS, "reset_every"),
    ("instant_wins", ["tenho"], {"suits": ["S"]}, "suits"),
    ("instant_wins", ["tepodon"], {"jokers": 2}, "max_set"),
    ("instant_wins", ["tepodon"], {"max_set": 6, "suits": ["S", "H"], "jokers": 4}, "suits"),
    ("fu_ochi", True, {"miyako_ochi": "drop", "hand_end": "first_out"}, "hand_end"),
    ("mura_hachibu", True, {"miyako_ochi": "drop"}, "miyako_ochi"),
    ("mura_hachibu", True, {"miyako_ochi": "play_on", "hand_end": "first_out"}, "hand_end"),
    ("iro_shibari", True, {"suits": ["S", "C"]}, "suits"),
    ("restrict", ["hot_milk"], {"suits": ["H", "D"]}, "suits"),
    ("kakumei", True, {"max_set": 3}, "max_set"),
    ("kakumei_timing", "immediate", {}, "kakumei"),
    ("kakumei_joker", False, {}, "kakumei"),
    ("kakumei_joker", False, {"kakumei": True} | NO_JOKER, "jokers"),
    ("kakumei_sequence", 4, NO_RUNS, "sequences"),
    ("kakumei_triples", ["3"], {"max_set": 2}, "max_set"),
    ("kakumei_joker", False, TRIPLES_OF_NO_JOKER, "jokers"),
    ("jack_back_again", "stay", {}, "jack_back"),
    ("scoring", "table", {}, "score_table"),
    ("scoring", "table", {"score_table": [0, 0]}, "score_table"),
    ("score_table", [4, 2, 1, 0], {"scoring": "pay"}, "scoring"),
    ("session_end", "points:10", {}, "scoring"),
    ("overall_winner", "most_points", {}, "scoring"),
    ("pass_lockout", True, {"trick": "one_lap"}, "trick"),
    ("pass_lockout", True, {"trick": "one_lap", "forbidden_finish": ["jack"]}, "trick"),
    ("out_lead", "sole_survivor", {"trick": "one_lap"}, "trick"),
    ("out_lead", "sole_survivor", {"agari_nagashi": True}, "agari_nagashi"),
    ("out_lead", "sole_survivor", {"hand_end": "first_out"}, "hand_end"),
    ("lead_pass", "always", {}, "max_idle_passes"),
    ("spade_three", "wild_top", {"suits": ["H", "D"]}, "suits"),
    ("kakumei_cuts", ["5"], {}, "kakumei"),
    ("igen", True, NO_RUNS, "sequences"),
    ("igen", True, {"sequence_min": 4}, "sequence_min"),
    ("spade_two", "clears", KAKUMEI | NO_JOKER, "jokers"),
    ("spade_two", "clears", KAKUMEI | {"suits": ["H"], "max_set": "auto"}, "suits"),
    ("spade_two", "beatable", {}, "kakumei"),
    ("blind_cards", 20, {"suits": ["S"]}, "suits"),
    ("yagiri", True, {}, "hachi_giri"),
    ("kyo_ochi", "drop", FIRST_HANDS, "reset_every"),
    ("emperor", "form", {"suits": ["S", "H"]}, "suits"),
    ("kakumei_set", 3, {}, "kakumei"),
    ("joker_kakumei", True, {}, "jokers"),
    ("joker_kakumei", True, {"jokers": 2, "max_set": 1}, "max_set"),
    ("kakumei_counter", False, {}, "kakumei"),
    ("kakumei_lock_at", 5, {}, "kakumei"),
    ("kakumei_lock_at", 6, KAKUMEI, "kakumei_sequence"),
    ("omen_final", True, KAKUMEI | {"kakumei_triples": ["9"]}, "kakumei_triples"),
    ("kakumei_clears", True, {}, "kakumei"),
    ("six_modoshi", True, {"jack_back": "hand"}, "jack_back"),
    ("six_modoshi", True, {"back_ranks": ["6", "2"]}, "back_ranks"),
    ("forbidden_follow_jack", True, {"jack_back": "hand", "forbidden_finish": ["high_set"]}, "t"),
    ("seats", "by_points", {}, "scoring"),
    ("instant_wins", ["tepodon"], TWO_PACKS_AND_TAME_JOKERS, "joker_wild"),
    ("titles", "nihon", {"title_table": ["a", "b"]}, "title_table"),
    ("equal_skips", True, {}, "equal_plays"),
    ("max_idle_passes", 20, {}, "lead_pass"),
    ("idle_rank", "random", {}, "lead_pass"),
]


@pytest.mark.parametrize(("option", "value", "rest", "missing"), REFUSED)
def test_an_option_that_would_do_nothing_is_refused(
    option: str, value: Any, rest: dict[str, Any], missing: str
) -> None:
    """The error names the option, its value and what it would need.

    rests: OR-72 C-2
    """
    with pytest.raises(BadInput) as caught:
        resolve({"options": {**rest, option: value}})
    assert option in caught.value.thing
    assert missing in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"exchange": WINNER_FIRST, "exchange_order": "together"},
        {"exchange": TO_THE_FIRST, "exchange_order": "together"},
        {"exchange": [*WINNER_FIRST, WINNER_FIRST[0]]},
        {"exchange": [*WINNER_FIRST, WINNER_FIRST[0]], "exchange_order": "winner_first"},
    ],
)
def test_a_program_of_ones_own_is_taken_where_nobody_is_asked_twice_at_once(
    options: dict[str, Any],
) -> None:
    assert resolve({"options": options})["exchange"] == tuple(map(tuple, options["exchange"]))


@pytest.mark.parametrize(
    "options",
    [
        {"joker_effects": False, "forbidden_finish": ["jack"]},
        {"geki_shibari": True, "shibari": "full"},
        {"spade_three": "wild_top", "jokers": 0},
        {"joker_wild": False, "sequences": False},
        {"joker_wild": False, "max_set": 1},
        KAKUMEI | {"kakumei_joker": False, "jokers": 4, "joker_wild": False},
        KAKUMEI | {"kakumei_lock_at": 5, "max_set": 5},
        NO_RUNS | {"joker_wild": False, "max_set": 1, "emperor": "form"},
        {"instant_wins": ["monopoly"], "suits": ["S"]},
        {"restrict": ["even"], "suits": ["S"]},
        JACKS_ARE_FOUL | {"forbidden_finish": ["high_sequence"], "forbidden_follow_jack": True},
        {"seats": "by_points", "scoring": "pay"},
        {"session_end": "points:10", "scoring": "pay"},
        {"overall_winner": "most_points", "scoring": "pay"},
        {"emperor": "form", "jokers": 0},
        KAKUMEI | {"kakumei_set": 3, "omen_final": True},
        {"trick": "one_lap", "pass_lockout": True, "lead_pass": "always", "max_idle_passes": 4},
        REFUSING | {"trick": "one_lap", "pass_lockout": True},
        {"geki_shibari": True, "suu_shibari": True},
        {"shibari": "full", "joker_lock": "none", "joker_wild": False},
        {"q_toki": True, "restrict": ["five_colour"]},
        {"complete_four": True, "max_set": 1, "equal_plays": True},
        {"lead_pass": "always", "max_idle_passes": 1},
        {"first_lead": "holder:JK", "next_lead": "holder:JK"},
        {"geki_shibari": True, "suu_shibari": True, "shibari": "full", "shibari_after": 3},
        {"suits": ["S"], "jokers": 0, "players": 8, "blind_cards": 5},
        {"suits": ["S"], "jokers": 4, "players": 8, "blind_cards": 9},
        {"suits": ["S"], "decks": 2, "jokers": 0, "players": 8, "blind_cards": 18},
        {"suits": ["H", "C"], "iro_shibari": True},
        {"suits": ["S", "D"], "iro_shibari": True},
        {"suu_shibari": True, "q_toki": True},
        {"geki_shibari": True, "q_toki": True},
        {"iro_shibari": True, "q_toki": True},
        {"restrict": ["hot_milk"], "q_toki": True},
    ],
)
def test_what_an_option_needs_is_there_in_more_than_one_way(options: dict[str, Any]) -> None:
    table = resolve({"options": options})
    assert all(table[name] == freeze(value) for name, value in options.items())


def freeze(value: Any) -> Any:
    """Lists as they stand in a table."""
    return tuple(value) if isinstance(value, list) else value


def test_every_option_with_a_need_is_in_the_table_of_refusals() -> None:
    assert {name for name, o in OPTIONS.items() if o.needs} == {row[0] for row in REFUSED}


def test_each_need_is_missing_in_some_row_of_the_table_of_refusals() -> None:
    missed = set()
    for option, value, rest, _ in REFUSED:
        try:
            table = written_table({"options": {**rest, option: value}})
        except BadInput:  # the value itself is refused
            continue
        needs = OPTIONS[option].needs
        missed |= {(option, i) for i, need in enumerate(needs) if not need.holds(table)}
    assert missed == {(n, i) for n, option in OPTIONS.items() for i in range(len(option.needs))}


def test_what_a_preset_brings_along_falls_back_where_a_patch_leaves_it_nothing_to_do() -> None:
    """rests: OR-72"""
    table = resolve("dqx+pagat.no_joker")
    assert table["spade_three"] == "off"
    assert "any_joker" not in table["forbidden_finish"]
    assert "eight" in table["forbidden_finish"]
    assert resolve({"preset": "uecda", "options": {"scoring": "none"}})["score_table"] == ()


@pytest.mark.parametrize(
    ("document", "patch", "missing"),
    [
        ("denexa+pagat.no_twos", "pagat.no_twos", "sequences"),
        ("ru+pagat.pass_lockout", "pagat.pass_lockout", "trick"),
        ("ru+local.together", "local.together", "exchange"),
        ("denexa+pagat.no_joker_finish", "pagat.no_joker_finish", "jokers"),
    ],
)
def test_a_patch_of_which_nothing_is_left_is_refused(
    document: str, patch: str, missing: str
) -> None:
    with pytest.raises(BadInput, match=f"{patch} does nothing") as caught:
        resolve(document)
    assert missing in caught.value.thing


def test_what_a_document_says_itself_is_refused_though_its_preset_says_the_same() -> None:
    with pytest.raises(BadInput, match="spade_three with jokers"):
        resolve({"preset": "dqx", "options": {"jokers": 0, "spade_three": "clears"}})


def test_all_options_that_lack_something_are_named_at_once() -> None:
    document = {"options": {"shibari_after": 3, "jack_back_again": "stay"}}
    with pytest.raises(BadInput, match="the same with jack_back_again"):
        resolve(document)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_option_does_something_in_its_example(name: str) -> None:
    table = dict(rules_of(EXAMPLES[name]).options)
    assert without_idle(table) == table


SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a leader who may never pass passes when stuck (C-3)": ({"lead_pass": "never"}, {}),
    "the loser is a word (OR-67)": ({"loser": "most_cards"}, {}),
    "forfeits are a text": ({"forfeits": True}, {}),
    "four of a kind are the largest set of one pack": ({"max_set": 4}, {}),
    "one joker makes no set of six": ({"max_set": 6}, {"max_set": 5}),
    "nobody may keep a joker with one poor class": ({"exchange_keep_joker": True}, {}),
    "a program by its steps": (
        {"exchange": [["last", "first", 1, "highest"], ["first", "last", 1, "any"]]},
        {},
    ),
    "two programs that are one for five": (
        {"players": 5, "exchange": "pagat_two_one"},
        {"players": 5},
    ),
    "the Russian program keeps its order": (
        {"exchange": "ru", "exchange_order": "winner_first"},
        {"exchange": "ru"},
    ),
    "nobody plays on after the end": (
        {"hand_end": "first_out", "miyako_ochi": "drop"},
        {"hand_end": "first_out", "miyako_ochi": "play_on"},
    ),
    "two players have one left and one right": ({"players": 2, "direction": "ccw"}, {"players": 2}),
    "of two players the loser is last anyhow": (
        {"players": 2, "miyako_ochi": "drop", "gekokujo": True, "agari_nagashi": True},
        {"players": 2},
    ),
    "of four players the second is second last anyhow, if he falls": (
        {"miyako_ochi": "play_on", "fu_ochi": True},
        {"miyako_ochi": "play_on"},
    ),
    "of two players the fallen does not play on": (
        {"players": 2, "miyako_ochi": "play_on", "mura_hachibu": True},
        {"players": 2},
    ),
    "of two players one survives anyhow": (
        {"players": 2, "out_lead": "sole_survivor"},
        {"players": 2},
    ),
    "three players have no second pair of ends": (
        {"players": 3, "tenpen_chii": "both"},
        {"players": 3, "tenpen_chii": "ends"},
    ),
    "there is a king from seven players on": (
        {"players": 6, "titles": "king"},
        {"players": 6, "titles": "nihon"},
    ),
    "every joker is a single joker too": (
        {"forbidden_finish": ["single_joker", "any_joker"]},
        {"forbidden_finish": ["any_joker"]},
    ),
    "points for places that are not there": (
        {"scoring": "table", "score_table": [4, 2, 0, 0, 7]},
        {"scoring": "table", "score_table": [4, 2]},
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_rulesets_that_play_alike_have_one_fingerprint(name: str) -> None:
    """rests: OR-67"""
    one, other = ({"options": options} for options in SAME[name])
    assert compile_ruleset(one).fingerprint == compile_ruleset(other).fingerprint


DIFFERENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"exchange": "pagat_two_one", "exchange_order": "winner_first"},
        {"exchange": "pagat_two_one"},
    ),
    ({"players": 3, "tenpen_chii": "ends"}, {"players": 3}),
    ({"forbidden_finish": ["any_joker", "jack"]}, {"forbidden_finish": ["any_joker"]}),
    ({"players": 3, "direction": "ccw"}, {"players": 3}),
    ({"agari_nagashi": True}, {}),
    ({"gekokujo": True}, {}),
    ({"players": 3, "gekokujo": True}, {"players": 3}),
    ({"players": 3, "agari_nagashi": True}, {"players": 3}),
    ({"players": 7, "titles": "king"}, {"players": 7, "titles": "nihon"}),
    ({"players": 3, "out_lead": "sole_survivor"}, {"players": 3}),
    (
        {"title_table": ["boss", "hand", "poor", "hinmin"], "exchange_keep_joker": True},
        {"title_table": ["boss", "hand", "poor", "hinmin"]},
    ),
    (
        {"players": 5, "miyako_ochi": "drop", "fu_ochi": True},
        {"players": 5, "miyako_ochi": "drop"},
    ),
    (
        {"players": 3, "miyako_ochi": "play_on", "mura_hachibu": True},
        {"players": 3, "miyako_ochi": "play_on"},
    ),
    ({"titles": "ru"}, {"titles": "nihon"}),
    ({"tenpen_chii": "both"}, {"tenpen_chii": "ends"}),
    ({"hand_end": "first_out", "miyako_ochi": "play_on"}, {"hand_end": "first_out"}),
    ({"exchange": RUSSIAN, "exchange_order": "winner_first"}, {"exchange": "ru"}),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_rulesets_that_play_differently_have_two_fingerprints(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    """rests: OR-67"""
    first, second = (compile_ruleset({"options": options}) for options in (one, other))
    assert first.fingerprint != second.fingerprint


OLD_LEAGUE = "c56c8be9d1c2c0fd9f00ecd8c1927bedccf131b9f0181b0ad45333553950081d"
PAGAT = "d3ca16ee8525294c9ace2d7e0736696d859a4f3d51533bd3f38844b6ead08974"


def test_an_option_of_a_later_release_changes_no_fingerprint_while_it_is_off() -> None:
    later = {name for name, option in OPTIONS.items() if option.later}
    table = resolve("pagat")
    assert fingerprint(table) == PAGAT
    assert all(table[name] == OPTIONS[name].default for name in later)
    assert fingerprint(table | {"players": 5}) != PAGAT
    assert later


def test_older_records_of_a_ruleset_keep_theirs() -> None:
    """`never` is `if_stuck` by another name, and had a fingerprint of its own."""
    table = compile_ruleset("japan_league").options
    assert is_fingerprint(fingerprint(table), table)
    assert not is_fingerprint(PAGAT, table)
    assert fingerprint(table) != OLD_LEAGUE
    assert is_fingerprint(OLD_LEAGUE, table)


def test_canonical_json_has_sorted_names_and_no_spaces() -> None:
    assert canonical_json({"b": (1, 2), "a": "八"}) == '{"a":"八","b":[1,2]}'


def test_presets_compile_for_every_number_of_players() -> None:
    for preset in PRESETS:
        for players in range(2, 9):
            compile_ruleset({"preset": preset, "options": {"players": players}})


def test_a_forbidden_single_joker_is_another_ruleset_unless_any_joker_is_forbidden() -> None:
    plain, single, any_, both = (
        compile_ruleset(f"pagat,forbidden_finish={kinds}").fingerprint
        for kinds in ("", "single_joker", "any_joker", "single_joker+any_joker")
    )
    assert len({plain, single, any_}) == 3
    assert any_ == both
