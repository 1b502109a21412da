"""Melds: which sets, sequences and other shapes there are, and how they compare."""

from __future__ import annotations

from typing import Any, Final

from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Whole, rule
from arena.rules.melds import EMPEROR
from arena.rules.needs import (
    RUNS_OF_THREE,
    SEQUENCES,
    TWOS,
    WILD,
    is_on,
    jokers,
    of_a_rank,
    wild_jokers,
)
from arena.rules.wiring import Wiring


def _largest(o: Options) -> Any:
    """The largest set that the pack allows; auto where it is all cards of a rank."""
    natural = of_a_rank(o)
    if o["max_set"] == "auto":
        return "auto"
    largest = min(o["max_set"], natural + wild_jokers(o))
    return "auto" if largest == natural else largest


PACK_HAS_IT: Final = Need(
    ("suits", "decks", "jokers", "joker_wild"),
    lambda o: o["max_set"] == of_a_rank(o) or _largest(o) != "auto",
    "wild jokers that join all real cards of a rank",
)
LONGER_MELDS: Final = Need(
    ("max_set", "sequences", "emperor"),
    lambda o: o["max_set"] != 1 or o["sequences"] or is_on(o["emperor"]),
    "melds of more than one card",
)
FOUR_SUITS: Final = Need(
    ("suits", "jokers", "joker_wild"),
    lambda o: len(o["suits"]) + wild_jokers(o) >= 4,
    "four suits, or jokers for those that are missing",
)


@rule(
    Option(
        "max_set",
        "auto",
        Whole(1, 12, auto=True),
        "The largest set; auto is one card of each suit for each pack, more lets jokers join them.",
        (
            "PG-24",
            "PG-25",
            "PG-26",
            "RU-13",
            "DX-08",
            "AM-34",
            "PG-02",
            "PG-22",
            "FO-09",
            "FO-10",
            "FO-11",
            "RU-12",
        ),
        also=("five of a kind",),
        needs=(PACK_HAS_IT,),
        same_as=_largest,
    ),
    Option(
        "joker_wild",
        True,
        SWITCH,
        "A joker may stand for any card in a set or sequence.",
        ("PG-31", "PG-32", "RU-15", "RU-16", "AM-39", "FO-14"),
        "ジョーカー",
        "jōkā",
        needs=(jokers(1), LONGER_MELDS),
    ),
    Option(
        "equal_plays",
        False,
        SWITCH,
        "An equal play may be laid on an equal one.",
        ("PG-23", "RU-18", "RU-19", "FO-08"),
        also=("同じ強さ",),
    ),
)
def sets(wire: Wiring, o: Options) -> None:
    """Sets and jokers."""
    most = len(o["suits"]) * o["decks"] if o["max_set"] == "auto" else o["max_set"]
    wire.shape(
        max_set=most,
        joker_wild=o["joker_wild"],
        equal=o["equal_plays"],
    )


@rule(
    Option(
        "sequences",
        True,
        SWITCH,
        "Three or more consecutive cards of one suit may be played together.",
        ("PG-27", "PG-69", "DX-08", "RU-14", "FO-12"),
        "階段",
        "kaidan",
        also=(
            "run",
            "straight",
        ),
    ),
    Option(
        "sequence_min",
        3,
        Choice((2, 3, 4)),
        "The fewest cards of a sequence.",
        ("PG-27", "RU-14", "XV-two_card_run"),
        "階段",
        "kaidan",
        needs=(SEQUENCES,),
    ),
    Option(
        "sequence_twos",
        True,
        SWITCH,
        "A 2 may stand in a sequence.",
        ("PG-29", "PG-71", "PG-72", "RU-36", "FO-13"),
        needs=(SEQUENCES,),
    ),
    Option(
        "sequence_wrap",
        "none",
        Choice(("none", "tunnel")),
        "With tunnel, A-2-3 is a sequence, one place below 3-4-5.",
        ("PG-30", "OR-09", "XV-tunnel", "FO-13", "OR-63"),
        "トンネル",
        "tonneru",
        needs=(SEQUENCES, TWOS, RUNS_OF_THREE),
    ),
    Option(
        "sequence_compare",
        "rank",
        Choice(("rank", "disjoint")),
        "Sequences compare by position, or every card has to be above the highest on the table.",
        ("PG-28", "AM-33", "XV-sequence_disjoint", "FO-13"),
        also=("階段の強さ",),
        needs=(SEQUENCES,),
    ),
    Option(
        "sequence_past_two",
        False,
        SWITCH,
        "A joker may stand above the 2: A-2-Joker is above K-A-2.",
        ("AM-32", "OR-10", "XV-past_two"),
        also=("A-2-ジョーカー",),
        needs=(SEQUENCES, TWOS, WILD),
    ),
    Option(
        "sequence_below_three",
        False,
        SWITCH,
        "A joker may stand below the 3: Joker-3-4 is below 3-4-5 (contest rules).",
        ("AM-32",),
        needs=(SEQUENCES, WILD),
    ),
)
def sequences(wire: Wiring, o: Options) -> None:
    """Sequences (階段, kaidan)."""
    wild = o["joker_wild"] and o["jokers"] > 0
    wire.shape(
        sequences=o["sequences"],
        sequence_min=o["sequence_min"],
        twos=o["sequence_twos"],
        tunnel=o["sequence_wrap"] == "tunnel",
        disjoint=o["sequence_compare"] == "disjoint",
        past_two=o["sequence_past_two"] and wild,
        below_three=o["sequence_below_three"] and wild,
    )


@rule(
    Option(
        "emperor",
        "off",
        Choice(("off", "form", "kakumei")),
        "Four consecutive ranks in four different suits are a play; with kakumei it reverses.",
        ("XV-emperor", "OR-20"),
        "エンペラー",
        "enperā",
        needs=(FOUR_SUITS,),
    ),
)
def emperor(wire: Wiring, o: Options) -> None:
    """The emperor."""
    if o["emperor"] != "off":
        wire.shape(emperor=True)
    if o["emperor"] == "kakumei":
        joker = o["kakumei_joker"]  # in every kind of revolution play (AM-05)
        wire.reverses("emperor", lambda meld: meld.kind is EMPEROR and (joker or not meld.jokers))
