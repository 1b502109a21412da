"""The wire format: answers that are read or refused, and turn documents as they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena.errors import BadInput
from arena.rules import decide
from arena.rules.commands import Accept, Discard, Give, Name, Pass, Play
from arena.rules.events import CLEARED, PASSED
from arena.wire import (
    LEGAL_CAP,
    legal_entries,
    read_answer,
    read_command,
    read_event,
    shared_event,
    turn_fields,
    write_event,
)
from tests.rules.table import after, table

BOTS = [("b-a", "A"), ("b-b", "B"), ("b-c", "C")]
SCHEMAS = Path(__file__).parents[2] / "schemas"
HANDS = "A S4 H4 JK S6 / B H5 D9 / C C9"


def answer(body: dict[str, Any], *, moves: str = "", **options: Any) -> Any:
    scene = after(table(options, HANDS), moves)
    return read_answer(scene.rules, scene.state, 0, body)


def test_cards_mean_a_play_with_its_jokers_as_declared() -> None:
    assert answer({"cards": ["S4", "H4"]}) == Play(0, 0b11 << 4, None)
    declared = answer({"cards": ["S4", "JK", "S6"], "as": ["S5"]})
    assert declared.roles == (8,)
    assert answer({"pass": True}) == Pass(0)


def test_an_event_that_was_written_belongs_to_whoever_had_it_written() -> None:
    """The referee keeps what it writes again and again; a bot in its process cannot spoil that."""
    scene = table({}, HANDS)
    events = [*decide(scene.rules, scene.state, Play(0, 0b11 << 4)), PASSED[False][1], CLEARED]
    before = [dict(shared_event(event)) for event in events]
    for event in events:
        written = write_event(event)
        written.get("cards", []).clear()
        written.clear()
    assert [shared_event(event) for event in events] == before == [*map(write_event, events)]
    assert before[0]["cards"] == ["S4", "H4"]


def test_a_choice_is_the_entry_of_the_legal_list_with_that_index() -> None:
    scene = table({}, HANDS)
    entries = legal_entries(scene.rules, scene.state, 0)
    for index, entry in enumerate(entries):
        chosen = read_answer(scene.rules, scene.state, 0, {"choice": index})
        assert chosen == read_answer(scene.rules, scene.state, 0, entry)


def test_cards_answer_what_the_turn_asks() -> None:
    tens = {"ten_discard": "on_play", "nana_watashi": "may", "q_bomber": "rank"}
    for play, kind in (("ST", Discard), ("S7", Give)):
        scene = after(table(tens, f"A {play} H4 / B H5 D9"), f"A {play}")
        given = read_answer(scene.rules, scene.state, 0, {"cards": ["H4"]})
        assert isinstance(given, kind)
    assert answer({"name": ["5"]}) == Name(0, (2,))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"card": ["S4"]},
        {"cards": []},
        {"cards": "S4"},
        {"cards": ["S1"]},
        {"cards": [4]},
        {"cards": [["S4"]]},
        {"cards": ["S4", "S4", "S4"]},
        {"cards": ["JK"] * 5},
        {"cards": ["S4"], "pass": True},
        {"as": ["S4"]},
        {"cards": ["JK"], "as": "S4"},
        {"cards": ["JK"], "as": ["X4"]},
        {"pass": 1},
        {"pass": False},
        {"choice": -1},
        {"choice": 10**9},
        {"choice": "0"},
        {"choice": True},
        {"throw": "well"},
        {"throw": []},
        {"ask": "2"},
        {"ask": ["10"]},
        {"name": ["JK"]},
        {"name": [None]},
    ],
)
def test_a_body_that_is_no_answer_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        answer(body)


@pytest.mark.parametrize(
    "data", [{}, {"type": "fly"}, {"type": "play"}, {"type": "throw", "seat": 0}]
)
def test_commands_and_events_that_are_none_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        read_command(data)
    with pytest.raises(BadInput):
        read_event(data | ({"type": "played"} if data.get("type") == "play" else {}))


def test_a_turn_document_tells_the_table_and_what_is_owed() -> None:
    options = {"nana_watashi": "must", "shibari": "full", "suu_shibari": True}
    scene = table(options, "A S7 H4 D4 / B H5 D9 / C C9 C8", "C S6", revolution=False)
    fields = turn_fields(scene.rules, after(scene, "A S7").state, 0, hints=True)
    assert fields["kind"] == "give"
    assert fields["pile"]["cards"] == ["S7"]
    assert fields["lock"] == {"suits": {"S": 1}, "number": True}
    assert fields["must"] == {
        "rule": "nana_watashi",
        "min": 1,
        "max": 1,
        "to": 1,
        "from": ["H4", "D4"],
        "owed": [],
    }
    assert fields["legal"] == [{"cards": ["H4"]}, {"cards": ["D4"]}]
    assert not fields["legal_more"]


def validated(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, each as the schema of a turn allows it."""
    schema = json.loads((SCHEMAS / "turn.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator({**schema, "required": []}).validate(fields)
    return fields


def test_a_turn_that_asks_for_yes_or_no_says_so_and_takes_either() -> None:
    """rests: XV-jack_options"""
    options = {"jack_back": "trick", "jack_back_optional": True}
    scene = after(table(options, "A SJ H4 / B H5 D9 / C C9"), "A SJ")
    fields = validated(turn_fields(scene.rules, scene.state, 0, hints=True, bots=BOTS))
    assert fields["kind"] == "accept"
    assert fields["must"] == {"rule": "jack_back_optional", "min": 1, "max": 1}
    assert fields["legal"] == [{"accept": False}, {"accept": True}]
    assert read_answer(scene.rules, scene.state, 0, {"accept": True}) == Accept(0, True)
    assert read_answer(scene.rules, scene.state, 0, {"choice": 0}) == Accept(0, False)
    with pytest.raises(BadInput, match="true or false"):
        read_answer(scene.rules, scene.state, 0, {"accept": "yes"})


def test_a_turn_that_asks_for_ranks_one_holds_names_the_cards_and_owes_none() -> None:
    """rests: XV-q_bomber"""
    scene = after(table({"q_bomber": "own_rank"}, "A SQ H4 JK / B H5 D9 / C C9"), "A SQ")
    fields = validated(turn_fields(scene.rules, scene.state, 0, hints=True, bots=BOTS))
    assert fields["must"] == {"rule": "q_bomber", "min": 0, "max": 1, "from": ["H4"]}
    assert fields["legal"] == [{"name": []}, {"name": ["4"]}]


def test_a_long_legal_list_is_cut_and_says_so() -> None:
    options = {"players": 2, "jokers": 4, "decks": 2, "max_set": 12, "sequence_min": 2}
    hand = " ".join(f"{s}{r}" for s in "SHDC" for r in "34567")
    scene = table(options, f"A {hand} JK JK JK / B H9")
    fields = turn_fields(scene.rules, scene.state, 0, hints=True)
    assert len(fields["legal"]) == LEGAL_CAP
    assert fields["legal_more"]
    assert "legal" not in turn_fields(scene.rules, scene.state, 0, hints=False)
