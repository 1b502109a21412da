"""Two referees at one session: whatever the order, the log is what one after the other has written.

On PostgreSQL they are two processes in all but name: each has a writer and connections of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError, NotHome
from arena.store import Store, open_store
from arena.store.cluster_rows import CheckLease, LeaseRow, MoveLease
from tests.postgres import Server
from tests.store.conftest import KINDS
from tests.store.processes import soon
from tests.store.rows import CUP, HAND, WORLD, step

AT_EAST = CheckLease(CUP.id, "east", 1)
TO_WEST = MoveLease(CUP.id, "west", 2, was_home="east", was_epoch=1)
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
MOVES = 12


def outcome(call: Callable[[], None]) -> ArenaError | None:
    try:
        call()
    except ArenaError as error:
        return error
    return None


@pytest.fixture(params=KINDS)
def referees(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """East, which is home, and west."""
    url = "memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'arena.db'}"
    with ExitStack() as closing:
        if request.param == "postgresql":
            server: Server = request.getfixturevalue("postgres")
            url = server.create()
            west = closing.enter_context(open_store(url))
            east = closing.enter_context(open_store(url))
        else:
            east = west = closing.enter_context(open_store(url))
        east.write(*WORLD, LeaseRow(CUP.id, "east", 1))
        yield east, west


def last_seq(store: Store) -> int:
    return store.steps(HAND.id)[-1].seq


class Home:
    """Writes step after step behind its lease until it has lost it; nothing else may stop it."""

    def __init__(self, store: Store, lease: CheckLease, first: int) -> None:
        self.acknowledged: list[int] = []
        self.moves_on = threading.Event()  # it has written something
        self._store = store
        self._lease = lease
        self._next = first

    def __call__(self) -> list[int]:
        while True:
            try:
                self._store.write(self._lease, step(self._next))
            except NotHome:
                return self.acknowledged
            self.acknowledged.append(self._next)
            self._next += 1
            if len(self.acknowledged) == 3:
                self.moves_on.set()


def test_however_often_a_session_moves_its_log_is_what_its_homes_have_written(
    referees: tuple[Store, Store],
) -> None:
    """Each new home goes on from what it reads once it has the lease. A step of the old one that
    came later would be in its way (a Conflict), or be missing from what that one has acknowledged.
    """
    written: list[int] = []
    with ThreadPoolExecutor(2) as pool:
        home = Home(referees[0], AT_EAST, 2)
        playing: Future[list[int]] = pool.submit(home)
        for epoch in range(2, MOVES + 2):
            assert home.moves_on.wait(60) or playing.result()
            taker, was = referees[(epoch - 1) % 2], ("west", "east")[epoch % 2 == 0]
            name = ("west", "east")[epoch % 2]
            taker.write(MoveLease(CUP.id, name, epoch, was_home=was, was_epoch=epoch - 1))
            home = Home(taker, CheckLease(CUP.id, name, epoch), last_seq(taker) + 1)
            successor = pool.submit(home)
            written += playing.result(60)
            playing = successor
        assert home.moves_on.wait(60) or playing.result()
        end = MoveLease(CUP.id, "nobody", MOVES + 2, was_home=name, was_epoch=MOVES + 1)
        referees[0].write(end)
        written += playing.result(60)
    assert written == list(range(2, len(written) + 2))
    assert len(written) >= 3 * (MOVES + 1)
    assert [row.seq for row in referees[1].steps(HAND.id)] == [0, *written]


# PostgreSQL: who moves a lease and who writes behind it wait for each other.


@pytest.fixture
def url(postgres: Server) -> str:
    """An empty database."""
    return postgres.create()


@pytest.fixture
def east(url: str) -> Iterator[Store]:
    """The store of the home."""
    with open_store(url) as opened:
        opened.write(*WORLD, LeaseRow(CUP.id, "east", 1))
        yield opened


@pytest.fixture
def west(url: str, east: Store) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


def set_on(store: Store, setting: str, value: str) -> None:
    """Set something on the connection with which a store writes."""
    store._engine._link.get().execute(f"SET {setting} = '{value}'")  # type: ignore[attr-defined]


@contextmanager
def before_commit(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Hold up the next commit of one store. Two events: it is about to commit; it may."""
    import psycopg

    about, may = threading.Event(), threading.Event()
    real = psycopg.Connection.execute
    its = store._engine._link.get()  # type: ignore[attr-defined]

    def execute(self: Any, query: Any, *arguments: Any, **more: Any) -> Any:
        if query == "COMMIT" and self is its and not about.is_set():
            about.set()
            assert may.wait(60)
        return real(self, query, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        try:
            yield about, may
        finally:
            may.set()


@pytest.mark.parametrize("leases", [1, 3])
def test_a_move_waits_for_the_commit_of_what_was_written_before_it(
    postgres: Server,
    url: str,
    east: Store,
    west: Store,
    monkeypatch: pytest.MonkeyPatch,
    leases: int,
) -> None:
    others = [LeaseRow(f"cup-{number}", "east", 1) for number in range(1, leases)]
    checks = (AT_EAST, *map(CheckLease._make, others))
    if others:
        east.write(*others)
    set_on(east, "idle_in_transaction_session_timeout", "60s")  # however slow this machine is
    set_on(west, "lock_timeout", "60s")
    with ThreadPoolExecutor(2) as pool, before_commit(monkeypatch, east) as (about, may):
        writing = pool.submit(outcome, lambda: east.write(*checks, step(2)))
        assert about.wait(60)
        moving = pool.submit(outcome, lambda: west.write(TO_WEST))
        assert soon(lambda: postgres.execute(WAITING, url) == [(1,)])
        assert not moving.done()
        assert west.lease(CUP.id) == LeaseRow(CUP.id, "east", 1)
        may.set()
        assert writing.result(60) is None
        assert moving.result(60) is None
    assert [row.seq for row in west.steps(HAND.id)] == [0, 2]
    refused = outcome(lambda: east.write(*checks, step(3)))
    assert isinstance(refused, NotHome)
    assert refused.session == CUP.id
    assert [row.seq for row in west.steps(HAND.id)] == [0, 2]
    assert west.lease(CUP.id) == LeaseRow(CUP.id, "west", 2)


@pytest.mark.parametrize("leases", [1, 3])
@pytest.mark.parametrize("moves", [False, True])
def test_a_write_waits_for_a_move_that_has_begun(
    postgres: Server, url: str, east: Store, leases: int, *, moves: bool
) -> None:
    import psycopg

    others = [LeaseRow(f"cup-{number}", "east", 1) for number in range(1, leases)]
    if others:
        east.write(*others)
    set_on(east, "lock_timeout", "60s")
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("UPDATE leases SET home = 'west', epoch = 2 WHERE session_id = 'spring-cup'")
        checks = (AT_EAST, *map(CheckLease._make, others))
        writing = pool.submit(outcome, lambda: east.write(*checks, step(2)))
        assert soon(lambda: postgres.execute(WAITING, url) == [(1,)])
        assert not writing.done()
        if moves:
            other.commit()
            assert isinstance(writing.result(60), NotHome)
        else:
            other.rollback()
            assert writing.result(60) is None
    assert [row.seq for row in east.steps(HAND.id)] == ([0] if moves else [0, 2])


def test_a_home_that_stops_in_the_midst_of_a_write_is_not_waited_for(
    east: Store, west: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under SIGSTOP: its transaction is open, it does not go on. When it does it is too late."""
    set_on(west, "lock_timeout", "60s")
    with ThreadPoolExecutor(2) as pool, before_commit(monkeypatch, east) as (about, may):
        writing = pool.submit(outcome, lambda: east.write(AT_EAST, step(2)))
        assert about.wait(60)
        west.write(TO_WEST)
        west.write(CheckLease(CUP.id, "west", 2), step(2, command='{"west":1}'))
        may.set()
        assert isinstance(writing.result(60), NotHome)
    assert [row.command for row in east.steps(HAND.id)[1:]] == ['{"west":1}']
    assert isinstance(outcome(lambda: east.write(AT_EAST, step(3))), NotHome)
    east.write(LeaseRow("autumn-cup", "east", 1))


def test_a_lease_that_is_checked_again_and_again_leaves_no_old_rows(
    postgres: Server, url: str, east: Store
) -> None:
    for seq in range(2, 22):
        east.write(AT_EAST, step(seq))
    (before,) = postgres.execute("SELECT ctid::text, xmin::text FROM leases", url)
    east.write(AT_EAST, step(22))
    assert postgres.execute("SELECT ctid::text, xmin::text FROM leases", url) == [before]
