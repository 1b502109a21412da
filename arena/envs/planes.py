"""Masks of cards as planes: 56 bytes, how many copies of each card; and sums of canonical masks.

A plane has the cells of a mask's bits: rank 3 to 2 by suit S H D C, then jokers. Pure.
"""

from __future__ import annotations

import numpy as np

from arena.rules.cards import COPY, FIRST_JOKER, JOKERS, NATURAL, PACK, canonical

CELLS = 56
"""Numbers of a plane."""
QUARTER = 14
"""Bits that are looked up at once."""
LOW = (1 << QUARTER) - 1
ONE_PACK = (1 << CELLS) - 1
FIRST_COPIES = NATURAL & PACK
SECOND_JOKER = 1 << FIRST_JOKER + 1


def _quarters() -> tuple[bytes, ...]:
    """For each mask of fourteen bits, a byte for each bit."""
    masks = np.arange(1 << QUARTER, dtype="<u2").view(np.uint8).reshape(-1, 2)
    flat = np.unpackbits(masks, axis=1, bitorder="little")[:, :QUARTER].tobytes()
    return tuple(flat[at : at + QUARTER] for at in range(0, len(flat), QUARTER))


QUARTERS = _quarters()


def single_plane(cards: int) -> bytes:
    """The plane of cards of one pack."""
    return (
        QUARTERS[cards & LOW]
        + QUARTERS[cards >> 14 & LOW]
        + QUARTERS[cards >> 28 & LOW]
        + QUARTERS[cards >> 42 & LOW]
    )


def double_plane(cards: int) -> bytes:
    """The plane of cards of two packs."""
    first = int.from_bytes(single_plane(cards & ONE_PACK), "little")
    second = int.from_bytes(single_plane(cards >> COPY), "little")
    return (first + second).to_bytes(CELLS, "little")


def put(cards: int, more: int) -> int:
    """Canonical cards and more of them together, which may be any copies."""
    if more > PACK:
        more = canonical(more)
    both = cards & more
    if not both:
        return cards | more
    jokers = (cards & JOKERS).bit_count() + (more & JOKERS).bit_count()
    natural = (cards | more) & NATURAL | (both & FIRST_COPIES) << COPY
    return natural | (1 << jokers) - 1 << FIRST_JOKER


def take(cards: int, less: int) -> int:
    """Canonical cards without others, any copies of them, as far as they are among them."""
    if less > PACK:
        less = canonical(less)
    if cards < SECOND_JOKER:
        return cards & ~less
    jokers = max(0, (cards & JOKERS).bit_count() - (less & JOKERS).bit_count())
    first, second = cards & FIRST_COPIES, cards >> COPY & FIRST_COPIES
    one, two = less & FIRST_COPIES, less >> COPY & FIRST_COPIES
    # A card is there first + second times, and one + two of its copies go.
    kept = first & ~one | second & ~two
    twice = first & second & ~one
    return kept | twice << COPY | (1 << jokers) - 1 << FIRST_JOKER


def mask_of_roles(roles: tuple[int, ...], *, packs: int) -> int:
    """The cards that jokers stand for, as a mask; a joker where they stand beyond the 2 or the 3.

    Where there is one pack each card is there once, though in a large set two jokers may stand for
    the same.
    """
    mask = 0
    for role in roles:
        again = packs == 2 and role < FIRST_JOKER and mask >> role & 1
        mask |= 1 << (role + COPY if again else role)
    return mask
