"""Locks of the names of referees: one process at a time has a name, for as long as it lives."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from arena.errors import Unavailable
from arena.store import Store, open_store
from arena.store.cluster_rows import LeaseRow, MoveLease, NameLocks
from arena.store.postgres_names import key_of
from tests.postgres import Server
from tests.store.processes import command, environment, soon
from tests.store.rows import CUP, EAST

EAST_KEY = -1_332_602_008_672_103_099
NAMES = ("east", "west", "ボブ")
LOCKS = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
    " AND pid <> pg_backend_pid()"
)


@pytest.fixture
def url(postgres: Server) -> str:
    """An empty database."""
    return postgres.create()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def locks(store: Store) -> Iterator[NameLocks]:
    with closing(store.name_locks()) as opened:
        yield opened


@pytest.fixture
def others(store: Store) -> Iterator[NameLocks]:
    """Those of another referee."""
    with closing(store.name_locks()) as opened:
        yield opened


@contextmanager
def holder(url: str, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has the lock of a name."""
    arguments = command("hold_name.py", url, name)
    with subprocess.Popen(
        arguments, env=environment(), stdout=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "True\n"
            yield program
        finally:
            program.kill()


def test_one_at_a_time_has_a_name_and_everybody_can_tell(
    locks: NameLocks, others: NameLocks
) -> None:
    assert locks.held(NAMES) == frozenset()
    assert [locks.take("east"), others.take("east"), others.take("ボブ")] == [True, False, True]
    assert locks.take("east")
    for each in (locks, others):
        assert each.held(NAMES) == {"east", "ボブ"}
        assert each.held(["west"]) == each.held([]) == frozenset()


def test_who_closes_gives_its_names_back(store: Store, others: NameLocks) -> None:
    locks = store.name_locks()
    assert locks.take("east")
    assert locks.take("east")
    locks.close()
    locks.close()
    assert soon(lambda: others.take("east"))
    with pytest.raises(Unavailable, match="closed"):
        locks.take("east")


def test_arenas_in_one_database_do_not_share_names(postgres: Server, locks: NameLocks) -> None:
    with open_store(postgres.create()) as another, closing(another.name_locks()) as theirs:
        assert locks.take("east")
        assert theirs.held(NAMES) == frozenset()
        assert theirs.take("east")


def test_what_a_copied_database_says_of_referees_that_are_elsewhere_blocks_nobody(
    store: Store, locks: NameLocks
) -> None:
    """Their rows and leases come with the copy, their locks do not."""
    store.write(EAST, LeaseRow(CUP.id, "east", 5))
    assert locks.held([row.name for row in store.referees()]) == frozenset()
    assert locks.take("east")
    store.write(EAST._replace(incarnation="9f"))
    store.write(MoveLease(CUP.id, "east", 6, was_home="east", was_epoch=5))
    assert store.leases_of("east") == (LeaseRow(CUP.id, "east", 6),)


def test_keys_of_names_are_whole_numbers_of_64_bits_as_they_have_always_been() -> None:
    """Referees of different versions have to agree."""
    assert key_of("east", "public") == EAST_KEY
    keys = [key_of(f"referee-{number}", "public") for number in range(1_000)]
    assert len(set(keys)) == 1_000
    assert -(2**63) <= min(keys) < 0 < max(keys) < 2**63


@pytest.mark.server
def test_a_process_that_is_killed_frees_its_name(url: str, locks: NameLocks) -> None:
    with holder(url, "east") as program:
        assert not locks.take("east")
        assert locks.held(NAMES) == {"east"}
        program.kill()
        program.wait()
        assert soon(lambda: locks.held(NAMES) == frozenset())
        assert locks.take("east")


def test_a_lost_connection_loses_the_names_until_they_are_taken_again(
    postgres: Server, locks: NameLocks, others: NameLocks
) -> None:
    assert locks.take("east")
    assert locks.take("west")
    postgres.execute(LOCKS)
    assert soon(lambda: others.held(NAMES) == frozenset())
    assert others.take("west")
    assert locks.take("east")
    assert not locks.take("west")
    assert locks.held(NAMES) == {"east", "west"}


def test_a_server_that_starts_anew_knows_no_names(
    postgres: Server, locks: NameLocks, others: NameLocks
) -> None:
    assert locks.take("east")
    assert others.held(NAMES) == {"east"}
    postgres.stop(crash=True)
    try:
        for _ in range(2):
            with pytest.raises(Unavailable, match="the database"):
                locks.take("east")
            with pytest.raises(Unavailable, match="the database"):
                others.held(NAMES)
    finally:
        postgres.start()

    def is_free() -> bool:
        try:
            return others.held(NAMES) == frozenset()
        except Unavailable:  # it is not tried at once
            return False

    assert soon(is_free)
    assert soon(lambda: taken(locks, "east"))
    assert others.held(NAMES) == {"east"}


def taken(locks: NameLocks, name: str) -> bool:
    try:
        return locks.take(name)
    except Unavailable:  # it is not tried at once
        return False


@pytest.mark.parametrize("kind", ["memory:", "sqlite:///{folder}/arena.db"])
def test_a_file_has_no_locks_of_names(kind: str, tmp_path: object) -> None:
    with (
        open_store(kind.format(folder=tmp_path)) as store,
        pytest.raises(TypeError, match="a file has no locks of names"),
    ):
        store.name_locks()


def test_who_only_reads_has_no_locks_of_names(url: str, store: Store) -> None:
    with (
        open_store(url, readonly=True) as reader,
        pytest.raises(Unavailable, match="for reading only"),
    ):
        reader.name_locks()
