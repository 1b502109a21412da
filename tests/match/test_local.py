"""The match: blocks through any executor, the same whatever the order in which they end."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from json import loads
from multiprocessing import get_context

import pytest

from arena.errors import BadInput, Gone, Reason, Refused, Unavailable
from arena.match.local import Match, MatchTerms, make_bot, play_block
from arena.match.matches import blocks, play_match
from arena.match.workers import Workers
from arena.tournament.sprt import BETTER, OPEN, Bounds, fixed_verdict

LOWEST, SHY = "tests.match.players:Lowest", "tests.match.players:Lowest --shy"
OTHERS = (LOWEST, LOWEST)


def match(first=LOWEST, second=SHY, others=OTHERS, **terms):
    return Match(first, second, others, MatchTerms(ruleset={"preset": "pagat"}, **terms))


class Here(Executor):
    """Does everything at once, in this thread."""

    def __init__(self):
        self.numbers = []

    def submit(self, fn, /, *args, **kwargs):
        self.numbers.append(args[1])
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Backwards(ThreadPoolExecutor):
    """Earlier blocks end later."""

    def submit(self, fn, /, *args, **kwargs):
        return super().submit(self._late, fn, *args, **kwargs)

    @staticmethod
    def _late(fn, *args, **kwargs):
        time.sleep(0.05 / args[1])
        return fn(*args, **kwargs)


def test_a_block_is_a_replay_from_every_seat():
    block = play_block(match(hands_per_table=2), 1)
    assert len(block.hands) == 8
    assert {hand.block for hand in block.hands} == {"block 000001"}
    assert block.score.meetings == 8
    assert play_block(match(hands_per_table=2, deals="fresh"), 1).score.meetings == 2


@pytest.mark.slow
def test_a_block_follows_from_match_and_number():
    assert play_block(match(hands_per_table=2), 3) == play_block(match(hands_per_table=2), 3)
    assert (
        play_block(match(hands_per_table=2), 3).hands
        != play_block(match(hands_per_table=2), 4).hands
    )


@pytest.mark.slow
def test_blocks_come_in_order_whatever_the_order_in_which_they_end():
    asked = match(hands_per_table=1)
    straight = list(blocks(asked, Here(), count=6))
    with Backwards(4) as pool:
        assert list(blocks(asked, pool, count=6, window=4)) == straight


@pytest.mark.server
def test_blocks_can_be_played_by_other_processes():
    asked = match(hands_per_table=1, deals="fresh")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(blocks(asked, pool, count=2)) == list(blocks(asked, Here(), count=2))
    with Workers(2) as ours:
        assert list(blocks(asked, ours, count=3)) == list(blocks(asked, Here(), count=3))


@pytest.mark.server
def test_workers_hand_on_what_a_call_raises_and_end_at_once():
    with Workers(2) as ours:
        slow = [ours.submit(time.sleep, 60) for _ in range(3)]
        with Workers(1) as other, pytest.raises(ValueError, match="sleep length"):
            other.submit(time.sleep, -1).result(timeout=60)
    ended = [future for future in slow if future.done() and not future.cancelled()]
    assert not any(future.exception() is None for future in ended)


@pytest.mark.slow
def test_the_match_stops_at_the_verdict_and_asks_for_no_more():
    told, pool = [], Here()
    test = play_match(
        match(hands_per_table=1),
        pool,
        hands=4_000,
        bounds=Bounds(0, 100),
        window=2,
        watch=lambda state, block: told.append(state.verdict),
    )
    assert test.verdict == BETTER
    assert told == [OPEN] * (len(told) - 1) + [BETTER]
    assert test.blocks == len(told)
    assert max(pool.numbers) <= len(told) + 2


@pytest.mark.slow
def test_without_bounds_all_hands_are_played():
    test = play_match(match(hands_per_table=1), Here(), hands=120)
    assert (test.blocks, test.meetings) == (30, 120)
    assert fixed_verdict(test) == BETTER


@pytest.mark.parametrize(
    ("others", "filled"),
    [
        ((), ["sample_bots.heuristic:Heuristic"] * 3),
        ((LOWEST,), [LOWEST] * 3),
        ((LOWEST, SHY), [LOWEST, SHY, LOWEST]),
    ],
)
def test_others_take_the_seats_that_are_left_in_turn(others, filled):
    line_up = match(others=others).line_up(5)
    assert [name for name, _ in line_up] == ["A", "B", "other-1", "other-2", "other-3"]
    assert [source for _, source in line_up[2:]] == filled


@pytest.mark.parametrize(
    "source",
    [
        "nowhere:Bot",
        "tests.match.players",
        "tests.match.players:NoSuch",
        "tests.match.players:PAGAT",
        "tests.match.players:Low",
        "tests.match.players:Lowest --bold",
        "tests.match.players:Lowest '",
        "tests.match.players:Unborn",
        "",
    ],
)
def test_what_is_no_bot_is_refused(source):
    with pytest.raises(BadInput, match="bot"):
        make_bot(source)


def test_matches_that_cannot_be_played_are_refused_before_the_first_block():
    pool = Here()
    with pytest.raises(BadInput, match="others is 3; expected at most 2, for 4 seats"):
        play_match(match(others=(LOWEST,) * 3), pool, hands=10)
    with pytest.raises(BadInput, match="bot"):
        play_match(match(second="nowhere:Bot"), pool, hands=10)
    with pytest.raises(BadInput, match="deals"):
        match(deals="common")
    with pytest.raises(BadInput, match="hands_per_table"):
        match(hands_per_table=0)
    assert pool.numbers == []


@pytest.mark.server
def test_a_bot_that_leaves_or_takes_its_process_along_ends_the_match():
    with pytest.raises(Unavailable, match=r"A \(tests.match.players:Leaver\) has left"):
        play_match(match("tests.match.players:Leaver"), Here(), hands=10)
    with Workers(1) as pool, pytest.raises(Unavailable, match="a process that played has ended"):
        play_match(match("tests.match.players:Killer"), pool, hands=10)


@pytest.mark.parametrize(
    "error",
    [
        BadInput("seats", 9, "2 to 8"),
        Refused(Reason.TOO_LOW, "a 3 is too low", rule="order", cards=["S3"]),
        Gone("turn", "too late"),
        Unavailable("not now", retry_after=3),
    ],
)
def test_errors_come_whole_out_of_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_bots_that_draw_from_their_own_chance_play_the_same_again_by_the_seed() -> None:
    def lines(seed: int) -> tuple[str, ...]:
        terms = MatchTerms(ruleset={"preset": "pagat"}, hands_per_table=1, seed=seed, deals="fresh")
        source = "sample_bots.random_bot:RandomBot"
        return play_block(Match(source, source, (source,), terms, record=True), 1).records

    assert lines(7) == lines(7)
    played = [
        [step["command"] for step in loads(line)["steps"][1:]] for line in (*lines(7), *lines(8))
    ]
    assert played[0] != played[1]
