"""Cards and melds as cells: what a client writes is what the engine plays, in every legal case."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput, Refused
from arena.rules import compile_ruleset, decide, legal
from arena.rules.cards import FIRST_JOKER, IDS, parse
from arena.rules.commands import Pass, Play
from arena.rules.evolve import evolve
from arena.rules.melds import BELOW_THREE, SEQUENCE, SET, meld
from arena.rules.state import State
from arena.uecda.cells import NOTHING, read_hand, read_play, strongest, write_hand, write_meld
from tests.rules.dealing import dealt
from tests.uecda import clients
from tests.uecda.clients import rows_of
from tests.uecda.model import beats, hand_rows
from tests.uecda.model import read_play as described_play

UECDA = compile_ruleset({"preset": "uecda"})

CARDS = st.integers(0, (1 << 53) - 1)


def cells(*marks):
    """The card area of a table with some marks."""
    return joined(rows_of(*marks))


def joined(rows):
    """Rows one behind the other."""
    return tuple(cell for row in rows for cell in row)


def role(card):
    """What a joker stands for."""
    return (IDS[card],)


def states(seed, count):
    """States of a hand that is played at random, where somebody is to move."""
    random, state = Random(seed), dealt(UECDA, seed, places=(2, 0, 1, 4, 3))
    while not state.over and count:
        seat = state.open[0][0]
        menu = legal(UECDA, state, seat)
        if state.to_move == seat:
            count -= 1
            yield state
        state = evolve(state, decide(UECDA, state, menu.answer(random.randrange(len(menu)))))


@pytest.mark.parametrize("seed", range(6))
def test_every_legal_play_is_read_back_as_the_meld_that_it_was(seed: int) -> None:
    for state in states(seed, 60):
        for each in legal(UECDA, state, state.to_move).melds:
            written = write_meld(each)
            play = read_play(written, state.to_move)
            laid = decide(UECDA, state, play)[0].meld
            assert write_meld(laid) == written
            assert laid == each or not each.roles  # one whose joker names no suit gets one


@pytest.mark.parametrize("seed", range(8))
def test_the_engine_and_the_description_of_the_contest_allow_the_same_plays(seed: int) -> None:
    for state in states(seed, 40):
        listed = {write_meld(m) for m in legal(UECDA, state, state.to_move).melds}
        assert listed == {joined(rows) for rows in described(state)}


def described(state: State):
    """The plays that a client finds legal by what it is shown; a lone joker at the first cell."""
    rows = hand_rows(clients.held_in(as_rows(write_hand(state.held[state.to_move]))))
    revolution, lock = int(state.revolution), int(bool(state.trick_marks.get("suit_lock")))
    rows.append([0, 0, 1, 0, 0, 0, revolution, lock, *[0] * 7])
    pile = None if state.pile is None else as_rows(write_meld(state.pile))
    for play in clients.legal(rows, pile):
        yield rows_of((0, 0, 2)) if play == rows_of((0, 14, 2)) else play


def as_rows(written):
    """Cells as five rows."""
    return [list(written[15 * row : 15 * row + 15]) for row in range(5)]


@pytest.mark.parametrize("seed", range(4))
def test_random_cells_are_read_or_refused_as_the_description_says(seed: int) -> None:
    random = Random(seed)
    for state in states(seed, 40):
        held = clients.held_in(as_rows(write_hand(state.held[state.to_move])))
        pile = state.pile and described_play(as_rows(write_meld(state.pile)), clients.ALL)
        lock = bool(state.trick_marks.get("suit_lock"))
        for _ in range(40):
            marks = random.sample(
                sorted(held - {"joker"}), k=min(len(held) - 1, random.choice((0, 1, 2, 3)))
            )
            if random.random() < 0.5:
                marks.append((random.randrange(5), random.choice((0, 1, 5, 13, 14)), 2))
            rows = rows_of(*marks)
            play = described_play(rows, held) if marks else None
            expected = bool(play and beats(play, pile, revolution=state.revolution, lock=lock))
            assert accepted(state, rows) == expected, (rows, state)


def accepted(state, rows):
    """Does the engine take these cells as a play?"""
    try:
        play = read_play(joined(rows), state.to_move)
        decide(UECDA, state, play)
    except (BadInput, Refused):
        return False
    return isinstance(play, Play)


@given(CARDS)
def test_cards_that_are_held_come_back_from_their_cells(cards: int) -> None:
    assert read_hand(write_hand(cards)) == cards


def test_the_joker_stands_in_row_four_of_a_hand_and_may_stand_anywhere_in_a_gift() -> None:
    assert write_hand(parse(["S3", "C2", "JK"])) == cells((0, 1), (3, 13), (4, 1, 2))
    assert read_hand(cells((0, 1), (2, 9, 2))) == parse(["S3", "JK"])


@pytest.mark.parametrize(
    ("marks", "cards", "roles"),
    [
        ([(0, 1)], "S3", None),
        ([(0, 3), (1, 3, 2)], "S5 JK", role("H5")),
        ([(0, 3), (0, 4, 2), (0, 5)], "S5 S7 JK", role("S6")),
        ([(2, 12), (2, 13), (2, 14, 2)], "DA D2 JK", (FIRST_JOKER,)),
        ([(2, 1), (2, 2), (2, 0, 2)], "D3 D4 JK", (FIRST_JOKER,)),
        ([(r, 5) for r in range(4)] + [(4, 5, 2)], "S7 H7 D7 C7 JK", None),
        ([(3, 6, 2)], "JK", None),
        ([(2, 14, 2)], "JK", None),
    ],
)
def test_the_cell_of_a_joker_says_what_it_stands_for(marks, cards, roles) -> None:
    assert read_play(cells(*marks), 2) == Play(2, parse(cards.split()), roles)


@pytest.mark.parametrize("written", [NOTHING, tuple(7 if at == 20 else 0 for at in range(75))])
def test_no_card_and_no_joker_is_a_pass_whatever_else_is_written(written) -> None:
    assert read_play(written, 3) == Pass(3)


@pytest.mark.parametrize(
    ("marks", "says"),
    [
        ([(0, 3), (0, 4, 7)], r"cell \[0\]\[4\] is 7; expected 0, 1 for a card or 2"),
        ([(0, 3, 2), (1, 3, 2)], r"cell \[1\]\[3\] is 2; expected one joker"),
        ([(0, 0)], r"cell \[0\]\[0\] is 1; expected a card in rows 0-3"),
        ([(1, 14)], r"cell \[1\]\[14\] is 1; expected a card in rows 0-3"),
        ([(4, 5)], r"cell \[4\]\[5\] is 1; expected a card in rows 0-3"),
        ([(4, 1, 2)], r"cell \[4\]\[1\] is 2; expected four cards of its rank"),
        ([(0, 5), (1, 5), (2, 5), (4, 5, 2)], r"cell \[4\]\[5\] is 2; expected four cards"),
        ([(0, 1), (0, 2), (0, 14, 2)], r"cell \[0\]\[14\] is 2; expected the next cell of a seq"),
        ([(0, 12), (0, 13), (1, 14, 2)], r"cell \[1\]\[14\] is 2; expected the next cell of a seq"),
    ],
)
def test_cells_that_no_play_can_have_are_named(marks, says) -> None:
    with pytest.raises(BadInput, match=says):
        read_play(cells(*marks), 0)


@pytest.mark.parametrize(
    ("played", "marks"),
    [
        (meld(SET, parse(["JK"]), (), 13), [(0, 0, 2)]),
        (meld(SET, parse(["S5", "JK"]), role("D5"), 2), [(0, 3), (2, 3, 2)]),
        (meld(SET, parse(["S5", "JK"]), (), 2), [(0, 3), (1, 3, 2)]),
        (
            meld(SET, parse(["S5", "H5", "D5", "C5", "JK"]), role("S5"), 2),
            [(0, 3), (1, 3), (2, 3), (3, 3), (4, 3, 2)],
        ),
        (
            meld(SEQUENCE, parse(["H3", "H4", "JK"]), (FIRST_JOKER,), BELOW_THREE),
            [(1, 1), (1, 2), (1, 0, 2)],
        ),
        (
            meld(SEQUENCE, parse(["HA", "H2", "JK"]), (FIRST_JOKER,), 11),
            [(1, 12), (1, 13), (1, 14, 2)],
        ),
    ],
)
def test_melds_of_bots_get_the_cells_that_clients_know(played, marks) -> None:
    assert write_meld(played) == cells(*marks)


def test_the_strongest_cards_are_the_joker_then_by_rank_with_spades_first() -> None:
    held = parse(["S2", "H2", "C2", "DA", "JK"])
    assert strongest(held, 2) == parse(["JK", "S2"])
    assert strongest(held & ~parse(["JK"]), 2) == parse(["S2", "H2"])
