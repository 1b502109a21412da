"""Turn order: skips and reversals of direction."""

from __future__ import annotations

from arena.rules.cards import FIVE, NINE
from arena.rules.catalogue import Choice, Option, Options, rule
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.wiring import DirectionReversal, Skip, Stage, Wiring


@rule(
    Option(
        "go_tobi",
        "off",
        Choice(("off", "one", "per_card")),
        "A 5 skips the next player, once for a play or once for each 5; a skip counts as a pass.",
        ("XV-go_tobi", "AM-60", "OR-24", "OR-25"),
        "5飛び",
        "go-tobi",
        also=(
            "5スキップ",
            "5-skip",
            "five skip",
        ),
    ),
)
def go_tobi(wire: Wiring, o: Options) -> None:
    """Fives skip."""
    roles = o["joker_effects"]

    def skip(s: State, seat: int, meld: Meld) -> tuple[Skip]:
        count = meld.count(FIVE, roles=roles) if o["go_tobi"] == "per_card" else 1
        return (Skip(count, "go_tobi"),)

    if o["go_tobi"] != "off":
        wire.on(Stage.SKIP, lambda meld: meld.count(FIVE, roles=roles) > 0, skip)


@rule(
    Option(
        "kyu_reverse",
        "off",
        Choice(("off", "trick", "hand")),
        "A play with a 9 turns the direction, until the clear or for the hand.",
        ("XV-kyu_reverse", "C-4", "OR-51"),
        "9リバース",
        "kyū ribāsu",
        also=(
            "9-reverse",
            "nine reverse",
        ),
    ),
)
def kyu_reverse(wire: Wiring, o: Options) -> None:
    """Nines turn the direction, once for a play."""
    value, roles = o["kyu_reverse"], o["joker_effects"]
    if value != "off":
        reversal = DirectionReversal("kyu_reverse", value == "trick")
        wire.on(
            Stage.DIRECTION,
            lambda meld: meld.count(NINE, roles=roles) > 0,
            lambda s, seat, meld: (reversal,),
        )
        wire.playing(turn_back=value == "trick")
