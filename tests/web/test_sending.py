"""Who may export at the same time, and what an export pays."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from arena.referee.pacing import Pacer
from arena.web.export_files import Broken
from arena.web.limits import Buckets
from arena.web.problems import Problem
from arena.web.sending import MOST_WAITING, UNIT, Room, Sending

from .fakes import FakeClock


def refusal(room: Room, caller: str | None) -> str:
    with pytest.raises(Problem) as refused:
        room.enter(caller)
    assert refused.value.members["retry_after_s"] == 5
    assert refused.value.headers["Retry-After"] == "5"
    return str(refused.value.code)


def test_a_token_has_one_export_at_a_time() -> None:
    room = Room(4, wait_s=0)
    leave = room.enter("alice")
    assert refusal(room, "alice") == "too_many_requests"
    room.enter("bob")
    leave()
    room.enter("alice")
    assert room.inside() == 2


def test_those_without_a_token_get_half_of_the_places() -> None:
    room = Room(4, wait_s=0)
    room.enter(None)
    room.enter(None)
    assert refusal(room, None) == "too_many_requests"
    room.enter("alice")
    room.enter("bob")
    assert refusal(room, "carol") == "unavailable"


def test_where_there_is_one_place_anybody_may_have_it() -> None:
    room = Room(1, wait_s=0)
    leave = room.enter(None)
    assert refusal(room, "alice") == "unavailable"
    leave()
    room.enter("alice")


def test_who_waits_gets_the_place_that_is_given_back() -> None:
    room = Room(1, wait_s=20)
    leave = room.enter("alice")
    entered = threading.Event()

    def wait() -> None:
        room.enter("alice")
        entered.set()

    threading.Thread(target=wait, daemon=True).start()
    assert not entered.is_set()
    leave()
    assert entered.wait(20)


def test_only_so_many_may_wait() -> None:
    room = Room(1, wait_s=3_600)
    room.enter("alice")
    room._waiting = MOST_WAITING
    assert refusal(room, "bob") == "unavailable"


def sending(pieces: list[bytes], buckets: Buckets, rests: list[float], left: list[str]) -> Sending:
    return Sending(
        iter(pieces),
        leave=lambda: left.append("left"),
        charge=lambda units: buckets.charge("alice", units),
        pacer=Pacer(),
        rest=rests.append,
    )


def test_what_is_sent_is_paid_for_by_size_and_waits_for_half_a_bucket() -> None:
    buckets = Buckets(10.0, 20, monotonic=FakeClock())
    rests: list[float] = []
    left: list[str] = []
    body = sending([bytes(UNIT)] * 14, buckets, rests, left)
    assert sum(map(len, body)) == 14 * UNIT
    assert rests == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert left == ["left"]
    assert sum(buckets.take("alice") == 0 for _ in range(20)) == 6


def test_a_charge_is_paid_in_full_until_half_a_bucket_is_there_again() -> None:
    clock = FakeClock()
    buckets = Buckets(10.0, 20, monotonic=clock)
    assert buckets.charge("alice", 500) == pytest.approx(49.0)
    clock.now += 49
    assert buckets.charge("alice", 0) == 0
    assert Buckets(0.0, 0, monotonic=clock).charge("alice", 500) == 0


def test_a_place_is_given_back_once_whether_it_is_read_closed_or_forgotten() -> None:
    buckets, rests = Buckets(0.0, 0, monotonic=FakeClock()), []  # type: ignore[var-annotated]
    left: list[str] = []
    body = sending([b"a", b"b"], buckets, rests, left)
    next(body)
    body.close()
    body.close()
    assert list(body) == []
    del body
    assert left == ["left"]
    forgotten = sending([b"a"], buckets, rests, left)
    del forgotten
    assert left == ["left", "left"]


def test_a_place_is_given_back_even_if_the_pieces_cannot_be_closed() -> None:
    class Stuck:
        def __iter__(self) -> Iterator[bytes]:
            return self

        def __next__(self) -> bytes:
            return b"a"

        def close(self) -> None:
            raise OSError("the disk is gone")

    left: list[str] = []
    body = Sending(
        Stuck(), leave=lambda: left.append("left"), charge=lambda units: 0.0, pacer=Pacer()
    )
    assert next(body) == b"a"
    with pytest.raises(OSError, match="the disk is gone"):
        body.close()
    body.close()
    assert left == ["left"]
    assert list(body) == []


def test_a_file_that_breaks_off_ends_the_connection() -> None:
    def broken() -> object:
        yield b"a"
        raise Broken("cup")

    left: list[str] = []
    body = Sending(
        broken(),  # type: ignore[arg-type]
        leave=lambda: left.append("left"),
        charge=lambda units: 0.0,
        pacer=Pacer(),
    )
    assert next(body) == b"a"
    with pytest.raises(BrokenPipeError):
        next(body)
    assert left == ["left"]
