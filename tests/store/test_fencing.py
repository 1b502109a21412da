"""A fence before a store: what is written, what is not, and what the fence hears of it."""

from __future__ import annotations

import pytest

from arena.errors import Conflict, NotHome
from arena.store import Store
from arena.store.cluster_rows import CheckLease, LeaseRow, MoveLease
from arena.store.port import Change, StepRow
from arena.store.sql import SqlStore
from tests.store.rows import CUP, DEAL, HAND, step

LEASE = LeaseRow(CUP.id, "east", 1)
AT_EAST = CheckLease(CUP.id, "east", 1)
MOVE = MoveLease(CUP.id, "west", 2, was_home="east", was_epoch=1)


class AtEast:
    """The fence of a home: steps stand behind its lease, for as long as it believes to have it."""

    def __init__(self) -> None:
        self.is_home = True
        self.durable: list[tuple[Change, ...]] = []
        self.refused: list[str] = []

    def before(self, changes: tuple[Change, ...]) -> tuple[Change, ...]:
        if not any(isinstance(change, StepRow) for change in changes):
            return changes
        if not self.is_home:
            raise NotHome(CUP.id)
        return (AT_EAST, *changes)

    def after(self, changes: tuple[Change, ...]) -> None:
        self.durable.append(changes)

    def lost(self, session: str) -> None:
        self.refused.append(session)


@pytest.fixture
def fence() -> AtEast:
    return AtEast()


@pytest.fixture
def home(cup: Store, fence: AtEast) -> Store:
    """The store as the home of the session has it."""
    assert isinstance(cup, SqlStore)
    cup.write(LEASE)
    return cup.fenced(fence)


def test_what_the_fence_answers_is_written_and_it_hears_of_it(
    cup: Store, home: Store, fence: AtEast
) -> None:
    home.write(step(2))
    assert fence.durable == [(AT_EAST, step(2))]
    assert fence.refused == []
    assert cup.steps(HAND.id) == home.steps(HAND.id) == (DEAL, step(2))


def test_who_has_lost_the_lease_writes_nothing_and_hears_of_it(
    cup: Store, home: Store, fence: AtEast
) -> None:
    cup.write(MOVE)
    with pytest.raises(NotHome) as caught:
        home.write(step(2))
    assert caught.value.session == CUP.id
    assert fence.refused == [CUP.id]
    assert fence.durable == []
    assert cup.steps(HAND.id) == (DEAL,)


def test_who_knows_that_it_is_not_home_does_not_ask_the_store(home: Store, fence: AtEast) -> None:
    fence.is_home = False
    with pytest.raises(NotHome):
        home.write(step(2))
    assert (fence.durable, fence.refused) == ([], [])
    assert home.steps(HAND.id) == (DEAL,)


def test_a_write_that_fails_otherwise_is_none_of_the_fence_s_business(
    home: Store, fence: AtEast
) -> None:
    with pytest.raises(Conflict):
        home.write(DEAL)
    assert (fence.durable, fence.refused) == ([], [])


def test_behind_the_fence_is_the_same_database(cup: Store, home: Store) -> None:
    assert home.shared == cup.shared
    assert (home.now_ms() is None) == (cup.now_ms() is None)
    assert home.queued() == 0
    assert home.lease(CUP.id) == LEASE
