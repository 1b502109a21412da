"""Moves: who favours whom is found; styles, situations and strong players are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from arena.tournament.alerts import Alerts, alerts, raised
from arena.tournament.moves import (
    GIFTS,
    PASSES,
    SPENDING,
    Gift,
    HandMoves,
    MoveIndex,
    MoveLog,
    Reaction,
    habits,
    move_log,
)
from arena.tournament.ratings import rate
from arena.tournament.reporting.alert_reports import alerts_document, alerts_text
from tests.tournament.simulation import named

BOTS = [named(i) for i in range(12)]
STYLE = np.linspace(0.1, 0.6, 12)
"""How often each passes."""


def played_hands(seed, *, hands=420, feeder=3, friend=8, passes=0.0, saves=0.0, gives=0.0):
    """Hands of four. Everybody passes more in some situations, and on the plays of bot 11; the
    feeder does so on its friend's plays too, with the chances given."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(hands):
        table = chance.choice(12, 4, replace=False).tolist()
        reactions, gifts = [], []
        for _ in range(24):
            bot, other = chance.choice(table, 2, replace=False).tolist()
            favours = (bot, other) == (feeder, friend)
            situation = int(chance.integers(4))
            often = STYLE[bot] + 0.08 * situation + 0.1 * (other == 11)
            passed = chance.random() < often or (favours and chance.random() < passes)
            spent = float(chance.integers(5)) * (not (favours and chance.random() < saves))
            reactions.append(
                Reaction(BOTS[bot], BOTS[other], (situation,), None if passed else spent)
            )
        for rich, poor in (table[:2], table[2:]):
            favours = (rich, poor) == (feeder, friend) and chance.random() < gives
            share = 0.2 * chance.random() + 0.7 * favours
            gifts.append(Gift(BOTS[rich], BOTS[poor], ("daifugo", "exchange"), float(share)))
        found.append(HandMoves(tuple(reactions), tuple(gifts)))
    return found


def found_in(moves):
    return alerts([], rate([]), moves=move_log(moves)).habits


@pytest.mark.parametrize(
    ("kind", "help_"),
    [
        (PASSES, {"passes": 0.6}),
        pytest.param(SPENDING, {"saves": 1.0}, marks=pytest.mark.slow),
        pytest.param(GIFTS, {"gives": 1}, marks=pytest.mark.slow),
    ],
)
def test_who_favours_whom_is_found_by_the_kind_of_its_favour(kind, help_):
    first = found_in(played_hands(1, **help_))[0]
    assert (first.kind, first.bot, first.other) == (kind, named(3), named(8))
    assert raised(first)
    assert first.gap > 3 * first.error


@pytest.mark.slow
def test_half_of_the_favours_are_half_the_gap():
    always, half = (
        next(
            habit
            for habit in habits(move_log(played_hands(2, passes=often)), PASSES)
            if (habit.bot, habit.other) == (BOTS[3], BOTS[8])
        )
        for often in (0.8, 0.4)
    )
    assert half.gap == pytest.approx(always.gap / 2, abs=0.1)


@pytest.mark.simulation
def test_honest_sessions_are_rarely_alarmed():
    """Bots of different styles, situations that call for a pass, a player on whom all pass."""
    sessions = [found_in(played_hands(seed)) for seed in range(60)]
    assert all(len(found) > 300 for found in sessions)
    assert sum(any(map(raised, found)) for found in sessions) <= 6


def test_a_player_on_whom_everybody_passes_has_no_friends():
    found = [h for h in habits(move_log(played_hands(4)), PASSES) if h.other == named(11)]
    assert np.mean([h.gap for h in found]) == pytest.approx(0, abs=0.03)


def test_the_order_of_the_hands_changes_nothing_that_is_printed():
    moves = played_hands(5, hands=80)
    one, other = (
        alerts_document(alerts([], rate([]), moves=move_log(m))) for m in (moves, moves[::-1])
    )
    assert one == other


def test_few_hands_are_not_tested_and_nothing_at_all_is_no_error():
    assert habits(move_log(played_hands(6, hands=5)), PASSES) == ()
    assert habits(move_log([]), GIFTS) == ()
    assert alerts([], rate([])) == Alerts()


@pytest.mark.slow
def test_favours_are_named_in_the_text_and_in_the_document():
    found = alerts([], rate([]), moves=move_log(played_hands(1, passes=0.6)))
    text = alerts_text(found, {BOTS[3]: "革命家", BOTS[8]: "貧民の星"})
    assert "moves that favour another bot: " in text
    assert "革命家  貧民の星  passes on its plays" in text
    (first, *_) = alerts_document(found)["moves"]
    assert (first["alert"], first["kind"], first["bot"], first["towards"]) == (
        *(True, PASSES),
        *(BOTS[3], BOTS[8]),
    )
    assert "read: " not in text
    assert "moves: none read, of 7 hands" in alerts_text(Alerts(hands_unread=7), {})
    assert "read: 420 hands, unread: 5" in alerts_text(found._replace(hands_unread=5), {})


def test_logs_that_are_put_together_are_the_log_of_all_hands():
    moves, index = played_hands(7, hands=60), MoveIndex()
    whole, parts = move_log(moves), MoveLog(index)
    for part in (moves[:25], moves[25:]):
        log = MoveLog(index)
        for hand in part:
            log.add(hand)
        parts.extend(log)
    assert parts.hands == whole.hands == 60
    for kind in (PASSES, SPENDING, GIFTS):
        assert habits(parts, kind) == habits(whole, kind)
