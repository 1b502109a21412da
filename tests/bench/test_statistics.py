"""The measurements of the statistics run, and say what they are said to say."""

from __future__ import annotations

import math

import pytest

from arena.bench.statistics import ground, measure, replayed
from arena.bench.strategies import FIELD, SENSES, player
from arena.match.tables import TableSetup, play_table


def test_every_strategy_plays_to_the_end():
    on = ground("uecda", 5)
    for first in range(0, len(FIELD), 5):
        bots = (FIELD * 2)[first : first + 5]
        played = on.table(bots, "b", 2)
        assert [hand.result.faults for hand in played] == [(), ()]


def test_sense_is_worth_something():
    on = ground("pagat", 4)
    wins = {"lowest": 0, "random": 0}
    for number in range(25):
        for hand in on.table(("lowest", "random", "sense-50", "sense-30"), f"b{number}", 2):
            order = hand.result.bots
            wins[min(("lowest", "random"), key=order.index)] += 1
    assert wins["lowest"] > 3 * wins["random"]


@pytest.mark.slow
def test_a_measurement_follows_from_its_seed():
    on = ground("pagat", 4, scale=0.005)
    assert list(replayed(on)) == list(replayed(on)) != list(replayed(on._replace(seed=2)))


@pytest.mark.slow
def test_small_sessions_leave_twins_undecided_and_hold_the_truth():
    figures = {
        f.what: f.value for f in measure(ground("pagat", 4, scale=0.05), only=["small_sessions"])
    }
    assert len(figures) == 10
    for blocks in (5, 8):
        assert figures[f"{blocks} blocks a bot: coverage of 95 %, %"] > 88
        assert figures[f"{blocks} blocks a bot: for differences, %"] > 88
        assert figures[f"{blocks} blocks a bot: twins called different, %"] < 15


@pytest.mark.simulation
def test_all_figures_are_numbers_even_at_the_smallest_scale(monkeypatch):
    monkeypatch.setattr("arena.bench.statistics.LONG", 20)
    told = []
    figures = list(measure(ground("pagat", 4, scale=0.001), told.append))
    assert told == ["seat order", "replayed", "sessions", "common", "long tables", "small sessions"]
    assert all(math.isfinite(figure.value) for figure in figures)
    assert len({figure.what for figure in figures}) == len(figures) - 2


@pytest.mark.parametrize("name", ["lowest", "saving-5"])
def test_strategies_do_not_look_at_other_hands(name):
    """The same seat's cards, other cards swapped among the others: the same first answer."""
    on = ground("pagat", 4)
    setting = TableSetup(on.rules, "b", "p", ("a", "b", "c", "d"), 1, 1, "b", "b")
    looks = []

    class Spy:
        note = ""

        def answer(self, look, refused):
            looks.append(look)
            return player(name, setting, seed=1).answer(look, refused)

        def hand_over(self, look):
            pass

    play_table(setting, [Spy() for _ in range(4)])
    for look in looks[:20]:
        held = list(look.state.held)
        others = [seat for seat in range(4) if seat != look.seat]
        a, b = others[0], others[1]
        held[a], held[b] = held[b], held[a]
        swapped = look._replace(state=look.state.changed(held=tuple(held)))
        one, other = (player(name, setting, seed=1).answer(view, None) for view in (look, swapped))
        assert one == other


def test_the_field_has_every_sense():
    assert set(FIELD) == {"heuristic", *SENSES}
