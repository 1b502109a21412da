"""Robbing: cards that other players have to hand over for a play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.rules.cards import FOUR, JOKERS, KING, RANK_MASKS, canonical
from arena.rules.catalogue import Option, Options, Subset, rule
from arena.rules.events import Gave, Pending
from arena.rules.melds import SET, Meld
from arena.rules.needs import sets_of
from arena.rules.state import State
from arena.rules.wiring import Stage, Trigger, Wiring

TRIPLET: Final = 3


def strongest(held: int, *, order_reversed: bool) -> int:
    """The strongest card of a hand, as a canonical mask: jokers above all, of equals spades before
    hearts, diamonds and clubs."""
    if held & JOKERS:
        return canonical(held & JOKERS & -(held & JOKERS))
    ranks = RANK_MASKS if order_reversed else RANK_MASKS[::-1]
    best = canonical(next(held & rank for rank in ranks if held & rank))
    return best & -best


def _others(s: State, seat: int) -> list[int]:
    """The other seats that are still in the hand, in turn order."""
    seats = ((seat + distance * s.direction) % s.players for distance in range(1, s.players))
    return [other for other in seats if s.active >> other & 1]


def _three_of(rank: int) -> Trigger:
    return lambda meld: meld.kind is SET and meld.size == TRIPLET and meld.low == rank


@rule(
    Option(
        "rob",
        (),
        Subset(("thief", "nero")),
        "Whom three of a kind rob, unless they are the last cards: thief: three 4s take the "
        "strongest card of the next player; nero: for three kings everybody else gives a card.",
        ("XV-rob",),
        "シーフ・ネロ",
        "shīfu, nero",
        also=("シーフ", "ネロ", "robbing"),
        later=True,
        needs=(sets_of(TRIPLET),),
    ),
)
def rob(wire: Wiring, o: Options) -> None:
    """Thieves and emperors."""

    def steal(s: State, seat: int, meld: Meld) -> Iterable[Gave]:
        if s.held[seat].bit_count() > meld.size:
            victim = _others(s, seat)[0]
            card = strongest(s.held[victim], order_reversed=s.order_reversed)
            yield Gave(victim, seat, card, 1, "rob")

    def tribute(s: State, seat: int, meld: Meld) -> Iterable[Pending]:
        if s.held[seat].bit_count() > meld.size:
            yield from (Pending(other, "give", "rob", 1, seat) for other in _others(s, seat))

    if "thief" in o["rob"]:
        wire.playing(moves_cards=True)
        wire.on(Stage.GIVE, _three_of(FOUR), steal)
    if "nero" in o["rob"]:
        wire.on(Stage.GIVE, _three_of(KING), tribute)
