"""Sessions: what organisers do with them, and how bots enter and leave.

Every action is one atomic write together with its entry in the audit log. What follows from it (the
next round, a seat to answer for) is left to the runner's jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import orjson

from arena.errors import BadInput, Conflict
from arena.organising import notifying
from arena.organising.auditing import By, session_audit
from arena.organising.entering import EntryTerms, check_proven, enter_once, entered
from arena.organising.finalists import check_sources, finalists_of
from arena.organising.times import new_times, settled_by
from arena.proofs.chance import RoundKeys
from arena.referee.context import Context, Ports, Sources
from arena.referee.live import Session
from arena.referee.projection import quarantined, void_hand
from arena.referee.runner import forget_table, retire, wake_session
from arena.session import deals
from arena.session.apart import Field, Member, check_known, pairs_apart
from arena.session.config import FRESH, SessionConfig, read_config, read_seed, settled
from arena.session.names import new_id
from arena.session.notify_config import Notify
from arena.session.owners import in_one_spelling
from arena.session.schedule_config import FINAL, LADDER
from arena.session.stored_schedule import (
    StoredSchedule,
    first_rounds,
    numbered,
    read_schedule,
    rounds_to_come,
    seed_of,
    write_schedule,
)
from arena.statuses import (
    ENTERABLE,
    IN_PLAY,
    BoardNames,
    HandStatus,
    RegistrationMode,
    SessionStatus,
    TableStatus,
)
from arena.store.bot_changes import CheckChances
from arena.store.port import (
    BotRow,
    Change,
    CounterRow,
    EndHand,
    SessionRow,
    SetDocument,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    Store,
)
from arena.store.reading import all_entries, session_row

TRIES = 5
OPEN, START = "open", "start"
UNPROVEN = "who shares an owner would see the same cards at two tables, and owners are not proven"


def create(
    context: Context,
    document: Mapping[str, Any],
    actor: str,
    *,
    notify: Notify | None = None,
    drop_ms: int | None = None,
) -> str:
    """Write down a new session; its id. notify: where its messages go. drop_ms: when it is taken
    away by itself, None: never.

    Raises BadInput, Conflict for a slug that is taken and for a final whose sessions have not
    ended, Forbidden for an address that the operator does not allow.
    """
    if notify is not None:
        notifying.check_notify(context.settings, notify)
    config = read_config(settled(document))
    secret = read_seed(document) or deals.new_secret()
    check_possible(context, config)
    session = config.slug or new_id("s-")
    if context.store.session(session) is not None:
        raise Conflict("slug", f"there is a session {session!r} already")
    now_ms = context.clock.wall_ms()
    times = new_times(session, config.times, now_ms=now_ms, drop_ms=drop_ms)
    text = orjson.dumps(config.document).decode()
    row = SessionRow(session, SessionStatus.CREATED, text, secret, now_ms, None)
    audit = session_audit(context.clock, By(actor), "session.create", session)
    notices = notifying.created_changes(context.clock, session, notify, actor=actor)
    context.store.write(row, *times, audit, *notices)
    return session


def check_possible(sources: Sources, config: SessionConfig) -> None:
    """Is a session of this config possible in this arena? Raises BadInput, Conflict."""
    if config.deals != FRESH and sources.settings.registration == RegistrationMode.OPEN:
        wanted = f"{FRESH}, as long as anybody may register: {UNPROVEN} (setting `registration`)"
        raise BadInput("deals", config.deals, wanted)
    check_sources(sources, config)


def set_status(
    context: Context, session: str, action: str, by: By, *, public: str | None = None
) -> None:
    """Do one of `ALLOWED`. public: for a start, the value of the source of chance that the document
    announced. Raises BadInput, NotFound, Conflict."""
    if action not in ALLOWED:
        raise BadInput("action", action, f"one of {', '.join(ALLOWED)}")
    if public is not None and action != START:
        raise BadInput("public_chance", public, "no value, since only a start takes one")
    live = context.in_play.session(session)
    if action == START:
        _row_for(context.store, live, action)
        live.config.check_public(public)  # before finalists are entered
    if live.config.schedule.kind == FINAL and action in (OPEN, START):
        _enter_finalists(context, live, action, actor=by.actor)
    if action == START:
        _draw_and_start(context, session, by, public=public)
        return
    with _held(context, live, action) as row:
        ACTS[action](context, live, row, by)


@contextmanager
def _held(sources: Sources, session: Session, action: str) -> Iterator[SessionRow]:
    """Keep a session as it is while something is done with it. Raises Conflict where its status
    does not allow that, NotHome where it is in play but not here."""
    with sources.in_play.changing, session.lock:
        row = _row_for(sources.store, session, action)
        sources.in_play.check_played_here(session, row.status)
        yield row


def _row_for(store: Store, session: Session, action: str) -> SessionRow:
    """The session's row. Raises Conflict where its status does not allow an action."""
    row = session_row(store, session.id)
    if row.status not in ALLOWED[action]:
        expected = " or ".join(ALLOWED[action])
        raise Conflict(
            session.id, f"{action} needs a session that is {expected}: it is {row.status}"
        )
    return row


def _open(context: Context, session: Session, row: SessionRow, by: By) -> None:
    _move(context, session, row, by=by, status=SessionStatus.OPEN, action="open")


def _enter_finalists(context: Context, session: Session, action: str, *, actor: str) -> None:
    """Enter those that may play in a final, best first, but for those that were entered before."""
    _row_for(context.store, session, action)
    finalists = finalists_of(context, session.config)
    with _held(context, session, action) as row:
        known = {entry.bot for entry in all_entries(context.store, session.id)}
        for bot in finalists:
            finalist = context.registry.row(bot)
            if bot not in known and not finalist.revoked:
                enter_once(context, row, finalist, EntryTerms(actor, is_finalist=True))


def _close(context: Context, session: Session, row: SessionRow, by: By) -> None:
    """No more entries; a ladder that is being played ends when its last block has ended."""
    if row.status == SessionStatus.OPEN:
        _move(context, session, row, by=by, status=SessionStatus.CREATED, action="close")
        return
    if session.config.schedule.kind != LADDER or row.schedule is None:
        raise Conflict(
            session.id, f"only a ladder is closed while it is played: it is {row.status}"
        )
    programme = read_schedule(orjson.loads(row.schedule))
    closed = write_schedule(programme._replace(to_come=0), session.config)
    change = SetSchedule(session.id, closed, was=row.schedule)
    context.store.write(change, session_audit(context.clock, by, "session.close", session.id))
    context.in_play.read_schedule(session, closed)
    context.signals.jobs.add("session", session.id)


def _draw_and_start(context: Context, session_id: str, by: By, *, public: str | None) -> None:
    """Draw the schedule, which takes long and holds nobody up; anew if bots enter meanwhile or give
    bytes to chance, or the document is changed."""
    quicker: Conflict | None = None
    for _ in range(TRIES):
        drawn_from = session_row(context.store, session_id)
        session = context.in_play.session_of(drawn_from)
        _row_for(context.store, session, START)
        session.config.check_public(public)
        entrants = _entrants(context.store, session)
        schedule = make_schedule(context, session, entrants.chances, public=public)
        with _held(context, session, START) as row:
            same = row.document == drawn_from.document
            if same and entrants == _entrants(context.store, session):
                try:
                    _start(context, session, row, _Drawn(schedule, entrants.given), by)
                except Conflict as error:  # something came between what was read and the write
                    quicker = error
                    continue
                return
    raise quicker or Conflict(
        session_id, "bots enter and leave all the time: close the session first"
    )


class _Entrants(NamedTuple):
    """Who plays, in the order of entry, with what each has given to chance. given: how many gave
    something, those that have left included."""

    chances: Mapping[str, bytes | None]
    given: int


def _entrants(store: Store, session: Session) -> _Entrants:
    listed = list(all_entries(store, session.id))
    chances = {entry.bot: entry.chance for entry in entered(listed)}
    return _Entrants(chances, sum(entry.chance is not None for entry in listed))


class _Drawn(NamedTuple):
    """A schedule as it is stored, and how many had given bytes to chance when it was drawn."""

    text: str
    given: int


def _start(context: Context, session: Session, row: SessionRow, drawn: _Drawn, by: By) -> None:
    """Write the schedule together with the new status; the runner does the rest."""
    text, status = drawn.text, SessionStatus.RUNNING
    changes = (
        SetDocument(row.id, row.document, was=row.document, status=row.status),
        CheckChances(row.id, drawn.given),
        SetSchedule(session.id, text),
    )
    _move(context, session, row, *changes, by=by, status=status, action="start")
    context.in_play.read_schedule(session, text)
    session.out.clear()
    context.in_play.sessions[session.id] = session
    context.in_play.shelved.drop(session.id)
    context.signals.jobs.add("session", session.id)


def _pause(context: Context, session: Session, row: SessionRow, by: By) -> None:
    """Freeze the session's clock, and note where it stands in the same write as the status."""
    lag_ms = session.clock.lag_ms
    frozen = CounterRow(f"frozen/{session.id}", session.clock.freeze())
    try:
        _move(context, session, row, frozen, by=by, status=SessionStatus.PAUSED, action="pause")
    finally:
        if session.status != SessionStatus.PAUSED:
            session.clock.thaw(lag_ms)


def _resume(context: Context, session: Session, row: SessionRow, by: By) -> None:
    """Let the clock go on from where it stood; offer the turns anew."""
    lag_ms = session.clock.lag_to_resume_ms()
    lag = CounterRow(f"lag/{session.id}", lag_ms)
    _move(context, session, row, lag, by=by, status=SessionStatus.RUNNING, action="resume")
    session.clock.thaw(lag_ms)
    wake_session(context.clock, context.signals, session)


def _end(context: Context, session: Session, row: SessionRow, by: By) -> None:
    """No more hands: when those that run have ended, their tables are cut short, and the session is
    finished. Once it is resumed, if it is paused."""
    if session.ending:
        raise Conflict(session.id, "this session is ending already, after the hands that run")
    mark = CounterRow(f"ending/{session.id}", context.clock.wall_ms())
    still = SessionStatus(row.status)
    _move(context, session, row, mark, by=by, status=still, action="end")
    session.ending = True
    for table in tuple(session.tables.values()):
        context.signals.jobs.add("table", table.id)
    context.signals.jobs.add("session", session.id)


def _cancel(context: Context, session: Session, row: SessionRow, by: By) -> None:
    """End everything at once: running hands are void, their tables aborted."""
    tables = sorted(session.tables.values(), key=lambda table: table.id)
    with ExitStack() as locks:
        for table in tables:
            locks.enter_context(table.lock)
        hands = [table.hand for table in tables if table.hand is not None]
        for hand in hands:
            locks.enter_context(hand.lock)
        running = [hand for hand in hands if not hand.closed]
        now_ms = context.clock.wall_ms()
        names = [hand.id for hand in running]
        names += [name for table in tables for name in quarantined(context.store, table)]
        changes: list[Change] = [EndHand(name, HandStatus.VOID, None, now_ms) for name in names]
        changes += [
            SetTableStatus(table.id, TableStatus.ABORTED, was=TableStatus.PLAYING)
            for table in tables
        ]
        _move(
            context,
            session,
            row,
            *changes,
            by=by,
            status=SessionStatus.CANCELLED,
            action="cancel",
        )
        for hand in running:
            void_hand(context.in_play, context.signals, hand)
        for table in tables:
            forget_table(context.in_play, context.signals, table)
    retire(context.in_play, context.signals.bell, session)
    for hand in hands:
        context.signals.bell.ring(f"hand:{hand.id}")


Act = Callable[[Context, Session, SessionRow, By], None]
ALLOWED: Mapping[str, tuple[str, ...]] = {
    OPEN: (SessionStatus.CREATED,),
    "close": (SessionStatus.OPEN, *IN_PLAY),
    START: ENTERABLE,
    "pause": (SessionStatus.RUNNING,),
    "resume": (SessionStatus.PAUSED,),
    "end": IN_PLAY,
    "cancel": (*ENTERABLE, *IN_PLAY),
}
"""What is done with sessions, and in which status."""
ACTS: Mapping[str, Act] = {
    OPEN: _open,
    "close": _close,
    "pause": _pause,
    "resume": _resume,
    "end": _end,
    "cancel": _cancel,
}
"""How, but for the start."""


def _move(
    ports: Ports,
    session: Session,
    row: SessionRow,
    *changes: Change,
    by: By,
    status: SessionStatus,
    action: str,
) -> None:
    """Write a new status with all that belongs to it."""
    moved = SetSessionStatus(session.id, status, was=row.status, reason=by.reason)
    notices = notifying.status_changes(ports, session, action, reason=by.reason)
    action, now_ms = f"session.{action}", ports.clock.wall_ms()
    times = settled_by(ports.store, session.id, action, now_ms=now_ms, time=by.time)
    audit = session_audit(ports.clock, by, action, session.id, **times.outcomes)
    ports.store.write(*changes, *times.changes, moved, *notices, audit)
    session.status = status


def make_schedule(
    sources: Sources,
    session: Session,
    chances: Mapping[str, bytes | None],
    *,
    public: str | None = None,
) -> str:
    """The schedule of a session as it is stored, from those that play, in the order of entry, what
    each has given to chance, the value of a public source, and its secret. It is drawn beside the
    greenlets: for a thousand bots that takes minutes."""
    config, bots = session.config, list(chances)
    if config.board == BoardNames.PSEUDONYMOUS:  # the order of entry would tell who is who
        pseudonyms = sources.in_play.pseudonyms(session)
        bots = sorted(bots, key=lambda bot: pseudonyms.get(bot, bot))
    rows = _rows(sources, session, bots)
    check_proven(config, rows)
    owners = in_one_spelling(row.owner for row in rows)
    names = [row.name for row in rows]
    config.check_entered(names)
    check_known(config.schedule.apart, partial(_is_known, sources))
    keys = RoundKeys(session.secret, tuple(map(chances.get, bots)), (len(bots),), public)
    seed = seed_of(keys.of_round(1), session.id)
    apart = pairs_apart(config.schedule.apart, Field(bots, names, owners))
    draw = partial(
        first_rounds,
        *(config.schedule, config.seats),
        names=names,
        owners=owners,
        apart=apart,
        seed=seed,
    )
    schedule = sources.long_work.drawing(draw)
    house = [sources.registry.house(number).id for number in range(1, schedule.house + 1)]
    to_come = rounds_to_come(config.schedule, schedule)
    mixed = (schedule.n,) * len(schedule.rounds)
    programme = StoredSchedule(
        *(schedule, (*bots, *house), numbered(owners), to_come),
        apart=apart,
        mixed=mixed,
        public=public,
    )
    return sources.long_work.drawing(partial(write_schedule, programme, config))


def _is_known(ports: Ports, member: Member) -> bool:
    """Is a bot that is to be kept apart one of this arena?"""
    if member.owner:
        return bool(ports.registry.bots_of(member.name))
    return (ports.store.bot(member.name) or ports.store.bot_by_name(member.name)) is not None


def _rows(sources: Sources, session: Session, bots: Iterable[str]) -> list[BotRow]:
    """The bots, whose names are kept with the session from now on."""
    pieces, rows = sources.long_work.pieces(), []
    for bot in bots:
        rows.append(sources.registry.row(bot))
        sources.in_play.note_player(session, bot)
        pieces.pause()
    return rows
