"""Observations: what a seat may know of a hand, as an array of small numbers.

Made from the view of the seat (`arena.rules.see`) and from the events as it may know them
(`arena.rules.redact`), never from the state itself. Every piece is kept as bytes, worked out when
what it says changes, so an observation is little more than one join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.envs.layout import MOST, PILE_KINDS, QUESTIONS, ObservationLayout
from arena.envs.planes import CELLS, double_plane, mask_of_roles, put, single_plane, take
from arena.rules import Ruleset, State, redact, see
from arena.rules.answers import EXCHANGE
from arena.rules.cards import canonical, mask_of
from arena.rules.events import (
    Cleared,
    Dealt,
    Discarded,
    Event,
    Fell,
    Gave,
    Played,
    Retitled,
    Swapped,
    Took,
)
from arena.rules.melds import Meld
from arena.rules.memo import Memo
from arena.rules.view import View

ONE_HOT = tuple(tuple(bytes(i == n for i in range(k)) for n in range(-1, k)) for k in range(9))
"""By length and number, from -1 for none: bytes with one 1."""
BITS = tuple(bytes(mask >> at & 1 for at in range(13)) for mask in range(1 << 13))
"""Thirteen flags for each mask of ranks."""
IN_FORCE = slice(View._fields.index("order_reversed"), View._fields.index("rank_limit") + 1)
"""The members of a view that say what is in force."""


class AnswerProgress(NamedTuple):
    """What an observation says besides the hand itself. plane: of the cards chosen of an answer;
    numbers: the last of the observation."""

    plane: bytes
    numbers: bytes


def answer_progress(
    plane: bytes, *, ranks: int, parts: int, hand: int, left: int
) -> AnswerProgress:
    """ranks, parts: of what is chosen of an answer; hand: its number; left: how many follow."""
    numbers = bytes((min(parts, MOST), min(hand, MOST), min(left, MOST)))
    return AnswerProgress(plane, BITS[ranks] + numbers)


class HandObserver:
    """What has been seen of one hand, by everybody and by each seat.

    seen: laid or thrown away face up and not taken up again; by seat: laid, hidden (thrown away
    face down, which only the seat itself knows); known: by who knows and by who holds. A list of
    planes by seat is there twice, one after the other, so that what a seat sees is a slice of it.
    plane: from a mask to its plane.
    """

    def __init__(self, rules: Ruleset, layout: ObservationLayout) -> None:
        self._rules = rules
        self._layout = layout
        players = self._players = rules.players
        self._seats = range(players)
        self._deck = canonical(mask_of(rules.deck))
        self.plane = double_plane if rules.deal.decks == 2 else single_plane
        self._turns = [[_turned(flags, seat) for flags in ONE_HOT[players]] for seat in self._seats]
        self._meld_plane = Memo(self._meld_plane_of)
        self._pile_planes = Memo(self._pile_planes_of)
        self._pile_numbers = Memo(_pile_numbers)
        self._questions = Memo(self._question_numbers)
        self._not_asked, self._asked_to_move = (
            self._question_numbers((kind, "", 0, 0, 0)) for kind in ("", "move")
        )
        self._in_force: Memo[Any, bytes] = Memo(_in_force)
        self._nothing = bytes(CELLS)
        self._unplaced = (None,) * players
        self._no_places = bytes(players)
        self.new_hand()

    def new_hand(self) -> None:
        """Forget everything: a hand begins."""
        players, nothing = self._players, self._nothing
        self.seen = self.thrown = 0
        self.laid = [0] * players
        self.hidden = [0] * players
        self.known = [[0] * players for _ in self._seats]
        self._laid = [nothing] * (2 * players)
        self._last = [nothing] * (2 * players)
        self._known = [nothing * (players - 1)] * players
        self._thrown = [nothing * 2] * players
        self._titles = [bytes(2 * players)] * players
        self._dealer = -1
        self._knows = False

    def follow(self, events: Iterable[Event]) -> None:
        """Take in what has happened."""
        for event in events:
            fold = FOLD.get(type(event))
            if fold is not None:
                fold(self, event)

    def observe(self, state: State, seat: int, progress: AnswerProgress) -> NDArray[np.int8]:
        """The observation of a seat: a new array of `layout.size` numbers."""
        view = see(self._rules, state, seat)
        players, plane, turns = self._players, self.plane, self._turns[seat]
        beyond = seat + players
        held, pile = view.held, view.pile
        unseen = take(take(self._deck, held), self.seen)
        if self.hidden[seat]:
            unseen = take(unseen, self.hidden[seat])
        counts, passed, places = view.counts, view.passed, view.places
        parts = (
            plane(held),
            plane(unseen),
            self._pile_planes[pile],
            self._thrown[seat],
            progress.plane,
            *self._laid[seat:beyond],
            *self._last[seat:beyond],
            self._known[seat],
            bytes(counts[seat:] + counts[:seat]),
            bytes(passed[seat:] + passed[:seat]),
            self._no_places if places == self._unplaced else _ranked(places, seat),
            self._titles[seat],
            turns[view.owner + 1],
            turns[view.to_move + 1],
            self._in_force[view[IN_FORCE]],
            self._pile_numbers[pile],
            self._asked(view, seat),
            progress.numbers,
        )
        return np.frombuffer(bytearray().join(parts), np.int8)

    def _meld_plane_of(self, meld: Meld) -> bytes:
        """The cards of a meld."""
        return self.plane(meld.cards)

    def _pile_planes_of(self, pile: Meld | None) -> bytes:
        """The cards of a pile, and what its jokers stand for."""
        if pile is None:
            return self._nothing * 2
        roles = mask_of_roles(pile.roles, packs=self._rules.deal.decks)
        return self.plane(pile.cards) + self.plane(roles)

    def _asked(self, view: View, seat: int) -> bytes:
        """The numbers of what the seat is asked."""
        question = view.question
        if question is None:
            return self._asked_to_move if view.to_move == seat else self._not_asked
        to = (question.to - seat) % self._players + 1 if question.to >= 0 else 0
        kind, rule = question.kind, question.rule
        return self._questions[kind, rule, question.least, question.most, to]

    def _question_numbers(self, about: tuple[str, str, int, int, int]) -> bytes:
        """The same, worked out once. to: the seat as the one that is asked sees it, from 1."""
        kind, rule, least, most, to = about
        choices = self._layout.choices
        at = choices.index(rule) if kind == "accept" else -1
        return b"".join(
            (
                ONE_HOT[len(QUESTIONS)][QUESTIONS.index(kind) + 1 if kind else 0],
                bytes((rule == EXCHANGE, min(least, MOST), min(most, MOST))),
                ONE_HOT[self._players][to],
                bytes(number == at for number in range(len(choices))),
            )
        )

    def _dealt(self, e: Dealt) -> None:
        self._dealer = e.dealer
        self._title(e.places)

    def _retitled(self, e: Retitled) -> None:
        self._title(e.places)

    def _title(self, places: tuple[int, ...]) -> None:
        """Places of the hand before, by seat, and the dealer."""
        before = bytes(places.index(s) + 1 if places else 0 for s in self._seats)
        dealer = self._dealer + 1
        self._titles = [_turned(before, s) + self._turns[s][dealer] for s in self._seats]

    def _played(self, e: Played) -> None:
        seat, meld = e.seat, e.meld
        beyond = seat + self._players
        laid = self.laid[seat] = put(self.laid[seat], meld.cards)
        self._laid[seat] = self._laid[beyond] = self.plane(laid)
        self._last[seat] = self._last[beyond] = self._meld_plane[meld]
        self.seen = put(self.seen, meld.cards)
        if self._knows:
            self._gone_from(seat, meld.cards)

    def _gone_from(self, seat: int, cards: int) -> None:
        """Everybody has seen that a seat holds some cards no more."""
        for known in self.known:
            known[seat] = take(known[seat], cards)
        self._write_known()

    def _write_known(self) -> None:
        """The planes of what each seat knows others to hold."""
        for seat, known in enumerate(self.known):
            others = known[seat + 1 :] + known[:seat]
            self._known[seat] = b"".join(map(self.plane, others))

    def _cleared(self, e: Cleared) -> None:
        self._last = [self._nothing] * (2 * self._players)

    def _discarded(self, e: Discarded) -> None:
        if e.shown:
            self.thrown = put(self.thrown, e.cards)
            self.seen = put(self.seen, e.cards)
            self._gone_from(e.seat, e.cards)
        for seat in () if e.shown else self._seats:
            own = redact(e, seat)
            assert isinstance(own, Discarded)
            if seat == e.seat:
                self.hidden[seat] = put(self.hidden[seat], own.cards)
            self.known[seat][e.seat] = 0
        self._write_known()
        shown = self.plane(self.thrown)
        self._thrown = [shown + self.plane(self.hidden[seat]) for seat in self._seats]

    def _gave(self, e: Gave) -> None:
        self._knows = True
        for seat in self._seats:
            own = redact(e, seat)
            assert isinstance(own, Gave)
            known = self.known[seat]
            if seat == e.seat:
                known[e.to] = put(known[e.to], own.cards)
            elif seat == e.to:
                known[e.seat] = take(known[e.seat], own.cards)
            else:
                known[e.seat] = 0
        self._write_known()

    def _swapped(self, e: Swapped) -> None:
        self._knows = True
        for seat in self._seats:
            own = redact(e, seat)
            assert isinstance(own, Swapped)
            known = self.known[seat]
            if seat == e.seat:
                known[e.to] = canonical(own.cards)
            elif seat == e.to:
                known[e.seat] = canonical(own.other)
            else:
                known[e.seat], known[e.to] = known[e.to], known[e.seat]
        self._write_known()

    def _took(self, e: Took) -> None:
        self._knows = True
        self.seen = take(self.seen, e.cards)
        for seat in self._seats:
            if seat != e.seat:
                self.known[seat][e.seat] = put(self.known[seat][e.seat], e.cards)
        self._write_known()

    def _fell(self, e: Fell) -> None:
        if not e.stays:
            for known in self.known:
                known[e.seat] = 0
            self._write_known()


def _turned(by_seat: bytes, seat: int) -> bytes:
    """A row by seat as one seat sees it, itself first."""
    return by_seat[seat:] + by_seat[:seat]


def _ranked(places: tuple[int | None, ...], seat: int) -> bytes:
    """Places as one seat sees them, 0 for none."""
    return bytes([place or 0 for place in places[seat:] + places[:seat]])


def _in_force(about: tuple[bool, bool, int, int, bool, int, int]) -> bytes:
    """The numbers of what is in force, from those members of a view."""
    order_reversed, pending, direction, suits, number_lock, colour, ranks = about
    return b"".join(
        (
            bytes((order_reversed, pending, direction > 0, number_lock)),
            bytes((suits & 15, suits >> 4 & 15, suits >> 8 & 15, suits >> 12 & 15)),
            ONE_HOT[2][colour],
            BITS[ranks],
        )
    )


def _pile_numbers(pile: Meld | None) -> bytes:
    """Kind, size and places of the pile."""
    if pile is None:
        return bytes(len(PILE_KINDS) + 3)
    kind = ONE_HOT[len(PILE_KINDS)][PILE_KINDS.index(pile.kind.value) + 1]
    return kind + bytes((pile.size, pile.low + 1, pile.high + 1))


FOLD: dict[type, Callable[[HandObserver, Any], None]] = {
    Dealt: HandObserver._dealt,
    Retitled: HandObserver._retitled,
    Played: HandObserver._played,
    Cleared: HandObserver._cleared,
    Discarded: HandObserver._discarded,
    Gave: HandObserver._gave,
    Swapped: HandObserver._swapped,
    Took: HandObserver._took,
    Fell: HandObserver._fell,
}
"""What each event adds to what is seen; the others are in the view already."""
