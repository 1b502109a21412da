"""Who takes what: all referees that see the same come to the same answer."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.cluster.sharing import Candidate, heir, least_busy, surplus

NAMES = st.sets(st.text("abcdefgh-0123456789", min_size=1, max_size=8), min_size=1, max_size=8)
LOADS = st.lists(st.integers(0, 60), min_size=1, max_size=7)
SESSIONS = [f"cup-{number}" for number in range(600)]


def referees(loads: list[int]) -> list[Candidate]:
    return [Candidate(f"r{number}", load) for number, load in enumerate(loads)]


@given(NAMES, st.text(max_size=20), st.randoms())
def test_every_session_has_one_heir_whoever_asks_in_whatever_order(
    names: set[str], session: str, random: object
) -> None:
    asked = sorted(names)
    random.shuffle(asked)  # type: ignore[attr-defined]
    assert heir(session, asked) == heir(session, sorted(names)) in names


def test_where_nobody_takes_sessions_there_is_no_heir() -> None:
    assert heir("cup", []) is None
    assert least_busy([]) is None
    assert surplus("r0", []) == 0


def test_the_sessions_of_a_dead_home_are_spread_over_all_others() -> None:
    taken = Counter(heir(session, ["r1", "r2", "r3", "r4"]) for session in SESSIONS)
    assert set(taken) == {"r1", "r2", "r3", "r4"}
    assert min(taken.values()) > len(SESSIONS) // 4 * 0.7


@given(NAMES)
def test_one_candidate_less_changes_only_what_would_have_been_its_own(names: set[str]) -> None:
    gone = min(names)
    for session in SESSIONS[:40]:
        before = heir(session, names)
        if before != gone:
            assert heir(session, names - {gone}) == before


@given(LOADS)
def test_the_least_busy_has_the_fewest_sessions(loads: list[int]) -> None:
    chosen = least_busy(referees(loads))
    assert next(load for name, load in referees(loads) if name == chosen) == min(loads)


@given(LOADS)
def test_at_most_one_referee_hands_sessions_over_and_stays_ahead_of_who_gets_them(
    loads: list[int],
) -> None:
    candidates = referees(loads)
    giving = {each.name: surplus(each.name, candidates) for each in candidates}
    assert sum(count > 0 for count in giving.values()) <= 1
    for name, count in giving.items():
        if count:
            own = dict(candidates)[name]
            assert own == max(loads) > 2 * min(loads) + 1
            assert own - count >= min(loads) + count


@given(LOADS)
def test_balancing_comes_to_rest(loads: list[int]) -> None:
    """Nothing goes to and fro: each step lessens what is between the busiest and the rest."""
    candidates = referees(loads)
    for _ in range(10_000):
        moves = [(each.name, surplus(each.name, candidates)) for each in candidates]
        giver, count = max(moves, key=lambda move: move[1])
        if not count:
            break
        to = least_busy(candidates)
        assert to != giver
        now = dict(candidates)
        before = sum(load * load for load in now.values())
        now[giver], now[str(to)] = now[giver] - count, now[str(to)] + count
        assert sum(load * load for load in now.values()) < before
        candidates = [Candidate(name, load) for name, load in now.items()]
    else:
        raise AssertionError("it goes on for ever")


def test_one_session_alone_is_left_where_it_is() -> None:
    assert surplus("r0", referees([1, 0])) == 0
    assert surplus("r0", referees([2, 0])) == 1
    assert surplus("r0", referees([9, 1])) == 2
    assert surplus("r0", referees([9, 4])) == 0
