"""Positions in the kit: from a turn with its history, and a turn from a line of text."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

import pytest

from arena.client import KitError, Turn
from arena.client.history import Histories
from arena.errors import BadInput
from arena.game import Position
from arena.rules import compile_ruleset, redact
from arena.rules.presets import PRESETS
from arena.wire import turn_fields, write_event
from tests.client.fake_arena import turn
from tests.game.moments import Moment, moments

LINE = "daifugo/1 pagat seat=0 move=0 held=S3S6STSAH3H6HTD5D6DKC8CJC2/14/13/13 dealer=3"


def sent(moment: Moment) -> Turn:
    """A turn as the arena sends it, of a bot that has followed the hand."""
    rules, seat = moment.rules, moment.seat
    document: dict[str, Any] = {
        **turn(seat=seat),
        **turn_fields(rules, moment.state, seat, hints=True),
        "events": [write_event(redact(event, seat)) for event in moment.events],
        "events_from": 0,
    }
    histories = Histories(lambda hand: [], lambda session: {})
    options = json.loads(json.dumps(rules.options))
    histories.note_session(document["session"], {"options": options})
    histories.note(document)
    return Turn(json.loads(json.dumps(document)), histories)


@pytest.mark.parametrize("name", PRESETS)
def test_a_turn_says_its_position_and_the_position_makes_the_turn_again(name: str) -> None:
    rules = compile_ruleset(name)
    for moment in moments(rules, 3):
        view = sent(moment)
        assert str(view.position) == str(Position.of_events(rules, moment.events, seat=moment.seat))
        again = Turn.from_position(str(view.position))
        for member in ("held", "pile", "order", "lock", "must", "players", "legal", "kind"):
            assert again[member] == view[member], member
        assert again.unseen == view.unseen
        assert str(again.position) == str(view.position)


def test_a_bot_plays_worlds_of_its_turn_on() -> None:
    random = Random(1)
    view = Turn.from_position(LINE)
    for world in view.position.worlds(5, random):
        while world.result() is None:
            menu = world.legal()
            world = world.play(menu[random.randrange(len(menu))])


def test_a_turn_that_carries_a_line_says_its_position_without_events() -> None:
    view = Turn({**turn(), "position": LINE}, Histories(lambda hand: [], lambda session: {}))
    assert str(view.position) == LINE
    assert view.unseen == Turn.from_position(LINE).unseen


def test_a_position_of_another_seats_turn_is_no_turn() -> None:
    with pytest.raises(BadInput, match="a turn of seat 0"):
        Turn.from_position(LINE.replace("move=0", "move=1"))


def test_where_there_is_only_the_kit_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "arena.wire.positions", None)
    with pytest.raises(KitError, match="pip install daifugo-arena"):
        Turn.from_position(LINE)


def test_a_turn_written_by_hand_does_not_say_its_rules() -> None:
    with pytest.raises(KitError, match="by which rules"):
        Turn(turn()).position  # noqa: B018
