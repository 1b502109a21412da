"""Swiss rounds after a balanced half: for fields too big for everybody to meet.

The first half of the rounds is near-balanced, so that the ranking is worth something; after that
every round seats neighbours of the ranking together, as far as they have not met. The next round is
a function of the ranking and the rounds so far; it may not know names, results or rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from arena.errors import BadInput
from arena.tournament.pairing.balance import near_balanced, order_tables
from arena.tournament.pairing.conflicts import (
    Conflicts,
    Pairs,
    Unseatable,
    check_roster,
    conflicts_of,
    seated_round,
)
from arena.tournament.pairing.lineups import Round, Schedule, schedule_of
from arena.tournament.random_stream import Seed, key_of

SWISS = "swiss"
SWISS_ROUNDS = 10
"""Rounds where nobody says how many."""
REPEAT = 0.5
"""What meeting again costs, against sitting with somebody a table's length away in the ranking."""
REACH = 3
"""Swaps are tried within this many tables' length of the ranking."""
PASSES = 20


@dataclass(frozen=True)
class _Field:
    """What a round is drawn from: places in the ranking, who never meets, past meetings, size of
    tables."""

    place: dict[int, int]
    conflicts: Conflicts
    met: Counter[tuple[int, int]]
    k: int

    def cost(self, i: int, j: int) -> float:
        """What it costs to seat two together."""
        if j in self.conflicts[i]:
            return 1e9
        apart = (self.place[i] - self.place[j]) / self.k
        return apart * apart + REPEAT * self.met[min(i, j), max(i, j)] ** 2


def swiss_start(
    owners: Sequence[str],
    seats: int,
    *,
    rounds: int,
    seed: Seed,
    fill: bool = False,
    apart: Pairs = (),
) -> Schedule:
    """The balanced half of `rounds` rounds (the larger half); the rest is for `swiss_next`.

    With `fill` house bots take the free seats, else there are byes for those with most games. The
    pairs `apart` never meet. Raises BadInput for a roster that cannot be seated and for fewer than
    two rounds.
    """
    if rounds < 2:
        raise BadInput("rounds", rounds, "2 or more: a balanced half and a Swiss one")
    house = -len(owners) % seats if fill and seats > 0 else 0
    half = near_balanced(
        *(len(owners), seats),
        rounds=(rounds + 1) // 2,
        owners=owners,
        apart=apart,
        seed=seed,
        house=house,
    )
    return replace(half, kind=SWISS)


def swiss_next(
    schedule: Schedule,
    ranking: Sequence[int],
    *,
    owners: Sequence[str] = (),
    seed: Seed = 0,
    apart: Pairs = (),
) -> Schedule:
    """The schedule with one more round: neighbours of the ranking together, no owner twice, nor
    the pairs `apart`.

    `ranking`: participants best first; who is left out (withdrawn) is not seated. `owners` of the
    roster. Byes go to those with most games, the lowest of them first. `seed` matters only where
    the ranking leaves owners no place. Raises BadInput for a field that cannot be seated.
    """
    _check(schedule, ranking)
    known = tuple(owners) or tuple(f"bot {bot}" for bot in range(schedule.participants))
    check_roster(len(ranking), schedule.k, owners=[known[b] for b in ranking if b < len(known)])
    everybody = range(schedule.participants)
    numbers = {bot: known[bot] if bot < len(known) else f"house {bot}" for bot in everybody}
    conflicts = conflicts_of(numbers, apart)
    possible = _possible(schedule, ranking, conflicts) if apart else []
    seated = _seated(schedule, ranking, possible)
    field = _Field(
        place={bot: at for at, bot in enumerate(seated)},
        conflicts=conflicts,
        met=_meetings(schedule),
        k=schedule.k,
    )
    tables = _drawn(field, seated) or possible
    if not tables:
        tables = _owners_apart(numbers, seated, schedule.k, key_of(seed, len(schedule.rounds)))
    order_tables([*(list(table) for table in schedule.tables), *tables])
    new: Round = tuple(tuple(table) for table in tables)
    done = schedule_of(
        schedule.kind, [*schedule.rounds, new], n=schedule.n, k=schedule.k, house=schedule.house
    )
    return replace(done, byes=(*schedule.byes, done.byes[-1]))


def _check(schedule: Schedule, ranking: Sequence[int]) -> None:
    strange = [bot for bot in ranking if not 0 <= bot < schedule.participants]
    if strange or len(set(ranking)) < len(ranking):
        wanted = f"participants of 0 to {schedule.participants - 1}, each once"
        raise BadInput("ranking", tuple(ranking), wanted)


def _possible(schedule: Schedule, ranking: Sequence[int], conflicts: Conflicts) -> list[list[int]]:
    """A round in which nobody meets whom it is kept apart from; an earlier one if no other is
    found. Raises Unseatable if there is none."""
    games = Counter(bot for table in schedule.tables for bot in table)
    try:
        _, tables = seated_round(
            _bye_order(schedule, ranking), schedule.k, conflicts, games=games, even=False
        )
    except Unseatable:
        again = (tables for tables in schedule.rounds if set(chain(*tables)) <= set(ranking))
        tables = [list(table) for table in next(again, ())]
        if not tables:
            raise
    return tables


def _bye_order(schedule: Schedule, ranking: Sequence[int]) -> list[int]:
    """Those with most games first, the lowest in the ranking first of them."""
    games = Counter(bot for table in schedule.tables for bot in table)
    place = {bot: at for at, bot in enumerate(ranking)}
    return sorted(ranking, key=lambda bot: (-games[bot], -place[bot]))


def _seated(
    schedule: Schedule, ranking: Sequence[int], possible: Sequence[Sequence[int]]
) -> list[int]:
    """The ranking without those that have the bye, or that are in no table that is given."""
    byes = set(_bye_order(schedule, ranking)[: len(ranking) % schedule.k])
    if possible:
        byes = set(ranking).difference(*possible)
    return [bot for bot in ranking if bot not in byes]


def _meetings(schedule: Schedule) -> Counter[tuple[int, int]]:
    return Counter(pair for table in schedule.tables for pair in combinations(sorted(table), 2))


def _drawn(field: _Field, seated: Sequence[int]) -> list[list[int]] | None:
    """Neighbours together, then swaps that lower the cost; None if a conflict is left."""
    k = field.k
    tables = [list(seated[at : at + k]) for at in range(0, len(seated), k)]
    for _ in range(PASSES):
        if not sum(_improved(field, tables, seated, at) for at in range(len(seated))):
            break
    clash = any(field.cost(i, j) >= 1e9 for table in tables for i, j in combinations(table, 2))
    return None if clash else tables


def _improved(field: _Field, tables: list[list[int]], seated: Sequence[int], at: int) -> bool:
    """Swap one bot with another near it in the ranking, if that lowers the cost."""
    a = seated[at]
    for b in seated[at + 1 : at + 1 + REACH * field.k]:
        here = next(table for table in tables if a in table)
        there = next(table for table in tables if b in table)
        if here is not there and _change(field, here, there, a, b) < -1e-9:
            here[here.index(a)], there[there.index(b)] = b, a
            return True
    return False


def _change(field: _Field, here: Sequence[int], there: Sequence[int], a: int, b: int) -> float:
    leaving = [(x, a, b) for x in here if x != a] + [(x, b, a) for x in there if x != b]
    return sum(field.cost(x, new) - field.cost(x, old) for x, old, new in leaving)


def _owners_apart(
    owners: Mapping[int, str], seated: Sequence[int], k: int, seed: bytes
) -> list[list[int]]:
    """A round that only keeps owners apart, for rankings that pile one owner's bots together."""
    listed = [owners[bot] for bot in seated]
    balanced = near_balanced(len(seated), k, rounds=1, owners=listed, seed=seed)
    return [[seated[at] for at in table] for table in balanced.rounds[0]]
