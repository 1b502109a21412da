"""Turn documents by hand, for trying a bot's decisions without any arena."""

from __future__ import annotations

from typing import Any

from arena.client import Turn, cards


def leading(held: str, **members: Any) -> Turn:
    """The lead, with these cards: any card, any set, any run may be played."""
    have = held.split()
    sets = [
        group[:size] for group in cards.by_rank(have).values() for size in range(2, len(group) + 1)
    ]
    melds = [[card] for card in dict.fromkeys(have)] + sets + cards.runs(have)
    return turn(held, [{"cards": meld} for meld in melds], pile=None, **members)


def following(pile: str, held: str, *plays: str, **members: Any) -> Turn:
    """An answer to what lies on the table: a pass or one of `plays`."""
    laid = pile.split()
    legal = [{"pass": True}, *({"cards": play.split()} for play in plays)]
    shape = {"cards": laid, "shape": "set", "size": len(laid), "rank": laid[0][1], "seat": 3}
    return turn(held, legal, pile=shape, **members)


def turn(held: str, legal: list[dict[str, Any]], **members: Any) -> Turn:
    others = members.pop("others", (9, 9, 9))
    document = {
        "turn": "cup-r01-t01-h001.7.0",
        "kind": "play",
        "session": "cup",
        "table": "cup-r01-t01",
        "hand": "cup-r01-t01-h001",
        "seat": 0,
        "remaining_ms": 10,
        "bank_ms": 0,
        "held": held.split(),
        "order": "normal",
        "pending_revolution": False,
        "lock": None,
        "must": None,
        "players": [{"seat": 0, "held": len(held.split())}]
        + [{"seat": seat, "held": number} for seat, number in enumerate(others, 1)],
        "events": [],
        "legal": legal,
        "legal_more": False,
    }
    return Turn({**document, **members})
