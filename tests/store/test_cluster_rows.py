"""Referees and leases in every kind of store: who plays a session is settled in the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import ArenaError, Conflict, NotHome
from arena.store import Store
from arena.store.cluster_rows import (
    Beat,
    CheckLease,
    ClusterChange,
    DropLease,
    DropReferee,
    LeaseRow,
    MoveLease,
    SetRefereeStatus,
)
from arena.store.port import CounterRow
from arena.store.store_errors import subject
from tests.store.rows import CUP, EAST, HAND, step

WEST = EAST._replace(name="west", incarnation="2f", address="http://10.0.0.6:8701", mark=4_095)
BEAT = Beat("east", "1f", beats=9, arena_ms=8_000, sessions=7, turns=6)
LEASE = LeaseRow(CUP.id, "east", 1)
MOVE = MoveLease(CUP.id, "west", 2, was_home="east", was_epoch=1)
AT_EAST = CheckLease(CUP.id, "east", 1)


def refusal(store: Store, *changes: ClusterChange | CounterRow) -> ArenaError | None:
    """What a write is refused with."""
    try:
        store.write(*changes)
    except ArenaError as error:
        return error
    return None


# Referees.


def test_referees_come_back_by_name_and_joining_again_replaces_the_row(store: Store) -> None:
    store.write(WEST)
    store.write(EAST)
    assert store.referees() == (EAST, WEST)
    again = EAST._replace(incarnation="3f", address="http://10.0.0.7:8701", beats=1, detail="x")
    store.write(again)
    assert store.referees() == (again, WEST)


def test_a_referee_beats_changes_its_status_and_goes(store: Store) -> None:
    store.write(EAST, WEST)
    store.write(BEAT, SetRefereeStatus("east", "1f", "draining", "asked for by anna"))
    after = EAST._replace(
        beats=9, arena_ms=8_000, sessions=7, turns=6, status="draining", detail="asked for by anna"
    )
    assert store.referees() == (after, WEST)
    store.write(DropReferee("east", "1f"))
    assert store.referees() == (WEST,)


def test_an_earlier_run_of_a_referee_changes_nothing_of_the_present_one(store: Store) -> None:
    store.write(EAST)
    for change in (
        BEAT._replace(incarnation="0f"),
        BEAT._replace(name="north"),
        SetRefereeStatus("east", "0f", "serving", ""),
        SetRefereeStatus("north", "1f", "serving", ""),
        DropReferee("east", "0f"),
        DropReferee("north", "1f"),
    ):
        refused = refusal(store, change)
        assert isinstance(refused, Conflict)
        assert "runs anew by now, or is not there" in refused.detail
    assert store.referees() == (EAST,)


# Leases.


def test_leases_come_in_pages_by_session_and_by_home(store: Store) -> None:
    leases = [
        LeaseRow(f"cup-{number:02}", "west" if number % 3 else "east", number)
        for number in range(1, 8)
    ]
    store.write(*reversed(leases))
    assert store.leases() == tuple(leases)
    assert store.leases(after="cup-02", limit=2) == tuple(leases[2:4])
    assert store.leases_of("east") == (leases[2], leases[5])
    assert store.leases_of("west", after="cup-02", limit=2) == (leases[3], leases[4])
    assert store.leases_of("north") == store.leases(after="cup-07") == ()
    assert store.lease("cup-03") == leases[2]
    assert store.lease("cup-08") is None


def test_the_digest_of_the_leases_tells_that_one_has_come_gone_or_moved(store: Store) -> None:
    assert store.leases_digest() == {}
    store.write(LEASE, LeaseRow("autumn-cup", "west", 4))
    before = store.leases_digest()
    assert sum(count for count, _ in before.values()) == 2
    assert sum(epochs for _, epochs in before.values()) == 5
    store.write(MOVE)
    assert store.leases_digest() != before
    store.write(DropLease("autumn-cup", "west", 4))
    digest = store.leases_digest()
    assert digest == {MOVE.home: (1, 2)}
    assert [type(each) for each in digest[MOVE.home]] == [int, int]


def test_sessions_in_play_without_a_lease_are_listed(store: Store) -> None:
    rows = [
        CUP._replace(id=f"cup-{status}", status=status)
        for status in ("created", "open", "running", "paused", "finished", "cancelled")
    ]
    store.write(*rows)
    assert sorted(store.unleased_sessions()) == ["cup-paused", "cup-running"]
    assert len(store.unleased_sessions(limit=1)) == 1
    store.write(LEASE._replace(session="cup-running"))
    assert store.unleased_sessions() == ("cup-paused",)


def test_a_lease_needs_no_session_and_outlives_its_home(store: Store) -> None:
    store.write(EAST, LeaseRow("unknown", "east", 1))
    store.write(DropReferee("east", "1f"))
    assert store.lease("unknown") == LeaseRow("unknown", "east", 1)


def test_a_session_has_one_lease(store: Store) -> None:
    store.write(LEASE)
    assert isinstance(refusal(store, LEASE._replace(home="west", epoch=2)), Conflict)
    assert store.leases() == (LEASE,)


def test_a_lease_that_is_another_by_now_is_not_moved(store: Store) -> None:
    store.write(LEASE)
    for change in (
        MOVE._replace(was_home="west"),
        MOVE._replace(was_epoch=2),
        MOVE._replace(session="unknown"),
    ):
        assert isinstance(refusal(store, change), Conflict)
    assert store.leases() == (LEASE,)


def test_of_many_that_take_over_a_session_one_does(store: Store) -> None:
    store.write(LEASE)
    takers = [MOVE._replace(home=f"taker-{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        refused = list(pool.map(lambda taker: refusal(store, taker), takers))
    assert [type(each) for each in refused if each] == [Conflict] * 7
    assert store.lease(CUP.id) == LeaseRow(CUP.id, takers[refused.index(None)].home, 2)


@pytest.mark.parametrize("kind", [CheckLease, DropLease])
def test_who_is_not_home_any_more_is_refused_as_such(
    cup: Store, kind: type[CheckLease] | type[DropLease]
) -> None:
    cup.write(LEASE, MOVE)
    for change in (
        kind(CUP.id, "east", 1),
        kind(CUP.id, "west", 1),
        kind(CUP.id, "east", 2),
        kind("unknown", "west", 2),
    ):
        refused = refusal(cup, change, CounterRow("written", 1))
        assert isinstance(refused, NotHome)
        assert refused.session == change.session
    assert cup.counter("written") is None
    assert cup.lease(CUP.id) == LeaseRow(CUP.id, "west", 2)


def test_who_is_home_writes_and_leaves(cup: Store) -> None:
    cup.write(LEASE)
    cup.write(AT_EAST, step(2))
    cup.write(AT_EAST, step(3), DropLease(CUP.id, "east", 1))
    assert [row.seq for row in cup.steps(HAND.id)] == [0, 2, 3]
    assert cup.leases() == ()


def test_a_write_that_rests_on_several_leases_needs_all_of_them(cup: Store) -> None:
    others = [LeaseRow(f"cup-{number}", "east", number) for number in range(5)]
    checks = [CheckLease._make(other) for other in others]
    cup.write(LEASE, *others)
    cup.write(AT_EAST, *checks, step(2))
    cup.write(MoveLease("cup-3", "west", 4, was_home="east", was_epoch=3))
    refused = refusal(cup, AT_EAST, *checks, step(3))
    assert isinstance(refused, NotHome)
    assert refused.session == "cup-3"
    assert [row.seq for row in cup.steps(HAND.id)] == [0, 2]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (EAST, "referee 'east'"),
        (BEAT, "referee 'east'"),
        (SetRefereeStatus("east", "1f", "serving", ""), "referee 'east'"),
        (DropReferee("east", "1f"), "referee 'east'"),
        (LEASE, "the lease of session 'spring-cup'"),
        (MOVE, "the lease of session 'spring-cup'"),
        (AT_EAST, "the lease of session 'spring-cup'"),
        (DropLease(CUP.id, "east", 1), "the lease of session 'spring-cup'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_done_is_about_a_referee_or_a_lease(
    change: ClusterChange, expected: str
) -> None:
    assert subject(change) == expected
