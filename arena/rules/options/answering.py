"""Answers: plays after which only certain others may follow, and what those do.

An 8 that may be answered has not cleared yet: it lies on the table, each who may still act has his
turn, and when all have passed the table is cleared. Other effects of the play are those of one that
does not clear.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from arena.errors import Reason
from arena.rules.cards import (
    EIGHT,
    FOUR,
    NINE,
    PACK,
    RANK_MASKS,
    SEVEN,
    SIX,
    SPADES,
    TEN,
    THREE,
    canonical,
    ids,
    mask_of,
)
from arena.rules.catalogue import SWITCH, Choice, Option, Options, Subset, rule
from arena.rules.events import Marked
from arena.rules.melds import SEQUENCE, SET, Meld, meld
from arena.rules.needs import one_on, sets_of
from arena.rules.shapes import SINGLES
from arena.rules.state import State
from arena.rules.wiring import ANY_LOCK, Bar, Clear, Stage, Trigger, Trump, Window, Wiring

SKIPPED: Final = "skipped"
"""The mark with the seats that are being skipped."""
SPADE_SEVEN: Final = 4 * SEVEN + SPADES
EIGHTS: Final = RANK_MASKS[EIGHT]
SINGLE_ANSWERS: Final = RANK_MASKS[TEN] & PACK | 1 << SPADE_SEVEN


def eight_clears(o: Options) -> Trigger:
    """The plays that clear by an 8 (AM-19, AM-80)."""
    roles, runs = o["joker_effects"], o["hachi_giri_sequences"]
    return lambda m: m.count(EIGHT, roles=roles) > 0 and (runs or m.kind is not SEQUENCE)


def eight_waits(o: Options) -> Trigger:
    """The plays with an 8 that clear only if nobody answers them."""
    clears, stop, answers = eight_clears(o), o["four_stop"], o["eight_answers"]
    return lambda m: (
        clears(m)
        and (stop == "any" or (stop == "single" and m.size == 1) or bool(_kinds(m, answers)))
    )


def _kinds(pile: Meld, answers: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the answers to an 8 there can be to this play with one."""
    if pile.kind is not SET:
        return ()
    return answers if pile.size == 1 else tuple(a for a in answers if a == "eight")


def _pairs(held: int, rank: int) -> list[Meld]:
    """The pairs of real cards of a rank in a hand."""
    pairs = combinations(ids(held & RANK_MASKS[rank]), 2)
    chosen = {canonical(1 << one | 1 << other) for one, other in pairs}
    return [meld(SET, cards, (), rank) for cards in chosen]


@rule(
    Option(
        "four_stop",
        "off",
        Choice(("off", "single", "any")),
        "Two real 4s answer an 8, clear the table and their player leads: a single 8 only, or any "
        "play that clears by an 8.",
        ("XV-four_stop",),
        "4止め",
        "yon-dome",
        later=True,
        needs=(
            one_on("hachi_giri"),
            sets_of(2),
        ),
    ),
)
def four_stop(wire: Wiring, o: Options) -> None:
    """Fours stop eights."""
    waits = eight_waits(o)

    def fours(m: Meld) -> bool:
        return m.kind is SET and m.size == 2 and m.low == FOUR and not m.jokers

    def on(pile: Meld) -> bool:
        return (o["four_stop"] == "any" or pile.size == 1) and waits(pile)

    def find(s: State, held: int) -> Iterable[Meld]:
        return _pairs(held, FOUR)

    def stop(s: State, seat: int, m: Meld) -> Iterable[Clear]:
        if s.pile is not None and on(s.pile):
            yield Clear("four_stop")

    if o["four_stop"] != "off":
        wire.window(Window("four_stop", on, lambda pile, m: fours(m), find))
        wire.on(Stage.CLEAR, fours, stop)


@rule(
    Option(
        "eight_answers",
        (),
        Subset(("eight", "spade_seven", "ten")),
        "What may be laid on an 8 before it clears: as many 8s, which clear in their turn; on a "
        "single one the spade 7 or the 10 of its suit, which lie there and may be beaten.",
        ("XV-eight_answers",),
        "8切り返し・7カウンター・10返し",
        "hachi-giri gaeshi, nana kauntā, jū gaeshi",
        later=True,
        needs=(one_on("hachi_giri"),),
    ),
)
def eight_answers(wire: Wiring, o: Options) -> None:
    """Other answers to an 8."""
    allowed = o["eight_answers"]

    def answers(pile: Meld, m: Meld) -> bool:
        kinds = _kinds(pile, allowed)
        if m.kind is not SET or m.jokers:
            return False
        if m.low == EIGHT:
            return "eight" in kinds and m.size == pile.size
        ten = m.low == TEN and m.suits == pile.suits
        seven = m.cards == 1 << SPADE_SEVEN
        return ("ten" in kinds and ten) or ("spade_seven" in kinds and seven)

    def find(s: State, held: int) -> Iterable[Meld]:
        size = s.trick[-1].meld.size
        for cards in {canonical(mask_of(c)) for c in combinations(ids(held & EIGHTS), size)}:
            yield meld(SET, cards, (), EIGHT)
        yield from (SINGLES[card] for card in ids(canonical(held) & SINGLE_ANSWERS))

    if allowed:
        wire.window(Window("eight_answers", eight_waits(o), answers, find))


@rule(
    Option(
        "six_nine",
        False,
        SWITCH,
        "On a single 6 only a 9 may follow, and on a single 9 only a 6.",
        ("XV-six_nine",),
        "6→9, 9→6",
        "roku kyū, kyū roku",
        later=True,
    ),
)
def six_nine(wire: Wiring, o: Options) -> None:
    """Six and nine, which are each other upside down."""
    other = {SIX: NINE, NINE: SIX}

    def on(pile: Meld) -> bool:
        return pile.size == 1 and pile.low in other

    def answers(pile: Meld, m: Meld) -> bool:
        return m.size == 1 and m.low == other[pile.low]

    def find(s: State, held: int) -> Iterable[Meld]:
        wanted = RANK_MASKS[other[s.trick[-1].meld.low]] & PACK
        return [SINGLES[card] for card in ids(canonical(held) & wanted)]

    if o["six_nine"]:
        wire.window(Window("six_nine", on, answers, find))


@rule(
    Option(
        "three_stop",
        False,
        SWITCH,
        "Who is skipped may answer with two real 3s, which clear the table, and leads.",
        ("XV-three_stop",),
        "3止め",
        "san-dome",
        later=True,
        needs=(one_on("go_tobi", "skip_ranks", "equal_skips"), sets_of(2)),
    ),
)
def three_stop(wire: Wiring, o: Options) -> None:
    """Threes stop skips: who is skipped has a turn, in which he may lay these or pass."""

    def threes(m: Meld) -> bool:
        return m.kind is SET and m.size == 2 and m.low == THREE and not m.jokers

    def skipped(s: State, seat: int) -> bool:
        return bool(s.trick_marks.get(SKIPPED, 0) >> seat & 1)

    def mark(seats: tuple[int, ...], by: str) -> Marked:
        return Marked(SKIPPED, sum(1 << seat for seat in seats), "trick", by)

    def forget(s: State, seat: int, m: Meld) -> Iterable[Marked]:
        if s.trick_marks.get(SKIPPED):
            yield Marked(SKIPPED, 0, "trick", "three_stop")

    def stop(s: State, seat: int, m: Meld) -> Iterable[Clear]:
        if skipped(s, seat):
            yield Clear("three_stop")

    def permits(s: State, seat: int, m: Meld) -> int:
        return ANY_LOCK if threes(m) and skipped(s, seat) else 0

    def find(s: State, held: int) -> Iterable[Meld]:
        return _pairs(held, THREE) if s.trick_marks.get(SKIPPED) else ()

    if o["three_stop"]:
        wire.playing(skipping=mark)
        wire.on(Stage.LOCK, lambda m: True, forget)
        wire.on(Stage.CLEAR, threes, stop)
        wire.trump(Trump(permits, find))
        detail = "who is skipped may only answer with two 3s"
        forbids = Bar(
            Reason.ANSWERS_ONLY,
            "three_stop",
            detail,
            lambda s, seat, m: skipped(s, seat) and not threes(m),
        )
        wire.bar(forbids, only_marked=True)
