"""A hand at one moment as values for a template: the seats round the table, the pile, what is in
force. Words come from the narration; nothing here knows a rule, a request or HTML."""

from __future__ import annotations

from typing import NamedTuple

from arena.narration.language import Language, Speaker
from arena.narration.sentences import Perspective
from arena.rules import Ruleset, State, see
from arena.rules.cards import JOKER, codes
from arena.rules.view import View

PIPS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
AREAS = {
    2: ("s", "n"),
    3: ("s", "w", "e"),
    4: ("s", "w", "n", "e"),
    5: ("s", "w", "nw", "ne", "e"),
    6: ("s", "w", "nw", "n", "ne", "e"),
    7: ("s", "sw", "w", "nw", "ne", "e", "se"),
    8: ("s", "sw", "w", "nw", "n", "ne", "e", "se"),
}
"""Where seats are drawn, clockwise as they play, from the one that is drawn nearest."""


class CardFace(NamedTuple):
    """A card as it is drawn, and its words for who cannot see it."""

    suit: str
    rank: str
    pip: str
    words: str


class SeatBox(NamedTuple):
    """What is drawn of a seat. area: where; place: once it is out; cards: those that the reader
    knows, which may be none; size: how many there are."""

    seat: int
    area: str
    name: str
    title: str
    size: int
    place: int | None
    passed: bool
    to_move: bool
    cards: tuple[CardFace, ...]


class Board(NamedTuple):
    """A hand at one moment. pile: the cards to beat; owner: who played them, "" on an empty table;
    in_force: what holds besides the usual."""

    seats: tuple[SeatBox, ...]
    pile: tuple[CardFace, ...]
    owner: str
    in_force: tuple[str, ...]


def board(
    words: Language, speaker: Speaker, rules: Ruleset, state: State, *, reader: Perspective
) -> Board:
    """The board as the reader may see it, whose seat, or the first, is drawn nearest."""
    view = see(rules, state, reader.seat)
    hands = reader.hands(state)
    areas, near = AREAS[len(hands)], reader.seat or 0
    seats = (
        _seat(words, speaker, view, seat, held=hands[seat], area=area)
        for area, seat in ((area, (near + place) % len(hands)) for place, area in enumerate(areas))
    )
    pile = view.pile
    return Board(
        tuple(seats),
        () if pile is None else faces(words, pile.codes),
        "" if pile is None else speaker.names[view.owner],
        tuple(words.in_force(view)),
    )


def faces(words: Language, names: tuple[str, ...]) -> tuple[CardFace, ...]:
    """Some cards by their names."""
    return tuple(_face(words, name) for name in names)


def _face(words: Language, name: str) -> CardFace:
    if name == JOKER:
        return CardFace("J", "★", "", words.card(name))
    return CardFace(name[0], name[1].replace("T", "10"), PIPS[name[0]], words.card(name))


def _seat(
    words: Language, speaker: Speaker, view: View, seat: int, *, held: int, area: str
) -> SeatBox:
    return SeatBox(
        seat,
        area,
        speaker.names[seat],
        words.title(view.titles[seat]),
        view.counts[seat],
        view.places[seat],
        view.passed[seat],
        view.to_move == seat,
        faces(words, codes(held)),
    )
