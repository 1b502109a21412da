"""A group of callers that is committed together: what one of them may not do touches no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import BadInput, Conflict, NotFound
from arena.store import Store, open_store
from arena.store.group import Job
from arena.store.port import Change, DropSteps, EndHand, RevokeBot, SetTableStatus
from tests.postgres import Server
from tests.store.rows import ALICE, HAND, TABLE, WORLD, step


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
