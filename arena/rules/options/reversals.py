"""Reversals: revolutions (革命, kakumei) and the jack (11バック, irebun bakku)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.rules.cards import JACK, JOKER_RANK, RANKS, SIX, ranks_of_names
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Subset, rule
from arena.rules.events import Event, Pending, Reversed
from arena.rules.melds import SEQUENCE, SET, Meld
from arena.rules.needs import (
    ANY_REVOLUTION,
    BY_CARDS,
    REVERSED_TRICK,
    REVOLUTIONS,
    SEQUENCES,
    jokers,
    largest_set,
    one_on,
    sets_of,
    wild_jokers,
)
from arena.rules.state import State
from arena.rules.wiring import (
    UNLESS_CLEAR,
    Clear,
    Effect,
    OrderReversal,
    Stage,
    Trigger,
    Wiring,
)


def _size(meld: Meld, *, joker: bool) -> int:
    """The number of cards that count towards a revolution (AM-05)."""
    return meld.size if joker else meld.size - meld.jokers


def _set(least: int, *, joker: bool) -> Trigger:
    return lambda meld: meld.kind is SET and _size(meld, joker=joker) >= least


def _run(least: int, *, joker: bool) -> Trigger:
    return lambda meld: meld.kind is SEQUENCE and _size(meld, joker=joker) >= least


def _triple(ranks: tuple[int, ...], *, joker: bool) -> Trigger:
    return lambda meld: (
        meld.kind is SET and meld.size == 3 and meld.low in ranks and _size(meld, joker=joker) == 3
    )


LARGE_ENOUGH: Final = Need(
    ("max_set", "suits", "jokers", "joker_wild"),
    lambda o: largest_set(o) >= o["kakumei_set"],
    "sets of as many cards as kakumei_set says",
)
LONG_REVOLUTION: Final = Need(
    ("kakumei_sequence", "max_set", "decks", "jokers"),
    lambda o: o["kakumei_sequence"] > 0 or largest_set(o) >= o["kakumei_lock_at"],
    "revolutions of this many cards",
)
OMEN: Final = Need(
    ("kakumei_triples", "kakumei_set"),
    lambda o: "6" in o["kakumei_triples"] or o["kakumei_set"] == 3,
    "a revolution by three 6s",
)
SIX_FREE: Final = Need(
    ("back_ranks",),
    lambda o: "6" not in o["back_ranks"],
    "back_ranks without the 6",
    "a 6 both begins and ends a reversal",
)
JACK_FOR_TRICK: Final = Need(("jack_back",), lambda o: o["jack_back"] == "trick", "jack_back trick")
JOKERS_COUNT: Final = Need(
    ("jokers", "joker_wild"),
    lambda o: wild_jokers(o) > 0 or (o["kakumei"] and o["jokers"] == 4),
    "a joker that is wild",
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
        needs=(LARGE_ENOUGH,),
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
        needs=(REVOLUTIONS,),
    ),
    Option(
        "kakumei_joker",
        True,
        SWITCH,
        "Jokers count towards a revolution; otherwise the needed real cards must be there.",
        ("PG-55", "PG-66", "AM-05"),
        needs=(BY_CARDS, JOKERS_COUNT),
    ),
    Option(
        "kakumei_set",
        4,
        Choice((3, 4)),
        "How many of a kind reverse, with kakumei; three in the federation's game for three.",
        ("XV-league3",),
        later=True,
        needs=(one_on("kakumei"),),
    ),
    Option(
        "kakumei_sequence",
        0,
        Choice((0, 4, 5)),
        "A sequence of at least this many cards reverses too; 0 means none.",
        ("PG-63", "PG-65", "RU-29", "FO-35", "AM-04", "OR-15", "XV-kaidan_kakumei"),
        "階段革命",
        "kaidan kakumei",
        also=("sequence revolution",),
        needs=(SEQUENCES,),
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
        needs=(sets_of(3),),
    ),
)
def kakumei(wire: Wiring, o: Options) -> None:
    """Revolutions; sequences and triplets reverse also where `kakumei` is off (OR-15)."""
    joker = o["kakumei_joker"]
    wire.playing(revolution_at_once=o["kakumei_timing"] == "immediate")
    if o["kakumei"]:
        wire.reverses("kakumei", _set(o["kakumei_set"], joker=joker))
    if o["kakumei_sequence"]:
        wire.reverses("kakumei_sequence", _run(o["kakumei_sequence"], joker=joker))
    if o["kakumei_triples"]:
        ranks = ranks_of_names(o["kakumei_triples"])
        wire.reverses("kakumei_triples", _triple(ranks, joker=joker))


@rule(
    Option(
        "joker_kakumei",
        False,
        SWITCH,
        "Two jokers played together reverse too.",
        ("XV-joker_kakumei",),
        "ジョーカー革命",
        "jōkā kakumei",
        later=True,
        needs=(jokers(2), sets_of(2)),
    ),
)
def joker_kakumei(wire: Wiring, o: Options) -> None:
    """Two jokers reverse, whatever `kakumei_joker` says."""
    if o["joker_kakumei"]:
        wire.reverses("joker_kakumei", lambda meld: meld.size == 2 and meld.low == JOKER_RANK)


@rule(
    Option(
        "kakumei_optional",
        False,
        SWITCH,
        "The player is asked whether a play that would reverse makes a revolution.",
        ("XV-kakumei_choice",),
        "革命選択",
        "kakumei sentaku",
        later=True,
        needs=(ANY_REVOLUTION,),
    ),
    Option(
        "kakumei_counter",
        True,
        SWITCH,
        "A revolution may be undone by another; false: only one in a hand.",
        ("XV-no_counter",),
        "革命返し",
        "kakumei gaeshi",
        later=True,
        needs=(ANY_REVOLUTION,),
    ),
    Option(
        "kakumei_lock_at",
        0,
        Choice((0, 5, 6)),
        "A revolution of this many cards or more stays: no further one in the hand; 0: none stays.",
        ("XV-cho_kakumei",),
        "超革命",
        "chō kakumei",
        later=True,
        needs=(ANY_REVOLUTION, LONG_REVOLUTION),
    ),
    Option(
        "omen_final",
        False,
        SWITCH,
        "A revolution by a triplet of 6s stays: no further one in the hand.",
        ("XV-kakumei_triples",),
        "オーメン",
        "ōmen",
        later=True,
        needs=(OMEN,),
    ),
    Option(
        "kakumei_clears",
        False,
        SWITCH,
        "A revolution clears the table, and its player leads.",
        ("XV-kakumei_clears",),
        "革命流し",
        "kakumei nagashi",
        later=True,
        needs=(REVOLUTIONS,),
    ),
)
def revolutions(wire: Wiring, o: Options) -> None:
    """What else a revolution does, if it takes place: it stays, or it clears."""
    if o["kakumei_optional"]:
        wire.may_revolve("kakumei_optional")
    least = o["kakumei_lock_at"]
    if not o["kakumei_counter"]:
        wire.stays("kakumei_counter", lambda meld: True)
    if least:
        wire.stays("kakumei_lock_at", lambda meld: meld.size >= least)
    if o["omen_final"]:
        wire.stays("omen_final", _triple((SIX,), joker=o["kakumei_joker"]))
    if o["kakumei_clears"]:
        wire.revolving(lambda s, seat, meld: (Clear("kakumei_clears"),))


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
        by_rank=True,
    ),
    Option(
        "jack_back_again",
        "toggle",
        Choice(("toggle", "stay")),
        "A further jack in the same trick turns the order again, or changes nothing.",
        ("AM-26", "C-6"),
        needs=(one_on("jack_back"),),
    ),
    Option(
        "jack_back_optional",
        False,
        SWITCH,
        "The player is asked whether his jack reverses the order.",
        ("XV-jack_options",),
        "上下選択",
        "jōge sentaku",
        later=True,
        needs=(one_on("jack_back"),),
    ),
    Option(
        "jack_back_three",
        False,
        SWITCH,
        "With jack_back trick: three or more jacks reverse the order for the next trick too.",
        ("XV-jack_options",),
        "強化Jバック",
        "kyōka J-bakku",
        later=True,
        needs=(
            JACK_FOR_TRICK,
            sets_of(3),
        ),
    ),
)
def jack_back(wire: Wiring, o: Options) -> None:
    """The jack reversal."""
    value, roles = o["jack_back"], o["joker_effects"]
    if value == "off":
        return

    def has_jack(meld: Meld) -> bool:
        return meld.count(JACK, roles=roles) > 0

    reversal = OrderReversal(value, "jack_back")
    pick = UNLESS_CLEAR if value == "trick" else "any"

    def reverse(s: State, seat: int, meld: Meld) -> Iterable[Effect]:
        stays = o["jack_back_again"] == "stay" and any(has_jack(laid.meld) for laid in s.trick)
        if not stays and o["jack_back_optional"]:
            yield Pending(seat, "accept", "jack_back_optional", 1, pick=pick)
        elif not stays:
            yield reversal

    def again(s: State) -> Iterable[Event]:
        three = any(laid.meld.count(JACK, roles=roles) >= 3 for laid in s.trick)
        if s.jack and three:
            yield Reversed("trick", True, "jack_back_three")

    wire.on(Stage.JACK, has_jack, reverse)
    wire.choice("jack_back_optional", lambda s, seat: (reversal,))
    if o["jack_back_three"]:
        wire.cleared(again)


@rule(
    Option(
        "back_ranks",
        (),
        Subset(tuple(RANKS.replace("J", ""))),
        "A play with a card of these ranks reverses the order until the clear, as a jack does "
        "(2: 2-back, T: 10-modoshi).",
        ("XV-two_back", "XV-ten_modoshi", "C-5"),
        "2バック",
        "ni bakku",
        later=True,
        by_rank=True,
    ),
    Option(
        "six_modoshi",
        False,
        SWITCH,
        "A play with a 6 ends a reversal by a jack, or another rank, before the clear.",
        ("XV-six_modoshi",),
        "6戻し",
        "roku-modoshi",
        later=True,
        needs=(REVERSED_TRICK, SIX_FREE),
        by_rank=True,
    ),
)
def back_ranks(wire: Wiring, o: Options) -> None:
    """Reversals for the trick by other ranks, and their end; a play reverses the trick once."""
    roles, ranks = o["joker_effects"], ranks_of_names(o["back_ranks"])
    first = (JACK,) if o["jack_back"] == "trick" else ()

    def has(meld: Meld, among: tuple[int, ...]) -> bool:
        return any(meld.count(rank, roles=roles) for rank in among)

    def ends(s: State, seat: int, meld: Meld) -> Iterable[OrderReversal]:
        if s.jack:
            yield OrderReversal("trick", "six_modoshi")

    if ranks:
        wire.on(
            Stage.JACK,
            lambda meld: has(meld, ranks) and not has(meld, first),
            lambda s, seat, meld: (OrderReversal("trick", "back_ranks"),),
        )
    if o["six_modoshi"]:
        reversing = (*first, *ranks)
        wire.on(Stage.JACK, lambda m: has(m, (SIX,)) and not has(m, reversing), ends)
