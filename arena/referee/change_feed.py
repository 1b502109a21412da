"""Following: what other processes do with the same sessions is done here too, in memory.

The store tells of changes (`Store.follow`), the follower reads the rows and moves hands, tables and
sessions on. A hint may be lost, so it also looks at everything that is in play at least once in
LOOK_MS, and asks for the jobs that the process which should have done them may have died before.
Every step forward is one atomic write that succeeds once, so it does not matter who makes it; who
comes second reads what the first has written.

Locks: `hall.adopting`, then a session's, then a table's, then a hand's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

from arena.errors import ArenaError, Conflict
from arena.referee import runner
from arena.referee.context import Hall
from arena.referee.live import Hand, Session, Table
from arena.referee.projection import answered_for, call_off, catch_up, take_in
from arena.referee.revocations import admit_restored, follow_bot
from arena.referee.shared_clock import note_waiting
from arena.store.paging import all_rows
from arena.store.port import SessionRow, TableRow

LOOK_MS = 1_000
FORGET_LOOKS = 10
"""After so many looks all tokens are looked up anew."""
TOGETHER = 16
"""Hands whose news are read at once."""
IN_PLAY = ("running", "paused")
OPEN = ("waiting", "playing")
LOG = logging.getLogger("arena.referee")


class Follower:
    """The thread that follows, and what it does once (`step`), which may also be called by hand."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._heard: dict[str, None] = {}
        self._look = True
        self._looks = 0
        self._looked_ms = 0
        self._changed = threading.Condition()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def listen(self) -> None:
        """Hear what the store tells from now on."""
        self._hall.store.follow(self.heard)

    def start(self) -> None:
        """Follow in a thread from now on."""
        self._thread = threading.Thread(target=self._run, name="referee-follower", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def heard(self, topics: Sequence[str] | None) -> None:
        """Something has been written elsewhere; None: look at everything."""
        with self._changed:
            if topics is None:
                self._look = True
            else:
                self._heard.update(dict.fromkeys(topics))
            self._changed.notify_all()

    def step(self) -> None:
        """Read what has been heard of; look at everything if it is time."""
        hall = self._hall
        now_ms = hall.clock.wall_ms()
        with self._changed:
            topics, self._heard = list(self._heard), {}
            due = self._look or now_ms - self._looked_ms >= LOOK_MS
            self._look = False
        try:
            follow(hall, topics)
            if due:
                self._looked_ms = now_ms
                self._looks += 1
                if self._looks % FORGET_LOOKS == 0:
                    hall.registry.forget()
                    admit_restored(hall)
                look(hall)
        except BaseException:
            self._look = True
            raise

    def _run(self) -> None:
        while not self._stopped:
            with self._changed:
                if not self._heard and not self._look and not self._stopped:
                    self._changed.wait(LOOK_MS / 1000)
            if not self._stopped:
                self._step_safely()

    def _step_safely(self) -> None:
        """One step, at a thread's top: whatever goes wrong is logged, and the thread goes on."""
        try:
            self.step()
        except ArenaError as error:
            LOG.warning("following: %s; it will be tried again", error)
            self._rest()
        except Exception:
            LOG.exception("following failed")
            self._rest()

    def _rest(self) -> None:
        with self._changed:
            if not self._stopped:
                self._changed.wait(LOOK_MS / 5000)


def follow(hall: Hall, topics: Sequence[str]) -> None:
    """Bring up to date what was heard of. What has happened to hands is read together, at last."""
    hands: dict[str, int] = {}
    for topic in topics:
        kind, name, *more = topic.split(" ")
        if kind == "hand":
            hands[name] = max(int(more[0]), hands.get(name, 0))
        elif kind == "table":
            found = hall.tables.get(name)
            if found is not None:
                follow_table(hall, found)
        elif kind == "session":
            follow_session(hall, name)
        elif kind == "bot":
            follow_bot(hall, name)
    hall.registry.catch_up()
    _follow_hands(hall, hands)


def _follow_hands(hall: Hall, hands: Mapping[str, int]) -> None:
    """hands: how many events each has by now."""
    behind: list[Hand] = []
    for name, events in hands.items():
        known = hall.hands.get(name)
        if known is None:
            _adopt_hand(hall, name)
        elif known.log.seq < events:
            behind.append(known)
    for at in range(0, len(behind), TOGETHER):
        some = behind[at : at + TOGETHER]
        together = len(some) > 1
        news = hall.store.steps_of({hand.id: hand.log.seq for hand in some}) if together else {}
        for hand in some:
            with hand.lock:
                take_in(hall, hand, news.get(hand.id, ()))
                if hand.log.seq < hands[hand.id]:
                    catch_up(hall, hand)


def _adopt_hand(hall: Hall, hand: str) -> None:
    if hall.ended.get(hand) is None:
        row = hall.store.hand(hand)
        if row is not None:
            adopt_table(hall, row.table)


def adopt_table(hall: Hall, table_id: str) -> None:
    """Bring a table of which another process has begun a hand up to date here."""
    row = hall.store.table(table_id)
    if row is None or row.status not in OPEN:
        return
    session = _session_in_play(hall, row.session)
    if session is None:
        return
    with session.lock:
        table = session.tables.get(row.id) or _take_up_table(hall, session, row)
    follow_table(hall, table)  # also if it is new here: it may have ended since it was read


def _session_in_play(hall: Hall, session_id: str) -> Session | None:
    """A session that is in play, taken up if it was not here; None if it is not in play."""
    found = hall.sessions.get(session_id)
    if found is not None:
        return found
    with hall.adopting:
        row = hall.store.session(session_id)
        if row is None or row.status not in IN_PLAY:
            return None
        return hall.sessions.get(session_id) or _take_up(hall, row)


def _take_up(hall: Hall, row: SessionRow) -> Session:
    session = hall.load_session(row)
    runner.resume_session(hall, session)
    hall.shelved.drop(row.id)
    hall.sessions[row.id] = session
    runner.wake_session(hall, session, ours=False)
    return session


def _take_up_table(hall: Hall, session: Session, row: TableRow) -> Table:
    table = runner.take_up_table(hall, session, row)
    runner.wake_table(hall, table, ours=False)
    return table


def follow_session(hall: Hall, session_id: str) -> None:
    """Bring one session up to date, with all its tables."""
    row = hall.store.session(session_id)
    if row is None:
        return
    if row.status in IN_PLAY:
        session = _session_in_play(hall, session_id)
        if session is not None:
            _refresh(hall, session)
        return
    with hall.adopting:
        known = hall.sessions.get(session_id)
        if known is None:
            hall.shelved.drop(session_id)
        else:
            _refresh(hall, known)


def _refresh(hall: Hall, session: Session) -> None:
    """Bring a session up to date, by what is read under its lock: it may just have been started."""
    with hall.adopting, session.lock:
        row = hall.session_row(session.id)
        if row.status not in IN_PLAY:
            _let_go(hall, session, row.status)
            return
        entries = hall.entries(row.id)
        session.out = {entry.bot: entry.status for entry in entries if entry.status != "entered"}
        if row.schedule is not None and row.schedule != session.schedule:
            hall.read_schedule(session, row.schedule)
        _refresh_clock(hall, session, row.status)
        runner.count_rounds(hall, session)  # before the tables; see `runner.resume_session`
        for table_row in hall.store.open_tables(session.id):
            if table_row.id not in session.tables:
                _take_up_table(hall, session, table_row)
        _refresh_tables(hall, session)


def _refresh_clock(hall: Hall, session: Session, status: str) -> None:
    """Freeze or thaw a session's clock as another process did."""
    clock = session.clock
    session.status = status
    if status == "paused":
        if clock.frozen_ms is None:
            clock.frozen_ms = hall.store.counter(f"frozen/{session.id}") or clock.now_ms()
        return
    lag_ms = hall.store.counter(f"lag/{session.id}") or 0
    if clock.frozen_ms is not None or clock.lag_ms != lag_ms:
        clock.thaw(lag_ms)
        runner.wake_session(hall, session, ours=False)


def _refresh_tables(hall: Hall, session: Session) -> None:
    """Bring those tables up to date of which the store knows more."""
    heads = {head.table: head for head in hall.store.heads(session.id)}
    for table in tuple(session.tables.values()):
        head, hand = heads.get(table.id), table.hand
        known = head is not None and hand is not None and hand.id == head.hand
        if not known or (head is not None and hand is not None and hand.log.seq < head.events):
            follow_table(hall, table)


def follow_table(hall: Hall, table: Table) -> None:
    """Bring one table up to date: its hand, the next ones, its end."""
    with table.lock:
        hand = table.hand
        if hand is not None and not hand.closed:
            with hand.lock:
                catch_up(hall, hand)
        row = hall.store.table(table.id)
        if row is None or row.status not in OPEN:
            if hand is not None:  # it may have been made void, with a hand that runs
                _finish(hall, hand)
            runner.forget_table(hall, table)
        elif table.hand is None or table.hand.closed:
            _take_up_hands(hall, table)


def _take_up_hands(hall: Hall, table: Table) -> None:
    """Load the hands that have begun since the last one that is counted at the table."""
    for row in all_rows(
        lambda after: hall.store.hands(table.id, after=after), len(table.log.faulty), _number
    ):
        hand = hall.load_hand(table, row)
        if not hand.closed:
            _begin(hall, table, hand)
            return  # what has begun since is read when this one has ended here too
        hand.table.log.end(hand.log)
        hall.ended.put(hand.id, hand)


def _begin(hall: Hall, table: Table, hand: Hand) -> None:
    """A hand that another process has dealt is this table's hand now."""
    table.hand = hall.hands[hand.id] = hand
    runner.recall_probation(hall, table)
    runner.wake_table(hall, table, ours=False)
    hall.bell.ring(f"hand:{hand.id}")


def _let_go(hall: Hall, session: Session, status: str) -> None:
    """Another process has ended or cancelled a session."""
    with session.lock:
        session.status = status
        for table in tuple(session.tables.values()):
            with table.lock:
                hand = table.hand
                if hand is not None:
                    _finish(hall, hand)
                runner.forget_table(hall, table)
        runner.retire(hall, session)


def _finish(hall: Hall, hand: Hand) -> None:
    with hand.lock:
        if not hand.closed:
            catch_up(hall, hand)
        if not hand.closed:
            call_off(hall, hand)
    hall.bell.ring(f"hand:{hand.id}")


def look(hall: Hall) -> None:
    """Bring everything up to date, and ask for the jobs that nobody seems to have done."""
    in_play = {row.id for status in IN_PLAY for row in runner.sessions_of(hall, status)}
    for session_id in in_play | set(hall.sessions):
        follow_session(hall, session_id)
    for session in tuple(hall.sessions.values()):
        if session.offering:
            _nudge(hall, session)
    for bot in hall.presence.on_probation():
        if hall.bell.has_listener(f"bot:{bot}"):
            note_waiting(hall, bot)


def _nudge(hall: Hall, session: Session) -> None:
    for table in tuple(session.tables.values()):
        hand = table.hand
        if hand is None or hand.closed:
            hall.jobs.add("table", table.id)
        elif any(answered_for(hall, turn) is not None for turn in tuple(hand.turns.values())):
            hall.jobs.add("attend", hand.id)
    hall.jobs.add("session", session.id)


def advance_table(hall: Hall, table_id: str) -> None:
    """`runner.advance_table`; if another process was quicker, what that one did."""
    try:
        runner.advance_table(hall, table_id)
    except Conflict:
        found = hall.tables.get(table_id)
        if not hall.shared or found is None:
            raise
        follow_table(hall, found)


def advance_session(hall: Hall, session_id: str) -> None:
    """`runner.advance_session`; if another process was quicker, what that one did."""
    try:
        runner.advance_session(hall, session_id)
    except Conflict:
        if not hall.shared:
            raise
        follow_session(hall, session_id)


def _number(row: object) -> int:
    number: int = row.number  # type: ignore[attr-defined]
    return number
