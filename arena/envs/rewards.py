"""What a place in a hand is worth to an agent."""

from __future__ import annotations

from collections.abc import Sequence

from arena.errors import BadInput
from arena.rules import Ruleset

PLACE, POINTS, WIN = "place", "points", "win"
Rewards = str | Sequence[float]
"""A word, or numbers for the places from best to last."""


def reward_table(rules: Ruleset, rewards: Rewards) -> tuple[float, ...]:
    """The reward of each place, best to last.

    place: evenly from 1 to -1; points: what the ruleset's scoring gives; win: 1 for the first, 0
    for the others; or the numbers themselves. Raises BadInput.
    """
    players = rules.players
    if rewards == PLACE:
        return tuple(1 - 2 * place / (players - 1) for place in range(players))
    if rewards == POINTS:
        return tuple(float(points) for points in rules.table.points)
    if rewards == WIN:
        return (1.0, *[0.0] * (players - 1))
    if isinstance(rewards, str) or len(rewards) != players:
        wanted = f"{PLACE}, {POINTS}, {WIN}, or {players} numbers, for the places from best to last"
        raise BadInput("rewards", rewards, wanted)
    return tuple(float(reward) for reward in rewards)
