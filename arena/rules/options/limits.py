"""Limits: what a trick is bound to besides suits and rank order, a colour or some ranks.

Declared before the locks, whose queen (`q_toki`) lifts a colour too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from arena.errors import Reason
from arena.rules.cards import FIVE, FOUR, JOKER_RANK, NINE, RANKS, SIX, THREE, TWO
from arena.rules.catalogue import SWITCH, Need, Option, Options, Subset, rule
from arena.rules.events import Marked
from arena.rules.melds import EMPEROR, SET, Meld
from arena.rules.state import State
from arena.rules.wiring import Bar, Stage, Wiring

COLOUR_LOCK: Final = "colour_lock"
"""The mark of the colour that is locked: 1 black, 2 red."""
RANK_LIMIT: Final = "rank_limit"
"""The mark of the ranks that may be laid, one bit each."""
BLACK, RED = 1, 2
BLACK_SUITS, RED_SUITS = 0xF00F, 0x0FF0  # of `Meld.suits`: spades and clubs, hearts and diamonds
ALL_RANKS: Final = (1 << TWO + 1) - 1


def _ranks(names: str) -> int:
    """A mask of ranks."""
    return sum(1 << RANKS.index(name) for name in names)


class _Limit(NamedTuple):
    """What a set of some rank limits a trick to; on: only where it lies on this rank."""

    rank: int
    ranks: int = ALL_RANKS
    colour: Callable[[Meld], int] = lambda meld: 0
    on: int = -1


def colours(meld: Meld) -> int:
    """The colours of the real cards of a meld."""
    black = BLACK if meld.suits & BLACK_SUITS else 0
    return black | (RED if meld.suits & RED_SUITS else 0)


def _locking_colour(meld: Meld) -> int:
    """The colour by which a meld can begin a lock; 0 if it cannot: of two colours, or a joker in
    a set, which has none (AM-14)."""
    if meld.kind is EMPEROR or (meld.kind is SET and meld.jokers):
        return 0
    return colours(meld) % (BLACK | RED)


LIMITS: Final = {
    "even": _Limit(FOUR, _ranks("468TQ2")),
    "odd": _Limit(FIVE, _ranks("3579JKA")),
    "no_court": _Limit(SIX, ALL_RANKS & ~_ranks("JQK")),
    "five_colour": _Limit(FIVE, colour=lambda m: _locking_colour(m) if m.size == 1 else 0),
    "hot_milk": _Limit(NINE, colour=lambda m: RED, on=THREE),
}
OF_COLOURS: Final = {"five_colour", "hot_milk"}


def _both_colours(o: Options) -> bool:
    return bool({"S", "C"} & set(o["suits"]) and {"H", "D"} & set(o["suits"]))


TWO_COLOURS: Final = Need(("suits",), _both_colours, "suits of both colours")
COLOURS_TO_LIMIT: Final = Need(
    ("suits",),
    lambda o: not OF_COLOURS & set(o["restrict"]) or _both_colours(o),
    "suits of both colours for five_colour and hot_milk",
)


@rule(
    Option(
        "iro_shibari",
        False,
        SWITCH,
        "Two plays in a row of one colour, red or black, lock it until the clear.",
        ("XV-iro_shibari",),
        "色縛り",
        "iro-shibari",
        also=("colour lock", "color lock"),
        later=True,
        needs=(TWO_COLOURS,),
    ),
    Option(
        "restrict",
        (),
        Subset(tuple(LIMITS)),
        "What cards and sets limit their trick to: even: a 4 to even ranks; odd: a 5 to odd ones; "
        "no_court: a 6 to ranks without J, Q and K; five_colour: a single 5 to its colour; "
        "hot_milk: a 9 on a 3 to red cards.",
        ("XV-parity",),
        "制限",
        "seigen",
        also=("偶数制限", "奇数制限", "2桁封じ", "5色縛り", "ホットミルク", "hot milk"),
        later=True,
        needs=(COLOURS_TO_LIMIT,),
    ),
)
def limits(wire: Wiring, o: Options) -> None:
    """Colour locks, and limits by the rank of a set."""

    def lock(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        pile, colour = s.pile, _locking_colour(meld)
        same = pile is not None and _locking_colour(pile) == colour
        if same and not s.trick_marks.get(COLOUR_LOCK):
            yield Marked(COLOUR_LOCK, colour, "trick", "iro_shibari")

    def limit(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        ranks = s.trick_marks.get(RANK_LIMIT, ALL_RANKS)
        colour = s.trick_marks.get(COLOUR_LOCK, 0)
        left, last = ranks, colour
        for each in chosen:
            on = s.pile is not None and s.pile.kind is SET and s.pile.low == each.on
            if meld.low == each.rank and (each.on < 0 or on):
                left &= each.ranks
                last = each.colour(meld) or last
        if left != ranks:
            yield Marked(RANK_LIMIT, left, "trick", "restrict")
        if last != colour:
            yield Marked(COLOUR_LOCK, last, "trick", "restrict")

    def breaks_colour(s: State, seat: int, meld: Meld) -> bool:
        locked = s.trick_marks.get(COLOUR_LOCK, 0)
        return locked > 0 and meld.kind is not EMPEROR and bool(colours(meld) & ~locked)

    def breaks_ranks(s: State, seat: int, meld: Meld) -> bool:
        left = s.trick_marks.get(RANK_LIMIT, 0)
        limited = left > 0 and meld.kind is SET and meld.low != JOKER_RANK
        return limited and not left >> meld.low & 1

    chosen = tuple(LIMITS[name] for name in o["restrict"])
    if o["iro_shibari"]:
        wire.on(Stage.LOCK, lambda meld: _locking_colour(meld) > 0, lock)
    if chosen:
        ranks = {each.rank for each in chosen}
        wire.on(Stage.LOCK, lambda meld: meld.kind is SET and meld.low in ranks, limit)
        detail = "the trick is limited to other ranks (制限, seigen)"
        wire.bar(Bar(Reason.NUMBER_LOCKED, "restrict", detail, breaks_ranks), only_marked=True)
    if o["iro_shibari"] or OF_COLOURS & set(o["restrict"]):
        by = "iro_shibari" if o["iro_shibari"] else "restrict"
        detail = "the colour is locked (色縛り, iro-shibari)"
        wire.bar(Bar(Reason.SUIT_LOCKED, by, detail, breaks_colour), only_marked=True)
