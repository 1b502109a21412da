"""Cards and melds as the cells of a table: rows spade, heart, diamond, club and a fifth for the
joker, columns 1 to 13 for 3 to 2; columns 0 and 14 are beyond the 3 and the 2.

Pure. Says what cells mean, never whether a play is legal: that is for the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.errors import BadInput
from arena.rules.cards import FIRST_JOKER, JOKERS, NATURAL, SUITS, ids, rank_of, suit_of
from arena.rules.commands import Pass, Play
from arena.rules.melds import BELOW_THREE, SEQUENCE, Meld

Cells = tuple[int, ...]
"""The rows 0 to 4 of a table, row by row."""

COLUMNS: Final = 15
CARD_CELLS: Final = 5 * COLUMNS
NOTHING: Final[Cells] = (0,) * CARD_CELLS
FIFTH_ROW: Final = 4
BELOW, ABOVE = 0, COLUMNS - 1
CARD, JOKER = 1, 2
JOKER_MASK: Final = 1 << FIRST_JOKER
JOKER_IN_HAND: Final = FIFTH_ROW * COLUMNS + 1
LONE_JOKER: Final = 0
"""Where the joker is written that is played alone: its place has no meaning, but it must not be in
the fifth row."""

CELL_OF: Final = tuple(suit_of(card) * COLUMNS + rank_of(card) + 1 for card in range(FIRST_JOKER))


def write_hand(cards: int) -> Cells:
    """Cards that are held, or given in the exchange: the joker in row 4, column 1."""
    cells = [0] * CARD_CELLS
    for card in ids(cards & NATURAL):
        cells[CELL_OF[card]] = CARD
    if cards & JOKERS:
        cells[JOKER_IN_HAND] = JOKER
    return tuple(cells)


def read_hand(cells: Sequence[int]) -> int:
    """The mask of cards that are held or given; the joker may stand in any cell.

    Raises BadInput for cells that are no cards.
    """
    natural, jokers = _marked(cells)
    return _mask(natural) | (JOKER_MASK if jokers else 0)


def write_meld(meld: Meld) -> Cells:
    """A meld as it is played; its joker in the cell that it stands for.

    A joker alone has no such cell and is written at LONE_JOKER. As the fifth of its rank it stands
    in row 4 whatever was declared: every other row holds a card. One of which nobody said what it
    stands for takes the first free suit.
    """
    cells = [0] * CARD_CELLS
    for card in ids(meld.cards & NATURAL):
        cells[CELL_OF[card]] = CARD
    if meld.jokers:
        cells[_joker_cell(meld, cells)] = JOKER
    return tuple(cells)


def _joker_cell(meld: Meld, cells: Sequence[int]) -> int:
    natural = meld.cards & NATURAL
    if not natural:
        return LONE_JOKER
    if meld.kind is SEQUENCE:
        role = meld.roles[0]
        if role != FIRST_JOKER:
            return CELL_OF[role]
        row = suit_of(next(ids(natural)))
        return row * COLUMNS + (BELOW if meld.low == BELOW_THREE else ABOVE)
    if meld.size > len(SUITS):
        return FIFTH_ROW * COLUMNS + meld.low + 1
    if meld.roles:
        return CELL_OF[meld.roles[0]]
    return next(at for at in _rank_cells(meld.low) if not cells[at])


def _rank_cells(rank: int) -> range:
    """The cells of the four cards of a rank."""
    return range(rank + 1, FIFTH_ROW * COLUMNS, COLUMNS)


def read_play(cells: Sequence[int], seat: int) -> Play | Pass:
    """What a submission means. No card and no joker is a pass, whatever else is written.

    Raises BadInput for cells that no play can have.
    """
    if not any(value in (CARD, JOKER) for value in cells[:CARD_CELLS]):
        return Pass(seat)
    natural, jokers = _marked(cells)
    if not jokers:
        return Play(seat, _mask(natural))
    roles = _roles(jokers[0], natural)
    return Play(seat, _mask(natural) | JOKER_MASK, roles)


def _roles(joker: int, natural: Sequence[int]) -> tuple[int, ...] | None:
    """What a joker stands for by its cell; None where that does not matter."""
    row, column = divmod(joker, COLUMNS)
    if row == FIFTH_ROW:
        if [*natural] != [*_rank_cells(column - 1)]:
            expected = "four cards of its rank beside a joker in row 4"
            raise BadInput(f"cell {_name(joker)}", JOKER, expected)
        return None
    if not natural:
        return None
    if BELOW < column < ABOVE:
        return ((column - 1) * len(SUITS) + row,)
    inner = joker + 1 if column == BELOW else joker - 1
    if inner not in natural or any(at // COLUMNS != row for at in natural):
        expected = "the next cell of a sequence beside a joker beyond its end"
        raise BadInput(f"cell {_name(joker)}", JOKER, expected)
    return (FIRST_JOKER,)


def _marked(cells: Sequence[int]) -> tuple[list[int], list[int]]:
    """The cells of natural cards, and that of the joker if there is one. Raises BadInput."""
    natural: list[int] = []
    jokers: list[int] = []
    for at, value in enumerate(cells[:CARD_CELLS]):
        if not value:
            continue
        if value not in (CARD, JOKER):
            raise BadInput(f"cell {_name(at)}", value, "0, 1 for a card or 2 for the joker")
        (natural if value == CARD else jokers).append(at)
    if len(jokers) > 1:
        raise BadInput(f"cell {_name(jokers[1])}", JOKER, "one joker")
    for at in natural:
        row, column = divmod(at, COLUMNS)
        if row == FIFTH_ROW or column in (BELOW, ABOVE):
            raise BadInput(f"cell {_name(at)}", CARD, "a card in rows 0-3 and columns 1-13")
    return natural, jokers


def _mask(natural: Sequence[int]) -> int:
    mask = 0
    for at in natural:
        row, column = divmod(at, COLUMNS)
        mask |= 1 << (column - 1) * len(SUITS) + row
    return mask


def _name(at: int) -> str:
    row, column = divmod(at, COLUMNS)
    return f"[{row}][{column}]"


def strongest(held: int, count: int) -> int:
    """The strongest cards of a hand: the joker, then by rank from 2 down, spades first."""
    order = [JOKER_MASK] if held & JOKERS else []
    natural = sorted(ids(held & NATURAL), key=lambda card: (-rank_of(card), suit_of(card)))
    order += [1 << card for card in natural]
    return sum(order[:count])
