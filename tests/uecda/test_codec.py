"""Messages as values and as bytes: both ways, in any pieces, and what is none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.rules.cards import parse
from arena.uecda import codec
from arena.uecda.codec import FieldTable, HandTable, MessageBuffer, RosterRow, Situation, StartTable
from tests.uecda.clients import profile
from tests.uecda.golden import golden_streams
from tests.uecda.model import Model

CARDS = st.integers(0, (1 << 53) - 1)
ROSTERS = st.builds(
    RosterRow,
    st.tuples(*[st.integers(0, 13)] * 5),
    st.permutations(range(5)).map(tuple),
    st.permutations(range(5)).map(tuple),
)
SITUATIONS = st.builds(Situation, *[st.booleans()] * 4)
PLAYERS = st.integers(0, 4)
CELLS = st.binary(min_size=75, max_size=75).map(lambda data: tuple(byte % 3 for byte in data))
STARTS = st.builds(StartTable, CARDS, st.integers(0, 2), ROSTERS)
HANDS = st.builds(HandTable, CARDS, st.booleans(), PLAYERS, SITUATIONS, ROSTERS)
FIELDS = st.builds(FieldTable, CELLS, PLAYERS, SITUATIONS, ROSTERS)


BOTH_WAYS = {
    "start table": (codec.read_start, codec.write_start),
    "hand table": (codec.read_hand_table, codec.write_hand_table),
    "field table": (codec.read_field, codec.write_field),
}


def table_of(data):
    """The one table that some bytes are."""
    buffer = MessageBuffer()
    buffer.feed(data)
    table = buffer.table()
    assert len(buffer) == 0
    return table


@given(STARTS)
def test_start_tables_come_back(start: StartTable) -> None:
    assert codec.read_start(table_of(codec.write_start(start))) == start


@given(HANDS)
def test_hand_tables_come_back(hand: HandTable) -> None:
    assert codec.read_hand_table(table_of(codec.write_hand_table(hand))) == hand


@given(FIELDS)
def test_field_tables_come_back(field: FieldTable) -> None:
    assert codec.read_field(table_of(codec.write_field(field))) == field


@given(CELLS)
def test_submissions_come_back(cells) -> None:
    assert table_of(codec.write_submission(cells))[:75] == cells


def test_a_start_table_has_every_cell_where_the_contest_has_it() -> None:
    roster = RosterRow((11, 11, 11, 10, 10), (2, 0, 1, 4, 3), (2, 0, 3, 1, 4))
    table = table_of(codec.write_start(StartTable(parse(["S3", "C2", "JK"]), 2, roster)))
    assert [at for at in range(75) if table[at]] == [1, 58, 61]
    assert (table[1], table[58], table[61]) == (1, 1, 2)
    assert table[75:90] == (1, 2, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert table[90:105] == (11, 11, 11, 10, 10, 2, 0, 1, 4, 3, 2, 0, 3, 1, 4)
    assert table[105:] == (0,) * 15


def test_a_profile_is_version_and_name_and_the_name_ends_at_the_first_0() -> None:
    data = codec.write_profile("okada1")
    assert data == profile("okada1")
    assert data[:4] == bytes.fromhex("00004e66")
    left_over = bytearray(data)
    left_over[4 * 22 + 3], left_over[4 * 23 + 3] = map(ord, "es")
    read = codec.read_profile(table_of(bytes(left_over)))
    assert read == (20070, tuple(map(ord, "okada1")))


def test_a_name_of_fifteen_characters_has_no_0() -> None:
    read = codec.read_profile(table_of(codec.write_profile("x" * 15)))
    assert len(read.name) == 15
    with pytest.raises(BadInput, match="at most 15 characters"):
        codec.write_profile("x" * 16)


@given(st.binary(max_size=2000), st.lists(st.integers(1, 700)))
def test_any_bytes_in_any_pieces_are_the_same_tables(data: bytes, sizes: list[int]) -> None:
    whole, pieces = MessageBuffer(), MessageBuffer()
    whole.feed(data)
    for size in [*sizes, len(data) + 1]:
        pieces.feed(data[:size])
        data = data[size:]
    while (table := whole.table()) is not None:
        assert pieces.table() == table
    assert pieces.table() is None
    assert len(pieces) == len(whole) < codec.TABLE_BYTES


@pytest.mark.parametrize(
    ("read", "at", "value", "says"),
    [
        (
            codec.read_start,
            75,
            0,
            r"cell \[5\]\[0\], the mark of a start table, is 0; expected one",
        ),
        (codec.read_start, 76, 3, r"cell \[5\]\[1\], the cards to give, is 3"),
        (codec.read_start, 100, 9, r"row 6, seats is \[9, 0, 3, 1, 4\]; expected each player once"),
        (codec.read_hand_table, 77, 2, r"cell \[5\]\[2\], the mark of the player to move, is 2"),
        (codec.read_hand_table, 78, 6, r"cell \[5\]\[3\], the player, is 6"),
        (codec.read_field, 78, 5, r"cell \[5\]\[3\], the player, is 5"),
    ],
)
def test_a_cell_without_a_meaning_is_named(read, at, value, says) -> None:
    roster = RosterRow((11, 11, 11, 10, 10), (0,) * 5, (2, 0, 3, 1, 4))
    cells = [*table_of(codec.write_start(StartTable(0, 0, roster)))]
    cells[78] = 6 if read is codec.read_start else 0
    cells[at] = value
    with pytest.raises(BadInput, match=says):
        read(tuple(cells))


@pytest.mark.slow
def test_a_recorded_session_is_written_again_to_the_byte() -> None:
    down, up = golden_streams()
    model = Model(down, up)
    model.run()
    for stream in model.down:
        buffer, written = MessageBuffer(), []
        buffer.feed(stream.data)
        for kind in stream.kinds:
            if kind == "integer":
                written.append(codec.write_integer(buffer.integer()))
            else:
                read, write = BOTH_WAYS[kind]
                written.append(write(read(buffer.table())))
        assert b"".join(written) == stream.data
