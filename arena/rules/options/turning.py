"""Turn order: skips and reversals of direction."""

from __future__ import annotations

from collections.abc import Callable

from arena.rules.cards import FIVE, NINE, RANKS, ranks_of_names
from arena.rules.catalogue import SWITCH, Choice, Option, Options, Subset, rule
from arena.rules.melds import Meld
from arena.rules.needs import one_on
from arena.rules.state import State
from arena.rules.wiring import Again, DirectionReversal, OnPlay, Skip, Stage, Wiring


def _skips(number: Callable[[Meld], int], by: str) -> OnPlay:
    """The effect of skipping as many players as `number` says, by a rule's name."""
    return lambda s, seat, meld: (Skip(number(meld), by),)


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
        by_rank=True,
    ),
    Option(
        "skip_ranks",
        (),
        Subset(tuple(RANKS.replace("5", ""))),
        "Each card of these ranks skips a player, as a 5 does by go_tobi (K: 13-skip, T: 10-tobi).",
        ("XV-king_skip", "AM-60", "OR-24", "OR-25"),
        "13スキップ",
        "jūsan sukippu",
        later=True,
        by_rank=True,
    ),
)
def go_tobi(wire: Wiring, o: Options) -> None:
    """Fives and other ranks skip."""
    roles, ranks = o["joker_effects"], ranks_of_names(o["skip_ranks"])

    def fives(meld: Meld) -> int:
        return meld.count(FIVE, roles=roles)

    def others(meld: Meld) -> int:
        return sum(meld.count(rank, roles=roles) for rank in ranks)

    if o["go_tobi"] != "off":
        number = fives if o["go_tobi"] == "per_card" else lambda meld: 1
        wire.on(Stage.SKIP, lambda meld: fives(meld) > 0, _skips(number, "go_tobi"))
    if ranks:
        wire.on(Stage.SKIP, lambda meld: others(meld) > 0, _skips(others, "skip_ranks"))


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
        by_rank=True,
    ),
    Option(
        "reverse_ranks",
        (),
        Subset(tuple(RANKS.replace("9", ""))),
        "A play with a card of these ranks turns the direction as a 9 does; for the hand unless "
        "kyu_reverse says trick (Q: Q-reverse, K: K-reverse, 6: 6-reverse).",
        ("XV-other_reverse", "C-4"),
        "Qリバース",
        "kyū ribāsu",
        later=True,
        by_rank=True,
    ),
)
def kyu_reverse(wire: Wiring, o: Options) -> None:
    """Nines and other ranks turn the direction, once for a play."""
    value, roles = o["kyu_reverse"], o["joker_effects"]
    others = ranks_of_names(o["reverse_ranks"])

    def turns(ranks: tuple[int, ...], by: str) -> None:
        reversal = DirectionReversal(by, value == "trick")
        wire.on(
            Stage.DIRECTION,
            lambda meld: any(meld.count(rank, roles=roles) for rank in ranks),
            lambda s, seat, meld: (reversal,),
        )

    if others:
        turns(others, "reverse_ranks")
    if value != "off":
        turns((NINE,), "kyu_reverse")
        wire.playing(turn_back=value == "trick")


@rule(
    Option(
        "nine_quick",
        False,
        SWITCH,
        "Who plays a 9 has the next turn too, on his own play.",
        ("XV-nine_quick",),
        "9クイック",
        "kyū kuikku",
        later=True,
        by_rank=True,
    ),
)
def nine_quick(wire: Wiring, o: Options) -> None:
    """Nines play again."""
    roles = o["joker_effects"]
    if o["nine_quick"]:
        again = Again("nine_quick")
        wire.on(
            Stage.SKIP,
            lambda meld: meld.count(NINE, roles=roles) > 0,
            lambda s, seat, meld: (again,),
        )


def _matches(s: State, seat: int, meld: Meld) -> bool:
    """Is the play equal to the one that it lies on?"""
    pile = s.pile
    return pile is not None and (pile.low, pile.high) == (meld.low, meld.high)


@rule(
    Option(
        "equal_skips",
        False,
        SWITCH,
        "With equal_plays: an equal play skips the next player.",
        ("XV-equal_skip",),
        "同ランク重ね",
        "dō-ranku kasane",
        later=True,
        needs=(one_on("equal_plays", "joker_return"),),
    ),
)
def equal_skips(wire: Wiring, o: Options) -> None:
    """Equal plays skip."""

    def skip(s: State, seat: int, meld: Meld) -> tuple[Skip, ...]:
        return (Skip(1, "equal_skips"),) if _matches(s, seat, meld) else ()

    if o["equal_skips"]:
        wire.on(Stage.SKIP, lambda meld: True, skip)
