"""What of a session's results is public: live, frozen or embargoed, and which tables are void.

Results are live (everybody sees them as they come), frozen (everybody sees what had been counted
when they were frozen) or embargoed (nobody sees any, until an instant or until they are published).
Organisers always see all. The session's secret is public when the session is over and its results
are live: not before, so that tables can be replayed with deals that nobody knows.

All of it is one note of the store for each session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import orjson

from arena.statuses import OVER, ResultsMode


class Void(NamedTuple):
    """Why a table does not count. replay: the table that is played in its stead. finished,
    forfeited: how many hands it had."""

    reason: str
    at_ms: int
    replay: str | None = None
    finished: int = 0
    forfeited: int = 0


@dataclass(frozen=True, kw_only=True)
class Publication:
    """What was decided. since_ms: when. until_ms: the end of an embargo, None: not set.

    tables, out: when frozen, the tables that counted and the bots that had left, with the cause;
    they stay when the results are shown again, so that the way from there to the end can be shown.
    frozen_ms: when that was, 0 if never.
    revealed: the secret was public before results were withheld again. voids: by table. text:
    the note as it was read, None if there was none.
    """

    mode: str = ResultsMode.LIVE
    since_ms: int = 0
    until_ms: int | None = None
    frozen_ms: int = 0
    tables: tuple[str, ...] = ()
    out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    revealed: bool = False
    voids: Mapping[str, Void] = field(default_factory=lambda: MappingProxyType({}))
    text: str | None = None

    def at(self, now_ms: int) -> str:
        """What holds at an instant: an embargo may have ended."""
        ended = self.until_ms is not None and self.until_ms <= now_ms
        return ResultsMode.LIVE if ended else self.mode

    def as_frozen(self) -> Publication:
        """What held while the results were frozen for the last time."""
        return replace(self, mode=ResultsMode.FROZEN, since_ms=self.frozen_ms, until_ms=None)

    def tells_secret(self, status: str, now_ms: int) -> bool:
        """Is the secret of a session of this status public?"""
        return status in OVER and (self.revealed or self.at(now_ms) == ResultsMode.LIVE)


def note_key(session: str) -> str:
    """Under which key the note of a session lies."""
    return f"publication/{session}"


def read_publication(text: str | None) -> Publication:
    """What a note says; None: there is none."""
    if text is None:
        return Publication()
    members = orjson.loads(text)
    voids = {table: Void(*each) for table, each in members.pop("voids").items()}
    tables = tuple(members.pop("tables"))
    return Publication(**members, tables=tables, voids=voids, text=text)


def write_publication(publication: Publication) -> str:
    """The note that says it."""
    members = {
        "mode": publication.mode,
        "since_ms": publication.since_ms,
        "until_ms": publication.until_ms,
        "frozen_ms": publication.frozen_ms,
        "tables": publication.tables,
        "out": dict(publication.out),
        "revealed": publication.revealed,
        "voids": {table: tuple(each) for table, each in publication.voids.items()},
    }
    return orjson.dumps(members).decode()
