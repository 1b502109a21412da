"""Alerts: friends are found, chance is left alone, seats and blocks are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.tournament.alerts import (
    Alerts,
    Seated,
    adjusted,
    alerts,
    helps,
    neighbour_counts,
    partial_blocks,
    raised,
    seat_counts,
    seat_effects,
)
from arena.tournament.distributions import chi_square_tail
from arena.tournament.pairing.seatings import seating
from arena.tournament.ratings import rate
from arena.tournament.reporting.alert_reports import alerts_document, alerts_text
from arena.tournament.results import HandResult
from tests.tournament.simulation import hand, named, played
from tests.tournament.test_ratings import LADDER, TWELVE


def with_a_friend(seed, *, help_=0.0, hands=5, laps=2):
    """Sessions in which bot 3 plays for bot 8 whenever they share a table."""
    chance = np.random.default_rng(seed)
    results = []
    for number, table in enumerate(TWELVE.tables * laps):
        strength = LADDER[list(table)] + chance.normal(0, 0.6, len(table))
        if 3 in table and 8 in table:
            strength[table.index(8)] += help_
            strength[table.index(3)] -= help_ / 2
        for _ in range(hands):
            order = np.argsort(-(strength + chance.gumbel(size=len(table))))
            bots = tuple(named(table[seat]) for seat in order)
            results.append(HandResult(f"{number:03}", "test/4", bots, tuple(range(1, 5))))
    return results


def test_who_helps_whom_is_found():
    found = helps(rate(with_a_friend(1, help_=2.5)))
    assert (found[0].helper, found[0].helped) == (named(3), named(8))
    assert raised(found[0])
    assert found[0].gap > 0.2
    assert found[0].residual_with > 0 > found[0].residual_without


@pytest.mark.simulation
def test_between_strangers_alarms_are_rare():
    """Over 500 sessions, with 22 and with 44 blocks for each bot, it was 5.6 and 5.8 %."""
    sessions = [helps(rate(with_a_friend(seed))) for seed in range(50)]
    assert all(len(found) >= 110 for found in sessions)
    assert sum(any(map(raised, found)) for found in sessions) <= 6
    chances = np.array([found.chance for session in sessions for found in session])
    assert np.mean(chances < 0.05) == pytest.approx(0.05, abs=0.01)
    assert np.mean(chances < 0.001) < 0.002


@pytest.mark.simulation
def test_bots_that_always_lose_raise_no_alarm_and_hide_no_friend():
    skill = np.concatenate([LADDER[:10], [-30.0, -30.0]])
    sessions = [helps(rate(played(TWELVE, skill, seed=s, hands=5, laps=2))) for s in range(50)]
    assert sum(any(map(raised, found)) for found in sessions) <= 6


@pytest.mark.simulation
@pytest.mark.parametrize(("help_", "laps", "least"), [(2.5, 2, 10), (1.5, 4, 15), (2.5, 4, 19)])
def test_friends_are_found_the_surer_the_more_they_help_and_play(help_, laps, least):
    """Over 125 sessions it was 73, 85 and 99 %."""
    sessions = [helps(rate(with_a_friend(s, help_=help_, laps=laps))) for s in range(9_000, 9_020)]
    caught = [{(h.helper, h.helped) for h in found if raised(h)} for found in sessions]
    assert sum((named(3), named(8)) in pairs for pairs in caught) >= least


def test_a_pair_that_always_meets_cannot_be_tested():
    hands = [hand(*order, block=f"{i}") for i, order in enumerate(["abc", "bca", "cab"] * 4)]
    assert helps(rate(hands)) == ()


def seated_hands(*, reseat_every, hands=40):
    """Tables of equals with their seats; the first seat is worth something."""
    chance = np.random.default_rng(7)
    found = []
    for table in range(12):
        names = [f"p{i}" for i in range(4)]
        for number in range(1, hands + 1):
            seats = seating(4, number, seed=table, reseat_every=reseat_every)
            bots = tuple(names[player] for player in seats)
            luck = chance.gumbel(size=4) + np.array([1.0, 0, 0, 0])
            order = tuple(bots[seat] for seat in np.argsort(-luck))
            found.append(Seated(HandResult(f"t{table}", "p/4", order, (1, 2, 3, 4)), bots))
    return found


def test_reseating_shares_seats_and_neighbours_out_evenly():
    seated = seated_hands(reseat_every=1)
    assert not any(map(raised, seat_counts(seated)))
    assert not any(map(raised, neighbour_counts(seated)))
    assert sum(sum(count.counted) for count in seat_counts(seated)) == 4 * len(seated)


def test_seats_that_never_change_are_noticed():
    seated = seated_hands(reseat_every=0)
    assert any(map(raised, seat_counts(seated)))
    after = neighbour_counts(seated)
    assert all(map(raised, after))
    assert {count.counted[0] for count in after} == {0, 480}


def test_a_seat_that_pays_is_noticed_and_the_others_pay_for_it():
    seated = seated_hands(reseat_every=1)
    effects = seat_effects(seated, rate(one.result for one in seated))
    worth = {effect.seat: effect.residual for effect in effects}
    assert raised(effects[0])
    assert worth[0] > 0.1 > 0 > max(worth[1], worth[2], worth[3])
    assert sum(worth.values()) == pytest.approx(0, abs=1e-9)


def test_blocks_that_were_cut_short_are_listed():
    hands = [hand("a", "b", block=f"b{n}") for n in range(4) for _ in range(3 if n == 2 else 10)]
    assert partial_blocks(hands) == (("b2", 3, 10),)
    assert len(partial_blocks(hands, due=20)) == 4
    assert partial_blocks([]) == ()


def test_levels_are_adjusted_as_benjamini_and_hochberg_do():
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjusted([0.9, 0.9]) == pytest.approx([0.9, 0.9])
    assert adjusted([]) == []


def test_the_tail_of_chi_square_is_exact():
    assert chi_square_tail(3.841458820694124, 1) == pytest.approx(0.05)
    assert chi_square_tail(5.991464547107979, 2) == pytest.approx(0.05)
    assert chi_square_tail(7.814727903251179, 3) == pytest.approx(0.05)
    assert chi_square_tail(14.067140449340169, 7) == pytest.approx(0.05)
    assert chi_square_tail(0, 4) == 1
    assert chi_square_tail(1e4, 3) < 1e-300


def test_alerts_read_like_this():
    hands = with_a_friend(1, help_=2.5)
    found = alerts(hands[:-3], rate(hands), seated=seated_hands(reseat_every=0)[:10])
    text = alerts_text(found, {named(8): "貧民の星", named(3): "革命家"})
    assert "pairs that help each other: " in text
    assert "革命家  貧民の星" in text
    assert "partial blocks: 1" in text
    assert text.endswith("These are alerts, not verdicts.\n")


def test_names_cannot_break_the_tables_of_alerts():
    hands = with_a_friend(1, help_=2.5)
    text = alerts_text(
        alerts(hands, rate(hands)), {named(8): "a|b\x1b[31m", named(3): "<b>"}, form="github"
    )
    assert "\x1b" not in text
    assert "a\\|b" in text


def test_everything_that_was_tested_is_in_the_document():
    hands = with_a_friend(1, help_=2.5)
    document = alerts_document(alerts(hands, rate(hands)))
    assert len(document["helps"]) == len(helps(rate(hands))) >= 110
    first = document["helps"][0]
    assert (first["alert"], first["helper"], first["helped"]) == (True, named(3), named(8))
    assert first["gap_percent"] == pytest.approx(
        first["residual_with_percent"] - first["residual_without_percent"], abs=0.02
    )
    assert alerts_document(Alerts())["helps"] == []


def test_the_order_of_the_log_changes_nothing():
    hands = played(TWELVE, LADDER, seed=3, hands=3)
    assert alerts(hands, rate(hands)) == alerts(hands[::-1], rate(hands[::-1]))
    assert all(math.isfinite(found.chance) for found in alerts(hands, rate(hands)).helps)
