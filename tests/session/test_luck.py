"""The luck of a deal: what packets hold beyond what a shuffled deck gives packets of their size."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

from arena.bench.statistics import Ground, ground
from arena.bench.strategies import FIELD
from arena.rules.cards import JOKERS, RANK_MASKS
from arena.rules.events import Dealt
from arena.session.luck import deal_luck
from arena.tournament.luck import dealt_hand, luck

SPECS = ("pagat", "uecda", "pagat+kakumei+hachi_giri+shibari")


def deals(on: Ground, count: int) -> list[Dealt]:
    """The deals of tables, with titles and exchange from the second hand on."""
    found: list[Dealt] = []
    for number in itertools.count():
        for played in on.table(FIELD[: on.seats], f"deal {number}", 5):
            if played.steps:
                found += [e for e in played.steps[0].events if isinstance(e, Dealt)]
        if len(found) >= count:
            return found
    raise AssertionError("there are always more")


@pytest.mark.parametrize("spec", SPECS)
def test_what_all_seats_have_too_much_is_what_others_have_too_little(spec: str) -> None:
    for dealt in deals(ground(spec, 5), 20):
        found = deal_luck(dealt)
        assert found is not None
        assert np.allclose(np.array(found).sum(axis=0), 0)
        assert np.allclose(np.array(found).sum(axis=1), 0)


def test_the_mean_over_shuffles_is_zero_for_every_seat() -> None:
    chance, deck = Random(1), [1 << at for at in range(54)]
    sums, squares = np.zeros((4, 14)), np.zeros((4, 14))
    for _ in range(4_000):
        chance.shuffle(deck)
        hands = tuple(sum(deck[seat::4]) for seat in range(4))
        counts = tuple(hand.bit_count() for hand in hands)
        found = deal_luck(Dealt(0, hands, counts, 0, (), (None,) * 4, None))
        sums += np.array(found)
        squares += np.array(found) ** 2
    errors = np.sqrt(squares / 4_000) / np.sqrt(4_000)
    assert (np.abs(sums / 4_000) < 4.5 * errors).all()


def test_where_cards_are_taken_out_jokers_are_not_shared_out_evenly_and_nothing_is_said() -> None:
    hands = tuple(RANK_MASKS[at] & 0xF << 4 * at for at in range(4))
    assert deal_luck(Dealt(0, hands, (4,) * 4, 0, (), (None,) * 4, None)) is not None
    assert deal_luck(Dealt(0, hands, (4,) * 4, 1 << 40, (), (None,) * 4, None)) is None


def test_hidden_cards_have_no_luck() -> None:
    hands = (RANK_MASKS[0] & 0xF, 0, JOKERS & -JOKERS, 0)
    assert deal_luck(Dealt(0, hands, (4, 4, 1, 0), 0, (), (None,) * 4, None)) is None


@pytest.mark.simulation
@pytest.mark.parametrize(("spec", "seats", "least"), [("pagat", 4, 0.08), ("uecda", 5, 0.02)])
def test_on_the_engine_the_mean_stays_and_the_spread_shrinks(
    spec: str, seats: int, least: float
) -> None:
    """With exchange too: cards are taken as they were dealt, before titles have a say in them."""
    lucks, saved = [], []
    for seed in range(16):
        on, chance, hands = ground(spec, seats, seed=seed), Random(seed), []
        bots = FIELD[: 2 * seats]
        for round_ in range(10):
            order = chance.sample(bots, len(bots))
            for line_up in (order[:seats], order[seats:]):
                block = f"{round_}{line_up[0]}"
                for played in on.table(line_up, block, 4):
                    if played.steps:
                        (dealt,) = [e for e in played.steps[0].events if isinstance(e, Dealt)]
                        by_seat = deal_luck(dealt)
                        assert by_seat is not None
                        seats_of = [line_up[player] for player in played.seating]
                        hands.append(dealt_hand(played.result, seats_of, by_seat))
        found = luck(hands)
        lucks.append([each.luck for each in found.bots])
        saved.append(found.saved)
    means = np.mean(lucks, axis=0) / (np.std(lucks, axis=0, ddof=1) / 4)
    assert (np.abs(means) < 4.5).all()
    assert np.mean(saved) > least
