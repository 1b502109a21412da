"""Sessions: what organisers do with them, and how bots enter and leave.

Every action is one atomic write together with its entry in the audit log. What follows from it (the
next round, a seat to answer for) is left to the runner's jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

import orjson

from arena.errors import BadInput, Conflict, Forbidden, NotFound
from arena.organising.finalists import finalists_of
from arena.queries.visibility import OVER
from arena.referee.context import Hall
from arena.referee.live import Session
from arena.referee.projection import call_off
from arena.referee.runner import forget_table, retire, wake_session
from arena.session import deals
from arena.session.config import FRESH, Plan, read_plan, read_seed
from arena.session.display_names import PSEUDONYMOUS
from arena.session.names import new_id
from arena.session.owners import in_one_spelling, same_owner
from arena.session.schedule_config import FINAL, LADDER
from arena.session.stored_schedule import (
    Programme,
    first_rounds,
    numbered,
    read_programme,
    rounds_to_come,
    seed_of,
    write_programme,
)
from arena.store.port import (
    AuditRow,
    BotRow,
    Change,
    CounterRow,
    EndHand,
    EntryRow,
    SessionRow,
    SetEntryStatus,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
)

TRIES = 5
UNPROVEN = "who shares an owner would see the same cards at two tables, and owners are not proven"


def create(hall: Hall, document: Mapping[str, Any], actor: str) -> str:
    """Write down a new session; its id. Raises BadInput, Conflict for a slug that is taken."""
    plan = read_plan(document)
    secret = read_seed(document) or deals.new_secret()
    if plan.deals != FRESH and hall.settings.registration == "open":
        wanted = f"{FRESH}, as long as anybody may register: {UNPROVEN} (setting `registration`)"
        raise BadInput("deals", plan.deals, wanted)
    session = plan.slug or new_id("s-")
    if hall.store.session(session) is not None:
        raise Conflict("slug", f"there is a session {session!r} already")
    now_ms = hall.clock.wall_ms()
    text = orjson.dumps(plan.document).decode()
    row = SessionRow(session, "created", text, secret, now_ms, None)
    hall.store.write(row, _audit(hall, actor, "session.create", session))
    return session


def set_status(hall: Hall, session: str, action: str, *, actor: str) -> None:
    """Do one of `ACTIONS`. Raises BadInput, NotFound, Conflict."""
    if action not in ACTIONS:
        raise BadInput("action", action, f"one of {', '.join(ACTIONS)}")
    allowed, act = ACTIONS[action]
    found = hall.session(session)
    with hall.adopting, found.lock:
        row = hall.session_row(session)
        if row.status not in allowed:
            expected = " or ".join(allowed)
            raise Conflict(
                session, f"{action} needs a session that is {expected}: it is {row.status}"
            )
        act(hall, found, row, actor)


def _open(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    _enter_finalists(hall, session, row, actor=actor)
    _move(hall, session, row, actor=actor, status="open", action="session.open")


def _enter_finalists(hall: Hall, session: Session, row: SessionRow, *, actor: str) -> None:
    """Enter those that may play in a final, best first, but for those that were entered before."""
    if session.plan.schedule.kind != FINAL:
        return
    known = {entry.bot for entry in hall.entries(session.id)}
    for bot in finalists_of(hall, session.plan):
        finalist = hall.registry.row(bot)
        if bot not in known and not finalist.revoked:
            _enter_once(hall, row, finalist, by=actor)


def _close(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    """No more entries; a ladder that is being played ends when its last block has ended."""
    if row.status == "open":
        _move(hall, session, row, actor=actor, status="created", action="session.close")
        return
    if session.plan.schedule.kind != LADDER or row.schedule is None:
        raise Conflict(
            session.id, f"only a ladder is closed while it is played: it is {row.status}"
        )
    programme = read_programme(orjson.loads(row.schedule))
    closed = write_programme(programme._replace(to_come=0), session.plan)
    change = SetSchedule(session.id, closed, was=row.schedule)
    hall.store.write(change, _audit(hall, actor, "session.close", session.id))
    hall.read_schedule(session, closed)
    hall.jobs.add("session", session.id)


def _start(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    """Make the schedule and write it together with the new status; the runner does the rest."""
    _enter_finalists(hall, session, row, actor=actor)
    text = make_schedule(hall, session)
    _move(
        hall,
        session,
        row,
        SetSchedule(session.id, text),
        actor=actor,
        status="running",
        action="session.start",
    )
    hall.read_schedule(session, text)
    session.out.clear()
    hall.sessions[session.id] = session
    hall.shelved.drop(session.id)
    hall.jobs.add("session", session.id)


def _pause(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    """Freeze the session's clock, and note where it stands in the same write as the status."""
    lag_ms = session.clock.lag_ms
    frozen = CounterRow(f"frozen/{session.id}", session.clock.freeze())
    try:
        _move(hall, session, row, frozen, actor=actor, status="paused", action="session.pause")
    finally:
        if session.status != "paused":
            session.clock.thaw(lag_ms)


def _resume(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    """Let the clock go on from where it stood; offer the turns anew."""
    lag_ms = session.clock.lag_to_resume_ms()
    lag = CounterRow(f"lag/{session.id}", lag_ms)
    _move(hall, session, row, lag, actor=actor, status="running", action="session.resume")
    session.clock.thaw(lag_ms)
    wake_session(hall, session)


def _cancel(hall: Hall, session: Session, row: SessionRow, actor: str) -> None:
    """End everything at once: running hands are void, their tables aborted."""
    tables = sorted(session.tables.values(), key=lambda table: table.id)
    with ExitStack() as locks:
        for table in tables:
            locks.enter_context(table.lock)
        hands = [table.hand for table in tables if table.hand is not None]
        for hand in hands:
            locks.enter_context(hand.lock)
        running = [hand for hand in hands if not hand.closed]
        now_ms = hall.clock.wall_ms()
        changes: list[Change] = [EndHand(hand.id, "void", None, now_ms) for hand in running]
        changes += [SetTableStatus(table.id, "aborted", was="playing") for table in tables]
        _move(
            hall, session, row, *changes, actor=actor, status="cancelled", action="session.cancel"
        )
        for hand in running:
            call_off(hall, hand)
        for table in tables:
            forget_table(hall, table)
    retire(hall, session)
    for hand in hands:
        hall.bell.ring(f"hand:{hand.id}")


Act = Callable[[Hall, Session, SessionRow, str], None]
ACTIONS: Mapping[str, tuple[tuple[str, ...], Act]] = {
    "open": (("created",), _open),
    "close": (("open", "running", "paused"), _close),
    "start": (("created", "open"), _start),
    "pause": (("running",), _pause),
    "resume": (("paused",), _resume),
    "cancel": (("created", "open", "running", "paused"), _cancel),
}


def _move(
    hall: Hall,
    session: Session,
    row: SessionRow,
    *changes: Change,
    actor: str,
    status: str,
    action: str,
) -> None:
    """Write a new status with all that belongs to it."""
    moved = SetSessionStatus(session.id, status, was=row.status)
    hall.store.write(*changes, moved, _audit(hall, actor, action, session.id))
    session.status = status


def make_schedule(hall: Hall, session: Session) -> str:
    """The schedule of a session as it is stored, from its entries and its secret."""
    plan = session.plan
    bots = [entry.bot for entry in hall.entries(session.id) if entry.status == "entered"]
    if plan.board == PSEUDONYMOUS:  # the order of entry would tell who is who
        bots.sort(key=lambda bot: hall.mask(session).get(bot, bot))
    rows = [hall.registry.row(bot) for bot in bots]
    _check_proven(plan, rows)
    owners = in_one_spelling(row.owner for row in rows)
    names = [row.name for row in rows]
    seed = seed_of(session.secret, session.id)
    made = first_rounds(plan.schedule, plan.seats, names=names, owners=owners, seed=seed)
    house = [hall.registry.house(number).id for number in range(1, made.house + 1)]
    to_come = rounds_to_come(plan.schedule, made)
    programme = Programme(made, (*bots, *house), numbered(owners), to_come)
    return write_programme(programme, plan)


def enter(hall: Hall, session: str, bot: str, *, by: str | None = None) -> EntryRow:
    """Enter a bot; by: the organiser who does it, None for the bot itself."""
    row = hall.registry.row(bot)
    if row.kind != "bot":
        raise BadInput("bot", row.name, "a bot, not an organiser or a house bot")
    for _ in range(TRIES):
        try:
            return _enter_once(hall, hall.session_row(session), row, by=by)
        except _NumberTaken:
            continue
    raise Conflict(session, "too many enter at once; try again")


class _NumberTaken(Exception):
    """Another bot got the number first."""


def _enter_once(hall: Hall, session: SessionRow, bot: BotRow, *, by: str | None) -> EntryRow:
    bot = hall.registry.row(bot.id)  # as it is now: it may have been revoked
    listed = list(hall.entries(session.id))
    mine = next((entry for entry in listed if entry.bot == bot.id), None)
    if mine is not None and mine.status == "entered":
        return mine
    _check_entry(hall, session, bot, mine=mine, listed=listed, by=by)
    fresh = EntryRow(session.id, bot.id, len(listed) + 1, "entered", hall.clock.wall_ms())
    change: Change = (
        fresh if mine is None else SetEntryStatus(session.id, bot.id, "entered", was=mine.status)
    )
    audit = _audit(hall, by or bot.id, "entry.enter", session.id, bot=bot.id)
    try:
        hall.store.write(change, audit)
    except Conflict as error:
        raise _NumberTaken from error
    hall.shelved.drop(session.id)
    _let_play(hall, session.id, bot.id)
    return fresh if mine is None else mine._replace(status="entered")


def _let_play(hall: Hall, session: str, bot: str) -> None:
    """A ladder that is being played has a bot more."""
    found = hall.sessions.get(session)
    if found is not None:
        found.out.pop(bot, None)
        hall.jobs.add("session", session)


def _check_entry(
    hall: Hall,
    session: SessionRow,
    bot: BotRow,
    *,
    mine: EntryRow | None,
    listed: list[EntryRow],
    by: str | None,
) -> None:
    plan = read_plan(orjson.loads(session.document))
    if bot.revoked:
        raise Conflict(bot.name, f"{bot.name} ({bot.id}) is revoked: restore it first")
    _check_open(session, plan, by=by)
    if by is None and not plan.roster.open:
        raise Forbidden(session.id, "only the organiser enters bots in this session")
    if mine is not None and mine.status == "disqualified" and by is None:
        raise Forbidden(session.id, "this bot was disqualified")
    _check_final(hall, plan, bot)
    _check_proven(plan, [bot])
    _check_room(hall, plan, bot, [entry for entry in listed if entry.status == "entered"])


def _check_open(session: SessionRow, plan: Plan, *, by: str | None) -> None:
    """May a session be entered now? A ladder also while it is being played, until it is closed."""
    allowed = ("open",) if by is None else ("created", "open")
    if plan.schedule.kind == LADDER and session.status in ("running", "paused"):
        if orjson.loads(session.schedule or "{}").get("to_come") == 0:
            raise Conflict(session.id, "this ladder is closed: no more rounds are drawn")
    elif session.status not in allowed:
        raise Conflict(session.id, f"this session cannot be entered: it is {session.status}")


def _check_final(hall: Hall, plan: Plan, bot: BotRow) -> None:
    if plan.schedule.kind == FINAL and bot.id not in finalists_of(hall, plan):
        raise Forbidden(bot.name, "only bots that can still win a prize play in this final")


def _check_proven(plan: Plan, bots: Iterable[BotRow]) -> None:
    """Where deals repeat, only bots play whose owner is proven. Raises Conflict."""
    if plan.deals == FRESH:
        return
    for bot in bots:
        if bot.kind == "bot" and not bot.proven:
            told = f"the owner of {bot.name!r} is not proven, and this session's deals repeat"
            how = "a bot needs a code of its owner, an organiser, or the token of such a bot"
            raise Conflict(bot.name, f"{told} ({plan.deals}): {how}")


def _check_room(hall: Hall, plan: Plan, bot: BotRow, entered: list[EntryRow]) -> None:
    if len(entered) >= plan.roster.max_bots:
        raise Conflict("session", f"the session is full: {plan.roster.max_bots} bots")
    # Older programs told owners apart by spelling; registration knows them by how they look.
    owned = sum(same_owner(hall.registry.row(entry.bot).owner, bot.owner) for entry in entered)
    if owned >= plan.roster.bots_per_owner:
        most = plan.roster.bots_per_owner
        raise Conflict("session", f"the owner has {owned} bots in this session; at most {most}")


def check_leaving(hall: Hall, session: str, bot: str) -> None:
    """May a bot withdraw itself? Raises NotFound, and Conflict once the session is over."""
    status = hall.session_row(session).status
    hall.registry.row(bot)
    if status in OVER:
        raise Conflict(session, f"nobody can leave this session any more: it is {status}")


def take_out(hall: Hall, session: str, bot: str, *, status: str, actor: str) -> EntryRow:
    """Withdraw or disqualify a bot; the referee answers for it from now on."""
    row = hall.registry.row(bot)
    hall.session_row(session)
    entry = hall.store.entry(session, row.id)
    if entry is None:
        raise NotFound(bot, f"{row.name} is not in this session")
    if entry.status in (status, "disqualified"):
        return entry
    hall.store.write(
        SetEntryStatus(session, row.id, status, was=entry.status),
        _audit(hall, actor, f"entry.{status}", session, bot=row.id),
    )
    _answer_for_from_now_on(hall, session, row.id, cause=status)
    return entry._replace(status=status)


def _answer_for_from_now_on(hall: Hall, session: str, bot: str, *, cause: str) -> None:
    found = hall.sessions.get(session)
    if found is None:
        hall.shelved.drop(session)
        return
    found.out[bot] = cause
    for table in tuple(found.tables.values()):
        if bot in table.players and table.hand is not None:
            hall.jobs.add("attend", table.hand.id)


def _audit(hall: Hall, actor: str, action: str, session: str, **more: str) -> AuditRow:
    detail = orjson.dumps({"session": session, **more}).decode()
    return AuditRow(hall.clock.wall_ms(), actor, action, detail)
