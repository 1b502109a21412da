"""Notices and deliveries in every kind of store: numbers without gaps, one sender for each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import Conflict, NotFound
from arena.store import Store
from arena.store.notice_rows import (
    KEPT_NOTICES,
    DeliveryRow,
    DropDeliveries,
    DropNotices,
    NoticeRow,
    SetDelivery,
    TrimNotices,
    numbered,
)
from arena.store.port import DropSession, SetEntryStatus, SetSessionStatus
from tests.store import rows
from tests.store.rows import ALICE, BOB, CUP, WORLD

MESSAGE = DeliveryRow("msg_1", CUP.id, 9_000, "session.started", '{"type":"x"}', 9_000)


def notice(bot: str = ALICE.id, *, kind: str = "started", session: str = CUP.id) -> NoticeRow:
    return NoticeRow(bot, session, 9_000, kind, '{"name":"春"}')


def test_notices_of_a_bot_count_from_one_and_come_in_pages(store: Store) -> None:
    store.write(*WORLD)
    for kind in ("started", "fault", "ended"):
        store.write(*numbered(notice(kind=kind)), *numbered(notice(BOB.id, kind=kind)))
    assert store.notices(ALICE.id) == tuple(
        notice(kind=kind)._replace(number=number)
        for number, kind in enumerate(("started", "fault", "ended"), start=1)
    )
    assert [row.number for row in store.notices(ALICE.id, after=1, limit=1)] == [2]
    assert store.notices(ALICE.id, after=3) == ()
    assert (store.last_notice(ALICE.id), store.last_notice("nobody")) == (3, 0)


def test_a_notice_for_nobody_is_refused_with_all_that_comes_with_it(store: Store) -> None:
    store.write(*WORLD)
    with pytest.raises(NotFound):
        store.write(*numbered(notice()), *numbered(notice("b-cccccccc")))
    assert store.last_notice(ALICE.id) == 0


def test_many_writers_leave_no_gap_in_the_numbers(store: Store) -> None:
    store.write(*WORLD)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.write(*numbered(notice())), range(40)))
    assert [row.number for row in store.notices(ALICE.id)] == list(range(1, 41))


def test_the_oldest_notices_of_a_bot_go_when_there_are_too_many(store: Store) -> None:
    store.write(*WORLD)
    for _ in range(5):
        store.write(*numbered(notice()), *numbered(notice(BOB.id)))
    store.write(TrimNotices(ALICE.id, 2))
    assert [row.number for row in store.notices(ALICE.id)] == [4, 5]
    assert len(store.notices(BOB.id)) == 5
    assert KEPT_NOTICES == 1_000


def test_the_notices_of_a_session_go_with_it_and_numbers_go_on(store: Store) -> None:
    other = rows.session("autumn-cup", 5_000)
    store.write(ALICE, other, CUP)
    store.write(*numbered(notice()), *numbered(notice(session=other.id)))
    store.write(MESSAGE)
    with pytest.raises(Conflict):
        store.write(DropSession(CUP.id))
    store.write(DropNotices(CUP.id), DropDeliveries(CUP.id), DropSession(CUP.id))
    assert [row.session for row in store.notices(ALICE.id)] == [other.id]
    store.write(*numbered(notice(session=other.id)))
    assert [row.number for row in store.notices(ALICE.id)] == [2, 3]
    store.write(DropNotices("unknown"), DropDeliveries("unknown"))


def test_deliveries_are_due_in_order_and_listed_newest_first(store: Store) -> None:
    store.write(*WORLD)
    later = MESSAGE._replace(id="msg_2", at_ms=9_500, due_ms=8_000)
    store.write(MESSAGE, later, MESSAGE._replace(id="msg_3", status="delivered", due_ms=1))
    assert store.due_deliveries(7_999) == ()
    assert store.due_deliveries(9_000) == (later, MESSAGE)
    assert store.due_deliveries(9_000, limit=1) == (later,)
    assert [row.id for row in store.deliveries(CUP.id)] == ["msg_2", "msg_3", "msg_1"]
    assert [row.id for row in store.deliveries(CUP.id, limit=1)] == ["msg_2"]
    with pytest.raises(Conflict):
        store.write(MESSAGE)


def test_of_several_senders_exactly_one_claims_a_delivery(store: Store) -> None:
    store.write(*WORLD, MESSAGE)
    claim = SetDelivery(MESSAGE.id, "waiting", 70_000, 1, "", was=MESSAGE.due_ms)

    def claimed(_: int) -> bool:
        try:
            store.write(claim)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(claimed, range(8))) == 1
    assert store.due_deliveries(69_999) == ()
    store.write(SetDelivery(MESSAGE.id, "delivered", 70_000, 1, "200 OK", was=70_000))
    assert store.due_deliveries(2**40) == ()
    with pytest.raises(Conflict):
        store.write(SetDelivery(MESSAGE.id, "waiting", 1, 2, "", was=70_000))


def test_why_somebody_was_taken_out_stands_beside_the_status(store: Store) -> None:
    store.write(*WORLD)
    store.write(SetEntryStatus(CUP.id, ALICE.id, "disqualified", was="entered", reason="copied"))
    store.write(SetSessionStatus(CUP.id, "cancelled", was="open", reason="power cut"))
    entry, session = store.entry(CUP.id, ALICE.id), store.session(CUP.id)
    assert entry is not None
    assert session is not None
    assert (entry.status, entry.reason) == ("disqualified", "copied")
    assert (session.status, session.reason) == ("cancelled", "power cut")
    store.write(SetEntryStatus(CUP.id, ALICE.id, "entered", was="disqualified"))
    entry = store.entry(CUP.id, ALICE.id)
    assert entry is not None
    assert entry.reason == ""
