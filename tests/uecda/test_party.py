"""Who sits down together, and by which numbers they go."""

from __future__ import annotations

import pytest

from arena.uecda.party import Party, SeatPort, wire_numbers

BOTS = ["b-a", "b-b", "b-c", "b-d", "b-e"]


@pytest.mark.parametrize(
    ("known", "numbers"),
    [
        ({}, (0, 1, 2, 3, 4)),
        ({"b-c": 0}, (1, 2, 0, 3, 4)),
        ({"b-e": 0, "b-d": 1, "b-c": 2, "b-b": 3, "b-a": 4}, (4, 3, 2, 1, 0)),
        ({"b-c": 3, "b-a": 3}, (0, 1, 3, 2, 4)),
        ({"b-x": 0, "b-c": 1}, (0, 2, 1, 3, 4)),
    ],
    ids=["nobody", "one", "all", "two ports", "elsewhere"],
)
def test_a_clients_own_number_stands_and_the_others_share_the_rest(known, numbers) -> None:
    assert wire_numbers(BOTS, known, "b-c") == numbers


class Fake:
    """A client that is there, or not any more."""

    def __init__(self, number, *, gone=False):
        self.number, self.is_absent = number, gone


def party(*gone, **port):
    """A party with clients, of whom some have gone; all of them count as clients."""
    own = Party(SeatPort(42485, "cup", **port), "cup")
    own.members = {number: Fake(number, gone=each) for number, each in enumerate(gone)}
    return own


@pytest.mark.parametrize(
    ("gone", "number"),
    [((), 0), ((False,), 1), ((False, True), 1), ((True, False), 2), ((False, True, True), 1)],
)
def test_a_number_is_free_again_only_if_no_later_one_has_been_given(gone, number) -> None:
    own = party(*gone)
    own.free_last()
    assert own.next_number == number


def test_nobody_comes_to_a_party_that_has_begun_or_is_full() -> None:
    assert party(*[False] * 5).next_number is None
    own = party(False)
    own.is_begun = True
    assert own.next_number is None


def test_a_port_of_a_bot_has_room_for_one_client_with_the_number_of_the_port() -> None:
    assert party(bot="alice", number=3).next_number == 3
    assert party(False, bot="alice").next_number is None
