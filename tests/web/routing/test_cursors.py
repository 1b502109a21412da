"""Whatever the order in which homes answer: no turn is lost, and none comes twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.web.routing.cursors import KEPT, NONE, MergedCursors, is_merged
from arena.web.routing.merged_documents import merge_polls

HOMES = ("ash", "elm", "oak")
NOW_MS = 1_800_000_000_000
MARK = 7


class Home:
    """What a home does with cursors: numbers that only grow, those above a cursor are sent."""

    def __init__(self, mark: int) -> None:
        self.number = NOW_MS * 4_096 + mark
        self.open: dict[int, str] = {}

    def lay(self, turn: str) -> None:
        self.number += 4_096
        self.open[self.number] = turn

    def poll(self, after: int | None, most: int) -> dict[str, object]:
        sent = [number for number in self.open if after is None or number > after][:most]
        turns = [self.open[number] for number in sent]
        return {"turns": turns, "poll_after_ms": 0, "cursor": max(sent, default=after)}


LAY = st.tuples(st.just("lay"), st.sampled_from(HOMES), st.integers(1, 4))
POLL = st.tuples(st.just("poll"), st.permutations(HOMES), st.integers(0, 3))
REPLACE = st.tuples(st.just("replace"), st.sampled_from(HOMES), st.just(0))


def play(steps: list[tuple[str, object, int]], most: int) -> tuple[list[str], list[str]]:
    """The turns that were laid, and those that a client got who polls until nothing comes."""
    homes = {name: Home(mark) for mark, name in enumerate(HOMES)}
    given_cursors = MergedCursors(lambda: MARK)
    laid: list[str] = []
    got: list[str] = []
    after: int | None = None

    def poll(order: list[str]) -> bool:
        nonlocal after
        before = NONE if after is None else given_cursors.known("bot", after)
        polls = {name: homes[name].poll(before.get(name), most) for name in order}
        polled = merge_polls(polls, before, most)
        after = given_cursors.give("bot", polled.cursors)
        got.extend(map(str, polled.turns))
        assert len(polled.turns) <= most
        return bool(polled.turns)

    for what, which, count in steps:
        if what == "lay":
            for _ in range(count):
                laid.append(f"{which}-{len(laid)}")
                homes[str(which)].lay(laid[-1])
        elif what == "replace":
            former, homes[str(which)] = homes[str(which)], Home(100 + len(laid))
            for turn in former.open.values():
                homes[str(which)].lay(turn)
        else:
            poll(list(which)[count:])  # type: ignore[call-overload]
    quiet = 0
    while quiet < len(HOMES):  # another home first each time, as the router has it
        order = [*HOMES[len(got) % 3 :], *HOMES[: len(got) % 3]]
        quiet = 0 if poll(order) else quiet + 1
    return laid, got


@given(st.lists(st.one_of(LAY, POLL), max_size=30), st.integers(1, 6))
def test_each_turn_comes_once(steps: list[tuple[str, object, int]], most: int) -> None:
    laid, got = play(steps, most)
    assert sorted(got) == sorted(laid)


@given(st.lists(st.one_of(LAY, POLL, REPLACE), max_size=30), st.integers(1, 6))
def test_no_turn_is_lost_when_a_home_is_replaced(
    steps: list[tuple[str, object, int]], most: int
) -> None:
    """Its turns have other numbers then, below or above the former ones."""
    laid, got = play(steps, most)
    again = [which for what, which, _ in steps if what == "replace"]
    assert set(got) == set(laid) or again
    assert set(laid) <= set(got) | {turn for turn in laid if turn.partition("-")[0] in again}


def test_a_number_stands_for_its_cursors_and_is_of_its_referee() -> None:
    cursors = MergedCursors(lambda: MARK)
    number = cursors.give("bot", {"ash": 5, "elm": 9})
    assert number is not None
    assert is_merged(number)
    assert number % 4_096 == MARK
    assert cursors.known("bot", number) == {"ash": 5, "elm": 9}
    assert cursors.known("another bot", number) == {}
    assert cursors.give("bot", {"ash": 5, "elm": 9}) == number, "nothing has changed"
    assert cursors.give("bot", {}) is None
    assert not is_merged(NOW_MS * 4_096 + MARK)


def test_only_the_last_ones_are_kept_and_what_is_forgotten_stands_for_nothing() -> None:
    cursors = MergedCursors(lambda: MARK)
    numbers = [cursors.give("bot", {"ash": count}) for count in range(KEPT + 1)]
    known = [cursors.known("bot", number or 0) for number in numbers]
    assert known == [{}, *({"ash": count} for count in range(1, KEPT + 1))]


def test_two_runs_give_no_number_twice() -> None:
    numbers = {MergedCursors(lambda: MARK).give("bot", {"ash": 1}) for _ in range(8)}
    assert len(numbers) == 8
