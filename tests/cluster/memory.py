"""Several referees on one memory store and one clock, which tell each other as processes do.

Nothing happens by itself: a referee that makes no step knows only what it has written or read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any

import pytest

from arena.application import Referee
from arena.cluster.cluster import Cluster
from arena.errors import Unavailable
from arena.settings import Settings
from arena.store.memory import MemoryEngine
from arena.store.port import Change, OnTopics
from arena.store.sql import SqlStore
from arena.store.topics import messages, read_message
from tests.referee.table import Arena, FakeClock

LEASE_MS = 1_500
BEAT_MS = LEASE_MS // 5


class Database:
    """A database that several processes share. lines: of those that are connected. holders: which
    of them holds the lock of a name."""

    def __init__(self) -> None:
        self.engine = MemoryEngine()
        self.lines: list[Line] = []
        self.holders: dict[str, Line] = {}

    def connect(self) -> Line:
        """One more process."""
        line = Line(self)
        self.lines.append(line)
        return line


class Line:
    """The engine of one process, and its locks of names. cut: the database cannot be reached;
    barred: it takes no writes; deaf: nothing is heard of what others write."""

    shared = True

    def __init__(self, database: Database) -> None:
        self._database = database
        self._on_topics: OnTopics | None = None
        self.cut = False
        self.barred = False
        self.deaf = False
        self.process = token_hex(8)

    def end(self, process: str) -> None:
        """There are no transactions that stand still."""

    def follow(self, on_topics: OnTopics) -> None:
        self._on_topics = on_topics

    def while_unwritable(self, waiting: object) -> None:
        """There is no file."""

    def now_ms(self) -> int | None:
        return None

    def submit(self, changes: tuple[Change, ...]) -> None:
        self._reach()
        if self.barred:
            raise Unavailable("the database: cannot execute INSERT in a read-only transaction")
        self._database.engine.submit(changes)
        for line in self._database.lines:
            if line is not self and line._on_topics is not None and not (line.deaf or line.cut):
                for message in messages(changes):
                    line._on_topics(read_message(message))

    def rows(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        self._reach()
        return self._database.engine.rows(sql, parameters)

    def queued(self) -> int:
        return 0

    def name_locks(self) -> Line:
        return self

    def take(self, name: str) -> bool:
        self._reach()
        return self._database.holders.setdefault(name, self) is self

    def held(self, names: Sequence[str]) -> frozenset[str]:
        self._reach()
        return frozenset(names) & self._database.holders.keys()

    def die(self) -> None:
        """The process is killed: its connections are gone."""
        self._database.lines.remove(self)
        self.release()
        self.cut = True

    def release(self) -> None:
        """The connection that holds the locks is lost."""
        holders = self._database.holders
        for name in [name for name, line in holders.items() if line is self]:
            del holders[name]

    def close(self) -> None:
        self.release()

    def _reach(self) -> None:
        if self.cut:
            raise Unavailable("the database cannot be reached")


class Member(Arena):
    """One referee of several."""

    def __init__(self, database: Database, clock: FakeClock, name: str) -> None:
        self.line = database.connect()
        self.name = name
        store = SqlStore(self.line)
        self.store = store
        self.clock = clock
        self.bots: dict[str, str] = {}
        settings = Settings(registration="closed", cluster_name=name, lease_ms=LEASE_MS)
        self.referee = Referee(store, clock=clock, settings=settings)
        self.referee.start(threads=False)

    @property
    def cluster(self) -> Cluster:
        """Its part in the cluster."""
        assert self.referee.cluster is not None
        return self.referee.cluster

    def step(self) -> None:
        """Beat, look, deal with what has changed."""
        self.referee.sweep()

    def plays(self, session: str = "cup") -> bool:
        """Is this the home of a session, by its own knowledge?"""
        return self.cluster.home_of_session(session) == self.name

    def kill(self) -> None:
        """As `kill -9` does."""
        self.line.die()


class Several:
    """So many referees, called a, b, c ...; all have the same bots. store: what lies in the
    database, past all of them."""

    def __init__(self, count: int = 2) -> None:
        self.database = Database()
        self.store = SqlStore(self.database.engine)
        self.clock = FakeClock()
        self.members: list[Member] = []
        for _ in range(count):
            self.add()
        self.step()

    def add(self, name: str = "") -> Member:
        """One more referee."""
        member = Member(self.database, self.clock, name or "abcdefgh"[len(self.members)])
        if self.members:
            member.bots = self.members[0].bots
        self.members.append(member)
        return member

    @property
    def alive(self) -> list[Member]:
        """Those that have not been killed."""
        return [member for member in self.members if member.line in self.database.lines]

    def step(self) -> None:
        """Each one that can makes a step, twice, so that all know what the others have done."""
        for member in [*self.alive, *self.alive]:
            if not member.line.cut:
                member.step()

    def pass_ms(self, ms: int) -> None:
        """Let time pass while all live."""
        while ms > 0:
            self.clock.pass_ms(min(ms, BEAT_MS))
            ms -= BEAT_MS
            self.step()

    def move(self, to: Member, session: str = "cup") -> None:
        """Have the home of a session hand it over."""
        self.home(session).cluster.move(session, to.name, "admin")
        self.step()

    def restart(self, member: Member) -> Member:
        """A referee is killed, and begins again under its name."""
        if member in self.alive:
            member.kill()
        fresh = Member(self.database, self.clock, member.name)
        fresh.bots = member.bots
        self.members[self.members.index(member)] = fresh
        return fresh

    def home(self, session: str = "cup") -> Member:
        """The member that plays a session."""
        return next(member for member in self.alive if member.plays(session))


def before_a_write(
    monkeypatch: pytest.MonkeyPatch, member: Member, kind: type, act: Callable[[], object]
) -> None:
    """Once, something happens just before a referee writes a change of this kind."""
    writing = member.line.submit

    def submit(changes: tuple[Change, ...]) -> None:
        if any(isinstance(change, kind) for change in changes):
            monkeypatch.undo()
            act()
        writing(changes)

    monkeypatch.setattr(member.line, "submit", submit)
