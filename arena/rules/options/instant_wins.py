"""Wins at once (天和, モノポリー, テポドン): cards so good that they bring their holder out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.rules.cards import (
    COPY,
    JOKERS,
    PACK,
    RANK_MASKS,
    SUIT_MASKS,
    canonical,
    claim,
)
from arena.rules.catalogue import Need, Option, Options, Subset, rule
from arena.rules.events import Discarded, Marked, Pending
from arena.rules.melds import SET, Meld
from arena.rules.needs import largest_set, of_a_rank, wild_jokers
from arena.rules.state import State
from arena.rules.wiring import Effect, Stage, Wiring

NAME: Final = "instant_wins"
REAL, WILD = 4, 2  # what a tepodon is made of


def all_pairs(held: int, *, wild: bool) -> bool:
    """Does a hand consist of pairs? Wild jokers stand for what is missing."""
    odd = sum((held & rank).bit_count() % 2 for rank in RANK_MASKS)
    jokers = (held & JOKERS).bit_count()
    return odd <= (jokers if wild else 0) and (jokers - odd) % 2 == 0


def whole_suit(held: int) -> bool:
    """Are all thirteen cards of a suit in a hand?"""
    single = (held | held >> COPY) & PACK
    return any(single & suit == suit & PACK for suit in SUIT_MASKS)


def _needs(name: str, need: Need) -> Need:
    """What one of the values needs."""
    return Need(
        need.others,
        lambda o: name not in o[NAME] or need.holds(o),
        f"{need.says} for {name}",
    )


PAIRS: Final = Need(("suits",), lambda o: of_a_rank(o) > 1, "two cards of each rank")
SIX: Final = Need(
    ("max_set", "jokers", "joker_wild", "suits"),
    lambda o: largest_set(o) >= REAL + WILD and wild_jokers(o) >= WILD and of_a_rank(o) >= REAL,
    "sets of four real cards and two jokers",
)


@rule(
    Option(
        NAME,
        (),
        Subset(("tenho", "monopoly", "tepodon")),
        "What brings a player out at once: tenho: a hand of pairs only; monopoly: all cards of a "
        "suit, both shown before the first lead if he wants to; tepodon: laying four cards of a "
        "rank with two jokers, which is a revolution too.",
        ("XV-instant_wins",),
        "天和・モノポリー・テポドン",
        "tenhō, monoporī, tepodon",
        also=("instant win", "天和", "モノポリー", "テポドン"),
        later=True,
        needs=(_needs("tenho", PAIRS), _needs("tepodon", SIX)),
    ),
)
def instant_wins(wire: Wiring, o: Options) -> None:
    """Going out at once; the cards that are left are thrown away, and that is a lawful finish."""
    chosen, wild = set(o[NAME]), o["joker_wild"]

    def wins(held: int) -> bool:
        pairs = "tenho" in chosen and all_pairs(held, wild=wild)
        return pairs or ("monopoly" in chosen and whole_suit(held))

    def ask(s: State) -> Iterable[Pending]:
        for distance in range(s.players):
            seat = (s.setup.dealer + (distance + 1) * s.direction) % s.players
            if s.held[seat] and wins(s.held[seat]):
                yield Pending(seat, "accept", NAME, 1)

    def show(s: State, seat: int) -> Iterable[Effect]:
        cards = canonical(s.held[seat])
        yield Discarded(seat, cards, cards.bit_count(), True, NAME)
        owed = s.hand_marks.get("must_show", 0)
        if owed and cards >> (owed - 1) & 1:
            yield Marked("must_show", 0, "hand", NAME)

    def six(meld: Meld) -> bool:
        return meld.kind is SET and meld.jokers == WILD and meld.size == REAL + WILD

    def rest(s: State, seat: int, meld: Meld) -> Iterable[Discarded]:
        held = s.held[seat]
        cards = canonical(held & ~claim(held, meld.cards))
        if cards:
            yield Discarded(seat, cards, cards.bit_count(), False, NAME)

    if chosen & {"tenho", "monopoly"}:
        wire.before_lead(ask)
        wire.choice(NAME, show)
    if "tepodon" in chosen:
        wire.playing(moves_cards=True)
        wire.reverses(NAME, six)
        wire.on(Stage.DISCARD, six, rest)
