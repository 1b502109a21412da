"""What a search found out of a position. The search itself is in `arena.game.solving`."""

from __future__ import annotations

from dataclasses import dataclass

MOST_STEPS = 1_000_000
"""How many answers a search tries; some ten thousands in a second."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What the seat that is asked is sure of.

    seat: whose turn it is; places: by the index of the answer in `Position.legal`, the best place
    that it is sure of, 1 the best (the last place is always sure); worlds: how many states agree
    with the position; steps: how many answers were tried.
    """

    seat: int
    places: tuple[int, ...]
    worlds: int
    steps: int

    @property
    def place(self) -> int:
        """The best place that any answer is sure of."""
        return min(self.places)
