"""Cards as strings."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.client import cards as c

HELD = st.lists(st.sampled_from([*c.PACK, c.JOKER, c.JOKER]), max_size=20)


def test_the_examples_in_the_module_are_true() -> None:
    assert doctest.testmod(c).failed == 0
    assert doctest.testmod(c).attempted > 5


def test_a_revolution_turns_all_ranks_round_but_not_the_joker() -> None:
    assert c.sort_cards(["JK", "H2", "S3"], "reversed") == ["H2", "S3", "JK"]


@given(HELD)
def test_sorting_keeps_all_cards(held: list[str]) -> None:
    assert sorted(c.sort_cards(held)) == sorted(held)


@given(HELD)
def test_runs_are_consecutive_cards_of_one_suit_that_are_held(held: list[str]) -> None:
    for run in c.runs(held):
        ranks = "".join(c.rank(card) for card in run)
        assert len({c.suit(card) for card in run}) == 1
        assert ranks in c.RANKS
        assert len(run) >= 3
        assert set(run) <= set(held)


@given(HELD, st.data())
def test_what_is_left_and_what_was_played_make_the_hand_again(
    held: list[str], data: st.DataObject
) -> None:
    played = data.draw(st.permutations(held))[: len(held) // 2]
    assert sorted(c.without(held, played) + list(played)) == sorted(held)


@pytest.mark.parametrize(
    ("play", "shape", "strength"),
    [
        ({"cards": ["S7"]}, "single", 4),
        ({"cards": ["JK"]}, "single", 13),
        ({"cards": ["S7", "JK"]}, "set", 4),
        ({"cards": ["JK", "JK"]}, "set", 13),
        ({"cards": ["S4", "S5", "JK"], "as": ["S3"]}, "sequence", 0),
        ({"cards": ["S4", "JK", "JK"], "as": ["H4", "D4"]}, "set", 1),
    ],
)
def test_shape_and_strength_follow_what_jokers_stand_for(
    play: dict[str, list[str]], shape: str, strength: int
) -> None:
    assert (c.shape(play), c.play_strength(play)) == (shape, strength)


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("S10", "ten is T: ST"),
        ("10S", "the suit comes first, ten is T: ST"),
        ("♥7", "suits are the letters S H D C: H7"),
        ("hq", "in capitals: HQ"),
        (" D3", "without blanks: D3"),
        ("S1", "ace is A: SA"),
        ("Joker", "a joker is JK: JK"),
        ("X9", "a suit S H D C and a rank"),
        ("", "a suit S H D C and a rank"),
        (7, "a card is text"),
    ],
)
def test_a_card_that_is_written_wrongly_is_explained(card: object, said: str) -> None:
    assert said in str(c.mistake(card))


def test_every_card_is_written_rightly() -> None:
    assert [c.mistake(card) for card in (*c.PACK, c.JOKER)] == [None] * 53
