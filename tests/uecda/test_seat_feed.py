"""The events of a hand for one seat, from several sources: nothing twice, nothing left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import EMPTY, compile_ruleset, decide, evolve, legal, redact
from arena.rules.events import Asked, Dealt, Gave, Played
from arena.uecda.cells import NOTHING
from arena.uecda.seat_feed import NumberedEvents, SeatFeed, read_events
from arena.wire import write_event
from tests.rules.dealing import deal

UECDA = compile_ruleset({"preset": "uecda"})


def hand(places=(2, 0, 1, 4, 3)):
    """The events of a hand in which everybody plays whatever it can."""
    events = decide(UECDA, EMPTY, deal(UECDA, 7, places=places))
    state = evolve(EMPTY, events)
    while not state.over:
        more = decide(UECDA, state, [*legal(UECDA, state, state.open[0][0])][-1])
        events, state = events + more, evolve(state, more)
    return tuple(events)


HAND = hand()
OWN = tuple(redact(event, 1) for event in HAND)
OPEN = next(n for n, event in enumerate(HAND, 1) if type(event).__name__ == "ToMove")


def part(first, end, seat=1):
    """Some of the events, as a seat was sent them."""
    return NumberedEvents(first, tuple(redact(event, seat) for event in HAND[first:end]))


def test_what_others_were_sent_is_taken_only_from_the_first_move_on() -> None:
    feed = SeatFeed(1)
    assert not feed.add(part(0, OPEN, seat=3), own=False)
    assert not feed.is_open
    assert feed.add(part(0, OPEN), own=True)
    assert feed.is_open
    assert feed.add(part(0, OPEN + 9, seat=3), own=False)
    assert feed.events == OWN[: OPEN + 9]


def test_what_comes_after_a_gap_waits_for_the_log() -> None:
    feed = SeatFeed(1)
    feed.add(part(0, OPEN), own=True)
    assert not feed.add(part(OPEN + 2, OPEN + 4), own=True)
    assert feed.add(part(0, OPEN + 4), own=True)
    assert feed.events == OWN[: OPEN + 4]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(HAND)), st.integers(0, len(HAND)), st.sampled_from([0, 1, 2, 3, 4])
        ),
        max_size=30,
    )
)
def test_in_whatever_order_pieces_come_a_seat_sees_what_it_may_and_in_order(pieces) -> None:
    """Also when a log is open to all because its hand has ended: it is as its seat may see it."""
    feed, taken = SeatFeed(1), []
    for first, end, seat in [*pieces, (0, len(HAND), 1)]:
        events = NumberedEvents(first, HAND[first:end]) if seat == 1 else part(first, end, seat)
        feed.add(events, own=seat == 1)
        while (entry := feed.take()) is not None:
            taken.append(entry.event)
    assert tuple(taken) == OWN
    assert feed.is_over


def test_a_decision_of_the_seat_is_one_a_tribute_is_none() -> None:
    gave = next(n for n, e in enumerate(HAND, 1) if isinstance(e, Gave) and e.seat == 4)
    poor, rich = SeatFeed(4), SeatFeed(2)
    poor.add(part(0, gave, seat=4), own=True)
    rich.add(part(0, OPEN, seat=2), own=True)
    assert (poor.has_acted, rich.has_acted) == (False, True)
    poor.add(part(0, len(HAND), seat=4), own=True)
    assert poor.has_acted


def test_the_cells_of_a_play_go_with_it_and_with_nothing_else() -> None:
    feed = SeatFeed(1)
    number = next(n for n, event in enumerate(HAND) if isinstance(event, Played))
    feed.write(number, NOTHING)
    feed.write(0, NOTHING)
    feed.add(part(0, number + 1), own=True)
    entries = [feed.take() for _ in range(number + 1)]
    assert [n for n, entry in enumerate(entries) if entry.written is not None] == [number]


def test_events_are_read_as_the_arena_writes_them() -> None:
    documents = [write_event(redact(event, 1)) for event in HAND[:OPEN]]
    read = read_events(3, documents)
    assert read.first == 3
    assert read.events == OWN[:OPEN]
    assert isinstance(read.events[0], Dealt)
    assert isinstance(read.events[1], Asked)
