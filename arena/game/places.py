"""Places of cards, and what may be known of cards that are not seen."""

from __future__ import annotations

from typing import NamedTuple

from arena.rules import State
from arena.rules.cards import COPY, FIRST_JOKER, ids

HIDDEN, BLIND = 8, 9
"""The places that are no seats: out of the game face down, and not dealt."""
JOKER_KIND = 1 << FIRST_JOKER
Places = tuple[tuple[int, int, int], ...]
"""Places of unknown cards: number, room, and the kinds that are not there."""


class FaceDown(NamedTuple):
    """Cards that left the game face down. size: how many; never: the kinds that are not among
    them."""

    size: int
    never: int = 0


class Whereabouts(NamedTuple):
    """Cards that are at some of a few places, at least `least` of them at the first.

    cards: a mask; places: seats, `HIDDEN` or `BLIND`.
    """

    cards: int
    places: tuple[int, ...]
    least: int = 0


def kind_of(card: int) -> int:
    """A card's first copy: two copies are of one kind, and so are all jokers."""
    return FIRST_JOKER if FIRST_JOKER <= card < COPY else card % COPY


def kinds(cards: int) -> int:
    """The kinds of some cards, as a mask of first copies."""
    found = 0
    for card in ids(cards):
        found |= 1 << kind_of(card)
    return found


def copy_of(kind: int, among: int) -> int:
    """The lowest copy of a kind among some cards, as a mask; 0 if there is none."""
    copies = 0b1111 << FIRST_JOKER if kind == FIRST_JOKER else 1 << kind | 1 << kind + COPY
    return among & copies & -(among & copies)


def with_held(state: State, seat: int, cards: int) -> State:
    """The same state with other cards in one hand."""
    return state.changed(held=(*state.held[:seat], cards, *state.held[seat + 1 :]))
