"""Reversals: revolutions (革命, kakumei) and the jack (11バック, irebun bakku)."""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules.cards import JACK, RANKS
from arena.rules.catalogue import SWITCH, Choice, Option, Options, Subset, rule
from arena.rules.melds import SEQUENCE, SET, Meld
from arena.rules.state import State
from arena.rules.wiring import OrderReversal, Stage, Trigger, Wiring


def _size(meld: Meld, *, joker: bool) -> int:
    """The number of cards that count towards a revolution (AM-05)."""
    return meld.size if joker else meld.size - meld.jokers


def _four(*, joker: bool) -> Trigger:
    return lambda meld: meld.kind is SET and _size(meld, joker=joker) >= 4


def _run(least: int, *, joker: bool) -> Trigger:
    return lambda meld: meld.kind is SEQUENCE and _size(meld, joker=joker) >= least


def _triple(ranks: tuple[int, ...], *, joker: bool) -> Trigger:
    return lambda meld: (
        meld.kind is SET and meld.size == 3 and meld.low in ranks and _size(meld, joker=joker) == 3
    )


@rule(
    Option(
        "kakumei",
        False,
        SWITCH,
        "Four of a kind (or more) reverses the ranks; another one restores them.",
        (
            "PG-26",
            "PG-55",
            "PG-57",
            "PG-58",
            "PG-59",
            "PG-60",
            "PG-61",
            "PG-62",
            "RU-28",
            "FO-34",
            "AM-02",
            "AM-07",
            "AM-08",
            "AM-09",
            "AM-10",
            "AM-11",
        ),
        "革命",
        "kakumei",
        also=("revolution",),
    ),
    Option(
        "kakumei_timing",
        "next_clear",
        Choice(("next_clear", "immediate")),
        "A revolution takes effect from the next clear, or at once.",
        ("PG-56", "RU-28", "AM-01"),
        also=(
            "即革命",
            "immediate revolution",
        ),
    ),
    Option(
        "kakumei_joker",
        True,
        SWITCH,
        "Jokers count towards a revolution; otherwise the needed real cards must be there.",
        ("PG-55", "PG-66", "AM-05"),
    ),
    Option(
        "kakumei_sequence",
        0,
        Choice((0, 4, 5)),
        "A sequence of at least so many cards reverses too; 0 means none.",
        ("PG-63", "PG-65", "RU-29", "FO-35", "AM-04", "OR-15", "XV-kaidan_kakumei"),
        "階段革命",
        "kaidan kakumei",
        also=("sequence revolution",),
    ),
    Option(
        "kakumei_triples",
        (),
        Subset(tuple(RANKS)),
        "Triplets of these ranks reverse too (3; 9 is the coup, 7 nana-san, 6 the omen).",
        ("PG-64", "AM-06", "OR-14", "XV-kakumei_triples"),
        "クーデター",
        "kūdetā",
        also=(
            "coup",
            "オーメン",
            "omen",
            "ナナサン革命",
            "nana-san",
        ),
    ),
)
def kakumei(wire: Wiring, o: Options) -> None:
    """Revolutions; sequences and triplets reverse also where `kakumei` is off (OR-15)."""
    joker = o["kakumei_joker"]
    wire.playing(revolution_at_once=o["kakumei_timing"] == "immediate")
    if o["kakumei"]:
        wire.reverses("kakumei", _four(joker=joker))
    if o["kakumei_sequence"]:
        wire.reverses("kakumei_sequence", _run(o["kakumei_sequence"], joker=joker))
    if o["kakumei_triples"]:
        ranks = tuple(RANKS.index(rank) for rank in o["kakumei_triples"])
        wire.reverses("kakumei_triples", _triple(ranks, joker=joker))


@rule(
    Option(
        "jack_back",
        "off",
        Choice(("off", "trick", "hand")),
        "A play with a jack reverses the order at once: until the clear, or until reversed again.",
        ("PG-94", "PG-95", "RU-45", "AM-03", "AM-25", "AM-27", "AM-28", "C-5", "C-6"),
        "11バック",
        "irebun bakku",
        also=(
            "Jバック",
            "イレブンバック",
            "J-back",
            "jack back",
            "eleven back",
        ),
    ),
    Option(
        "jack_back_again",
        "toggle",
        Choice(("toggle", "stay")),
        "A further jack in the same trick turns the order again, or changes nothing.",
        ("AM-26", "C-6"),
    ),
)
def jack_back(wire: Wiring, o: Options) -> None:
    """The jack reversal."""
    value, roles = o["jack_back"], o["joker_effects"]
    if value == "off":
        return

    def has_jack(meld: Meld) -> bool:
        return meld.count(JACK, roles=roles) > 0

    def reverse(s: State, seat: int, meld: Meld) -> Iterable[OrderReversal]:
        stays = o["jack_back_again"] == "stay" and any(has_jack(laid.meld) for laid in s.trick)
        if not stays:
            yield OrderReversal(value, "jack_back")

    wire.on(Stage.JACK, has_jack, reverse)
