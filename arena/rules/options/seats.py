"""Seats: who sits where in the next hand."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules.catalogue import Choice, Need, Option, Options, rule
from arena.rules.needs import is_on
from arena.rules.wiring import Wiring


def new_seats(
    mode: str,
    seats: Sequence[int],
    places: Sequence[int],
    *,
    step: int = 1,
    points: Sequence[int] = (),
) -> tuple[int, ...]:
    """The players clockwise for the next hand.

    seats: players clockwise now; places: players best to last; step: the direction of play; points:
    by player, so far. The last player keeps his seat in `poor_first` (to the left of him the poor,
    then the rich: PG-99) and `rich_first` (the richest on his left: PG-100); `swap_ends` swaps
    first and last (RU-47); in `by_points` the player with most points keeps his seat, and to his
    left the others sit by their points, equals by their places. Left is the next in the direction
    of play (OR-60).
    """
    if mode == "swap_ends":
        ends = {places[0]: places[-1], places[-1]: places[0]}
        return tuple(ends.get(player, player) for player in seats)
    leftwards = (places[-1], *(places[:-1] if mode == "rich_first" else places[-2::-1]))
    if mode == "by_points":
        leftwards = tuple(sorted(places, key=lambda player: -points[player]))
    start = list(seats).index(leftwards[0])
    return tuple(leftwards[(seat - start) * step % len(seats)] for seat in range(len(seats)))


@rule(
    Option(
        "seats",
        "fixed",
        Choice(("fixed", "poor_first", "rich_first", "swap_ends", "by_points")),
        "New seats before each deal: none, the poor first, the rich first, first and last swap, or "
        "by points.",
        ("PG-99", "PG-100", "RU-47", "AM-58"),
        "席替え",
        "sekigae",
        needs=(
            Need(
                ("scoring",),
                lambda o: o["seats"] != "by_points" or is_on(o["scoring"]),
                "scoring on",
            ),
        ),
    ),
)
def seats(wire: Wiring, o: Options) -> None:
    """Seats."""
    wire.between(seats=o["seats"])
