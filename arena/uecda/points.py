"""The contest's table of points: 5, 4, 3, 2, 1 by place, summed over a session. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class PointsLine(NamedTuple):
    """One player's line. rank: from 1, shared by equal points; places: how often it was first,
    second ... last."""

    rank: int
    player: int
    points: int
    places: tuple[int, ...]

    @property
    def hands(self) -> int:
        """How many hands were played to their end."""
        return sum(self.places)

    @property
    def mean(self) -> float:
        """Points a hand."""
        return self.points / self.hands if self.hands else 0.0


def points_table(finishes: Iterable[Sequence[int]], points: Sequence[int]) -> list[PointsLine]:
    """The lines in order of rank. finishes: the players of each hand, best to last; points: by
    place."""
    counts = [[0] * len(points) for _ in points]
    for finish in finishes:
        for place, player in enumerate(finish):
            counts[player][place] += 1
    sums = [sum(n * each for n, each in zip(row, points, strict=True)) for row in counts]
    lines = [
        PointsLine(1 + sum(other > own for other in sums), player, own, tuple(counts[player]))
        for player, own in enumerate(sums)
    ]
    return sorted(lines, key=lambda line: (line.rank, line.player))
