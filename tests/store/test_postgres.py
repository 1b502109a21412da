"""PostgreSQL: several processes at once, lost connections, commits in doubt, the far bell."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from arena.errors import ArenaError, BadInput, Conflict, Unavailable
from arena.settings import Settings
from arena.store import Store, open_store
from arena.store.cluster_rows import LeaseRow
from arena.store.migrations import MIGRATIONS, Migration
from arena.store.port import (
    AddOne,
    CounterRow,
    EndHand,
    RevokeBot,
    RevokeOrganiser,
)
from tests.postgres import Server
from tests.store.processes import python, soon
from tests.store.rows import ALICE, BOB, CUP, DEAL, HAND, WORLD, bot, step

NEXT = len(MIGRATIONS) + 1
COLUMN = Migration(NEXT, "a column", ("ALTER TABLE bots ADD COLUMN motto TEXT",))
INDEX = Migration(NEXT + 1, "an index", ("CREATE INDEX mottos ON bots (motto)",))
BROKEN = Migration(NEXT + 1, "broken", ("CREATE TABLE extra (id TEXT)", "CREATE TABLE bots (id)"))
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name LIKE 'daifugo-arena%'"
)
SETTING = "default_transaction_read_only"


@pytest.fixture
def url(postgres: Server) -> str:
    """An empty database."""
    return postgres.create()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A store in which a hand has been dealt."""
    with open_store(url) as opened:
        opened.write(*WORLD)
        yield opened


def open_with(url: str, *migrations: Migration) -> Store:
    from arena.store.postgres import open_postgres

    return open_postgres(url, migrations=(*MIGRATIONS, *migrations))


def version(postgres: Server, url: str) -> int:
    (row,) = postgres.execute("SELECT MAX(number) FROM arena_version", url)
    return int(row[0])


# Migrations.


def test_any_number_of_processes_may_start_on_an_empty_database(postgres: Server, url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_with(url, COLUMN, INDEX), range(8)))
    for opened in stores:
        opened.write(bot(stores.index(opened)))
    assert len(stores[0].bots()) == 8
    assert version(postgres, url) == INDEX.number
    for opened in stores:
        opened.close()


def test_a_migration_that_fails_leaves_the_version_before_it(postgres: Server, url: str) -> None:
    open_store(url).close()
    with pytest.raises(Unavailable):
        open_with(url, COLUMN, BROKEN)
    assert version(postgres, url) == COLUMN.number
    open_with(url, COLUMN, INDEX).close()
    assert version(postgres, url) == INDEX.number


def test_a_database_that_takes_no_writes_is_refused_in_words(url: str) -> None:
    """As a standby, or one that somebody has made read-only; also if it is up to date."""
    open_store(url).close()
    barred = f"{url}%20-c{SETTING}%3Don"
    with pytest.raises(Unavailable, match="read-only transaction"):
        open_store(barred)
    with open_store(barred, readonly=True) as reader:
        assert reader.leases() == ()


@pytest.mark.parametrize("beats", [True, False])
def test_a_database_that_an_older_referee_uses_is_not_brought_up_to_date(
    postgres: Server, url: str, monkeypatch: pytest.MonkeyPatch, *, beats: bool
) -> None:
    """It would go on, and could never be started again."""
    from arena.store import postgres_schema
    from arena.store.postgres import open_postgres

    old = open_postgres(url, migrations=MIGRATIONS[:7])
    old.write(CounterRow("alive", 1))

    def wait(seconds: float) -> None:
        if beats and 1000 * seconds > 2 * Settings().heartbeat_ms:  # it may look just before
            old.write(CounterRow("alive", 501))

    monkeypatch.setattr(postgres_schema.time, "sleep", wait)
    refusal = outcome(lambda: open_store(url).close())
    old.close()
    assert version(postgres, url) == (7 if beats else len(MIGRATIONS))
    assert isinstance(refusal, BadInput) if beats else refusal is None
    assert not beats or "is 'in use'; expected one that no referee of an older" in str(refusal)


@pytest.mark.parametrize("readonly", [False, True])
def test_a_database_of_a_newer_program_is_refused(url: str, *, readonly: bool) -> None:
    open_with(url, COLUMN).close()
    with pytest.raises(BadInput, match="written by a newer program"):
        open_store(url, readonly=readonly)


def test_a_database_of_another_program_is_not_touched(postgres: Server, url: str) -> None:
    postgres.execute("CREATE TABLE invoices (id INT)", url)
    with pytest.raises(BadInput, match="one made by this program"):
        open_store(url)
    assert postgres.execute("SELECT to_regclass('bots') IS NULL", url) == [(True,)]


def test_who_only_reads_changes_nothing(url: str, store: Store) -> None:
    with open_store(url, readonly=True) as reader:
        assert reader.steps(HAND.id) == (DEAL,)
        with pytest.raises(Unavailable, match="for reading only"):
            reader.write(step(2))


def test_who_only_reads_makes_no_tables(url: str) -> None:
    with pytest.raises(BadInput, match="opening it once for writing"):
        open_store(url, readonly=True)


# Several writers.


def test_of_two_processes_that_append_at_one_seq_exactly_one_wins(url: str, store: Store) -> None:
    with open_store(url) as other:

        def append(attempt: tuple[Store, int]) -> bool:
            try:
                attempt[0].write(step(attempt[1]))
            except Conflict:
                return False
            return True

        attempts = [(one, seq) for seq in range(2, 62) for one in (store, other)]
        with ThreadPoolExecutor(16) as pool:
            won = list(pool.map(append, attempts))
        assert [one + two for one, two in zip(won[::2], won[1::2], strict=True)] == [1] * 60
        assert [each.seq for each in other.steps(HAND.id)] == [0, *range(2, 62)]


def test_opposite_orders_of_two_processes_end_in_no_deadlock(url: str, store: Store) -> None:
    with open_store(url) as other:
        writes = [(store, (2, 3)), (other, (3, 2)), (store, (5, 4)), (other, (4, 5))]

        def write(attempt: tuple[Store, tuple[int, int]]) -> bool:
            try:
                attempt[0].write(*map(step, attempt[1]))
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(write, writes)) == 2


def test_a_row_that_another_process_is_writing_is_waited_for(
    postgres: Server, url: str, store: Store
) -> None:
    import psycopg

    for commit in (False, True):
        with psycopg.connect(url) as other:
            other.execute("INSERT INTO steps VALUES (%s, 2, 1, '', '', '', 1, '')", (HAND.id,))
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(outcome, lambda: store.write(step(2)))
                time.sleep(0.8)  # longer than a lock is waited for at a time
                assert not waiting.done()
                if commit:
                    other.commit()
                    assert isinstance(waiting.result(), Conflict)
                else:
                    other.rollback()
                    assert waiting.result() is None
                    postgres.execute("DELETE FROM steps WHERE seq = 2", url)


def test_of_two_organisers_who_revoke_each_other_at_two_processes_one_is_left(
    postgres: Server, url: str, store: Store
) -> None:
    """The other process has begun, and commits while we wait for it."""
    import psycopg

    anna, bert = (bot(number)._replace(kind="admin") for number in (7, 8))
    store.write(anna, bert, AddOne("organisers"))
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("UPDATE life SET at_ms = at_ms + 1 WHERE name = 'organisers'")
        other.execute("UPDATE bots SET revoked = TRUE WHERE id = %s", (bert.id,))
        changes = AddOne("organisers"), RevokeOrganiser(anna.id)
        waiting = pool.submit(outcome, lambda: store.write(*changes))
        assert soon(lambda: postgres.execute(WAITING, url) == [(1,)])
        other.commit()
        assert isinstance(waiting.result(), Conflict)
    assert [each.revoked for each in store.staff()] == [False, True]


def test_however_often_organisers_revoke_each_other_one_is_left(url: str, store: Store) -> None:
    left = bot(10)._replace(kind="admin")
    store.write(left)
    with open_store(url) as other, ThreadPoolExecutor(2) as pool:

        def revoke(attempt: tuple[Store, str]) -> ArenaError | None:
            changes = AddOne("organisers"), RevokeOrganiser(attempt[1])
            return outcome(lambda: attempt[0].write(*changes))

        for number in range(11, 41):
            fresh = bot(number)._replace(kind="admin")
            store.write(fresh)
            refused = list(pool.map(revoke, [(store, left.id), (other, fresh.id)]))
            [left] = [each for each in store.staff() if not each.revoked]
            assert sum(isinstance(error, Conflict) for error in refused) == 1


def outcome(call: Callable[[], None]) -> ArenaError | None:
    try:
        call()
    except ArenaError as error:
        return error
    return None


# Lost connections.


def test_a_lost_connection_costs_no_caller_anything(postgres: Server, store: Store) -> None:
    for seq in range(2, 6):
        postgres.execute(BACKENDS)
        store.write(step(seq))
        postgres.execute(BACKENDS)
        assert store.steps(HAND.id)[-1].seq == seq


def test_a_server_that_is_away_is_unavailable_and_then_comes_back(
    postgres: Server, store: Store
) -> None:
    postgres.stop(crash=True)
    try:
        for _ in range(3):
            with pytest.raises(Unavailable, match="the database"):
                store.write(step(2))
            with pytest.raises(Unavailable, match="the database"):
                store.steps(HAND.id)
    finally:
        postgres.start()
    assert soon(lambda: outcome(lambda: store.write(step(2))) is None)
    assert [each.seq for each in store.steps(HAND.id)] == [0, 2]


def break_commits(monkeypatch: pytest.MonkeyPatch, *, arrived: bool) -> list[str]:
    """The connection breaks once while a commit is on its way: before or after it got there."""
    import psycopg

    real = psycopg.Connection.execute
    lost: list[str] = []

    def execute(self: Any, query: Any, *arguments: Any, **more: Any) -> Any:
        if query != "COMMIT" or lost:
            return real(self, query, *arguments, **more)
        if arrived:
            real(self, query)
            with self.pipeline() as pipeline:
                pipeline.sync()
        lost.append(query)
        self.close()
        raise psycopg.OperationalError("the connection was closed")

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    return lost


@pytest.mark.parametrize("arrived", [False, True])
def test_a_commit_whose_answer_was_lost_is_made_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, *, arrived: bool
) -> None:
    lost = break_commits(monkeypatch, arrived=arrived)
    store.write(step(2), EndHand(HAND.id, "finished", "{}", 1))
    assert lost
    assert [each.seq for each in store.steps(HAND.id)] == [0, 2]
    with pytest.raises(Conflict):
        store.write(step(2))


class TimesOut:
    """When nothing could be written: "" for a while that ended well, else the error."""

    def __init__(self, store: Store) -> None:
        self.ended: list[str] = []
        store.while_unwritable(self.waiting)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        try:
            yield
        except Unavailable as error:
            self.ended.append(error.detail)
            raise
        self.ended.append("")


def test_who_waits_for_the_database_is_told_so_and_how_it_ends(
    postgres: Server, store: Store
) -> None:
    """So that no clock goes on meanwhile."""
    ends = TimesOut(store).ended
    store.write(step(2))
    assert ends == []
    postgres.execute(BACKENDS)
    store.write(step(3))
    assert ends == [""]
    with pytest.raises(Conflict):
        store.write(step(3))
    assert ends == [""]
    postgres.execute(f"ALTER DATABASE postgres SET {SETTING} = on")
    try:
        postgres.execute(BACKENDS)
        with pytest.raises(Unavailable, match="read-only"):
            store.write(step(4))
    finally:
        writable = f"{postgres.url()}%20-c{SETTING}%3Doff"
        postgres.execute(f"ALTER DATABASE postgres RESET {SETTING}", writable)
    assert len(ends) == 2
    assert "read-only" in ends[1]


def test_a_commit_in_doubt_is_a_while_in_which_nothing_can_be_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = TimesOut(store)
    lost = break_commits(monkeypatch, arrived=True)
    store.write(step(2))
    assert lost
    assert times.ended == [""]


def test_a_write_that_fails_for_want_of_the_server_ends_with_its_error(
    postgres: Server, store: Store
) -> None:
    times = TimesOut(store)
    postgres.stop(crash=True)
    try:
        for _ in range(2):
            with pytest.raises(Unavailable):
                store.write(step(2))
    finally:
        postgres.start()
    assert len(times.ended) == 2
    assert all(times.ended)


# The far bell.


class Ear:
    """What was heard."""

    def __init__(self, store: Store) -> None:
        self.topics: list[str] = []
        self.missed = 0
        store.follow(self)

    def __call__(self, topics: Sequence[str] | None) -> None:
        if topics is None:
            self.missed += 1
        else:
            self.topics += topics


def test_other_processes_hear_what_was_committed_and_nothing_else(url: str, store: Store) -> None:
    with open_store(url) as other:
        ear, own = Ear(other), Ear(store)
        store.write(step(2, events=3), LeaseRow(CUP.id, "east", 1))
        with pytest.raises(Conflict):
            store.write(RevokeBot(BOB.id), LeaseRow(CUP.id, "west", 1))
        store.write(CounterRow("alive", 1))
        store.write(RevokeBot(ALICE.id))
        assert soon(lambda: len(ear.topics) >= 2)
        assert ear.topics == [f"lease {CUP.id}", f"bot {ALICE.id}"]
        assert own.topics == []


def test_what_could_not_be_told_is_told_with_the_next_write(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.store import postgres

    with open_store(url) as other:
        ear = Ear(other)
        with monkeypatch.context() as broken:
            broken.setattr(postgres, "ring", lambda connection, topics: False)
            store.write(RevokeBot(ALICE.id))
        store.write(CounterRow("alive", 1))
        assert soon(lambda: ear.topics == [f"bot {ALICE.id}"])


def test_a_listener_that_was_cut_off_says_that_it_may_have_missed_something(
    postgres: Server, url: str, store: Store
) -> None:
    with open_store(url) as other:
        ear = Ear(other)
        postgres.execute(BACKENDS)
        assert soon(lambda: ear.missed == 1)
        store.write(RevokeBot(ALICE.id))
        assert soon(lambda: ear.topics == [f"bot {ALICE.id}"])


def test_the_listening_thread_lives_on_whatever_goes_wrong(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.store.postgres_bell import Listener

    listening, failed = Listener._listen, threading.Event()

    def listen(self: Listener, *arguments: Any) -> None:
        if not failed.is_set():
            failed.set()
            raise ValueError("not a notification")
        listening(self, *arguments)

    monkeypatch.setattr(Listener, "_listen", listen)
    with open_store(url) as other:
        ear = Ear(other)
        assert soon(lambda: ear.missed == 1)
        store.write(RevokeBot(ALICE.id))
        assert soon(lambda: ear.topics == [f"bot {ALICE.id}"])


def test_a_large_batch_is_told_in_as_many_messages_as_it_takes(url: str, store: Store) -> None:
    with open_store(url) as other:
        ear = Ear(other)
        leases = [LeaseRow(f"{CUP.id}-{number:04}", "east", 1) for number in range(400)]
        store.write(*leases)
        assert soon(lambda: ear.topics == [f"lease {each.session}" for each in leases])


def test_closing_ends_the_listening_thread(url: str) -> None:
    before = set(threading.enumerate())
    opened = open_store(url)
    Ear(opened)
    opened.close()
    begun = set(threading.enumerate()) - before
    assert [each for each in begun if each.name.startswith("store-")] == []


# The rest.


def test_it_works_on_greenlets(url: str, store: Store) -> None:
    done = python("on_greenlets.py", url, HAND.id)
    accepted, refused, ticked, connections = done.stdout.split()
    assert (accepted, refused, ticked) == ("100", "100", "True")
    assert 1 <= int(connections) <= 8
    assert [each.seq for each in store.steps(HAND.id)] == [0, *range(2, 102)]


def test_the_database_has_a_clock(store: Store) -> None:
    told = store.now_ms()
    assert told is not None
    assert abs(told - time.time() * 1000) < 60_000


def test_a_url_that_cannot_be_read_is_refused_without_its_password() -> None:
    with pytest.raises(BadInput) as refused:
        open_store("postgresql://scott:tiger@host/arena?colour=blue")
    assert "tiger" not in str(refused.value)


def test_without_the_driver_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("arena.store.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInput, match=r"daifugo-arena\[postgres\]"):
        open_store("postgresql://host/arena")


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="the database"):
        open_store("postgresql://127.0.0.1:9/arena")
