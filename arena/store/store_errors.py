"""What is said when a change cannot be made: one text for all kinds of stores.

A store finds out *that* a change failed in its own way (a constraint, a missing key); *what* its
caller is told is decided here. This module may import `arena.errors` and the port, and does no I/O.
"""

from __future__ import annotations

from arena.errors import ArenaError, BadInput, Conflict, NotFound, NotHome
from arena.store.bot_changes import CheckChances, SetChance
from arena.store.cluster_rows import (
    Beat,
    CheckLease,
    DropLease,
    DropReferee,
    LeaseRow,
    MoveLease,
    RefereeRow,
    SetRefereeStatus,
)
from arena.store.notice_rows import (
    DeliveryRow,
    DropDeliveries,
    DropNotices,
    NoticeRow,
    NumberNotice,
    PostponeDeliveries,
    SetDelivery,
    TrimNotices,
)
from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    CounterRow,
    DropBot,
    DropCounter,
    DropEntry,
    DropHand,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EndHand,
    EntryRow,
    HandRow,
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SessionRow,
    SetDocument,
    SetEntryStatus,
    SetName,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    StepRow,
    TableRow,
    UseCode,
)
from arena.store.time_rows import DropTime, DropTimes, SettleTime, TimeRow


def subject(change: Change) -> str:
    """What a change is about, for people. Never a secret, a token or a code, nor their hashes."""
    match change:
        case StepRow():
            return f"step {change.seq} of hand {change.hand!r}"
        case BotRow():
            return f"bot {change.name!r} ({change.id})"
        case EntryRow() | SetEntryStatus() | SetChance() | DropEntry():
            return f"the entry of bot {change.bot!r} in session {change.session!r}"
        case CheckChances():
            return f"what the bots of session {change.session!r} give to chance"
        case SetToken() | RevokeBot() | RevokeOrganiser() | RestoreBot() | DropBot():
            return f"bot {change.bot!r}"
        case SetOwnerKey() | SetName() | SetNameKey():
            return f"bot {change.bot!r}"
        case SetSessionStatus() | SetDocument() | SetSchedule() | DropSession():
            return f"session {change.session!r}"
        case TableRow():
            return f"table {change.id!r} (round {change.round}, number {change.number})"
        case HandRow():
            return f"hand {change.id!r}"
        case SessionRow():
            return f"session {change.id!r}"
        case SetTableStatus() | DropTable():
            return f"table {change.table!r}"
        case EndHand() | DropHand():
            return f"hand {change.hand!r}"
        case DropSteps():
            return f"the log of hand {change.hand!r}"
        case CodeRow():
            return f"enrolment code {change.label!r}"
        case UseCode() | RevokeCode():
            return "the enrolment code"
        case CounterRow() | AddOne() | DropCounter():
            return f"the instant {change.key!r}"
        case NoteRow() | SetNote() | DropNote():
            return f"the note {change.key!r}"
        case NoticeRow() | NumberNotice() | TrimNotices():
            return f"the notices of bot {change.bot!r}"
        case DropNotices():
            return f"the notices of session {change.session!r}"
        case DeliveryRow():
            return f"delivery {change.id!r}"
        case SetDelivery():
            return f"delivery {change.delivery!r}"
        case DropDeliveries() | PostponeDeliveries():
            return f"the deliveries of session {change.session!r}"
        case TimeRow() | SettleTime() | DropTime():
            return f"the time `{change.what}` of session {change.session!r}"
        case DropTimes():
            return f"the times of session {change.session!r}"
        case RefereeRow() | Beat() | SetRefereeStatus() | DropReferee():
            return f"referee {change.name!r}"
        case LeaseRow() | MoveLease() | CheckLease() | DropLease():
            return f"the lease of session {change.session!r}"
        case AuditRow():
            return f"the audit of {change.action!r}"


def clash(change: Change) -> Conflict:
    """The key of a new row, or another value that must be unique, is there already."""
    about = subject(change)
    if isinstance(change, SetOwnerKey):
        return Conflict(about, f"{about} cannot have this owner: another bot has brought it in")
    if isinstance(change, SetToken | RestoreBot):
        return Conflict(about, f"{about} cannot have this token: it belongs to a bot already")
    if isinstance(change, SetName):
        return Conflict(
            about, f"{about} cannot be called {change.name!r}: another one is, or looks so"
        )
    if isinstance(change, SetNameKey):
        return Conflict(about, f"{about} looks like another one by its name")
    return Conflict(about, f"{about}, or one that excludes it, is there already")


def orphan(change: Change) -> NotFound | Conflict:
    """A new row names another row that is not there; or others still name a row to be dropped."""
    about = subject(change)
    if isinstance(change, DropHand | DropTable | DropSession | DropBot):
        return Conflict(about, f"{about} still has something that belongs to it")
    return NotFound(about, f"{about} belongs to something that is not there")


def missed(change: Change) -> Conflict | NotFound | NotHome:
    """A change of a row found no row to change."""
    about = subject(change)
    match change:
        case SetSessionStatus() | SetEntryStatus() | SetTableStatus():
            return Conflict(about, f"{about} is not {change.was!r} (any more)")
        case SetChance():
            return Conflict(about, f"{about} has bytes for chance already, or is not there")
        case CheckChances():
            return Conflict(about, f"{about} has changed just now, or there is no such session")
        case SetDelivery():
            return Conflict(about, f"{about} is looked after by another process, or is over")
        case SetNote():
            return Conflict(about, f"{about} reads otherwise by now, or is not there")
        case SetSchedule():
            return Conflict(about, f"{about} has another schedule by now, or is not there")
        case SetName():
            return Conflict(about, f"{about} is not called {change.was!r} (any more)")
        case SetDocument():
            return Conflict(
                about, f"{about} has another document or status by now, or is not there"
            )
        case SettleTime() | DropTime():
            return Conflict(about, f"{about} is settled or another by now, or is not there")
        case Beat() | SetRefereeStatus() | DropReferee():
            return Conflict(about, f"{about} runs anew by now, or is not there")
        case MoveLease():
            return Conflict(about, f"{about} is another one by now, or is not there")
        case CheckLease() | DropLease():
            return NotHome(change.session)
        case EndHand():
            return Conflict(about, f"{about} is not 'playing' (any more)")
        case RevokeOrganiser():
            return Conflict(about, f"{about} is the last organiser, or is none")
        case UseCode():
            return Conflict(about, f"{about} is unknown, used up, revoked or expired")
        case _:
            return NotFound(about, f"{about} is not there")


def misfit(change: Change) -> ArenaError:
    """A row has a value that can be in no row."""
    return BadInput("a row", subject(change), "a value in every field that needs one, in its range")
