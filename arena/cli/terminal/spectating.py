"""A hand folded from what a spectator is sent, in which hidden cards are missing.

A seat holds blanks, bits beyond all cards, as many as it has cards, and a card only for as long as
it is being shown. So counts are true, and sentences and views are those that the arena itself would
make for a spectator. It knows no rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from arena.rules import EMPTY, Ruleset, State, evolve
from arena.rules import events as e
from arena.rules.cards import COPY, FIRST_JOKER, JOKERS, ids

FIRST_BLANK = 128
"""No card has this id or a higher one."""


def _blanks(count: int) -> int:
    return ((1 << count) - 1) << FIRST_BLANK


class Spectator:
    """Folds the events of one hand. open: were all cards shown with the deal?"""

    def __init__(self, rules: Ruleset) -> None:
        self._deck = len(rules.deck)
        self.open = False
        self.state = EMPTY

    def take(self, event: e.Event) -> tuple[State, e.Event]:
        """Fold an event; the state before it and the event as they are to be told: with cards in
        the hand that shows them, and blanks in place of what was left out of the deal."""
        if isinstance(event, e.Dealt):
            self.open = any(event.hands)
            if not self.open:
                event = replace(event, blind=_blanks(self._deck - sum(event.counts)))
        before = self.state if self.open else _showing(self.state, event)
        state = evolve(before, (event,))
        if not self.open:
            state = state.changed(held=tuple(map(_blanks, _counts_after(self.state, event))))
        self.state = state
        return before, event


def _showing(state: State, event: e.Event) -> State:
    """The state in which a seat holds the cards that an event shows."""
    match event:
        case e.Played(seat=seat, meld=meld):
            cards = meld.cards
        case e.Discarded(seat=seat, cards=cards):
            pass
        case _:
            return state
    held = list(state.held)
    others = held[seat].bit_count() - cards.bit_count()
    held[seat] = _blanks(others) | _copies_of(cards, free=~(state.table | state.gone))
    return state.changed(held=tuple(held))


def _copies_of(cards: int, *, free: int) -> int:
    """Copies of cards that have not been shown in this hand yet."""
    found = 0
    for copies in {_same(card) for card in ids(cards)}:
        for card in islice(ids(copies & free), (cards & copies).bit_count()):
            found |= 1 << card
    return found


def _same(card: int) -> int:
    """All cards that go by the same name."""
    if FIRST_JOKER <= card < COPY:
        return JOKERS
    return 1 << card % COPY | 1 << card % COPY + COPY


def _counts_after(state: State, event: e.Event) -> Sequence[int]:
    """How many cards each seat holds after an event."""
    counts = [mask.bit_count() for mask in state.held]
    match event:
        case e.Dealt(counts=dealt):
            return dealt
        case e.Played(seat=seat, meld=meld):
            counts[seat] -= meld.size
        case e.Discarded(seat=seat, size=size):
            counts[seat] -= size
        case e.Took(seat=seat, size=size):
            counts[seat] += size
        case e.Gave(seat=seat, to=to, size=size):
            counts[seat] -= size
            counts[to] += size
        case e.Swapped(seat=seat, to=to):
            counts[seat], counts[to] = counts[to], counts[seat]
        case e.Fell(seat=seat, stays=False):
            counts[seat] = 0
    return counts
