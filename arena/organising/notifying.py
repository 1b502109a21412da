"""Notifying: who is told of what organisers do, and where the messages of a session go.

What a bot is told and what is sent are written with what they report (`arena.notices`); a reason is
told to the bot that it concerns, and to the public where the session says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.documents import Document
from arena.errors import Conflict, NotFound
from arena.notices.addresses import check_allowed, read_allowed
from arena.notices.recording import TEST, delivery, message, notice, notices
from arena.notices.subscriptions import Subscription, change, note_key, subscription
from arena.organising.publishing import audit_row
from arena.referee.clock import ArenaClock
from arena.referee.context import Ports, Sources
from arena.referee.live import Session
from arena.referee.runner import rounds_over
from arena.session.config import SessionConfig
from arena.session.notices import CANCELLED, DISQUALIFIED, STARTED, WITHDRAWN
from arena.session.notify_config import Notify, read_notify, read_target
from arena.settings import Settings
from arena.statuses import ENTERABLE, EntryStatus
from arena.store.notice_rows import DropDeliveries, DropNotices
from arena.store.port import BotRow, Change, DropNote, SessionRow, Store
from arena.store.reading import all_entries, session_row

TRIES = 5
START, CANCEL = "start", "cancel"
MESSAGES: Mapping[str, str] = {
    "open": "session.opened",
    "close": "session.closed",
    START: "session.started",
    "pause": "session.paused",
    "resume": "session.resumed",
    "end": "session.ending",
    CANCEL: "session.cancelled",
}
"""What is sent, by the action."""
NOTICES = {START: STARTED, CANCEL: CANCELLED}
"""What the bots of a session are told, by the action."""
TAKEN_OUT = {EntryStatus.WITHDRAWN: WITHDRAWN, EntryStatus.DISQUALIFIED: DISQUALIFIED}


def check_notify(settings: Settings, wanted: Notify) -> None:
    """Raises Forbidden where the operator does not allow the address."""
    check_allowed(read_allowed(settings.notify_allow), read_target(wanted.url))


def status_changes(ports: Ports, session: Session, action: str, *, reason: str) -> list[Change]:
    """What is told when a session is opened, started, cancelled ..."""
    now_ms, found = ports.clock.wall_ms(), list[Change]()
    if action in NOTICES:
        listed = all_entries(ports.store, session.id)
        bots = [entry.bot for entry in listed if entry.status == EntryStatus.ENTERED]
        own = {"reason": reason or None} if action == CANCEL else {}
        found += notices(bots, session.id, NOTICES[action], data=own, now_ms=now_ms)
    public = {"name": session.config.name, **_public_reason(session.config, reason)}
    found += message(ports.store, session.id, MESSAGES[action], data=public, now_ms=now_ms)
    return found


def taken_out_changes(
    sources: Sources, row: SessionRow, bot: BotRow, *, status: EntryStatus, actor: str, reason: str
) -> list[Change]:
    """What is told when a bot is withdrawn or disqualified."""
    now_ms, session = sources.clock.wall_ms(), sources.in_play.session(row.id)
    own = {"by": "bot" if actor == bot.id else "organiser", "reason": reason or None}
    notices = notice(bot.id, row.id, TAKEN_OUT[status], data=own, now_ms=now_ms)
    board = sources.in_play.display_names(session, staff=False)
    if board.hidden and row.status in ENTERABLE:  # who has entered is not public yet
        return notices
    public = {**board.shown(bot.id, bot.name), **_public_reason(session.config, reason)}
    return [*notices, *message(sources.store, row.id, f"bot.{status}", data=public, now_ms=now_ms)]


def _public_reason(config: SessionConfig, reason: str) -> Document:
    return {"reason": reason} if reason and config.publish_reasons else {}


def other_notify(ports: Ports, session: str, given: object) -> Notify | None:
    """What a document wants that replaces another one; None where that is so already, or it wants
    nothing. Raises BadInput, Forbidden."""
    wanted = read_notify(given)
    if wanted is None:
        return None
    check_notify(ports.settings, wanted)
    known = subscription(ports.store, session)
    same = known is not None and known.url == wanted.url
    own_secret = isinstance(given, Mapping) and given.get("secret") is not None
    return None if same and not own_secret else wanted


def created_changes(
    clock: ArenaClock, session: str, wanted: Notify | None, *, actor: str
) -> list[Change]:
    """What a new session is written with, if it wants messages."""
    if wanted is None:
        return []
    detail = {"session": session, "host": read_target(wanted.url).host}
    after = Subscription(wanted.url, wanted.secret)
    return [*change(session, None, after), audit_row(clock, actor, "notify.set", detail)]


def set_notify(sources: Sources, session: str, wanted: Notify, *, actor: str) -> None:
    """Send the messages of a session to an address from now on. Raises Forbidden, NotFound."""
    check_notify(sources.settings, wanted)
    live = sources.in_play.session(session)
    after = Subscription(wanted.url, wanted.secret, rounds_over(live))
    target = read_target(wanted.url)
    _decide(sources, session, after, actor=actor, action="notify.set", detail={"host": target.host})


def remove_notify(ports: Ports, session: str, *, actor: str) -> None:
    """Send nothing any more. Raises NotFound if nothing was sent."""
    _subscribed(ports.store, session)
    _decide(ports, session, None, actor=actor, action="notify.remove", detail={})


def _decide(
    ports: Ports,
    session: str,
    after: Subscription | None,
    *,
    actor: str,
    action: str,
    detail: Document,
) -> None:
    for attempt in range(TRIES):
        session_row(ports.store, session)
        before = subscription(ports.store, session)
        audit = audit_row(ports.clock, actor, action, {"session": session, **detail})
        try:
            ports.store.write(*change(session, before, after), audit)
        except Conflict:
            if attempt == TRIES - 1:
                raise
        else:
            return


def _subscribed(store: Store, session: str) -> Subscription:
    session_row(store, session)
    known = subscription(store, session)
    if known is None:
        raise NotFound(session, f"session {session!r} sends no messages")
    return known


def send_test(ports: Ports, session: str, *, actor: str) -> str:
    """Put a message into the outbox that says nothing; its id. Raises NotFound."""
    _subscribed(ports.store, session)
    now_ms = ports.clock.wall_ms()
    sent = delivery(session, TEST, data={}, now_ms=now_ms)
    detail = {"session": session, "message": sent.id}
    ports.store.write(sent, audit_row(ports.clock, actor, "notify.test", detail))
    return sent.id


def dropped(store: Store, session: str) -> list[Change]:
    """What takes away all that was told of a session that is dropped."""
    key = note_key(session)
    note: list[Change] = [] if store.note(key) is None else [DropNote(key)]
    return [DropNotices(session), DropDeliveries(session), *note]
