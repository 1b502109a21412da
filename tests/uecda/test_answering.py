"""What a client has written, as the arena takes it, and why the rules do not allow it."""

from __future__ import annotations

import pytest

from arena.game import Position
from arena.rules import EMPTY, compile_ruleset, decide, default, evolve, legal, redact
from arena.rules.cards import parse
from arena.rules.commands import Give, Pass, Play
from arena.uecda.answering import answer_body, why_refused
from arena.wire import menu_entries
from tests.rules.dealing import deal

UECDA = compile_ruleset({"preset": "uecda"})


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (Pass(1), {"pass": True}),
        (Give(1, parse(["S3", "JK"])), {"cards": ["S3", "JK"]}),
        (Play(1, parse(["S3", "JK"]), (1,)), {"cards": ["S3", "JK"], "as": ["H3"]}),
        (Play(1, parse(["JK"])), {"cards": ["JK"]}),
    ],
)
def test_an_answer_is_written_as_the_arena_takes_it(answer, body) -> None:
    assert answer_body(answer) == body


def positions(moves, places=()):
    """The first turns of a hand: the events so far, the state and who is asked."""
    events = decide(UECDA, EMPTY, deal(UECDA, 3, places=places))
    state = evolve(EMPTY, events)
    for _ in range(moves):
        seat = state.open[0][0]
        yield events, state, seat
        more = decide(UECDA, state, default(UECDA, state, seat))
        events, state = events + more, evolve(state, more)


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("places", [(), (2, 0, 1, 4, 3)])
def test_what_is_legal_is_not_refused_with_a_list_or_without_one(listed, places) -> None:
    for events, state, seat in positions(4, places):
        known = [redact(event, seat) for event in events]
        menu = legal(UECDA, state, seat)
        turn = {"seat": seat, "legal": menu_entries(menu) if listed else []}
        for answer in [*menu][:3]:
            assert why_refused(UECDA, turn, known, answer) == ""


def test_what_is_not_legal_is_refused_with_the_reason_of_the_engine() -> None:
    events, state, seat = next(iter(positions(1)))
    turn = {"seat": seat, "legal": menu_entries(legal(UECDA, state, seat))}
    known = [redact(event, seat) for event in events]
    absent = next(c for c in (["S3"], ["H3"], ["C3"]) if not parse(c) & state.held[seat])
    assert "not" in why_refused(UECDA, turn, known, Play(seat, parse(absent)))
    assert why_refused(UECDA, turn, known, Play(seat, state.held[seat])) != ""
    assert Position.of_events(UECDA, known, seat=seat).asked == seat
