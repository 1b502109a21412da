"""How a bot has spent its time: from the offer of a turn to its answer, in unspoilt phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.doctor.playing import SceneRun, Terms
from arena.doctor.scenes import CALM, MAIN

UNSPOILT = (CALM, "end", "kinds", "two-jokers", "two-packs", "seats-3", "seats-8")


class Timing(NamedTuple):
    """Milliseconds from when a turn was sent to the bot until its answer came.

    turns: how many; p50, p99, longest: of them; allowed_ms: what the clock gives a turn at least;
    spare_ms: how much of that was left at the longest.
    """

    turns: int
    p50_ms: float
    p99_ms: float
    longest_ms: float
    allowed_ms: int
    spare_ms: float


def timing(runs: Sequence[SceneRun], terms: Terms) -> Timing | None:
    """The timing of all turns of phases without a trouble; None if there were none."""
    taken = sorted(1000 * seconds for run in runs for seconds in _thoughts(run))
    if not taken:
        return None
    p50, p99 = (taken[min(len(taken) - 1, int(len(taken) * part))] for part in (0.5, 0.99))
    return Timing(
        len(taken),
        round(p50, 1),
        round(p99, 1),
        round(taken[-1], 1),
        terms.move_ms,
        round(terms.move_ms - taken[-1], 1),
    )


def _thoughts(run: SceneRun) -> list[float]:
    """Seconds from the sending of each turn to the first answer to it."""
    seconds: dict[str, float] = {}
    for answer in run.observer.answers:
        offer = run.observer.offers.get(answer.turn)
        if offer is None or offer.exchange.ready_s is None or answer.exchange.phase not in UNSPOILT:
            continue
        if run.scene.name == MAIN.name and offer.exchange.phase != answer.exchange.phase:
            continue
        seconds.setdefault(answer.turn, max(0.0, answer.at_s - offer.exchange.ready_s))
    return list(seconds.values())
