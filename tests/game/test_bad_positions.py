"""A position that contradicts itself is refused in one line that says what and where."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from arena.errors import BadInput
from arena.game import Position, worlds

GOOD = "daifugo/1 pagat seat=0 move=0 held=S3S6STSAH3H6HTD5D6DKC8CJC2/14/13/13 dealer=3"
LATER = (
    "daifugo/1 pagat seat=0 move=0 held=S3S6STSAH3H6HTD5D6DKC8CJC2/12/12/12 "
    "trick=2:H5/3:S8/1:C9 gone=D7 passed=3 dealer=3"
)
ASKED = LATER.replace("pagat", "pagat,nana_watashi=may,ten_discard=on_play")
EXCHANGE = GOOD.replace("move=0", "asked=%s") + " before=0123"
THROWING = GOOD.replace("pagat seat=0 move=0", "pagat,first_lead=janken seat=0 asked=%s")
WHOLE = (
    "daifugo/1 pagat,players=2,suits=S,jokers=0 seat=all move=0 held=S4S6S8STSQSA/S3S5S7S9SJSKS2"
)
BAD = {
    "": "position in column 1 is ''; expected daifugo/1 at the beginning of the line",
    "daifugo/1": "ruleset in column 10 is ''; expected a ruleset such as pagat+kakumei",
    GOOD.replace("pagat", "pagta"): "ruleset in column 11: preset is 'pagta'; expected",
    GOOD.replace("seat=0 ", ""): "seat in column 73 is ''; expected seat=, the seat whose",
    GOOD.replace("seat=0", "seat=4"): "seat in column 22 is '4'; expected a seat from 0 to 3",
    GOOD.replace("S3S6", "S3S3"): "held in column 38 is 'S3'; expected each card as often as the "
    "pack has it (1)",
    GOOD.replace("S3S6", "S3X3"): "held in column 38 is 'X3'; expected a suit S H D C and a rank",
    GOOD.replace("pagat", "pagat,jokers=0").replace("C2/14/13/13", "C2CQ/13/13/12"): "expected "
    "at most 13 cards in a hand, not 14 at seat 0",
    GOOD.replace("/14", "/13"): "expected 53 cards in all with those on the table and gone, not 52",
    GOOD.replace("/14/13", "/27"): "expected the cards of 4 seats with / between them",
    GOOD.replace("move=0 ", ""): "move in column 73 is ''; expected move=, asked= or places=",
    GOOD.replace("move=0", "move=9"): "move in column 29 is '9'; expected a seat from 0 to 3",
    GOOD + " places=0123": "places in column 88 is '0123'; expected not both move and places",
    GOOD + " dealer=3": "position in column 81 is 'dealer'; expected each field once",
    GOOD + " colour=red": "position in column 81 is 'colour'; expected one of seat, move, asked",
    GOOD + " order=upside": "order in column 87 is 'upside'; expected some of revolution, trick",
    GOOD + " hand_marks=what:1": "hand_marks in column 92 is 'what'; expected one of must_show",
    GOOD + " out=00": "out in column 86 is '0'; expected each seat once",
    GOOD + " out=1": "out in column 85 is '1'; expected seats without cards",
    GOOD + " fouled=1": "fouled in column 88 is '1'; expected seats without cards",
    GOOD + " fallen=2 dropped=2": "dropped in column 98 is '2'; expected seats without cards",
    LATER.replace("passed=3", "passed=03"): "passed in column 108 is '03'; expected no seat that",
    GOOD + " barred=0": "barred in column 88 is '0'; expected no seat that is to move",
    GOOD + " acted=2": "acted in column 87 is '2'; expected nobody, since the table is empty",
    GOOD + " order=pending": "order in column 87 is 'pending'; expected nothing that waits for",
    GOOD + " trick_marks=suit_lock:1": "expected nothing, since the table is empty",
    LATER + " trick_marks=number_lock:7": "is '7'; expected number_lock from 0 to 1",
    LATER + " lead_passes=3": "lead_passes in column 131 is '3'; expected nobody, since cards lie",
    GOOD + " wishes=1:2": "wishes in column 88 is '1:2'; expected nothing, since no exchange is",
    GOOD + " promised=1>2:1": "expected nothing, since no exchange is asked",
    GOOD + " thrown=01--": "thrown in column 88 is '01--'; expected shapes of contenders in",
    GOOD + " queue=1.give.exchange.1.any>3": "expected nothing, since nobody is asked",
    GOOD.replace("move=0", "asked=0.discard.ten_discard.0.1"): "asked in column 40 is "
    "'ten_discard'; expected a rule that asks to discard and is on: ten_discard or discard_ranks",
    ASKED.replace("move=0", "asked=0.throw.ten_discard.1.1"): "expected a rule that asks to throw",
    ASKED.replace("move=0", "asked=0.discard.ten_discard.1.1"): "due in column 180 is ''; expected "
    "what follows where a rule asks during play",
    ASKED.replace("move=0", "asked=0.give.nana_watashi.0.1 due=1"): "asked in column 67 is "
    "'0.give.nana_watashi.0.1'; expected behind > another seat that is in the hand",
    ASKED.replace("move=0", "asked=0.give.nana_watashi.0.1>0 due=1"): "expected behind > another",
    ASKED.replace("move=0", "asked=0.discard.ten_discard.1.1>2 due=1"): "expected no > where",
    ASKED.replace("move=0", "asked=0.discard.ten_discard.1.1 due=1,lead:1"): "due in column 97 is "
    "'1,lead:1'; expected lead:1 where the table is empty, and only there",
    EXCHANGE % "0.give.exchange.1.1>1": "asked in column 30 is '0.give.exchange.1.1>1'; expected a "
    "step of the exchange: 3.give of 1 to 0, 0.give of 1 to 3",
    EXCHANGE % "0.give.exchange.2.2>3": "expected a step of the exchange",
    (EXCHANGE % "0.give.exchange.1.1>3").replace("/14", "/13")
    + " trick=1:S4": "trick in column 120 is '1:S4'; expected no play before the first lead",
    THROWING % "0.throw.janken.1.1": "thrown in column 116 is ''; expected shapes of contenders",
    THROWING % "0.throw.janken.1.1/0.throw.janken.1.1"
    + " thrown=----": "expected one question, or",
    WHOLE.replace("move=0", "asked=1.give.exchange.1.1>0") + " dealer=1 before=01": "leader in",
    GOOD + " out=0": "move in column 29 is '0'; expected a seat that holds cards and is in the",
    GOOD + " due=2": "due in column 85 is '2'; expected nothing, since nobody is asked",
    GOOD + "  out=1": "position in column 81 is ''; expected fields such as held=",
    GOOD.replace("/13 ", "/13(S3) "): "held in column 72 is 'S3'; expected each card as often",
    GOOD + " where=S4S5@1b:3": "where in column 95 is '3'; expected at most 2, the number of cards",
    GOOD + " where=S4@0": "held in column 36 is",
    GOOD + " blind=S4": "held in column 36 is",
    GOOD.replace("/14", "/14!7.X"): "held in column 68 is 'X'; expected ranks and cards",
    LATER.replace("2:H5", "2:H5S7"): "trick in column 78 is '2:H5S7'; expected a meld that",
    LATER.replace("3:S8", "3:S8C8"): "trick in column 83 is '3:S8C8'; expected a play of the kind",
    LATER.replace("3:S8", "3:H4/0:S5").replace("1:C9", "1:S5"): "expected a play that beats",
    LATER.replace("1:C9", "1:S8"): "trick in column 88 is '1:S8'; expected a play that beats",
    LATER.replace("gone=D7", "gone=S3"): "gone in column 98 is 'S3'; expected each card as often",
    GOOD.replace("move=0", "asked=0.give.exchange.1.1>3"): "asked in column 30 is "
    "'0.give.exchange.1.1>3'; expected an exchange only where before=",
}


def test_what_goes_together_is_read() -> None:
    assert str(Position.parse(GOOD)) == GOOD
    assert str(Position.parse(LATER)) == LATER
    assert len(Position.parse(GOOD).worlds(3, Random(1))) == 3


@pytest.mark.parametrize("text", BAD)
def test_what_does_not_is_refused_with_its_column(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        Position.parse(text)
    assert BAD[text] in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_no_draw_agrees_with_is_refused_and_not_looked_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worlds, "MOST_TRIES", 50)
    held = "held=" + "/".join(["S3S6STSAH3H6HTD5D6DKC8CJC2", "1", "20", "19"])
    line = f"daifugo/1 pagat,nana_watashi=may seat=0 move=0 {held} where=S4S5@12:2 dealer=3"
    with pytest.raises(BadInput, match="one that some deal agrees with"):
        Position.parse(line).worlds(1, Random(1))


def test_any_change_of_a_letter_is_read_or_refused() -> None:
    """Whatever somebody types, there is no other error."""
    random = Random(1)
    signs = "0123456789SHDCJKTQA/:=.-+!@()<> abcdefgh\u5341"
    for _ in range(1500):
        text = list(random.choice((GOOD, LATER)))
        for _ in range(random.randrange(1, 3)):
            text[random.randrange(18, len(text))] = random.choice(signs)
        with suppress(BadInput):
            position = Position.parse("".join(text))
            assert str(Position.parse(str(position))) == str(position)
