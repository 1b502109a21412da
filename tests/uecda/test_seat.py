"""A seat: what its client is sent, what it answers, and how a client gets into step again."""

from __future__ import annotations

import pytest

from arena.rules.cards import parse
from arena.rules.commands import Give, Pass, Play
from arena.rules.events import Asked, Cleared, Dealt, Ended, Gave, Passed, Played, Question, ToMove
from arena.rules.melds import SET, meld
from arena.uecda.codec import MessageBuffer
from arena.uecda.seat import MOST_SURPLUS, ClientSeat
from tests.uecda.clients import rows_of, table

SEATING = (3, 1, 4, 0, 2)
HANDS = tuple(map(parse, (["S3", "JK"], ["D3", "H4"], ["C5", "C6"], ["S7", "D2"], ["H9"])))
COUNTS = (2, 2, 2, 2, 1)
JOKER_SINGLE = meld(SET, parse(["JK"]), (), 13)
PASS = table()


def seated(seat=1, *, places=()):
    """A seat at the beginning of a hand; its client has read its number."""
    own = ClientSeat(SEATING[seat])
    assert own.output() == [SEATING[seat].to_bytes(4)]
    own.begin_hand(seat, SEATING)
    hands = tuple(cards if at == seat else 0 for at, cards in enumerate(HANDS))
    own.tell(Dealt(0, hands, COUNTS, 0, places, (None,) * 5, None))
    return own


def sent(seat):
    """What the seat sends: tables as eight rows, integers as they are."""
    found = []
    for message in seat.output():
        if len(message) == 4:
            found.append(int.from_bytes(message))
            continue
        buffer = MessageBuffer()
        buffer.feed(message)
        cells = buffer.table()
        found.append([list(cells[15 * row : 15 * row + 15]) for row in range(8)])
    return found


def single(card):
    """One card as a meld."""
    return meld(SET, parse([card]), (), "3456789TJQKA2".index(card[1]))


def test_a_hand_begins_with_its_start_table_and_no_class_counts_at_the_first() -> None:
    (start,) = sent(seated())
    assert start[5] == [1, 0, 0, 6, *[0] * 11]
    assert start[6] == [2, 2, 1, 2, 2, *[0] * 5, *SEATING]
    assert start[2][1] == start[1][2] == 1


def test_before_each_turn_comes_a_hand_table_and_after_it_flag_field_table_and_end_flag() -> None:
    seat = seated()
    sent(seat)
    seat.tell(ToMove(1))
    (hand,) = sent(seat)
    assert hand[5] == [0, 0, 1, 1, 1, *[0] * 10]
    seat.receive(table(rows_of((2, 1))))
    assert seat.answer() == (Play(1, parse(["D3"])), "")
    seat.tell(Played(1, single("D3")), written=seat.written)
    seat.tell(ToMove(2))
    flag, field, end, hand = sent(seat)
    assert (flag, end) == (9, 0)
    assert field[2][1] == 1
    assert field[5] == [0, 0, 0, 1, *[0] * 11]
    assert field[6][:5] == [2, 1, 1, 2, 2]
    assert hand[5] == [0, 0, 0, 4, *[0] * 11]


def test_a_cleared_table_is_shown_once_more_with_its_cards() -> None:
    seat = seated()
    seat.tell(ToMove(2))
    sent(seat)
    for event in (Played(2, single("C5")), Cleared(), ToMove(2)):
        seat.tell(event)
    field, end, hand = sent(seat)
    assert (field[3][3], field[5][4], end) == (1, 0, 0)
    assert hand[5][4] == 1


@pytest.mark.parametrize(
    ("rows", "empty", "flag"),
    [((), True, 9), ((), False, 8), (rows_of((0, 4)), True, 8), (rows_of((0, 4)), False, 8)],
)
def test_a_pass_is_accepted_of_a_leader_only_and_a_refused_play_never(rows, empty, flag) -> None:
    seat = seated()
    if not empty:
        seat.tell(ToMove(0))
        seat.tell(Played(0, single("S3")))
    seat.tell(ToMove(1))
    sent(seat)
    seat.receive(table(rows))
    answer = seat.answer()
    if rows:
        answer = seat.refuse("the cards are not all in the hand")
        assert answer.trouble == "refused: the cards are not all in the hand"
    assert answer.answer == Pass(1)
    seat.tell(Passed(1, True))
    assert sent(seat) == [flag]
    assert seat.refused == bool(rows)


def test_a_lone_joker_is_shown_where_its_client_wrote_it() -> None:
    seat = seated(0)
    seat.tell(ToMove(0))
    seat.receive(table(rows_of((2, 14, 2))))
    assert seat.answer().answer == Play(0, parse(["JK"]))
    other = seated(2)
    other.tell(ToMove(0))
    sent(other)
    other.tell(Played(0, JOKER_SINGLE), written=seat.written)
    other.tell(ToMove(1))
    assert sent(other)[0][2][14] == 2


PLACES = (1, 3, 4, 2, 0)
"""Seat 1 is daifugo, seat 3 fugo, seat 2 hinmin, seat 0 daihinmin."""


def question(seat, size):
    """The question for some cards of the exchange."""
    return Asked((Question(seat, "give", "exchange", size, size),))


def tribute(seat, to, cards, reader):
    """A gift as a reader may see it."""
    mask = parse(cards)
    return Gave(seat, to, mask if reader in (seat, to) else 0, len(cards), "exchange")


def test_the_rich_see_the_tribute_in_their_start_table_and_the_poor_do_not_miss_it() -> None:
    rich, poor = seated(1, places=PLACES), seated(0, places=PLACES)
    for at, seat in ((1, rich), (0, poor)):
        seat.tell(question(0, 2))
        if at == 0:
            assert seat.answer() == (Give(0, parse(["JK", "S3"])), "")
        seat.tell(tribute(0, 1, ["JK", "S3"], at))
        seat.tell(question(2, 1))
        assert sent(seat) == []
        seat.tell(tribute(2, 3, ["C6"], at))
    (of_rich,), (of_poor,) = sent(rich), sent(poor)
    assert of_rich[5][:4] == [1, 2, 0, 6]
    assert of_poor[5][:4] == [1, 0, 0, 6]
    assert of_rich[4][1] == of_poor[4][1] == 2
    assert of_rich[6] == of_poor[6] == [2, 2, 1, 2, 2, 1, 0, 2, 4, 3, *SEATING]


def exchanging(seat):
    """A seat whose tributes are paid, and that is asked for its own gift."""
    own = seated(seat, places=PLACES)
    own.tell(question(0, 2))
    own.tell(tribute(0, 1, ["JK", "S3"], seat))
    own.tell(question(2, 1))
    own.tell(tribute(2, 3, ["C6"], seat))
    sent(own)
    return own


def test_the_fugo_may_give_before_the_daifugo_has() -> None:
    seat = exchanging(3)
    seat.receive(table(rows_of((3, 4))))
    seat.tell(question(1, 2))
    seat.tell(tribute(1, 0, ["D3", "H4"], 3))
    seat.tell(question(3, 1))
    assert seat.answer() == (Give(3, parse(["C6"])), "")
    seat.tell(tribute(3, 2, ["C6"], 3))
    assert sent(seat) == []


@pytest.mark.parametrize(
    "rows",
    [rows_of((2, 1), (1, 2), (0, 1)), rows_of((0, 12), (0, 11)), rows_of((1, 2, 5))],
)
def test_a_gift_that_is_refused_is_the_strongest_cards(rows) -> None:
    seat = exchanging(1)
    seat.tell(question(1, 2))
    seat.receive(table(rows))
    answer = seat.answer()
    if not answer.trouble:
        answer = seat.refuse("too many")
    assert answer.answer == Give(1, parse(["JK", "H4"]))
    assert answer.trouble.startswith("refused: ")


def late(seat):
    """A seat whose client was answered for, and the next turn of which has come."""
    seat.tell(ToMove(1))
    sent(seat)
    assert seat.answer() is None
    assert seat.give_up() == (Pass(1), "late")
    seat.tell(Passed(1, True))
    seat.tell(ToMove(2))
    seat.tell(Played(2, single("C5")))
    seat.tell(ToMove(1))
    assert seat.output() == []
    return seat


def test_a_late_client_owes_a_submission_and_then_gets_what_was_held_back() -> None:
    seat = late(seated())
    assert seat.is_behind
    assert seat.held_bytes == 4 + 2 * (480 + 4) + 2 * 480
    seat.receive(table(rows_of((2, 1)))[:300])
    assert seat.output() == []
    seat.receive(table(rows_of((2, 1)))[300:])
    assert [type(each) for each in sent(seat)] == [int, list, int, list, list, int, list]
    assert not seat.is_behind
    assert seat.held_bytes == 0
    assert seat.answer() is None
    seat.receive(table(rows_of((1, 2))))
    assert seat.answer() == (Play(1, parse(["H4"])), "")


def test_a_client_that_is_late_twice_owes_two() -> None:
    seat = late(seated())
    assert seat.give_up().answer == Pass(1)
    seat.tell(Passed(1, True))
    seat.tell(ToMove(3))
    assert seat.late == 2
    seat.receive(PASS)
    assert len(sent(seat)) == 7
    seat.receive(PASS)
    assert sent(seat)[0] == 8
    assert not seat.is_behind


def test_a_second_table_is_thrown_away_and_the_client_stays_in_step() -> None:
    seat = seated()
    seat.tell(ToMove(1))
    seat.receive(table(rows_of((2, 1))) + table(rows_of((1, 2))))
    assert seat.answer().answer == Play(1, parse(["D3"]))
    assert seat.surplus == 1
    seat.tell(Played(1, single("D3")))
    seat.tell(ToMove(1))
    assert seat.answer() is None


def test_who_sends_without_end_is_broken() -> None:
    seat = seated()
    seat.receive(PASS * MOST_SURPLUS)
    assert not seat.is_broken
    seat.receive(PASS)
    assert seat.is_broken


def test_for_a_client_that_has_gone_it_is_passed_and_nothing_is_kept() -> None:
    seat = late(seated())
    seat.leave()
    assert seat.answer() == (Pass(1), "absent")
    seat.tell(Passed(1, True))
    assert (seat.output(), seat.held_bytes, seat.is_behind) == ([], 0, False)


@pytest.mark.parametrize(("last", "flag"), [(False, 1), (True, 2)])
def test_the_end_flag_says_whether_another_hand_follows(last, flag) -> None:
    seat = seated()
    seat.tell(ToMove(2))
    sent(seat)
    seat.tell(Played(2, single("C5")))
    seat.tell(Ended((2, 1, 0, 3, 4)), last=last)
    assert sent(seat)[1:] == [flag]
