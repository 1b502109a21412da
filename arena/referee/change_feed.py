"""Following: what other processes do with the same sessions is done here too, in memory.

The store tells of changes (`Store.follow`), the follower reads the rows and moves hands, tables and
sessions on. A hint may be lost, so it also looks at everything that is in play at least once in
LOOK_MS, and asks for the jobs that the process which should have done them may have died before.
Every step forward is one atomic write that succeeds once, so it does not matter who makes it; who
comes second reads what the first has written.

Locks: `context.adopting`, then a session's, then a table's, then a hand's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

from arena.errors import ArenaError, Conflict, DamagedHand
from arena.identity.registry import RENAMED
from arena.referee import runner
from arena.referee.bell import Bell
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Signals
from arena.referee.live import Hand, Session, Table
from arena.referee.projection import answered_for, apply_steps, catch_up, void_hand
from arena.referee.shared_clock import note_waiting
from arena.statuses import IN_PLAY, TABLE_OPEN, EntryStatus, HandStatus, SessionStatus
from arena.store.port import SessionRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, all_sessions, hand_row, session_row

LOOK_MS = 1_000
FORGET_LOOKS = 10
"""How many steps later all tokens are looked up anew."""
TOGETHER = 16
"""Hands whose news are read at once."""
LOG = logging.getLogger("arena.referee")


class ChangeFeed:
    """The thread that follows, and what it does once (`step`), which tests call directly."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._heard: dict[str, None] = {}
        self._look = True
        self._looks = 0
        self._looked_ms = 0
        self._changed = threading.Condition()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def listen(self) -> None:
        """Hear what the store tells from now on."""
        self._context.store.follow(self.heard)

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
        context = self._context
        now_ms = context.clock.wall_ms()
        with self._changed:
            topics, self._heard = list(self._heard), {}
            due = self._look or now_ms - self._looked_ms >= LOOK_MS
            self._look = False
        try:
            follow(context, topics)
            if due:
                self._looked_ms = now_ms
                self._looks += 1
                if self._looks % FORGET_LOOKS == 0:
                    context.registry.forget()
                    admit_restored(context.store, context.signals.bell)
                look(context)
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


def follow(context: Context, topics: Sequence[str]) -> None:
    """Bring up to date what was heard of. What has happened to hands is read together, at last."""
    hands: dict[str, int] = {}
    for topic in topics:
        kind, name, *more = topic.split(" ")
        if kind == "hand":
            hands[name] = max(int(more[0]), hands.get(name, 0))
        elif kind == "table":
            found = context.in_play.tables.get(name)
            if found is not None:
                follow_table(context, found)
        elif kind == "session":
            follow_session(context, name)
        elif kind == "bot":
            follow_bot(context, name)
    context.registry.catch_up()
    _follow_hands(context, hands)


def follow_bot(context: Context, bot: str) -> None:
    """Another process has changed a bot's token: whoever waits with the old one waits no longer."""
    context.registry.forget(bot)
    row = context.store.bot(bot)
    if row is not None:
        context.in_play.renamed(bot, row.name)
    if row is not None and row.revoked:
        context.signals.bell.bar(bot)
    else:
        context.signals.bell.admit(bot)
        context.signals.bell.dismiss(bot)


def admit_restored(store: Store, bell: Bell) -> None:
    """Let those wait again whose token another process has given back, unheard."""
    for bot in bell.barred():
        row = store.bot(bot)
        if row is not None and not row.revoked:
            bell.admit(bot)


def _follow_hands(context: Context, hands: Mapping[str, int]) -> None:
    """hands: how many events each has by now."""
    behind: list[Hand] = []
    for name, events in hands.items():
        known = context.in_play.hands.get(name)
        if known is None:
            _adopt_hand(context, name)
        elif known.log.seq < events:
            behind.append(known)
    for at in range(0, len(behind), TOGETHER):
        some = behind[at : at + TOGETHER]
        together = len(some) > 1
        news = context.store.steps_of({hand.id: hand.log.seq for hand in some}) if together else {}
        for hand in some:
            with hand.lock:
                apply_steps(context, hand, news.get(hand.id, ()))
                if hand.log.seq < hands[hand.id]:
                    catch_up(context, hand)


def _adopt_hand(context: Context, hand: str) -> None:
    if context.in_play.ended.get(hand) is None:
        row = context.store.hand(hand)
        if row is not None:
            adopt_table(context, row.table)


def find_hand(context: Context, hand: str) -> Hand:
    """A hand in play, or one read back; its table is taken up if another process has begun it.

    Raises NotFound.
    """
    known = context.in_play.hand(hand)
    if known is not None:
        return known
    row = hand_row(context.store, hand)
    if context.store.shared and row.status == HandStatus.PLAYING:
        adopt_table(context, row.table)
        known = context.in_play.hands.get(hand)
    return known or context.in_play.read_back(row)


def adopt_table(context: Context, table_id: str) -> None:
    """Bring a table of which another process has begun a hand up to date here."""
    row = context.store.table(table_id)
    if row is None or row.status not in TABLE_OPEN:
        return
    session = _session_in_play(context, row.session)
    if session is None:
        return
    with session.lock:
        table = session.tables.get(row.id) or _take_up_table(context, session, row)
    follow_table(context, table)  # also if it is new here: it may have ended since it was read


def _session_in_play(context: Context, session_id: str) -> Session | None:
    """A session that is in play, taken up if it was not here; None if it is not in play."""
    live = context.in_play.sessions.get(session_id)
    if live is not None:
        return live
    with context.in_play.adopting:
        row = context.store.session(session_id)
        if row is None or row.status not in IN_PLAY:
            return None
        return context.in_play.sessions.get(session_id) or _take_up(context, row)


def _take_up(context: Context, row: SessionRow) -> Session:
    session = context.in_play.load_session(row)
    runner.resume_session(context, session)
    context.in_play.shelved.drop(row.id)
    context.in_play.sessions[row.id] = session
    runner.wake_session(context.clock, context.signals, session, ours=False)
    return session


def _take_up_table(context: Context, session: Session, row: TableRow) -> Table:
    table = runner.take_up_table(context.in_play, context.signals.presence, session, row)
    runner.wake_table(context.clock, context.signals, table, ours=False)
    return table


def follow_session(context: Context, session_id: str) -> None:
    """Bring one session up to date, with all its tables."""
    row = context.store.session(session_id)
    if row is None:  # it was deleted
        context.in_play.shelved.drop(session_id)
        return
    if row.status in IN_PLAY:
        session = _session_in_play(context, session_id)
        if session is not None:
            _refresh(context, session)
        return
    with context.in_play.adopting:
        known = context.in_play.sessions.get(session_id)
        if known is None:
            context.in_play.shelved.drop(session_id)
        else:
            _refresh(context, known)


def _refresh(context: Context, session: Session) -> None:
    """Bring a session up to date, by what is read under its lock: it may just have been started."""
    with context.in_play.adopting, session.lock:
        row = session_row(context.store, session.id)
        if row.status not in IN_PLAY:
            _let_go(context, session, row.status)
            return
        context.in_play.corrected(row.id, row.document)
        entries = all_entries(context.store, row.id)
        session.out = {
            entry.bot: entry.status for entry in entries if entry.status != EntryStatus.ENTERED
        }
        if row.schedule is not None and row.schedule != session.schedule:
            context.in_play.read_schedule(session, row.schedule)
        _refresh_clock(context, session, row.status)
        session.ending = context.store.counter(f"ending/{row.id}") is not None
        runner.count_rounds(
            context.store, session
        )  # before the tables; see `runner.resume_session`
        for table_row in context.store.open_tables(session.id):
            if table_row.id not in session.tables:
                _take_up_table(context, session, table_row)
        _refresh_tables(context, session)


def _refresh_clock(context: Context, session: Session, status: str) -> None:
    """Freeze or thaw a session's clock as another process did."""
    clock = session.clock
    session.status = SessionStatus(status)
    if status == SessionStatus.PAUSED:
        if clock.frozen_ms is None:
            clock.frozen_ms = context.store.counter(f"frozen/{session.id}") or clock.now_ms()
        return
    lag_ms = context.store.counter(f"lag/{session.id}") or 0
    if clock.frozen_ms is not None or clock.lag_ms != lag_ms:
        clock.thaw(lag_ms)
        runner.wake_session(context.clock, context.signals, session, ours=False)


def _refresh_tables(context: Context, session: Session) -> None:
    """Bring those tables up to date of which the store knows more."""
    heads = {head.table: head for head in context.store.heads(session.id)}
    for table in tuple(session.tables.values()):
        head, hand = heads.get(table.id), table.hand
        known = head is not None and hand is not None and hand.id == head.hand
        if not known or (head is not None and hand is not None and hand.log.seq < head.events):
            follow_table(context, table)


def follow_table(context: Context, table: Table) -> None:
    """Bring one table up to date: its hand, the next ones, its end."""
    with table.lock:
        hand = table.hand
        if hand is not None and not hand.closed:
            with hand.lock:
                catch_up(context, hand)
        row = context.store.table(table.id)
        if row is None or row.status not in TABLE_OPEN:
            if hand is not None:  # it may have been made void, with a hand that runs
                _finish(context, hand)
            runner.forget_table(context.in_play, context.signals, table)
        elif table.damage is None and (table.hand is None or table.hand.closed):
            _take_up_hands(context, table)


def _take_up_hands(context: Context, table: Table) -> None:
    """Load the hands that have begun since the last one that is counted at the table."""
    for row in all_hands(context.store, table.id, after=len(table.log.faulty)):
        try:
            hand = context.in_play.load_hand(table, row)
        except DamagedHand as error:
            table.damage = error
            return
        if not hand.closed:
            _begin(context, table, hand)
            return  # what has begun since is read when this one has ended here too
        hand.table.log.end(hand.log)
        context.in_play.ended.put(hand.id, hand)


def _begin(context: Context, table: Table, hand: Hand) -> None:
    """A hand that another process has dealt is this table's hand now."""
    table.hand = context.in_play.hands[hand.id] = hand
    runner.recall_probation(context.signals.presence, table)
    runner.wake_table(context.clock, context.signals, table, ours=False)
    context.signals.bell.ring(f"hand:{hand.id}")


def _let_go(context: Context, session: Session, status: str) -> None:
    """Another process has ended or cancelled a session."""
    with session.lock:
        session.status = SessionStatus(status)
        for table in tuple(session.tables.values()):
            with table.lock:
                hand = table.hand
                if hand is not None:
                    _finish(context, hand)
                runner.forget_table(context.in_play, context.signals, table)
        runner.retire(context.in_play, context.signals.bell, session)


def _finish(context: Context, hand: Hand) -> None:
    with hand.lock:
        if not hand.closed:
            catch_up(context, hand)
        if not hand.closed:
            void_hand(context.in_play, context.signals, hand)
    context.signals.bell.ring(f"hand:{hand.id}")


def look(context: Context) -> None:
    """Bring everything up to date, and ask for the jobs that nobody seems to have done."""
    context.in_play.follow_names(context.store.counter(RENAMED) or 0)
    in_play = {row.id for status in IN_PLAY for row in all_sessions(context.store, status)}
    for session_id in in_play | set(context.in_play.sessions):
        follow_session(context, session_id)
    for session in tuple(context.in_play.sessions.values()):
        if session.offering:
            _nudge(context.clock, context.signals, session)
    for bot in context.signals.presence.on_probation():
        if context.signals.bell.has_listener(f"bot:{bot}"):
            note_waiting(context, bot)


def _nudge(clock: ArenaClock, signals: Signals, session: Session) -> None:
    for table in tuple(session.tables.values()):
        hand = table.hand
        if hand is None or hand.closed:
            signals.jobs.add("table", table.id)
        elif any(
            answered_for(clock, signals, turn) is not None for turn in tuple(hand.turns.values())
        ):
            signals.jobs.add("attend", hand.id)
    signals.jobs.add("session", session.id)


def advance_table(context: Context, table_id: str) -> None:
    """`runner.advance_table`; if another process was quicker, what that one did."""
    try:
        runner.advance_table(context, table_id)
    except Conflict:
        table = context.in_play.tables.get(table_id)
        if not context.store.shared or table is None:
            raise
        follow_table(context, table)


def advance_session(context: Context, session_id: str) -> None:
    """`runner.advance_session`; if another process was quicker, what that one did."""
    try:
        runner.advance_session(context, session_id)
    except Conflict:
        if not context.store.shared:
            raise
        follow_session(context, session_id)
