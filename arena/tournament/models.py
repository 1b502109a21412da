"""Models: the ratings that can be asked for, by name. Only the first is official."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from arena.errors import BadInput
from arena.tournament.fitting import bradley_terry
from arena.tournament.plackett import plackett_luce
from arena.tournament.ratings import ANCHOR_BLOCKS, Ratings, rate_tally
from arena.tournament.results import HandResult
from arena.tournament.tallies import tally

BRADLEY_TERRY, PLACKETT_LUCE = "bradley_terry", "plackett_luce"
MODELS: Mapping[str, str] = MappingProxyType(
    {
        BRADLEY_TERRY: "Bradley-Terry on finished-ahead pairs",
        PLACKETT_LUCE: "Plackett-Luce on whole hands",
    }
)
"""What standings say of each."""


def rate_by(
    hands: Iterable[HandResult],
    *,
    model: str = BRADLEY_TERRY,
    roster: Sequence[str] = (),
    anchor: str | None = None,
    anchor_blocks: int = ANCHOR_BLOCKS,
) -> Ratings:
    """Rate the hands of one pool; see `ratings.rate_tally`. Raises BadInput for other models."""
    if model not in MODELS:
        raise BadInput("model", model, f"one of {', '.join(MODELS)}")
    counted = list(hands)
    sums = tally(counted, roster=roster)
    solver = bradley_terry if model == BRADLEY_TERRY else plackett_luce(counted, sums)
    return rate_tally(sums, anchor=anchor, anchor_blocks=anchor_blocks, solver=solver)
