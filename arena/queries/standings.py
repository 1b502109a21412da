"""Scores: the standings of a session, refitted when a block has ended and somebody asks.

Reads the stored results, never the logs. What counts is a set: the tables of the blocks that have
ended, but for those that are void, without the bots that were disqualified; so the order in which
tables end cannot change a byte. The hands of a table that has ended are read once, a fit is kept
until the set changes, and of many who ask at the same time one computes. Where fitting takes long,
blocks that have ended since wait a little, so that readers cannot take the referee's time from
bots. What a reader may see (`visibility`) and by what names (`display_names`) are part of the
question.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import orjson

from arena.documents import Document
from arena.errors import Forbidden, NotFound
from arena.identity.registry import RENAMED, Registry
from arena.queries.rating_history import KnownPoints, rating_history
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.queries.visibility import (
    Visibility,
    rounds_complete,
    until_text,
    visibility_of,
    visible_tables,
)
from arena.referee.context import Ports, Sources
from arena.referee.in_play import InPlay
from arena.referee.live import Session
from arena.session import scoring
from arena.session.counting import Participant, barred_bots, counted_results
from arena.session.deals import secret_commitment
from arena.session.display_names import DisplayNames, pseudonymous_schedule
from arena.session.divisions import note_key, read_members
from arena.session.people import note_key as people_key
from arena.session.people import read_people
from arena.session.results import pool_of
from arena.session.scoring import BotTotals, ScoredHand
from arena.statuses import ENTERABLE, HAND_ENDED, BotKind, EntryStatus, ResultsMode, TableStatus
from arena.store.port import HandRow, SessionRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, all_session_hands, session_row
from arena.tournament.history import by_round
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant, Standings, compile_standings

KEPT = 16
SHARE = 10
"""While a session is played, at most one part in this number of the time goes into its fits."""
MANY = 32
"""How many tables are read together."""
PAGE = 100
"""Hands that are read in one piece: less than a millisecond."""
Key = tuple[str, str, bool, bool, int]


class StandingsRequest(NamedTuple):
    """Whose standings: of which session, for whose eyes, at tables of how many seats."""

    row: SessionRow
    session: Session
    seen: Visibility
    board: DisplayNames
    seats: int

    @property
    def key(self) -> Key:
        """Under which they are kept. Of two sessions of a name, one of which was pruned, each has
        its own."""
        secret, frozen = secret_commitment(self.row.secret), self.seen.mode == ResultsMode.FROZEN
        return self.row.id, secret, frozen, self.board.hidden, self.seats


class _Table(NamedTuple):
    """The hands of a table that has ended, what each bot has gathered in them, and which bots at
    it are the arena's own."""

    round: int
    hands: tuple[ScoredHand, ...]
    sums: Mapping[str, BotTotals]
    house: frozenset[str]


Tables = dict[str, _Table]


class _Mark(NamedTuple):
    """What a fit rests on. decided: what an organiser decides, which shows at once; counts: how
    many tables have ended and bots were renamed, which may take its time: bots bring it about."""

    decided: object
    counts: tuple[tuple[str, int], ...] = ()


class _Known:
    """What is kept of one session as one kind of reader sees it. cost_ms: of the latest fit."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.mark: _Mark | None = None
        self.fit: StandingsSnapshot | None = None
        self.made_ms = 0
        self.cost_ms = 0
        self.tables: Tables = {}
        self.points: KnownPoints = {}

    def fresh(self, mark: _Mark, now_ms: int) -> StandingsSnapshot | None:
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

    def fit(
        self, sources: Sources, session: str, *, staff: bool, seats: int | None = None
    ) -> StandingsSnapshot:
        """The standings of a session by now, as staff or everybody else may see them.

        seats: of the tables that count, where a session has two sizes of them, which are two pools;
        the bigger ones if left out. Raises NotFound, also for a session that is not rated,
        BadInput, and Forbidden while results are embargoed.
        """
        return self._fit_of(sources, self._wanted(sources, session, staff=staff, seats=seats))

    def frozen_fit(
        self, sources: Sources, session: str, *, seats: int | None = None
    ) -> StandingsSnapshot | None:
        """The standings as they were when the results were frozen, once everything is public; None
        if they never were. Raises as `fit` does."""
        wanted = self._wanted(sources, session, staff=False, seats=seats)
        published = wanted.seen.publication
        if wanted.seen.mode != ResultsMode.LIVE or not published.frozen_ms:
            return None
        then = Visibility(staff=False, mode=ResultsMode.FROZEN, publication=published.as_frozen())
        return self._fit_of(sources, wanted._replace(seen=then))

    def _fit_of(self, sources: Sources, wanted: StandingsRequest) -> StandingsSnapshot:
        """The fit of a request, which is computed once however many ask."""
        known = self._place(wanted.key)
        with known.lock:
            mark, now_ms = _mark(sources.store, wanted), sources.clock.wall_ms()
            fit = known.fresh(mark, now_ms)
            if fit is None or wanted.row.status in ENTERABLE:
                rows = visible_tables(sources, wanted.session, wanted.seen)
                unread = [row for row in rows if row.id not in known.tables]
                _read(sources, wanted, unread, known.tables)
                fit, known.cost_ms = _fitted(sources, wanted, rows, known)
                known.fit, known.mark, known.made_ms = fit, mark, sources.clock.wall_ms()
            return fit

    def _wanted(
        self, sources: Sources, session_id: str, *, staff: bool, seats: int | None
    ) -> StandingsRequest:
        row = session_row(sources.store, session_id)
        seen = visibility_of(sources, session_id, staff=staff)
        if seen.mode == ResultsMode.EMBARGOED:
            message = f"the results are embargoed until {until_text(seen.publication)}"
            raise Forbidden(session_id, message)
        session = sources.in_play.session_of(row)
        if not session.config.rated:
            raise NotFound(session_id, "this session is casual: it is not rated, without standings")
        usual = scoring.usual_seats(session.rounds, session.config.seats)
        chosen = usual if seats is None else seats
        session.config.rules_at(chosen)
        return StandingsRequest(
            row, session, seen, sources.in_play.display_names(session, staff=staff), chosen
        )

    def _place(self, key: Key) -> _Known:
        with self._lock:
            known = self._known.setdefault(key, _Known())
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return known


def _mark(store: Store, wanted: StandingsRequest) -> _Mark:
    """Differs when other hands count, or other bots."""
    secret, published = secret_commitment(wanted.row.secret), wanted.seen.publication
    config, renamed = wanted.session.config, (RENAMED, store.counter(RENAMED) or 0)
    name = config.name, config.divisions, store.note(note_key(wanted.row.id))
    if wanted.seen.mode == ResultsMode.FROZEN:
        return _Mark((secret, name, published.since_ms), (renamed,))
    counts = store.table_counts(wanted.row.id)
    out = tuple(sorted(wanted.session.out.items()))
    decided = secret, name, wanted.row.status, out, tuple(sorted(published.voids))
    return _Mark(decided, (renamed, *sorted(counts.items())))


def _fitted(
    sources: Sources, wanted: StandingsRequest, rows: Sequence[TableRow], known: _Known
) -> tuple[StandingsSnapshot, int]:
    """The fit of what has been read, and how many ms it took to compute, beside the greenlets."""
    session, board = wanted.session, wanted.board
    tables = [known.tables[row.id] for row in rows]
    listed = people(sources, wanted.row, session, seen=wanted.seen, board=board)
    house = session.house.union(*(table.house for table in tables))
    everybody = [*listed, *house_bots(sources.registry, house)]
    aborted = sum(row.status == TableStatus.ABORTED for row in rows)
    complete = rounds_complete(sources, session, wanted.seen, counted=rows)

    def compute() -> tuple[StandingsSnapshot, int]:
        began_ms = sources.clock.wall_ms()
        hands = [hand for table in tables for hand in table.hands]
        results = counted_results((hand.result for hand in hands), barred_bots(listed))
        standings = _compiled(wanted, tables, everybody, results=results, aborted=aborted)
        blocks = {hand.result.block: table.round for table in tables for hand in table.hands}
        history = partial(
            rating_history,
            standings,
            by_round(results, blocks, complete=complete),
            complete=complete,
            anchor=_anchor(wanted, everybody),
            known=known.points,
            compute=sources.long_work.computing,
        )
        fit = StandingsSnapshot(
            standings,
            results=results,
            hands=hands,
            tables=[row.id for row in rows if known.tables[row.id].hands],
            compute=sources.long_work.computing,
            history=history,
        )
        return fit, sources.clock.wall_ms() - began_ms

    return sources.long_work.computing(compute)


def _anchor(wanted: StandingsRequest, bots: Iterable[Participant | Entrant]) -> str | None:
    """The bot that the session puts at 1500, if it is there."""
    name = wanted.session.config.anchor
    return next((each.bot for each in bots if each.name == name), None)


def _compiled(
    wanted: StandingsRequest,
    tables: Sequence[_Table],
    people: Sequence[Participant],
    *,
    results: Sequence[HandResult],
    aborted: int,
) -> Standings:
    """Standings from what was read: pure. people: with the house bots; aborted: how many tables."""
    config, board = wanted.session.config, wanted.board
    schedule: Document | None = orjson.loads(wanted.row.schedule or "null")
    due = scoring.hands_due(
        schedule, config.hands_per_table, deals=config.deals, seats=wanted.seats
    )
    entrants = scoring.listed(
        scoring.together(table.sums for table in tables),
        people,
        {board.bot(bot): count for bot, count in due.items()},
    )
    facts = scoring.facts(
        config.document,
        fingerprint=config.rules_at(wanted.seats).fingerprint,
        seats=wanted.seats,
        schedule=pseudonymous_schedule(schedule, board),
        commitment=secret_commitment(wanted.row.secret),
        aborted=aborted,
    )
    return compile_standings(results, entrants, facts=facts, anchor=_anchor(wanted, entrants))


def _read(
    sources: Sources, wanted: StandingsRequest, rows: Sequence[TableRow], known: Tables
) -> None:
    """Read the hands of tables that have ended, each table once, in pieces."""
    hands_by_table: dict[str, list[HandRow]] = {}
    work = sources.long_work.queries.work()
    if len(rows) >= MANY:
        for hand in ended_hands(sources.store, wanted.row.id):
            hands_by_table.setdefault(hand.table, []).append(hand)
            work.pause()
    for row in rows:
        hands = (
            hands_by_table.get(row.id, []) if hands_by_table else all_hands(sources.store, row.id)
        )
        players = orjson.loads(row.players)
        played = tuple(_played(sources.in_play, wanted, row, hands, players=players))
        house = frozenset(
            bot for bot in players if sources.registry.label(bot).kind == BotKind.HOUSE
        )
        known[row.id] = _Table(row.round, played, scoring.totals(played), house)
        work.pause()


def _played(
    in_play: InPlay,
    wanted: StandingsRequest,
    row: TableRow,
    hands: Iterable[HandRow],
    *,
    players: Sequence[str],
) -> Iterator[ScoredHand]:
    """The hands of a table as they count; none of a table of another size."""
    if len(players) != wanted.seats:
        return
    bots = [wanted.board.bot(player) for player in players]
    pool = pool_of(wanted.session.config.rules_at(len(bots)).fingerprint, len(bots))
    block = in_play.deal_group(wanted.session, row).block
    for hand in hands:
        if hand.status in HAND_ENDED:
            result, seating = orjson.loads(hand.result or "null"), orjson.loads(hand.seating)
            yield scoring.played(
                result, bots=bots, seating=seating, block=block, pool=pool, hand=hand.id
            )


def ended_hands(store: Store, session: str) -> Iterator[HandRow]:
    """The hands of a session that have a result, in playing order."""
    rows = all_session_hands(store, session, limit=PAGE)
    return (row for row in rows if row.status in HAND_ENDED)


def people(
    ports: Ports, row: SessionRow, session: Session, *, seen: Visibility, board: DisplayNames
) -> list[Participant]:
    """Everybody who has entered, by the name that is shown.

    In the order of entry; under pseudonyms in the order of these, and nobody before the session has
    begun: when somebody came is not told. While results are frozen, as it was then. Reasons are
    those that everybody is told, also for staff: the same standings are for all.
    """
    if board.hidden and row.status in ENTERABLE:
        return []
    pieces, listed = ports.long_work.pieces(), []
    members = read_members(ports.store.note(note_key(session.id)), session.config.divisions)
    clocks = read_people(ports.store.note(people_key(session.id)))
    for entry in all_entries(ports.store, session.id):
        label, out = ports.registry.label(entry.bot), seen.publication.out
        person = Participant(
            board.bot(entry.bot),
            board.name(entry.bot, label.name),
            board.owner(entry.bot, label.owner),
            entry.number,
            out.get(entry.bot, EntryStatus.ENTERED)
            if seen.mode == ResultsMode.FROZEN
            else entry.status,
            division=members.get(entry.bot, ""),
            clock=clocks.get(entry.bot, ""),
        )
        if session.config.publish_reasons and person.status == entry.status != EntryStatus.ENTERED:
            person = person._replace(reason=entry.reason)
        listed.append(person)
        pieces.pause()
    if not board.hidden:
        return listed
    ordered = sorted(listed, key=lambda person: person.name)
    return [person._replace(number=number) for number, person in enumerate(ordered, start=1)]


def house_bots(registry: Registry, bots: Iterable[str]) -> list[Participant]:
    """The arena's own bots among those that sit or have sat at tables of a session."""
    names = (registry.row(bot) for bot in sorted(bots))
    return [Participant(row.id, row.name, "", 0, BotKind.HOUSE) for row in names]
