"""What a seat is sure of: the search against plain minimax, and against the worlds one by one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from arena.errors import BadInput
from arena.game import GameState, Position, Solution
from arena.game.every_world import every_world
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve, legal
from arena.rules.cards import canonical
from arena.rules.events import Event
from tests.game.enumeration import possible
from tests.game.test_uniform import CASES, played
from tests.rules.dealing import deal

DEALT = "daifugo/1 pagat seat=0 move=0 held=S3S6STSAH3H6HTD5D6DKC8CJC2/14/13/13 dealer=3"
PACK = "daifugo/1 pagat,players=2,suits=S,jokers=0"
LEAD = f"{PACK} seat=0 move=0 held=S3S2/1 gone=S4S8STSQS5S7S9SJSKSA dealer=1"
SMALL = {
    "sets and runs": "pagat,players=2",
    "eights": "pagat+hachi_giri+immediate,players=2",
    "given on": "pagat+nana_watashi+ten_discard,players=2",
    "forbidden last plays": "school,players=2",
    "falls of the rich": "school+fu_ochi,players=3,suits=S+H",
}

HIDDEN = (
    "pagat,players=3,suits=S+H",
    "school,players=3,suits=S+H",
    "pagat+free_lead_pass,players=3,suits=S+H,max_idle_passes=4,idle_rank=random",
)


def endings(ruleset: str, seeds: range, *, most: int) -> Iterator[tuple[Position, GameState]]:
    """Turns late in hands that are played at random: what the seat knows, and what is so."""
    rules = compile_ruleset(ruleset)
    for seed in seeds:
        random = Random(seed)
        places = tuple(random.sample(range(rules.players), rules.players)) if seed % 2 else ()
        log: list[Event] = decide(rules, EMPTY, deal(rules, seed, places=places))
        state = evolve(EMPTY, log)
        while not state.over:
            seat = state.open[0][0]
            menu = legal(rules, state, seat)
            if sum(map(int.bit_count, state.held)) <= most and len(menu) > 1:
                yield (
                    Position.of_events(rules, log, seat=seat, ruleset=ruleset),
                    GameState(rules, state),
                )
            events = decide(rules, state, menu[random.randrange(len(menu))])
            state, log = evolve(state, events), log + events


def minimax(state: GameState, seat: int) -> int:
    """The best place of a seat if it sees all cards and all others play against it."""
    places = state.result()
    if places is not None:
        return places.index(seat) + 1
    values = [minimax(state.play(answer), seat) for answer in state.legal()]
    return min(values) if state.seat == seat else max(values)


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL)
def test_with_all_cards_known_the_search_is_minimax(case: str) -> None:
    mixed = 0
    three = "players=3" in SMALL[case]
    for _, state in endings(SMALL[case], range(8), most=5 if three else 7):
        position = Position.of_state(state.rules, state.state, ruleset=SMALL[case])
        found = position.solve()
        seat = position.asked
        expected = tuple(minimax(state.play(answer), seat) for answer in state.legal(seat))
        assert (found.seat, found.places, found.worlds) == (seat, expected, 1)
        first = tuple(1 if place == 1 else position.rules.players for place in expected)
        assert position.solve(place=1).places == first
        mixed += len(set(expected)) > 1
    assert mixed > 3


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", HIDDEN)
def test_what_is_sure_stays_so_whatever_the_others_do(ruleset: str) -> None:
    """And it is no better than what is sure in each world alone."""
    random, kept = Random(1), 0
    for position, _ in endings(ruleset, range(8), most=7):
        found = position.solve()
        answer = found.places.index(found.place)
        worlds = position.every_world()
        assert found.worlds == len(worlds)
        for world in random.sample(worlds, min(3, len(worlds))):
            alone = Position.of_state(world.rules, world.state, ruleset=ruleset).solve()
            assert all(a <= b for a, b in zip(alone.places, found.places, strict=True))
            kept += stays_sure(world.play(position.legal()[answer]), found, random)
    assert kept > 2


def stays_sure(state: GameState, found: Solution, random: Random) -> int:
    """Play a world on, the seat by what is sure with all cards known; the others at random."""
    while state.result() is None:
        menu = state.legal()
        index = random.randrange(len(menu))
        if state.seat == found.seat:
            places = Position.of_state(state.rules, state.state).solve().places
            assert min(places) <= found.place
            index = places.index(min(places))
        state = state.play(menu[index])
    places = state.result()
    assert places is not None
    assert places.index(found.seat) < found.place
    return found.place < len(places)


def test_the_highest_card_first_wins_and_the_lowest_loses() -> None:
    assert Position.parse(LEAD).solve().places == (2, 1)
    assert Position.parse(LEAD).solve(place=2).places == (2, 2)


GUESS = (
    "daifugo/1 pagat,players=2,suits=S+H,jokers=0,blind_cards=2,sequences=false seat=0 move=0 "
    "held=S5STH5/2 gone=S3S4S6S7S8SJSQSAS2H3H6H7H8HTHJHQHKHAH2 dealer=1"
)
"""The other holds two of S9, H9, SK, H4: a pair calls for the ten first, a king for the 5s."""


def test_a_plan_may_not_hang_on_cards_that_the_seat_is_not_shown() -> None:
    """In each world some answer wins, but there is none that wins in all of them."""
    position = Position.parse(GUESS)
    worlds = position.every_world()
    alone = [Position.of_state(w.rules, w.state).solve() for w in worlds]
    assert len(worlds) > 1
    assert {solution.place for solution in alone} == {1}
    assert position.solve().place > 1


@pytest.mark.slow
@pytest.mark.parametrize("case", ["a deal", "blind cards", "two jokers", "given on"])
def test_every_world_is_what_enumeration_finds(case: str) -> None:
    rules: Ruleset = compile_ruleset(CASES[case])
    commands, events = played(rules, 1, 9)
    for seat in range(rules.players):
        position = Position.of_events(rules, events, seat=seat)
        found = [tuple(map(canonical, w.state.held)) for w in position.every_world()]
        expected = {outcome[: rules.players] for outcome in possible(rules, commands, seat)}
        assert len(found) == len(set(found))
        assert set(found) == expected


def test_where_all_is_known_there_is_one_world() -> None:
    whole = Position.parse(
        f"{PACK} seat=all move=0 held=S4S6/S3S5 gone=S7S8S9STSJSQSKSAS2 dealer=1"
    )
    assert [world.state for world in whole.every_world()] == [whole.state]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (LEAD.replace("move=0", "move=1"), "a turn of seat 0"),
        (
            f"{PACK} seat=all held=S3S4/- gone=S5S6S7S8S9STSJSQSKSAS2 out=1 places=10 dealer=1",
            "a hand that is not over",
        ),
    ],
)
def test_what_cannot_be_solved_is_refused(line: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Position.parse(line).solve()


def test_a_position_that_too_many_worlds_agree_with_is_refused() -> None:
    with pytest.raises(BadInput, match="at most 20 worlds"):
        every_world(Position.parse(DEALT), most=20)


def test_an_end_by_lot_counts_as_the_worst_that_the_lots_may_bring() -> None:
    """With the next pass the hand ends: who holds fewest cards is first, or whom the lot names."""
    rules = "daifugo/1 pagat+free_lead_pass,players=2,suits=S,jokers=0,max_idle_passes=2"
    cards = "seat=0 move=0 held=S3S4/3 gone=S9S8STSQS5S6S7SJ idle=1 lead_passes=1 dealer=1"
    assert Position.parse(f"{rules} {cards}").solve().places[0] == 1
    assert Position.parse(f"{rules},idle_rank=random {cards}").solve().places[0] == 2


def test_a_search_ends_where_it_may_take_no_more_steps() -> None:
    with pytest.raises(BadInput, match="within 3 steps of search"):
        Position.parse(LEAD).solve(most_steps=3)
    with pytest.raises(BadInput, match="place is 3; expected a number from 1 to 2"):
        Position.parse(LEAD).solve(place=3)
