"""Times of sessions in every kind of store: due in order, settled once, gone with the session."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import Conflict, NotFound
from arena.store import Store
from arena.store.port import DropSession
from arena.store.time_rows import DropTime, DropTimes, SettleTime, TimeRow
from tests.store import rows
from tests.store.rows import CUP

OPENS = TimeRow(CUP.id, "opens", 5_000)
STARTS = TimeRow(CUP.id, "starts", 6_000)
DONE = SettleTime(CUP.id, "opens", 5_000, "done", 5_100)


def test_times_come_back_and_are_due_in_order(store: Store) -> None:
    other = rows.session("autumn-cup", 5_000)
    later = TimeRow(other.id, "ends", 5_500)
    store.write(CUP, other, STARTS, OPENS, later)
    assert store.times(CUP.id) == (OPENS, STARTS)
    assert store.due_times(4_999) == ()
    assert store.due_times(5_500) == (OPENS, later)
    assert store.due_times(9_000, limit=1) == (OPENS,)


def test_a_time_is_settled_once_and_is_due_no_more(store: Store) -> None:
    store.write(CUP, OPENS)

    def settled(_: int) -> bool:
        try:
            store.write(DONE)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(settled, range(8))) == 1
    assert store.due_times(9_000) == ()
    assert store.times(CUP.id) == (OPENS._replace(outcome="done", settled_ms=5_100),)


@pytest.mark.parametrize(
    "change",
    [
        DONE._replace(at_ms=5_001),
        DONE._replace(what="starts"),
        DropTime(CUP.id, "opens", "done"),
        DropTime(CUP.id, "starts", ""),
        OPENS,
    ],
)
def test_a_time_that_is_another_by_now_is_left_alone(
    change: SettleTime | DropTime | TimeRow, store: Store
) -> None:
    store.write(CUP, OPENS)
    with pytest.raises(Conflict, match=r"opens|starts"):
        store.write(change)
    assert store.times(CUP.id) == (OPENS,)


def test_a_time_can_be_replaced_in_one_write(store: Store) -> None:
    store.write(CUP, OPENS)
    store.write(DropTime(CUP.id, "opens", ""), OPENS._replace(at_ms=7_000))
    assert store.times(CUP.id) == (OPENS._replace(at_ms=7_000),)


def test_a_session_goes_only_with_its_times(store: Store) -> None:
    store.write(CUP, OPENS, STARTS)
    with pytest.raises(Conflict):
        store.write(DropSession(CUP.id))
    store.write(DropTimes(CUP.id), DropSession(CUP.id))
    assert store.times(CUP.id) == ()
    store.write(DropTimes("unknown"))
    with pytest.raises(NotFound):
        store.write(TimeRow("unknown", "opens", 1))
