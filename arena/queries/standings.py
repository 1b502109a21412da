"""Scores: the standings of a session, refitted when a block has ended and somebody asks.

Reads the stored results, never the logs. What counts is a set: the tables of the blocks that have
ended, but for those that are void, without the bots that were disqualified; so the order in which
tables end cannot change a byte. The hands of a table that has ended are read once, a fit is kept
until the set changes, and of many who ask at the same time one computes. Where fitting takes long,
blocks that have ended since wait a little, so that readers cannot take the referee's time from
bots. What a reader may see (`publishing`) and by what names (`boards`) are part of the question.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from arena.errors import Forbidden
from arena.queries.standings_snapshot import Fit
from arena.queries.visibility import EMBARGOED, FROZEN, Sight, counted_tables, sight, until_text
from arena.referee.context import Hall
from arena.referee.live import Session
from arena.session import scoring
from arena.session.deals import secret_commitment
from arena.session.display_names import Board, masked_schedule
from arena.session.results import pool_of
from arena.session.scoring import HOUSE, Person, Played, Sum
from arena.store.paging import all_rows
from arena.store.port import HandRow, SessionRow, TableRow
from arena.tournament.results import HandResult
from arena.tournament.standings import Standings, compile_standings

Document = dict[str, Any]
KEPT = 16
SHARE = 10
"""While a session is played, at most one part in so many of the time goes into its fits."""
MANY = 32
"""So many tables are read together."""
PAGE = 100
"""Hands that are read in one piece: less than a millisecond."""
NOT_BEGUN = ("created", "open")
ENDED = ("finished", "forfeited")
Key = tuple[str, bool, bool, int]


class Wanted(NamedTuple):
    """Whose standings: of which session, for whose eyes, at tables of how many seats."""

    row: SessionRow
    session: Session
    seen: Sight
    board: Board
    seats: int

    @property
    def key(self) -> Key:
        """Under which they are kept."""
        return self.row.id, self.seen.mode == FROZEN, self.board.hidden, self.seats


class _Table(NamedTuple):
    """The hands of a table that has ended, and what each bot has gathered in them."""

    hands: tuple[Played, ...]
    sums: Mapping[str, Sum]


Tables = dict[str, _Table]


class _Mark(NamedTuple):
    """What a fit rests on. decided: all but the number of tables that have ended."""

    decided: object
    counts: tuple[tuple[str, int], ...] = ()


class _Known:
    """What is kept of one session as one kind of reader sees it. cost_ms: of the latest fit."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.mark: _Mark | None = None
        self.fit: Fit | None = None
        self.made_ms = 0
        self.cost_ms = 0
        self.tables: Tables = {}

    def fresh(self, mark: _Mark, now_ms: int) -> Fit | None:
        """The fit that is kept, if it may still be shown."""
        if self.fit is None or self.mark is None or self.mark.decided != mark.decided:
            return None
        soon = now_ms < self.made_ms + SHARE * self.cost_ms
        return self.fit if soon or self.mark == mark else None


class Scores:
    """Fits, made anew only when blocks have ended since, or the organiser has decided otherwise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Key, _Known] = OrderedDict()

    def fit(self, hall: Hall, session: str, *, staff: bool, seats: int | None = None) -> Fit:
        """The standings of a session by now, as staff or everybody else may see them.

        seats: of the tables that count, where a session has two sizes of them, which are two pools;
        the bigger ones if left out. Raises NotFound, BadInput, and Forbidden while
        results are embargoed.
        """
        wanted = self._wanted(hall, session, staff=staff, seats=seats)
        known = self._place(wanted.key)
        with known.lock:
            mark, now_ms = _mark(hall, wanted), hall.clock.wall_ms()
            fit = known.fresh(mark, now_ms)
            if fit is None or wanted.row.status in NOT_BEGUN:
                rows = counted_tables(hall, wanted.session, wanted.seen)
                unread = [row for row in rows if row.id not in known.tables]
                _read(hall, wanted, unread, known.tables)
                fit, known.cost_ms = _fitted(hall, wanted, rows, known.tables)
                known.fit, known.mark, known.made_ms = fit, mark, hall.clock.wall_ms()
            return fit

    def _wanted(self, hall: Hall, session_id: str, *, staff: bool, seats: int | None) -> Wanted:
        row = hall.session_row(session_id)
        seen = sight(hall, session_id, staff=staff)
        if seen.mode == EMBARGOED:
            told = f"the results are embargoed until {until_text(seen.said)}"
            raise Forbidden(session_id, told)
        session = hall.session(session_id)
        usual = scoring.usual_seats(session.rounds, session.plan.seats)
        chosen = usual if seats is None else seats
        session.plan.rules_at(chosen)
        return Wanted(row, session, seen, hall.board(session, staff=staff), chosen)

    def _place(self, key: Key) -> _Known:
        with self._lock:
            known = self._known.setdefault(key, _Known())
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return known


def _mark(hall: Hall, wanted: Wanted) -> _Mark:
    """Differs when other hands count, or other bots."""
    secret, said = secret_commitment(wanted.row.secret), wanted.seen.said
    if wanted.seen.mode == FROZEN:
        return _Mark((secret, said.since_ms))
    counts = hall.store.table_counts(wanted.row.id)
    out = tuple(sorted(wanted.session.out.items()))
    decided = secret, wanted.row.status, out, tuple(sorted(said.voids))
    return _Mark(decided, tuple(sorted(counts.items())))


def _fitted(hall: Hall, wanted: Wanted, rows: Sequence[TableRow], known: Tables) -> tuple[Fit, int]:
    """The fit of what has been read, and how many ms it took to compute, beside the greenlets."""
    session, board = wanted.session, wanted.board
    tables = [known[row.id] for row in rows]
    listed = people(hall, wanted.row, session, seen=wanted.seen, board=board)
    everybody = [*listed, *house_bots(hall, session)]
    aborted = sum(row.status == "aborted" for row in rows)

    def compute() -> tuple[Fit, int]:
        began_ms = hall.clock.wall_ms()
        hands = [hand for table in tables for hand in table.hands]
        results = scoring.counted(hands, listed)
        standings = _compiled(wanted, tables, everybody, results=results, aborted=aborted)
        fit = Fit(standings, results=results, hands=hands, compute=hall.computing)
        return fit, hall.clock.wall_ms() - began_ms

    return hall.computing(compute)


def _compiled(
    wanted: Wanted,
    tables: Sequence[_Table],
    people: Sequence[Person],
    *,
    results: Sequence[HandResult],
    aborted: int,
) -> Standings:
    """Standings from what was read: pure. people: with the house bots; aborted: how many tables."""
    plan, board = wanted.session.plan, wanted.board
    schedule: Document | None = orjson.loads(wanted.row.schedule or "null")
    due = scoring.hands_due(schedule, plan.hands_per_table, deals=plan.deals, seats=wanted.seats)
    entrants = scoring.listed(
        scoring.together(table.sums for table in tables),
        people,
        {board.bot(bot): count for bot, count in due.items()},
    )
    said = scoring.facts(
        plan.document,
        fingerprint=plan.rules_at(wanted.seats).fingerprint,
        seats=wanted.seats,
        schedule=masked_schedule(schedule, board),
        commitment=secret_commitment(wanted.row.secret),
        aborted=aborted,
    )
    anchor = next((each.bot for each in entrants if each.name == plan.anchor), None)
    return compile_standings(results, entrants, facts=said, anchor=anchor)


def _read(hall: Hall, wanted: Wanted, rows: Sequence[TableRow], known: Tables) -> None:
    """Read the hands of tables that have ended, each table once, in pieces."""
    found: dict[str, list[HandRow]] = {}
    work = hall.query_pacer.work()
    if len(rows) >= MANY:
        for hand in ended_hands(hall, wanted.row.id):
            found.setdefault(hand.table, []).append(hand)
            work.pause()
    for row in rows:
        hands = found.get(row.id, []) if found else hall.hand_rows(row.id)
        played = tuple(_played(hall, wanted, row, hands))
        known[row.id] = _Table(played, scoring.sums(played))
        work.pause()


def _played(
    hall: Hall, wanted: Wanted, row: TableRow, hands: Iterable[HandRow]
) -> Iterator[Played]:
    """The hands of a table as they count; none of a table of another size."""
    players = orjson.loads(row.players)
    for player in players:
        hall.name(wanted.session, player)  # so that it is known which are the arena's own
    if len(players) != wanted.seats:
        return
    bots = [wanted.board.bot(player) for player in players]
    pool = pool_of(wanted.session.plan.rules_at(len(bots)).fingerprint, len(bots))
    block = hall.spot(wanted.session, row).block
    for hand in hands:
        if hand.status in ENDED:
            said, seating = orjson.loads(hand.result or "null"), orjson.loads(hand.seating)
            yield scoring.played(said, bots=bots, seating=seating, block=block, pool=pool)


def ended_hands(hall: Hall, session: str) -> Iterator[HandRow]:
    """The hands of a session that have a result, in playing order."""
    read = hall.store.session_hands
    rows = all_rows(lambda after: read(session, after=after, limit=PAGE), "", _id)
    return (row for row in rows if row.status in ENDED)


def _id(row: HandRow) -> str:
    return row.id


def people(
    hall: Hall, row: SessionRow, session: Session, *, seen: Sight, board: Board
) -> list[Person]:
    """Everybody who has entered, by the name that is shown.

    In the order of entry; under pseudonyms in the order of these, and nobody before the session has
    begun: when somebody came is not told. While results are frozen, as it was then.
    """
    if board.hidden and row.status in NOT_BEGUN:
        return []
    pieces, listed = hall.pieces(), []
    for entry in hall.entries(session.id):
        label, out = hall.registry.label(entry.bot), seen.said.out
        person = Person(
            board.bot(entry.bot),
            board.name(entry.bot, label.name),
            board.owner(entry.bot, label.owner),
            entry.number,
            out.get(entry.bot, "entered") if seen.mode == FROZEN else entry.status,
        )
        listed.append(person)
        pieces.pause()
    if not board.hidden:
        return listed
    ordered = sorted(listed, key=lambda person: person.name)
    return [person._replace(number=number) for number, person in enumerate(ordered, start=1)]


def house_bots(hall: Hall, session: Session) -> list[Person]:
    """The arena's own bots that sit or have sat at tables of a session."""
    names = (hall.registry.row(bot) for bot in sorted(session.house))
    return [Person(row.id, row.name, "", 0, HOUSE) for row in names]
