"""A turn document in words: what is said, with real turns, and nothing that it does not hold."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.documents import Document
from arena.errors import Refused
from arena.narration.language import Speaker
from arena.narration.sentences import ENGLISH
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve, redact
from arena.rules.commands import Command
from arena.rules.events import Event
from arena.rules.presets import PRESETS
from arena.text.describing import EVENTS, HOW, turn_in_words, turns_in_words
from arena.wire import turn_fields
from arena.wire.events import write_event
from tests.rules.dealing import play_out
from tests.rules.test_leaks import hidden_pairs, in_other_world

NAMES = ("Aki", "Ben", "Chie", "Dai", "Emi", "Fumi", "Go", "Hana")
FOURS = {"cards": ["S4", "JK"], "as": [], "shape": "set", "size": 2, "rank": "4"}
TURN: Document = {
    "turn": "cup-r01-t01-h001.107.0",
    "session": "cup",
    "table": "cup-r01-t01",
    "hand": "cup-r01-t01-h001",
    "hand_number": 1,
    "hands": 3,
    "seat": 0,
    "pile": {"seat": 1, **FOURS},
    "order": "normal",
    "pending_revolution": False,
    "lock": {"suits": {"S": 1}, "ranks": ["5"]},
    "direction": "cw",
    "players": [
        {"seat": 0, "held": 3, "passed": False, "place": None, "title": "fugo", "name": "Aki"},
        {"seat": 1, "held": 1, "passed": False, "place": None, "title": None, "name": "Ben"},
        {"seat": 2, "held": 4, "passed": True, "place": None, "title": None, "name": "Chie"},
        {"seat": 3, "held": 0, "passed": False, "place": 1, "title": None, "name": "Dai"},
    ],
    "kind": "play",
    "held": ["S3", "ST", "JK"],
    "must": None,
    "legal": [{"pass": True}, {"cards": ["S3", "JK"]}],
    "legal_more": False,
    "events_from": 98,
    "events": [
        {"type": "passed", "seat": 0, "barred": False},
        {"type": "cleared", "by": "eight_stop"},
        {"type": "to_move", "seat": 1},
        {"type": "played", "seat": 1, "low": 1, **FOURS},
    ],
    "remaining_ms": 4_960,
    "bank_ms": 60_000,
}


def test_a_turn_in_words() -> None:
    assert turn_in_words(TURN).splitlines() == [
        "Turn cup-r01-t01-h001.107.0",
        "You are Aki, the fugō, in hand 1 of 3 at table cup-r01-t01 of session cup.",
        "Time left: 5.0 s, then 60.0 s of your bank.",
        "Since your last turn:",
        "- Aki passes.",
        "- The table is cleared (eight_stop).",
        "- Ben plays a pair of fours, spades and a joker.",
        "On the table: a pair of fours, spades and a joker, played by Ben.",
        "In force: the suit is locked to spades and only fives may follow.",
        "Ranks, weakest first: 3 4 5 6 7 8 9 T J Q K A 2.",
        "Players, in the order of seats:",
        "- Aki (you): 3 cards.",
        "- Ben: 1 card.",
        "- Chie: 4 cards, has passed.",
        "- Dai: 1st.",
        "Your cards, weakest first: S3 ST JK (three of spades, ten of spades, joker).",
        "It is your turn to follow.",
        "You may answer:",
        "0. pass",
        "1. S3 JK: a pair of threes, spades and a joker",
        HOW,
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"legal_more": True}, "There are more than these; name such an answer by its cards."),
        ({"legal": None}, "This session does not list what is legal."),
        ({"pile": None}, "It is your turn to lead."),
        ({"pile": None}, "The table is empty."),
        ({"events_from": 0}, "So far:"),
        ({"order": "reversed"}, "weakest first: 2 A K Q J T 9 8 7 6 5 4 3."),
        ({"order": "reversed"}, "Your cards, weakest first: ST S3 JK"),
        ({"order": "reversed", "lock": None}, "In force: the order of ranks is reversed."),
        (
            {
                "kind": "give",
                "must": {"rule": "exchange", "min": 1, "max": 1, "to": 1, "owed": ["JK"]},
                "legal": [{"cards": ["JK"]}],
            },
            "1 card to Ben (exchange).\nIn it must be the joker.\nYou may answer:\n0. JK: give",
        ),
        (
            {"kind": "throw", "must": {"rule": "janken", "min": 1, "max": 1}, "legal": []},
            "You are to choose rock, paper or scissors (janken).",
        ),
        (
            {"kind": "ask", "must": {"rule": "exchange", "min": 0, "max": 2, "to": 2}},
            "You may ask Chie for up to 2 cards (exchange).",
        ),
    ],
)
def test_what_else_is_said(changes: dict[str, Any], said: str) -> None:
    assert said in turn_in_words({**TURN, **changes})


def test_several_turns_and_none() -> None:
    two = turns_in_words([TURN, {**TURN, "turn": "other"}], 0, 7)
    assert two.count("\n\n") == 2
    assert two.endswith("Ask again after 0 ms, with after=7 for newer turns only.")
    assert turns_in_words([], 250, None) == "No turn waits for you.\n\nAsk again after 250 ms."


def said_of(event: Event, names: tuple[str, ...]) -> str:
    """What the text of a turn says of an event, "" if nothing."""
    written = write_event(event)
    says = EVENTS.get(written["type"])
    return "" if says is None else says(names, written)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_happened_is_told_in_the_words_of_the_viewer(preset: str) -> None:
    """But for what a document does not say: which place was reached, and how somebody fell."""
    rules = compile_ruleset(preset)
    _, steps = play_out(rules, 11)
    state, told = EMPTY, 0
    for event in (event for _, events in steps for event in events):
        state = evolve(state, (event,))
        known = redact(event, 0)
        phrase = ENGLISH.phrases[type(known)](Speaker(NAMES), state, known)
        said = said_of(known, NAMES)
        if write_event(known)["type"] in ("out", "fell"):
            assert phrase.startswith(said.removesuffix(" falls"))
        elif said:
            assert said == phrase
            told += 1
    assert told > 20


def texts_of(rules: Ruleset, commands: list[Command], seat: int) -> list[str]:
    """The text of every turn of a seat in a hand; none if the commands are not possible."""
    state, texts = EMPTY, []
    for command in commands:
        if seat in [asked for asked, _ in state.open]:
            fields = turn_fields(rules, state, seat, hints=True)
            texts.append(turn_in_words({"turn": "t", "seat": seat, **fields}))
        try:
            state = evolve(state, decide(rules, state, command))
        except Refused:
            return []
    return texts


@pytest.mark.parametrize("preset", PRESETS)
def test_cards_that_a_seat_cannot_know_change_no_letter(preset: str) -> None:
    rules, random, compared = compile_ruleset(preset), Random(f"text/{preset}"), 0
    for seed in range(20):
        _, steps = play_out(rules, seed)
        steps = steps[: random.randrange(2, len(steps))]
        commands = [command for command, _ in steps]
        swap = hidden_pairs(rules, steps, 0, random)
        other = texts_of(rules, [in_other_world(command, swap) for command in commands], 0)
        if swap and other:
            assert other == texts_of(rules, commands, 0)
            compared += 1
    assert compared > 2
