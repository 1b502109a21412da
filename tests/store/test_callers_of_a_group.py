"""A group of callers that is committed together: what one of them may not do touches no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import BadInput, Conflict, NotFound, NotHome
from arena.store import Store, open_store
from arena.store.cluster_rows import CheckLease, LeaseRow, MoveLease
from arena.store.group import Job
from arena.store.port import Change, DropSteps, EndHand, RevokeBot, SetTableStatus
from tests.postgres import Server
from tests.store.rows import ALICE, CUP, HAND, TABLE, WORLD, step


@pytest.fixture(params=["sqlite", "postgresql"])
def cup(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store in which a hand has been dealt."""
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        url = server.create()
    with open_store(url) as store:
        store.write(*WORLD)
        yield store


def committed(store: Store, *works: tuple[Change, ...]) -> list[type | None]:
    """Have the works of several callers committed as one group; what each of them is told."""
    jobs = [Job(work) for work in works]
    store._engine._commit(jobs)  # type: ignore[attr-defined]
    return [None if job.error is None else type(job.error) for job in jobs]


def seqs(store: Store) -> list[int]:
    return [row.seq for row in store.steps(HAND.id)]


def test_all_that_can_be_done_is_done_together(cup: Store) -> None:
    ended = EndHand(HAND.id, "finished", "{}", 9_000)
    works = [(step(n),) for n in range(2, 40)]
    assert committed(cup, *works, (step(40), ended), (RevokeBot(ALICE.id),)) == [None] * 40
    assert seqs(cup) == [0, *range(2, 41)]
    assert cup.hand(HAND.id) == HAND._replace(status="finished", result="{}", ended_ms=9_000)


@pytest.mark.parametrize("hash_of_log", [None, bytes(range(32))])
def test_what_can_be_done_is_done_in_one_go(
    cup: Store, monkeypatch: pytest.MonkeyPatch, hash_of_log: bytes | None
) -> None:
    """A caller at a time is for groups in which somebody fails: it costs several times as much."""
    monkeypatch.setattr(type(cup._engine), "_one_by_one", None)  # type: ignore[attr-defined]
    cup.write(LeaseRow(CUP.id, "east", 1), LeaseRow("autumn-cup", "east", 1))
    checks = CheckLease("autumn-cup", "east", 1), CheckLease(CUP.id, "east", 1)
    written = [step(n)._replace(hash=hash_of_log) for n in range(2, 12)]
    assert committed(cup, *((*checks, each) for each in written)) == [None] * 10
    assert cup.steps(HAND.id, 2) == tuple(written)


def test_who_may_not_leaves_no_trace_and_the_others_are_served(cup: Store) -> None:
    told = committed(
        cup,
        (step(2),),
        (step(2),),
        (step(9), SetTableStatus(TABLE.id, "finished", was="waiting")),
        (step(3), RevokeBot("nobody")),
        (step(3),),
        (step(5, hand="unknown"),),
        (step(4, command="\ud800"),),
        (step(4),),
    )
    assert told == [None, Conflict, Conflict, NotFound, None, NotFound, BadInput, None]
    assert seqs(cup) == [0, 2, 3, 4]


def test_one_who_finds_many_rows_does_not_stand_in_for_one_who_finds_none(cup: Store) -> None:
    cup.write(step(2), step(3))
    assert committed(cup, (DropSteps(HAND.id),), (DropSteps("unknown"),)) == [None, NotFound]
    assert seqs(cup) == []


def test_a_group_after_one_that_failed_is_as_any_other(cup: Store) -> None:
    assert committed(cup, (step(2),), (step(2),)) == [None, Conflict]
    assert committed(cup, (step(3),)) == [None]
    assert seqs(cup) == [0, 2, 3]


# Leases that the callers rest on are checked together.

AT_EAST = CheckLease(CUP.id, "east", 1)
OTHERS = [CheckLease(f"cup-{number}", "east", number) for number in range(3)]


@pytest.fixture
def home(cup: Store) -> Store:
    """The store of a referee that plays several sessions."""
    cup.write(*(LeaseRow._make(lease) for lease in (AT_EAST, *OTHERS)))
    return cup


def test_all_who_are_home_are_served(home: Store) -> None:
    works = [(AT_EAST, OTHERS[n % 3], step(n)) for n in range(2, 12)]
    assert committed(home, *works, (step(12),), (AT_EAST, step(13))) == [None] * 12
    assert seqs(home) == [0, *range(2, 14)]


def test_of_a_caller_with_one_lost_lease_nothing_is_written_and_the_others_are_served(
    home: Store,
) -> None:
    home.write(MoveLease("cup-1", "west", 7, was_home="east", was_epoch=1))
    told = committed(
        home,
        (AT_EAST, step(2)),
        (AT_EAST, *OTHERS, step(3), SetTableStatus(TABLE.id, "finished", was="playing")),
        (AT_EAST, OTHERS[0], step(3)),
        (OTHERS[1], RevokeBot(ALICE.id)),
        (CheckLease("cup-1", "west", 7), step(4)),
        (AT_EAST, step(2)),
    )
    assert told == [None, NotHome, None, NotHome, None, Conflict]
    assert seqs(home) == [0, 2, 3, 4]
    assert home.table(TABLE.id) == TABLE
    assert home.bot(ALICE.id) == ALICE


def test_a_caller_may_take_up_a_lease_and_write_behind_it(home: Store) -> None:
    works = [
        (LeaseRow("new", "east", 1), CheckLease("new", "east", 1), step(2)),
        (CheckLease("no", "east", 1), step(3)),
    ]
    assert committed(home, *works) == [None, NotHome]
    assert seqs(home) == [0, 2]


def test_who_hands_a_session_over_and_writes_no_more(home: Store) -> None:
    moved = MoveLease(CUP.id, "west", 2, was_home="east", was_epoch=1)
    assert committed(home, (AT_EAST, step(2)), (AT_EAST, moved)) == [None, None]
    assert committed(home, (AT_EAST, step(3)), (step(4), AT_EAST)) == [NotHome, NotHome]
    assert seqs(home) == [0, 2]
