"""Cards that leave a hand without being played: tens, sevens, queens."""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules.cards import QUEEN, SEVEN, TEN
from arena.rules.catalogue import SWITCH, Choice, Option, Options, rule
from arena.rules.events import Pending
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.wiring import Stage, Wiring


@rule(
    Option(
        "joker_effects",
        True,
        SWITCH,
        "A joker in the role of an 8, a jack, a ten and so on triggers that rank's rule.",
        ("AM-19",),
    ),
    Option(
        "ten_discard",
        "off",
        Choice(("off", "on_play", "on_clear")),
        "For each ten played a further card may be thrown away face down, at once or at the clear.",
        ("PG-96", "PG-97", "RU-46", "AM-29", "OR-33", "XV-ten_discard"),
        "10捨て",
        "jū-sute",
        also=(
            "10-discard",
            "ten discard",
        ),
    ),
    Option(
        "ten_discard_must",
        False,
        SWITCH,
        "The discard for tens is obligatory: exactly one card for each ten, cut to the cards left.",
        ("AM-29", "OR-46"),
    ),
)
def ten_discard(wire: Wiring, o: Options) -> None:
    """Tens throw cards away."""
    roles = o["joker_effects"]
    pick = "any" if o["ten_discard_must"] else "up_to"

    def tens(meld: Meld) -> int:
        return meld.count(TEN, roles=roles)

    def on_play(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        return (Pending(seat, "discard", "ten_discard", tens(meld), pick=pick),)

    def on_clear(s: State) -> Iterable[Pending]:
        for laid in s.trick:
            if tens(laid.meld) and s.active >> laid.seat & 1:
                yield Pending(laid.seat, "discard", "ten_discard", tens(laid.meld), pick=pick)

    if o["ten_discard"] == "on_play":
        wire.on(Stage.TENS, lambda meld: tens(meld) > 0, on_play)
    elif o["ten_discard"] == "on_clear":
        wire.clearing(on_clear)


@rule(
    Option(
        "nana_watashi",
        "off",
        Choice(("off", "may", "must")),
        "For each 7 played one card may (must) be given to the next player with cards.",
        ("XV-nana_watashi", "OR-46", "OR-47"),
        "7渡し",
        "nana-watashi",
        also=(
            "7-pass",
            "seven pass",
        ),
    ),
)
def nana_watashi(wire: Wiring, o: Options) -> None:
    """Sevens give cards away, in the direction before the play."""
    roles = o["joker_effects"]
    pick = "any" if o["nana_watashi"] == "must" else "up_to"

    def give(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        count = meld.count(SEVEN, roles=roles)
        return (Pending(seat, "give", "nana_watashi", count, _next_holder(s, seat), pick),)

    if o["nana_watashi"] != "off":
        wire.on(Stage.SEVENS, lambda meld: meld.count(SEVEN, roles=roles) > 0, give)


def _next_holder(s: State, seat: int) -> int:
    """The next seat that is still in the hand."""
    for distance in range(1, s.players):
        other = (seat + distance * s.direction) % s.players
        if s.active >> other & 1:
            return other
    return -1


@rule(
    Option(
        "q_bomber",
        "off",
        Choice(("off", "rank")),
        "For each queen a rank is named, and everybody throws away all cards of it, face up.",
        ("XV-q_bomber", "OR-37"),
        "12ボンバー",
        "jūni bonbā",
        also=(
            "Qボンバー",
            "Q-bomber",
            "queen bomber",
        ),
    ),
)
def q_bomber(wire: Wiring, o: Options) -> None:
    """Queens throw ranks away."""
    roles = o["joker_effects"]

    def bomb(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        return (Pending(seat, "name", "q_bomber", meld.count(QUEEN, roles=roles)),)

    if o["q_bomber"] == "rank":
        wire.on(Stage.QUEENS, lambda meld: meld.count(QUEEN, roles=roles) > 0, bomb)
