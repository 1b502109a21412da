"""Presets, patches and the errors of ruleset documents."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.errors import BadInput
from arena.rules import EMPTY, compile_ruleset, decide, evolve, legal, resolve
from arena.rules.options import OPTIONS
from arena.rules.patches import LOCAL, PATCHES, patch_names
from arena.rules.presets import PRESETS
from tests.rules.dealing import deal
from tests.rules.strategies import named_rulesets

PRINTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "presets.json").read_text(encoding="utf-8")
)


FINGERPRINTS = {
    "pagat": "d3ca16ee8525294c",
    "denexa": "4b2d6845f47bdfb4",
    "ru": "4fc6e914fba156d6",
    "japan_league": "d075e33e80f6197c",
    "uecda": "dc13f3a3633fd385",
    "tycoon_p5r": "fb60d48b7cee8172",
    "pagat+kakumei+hachi_giri+shibari": "4eac04c1151000a3",
}


def as_data(options: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(options))
    return data


@pytest.mark.parametrize("name", PRINTED)
def test_a_preset_or_patch_resolves_to_what_the_rules_print(name: str) -> None:
    defaults = {option.name: option.default for option in OPTIONS.values()}
    assert as_data(resolve(name)) == as_data(defaults | PRINTED[name])


def test_every_preset_and_patch_is_printed() -> None:
    assert set(PRINTED) == set(named_rulesets())


@pytest.mark.simulation
@pytest.mark.parametrize("name", named_rulesets())
def test_every_preset_and_patch_plays_two_hundred_hands(name: str) -> None:
    rules = compile_ruleset(name)
    places: tuple[int, ...] = ()
    for seed in range(200):
        random = Random(seed)
        state = evolve(EMPTY, decide(rules, EMPTY, deal(rules, seed, places=places)))
        while not state.over:
            seat, _since = random.choice(state.open)
            menu = legal(rules, state, seat)
            state = evolve(state, decide(rules, state, menu.answer(random.randrange(len(menu)))))
        places = state.places
        assert sorted(places) == list(range(rules.players))


@pytest.mark.parametrize(
    ("document", "thing", "value", "expected"),
    [
        ("pagot", "preset", "pagot", "perhaps pagat"),
        ("pagat+kakume", "patch", "kakume", "perhaps kakumei"),
        ("dqx+kakumei", "patch", "kakumei", "pagat.kakumei"),
        ({"options": {"shibary": "full"}}, "option", "shibary", "perhaps shibari"),
        ({"options": {"shibari": "half"}}, "shibari", "half", "one of off, full, kata"),
        ({"options": {"kakumei": 1}}, "kakumei", 1, "true or false"),
        ({"options": {"decks": 1.0}}, "decks", 1.0, "one of 1, 2"),
        ({"options": {"decks": True}}, "decks", True, "one of 1, 2"),
        ({"options": {"jokers": 5}}, "jokers", 5, "a whole number from 0 to 4"),
        ({"options": {"players": "4"}}, "players", "4", "a whole number from 2 to 8"),
        ({"options": {"suits": []}}, "suits", [], "at least 1"),
        ({"options": {"title_table": ["King!"]}}, "title_table", "King!", "small letters"),
        ({"options": {"title_table": "king"}}, "title_table", "king", "a list"),
        ({"options": {"forbidden_finish": ["nine"]}}, "forbidden_finish", "nine", "high_set"),
        ({"options": {"first_lead": "holder:X3"}}, "first_lead", "holder:X3", "holder:<card>"),
        ({"options": {"session_end": "hands:0"}}, "session_end", "hands:0", "hands:N"),
        ({"options": {"score_table": [0.5]}}, "score_table", 0.5, "a whole number"),
        ({"options": {"exchange": [["last", "last", 1, "any"]]}}, "exchange", None, "roles"),
        ({"options": []}, "options", [], "an object"),
        ({"patches": "kakumei"}, "patches", "kakumei", "a list"),
        ({"patches": 0}, "patches", 0, "a list"),
        ({"preset": 3}, "preset", 3, "a preset"),
        ({"rules": "pagat"}, "ruleset member", "rules", "preset, patches, options"),
        ([], "ruleset", [], "an object"),
    ],
)
def test_what_is_wrong_is_named_with_its_value_and_what_was_expected(
    document: Any, thing: str, value: Any, expected: str
) -> None:
    with pytest.raises(BadInput) as caught:
        compile_ruleset(document)
    assert caught.value.thing == thing
    assert value is None or caught.value.value == value
    assert expected in caught.value.expected


@pytest.mark.parametrize(
    ("options", "one", "other"),
    [
        ({"lead_pass": "always"}, "lead_pass", "max_idle_passes"),
        (
            {"sequence_twos": False, "sequence_wrap": "tunnel"},
            "sequence_wrap",
            "sequence_twos",
        ),
        (
            {"sequence_twos": False, "sequence_past_two": True},
            "sequence_past_two",
            "sequence_twos",
        ),
        (
            {
                "exchange": [["last", "first", 1, "any"], ["last", "first", 1, "any"]],
                "exchange_order": "together",
            },
            "exchange",
            "exchange_order",
        ),
        (
            {"players": 3, "exchange": [["second", "second_last", 1, "any"]]},
            "exchange",
            "players",
        ),
    ],
)
def test_options_that_exclude_each_other_are_both_named(
    options: dict[str, Any], one: str, other: str
) -> None:
    with pytest.raises(BadInput) as caught:
        compile_ruleset({"options": options})
    assert one in str(caught.value)
    assert other in str(caught.value)
    assert caught.value.expected


def test_patches_add_to_lists_and_explicit_options_replace_them() -> None:
    added = resolve("pagat+no_joker_finish+hachi_giri_no_finish")
    assert added["forbidden_finish"] == ("single_joker", "eight")
    document = {
        "patches": ["no_joker_finish", "kakumei_333"],
        "options": {"forbidden_finish": ["jack"], "kakumei_triples": ["9"]},
    }
    assert resolve(document)["forbidden_finish"] == ("jack",)
    assert resolve(document)["kakumei_triples"] == ("9",)


def test_a_later_patch_wins_over_an_earlier_one() -> None:
    assert resolve("pagat+shibari+kata_shibari")["shibari"] == "kata"
    assert resolve("pagat+kata_shibari+shibari")["shibari"] == "full"


def test_a_patch_is_named_with_or_without_the_prefix_of_its_document() -> None:
    assert resolve("qcsalon_forum+forum.kakumei") == resolve("qcsalon_forum+kakumei")
    assert resolve("ru+ru.kakumei") == resolve("ru+kakumei")


def test_the_same_options_have_one_ruleset_and_one_fingerprint() -> None:
    one = compile_ruleset("pagat+kakumei")
    other = compile_ruleset({"options": {"kakumei": True}})
    assert one is other
    assert len(one.fingerprint) == 64
    assert one.fingerprint != compile_ruleset("pagat").fingerprint


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_a_ruleset_keeps_its_fingerprint_when_the_catalogue_grows(name: str) -> None:
    """Records and pools of ratings know a ruleset by it."""
    assert compile_ruleset(name).fingerprint.startswith(FINGERPRINTS[name])


def test_a_later_option_off_its_default_has_a_fingerprint_of_its_own() -> None:
    assert OPTIONS["skip_ranks"].later
    other = compile_ruleset({"options": {"skip_ranks": ["K"]}})
    assert other.fingerprint != compile_ruleset("pagat").fingerprint


def test_titles_of_ones_own_fill_the_places_from_both_ends() -> None:
    """rests: XV-classes7"""

    def titles(players: int, *table: str) -> tuple[str | None, ...]:
        options = {"players": players, "title_table": list(table)}
        return compile_ruleset({"options": options}).table.titles

    assert titles(4, "boss", "clerk", "trainee") == ("boss", "clerk", None, "trainee")
    assert titles(5, "boss") == ("boss", None, None, None, None)
    assert titles(3, "a", "b", "c", "d", "e") == ("a", "b", "e")
    assert titles(2, "a", "b", "c", "d", "e") == ("a", "e")


def test_a_king_and_a_slave_come_with_seven_players() -> None:
    """rests: XV-classes7"""
    seven = compile_ruleset({"options": {"titles": "king", "players": 7, "scoring": "pay"}})
    assert seven.table.titles[:3] == ("king", "daifugo", "fugo")
    assert seven.table.titles[-1] == "slave"
    assert seven.table.points == (3, 2, 1, 0, -1, -2, -3)
    six = compile_ruleset({"options": {"titles": "king", "players": 6}})
    assert six.table.titles[0] == "daifugo"


def test_the_federations_game_for_three_has_three_suits_and_deals_thirteen_to_each() -> None:
    """rests: XV-league3"""
    rules = compile_ruleset("japan_league_three")
    assert len(rules.deck) == 40
    state = evolve(EMPTY, decide(rules, EMPTY, deal(rules)))
    assert [held.bit_count() for held in state.held] == [13, 13, 13]
    assert rules.shapes.forms.max_set == 4


def test_presets_and_patches_name_only_options_of_the_catalogue() -> None:
    for preset in PRESETS.values():
        assert set(preset.options) <= set(OPTIONS)
    for _, patch in patch_names():
        assert set(patch.options) <= set(OPTIONS)


def test_a_patch_has_a_sentence_and_a_japanese_name_with_its_reading() -> None:
    for name, patch in patch_names():
        assert patch.says.endswith("."), name
        assert bool(patch.kanji) == bool(patch.reading), name


def test_one_kanji_has_one_reading() -> None:
    named = [*OPTIONS.values(), *(patch for _, patch in patch_names())]
    readings = {(thing.kanji, thing.reading) for thing in named if thing.kanji}
    assert len(readings) == len({kanji for kanji, _ in readings}), sorted(readings)


def test_a_local_patch_needs_no_prefix_on_any_preset_and_a_documents_own_wins() -> None:
    for preset in PRESETS:
        assert resolve(f"{preset}+go_tobi") == resolve(f"{preset}+local.go_tobi")
    for document, patches in PATCHES.items():
        assert document == LOCAL or not patches.keys() & PATCHES[LOCAL].keys(), document


def test_every_rule_that_is_on_or_off_or_that_people_ask_for_by_name_has_a_patch() -> None:
    """Popular options: those of the recommended list of the rules' page, by the option they set."""
    asked = """go_tobi nana_watashi kyu_reverse q_bomber kyukyusha rokurokubi sunaarashi suu_shibari
    geki_shibari kakumei_triples gekokujo tenpen_chii agari_nagashi spade_three joker_return
    two_clears down_number emperor kakumei hachi_giri jack_back ten_discard shibari miyako_ochi
    forbidden_finish pass_lockout kakumei_sequence sequence_wrap six_card_clears"""
    assert set(asked.split()) <= {name for _, patch in patch_names() for name in patch.options}


def test_an_unknown_name_is_answered_by_the_nearest_in_one_short_line() -> None:
    for text in ("pagat+kakume", "pagat+zzzz", "pagat,zzzz=1", "zzzz", "dqx+kakumei"):
        with pytest.raises(BadInput) as caught:
            resolve(text)
        assert len(str(caught.value)) < 200
    with pytest.raises(BadInput, match="perhaps kakumei or"):
        resolve("pagat+kakume")


def test_the_name_of_an_option_in_the_place_of_a_patch_is_answered_by_how_to_write_it() -> None:
    with pytest.raises(BadInput, match="pagat,auto_clear=VALUE"):
        resolve("pagat+auto_clear")
