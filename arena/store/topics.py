"""Topics: what a committed change is about, as one word or two that fit into a notification.

`hand ID EVENTS` (its log has so many events now), `table ID`, `session ID`, `bot ID`. Whoever hears
a topic reads the rows; a topic is a hint. This module imports the port only and does no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.store.port import (
    BotRow,
    Change,
    DropBot,
    DropSession,
    EntryRow,
    RestoreBot,
    RevokeBot,
    RevokeOrganiser,
    SetDocument,
    SetEntryStatus,
    SetName,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    StepRow,
    TableRow,
)

LONGEST = 7_900
"""Bytes of one message; PostgreSQL takes fewer than 8,000."""


def topic(change: Change) -> str | None:
    """What to tell the other processes of a change, None if it concerns none of them."""
    match change:
        case StepRow():
            return f"hand {change.hand} {change.seq + change.event_count}"
        case SetTableStatus():
            return f"table {change.table}"
        case EntryRow() | SetEntryStatus() | SetSessionStatus() | SetSchedule() | TableRow():
            return f"session {change.session}"
        case SetDocument() | DropSession():
            return f"session {change.session}"
        case BotRow():
            return f"bot {change.id}"
        case SetName() | SetToken() | RevokeBot() | RevokeOrganiser() | RestoreBot() | DropBot():
            return f"bot {change.bot}"
        case _:
            return None


def messages(changes: Iterable[Change]) -> tuple[str, ...]:
    """The topics of a batch, each once, as lines of as few messages as they fit in.

    Of a hand's steps only the last is told. A round's first deals come after its session.
    """
    last: dict[str, str] = {}
    for change in changes:
        about = topic(change)
        if about is not None:
            kind, name = about.split(" ")[:2]
            last[f"{kind} {name}"] = about
    ordered = sorted(last.values(), key=lambda topic: topic.startswith("hand "))
    return tuple(_messages(ordered))


def _messages(topics: Iterable[str]) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    for each in topics:
        length = len(each.encode()) + 1
        if size + length > LONGEST:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(each)
        size += length
    if lines:
        yield "\n".join(lines)


def read_message(message: str) -> tuple[str, ...]:
    """The topics of one message."""
    return tuple(message.splitlines())
