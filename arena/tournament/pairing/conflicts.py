"""Conflicts: who never sits at one table with whom, and whether a field can be seated at all.

Bots of one owner never meet; beyond that an organiser may keep any bots apart. What can be seated
is searched for exactly, with a limit that only fields with very many conflicts reach. Pure; it may
not know bots' names, ratings or rules.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice

from arena.errors import BadInput
from arena.tournament.pairing.lineups import Schedule, check_size

Pairs = Collection[tuple[int, int]]
"""Participants that are kept apart, each pair once or twice."""
Conflicts = Mapping[int, frozenset[int]]
"""Whom each participant never meets."""
STEPS = 20_000
"""Seats tried before the search for a round ends without a result."""
TABLE_STEPS = 2_000
"""The same for a table."""
BYES = 200
"""Choices of who sits out that are tried."""


class Unseatable(BadInput):
    """A field that cannot be seated because of who is kept apart. bots: those that it is about."""

    def __init__(self, bots: Sequence[int], expected: str) -> None:
        self.bots = tuple(bots)
        super().__init__("apart", " and ".join(map(str, bots)), expected)


def conflicts_of(owners: Mapping[int, str] | Mapping[int, int], apart: Pairs = ()) -> Conflicts:
    """Whom the participants, each with its owner, never meet."""
    owned: dict[str | int, set[int]] = defaultdict(set)
    for bot, owner in owners.items():
        owned[owner].add(bot)
    never = {bot: owned[owner] - {bot} for bot, owner in owners.items()}
    for i, j in apart:
        if i in never and j in never:
            never[i].add(j)
            never[j].add(i)
    return {bot: frozenset(others) for bot, others in never.items()}


def check_roster(n: int, k: int, *, owners: Sequence[str]) -> None:
    """Raises BadInput if n participants of these owners cannot all be seated in a round."""
    check_size(n, k)
    if not owners:
        return
    bots = Counter(owners)
    if len(bots) + n - len(owners) < k:
        raise BadInput("owners", len(bots), f"at least {k}, one for each seat of a table")
    owner, most = max(bots.items(), key=lambda item: (item[1], item[0]))
    if most > n // k:
        wanted = f"at most {n // k}, since a round has that many tables"
        raise BadInput(f"number of bots of owner {owner!r}", most, wanted)


def check_comparable(conflicts: Conflicts) -> None:
    """Raises Unseatable if some could never be compared, not even by way of others."""
    everybody = sorted(conflicts)
    if not everybody:
        return
    found, waiting = {everybody[0]}, [everybody[0]]
    left = set(everybody[1:])
    while waiting:
        near = left - conflicts[waiting.pop()]
        left -= near
        found |= near
        waiting.extend(near)
    if left:
        one, other = everybody[0], min(left)
        raise Unseatable(
            (one, other), "bots that can be compared, at least by way of others that both may meet"
        )


def check_played(schedule: Schedule) -> None:
    """Raises Unseatable if a schedule long enough for all to meet leaves parts that never do."""
    if len(schedule.rounds) * (schedule.k - 1) < schedule.participants - 1:
        return
    met: dict[int, set[int]] = {bot: set() for bot in range(schedule.participants)}
    for i, j in chain.from_iterable(combinations(table, 2) for table in schedule.tables):
        met[i].add(j)
        met[j].add(i)
    everybody = frozenset(met)
    check_comparable({bot: everybody - others for bot, others in met.items()})


def round_of(players: Sequence[int], k: int, conflicts: Conflicts) -> list[list[int]] | None:
    """Full tables of k for all players, nobody with whom it is in conflict; None if none is found.

    Those with conflicts are seated first, always the one that fewest tables are left for.
    """
    inside = frozenset(players)
    seating = _Seating(
        k,
        conflicts,
        order={bot: at for at, bot in enumerate(players) if conflicts[bot] & inside},
        tables=[[] for _ in range(len(players) // k)],
    )
    if not seating.search():
        return None
    rest = iter([bot for bot in players if bot not in seating.order])
    return [[*table, *islice(rest, k - len(table))] for table in seating.tables]


class _Seating:
    """A search: who still waits, who was seated where, and which tables are closed to whom.

    order: those with conflicts, by the order in which they come.
    """

    def __init__(
        self, k: int, conflicts: Conflicts, *, order: dict[int, int], tables: list[list[int]]
    ) -> None:
        self.order = order
        self.tables = tables
        self._k = k
        self._conflicts = conflicts
        self._waiting = set(order)
        self._closed: dict[int, Counter[int]] = {bot: Counter() for bot in order}

    def search(self) -> bool:
        """Seat everybody, going back where somebody has no table left; False if that fails."""
        way: list[tuple[int, int, Iterator[int]]] = []
        bot, options = self._next()
        for _ in range(STEPS + len(self.order)):
            if len(way) == len(self.order):
                return True
            table = next(options, None)
            if table is not None:
                self._move(bot, table, 1)
                way.append((bot, table, options))
                bot, options = self._next()
            elif way:
                bot, table, options = way.pop()
                self._move(bot, table, -1)
            else:
                return False
        return False

    def _next(self) -> tuple[int, Iterator[int]]:
        """Who has fewest tables left, and these, the emptiest first; of empty ones only one."""
        if not self._waiting:
            return -1, iter(())
        bot = min(self._waiting, key=lambda bot: (-len(+self._closed[bot]), self.order[bot]))
        closed = self._closed[bot]
        free = [
            at for at, table in enumerate(self.tables) if len(table) < self._k and not closed[at]
        ]
        empty = [at for at in free if not self.tables[at]]
        seated = sorted((at for at in free if self.tables[at]), key=lambda at: len(self.tables[at]))
        return bot, iter([*empty[:1], *seated])

    def _move(self, bot: int, table: int, step: int) -> None:
        """Seat a bot at a table (step 1), or take it away from there (step -1)."""
        if step > 0:
            self.tables[table].append(bot)
            self._waiting.discard(bot)
        else:
            self.tables[table].remove(bot)
            self._waiting.add(bot)
        for other in self._conflicts[bot]:
            if other in self._closed:
                self._closed[other][table] += step


def seated_round(
    players: Sequence[int], k: int, conflicts: Conflicts, *, games: Mapping[int, int], even: bool
) -> tuple[list[int], list[list[int]]]:
    """Who sits out and the tables of a round; `players` with those first that should sit out.

    Those with most games sit out; unless it has to be `even`, others do where there is no round
    otherwise. Raises Unseatable if no choice that is tried leaves a round.
    """
    byes = len(players) % k
    choices = _even_byes(players, byes, games)
    if not even:
        inside = frozenset(players)
        bound = sorted(players, key=lambda bot: -len(conflicts[bot] & inside))[:byes]
        choices = chain(choices, [tuple(bound)], islice(combinations(players, byes), BYES))
    for out in choices:
        tables = round_of([bot for bot in players if bot not in out], k, conflicts)
        if tables is not None:
            return list(out), tables
    raise _reason(players, k, conflicts)


def _even_byes(
    players: Sequence[int], byes: int, games: Mapping[int, int]
) -> Iterator[tuple[int, ...]]:
    """Choices of who sits out that leave the games of all as even as they can be."""
    by_games = sorted(players, key=lambda bot: -games[bot])
    last = games[by_games[byes - 1]] if byes else 0
    sure = [bot for bot in by_games[:byes] if games[bot] > last]
    alike = [bot for bot in by_games if games[bot] == last]
    for more in islice(combinations(alike, byes - len(sure)), BYES):
        yield (*sure, *more)


def _reason(players: Sequence[int], k: int, conflicts: Conflicts) -> Unseatable:
    """Why these players cannot be seated, as far as that is one group's doing."""
    tables, inside = len(players) // k, frozenset(players)
    group = max((_group(bot, inside, conflicts) for bot in players), key=len)
    if len(group) > tables:
        wanted = f"at most {tables} that all need a table of their own: a round has no more"
        return Unseatable(group, wanted)
    bound = max(players, key=lambda bot: len(conflicts[bot] & inside))
    others = sorted(conflicts[bound] & inside)
    expected = f"fewer bots apart from the first one: {tables} tables of {k} cannot be filled"
    return Unseatable((bound, *others), expected)


def _group(bot: int, inside: frozenset[int], conflicts: Conflicts) -> list[int]:
    """Bots that are all apart from each other, this one among them."""
    group, rest = [bot], conflicts[bot] & inside
    while rest:
        other = max(sorted(rest), key=lambda each: len(conflicts[each] & rest))
        group.append(other)
        rest &= conflicts[other]
    return sorted(group)


def table_with(
    first: Sequence[int], others: Sequence[int], k: int, conflicts: Conflicts
) -> list[int] | None:
    """A table of k with all of `first` and with others, early ones rather than late ones; None if
    none is found."""
    table = list(first)
    free = [bot for bot in others if bot not in table and conflicts[bot].isdisjoint(table)]
    way: list[tuple[list[int], int]] = []
    for _ in range(TABLE_STEPS):
        if len(table) == k:
            return table
        if len(table) + len(free) >= k:
            way.append((free[1:], len(table)))
            table.append(free[0])
            free = [bot for bot in free[1:] if bot not in conflicts[table[-1]]]
        elif way:
            free, length = way.pop()
            del table[length:]
        else:
            return None
    return None


def check_places(field: Sequence[int], k: int, conflicts: Conflicts) -> None:
    """Raises Unseatable if there is somebody with whom no table can be filled."""
    for bot in field:
        if table_with([bot], [other for other in field if other != bot], k, conflicts) is None:
            others = sorted(conflicts[bot].intersection(field))
            expected = f"{k - 1} others for a table with the first one, who may meet each other"
            raise Unseatable((bot, *others), expected)
