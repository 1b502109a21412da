"""A hand at one moment as values for a template and for the viewer's script: the seats round the
table, the pile, what is in force. Words come from the narration; nothing here knows a rule, a
request or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from arena.narration.language import Language, Speaker
from arena.narration.sentences import Perspective
from arena.rules import Ruleset, State, see
from arena.rules.cards import CODES, JOKER, codes
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
FIXED = ("seat", "area", "name")
"""What of a seat stays the same in a hand."""


class CardFace(NamedTuple):
    """A card as it is drawn, and its words for who cannot see it."""

    suit: str
    rank: str
    pip: str
    words: str


class SeatBox(NamedTuple):
    """What is drawn of a seat. area: where; place: once it is out; cards: the names of those that
    the reader knows, which may be none; size: how many there are; last: did it play the pile?"""

    seat: int
    area: str
    name: str
    title: str
    size: int
    place: int | None
    passed: bool
    to_move: bool
    last: bool
    cards: tuple[str, ...]


class Board(NamedTuple):
    """A hand at one moment. pile: the cards to beat, by name; under: those that they beat; owner:
    who played them, "" on an empty table; in_force: what holds besides the usual."""

    seats: tuple[SeatBox, ...]
    pile: tuple[str, ...]
    under: tuple[str, ...]
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
    plays = [play.meld.codes for play in state.trick[-2:]]
    return Board(
        tuple(seats),
        plays[-1] if plays else (),
        plays[0] if len(plays) > 1 else (),
        speaker.names[view.owner] if plays else "",
        tuple(words.in_force(view)),
    )


def changes(now: Board, before: Board | None) -> dict[str, Any]:
    """A board as JSON: what is other than in the board before, and everything without one."""
    document = _changed(now, before, ("seats",))
    for index, box in enumerate(now.seats):
        changed = _changed(box, None if before is None else before.seats[index], FIXED)
        if changed:
            document.setdefault("seats", []).append({"seat": box.seat, **changed})
    return document


def _changed(now: Any, before: Any, without: Iterable[str]) -> dict[str, Any]:
    old = {} if before is None else before._asdict()
    return {
        name: value
        for name, value in now._asdict().items()
        if name not in without and (name not in old or old[name] != value)
    }


def faces(words: Language, rules: Ruleset) -> Mapping[str, CardFace]:
    """How the cards of a deck are drawn, by their names."""
    return {name: _face(words, name) for name in sorted({CODES[card] for card in rules.deck})}


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
        view.owner == seat,
        codes(held),
    )
