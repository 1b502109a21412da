"""Cards, seats and dealing: what is dealt, to whom, by whom."""

from __future__ import annotations

from typing import Final

from arena.rules.catalogue import Choice, Need, Numbers, Option, Options, Subset, Whole, rule
from arena.rules.commands import Deal
from arena.rules.wiring import Wiring


def _left_of_dealer(deal: Deal, players: int, step: int) -> int:
    return (deal.dealer + step) % players


def _dealer(deal: Deal, players: int, step: int) -> int:
    return deal.dealer


def _first_place(deal: Deal, players: int, step: int) -> int:
    return deal.places[0] if deal.places else deal.lots.start[0]


def _random(deal: Deal, players: int, step: int) -> int:
    return deal.lots.start[0]


ENOUGH: Final = Need(
    ("suits", "decks", "jokers", "players"),
    lambda o: 13 * len(o["suits"]) * o["decks"] + o["jokers"] - o["blind_cards"] >= o["players"],
    "at least one card for each player",
    "somebody has nothing to play",
)
STARTS: Final = {
    "left_of_dealer": _left_of_dealer,
    "dealer": _dealer,
    "first_place": _first_place,
    "random": _random,
}


@rule(
    Option(
        "players",
        4,
        Whole(2, 8),
        "How many players sit at the table.",
        ("PG-04", "PG-53", "DX-01", "RU-03", "FO-03", "FO-33"),
    ),
    Option(
        "players_range",
        (3, 6),
        Numbers(2, 8, length=2, fixed=True),
        "The numbers of players a lobby offers for the preset; it does not change play.",
        ("PG-04", "PG-53", "RU-03", "RU-33"),
    ),
    Option(
        "decks",
        1,
        Choice((1, 2)),
        "How many packs of 52 cards are shuffled together.",
        ("PG-05", "PG-54", "RU-01", "RU-33", "AM-40", "FO-03", "FO-33"),
    ),
    Option(
        "jokers",
        1,
        Whole(0, 4),
        "How many jokers there are in all.",
        ("PG-06", "PG-67", "PG-68", "PG-69", "DX-03", "RU-02", "RU-35", "AM-38", "FO-03"),
        "ジョーカー",
        "jōkā",
    ),
    Option(
        "suits",
        ("S", "H", "D", "C"),
        Subset(("S", "H", "D", "C"), least=1),
        "Which suits there are; the federation's game for three has no clubs.",
        ("XV-league3",),
        later=True,
    ),
    Option(
        "direction",
        "cw",
        Choice(("cw", "ccw")),
        'Cards and turns go clockwise or counter-clockwise; "left" is the next in this direction.',
        ("PG-08", "PG-09", "OR-60", "FO-04"),
        same_as=lambda o: o["direction"] if o["players"] > 2 else "cw",
    ),
    Option(
        "blind_cards",
        0,
        Whole(0, 20),
        "How many natural cards are taken out unseen before the deal.",
        ("PG-12", "DX-05", "RU-09", "XV-blind", "FO-04"),
        "ブラインドカード",
        "buraindo kādo",
        needs=(ENOUGH,),
    ),
    Option(
        "deal_start",
        "left_of_dealer",
        Choice(tuple(STARTS)),
        "Who gets the first card, and so the extra cards where they do not divide evenly.",
        ("PG-13", "PG-14", "AM-59", "FO-04"),
    ),
)
def dealing(wire: Wiring, o: Options) -> None:
    """The pack and how it is dealt."""
    wire.dealing(
        players=o["players"],
        decks=o["decks"],
        jokers=o["jokers"],
        suits="".join(o["suits"]),
        blind=o["blind_cards"],
        start=STARTS[o["deal_start"]],
    )
    wire.playing(direction=1 if o["direction"] == "cw" else -1)
    wire.shape(decks=o["decks"])


@rule(
    Option(
        "first_dealer",
        "random",
        Choice(("random", "host")),
        "Who deals the first hand: drawn by lot, or the player named first.",
        ("PG-10", "DX-04", "RU-06", "FO-04"),
    ),
    Option(
        "next_dealer",
        "loser",
        Choice(("loser", "rotate")),
        "Who deals later hands: the loser of the hand before, or the next one round the table.",
        ("PG-11", "DX-13", "DX-14", "RU-08", "FO-04"),
    ),
    Option(
        "reset_every",
        0,
        Whole(0, 1000),
        "Every n-th hand begins without titles and exchange (1, n+1, 2n+1 ...); 0 means never.",
        ("XV-match",),
    ),
)
def dealers(wire: Wiring, o: Options) -> None:
    """Who deals."""
    wire.between(
        first_dealer=o["first_dealer"],
        next_dealer=o["next_dealer"],
        reset_every=o["reset_every"],
    )
