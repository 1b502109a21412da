"""What stands where in an observation: sections, their names, and what they say.

Seats are counted clockwise from the one that observes, which is 0. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.envs.actions import cell_names
from arena.envs.planes import CELLS
from arena.rules import Ruleset
from arena.rules.cards import RANKS, SUITS

QUESTIONS = ("move", "give", "discard", "name", "ask", "throw", "accept")
PILE_KINDS = ("set", "sequence", "emperor")
MOST = 127
"""The largest number in an observation, where nothing smaller is said."""
MOST_SHOWN = 15
"""The largest number of a lock: cards of one suit."""


class ObservationPart(NamedTuple):
    """A part of an observation. name; members: what its cells are called behind a full stop, none
    for a single number; high: the largest value; says: what it is."""

    name: str
    members: tuple[str, ...]
    high: int
    says: str

    @property
    def size(self) -> int:
        """How many numbers it is."""
        return len(self.members) or 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers."""
        return tuple(f"{self.name}.{member}" for member in self.members) or (self.name,)


class ObservationLayout:
    """The observations of one ruleset. planes, numbers: their parts, in order; size: how many
    numbers they are in all."""

    def __init__(self, rules: Ruleset) -> None:
        self.players = rules.players
        self.choices = tuple(sorted(rules.outcomes))
        self.planes = tuple(_planes(rules))
        self.numbers = tuple(_numbers(rules, self.choices))
        self.first_number = CELLS * len(self.planes)
        self.size = self.first_number + sum(part.size for part in self.numbers)

    @property
    def parts(self) -> Iterator[tuple[int, ObservationPart]]:
        """Each part with the index of its first number."""
        at = 0
        for part in (*self.planes, *self.numbers):
            yield at, part
            at += part.size

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each number: `held.S3`, `count.1`, `order_reversed` ..."""
        return tuple(name for _, part in self.parts for name in part.names)

    @cached_property
    def high(self) -> NDArray[np.int8]:
        """The largest value of each number; the smallest is 0."""
        values = [part.high for _, part in self.parts for _ in range(part.size)]
        return np.array(values, np.int8)

    def at(self, name: str) -> int:
        """The index of a number by its name, or of the first of a part. Raises KeyError."""
        for first, part in self.parts:
            if name == part.name:
                return first
            if name in part.names:
                return first + part.names.index(name)
        raise KeyError(name)


def _planes(rules: Ruleset) -> Iterator[ObservationPart]:
    """The planes of cards: 56 numbers each, how many of each card."""
    seats = range(rules.players)
    cells, high = cell_names(), rules.deal.decks

    def plane(name: str, says: str) -> ObservationPart:
        return ObservationPart(name, cells, high, says)

    yield plane("held", "what the seat holds")
    yield plane("unseen", "what others may hold, or may be out of the game unseen")
    yield plane("pile", "the cards of the play on the table")
    yield plane("roles", "what the jokers of the pile stand for, where it matters")
    yield plane("thrown", "thrown away face up")
    yield plane("hidden", "thrown away face down by the seat itself")
    yield plane("chosen", "the cards of its answer so far, where it has several parts")
    for seat in seats:
        yield plane(f"laid_{seat}", f"laid by seat {seat} in this hand")
    for seat in seats:
        yield plane(f"last_{seat}", f"laid last by seat {seat} in this trick")
    for seat in seats[1:]:
        yield plane(f"known_{seat}", f"held by seat {seat}, as the observer has seen")


def _numbers(rules: Ruleset, choices: tuple[str, ...]) -> Iterator[ObservationPart]:
    """The rest: numbers and flags."""
    players = rules.players
    seats = tuple(map(str, range(players)))
    ranks = tuple(RANKS)
    yield ObservationPart("count", seats, MOST, "how many cards each seat holds")
    yield ObservationPart(
        "passed", seats, 1, "may it not act in the trick any more, or has it just passed?"
    )
    yield ObservationPart(
        "place", seats, players, "its place in this hand from 1, 0 while it plays"
    )
    yield ObservationPart(
        "before", seats, players, "its place in the hand before, 0 in a first hand"
    )
    yield ObservationPart("dealer", seats, 1, "has it dealt?")
    yield ObservationPart("owner", seats, 1, "has it laid the pile?")
    yield ObservationPart("to_move", seats, 1, "is it to move?")
    yield ObservationPart("order_reversed", (), 1, "is a 3 now high?")
    yield ObservationPart("pending", (), 1, "will the order be reversed from the next clear?")
    yield ObservationPart("clockwise", (), 1, "do turns go clockwise?")
    yield ObservationPart("number_lock", (), 1, "may only the next rank follow?")
    yield ObservationPart(
        "suit_lock", tuple(SUITS), MOST_SHOWN, "how many cards of the suit have to follow"
    )
    yield ObservationPart("colour_lock", ("black", "red"), 1, "the colour that has to follow")
    yield ObservationPart("rank_limit", ranks, 1, "ranks that may be laid, all 0 for all of them")
    yield ObservationPart("pile_kind", PILE_KINDS, 1, "what the pile is, all 0 for an empty table")
    yield ObservationPart("pile_size", (), MOST, "how many cards it is")
    yield ObservationPart(
        "pile_low", (), 14, "the place of its weakest card, from 1 for a 3 to 14, jokers"
    )
    yield ObservationPart("pile_high", (), 14, "the place of its strongest")
    yield ObservationPart("asked", QUESTIONS, 1, "what the seat is asked now, all 0 for nothing")
    yield ObservationPart("exchange", (), 1, "is it asked in the exchange?")
    yield ObservationPart("least", (), MOST, "how many parts the answer has at least")
    yield ObservationPart("most", (), MOST, "how many at most")
    yield ObservationPart("to", seats, 1, "who gets the cards, or is asked for them")
    if choices:
        yield ObservationPart(
            "accept", choices, 1, "which option asks whether its effect takes place"
        )
    yield ObservationPart("chosen_rank", ranks, 1, "ranks among the parts of its answer so far")
    yield ObservationPart("parts", (), MOST, "how many parts that are")
    yield ObservationPart("hand", (), MOST, "the number of the hand, from 1")
    yield ObservationPart("hands_left", (), MOST, "hands that will follow it")
