"""Line-ups: what a schedule is, and how even it is.

Participants are indices 0..n-1 into the roster; house bots that fill tables come after them
(n..n+house-1). Plain values; this module makes no schedule (see `schedules` and `balance`) and
may not know bots' names, ratings or rules.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.errors import BadInput

Table = tuple[int, ...]
"""A line-up in cyclic order: each participant acts directly after the one before it."""
Round = tuple[Table, ...]
"""Tables that can be played at the same time: nobody sits at two of them."""


@dataclass(frozen=True)
class Schedule:
    """All tables of a session, round by round.

    kind: `complete`, `mendelsohn`, `balanced` or `near_balanced`. n: participants of the roster.
    k: seats of a table. byes: per round, who sits out. house: house bots wanted besides the
    roster, as participants n..n+house-1.
    """

    kind: str
    n: int
    k: int
    rounds: tuple[Round, ...]
    byes: tuple[tuple[int, ...], ...]
    house: int = 0

    @property
    def participants(self) -> int:
        """The roster and the house bots together."""
        return self.n + self.house

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table, in playing order."""
        return tuple(itertools.chain.from_iterable(self.rounds))


class Statistics(NamedTuple):
    """How even a schedule is. Pairs that never meet are left out."""

    meetings_min: int
    meetings_max: int
    after_min: int
    after_max: int
    games: tuple[int, ...]


def schedule_of(kind: str, rounds: Sequence[Round], *, n: int, k: int, house: int = 0) -> Schedule:
    """A schedule of these rounds; whoever is at no table of a round has its bye."""
    everybody = range(n + house)
    byes = tuple(
        tuple(sorted(set(everybody).difference(itertools.chain.from_iterable(tables))))
        for tables in rounds
    )
    return Schedule(kind, n, k, rounds=tuple(rounds), byes=byes, house=house)


def check_size(n: int, k: int) -> None:
    """Raises BadInput unless k is a table and n participants fill at least one."""
    if k < 2:
        raise BadInput("seats", k, "2 or more")
    if n < k:
        raise BadInput("roster", n, f"at least the {k} bots of one table")


def statistics(
    schedule: Schedule, *, owners: Sequence[str] = (), apart: Collection[tuple[int, int]] = ()
) -> Statistics:
    """Meetings per pair, times one acts directly after another, games per participant.

    Pairs that never meet are left out: those of one of the `owners` (of the roster; house bots may
    be left out), and those kept `apart`.
    """
    met: Counter[tuple[int, int]] = Counter()
    after: Counter[tuple[int, int]] = Counter()
    games = Counter(itertools.chain.from_iterable(schedule.tables))
    for table in schedule.tables:
        met.update(itertools.combinations(sorted(table), 2))
        after.update(zip(table, table[1:] + table[:1], strict=True))
    pairs = pairs_that_meet(schedule.participants, owners, apart)
    meetings = [met[pair] for pair in pairs] or [0]
    afters = [after[pair] for i, j in pairs for pair in ((i, j), (j, i))] or [0]
    counts = tuple(games[x] for x in range(schedule.participants))
    return Statistics(min(meetings), max(meetings), min(afters), max(afters), counts)


def pairs_that_meet(
    participants: int, owners: Sequence[str], apart: Collection[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """All pairs but those of one owner, and those kept apart."""
    never = {(min(pair), max(pair)) for pair in apart}
    return [
        (i, j)
        for i, j in itertools.combinations(range(participants), 2)
        if not (j < len(owners) and owners[i] == owners[j]) and (i, j) not in never
    ]
