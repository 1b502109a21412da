"""Completing a set that lies on the table, as in President."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, takewhile
from typing import Final

from arena.rules.cards import JOKER_RANK, RANK_MASKS, canonical, ids
from arena.rules.catalogue import SWITCH, Need, Option, Options, rule
from arena.rules.melds import SET, Meld, meld
from arena.rules.needs import of_a_rank
from arena.rules.state import State
from arena.rules.wiring import ANY_LOCK, Clear, Stage, Trump, Wiring

FOUR_OF_A_KIND: Final = 4

FOUR_CARDS: Final = Need(
    ("suits", "decks", "max_set", "equal_plays"),
    lambda o: of_a_rank(o) >= FOUR_OF_A_KIND and (o["max_set"] != 1 or o["equal_plays"]),
    "four cards of each rank, and sets or equal_plays to lay them by",
)


def missing(s: State) -> int:
    """How many cards would make the sets of one rank on top of the table four of a kind; 0 or less
    where four or more lie there."""
    rank = s.trick[-1].meld.low
    melds = (laid.meld for laid in reversed(s.trick))
    same = takewhile(lambda m: m.kind is SET and m.low == rank, melds)
    return FOUR_OF_A_KIND - sum(m.size for m in same)


@rule(
    Option(
        "complete_four",
        False,
        SWITCH,
        "Who has the turn may lay the real cards that make what lies on the table four of a kind; "
        "that clears the table, and he leads.",
        ("XV-complete_four",),
        "四枚そろえ",
        "yon-mai soroe",
        also=("completing the four", "President"),
        later=True,
        needs=(FOUR_CARDS,),
    ),
)
def complete_four(wire: Wiring, o: Options) -> None:
    """Completing a four."""

    largest = of_a_rank(o) if o["max_set"] == "auto" else o["max_set"]

    def completes(s: State, m: Meld) -> bool:
        return s.trick[-1].meld.low == m.low and m.size == missing(s) if s.trick else False

    def permits(s: State, seat: int, m: Meld) -> int:
        return ANY_LOCK if real_set(m) and completes(s, m) else 0

    def find(s: State, held: int) -> Iterable[Meld]:
        size, rank = missing(s), s.trick[-1].meld.low
        few = 0 < size <= largest
        for cards in combinations(ids(held & RANK_MASKS[rank]), size) if few else ():
            chosen = canonical(sum(1 << card for card in cards))
            yield meld(SET, chosen, (), rank)

    def clears(s: State, seat: int, m: Meld) -> Iterable[Clear]:
        if completes(s, m):
            yield Clear("complete_four")

    def open_to_it(pile: Meld) -> bool:
        return pile.kind is SET and pile.low != JOKER_RANK

    if o["complete_four"]:
        wire.trump(Trump(permits, find, open_to_it))
        wire.on(Stage.CLEAR, real_set, clears)


def real_set(m: Meld) -> bool:
    """Is this a set of real cards?"""
    return m.kind is SET and not m.jokers
