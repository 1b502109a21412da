"""Who leads the first hand and later ones: janken, lot, a place, or the holder of a card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from arena.errors import Reason
from arena.rules.cards import COPY, FIRST_JOKER, IDS, JOKERS
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Pattern, rule
from arena.rules.events import Marked
from arena.rules.melds import Meld
from arena.rules.needs import LATER_HANDS
from arena.rules.state import State
from arena.rules.wiring import JANKEN, Bar, Stage, Wiring

HOLDER: Final = r"holder:(?:[SHDC][3-9TJQKA2]|JK)"


def _holder(card: int) -> Callable[[State, int], int]:
    """The holder of a card; by lot where nobody or more than one holds it (OR-52)."""

    copies = JOKERS if card == FIRST_JOKER else 1 << card | 1 << card + COPY

    def choose(s: State, step: int) -> int:
        holders = [p for p, held in enumerate(s.held) if held & copies]
        among = holders or range(s.players)
        return next(seat for seat in s.setup.lots.leader if seat in among)

    return choose


def _leader(value: str) -> Callable[[State, int], int]:
    """The function that finds the leader for a value of `first_lead` or `next_lead`."""
    if value.startswith("holder:"):
        return _holder(IDS[value.removeprefix("holder:")])
    ways: dict[str, Callable[[State, int], int]] = {
        "janken": lambda s, step: JANKEN,
        "lot": lambda s, step: s.setup.lots.leader[0],
        "dealer_left": lambda s, step: (s.setup.dealer + step) % s.players,
        "loser": lambda s, step: s.setup.before[-1],
        "winner": lambda s, step: s.setup.before[0],
    }
    return ways[value]


def _shown(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
    """The card has been shown with the first play: the mark goes."""
    if s.hand_marks.get("must_show"):
        yield Marked("must_show", 0, "hand", "first_lead_show")


def _hides(s: State, seat: int, meld: Meld) -> bool:
    """Is a card owed in the first play that this meld does not hold?"""
    card = s.hand_marks.get("must_show", 0)
    return bool(card) and not meld.cards >> (card - 1) & 1


def _in_the_pack(name: str) -> Need:
    """Who holds a card can lead only where there is such a card."""

    def holds(o: Options) -> bool:
        kind, _, card = o[name].partition(":")
        return kind != "holder" or (o["jokers"] > 0 if card == "JK" else card[0] in o["suits"])

    return Need(("suits", "jokers"), holds, "a card of the pack")


@rule(
    Option(
        "first_lead",
        "janken",
        Pattern(("janken", "lot", "dealer_left"), HOLDER, "holder:<card>"),
        "Who leads the first hand of a sitting.",
        ("PG-15", "PG-16", "DX-07", "RU-10", "OR-52", "XV-start_card", "FO-05"),
        also=(
            "ダイヤの3スタート",
            "start card",
        ),
        needs=(_in_the_pack("first_lead"),),
    ),
    Option(
        "first_lead_show",
        False,
        SWITCH,
        "With holder:<card>, the first play of the sitting must contain that card.",
        ("PG-20", "OR-38", "FO-07", "RU-11", "OR-66"),
        needs=(
            Need(
                ("first_lead",),
                lambda o: o["first_lead"].startswith("holder:"),
                "first_lead holder:<card>",
            ),
        ),
    ),
    Option(
        "next_lead",
        "loser",
        Pattern(("loser", "winner", "lot", "dealer_left"), HOLDER, "holder:<card>"),
        "Who leads later hands.",
        ("PG-52", "PG-100", "DX-19", "RU-10", "AM-69", "FO-32"),
        needs=(_in_the_pack("next_lead"), LATER_HANDS),
    ),
    Option(
        "janken_mode",
        "simulated",
        Choice(("simulated", "interactive")),
        "Janken is a seeded draw with the same odds, or the players throw themselves.",
        ("PG-16", "PG-17", "PG-18", "PG-19", "FO-06"),
        "じゃんけん",
        "janken",
        needs=(Need(("first_lead",), lambda o: o["first_lead"] == "janken", "first_lead janken"),),
    ),
)
def leading(wire: Wiring, o: Options) -> None:
    """Who leads, and with what."""
    first = o["first_lead"]
    wire.dealing(
        first_lead=_leader(first),
        next_lead=_leader(o["next_lead"]),
        interactive_janken=o["janken_mode"] == "interactive",
    )
    if o["first_lead_show"] and first.startswith("holder:"):
        wire.dealing(must_show=IDS[first.removeprefix("holder:")])
        detail = f"the first play must contain {first.removeprefix('holder:')}"
        wire.bar(Bar(Reason.MUST_SHOW, "first_lead_show", detail, _hides, lambda p: p is None))
        wire.on(Stage.LOCK, lambda meld: True, _shown)
