"""Simulated sessions: bots of known skill, hands of a block that share a mood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.tournament.pairing.schedules import Schedule
from arena.tournament.results import HandResult


def played(
    schedule: Schedule,
    skill: Sequence[float],
    *,
    seed: int,
    hands: int = 10,
    mood: float = 0.8,
    laps: int = 1,
) -> list[HandResult]:
    """All hands of a schedule. Skills in logits; each bot has one mood for a whole table, so the
    hands of a block are correlated, as titles and exchanged cards make them."""
    chance = np.random.default_rng(seed)
    results = []
    for lap in range(laps):
        for number, table in enumerate(schedule.tables):
            strength = np.asarray(skill)[list(table)] + chance.normal(0, mood, len(table))
            for _ in range(hands):
                order = np.argsort(-(strength + chance.gumbel(size=len(table))))
                bots = tuple(named(table[seat]) for seat in order)
                finish = tuple(range(1, len(bots) + 1))
                results.append(HandResult(f"{seed}/{lap}/{number}", "test/4", bots, finish))
    return results


def named(participant: int) -> str:
    return f"bot{participant:02}"


def hand(*bots: str, block: str = "b1", pool: str = "test/3") -> HandResult:
    """A hand in which the bots finished in this order."""
    return HandResult(block, pool, bots, tuple(range(1, len(bots) + 1)))
