"""Commands: what somebody asks the rules to do. Imperatives, plain values, no behaviour.

`Deal` comes from the table, `Expire` from the referee's clock, all others from a seat. Cards are
canonical masks (`arena.rules.cards`), ranks 0..12, seats 0..players-1 clockwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Lots(NamedTuple):
    """Everything about a hand that is left to chance apart from the deck; drawn before the deal.

    dealer, leader, start, idle: the seats in random order, for the decision of that name; throws:
    rounds of janken shapes (0 rock, 1 paper, 2 scissors), one for each seat.
    """

    dealer: tuple[int, ...] = ()
    leader: tuple[int, ...] = ()
    start: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()


class Deal(NamedTuple):
    """Deal a hand. deck: card ids, top first; places: the seats of the hand before, best to last,
    empty for the first hand of a sitting (or after a reset of the titles)."""

    deck: tuple[int, ...]
    dealer: int
    lots: Lots
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """Lay `cards`; `roles` are the ids the jokers stand for in card order, None if undeclared."""

    seat: int
    cards: int
    roles: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass."""

    seat: int


@dataclass(frozen=True, slots=True)
class Give:
    """Give cards: in the exchange, or for sevens."""

    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class Discard:
    """Throw cards away face down, for tens."""

    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class Name:
    """Name ranks whose cards everybody throws away, for queens."""

    seat: int
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for cards in the exchange: (rank, None) or (rank, suit); (13, None) is the joker."""

    seat: int
    wishes: tuple[tuple[int, int | None], ...]


@dataclass(frozen=True, slots=True)
class Throw:
    """Show a shape in janken: 0 rock, 1 paper, 2 scissors."""

    seat: int
    shape: int


@dataclass(frozen=True, slots=True)
class Accept:
    """Say whether an effect of one's play shall take place."""

    seat: int
    yes: bool


@dataclass(frozen=True, slots=True)
class Expire:
    """The referee answers for a seat; `cause` is an `arena.rules.events.Cause`."""

    seat: int
    cause: str


Answer = Play | Pass | Give | Discard | Name | Ask | Throw | Accept
Command = Deal | Answer | Expire
