"""Messages of protocol version 20070 as values: tables of 8 rows by 15 columns, and integers.

All integers have four bytes, most significant first. No message has a header, a type or a length:
whoever reads has to know what comes next. Pure: no sockets, no rules, no state of a hand. Writing
leaves every cell without a meaning 0; reading does not look at those.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.errors import BadInput
from arena.uecda.cells import CARD_CELLS, COLUMNS, Cells, read_hand, write_hand

Table = tuple[int, ...]
"""120 cells, row by row."""

CELLS: Final = 8 * COLUMNS
TABLE: Final = struct.Struct(f">{CELLS}I")
INTEGER: Final = struct.Struct(">I")
TABLE_BYTES: Final = TABLE.size
VERSION: Final = 20070
PORT: Final = 42485
PLAYERS: Final = 5
NOBODY: Final = 6
NAME_CELLS: Final = COLUMNS

ACCEPTED, NOT_ACCEPTED = 9, 8
GOES_ON, HAND_OVER, SESSION_OVER = 0, 1, 2

STATE, ROSTER = 5 * COLUMNS, 6 * COLUMNS
UNUSED: Final = (0,) * COLUMNS


class ClientProfile(NamedTuple):
    """What a client sends first. name: its codes up to the first 0, whatever they are."""

    version: int
    name: tuple[int, ...]


class RosterRow(NamedTuple):
    """Row 6. counts, classes (0 daifugo to 4 daihinmin): by player; seats: player by seat."""

    counts: tuple[int, ...]
    classes: tuple[int, ...]
    seats: tuple[int, ...]


class Situation(NamedTuple):
    """The cells of row 5 that say how things are on the table."""

    empty: bool = False
    jack: bool = False
    revolution: bool = False
    lock: bool = False


class StartTable(NamedTuple):
    """The beginning of a hand. give: how many cards the player has to give."""

    cards: int
    give: int
    roster: RosterRow


class HandTable(NamedTuple):
    """What comes before each turn. own: is it the receiver's turn? player: whose it is."""

    cards: int
    own: bool
    player: int
    situation: Situation
    roster: RosterRow


class FieldTable(NamedTuple):
    """What comes after each turn. cells: the last accepted play of the trick; player: who acted."""

    cells: Cells
    player: int
    situation: Situation
    roster: RosterRow


class MessageBuffer:
    """Takes bytes in any pieces and yields whole messages, of the kind that is asked for."""

    def __init__(self) -> None:
        self._data = bytearray()

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """Add what has come."""
        self._data += data

    def table(self) -> Table | None:
        """The next table, if all of it is there."""
        if len(self._data) < TABLE_BYTES:
            return None
        table = TABLE.unpack_from(self._data)
        del self._data[:TABLE_BYTES]
        return table

    def integer(self) -> int | None:
        """The next integer, if all of it is there."""
        if len(self._data) < INTEGER.size:
            return None
        number: int = INTEGER.unpack_from(self._data)[0]
        del self._data[: INTEGER.size]
        return number


def write_integer(number: int) -> bytes:
    """A single integer: a player's number, a flag, an end flag."""
    return INTEGER.pack(number)


def write_submission(cells: Cells) -> bytes:
    """A play or the cards that are given: nothing else has a meaning."""
    return _table(cells, UNUSED, UNUSED)


def write_profile(name: str) -> bytes:
    """A client's first message. name: ASCII, at most 15 characters."""
    codes = [*name.encode("ascii")]
    if len(codes) > NAME_CELLS:
        raise BadInput("name", name, f"at most {NAME_CELLS} characters")
    cells = [0] * CELLS
    cells[0] = VERSION
    cells[COLUMNS : COLUMNS + len(codes)] = codes
    return TABLE.pack(*cells)


def read_profile(table: Table) -> ClientProfile:
    """A client's first message; whether its version is ours is for the caller."""
    codes = table[COLUMNS : COLUMNS + NAME_CELLS]
    end = codes.index(0) if 0 in codes else NAME_CELLS
    return ClientProfile(table[0], codes[:end])


def write_start(start: StartTable) -> bytes:
    """A start table as bytes."""
    row = (1, start.give, 0, NOBODY, *UNUSED[4:])
    return _table(write_hand(start.cards), row, _roster_row(start.roster))


def read_start(table: Table) -> StartTable:
    """A start table. Raises BadInput where a cell that has a meaning has none of its values."""
    _value(table, STATE, "the mark of a start table", (1,))
    give = _value(table, STATE + 1, "the cards to give", (0, 1, 2))
    return StartTable(read_hand(table), give, _roster(table))


def write_hand_table(hand: HandTable) -> bytes:
    """A hand table as bytes."""
    row = (0, 0, int(hand.own), hand.player, *map(int, hand.situation), *UNUSED[8:])
    return _table(write_hand(hand.cards), row, _roster_row(hand.roster))


def read_hand_table(table: Table) -> HandTable:
    """A hand table. Raises BadInput as `read_start`."""
    own = bool(_value(table, STATE + 2, "the mark of the player to move", (0, 1)))
    return HandTable(read_hand(table), own, _player(table), _situation(table), _roster(table))


def write_field(field: FieldTable) -> bytes:
    """A field table as bytes."""
    row = (0, 0, 0, field.player, *map(int, field.situation), *UNUSED[8:])
    return _table(field.cells, row, _roster_row(field.roster))


def read_field(table: Table) -> FieldTable:
    """A field table. Raises BadInput as `read_start`."""
    cells = table[:CARD_CELLS]
    return FieldTable(cells, _player(table), _situation(table), _roster(table))


def _table(cells: Cells, state: Sequence[int], roster: Sequence[int]) -> bytes:
    return TABLE.pack(*cells, *state, *roster, *UNUSED)


def _roster_row(roster: RosterRow) -> tuple[int, ...]:
    return (*roster.counts, *roster.classes, *roster.seats)


def _roster(table: Table) -> RosterRow:
    row = table[ROSTER : ROSTER + COLUMNS]
    counts, classes, seats = row[:PLAYERS], row[PLAYERS : 2 * PLAYERS], row[2 * PLAYERS :]
    if sorted(seats) != list(range(PLAYERS)):
        raise BadInput("row 6, seats", list(seats), "each player once")
    return RosterRow(counts, classes, seats)


def _player(table: Table) -> int:
    return _value(table, STATE + 3, "the player", range(PLAYERS))


def _situation(table: Table) -> Situation:
    return Situation(*(bool(cell) for cell in table[STATE + 4 : STATE + 8]))


def _value(table: Table, at: int, what: str, values: Sequence[int]) -> int:
    value = table[at]
    if value not in values:
        row, column = divmod(at, COLUMNS)
        listed = ", ".join(map(str, values))
        raise BadInput(f"cell [{row}][{column}], {what},", value, f"one of {listed}")
    return value
