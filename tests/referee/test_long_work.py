"""What takes long is done in pieces: rests are counted, on a clock that goes on with every look."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.pacing import PIECE_S, Pacer
from tests.referee.table import Arena


class Slow:
    """A monotonic clock of a machine on which everything takes a piece's time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rests = 0

    def __call__(self) -> float:
        self.now += 2 * PIECE_S
        return self.now

    def rest(self, seconds: float) -> None:
        assert seconds > 0
        self.rests += 1


@pytest.fixture
def slow(arena: Arena) -> Slow:
    arena.session(8, hands_per_table=3)
    arena.play()
    made = Slow()
    context = arena.referee._context
    context.long_work.exports = Pacer(0.1, monotonic=made, rest=made.rest)
    context.long_work.queries = Pacer(0.1, monotonic=made, rest=made.rest)
    return made


def test_records_rest_after_each_hand_that_is_looked_at_and_each_that_is_written(
    arena: Arena, slow: Slow
) -> None:
    lines = arena.referee.queries.records("cup")
    next(lines)
    assert slow.rests >= 6
    for _ in lines:
        before, slow.rests = slow.rests, 0
        assert before >= 1


def test_what_the_reader_of_records_does_is_not_counted(arena: Arena, slow: Slow) -> None:
    rests = []
    context = arena.referee._context
    context.long_work.exports = Pacer(0.1, monotonic=slow, rest=rests.append)
    lines = arena.referee.queries.records("cup")
    next(lines)
    rests.clear()
    slow.now += 3_600
    next(lines)
    assert sum(rests) < 1


def test_standings_rest_after_each_table_that_is_read_and_then_are_kept(
    arena: Arena, slow: Slow
) -> None:
    arena.referee.queries.standings("cup")
    assert slow.rests >= 2
    slow.rests = 0
    arena.referee.queries.fit("cup", staff=True).text("standings")
    fits = slow.rests
    arena.referee.queries.fit("cup", staff=True).text("standings")
    assert slow.rests <= fits


@pytest.mark.parametrize(
    "ask",
    [
        lambda arena: arena.referee.queries.session("cup"),
        lambda arena: arena.referee.queries.sessions(),
        lambda arena: arena.referee.queries.tables("cup"),
        lambda arena: arena.referee.queries.table("cup-r01-t01"),
        lambda arena: arena.referee.queries.hand("cup-r01-t01-h001"),
        lambda arena: arena.referee.queries.record("cup-r01-t01-h001"),
        lambda arena: arena.referee.queries.audit(),
        lambda arena: arena.referee.queries.ledger("bot-1"),
    ],
)
def test_a_question_that_takes_long_rests_before_it_is_answered(
    ask: Callable[[Arena], object], arena: Arena, slow: Slow
) -> None:
    ask(arena)
    assert slow.rests >= 1


def test_moves_never_rest(arena: Arena) -> None:
    arena.session()
    context = arena.referee._context
    slow = Slow()
    long_work = context.long_work
    long_work.exports = long_work.queries = Pacer(0.1, monotonic=slow, rest=slow.rest)
    bot, turn = arena.one()
    arena.referee.turns(bot)
    arena.referee.answer(bot, turn["turn"], {"choice": 0})
    assert slow.rests == 0
