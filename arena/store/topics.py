"""Topics: what a committed change is about, as two words that fit into a notification.

`session ID` (its status, its document, who is entered in it), `bot ID`, `lease SESSION`, `referee
NAME`. Nobody but the home of a session follows its tables and hands, so of these there are none.
Whoever hears a topic reads the rows; a topic is a hint. This module imports the port and the rows
only and does no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from arena.store.cluster_rows import (
    DropLease,
    DropReferee,
    LeaseRow,
    MoveLease,
    RefereeRow,
    SetRefereeStatus,
)
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
    SetSessionStatus,
    SetToken,
)

LONGEST = 7_900
"""Bytes of one message; PostgreSQL takes fewer than 8,000."""


KINDS: Mapping[type, str] = MappingProxyType(
    dict.fromkeys((EntryRow, SetEntryStatus, SetSessionStatus, SetDocument, DropSession), "session")
    | dict.fromkeys(
        (BotRow, SetName, SetToken, RevokeBot, RevokeOrganiser, RestoreBot, DropBot), "bot"
    )
    | dict.fromkeys((LeaseRow, MoveLease, DropLease), "lease")
    | dict.fromkeys((RefereeRow, SetRefereeStatus, DropReferee), "referee")
)
"""What changes are about, if other processes hear of it; the first field of each has the name."""


def topic(change: Change) -> str | None:
    """What other processes hear of a change, None if it concerns none of them."""
    kind = KINDS.get(type(change))
    return None if kind is None else f"{kind} {change[0]}"


def messages(changes: Iterable[Change]) -> tuple[str, ...]:
    """The topics of a batch, each once, as lines of as few messages as they fit in."""
    topics = dict.fromkeys(map(topic, changes))
    return tuple(_messages(about for about in topics if about is not None))


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
