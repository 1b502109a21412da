"""Cards and sets of cards as plain ints: names, order, and a little arithmetic on them.

A card is an id: ``rank * 4 + suit`` for one pack (rank 0..12 = 3 4 5 6 7 8 9 T J Q K A 2, suit
0..3 = S H D C), 52..55 for up to four jokers, and 56 + id for the second copy in a double deck. A
set of cards is a mask with one bit for each id. Two copies of a card are never told apart outside:
a mask is *canonical* if it uses the first copies and the first jokers, and `claim` finds the copies
somebody really holds. This module knows no rules of play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from arena.errors import BadInput

RANKS: Final = "3456789TJQKA2"
SUITS: Final = "SHDC"
JOKER: Final = "JK"

FIRST_JOKER: Final = 52
COPY: Final = 56  # the id of a card's second copy is COPY higher
PACK: Final = (1 << FIRST_JOKER) - 1
JOKERS: Final = 0b1111 << FIRST_JOKER
NATURAL: Final = PACK | PACK << COPY

THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE, TWO = range(13)
JOKER_RANK: Final = 13
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)

RANK_MASKS: Final = tuple((0b1111 << 4 * r) | (0b1111 << 4 * r + COPY) for r in range(13))
SUIT_MASKS: Final = tuple(
    sum(1 << r * 4 + s for r in range(13)) | sum(1 << r * 4 + s + COPY for r in range(13))
    for s in range(4)
)


def _code(card: int) -> str:
    """The two letters of a card id."""
    if FIRST_JOKER <= card < COPY:
        return JOKER
    base = card % COPY
    return SUITS[base % 4] + RANKS[base // 4]


CODES: Final = tuple("" if c >= COPY + FIRST_JOKER else _code(c) for c in range(COPY + FIRST_JOKER))
IDS: Final = {_code(c): c for c in range(FIRST_JOKER + 1)}
# Place of an id in card order: by suit S H D C, within a suit from 3 to 2, jokers last.
ORDER: Final = tuple(
    52 if FIRST_JOKER <= c < COPY else (c % COPY) % 4 * 13 + (c % COPY) // 4
    for c in range(COPY + FIRST_JOKER)
)


BITS: Final = tuple(1 << card for card in range(COPY + FIRST_JOKER))


def rank_of(card: int) -> int:
    """Rank 0..12 of a card id, 13 for a joker."""
    return JOKER_RANK if FIRST_JOKER <= card < COPY else card % COPY // 4


def ranks_of_names(names: Iterable[str]) -> tuple[int, ...]:
    """Ranks 0..12 of some names such as ``"9"`` and ``"T"``."""
    return tuple(map(RANKS.index, names))


def suit_of(card: int) -> int:
    """Suit 0..3 of a natural card's id."""
    return card % COPY % 4


def ids(mask: int) -> Iterator[int]:
    """The card ids of a mask, lowest id first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@lru_cache(maxsize=1 << 16)
def codes(mask: int) -> tuple[str, ...]:
    """The names of a mask in card order: ``("S4", "S5", "JK")``."""
    spades, hearts, diamonds, clubs = SUIT_MASKS
    return (
        *_sorted(mask & spades),
        *_sorted(mask & hearts),
        *_sorted(mask & diamonds),
        *_sorted(mask & clubs),
        *_sorted(mask & JOKERS),
    )


@lru_cache(maxsize=1 << 16)
def _sorted(mask: int) -> tuple[str, ...]:
    """The same for the part of a hand that is of one suit, which is met again and again."""
    return tuple(CODES[c] for c in sorted(ids(mask), key=ORDER.__getitem__))


def canonical(mask: int) -> int:
    """The same cards by the first copies and the first jokers."""
    if mask <= PACK:
        return mask
    high = mask >> COPY
    low = mask & PACK
    jokers = (1 << (mask & JOKERS).bit_count()) - 1
    return low | high | (low & high) << COPY | jokers << FIRST_JOKER


def parse(names: Iterable[object]) -> int:
    """The canonical mask of some names; a name given twice means two copies.

    Raises `BadInput` for a name that is no card, and where no pack has so many copies.
    """
    mask = 0
    for name in names:
        if not isinstance(name, str) or (card := IDS.get(name)) is None:
            raise BadInput("card", name, "a suit S H D C and a rank 3-9 T J Q K A 2, or JK")
        mask |= _free_copy(mask, card, name)
    return mask


def _free_copy(mask: int, card: int, name: str) -> int:
    """The bit of the first copy of `card` that is not in `mask` yet."""
    copies = range(card, COPY) if card == FIRST_JOKER else (card, card + COPY)
    for copy in copies:
        if not mask >> copy & 1:
            return 1 << copy
    raise BadInput("card", name, f"at most {len(copies)} copies of it")


def claim(held: int, cards: int) -> int:
    """The copies in `held` that canonical `cards` stand for; 0 if they are not all held."""
    if cards & held == cards:
        return cards
    jokers = (cards & JOKERS).bit_count()
    claimed = _lowest_bits(held & JOKERS, jokers)
    if claimed.bit_count() != jokers:
        return 0
    for card in ids(cards & NATURAL):
        copies = (1 << card % COPY | 1 << card % COPY + COPY) & held & ~claimed
        if not copies:
            return 0
        claimed |= copies & -copies
    return claimed


def _lowest_bits(mask: int, count: int) -> int:
    """The lowest `count` bits of a mask (all of it if it has fewer)."""
    lowest = 0
    for _ in range(count):
        lowest |= mask & ~lowest & -(mask & ~lowest)
    return lowest


def spread(hands: Iterable[int]) -> tuple[int, ...]:
    """Canonical hands as masks that share no copy: each takes the lowest that are left."""
    taken = 0
    spread_out = []
    for hand in hands:
        free = ~taken
        mask = _lowest_bits(JOKERS & free, (hand & JOKERS).bit_count())
        for card in ids(hand & NATURAL):
            copies = (1 << card % COPY | 1 << card % COPY + COPY) & free & ~mask
            mask |= copies & -copies
        taken |= mask
        spread_out.append(mask)
    return tuple(spread_out)


def pack(*, decks: int, jokers: int, suits: str = SUITS) -> tuple[int, ...]:
    """All card ids of a game, in order, before any shuffle; suits: those that are in it."""
    natural = [card for card in range(FIRST_JOKER) if SUITS[card % 4] in suits]
    second = [card + COPY for card in natural] if decks == 2 else []
    return (*natural, *range(FIRST_JOKER, FIRST_JOKER + jokers), *second)


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some ids, each of them once."""
    mask = 0
    for card in cards:
        mask |= BITS[card]
    return mask


def spoken(name: str) -> str:
    """A card's name in words, for people who listen: ``"S3"`` is ``"three of spades"``."""
    if name == JOKER:
        return "joker"
    ranks = [
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "jack",
        "queen",
        "king",
        "ace",
        "two",
    ]
    suits = ["spades", "hearts", "diamonds", "clubs"]
    return f"{ranks[RANKS.index(name[1])]} of {suits[SUITS.index(name[0])]}"
