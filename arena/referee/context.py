"""The context: everything that the parts of one referee share, and how lost things are found again.

It loads sessions, tables and hands from the store and keeps those that are in play. It decides
nothing: what happens with them is in `acting`, `runner`, `waiting` and `expiry`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import orjson

from arena.clock import Clock
from arena.errors import NotFound
from arena.identity.enrolment import Enrolment
from arena.identity.pseudonyms import pseudonyms_of
from arena.identity.registry import Registry
from arena.pacing import Pacer, Pieces, let_others_run
from arena.referee.bell import Bell
from arena.referee.clock import ArenaClock, SessionClock
from arena.referee.computing import Computing
from arena.referee.deadline_queue import DeadlineQueue
from arena.referee.jobs import Jobs
from arena.referee.live import Hand, Session, Table, apply_step
from arena.referee.metrics import Metrics
from arena.referee.open_turns import OpenTurns, Presence
from arena.referee.step_rows import read_step
from arena.session.config import ROTATE, read_config
from arena.session.counting import TableState
from arena.session.deal_groups import DealGroup, alone, planned_table
from arena.session.display_names import NAMED, PSEUDONYMOUS, DisplayNames
from arena.settings import Settings
from arena.store.port import HandRow, SessionRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, hand_row, session_row

KEPT_HANDS = 256
KEPT_SESSIONS = 32
T = TypeVar("T")


class Recent(Generic[T]):
    """The things used last, at most `size` of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._things: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> T | None:
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def put(self, key: str, thing: T) -> None:
        with self._lock:
            self._things[key] = thing
            self._things.move_to_end(key)
            if len(self._things) > self._size:
                self._things.popitem(last=False)

    def drop(self, key: str) -> None:
        with self._lock:
            self._things.pop(key, None)


class Context:
    """What one process knows. sessions, tables, hands: in play; ended: read back or just over.

    shared: other processes play the same sessions. adopt: takes up a table that another process has
    begun; adopting: held while a session is taken up or its status is changed, so that there is one
    value for each. pacer: paces exports; query_pacer: other questions that take long;
    computing: where what is pure is computed for readers; drawing: the same for schedules, which
    are not put off. counted: hands by status, and when they were counted.
    """

    def __init__(
        self, store: Store, clock: Clock, settings: Settings, *, metrics: Metrics | None = None
    ) -> None:
        self.store = store
        self.shared = store.shared
        self.settings = settings
        self.metrics = metrics or Metrics()
        self.clock = ArenaClock(clock)
        self.registry = Registry(store, clock)
        self.enrolment = Enrolment(self.registry, store, clock, settings, pieces=self.pieces)
        self.bell = Bell()
        self.open_turns = OpenTurns()
        self.presence = Presence()
        self.deadlines = DeadlineQueue()
        self.jobs = Jobs({})
        self.sessions: dict[str, Session] = {}
        self.tables: dict[str, Table] = {}
        self.hands: dict[str, Hand] = {}
        self.ended: Recent[Hand] = Recent(KEPT_HANDS)
        self.shelved: Recent[Session] = Recent(KEPT_SESSIONS)
        self.adopt: Callable[[str], None] = lambda table: None
        self.adopting = threading.RLock()
        self.stopping = False
        self.pacer = Pacer()
        self.query_pacer = Pacer()
        self.computing = Computing(lambda: self.query_pacer)
        self.drawing = Computing(Pacer)
        self._rest: Callable[[float], None] | None = None
        self.counted: Recent[tuple[int, dict[str, int]]] = Recent(KEPT_SESSIONS)

    def pace(self, rest: Callable[[float], None] = let_others_run) -> None:
        """From now on others have their turns while something long is done, and what readers ask
        for gets a share of the process's time, but for quiet times. rest: see `Pacer`."""
        share = self.settings.exports_share / 100
        self.pacer = Pacer(share, quiet=lambda: not self.hands, rest=rest)
        self.query_pacer = Pacer(share, quiet=lambda: not self.hands, rest=rest)
        self._rest = rest

    def close(self) -> None:
        """End the threads in which something is computed."""
        self.computing.close()
        self.drawing.close()

    def pieces(self) -> Pieces:
        """The account of something that is begun now and not put off."""
        return Pieces(self._rest)

    def session(self, session: str) -> Session:
        """A session in play, or one read back. Raises NotFound."""
        known = self.sessions.get(session) or self.shelved.get(session)
        if known is None:
            known = self.load_session(session_row(self.store, session))
            self.shelved.put(session, known)
        return known

    def load_session(self, row: SessionRow) -> Session:
        """A session from its row; its tables are not loaded."""
        frozen_ms = self.store.counter(f"frozen/{row.id}") if row.status == "paused" else None
        lag_ms = self.store.counter(f"lag/{row.id}") or 0
        clock = SessionClock(self.clock, lag_ms=lag_ms, frozen_ms=frozen_ms)
        config = read_config(orjson.loads(row.document))
        session = Session(row.id, config, secret=row.secret, clock=clock, status=row.status)
        if row.schedule is not None:
            self.read_schedule(session, row.schedule)
        for entry in all_entries(self.store, row.id):
            if entry.status != "entered":
                session.out[entry.bot] = entry.status
        return session

    def read_schedule(self, session: Session, text: str) -> None:
        """Put a session's stored schedule into it."""
        schedule = orjson.loads(text)
        session.schedule = text
        session.roster = tuple(schedule["roster"])
        session.rounds = tuple(
            tuple(tuple(line_up) for line_up in tables) for tables in schedule["rounds"]
        )
        session.to_come = schedule["to_come"]
        for bot in session.roster:
            self.name(session, bot)

    def name(self, session: Session, bot: str) -> str:
        """The name of a bot, kept with the session; notes whether it is a house bot."""
        known = session.names.get(bot)
        if known is None:
            row = self.store.bot(bot)
            known = session.names[bot] = row.name if row else bot
            if row is not None and row.kind == "house":
                session.house.add(bot)
            elif session.config.board == PSEUDONYMOUS and bot not in session.pseudonyms:
                self.pseudonyms(session)
        return known

    def display_names(self, session: Session, *, staff: bool) -> DisplayNames:
        """How a session's bots are shown to staff, or to everybody else."""
        if staff or session.config.board != PSEUDONYMOUS:
            return NAMED
        return DisplayNames(self.pseudonyms(session), hidden=True)

    def pseudonyms(self, session: Session) -> Mapping[str, str]:
        """The pseudonyms of all that have entered a session by now."""
        entries = tuple(all_entries(self.store, session.id))
        if len(entries) != session.pseudonym_count:
            kept = session.config.names
            session.pseudonyms = pseudonyms_of(
                self.store, self.registry, session.id, entries, keep=kept
            )
            session.pseudonym_count = len(entries)
        return session.pseudonyms

    def load_table(self, session: Session, row: TableRow) -> Table:
        """A table as the log left it: its ended hands folded, its running hand loaded."""
        table = self._table(session, row)
        for dealt in all_hands(self.store, row.id):
            hand = self.load_hand(table, dealt)
            if not hand.closed:
                table.hand = hand
                break  # what has begun since is read when this one has ended here too
            hand.table.log.end(hand.log)
        return table

    def _table(self, session: Session, row: TableRow) -> Table:
        """A table from its row, without its hands."""
        players = orjson.loads(row.players)
        group = self.deal_group(session, row)
        for player in players:
            self.name(session, player)
        return Table(row.id, session, round_=row.round, players=players, group=group)

    def deal_group(self, session: Session, row: TableRow) -> DealGroup:
        """What a table shares with others; nothing, if the schedule does not know it."""
        if row.round > len(session.rounds):  # another process has drawn the round
            schedule = session_row(self.store, session.id).schedule
            if schedule is not None and schedule != session.schedule:
                self.read_schedule(session, schedule)
        deals, rounds = session.config.deals, session.rounds
        place = planned_table(deals, session.id, row.round, number=row.number, rounds=rounds)
        return alone(row.id) if place is None else place.group

    def table_state(self, session: Session, row: TableRow) -> TableState:
        """What decides whether the hands of a table count. Only with `rotate` has a block several
        tables."""
        rotates = session.config.deals == ROTATE
        block = self.deal_group(session, row).block if rotates else row.id
        return TableState(row.id, block, row.status)

    def load_hand(self, table: Table, row: HandRow) -> Hand:
        """A hand, folded from its log."""
        seating = orjson.loads(row.seating)
        hand = Hand(row.id, table, number=row.number, seating=seating)
        hand.log.commitment = row.commitment
        for step_row in self.store.steps(row.id):
            step = read_step(step_row)
            apply_step(hand, step, step.meta["clock_ms"])
        status = row.status
        if status == "playing" and hand.log.state.over:  # it may have ended between our two reads
            status = hand_row(self.store, row.id).status
        hand.closed = status != "playing"
        return hand

    def hand(self, hand: str) -> Hand:
        """A hand in play, or one read back. Raises NotFound."""
        known = self.hands.get(hand) or self.ended.get(hand)
        return known or self._read_back(hand)

    def _read_back(self, hand: str) -> Hand:
        row = hand_row(self.store, hand)
        table_row = self.store.table(row.table)
        if table_row is None:
            raise NotFound("hand", f"there is no hand {hand!r}")
        if self.shared and row.status == "playing":
            self.adopt(row.table)
            if hand in self.hands:
                return self.hands[hand]
        session = self.session(table_row.session)
        table = self._table(session, table_row)
        loaded = self.load_hand(table, row)
        if loaded.closed:
            self.ended.put(hand, loaded)
        return loaded
