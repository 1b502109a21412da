"""What is in play in this process: its sessions, tables and hands, and how they are read back.

Everything here follows from the store, which it reads and never writes. Where several referees
share a database, this is what the others do not play.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

import orjson

from arena.errors import DamagedHand, NotHome
from arena.identity.casual import PERSON
from arena.identity.pseudonyms import pseudonyms_of
from arena.identity.registry import Registry
from arena.proofs.chance import RoundKeys
from arena.referee.clock import ArenaClock, SessionClock
from arena.referee.live import Hand, Session, Table, apply_step
from arena.referee.step_rows import log_hasher, read_step
from arena.session.config import ROTATE, read_config
from arena.session.counting import TableState
from arena.session.deal_groups import DealGroup, LineUp, alone, planned_table
from arena.session.display_names import NAMED, DisplayNames
from arena.session.people import note_key, read_people
from arena.statuses import IN_PLAY, BoardNames, BotKind, EntryStatus, HandStatus, SessionStatus
from arena.store.port import EntryRow, HandRow, SessionRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, hand_row, session_row, table_row

LOG = logging.getLogger("arena.referee")
KEPT_HANDS = 256
KEPT_SESSIONS = 32
KEPT_SCHEDULES = 8
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

    def clear(self) -> None:
        with self._lock:
            self._things.clear()

    def values(self) -> tuple[T, ...]:
        with self._lock:
            return tuple(self._things.values())


class InPlay:
    """Sessions, tables and hands by id. ended, shelved: hands and sessions that are over or were
    only looked at, those used last. counted: hands of a session by status, and when they were
    counted.

    changing: held while a session is taken up, given up or its status is changed, so that there is
    one value for each.
    """

    def __init__(self, store: Store, clock: ArenaClock, registry: Registry) -> None:
        self._store = store
        self._clock = clock
        self._registry = registry
        self.sessions: dict[str, Session] = {}
        self.tables: dict[str, Table] = {}
        self.hands: dict[str, Hand] = {}
        self.ended: Recent[Hand] = Recent(KEPT_HANDS)
        self.shelved: Recent[Session] = Recent(KEPT_SESSIONS)
        self.counted: Recent[tuple[int, dict[str, int]]] = Recent(KEPT_SESSIONS)
        self.changing = threading.RLock()
        self._renamed = 0
        self._damaged: set[str] = set()

    def session(self, session: str) -> Session:
        """A session in play, or one read back. Raises NotFound."""
        known = self.sessions.get(session) or self.shelved.get(session)
        return known or self.session_of(session_row(self._store, session))

    def check_played_here(self, session: Session, status: str) -> None:
        """Is this the session as it is in play here, if its status says that it is in play?

        Raises NotHome. The caller holds `changing`.
        """
        elsewhere = self._store.shared and status in IN_PLAY
        if elsewhere and self.sessions.get(session.id) is not session:
            raise NotHome(session.id)

    def session_of(self, row: SessionRow) -> Session:
        """A session in play, or one read back, whose document is the one of its row."""
        known = self.sessions.get(row.id) or self.shelved.get(row.id)
        if known is None or known.document != row.document:
            self.corrected(row.id, row.document)
            known = self.sessions.get(row.id) or self.load_session(row)
            if row.id not in self.sessions:
                self.shelved.put(row.id, known)
        return known

    def corrected(self, session: str, document: str) -> None:
        """A session has another document by now; once it has been started, with the same rules."""
        self.shelved.drop(session)
        known = self.sessions.get(session)
        if known is not None and known.document != document:
            config, was = read_config(orjson.loads(document)), known.config
            known.config = replace(config, rules=was.rules, smaller=was.smaller)
            known.document = document

    def hand(self, hand: str) -> Hand | None:
        """A hand in play, or one that was read back lately."""
        return self.hands.get(hand) or self.ended.get(hand)

    def find_hand(self, hand: str) -> Hand:
        """A hand in play, or one read back. Raises NotFound, DamagedHand, NotHome."""
        return self.hand(hand) or self.read_back(hand_row(self._store, hand))

    def load_session(self, row: SessionRow) -> Session:
        """A session from its row; its tables are not loaded."""
        status = SessionStatus(row.status)
        paused = status == SessionStatus.PAUSED
        frozen_ms = self._store.counter(f"frozen/{row.id}") if paused else None
        lag_ms = self._store.counter(f"lag/{row.id}") or 0
        clock = SessionClock(self._clock, lag_ms=lag_ms, frozen_ms=frozen_ms)
        config = read_config(orjson.loads(row.document))
        session = Session(
            row.id, config, secret=row.secret, clock=clock, status=SessionStatus(row.status)
        )
        session.document = row.document
        session.ending = self._store.counter(f"ending/{row.id}") is not None
        entries = list(all_entries(self._store, row.id))
        if row.schedule is not None:
            self.read_schedule(session, row.schedule, entries)
        for entry in entries:
            if entry.status != EntryStatus.ENTERED:
                session.out[entry.bot] = entry.status
        return session

    def read_schedule(
        self, session: Session, text: str, entries: Iterable[EntryRow] | None = None
    ) -> None:
        """Put a session's stored schedule into it. entries: its own, if they are known."""
        schedule = orjson.loads(text)
        session.keys = self._keys(session, schedule, entries)  # before rounds: see `key_of`
        session.roster = tuple(schedule["roster"])
        session.rounds = _rounds(text)
        session.to_come = schedule["to_come"]
        session.schedule = text
        for bot in session.roster:
            self.note_player(session, bot)

    def _keys(
        self,
        session: Session,
        schedule: Mapping[str, Any],
        entries: Iterable[EntryRow] | None = None,
    ) -> RoundKeys:
        """The keys of the rounds of a stored schedule. What a bot has given does not change once it
        is on the roster, so entries are read only when that has grown."""
        roster, mixed = schedule["roster"], schedule.get("mixed")
        if mixed is None:
            return RoundKeys(session.secret)
        given = session.keys.given
        if len(given) != len(roster):
            listed = all_entries(self._store, session.id) if entries is None else entries
            chances = {entry.bot: entry.chance for entry in listed}
            given = tuple(map(chances.get, roster))
        return RoundKeys(session.secret, given, tuple(mixed), schedule.get("public_chance"))

    def chances(self, session: Session, text: str | None) -> Mapping[str, bytes | None]:
        """What the bots on the roster of a stored schedule gave to chance, by id; before the start
        that is nobody's to read."""
        if text is None:
            return {}
        if text == session.schedule:
            return dict(zip(session.roster, session.keys.given, strict=False))
        schedule = orjson.loads(text)
        given = self._keys(session, schedule).given
        return dict(zip(schedule["roster"], given, strict=False))

    def key_of(self, session: Session, round_: int) -> bytes:
        """What all that is left to chance in a round follows from."""
        if round_ > len(session.rounds):  # another referee has drawn the round
            text = session_row(self._store, session.id).schedule
            if text is not None:
                return self._keys(session, orjson.loads(text)).of_round(round_)
        return session.keys.of_round(round_)

    def note_player(self, session: Session, bot: str) -> None:
        """Keep with a session what is told of a bot that plays in it."""
        if bot in session.names:
            return
        row = self._store.bot(bot)
        session.names[bot] = row.name if row else bot
        if row is not None and row.origin == PERSON:
            session.people.update(read_people(self._store.note(note_key(session.id))))
        if row is not None and row.kind == BotKind.HOUSE:
            session.house.add(bot)
        elif session.config.board == BoardNames.PSEUDONYMOUS and bot not in session.pseudonyms:
            self.pseudonyms(session)

    def clocks(self, session: Session, bots: Sequence[str]) -> list[str | None]:
        """The clocks of the people among some bots of a session, in their order; None for
        programs."""
        for bot in bots:
            self.note_player(session, bot)
        return [session.people.get(bot) for bot in bots]

    def name(self, session: Session, bot: str) -> str:
        """The name of a bot that plays or has played in a session."""
        known = session.names.get(bot)
        if known is not None:
            return known
        row = self._store.bot(bot)
        return row.name if row else bot

    def renamed(self, bot: str, name: str) -> None:
        """A bot has another name by now; a hand that runs keeps the one that it has."""
        for session in (*self.sessions.values(), *self.shelved.values()):
            if bot in session.names:
                session.names[bot] = name

    def follow_names(self, renamed: int) -> None:
        """Read all names anew if bots were renamed, unheard. renamed: how often, by now."""
        if renamed != self._renamed:
            for session in (*self.sessions.values(), *self.shelved.values()):
                for bot in tuple(session.names):
                    row = self._store.bot(bot)
                    session.names[bot] = row.name if row else bot
            self._renamed = renamed

    def display_names(self, session: Session, *, staff: bool) -> DisplayNames:
        """How a session's bots are shown to staff, or to everybody else."""
        if staff or session.config.board != BoardNames.PSEUDONYMOUS:
            return NAMED
        return DisplayNames(self.pseudonyms(session), hidden=True)

    def pseudonyms(self, session: Session) -> Mapping[str, str]:
        """The pseudonyms of all that have entered a session by now."""
        entries = tuple(all_entries(self._store, session.id))
        if len(entries) != session.pseudonym_count:
            kept = session.config.names
            session.pseudonyms = pseudonyms_of(
                self._store, self._registry, session.id, entries, keep=kept
            )
            session.pseudonym_count = len(entries)
        return session.pseudonyms

    def deal_group(self, session: Session, row: TableRow) -> DealGroup:
        """What a table shares with others; nothing, if the schedule does not know it."""
        deals, rounds = session.config.deals, session.rounds
        if row.round > len(rounds):  # another referee has drawn the round
            rounds = _rounds(session_row(self._store, session.id).schedule)
        place = planned_table(deals, session.id, row.round, number=row.number, rounds=rounds)
        return alone(row.id) if place is None else place.group

    def table_state(self, session: Session, row: TableRow) -> TableState:
        """What decides whether the hands of a table count. Only with `rotate` has a block several
        tables."""
        rotates = session.config.deals == ROTATE
        block = self.deal_group(session, row).block if rotates else row.id
        return TableState(row.id, block, row.status)

    def load_table(self, session: Session, row: TableRow) -> Table:
        """A table as the log left it: its ended hands folded, its running hand loaded. With damage
        in one of them it goes no further."""
        if row.round > len(session.rounds):  # another referee has drawn the round
            schedule = session_row(self._store, session.id).schedule
            if schedule is not None and schedule != session.schedule:
                self.read_schedule(session, schedule)
        table = self._table(session, row)
        try:
            for dealt in all_hands(self._store, row.id):
                hand = self.load_hand(table, dealt)
                if not hand.closed:
                    table.hand = hand
                    break  # what has begun since is read when this one has ended here too
                hand.table.log.end(hand.log)
        except DamagedHand as error:
            table.damage = error
        return table

    def _table(self, session: Session, row: TableRow) -> Table:
        """A table from its row, without its hands."""
        players = orjson.loads(row.players)
        for player in players:
            self.note_player(session, player)
        group, key = self.deal_group(session, row), self.key_of(session, row.round)
        return Table(row.id, session, round_=row.round, players=players, group=group, key=key)

    def load_hand(self, table: Table, row: HandRow) -> Hand:
        """A hand, folded from its log. Raises DamagedHand if that is not what was written."""
        try:
            hand = self._folded(table, row)
        except DamagedHand as error:
            hand_row(self._store, row.id)  # if it was pruned meanwhile, it is not found
            self.note_damage(error)
            raise
        status = row.status
        if status == HandStatus.PLAYING and hand.log.state.over:
            # It may have ended between our two reads.
            status = hand_row(self._store, row.id).status
        hand.closed = status != HandStatus.PLAYING
        return hand

    def _folded(self, table: Table, row: HandRow) -> Hand:
        hasher = log_hasher(table.key, table.group.shuffles, row)
        try:
            hand = Hand(row.id, table, number=row.number, seating=orjson.loads(row.seating))
        except (IndexError, TypeError) as error:
            raise DamagedHand(row.id, 0, f"the hand has another seating: {error}") from error
        hand.log.commitment = row.commitment
        hand.log.hash_with(hasher)
        old = True
        for step_row in self._store.steps(row.id):
            old = old and step_row.hash is None
            step = read_step(hand.log, step_row, old=old)
            apply_step(hand, step, step.meta["clock_ms"])
        cut = row.status == HandStatus.FINISHED and not hand.log.state.over
        if cut or (row.status == HandStatus.PLAYING and not hand.log.steps):
            raise DamagedHand(row.id, hand.log.seq, "it is missing, the log stops before it")
        return hand

    def note_damage(self, damage: DamagedHand) -> None:
        """Say in the log that a hand is damaged, once."""
        if damage.hand not in self._damaged:
            self._damaged.add(damage.hand)
            LOG.error("%s", damage)

    def read_back(self, row: HandRow) -> Hand:
        """A hand that is not in play here. Raises NotFound, DamagedHand, and NotHome where another
        referee plays it."""
        live = self.tables.get(row.table)
        if live is not None and live.damage is not None and row.status == HandStatus.PLAYING:
            raise live.damage
        home = table_row(self._store, row.table)
        hand = self.load_hand(self._table(self.session(home.session), home), row)
        if hand.closed:
            self.ended.put(row.id, hand)
        elif self._store.shared:
            raise NotHome(home.session)
        return hand


@lru_cache(maxsize=KEPT_SCHEDULES)
def _rounds(schedule: str | None) -> tuple[tuple[LineUp, ...], ...]:
    """The rounds of a stored schedule, which may be a long text."""
    rounds = [] if schedule is None else orjson.loads(schedule)["rounds"]
    return tuple(tuple(tuple(line_up) for line_up in tables) for tables in rounds)
