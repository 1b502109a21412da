"""Single values on the wire: cards, ranks, melds, wishes, lots. Reading refuses what is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from arena.documents import Document
from arena.errors import BadInput
from arena.rules.cards import (
    CODES,
    COPY,
    FIRST_JOKER,
    IDS,
    JOKER,
    JOKER_RANK,
    ORDER,
    RANKS,
    codes,
    parse,
)
from arena.rules.commands import Lots
from arena.rules.melds import Kind, Meld, meld
from arena.rules.memo import Memo

SHAPES: Final = ("rock", "paper", "scissors")
COLOURS: Final = ("", "black", "red")
SUITS: Final = "SHDC"


def read_integer(value: object) -> int:
    """A whole number. Raises TypeError for anything else, true and false included."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value


def read_text(value: object) -> str:
    """A text. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def read_truth(value: object) -> bool:
    """True or false. Raises TypeError for anything else."""
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def write_cards(mask: int) -> list[str]:
    """A mask as names in card order."""
    return list(codes(mask))


def read_cards(value: object, thing: str = "cards") -> int:
    """The canonical mask of a list of names."""
    if not isinstance(value, list | tuple):
        raise BadInput(thing, value, "a list of cards such as S3, HT or JK")
    return parse(value)


def write_ids(cards: Iterable[int]) -> list[str]:
    """Card ids as names, in the order given."""
    return [CODES[card] for card in cards]


def read_deck(names: Sequence[object]) -> tuple[int, ...]:
    """A deck from names: the first time a name comes it is the first copy, then the next."""
    next_copy: dict[str, int] = {}
    deck = []
    for each in names:
        parse([each])
        name = str(each)  # it is one, or `parse` had refused it
        card = next_copy.get(name, IDS[name])
        next_copy[name] = card + (1 if name == JOKER else COPY)
        deck.append(card)
    return tuple(deck)


def read_roles(value: object) -> tuple[int, ...]:
    """What jokers stand for, as ids in card order."""
    if not isinstance(value, list | tuple):
        raise BadInput("as", value, "a list of the cards that the jokers stand for")
    for name in value:
        if not isinstance(name, str) or name not in IDS:
            raise BadInput("as", name, "a card such as S3, HT or JK")
    return tuple(sorted((IDS[name] for name in value), key=ORDER.__getitem__))


def write_rank(rank: int) -> str:
    """A rank's letter; JK for jokers."""
    return JOKER if rank == JOKER_RANK else RANKS[rank]


def read_rank(value: object) -> int:
    """A rank from its letter."""
    if not isinstance(value, str) or len(value) != 1 or value not in RANKS:
        raise BadInput("rank", value, "one of 3 4 5 6 7 8 9 T J Q K A 2")
    return RANKS.index(value)


def write_wish(wish: tuple[int, int | None]) -> str:
    """A card asked for: a rank, a card, or JK."""
    rank, suit = wish
    if rank == JOKER_RANK:
        return JOKER
    return RANKS[rank] if suit is None else SUITS[suit] + RANKS[rank]


def read_wish(value: object) -> tuple[int, int | None]:
    """A wish from a rank, a card, or JK."""
    if value == JOKER:
        return (JOKER_RANK, None)
    if isinstance(value, str) and value in IDS and IDS[value] < FIRST_JOKER:
        return (IDS[value] // 4, IDS[value] % 4)
    if isinstance(value, str) and len(value) == 1 and value in RANKS:
        return (RANKS.index(value), None)
    raise BadInput("ask", value, "a rank such as 2, a card such as HA, or JK")


def write_suits(counts: int) -> Document | None:
    """A multiset of suits as suit → number; None for none."""
    if not counts:
        return None
    return {s: counts >> 4 * i & 15 for i, s in enumerate(SUITS) if counts >> 4 * i & 15}


def write_meld(m: Meld) -> Document:
    """A meld. rank: of its highest card in the normal order; low: place of its lowest."""
    return {
        "cards": list(m.codes),
        "as": write_ids(m.roles),
        "shape": m.shape,
        "size": m.size,
        "rank": write_rank(m.high),
        "low": m.low,
    }


MELDS: Final[Memo[Meld, Document]] = Memo(write_meld)
"""Each meld, written once and shared: only to be read."""


def read_meld(data: Document) -> Meld:
    """A meld written by `write_meld`."""
    kind = Kind.SET if data["shape"] == "single" else Kind(data["shape"])
    return meld(kind, parse(data["cards"]), read_roles(data["as"]), read_integer(data["low"]))


def write_lots(lots: Lots | None) -> Document | None:
    """Lots by name."""
    if lots is None:
        return None
    return {
        "dealer": list(lots.dealer),
        "leader": list(lots.leader),
        "start": list(lots.start),
        "idle": list(lots.idle),
        "throws": list(map(list, lots.throws)),
    }


def read_lots(data: Document | None) -> Lots | None:
    """Lots written by `write_lots`."""
    if data is None:
        return None
    return Lots(
        dealer=tuple(data["dealer"]),
        leader=tuple(data["leader"]),
        start=tuple(data["start"]),
        idle=tuple(data["idle"]),
        throws=tuple(tuple(r) for r in data["throws"]),
    )
