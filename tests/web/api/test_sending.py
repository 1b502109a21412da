"""Who may export at the same time, and what an export pays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from arena.pacing import Pacer
from arena.web.api.export_files import IncompleteFile
from arena.web.api.limits import Buckets
from arena.web.api.problems import Problem
from arena.web.api.sending import (
    GRACE_S,
    LEAST_BYTES_PER_S,
    MOST_WAITING,
    UNIT,
    ExportBody,
    ExportSlots,
)
from tests.web.fakes import FakeClock


def some_slots(most: int, *, wait_s: float = 0, clock: FakeClock | None = None) -> ExportSlots:
    return ExportSlots(most, monotonic=clock or FakeClock(), wait_s=wait_s)


class FakeSlot:
    """A slot that nobody else wants."""

    lost = False

    def __init__(self, left: list[str]) -> None:
        self._left = left

    def hand_over(self, size: int) -> None:
        assert size

    def taken(self) -> None:
        pass

    def leave(self) -> None:
        self._left.append("left")


def in_a_thread(call: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def waits(slots: ExportSlots, asker: str) -> bool:
    """Does this one wait for a slot, now or in a moment?"""
    with slots._changed:
        return any(
            slots._changed.wait_for(lambda: asker in slots._waiting, 0.01) for _ in range(999)
        )


def refusal(
    slots: ExportSlots, caller: str | None, *, staff: bool = False, address: str = "192.0.2.9"
) -> str:
    with pytest.raises(Problem) as refused:
        slots.enter(caller, staff=staff, address=address)
    assert refused.value.members["retry_after_s"] == 5
    assert refused.value.headers["Retry-After"] == "5"
    return str(refused.value.code)


def test_a_token_has_one_export_at_a_time() -> None:
    slots = some_slots(4)
    slot = slots.enter("alice", staff=False)
    assert refusal(slots, "alice") == "too_many_requests"
    slots.enter("bob", staff=False)
    slot.leave()
    slots.enter("alice", staff=False)
    assert slots.inside() == 2


def test_those_without_a_token_get_half_of_the_places() -> None:
    slots = some_slots(4)
    slots.enter(None, staff=False)
    slots.enter(None, staff=False)
    assert refusal(slots, None) == "too_many_requests"
    slots.enter("alice", staff=False)
    slots.enter("bob", staff=False)
    assert refusal(slots, "carol") == "unavailable"


def test_where_there_is_one_place_anybody_may_have_it() -> None:
    slots = some_slots(1)
    slot = slots.enter(None, staff=False)
    assert refusal(slots, "alice") == "unavailable"
    slot.leave()
    slots.enter("alice", staff=False)


def test_who_waits_gets_the_place_that_is_given_back() -> None:
    slots = some_slots(1, wait_s=20)
    slot = slots.enter("alice", staff=False)
    entered = threading.Event()

    def wait() -> None:
        slots.enter("alice", staff=False)
        entered.set()

    threading.Thread(target=wait, daemon=True).start()
    assert not entered.is_set()
    slot.leave()
    assert entered.wait(20)


def test_the_number_that_wait_is_limited() -> None:
    slots = some_slots(1, wait_s=3_600)
    slots.enter("alice", staff=False)
    slots._waiting |= {f"bot {number}" for number in range(MOST_WAITING)}
    assert refusal(slots, "bob") == "unavailable"


@pytest.mark.parametrize("caller", ["bob", None])
def test_of_one_caller_one_request_waits(caller: str | None) -> None:
    slots = some_slots(1, wait_s=20)
    slot = slots.enter("alice", staff=False)
    waiting = in_a_thread(lambda: slots.enter(caller, staff=False, address="192.0.2.1"))
    assert waits(slots, caller or "192.0.2.1")
    assert refusal(slots, caller, address="192.0.2.1") == "too_many_requests"
    slot.leave()
    waiting.join(20)
    assert slots.inside() == 1
    assert slots._waiting == set()


def test_callers_wait_beside_each_other_and_without_a_token_by_address() -> None:
    slots = some_slots(1, wait_s=20)
    slot = slots.enter("alice", staff=False)
    callers = [("bob", "192.0.2.1"), ("carol", "192.0.2.1"), (None, "192.0.2.1")]
    threads = [
        in_a_thread(lambda who=who, at=at: slots.enter(who, staff=False, address=at).leave())
        for who, at in [*callers, (None, "192.0.2.2")]
    ]
    for waiting in ("bob", "carol", "192.0.2.1", "192.0.2.2"):
        assert waits(slots, waiting)
    slot.leave()
    for thread in threads:
        thread.join(20)
    assert (slots.inside(), slots._waiting) == (0, set())


def test_organisers_have_a_place_when_all_others_are_taken() -> None:
    slots = some_slots(4)
    for bot in ("alice", "bob", "carol", "dave"):
        slots.enter(bot, staff=False)
    assert refusal(slots, "erin") == "unavailable"
    slot = slots.enter("organiser", staff=True)
    assert refusal(slots, "organiser", staff=True) == "too_many_requests"
    assert refusal(slots, "director", staff=True) == "unavailable"
    slot.leave()
    slots.enter("director", staff=True)


def test_organisers_take_their_own_place_last() -> None:
    slots = some_slots(2)
    for organiser in ("anna", "ben", "carla"):
        slots.enter(organiser, staff=True)
    assert slots.inside() == 3
    assert refusal(slots, "alice") == "unavailable"


def test_who_leaves_the_place_of_organisers_leaves_none_to_others() -> None:
    slots = some_slots(1)
    slots.enter("alice", staff=False)
    slots.enter("organiser", staff=True).leave()
    assert refusal(slots, "bob") == "unavailable"


def test_the_slowest_reader_makes_room_for_who_waits() -> None:
    clock = FakeClock()
    slots = some_slots(2, clock=clock)
    slow, slower = slots.enter("alice", staff=False), slots.enter("bob", staff=False)
    for _ in range(3):
        for slot, size in ((slow, 20_000), (slower, 10_000)):
            slot.hand_over(size)
        clock.now += 1
        slow.taken()
        slower.taken()
    assert (slow.lost, slower.lost) == (False, False), "nobody waits"
    slots.enter("carol", staff=False)
    assert (slow.lost, slower.lost) == (False, True)
    slower.leave()
    assert slots.inside() == 2, "who has lost a slot does not give it back as well"


def test_the_place_of_organisers_is_given_up_for_organisers_only() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    slots.enter("alice", staff=False)
    slot = slots.enter("anna", staff=True)
    slot.hand_over(1)
    clock.now += 60
    assert refusal(slots, "bob") == "unavailable"
    assert not slot.lost
    slots.enter("ben", staff=True)
    assert slot.lost


def test_one_who_stands_still_with_a_piece_is_slow_too() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    slot = slots.enter("alice", staff=False)
    slot.hand_over(LEAST_BYTES_PER_S)
    clock.now += GRACE_S
    assert refusal(slots, "bob") == "unavailable"
    clock.now += 1
    slots.enter("bob", staff=False)
    assert slot.lost


def test_what_was_read_fast_before_is_no_leave_to_stand_still_for_long() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    slot = slots.enter("alice", staff=False)
    for _ in range(100):
        slot.hand_over(LEAST_BYTES_PER_S)
        slot.taken()
    slot.hand_over(1)
    clock.now += GRACE_S + 1
    slots.enter("bob", staff=False)
    assert slot.lost


def test_who_reads_fast_enough_keeps_its_place() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    slot = slots.enter("alice", staff=False)
    for _ in range(100):
        slot.hand_over(LEAST_BYTES_PER_S)
        clock.now += 1
        slot.taken()
        assert refusal(slots, "bob") == "unavailable"
    assert not slot.lost


def test_what_the_server_takes_for_itself_is_not_held_against_the_reader() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    slot = slots.enter("alice", staff=False)
    slot.hand_over(100)
    slot.taken()
    clock.now += 600
    assert refusal(slots, "bob") == "unavailable"
    assert not slot.lost


def test_a_caller_at_its_own_limit_displaces_nobody_else() -> None:
    clock = FakeClock()
    slots = some_slots(4, clock=clock)
    slow = slots.enter("alice", staff=False)
    slots.enter("bob", staff=False)
    slow.hand_over(1)
    clock.now += 60
    assert refusal(slots, "bob") == "too_many_requests"
    assert not slow.lost
    slots.enter("alice", staff=False)
    assert slow.lost, "its own slow one is given up for the new one"


def test_a_slow_reader_loses_its_place_while_somebody_waits_already() -> None:
    clock = FakeClock()
    slots = some_slots(1, wait_s=20, clock=clock)
    slot = slots.enter("alice", staff=False)
    slot.hand_over(1)
    entered = threading.Event()

    def wait() -> None:
        slots.enter("bob", staff=False)
        entered.set()

    threading.Thread(target=wait, daemon=True).start()
    clock.now += 60
    assert entered.wait(20)
    assert slot.lost


def test_an_export_without_its_place_ends_the_connection() -> None:
    clock = FakeClock()
    slots = some_slots(1, clock=clock)
    charged: list[float] = []

    def charge(units: float) -> float:
        charged.append(units)
        return 0.0

    pieces = iter([bytes(UNIT), bytes(UNIT)])
    slot = slots.enter("alice", staff=False)
    body = ExportBody(pieces, slot=slot, charge=charge, pacer=Pacer())
    next(body)
    clock.now += 60
    slots.enter("bob", staff=False)
    with pytest.raises(BrokenPipeError):
        next(body)
    assert charged == [1], "what was sent is paid for"
    assert list(body) == []
    assert slots.inside() == 1


def sending(
    pieces: list[bytes], buckets: Buckets, rests: list[float], left: list[str]
) -> ExportBody:
    return ExportBody(
        iter(pieces),
        slot=FakeSlot(left),
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
    body = ExportBody(Stuck(), slot=FakeSlot(left), charge=lambda units: 0.0, pacer=Pacer())
    assert next(body) == b"a"
    with pytest.raises(OSError, match="the disk is gone"):
        body.close()
    body.close()
    assert left == ["left"]
    assert list(body) == []


def test_a_file_that_breaks_off_ends_the_connection() -> None:
    def broken() -> object:
        yield b"a"
        raise IncompleteFile("cup")

    left: list[str] = []
    body = ExportBody(
        broken(),  # type: ignore[arg-type]
        slot=FakeSlot(left),
        charge=lambda units: 0.0,
        pacer=Pacer(),
    )
    assert next(body) == b"a"
    with pytest.raises(BrokenPipeError):
        next(body)
    assert left == ["left"]
