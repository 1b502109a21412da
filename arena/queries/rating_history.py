"""Rating history: the points of a session's history, each computed once, beside the greenlets.

A point rests on the hands of the rounds up to its own, so it stays when another round ends: of a
session that is watched one point is computed for each round. After a table was voided or a bot
disqualified those are computed again that differ, one after the other, so that others who wait for
something to be computed come in between. It reads no store.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from arena.tournament.history import History, Point, RoundResults, charted, history_of, point
from arena.tournament.standings import Standings

T = TypeVar("T")
KnownPoints = dict[Hashable, Point]
"""Points by what they rest on."""


class Compute(Protocol):
    """Where something is computed: the value of the work, or what it raises."""

    def __call__(self, work: Callable[[], T]) -> T: ...


def rating_history(
    standings: Standings,
    rounds: Sequence[RoundResults],
    *,
    complete: int,
    anchor: str | None,
    known: KnownPoints,
    compute: Compute,
) -> History:
    """The history that goes with standings. known: what was computed before, and what is now."""
    marks = compute(partial(_marks, rounds, anchor))
    used: KnownPoints = {}
    for round_ in charted(each.round for each in rounds):
        mark = marks[round_]
        kept = known.get(mark)
        used[mark] = kept or compute(partial(point, rounds, round_, anchor=anchor))
        known[mark] = used[mark]
    for old in known.keys() - used.keys():
        known.pop(old, None)
    return history_of(standings, complete, used.values())


def _marks(rounds: Iterable[RoundResults], anchor: str | None) -> dict[int, Hashable]:
    """For each round what tells its point from others: the results up to it, and the anchor."""
    marks: dict[int, Hashable] = {}
    before = hash(anchor)
    for round_, results in rounds:
        before = hash((before, results))
        marks[round_] = (round_, len(results), before)
    return marks
