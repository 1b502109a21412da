"""Melds: what may lie on the table as one play, built once and looked up.

A meld is fixed by its kind, its cards and the roles of its jokers; equal melds are one object, so
they are compared and hashed by identity. Whether a ruleset allows a shape is `arena.rules.shapes`'
business, and which meld beats which depends on the order in force: a meld only knows its places.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final

from arena.rules.cards import (
    CODES,
    FIRST_JOKER,
    JOKER_RANK,
    JOKERS,
    NATURAL,
    ORDER,
    THREE,
    TWO,
    codes,
    ids,
    rank_of,
    suit_of,
)

ABOVE_TWO: Final = 13  # the place of a joker above a 2
BELOW_THREE: Final = -1  # the place of a joker below a 3, and of the ace in A-2-3


class Kind(StrEnum):
    """Shape families; only melds of one kind and size are compared."""

    SET = "set"
    SEQUENCE = "sequence"
    EMPEROR = "emperor"


SET, SEQUENCE, EMPEROR = Kind


class Meld:
    """One play. Made only by `meld`.

    kind, size; cards: canonical mask; roles: ids the jokers stand for, in card order (52 for a
    joker beyond the 2 or the 3); jokers: how many; low, high: places of its weakest and strongest
    card in the normal order (13 for jokers alone); strength, reversed_strength: in the
    normal and in the reversed order; suits: number of natural cards of each suit, four bits each (a
    sequence counts its suit once); named: the same with the roles; ranks: natural ranks as bits;
    all_ranks: with the roles.
    """

    __slots__ = (
        "_codes",
        "all_ranks",
        "cards",
        "high",
        "jokers",
        "key",
        "kind",
        "low",
        "named",
        "ranks",
        "reversed_strength",
        "roles",
        "shape",
        "size",
        "strength",
        "suits",
    )

    def __init__(self, kind: Kind, cards: int, roles: tuple[int, ...], *, low: int) -> None:
        natural = list(ids(cards & NATURAL))
        self.kind = kind
        self.cards = cards
        self.roles = roles
        self.size = cards.bit_count()
        self.jokers = (cards & JOKERS).bit_count()
        self.low = low
        self.high = low if kind is Kind.SET else low + self.size - 1
        self.strength = self.high
        self.reversed_strength = JOKER_RANK if low == JOKER_RANK else -self.low
        self.suits = _suit_counts(natural, once=kind is Kind.SEQUENCE)
        real_roles = [c for c in roles if c != FIRST_JOKER]
        self.named = (
            self.suits
            if kind is Kind.SEQUENCE
            else self.suits + _suit_counts(real_roles, once=False)
        )
        self.ranks = _rank_bits(natural)
        self.all_ranks = self.ranks | _rank_bits(real_roles)
        if kind is Kind.SET and self.low != JOKER_RANK:
            self.all_ranks = self.ranks
        if low == BELOW_THREE and self.size == 3 and self.all_ranks >> TWO & 1:
            self.high = THREE  # of A-2-3: ace and 2 lie below it (OR-63)
        self.shape = "single" if self.size == 1 else kind.value
        self.key = _sort_key(cards, roles)
        self._codes: tuple[str, ...] = ()

    def count(self, rank: int, *, roles: bool) -> int:
        """How many of its cards are of `rank`; with `roles`, jokers count as their roles."""
        if not (self.all_ranks if roles else self.ranks) >> rank & 1:
            return 0
        if self.kind is not Kind.SET:
            return 1
        return self.size if roles else self.size - self.jokers

    def strength_in(self, order_reversed: bool) -> int:
        """Its strength in the order in force; comparable among melds of one kind and size."""
        return self.reversed_strength if order_reversed else self.strength

    @property
    def codes(self) -> tuple[str, ...]:
        """Its cards in card order."""
        if not self._codes:  # written when it is asked for: most melds never lie on a table
            self._codes = codes(self.cards)
        return self._codes

    @property
    def role_codes(self) -> tuple[str, ...]:
        """What its jokers stand for, in card order; empty if that does not matter."""
        return tuple(CODES[c] for c in self.roles)

    def __repr__(self) -> str:
        roles = f" as {' '.join(self.role_codes)}" if self.roles else ""
        return f"<{' '.join(self.codes)}{roles}>"

    def __reduce__(self) -> tuple[object, ...]:
        return meld, (self.kind, self.cards, self.roles, self.low)


@cache
def meld(kind: Kind, cards: int, roles: tuple[int, ...], low: int) -> Meld:
    """The meld of `kind` with canonical `cards`, jokers as `roles`, its weakest card at `low`."""
    return Meld(kind, cards, roles, low=low)


def _suit_counts(cards: list[int], *, once: bool) -> int:
    """Cards of each suit, four bits each; with `once`, 1 for each suit that occurs."""
    counts = 0
    for card in cards:
        one = 1 << 4 * suit_of(card)
        counts = counts | one if once else counts + one
    return counts


def _rank_bits(cards: list[int]) -> int:
    """The ranks that occur, as bits."""
    bits = 0
    for card in cards:
        bits |= 1 << rank_of(card)
    return bits


def _sort_key(cards: int, roles: tuple[int, ...]) -> str:
    """Canonical order of plays: number of cards, then the cards, then the roles (none first).

    As text, which Python sorts quickest.
    """
    order = sorted(ORDER[c] for c in ids(cards))
    return "".join(map(chr, (len(order), *order, *(ORDER[c] for c in roles))))


def suits_common(one: int, other: int) -> int:
    """What two multisets of suits have in common."""
    return sum(min(one >> s & 15, other >> s & 15) << s for s in (0, 4, 8, 12))


def suits_union(one: int, other: int) -> int:
    """The smallest multiset of suits that contains both."""
    return sum(max(one >> s & 15, other >> s & 15) << s for s in (0, 4, 8, 12))


def suits_missing(part: int, whole: int) -> int:
    """How many suits `part` lacks to contain `whole`."""
    return sum(max(0, (whole >> s & 15) - (part >> s & 15)) for s in (0, 4, 8, 12))
