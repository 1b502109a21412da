"""Worlds agree with all that a seat knows, and are uniform over what it does not."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import GameState
from arena.rules import Ruleset, compile_ruleset, see
from arena.rules.presets import PRESETS
from arena.wire import turn_fields
from tests.game.moments import Moment, disagreements, moments
from tests.rules.strategies import named_rulesets, rulesets


def assert_same_bytes(moment: Moment, world: GameState) -> None:
    """Fail where a world shows the seat anything that the hand did not."""
    rules, seat = moment.rules, moment.seat
    assert json.dumps(turn_fields(rules, world.state, seat, hints=True)) == json.dumps(
        turn_fields(rules, moment.state, seat, hints=True)
    )
    for reader in (seat, None):
        here, there = see(rules, moment.state, reader), see(rules, world.state, reader)
        assert here._replace(question=None) == there._replace(question=None)
    assert list(world.legal(seat)) == list(GameState(rules, moment.state).legal(seat))


def assert_ends(world: GameState, random: Random) -> None:
    """Fail where a world cannot be played to its end, or loses cards."""
    for _ in range(5000):
        if (places := world.result()) is not None:
            assert sorted(places) == list(range(world.rules.players))
            return
        menu = world.legal()
        world = world.play(menu[random.randrange(len(menu))])
    raise AssertionError("the hand does not end")


def assert_whole(world: GameState) -> None:
    """Fail where cards are missing, or twice there."""
    state = world.state
    masks = (*state.held, state.table, state.gone, state.setup.blind)
    assert sum(mask.bit_count() for mask in masks) == len(world.rules.deck)
    assert sum(masks) == sum(1 << card for card in world.rules.deck)
    assert state.setup.blind.bit_count() == world.rules.deal.blind


def check(rules: Ruleset, seed: int) -> int:
    random = Random(seed)
    number = 0
    for moment in moments(rules, seed):
        for world in moment.position().worlds(2, random):
            number += 1
            assert_same_bytes(moment, world)
            assert_whole(world)
            if random.random() < 0.1:
                assert_ends(world, random)
    return number


@pytest.mark.parametrize("name", PRESETS)
def test_every_world_shows_the_seat_the_same_bytes(name: str) -> None:
    assert sum(check(compile_ruleset(name), seed) for seed in range(2)) > 10


@given(rulesets(), st.integers(0, 10**9))
def test_so_it_does_under_any_options(rules: Ruleset, seed: int) -> None:
    check(rules, seed)


@given(rulesets(decks=1, jokers=1), st.integers(0, 10**9))
def test_what_a_seat_is_said_to_know_is_true(rules: Ruleset, seed: int) -> None:
    for moment in moments(rules, seed):
        assert disagreements(moment.position(), moment.state) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", named_rulesets())
def test_so_it_is_under_every_named_ruleset(name: str) -> None:
    rules = compile_ruleset(name)
    for seed in range(6):
        check(rules, seed)
