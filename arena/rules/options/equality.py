"""All are equal (四民平等, shimin byōdō): a hand after which there are neither rich nor poor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.rules.catalogue import SWITCH, Need, Option, Options, rule
from arena.rules.events import Marked
from arena.rules.melds import Meld
from arena.rules.needs import ANY_REVOLUTION, LATER_HANDS
from arena.rules.state import State
from arena.rules.wiring import Wiring

REVOLUTIONS: Final = "revolutions"
"""The mark that counts the revolutions of a hand."""
ENOUGH: Final = 4
COUNTERS: Final = Need(("kakumei_counter",), lambda o: o["kakumei_counter"], "kakumei_counter on")


@rule(
    Option(
        "shimin_byodo",
        False,
        SWITCH,
        "After a hand with four or more revolutions all are commoners: the next one begins without "
        "titles and exchange.",
        ("XV-shimin_byodo",),
        "四民平等",
        "shimin byōdō",
        also=("equality of all classes",),
        later=True,
        needs=(ANY_REVOLUTION, COUNTERS, LATER_HANDS),
    ),
)
def shimin_byodo(wire: Wiring, o: Options) -> None:
    """Four revolutions make all equal."""

    def count(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        number = s.hand_marks.get(REVOLUTIONS, 0) + 1
        yield Marked(REVOLUTIONS, number, "hand", "shimin_byodo")

    if o["shimin_byodo"]:
        wire.revolving(count)
        wire.between(equal=lambda s: s.hand_marks.get(REVOLUTIONS, 0) >= ENOUGH)
