"""What a seat knows of a hand, from the events that it may see.

The fold of those events is the state in which everybody holds the cards that he is known to hold.
Beside it stand the numbers of cards, and what is known of cards that are not seen. Cards that leave
a hand face down may be those that were known: then they are at one of two places. What rules tell
of hidden cards only by what they do or leave undone is not taken in, but for gifts of the highest
cards to this seat, cards robbed by it, ranks that everybody has thrown away, and the card by which
the first leader was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from arena.game.asking import step_of, with_own_ways
from arena.game.places import (
    BLIND,
    HIDDEN,
    FaceDown,
    Whereabouts,
    copy_of,
    kind_of,
    kinds,
    with_held,
)
from arena.game.position import Position, normal
from arena.rules import EMPTY, Ruleset, evolve, redact
from arena.rules.answers import EXCHANGE
from arena.rules.cards import (
    COPY,
    FIRST_JOKER,
    IDS,
    JACK,
    JOKERS,
    PACK,
    RANK_MASKS,
    TWO,
    ids,
    mask_of,
)
from arena.rules.events import (
    Dealt,
    Discarded,
    Event,
    Fell,
    Gave,
    Named,
    Played,
    Question,
    Swapped,
    ToMove,
    Took,
)
from arena.rules.options.finishing import FROM_NINE
from arena.rules.options.robbing import strongest
from arena.rules.questions import fits

LEADS = ("first_lead", "next_lead")
HOLDER = "holder:"
ABOVE_TEN = sum(RANK_MASKS[rank] for rank in range(JACK, TWO + 1)) | JOKERS


def observe(ruleset: str, rules: Ruleset, events: Iterable[Event], *, seat: int) -> Position:
    """See `Position.of_events`."""
    observer = Observer(rules, seat)
    for event in events:
        observer.add(redact(event, seat))
    return observer.position(ruleset)


class Observer:
    """One seat while it follows a hand."""

    def __init__(self, rules: Ruleset, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        self.state = EMPTY
        self.free = mask_of(rules.deck)
        self.counts: list[int] = []
        self.never: list[int] = []
        self.batches: list[FaceDown] = []
        self.whereabouts: list[Whereabouts] = []
        self.named: Named | None = None
        self.unseen_gifts = 0

    def position(self, ruleset: str) -> Position:
        """What the seat knows now."""
        self._forget_named()
        never = tuple(0 if s == self.seat else kinds_ for s, kinds_ in enumerate(self.never))
        return Position(
            ruleset,
            self.rules,
            self.seat,
            normal(self.rules, with_own_ways(self.rules, self.state, self.seat)),
            tuple(self.counts),
            tuple(n if self._unknown(s) else 0 for s, n in enumerate(never)),
            tuple(sorted(self.batches)),
            tuple(sorted(self.whereabouts)),
        )

    def add(self, event: Event) -> None:
        """Take in an event, as the seat may see it."""
        if self.named is not None and not (isinstance(event, Discarded) and event.shown):
            self._forget_named()
        take = TAKE.get(type(event))
        if take is not None:
            take(self, event)
        self.state = evolve(self.state, (event,))
        if isinstance(event, Dealt):
            self.free &= ~self.state.held[self.seat]

    def dealt(self, e: Dealt) -> None:
        """How many cards everybody has."""
        self.counts = list(e.counts)
        self.never = [0] * len(e.counts)

    def played(self, e: Played) -> None:
        """Cards are laid."""
        self._reveal(e.seat, e.meld.cards)
        self.counts[e.seat] -= e.meld.size

    def discarded(self, e: Discarded) -> None:
        """Cards are thrown away."""
        if e.cards:
            self._reveal(e.seat, e.cards)
        elif e.by == "mura_hachibu":
            self._strip(e.seat, e.size)
        else:
            self._hide(e.seat, HIDDEN, e.size)
        self.counts[e.seat] -= e.size

    def gave(self, e: Gave) -> None:
        """Cards go from one seat to another."""
        if e.cards:
            kept = self._kept_back(e) if e.to == self.seat else 0
            self._reveal(e.seat, e.cards)
            self.never[e.seat] |= kept
        else:
            self._hide(e.seat, e.to, e.size)
            self.unseen_gifts |= (1 << e.to) if e.size else 0
        self.counts[e.seat] -= e.size
        self.counts[e.to] += e.size

    def took(self, e: Took) -> None:
        """Cards are taken from the table."""
        self.counts[e.seat] += e.size

    def swapped(self, e: Swapped) -> None:
        """Two seats swap all that they hold."""
        one, other = e.seat, e.to
        if e.cards:
            self._reveal(one, e.cards)
            self._reveal(other, e.other)
        for values in (self.counts, self.never):
            values[one], values[other] = values[other], values[one]
        if e.by == "tenpen_chii":
            self.never[one] |= kinds(ABOVE_TEN)
        turned = {one: other, other: one}
        self.whereabouts = [
            w._replace(places=tuple(turned.get(p, p) for p in w.places)) for w in self.whereabouts
        ]

    def fell(self, e: Fell) -> None:
        """Who falls and does not play on throws his cards away."""
        if not e.stays:
            self._hide(e.seat, HIDDEN, self.counts[e.seat])
            self.counts[e.seat] = 0

    def bombed(self, e: Named) -> None:
        """Everybody throws away the cards of some ranks; which ones, the next event says."""
        self.named = e

    def to_move(self, e: ToMove) -> None:
        """Who leads the hand may do so because he holds a card."""
        value = str(self.rules.options[e.by]) if e.by in LEADS else ""
        if not value.startswith(HOLDER):
            return
        card = IDS[value.removeprefix(HOLDER)]
        all_copies = JOKERS if card == FIRST_JOKER else 1 << card | 1 << card + COPY
        copy = copy_of(card, self.free)
        may_be_blind = self.rules.deal.blind and card != FIRST_JOKER
        own = self.state.held[self.seat] & all_copies
        if not copy:
            return
        if e.seat == self.seat:
            if not own and may_be_blind:
                self._know(mask_of(c for c in ids(self.free & all_copies)), BLIND)
        elif own or not may_be_blind:
            if not self.state.held[e.seat] & all_copies:
                self._know(copy, e.seat)
        elif self.rules.deal.decks == 1:
            self.free &= ~copy
            self.whereabouts.append(Whereabouts(copy, (e.seat, BLIND)))

    def _unknown(self, seat: int) -> int:
        """How many cards of a seat are not known."""
        return self.counts[seat] - self.state.held[seat].bit_count()

    def _know(self, cards: int, place: int) -> None:
        """It is known now that cards are at a place."""
        self.free &= ~cards
        state = self.state
        if place == HIDDEN:
            self.state = state.changed(gone=state.gone | cards)
            self._fill_batch(cards)
        elif place == BLIND:
            setup = state.setup._replace(blind=state.setup.blind | cards)
            self.state = state.changed(setup=setup)
        else:
            self.state = with_held(state, place, state.held[place] | cards)

    def _fill_batch(self, cards: int) -> None:
        """Cards that had left the game face down are known now."""
        for number, batch in enumerate(self.batches):
            if batch.size >= cards.bit_count():
                self.batches[number] = batch._replace(size=batch.size - cards.bit_count())
                break
        self.batches = [batch for batch in self.batches if batch.size]

    def _reveal(self, seat: int, cards: int) -> None:
        """Everybody sees that a seat holds these cards, which leave it next."""
        left, found = self.state.held[seat], 0
        for card in ids(cards):
            copy = copy_of(kind_of(card), left)
            left &= ~copy
            if not copy:
                found |= self._find(seat, kind_of(card))
        if found:
            self._know(found, seat)

    def _find(self, seat: int, kind: int) -> int:
        """A copy of a kind that a seat turns out to hold."""
        for number, (cards, places, least) in enumerate(self.whereabouts):
            copy = copy_of(kind, cards) if seat in places else 0
            if copy:
                least = max(0, least - 1) if places[0] == seat else least
                self.whereabouts[number] = Whereabouts(cards & ~copy, places, least)
                self._settle()
                return copy
        copy = copy_of(kind, self.free)
        self.free &= ~copy
        return copy

    def _settle(self) -> None:
        """Cards that can only be at one place are known to be there."""
        sure = [w for w in self.whereabouts if w.least == w.cards.bit_count() or len(w.places) == 1]
        self.whereabouts = [w for w in self.whereabouts if w not in sure]
        for each in sure:
            if each.cards:
                self._know(each.cards, each.places[0])

    def _hide(self, seat: int, to: int, number: int) -> None:
        """Cards leave a seat for another, or for good, and this seat does not see which."""
        if not number:
            return
        empty = to != HIDDEN and not self._unknown(to)
        unknown, passing = number, self.never[seat]
        if number == self.counts[seat]:
            unknown -= self.state.held[seat].bit_count()
            self._move_all(seat, to)
        else:
            passing &= ~self._exempt(seat)
            self._unsettle(seat, to, number)
        if to == HIDDEN:
            self._add_batch(unknown, passing)
        elif unknown:
            self.never[to] = passing if empty else self.never[to] & passing
        self._settle()

    def _strip(self, seat: int, number: int) -> None:
        """A seat throws away all its cards from the 9 upwards, face down."""
        high = kinds(FROM_NINE)
        known = self.state.held[seat]
        state = with_held(self.state, seat, known & ~FROM_NINE)
        self.state = state.changed(gone=state.gone | known & FROM_NINE)
        self._add_batch(number - (known & FROM_NINE).bit_count(), kinds(PACK) & ~high)
        self._split(FROM_NINE, lambda places: tuple(HIDDEN if p == seat else p for p in places))
        self.never[seat] |= high

    def _split(self, which: int, moved: Callable[[tuple[int, ...]], tuple[int, ...]]) -> None:
        """Some of the cards of which something is known are at other places now."""
        split = []
        for cards, places, least in self.whereabouts:
            some, rest = cards & which, cards & ~which
            now = tuple(dict.fromkeys(moved(places)))
            still = now[:1] == places[:1] or (HIDDEN in now[:1] and HIDDEN not in places)
            sure = max(0, least - rest.bit_count()) if still else 0
            split += [
                Whereabouts(rest, places, max(0, least - some.bit_count())),
                Whereabouts(some, now, sure),
            ]
        self.whereabouts = [each for each in split if each.cards]
        self._settle()

    def _exempt(self, seat: int) -> int:
        """The kinds of the cards that a seat is known to hold, or may hold for another reason."""
        found = kinds(self.state.held[seat])
        for each in self.whereabouts:
            if seat in each.places:
                found |= kinds(each.cards)
        return found

    def _move_all(self, seat: int, to: int) -> None:
        """What a seat holds goes somewhere as a whole."""
        known = self.state.held[seat]
        state = with_held(self.state, seat, 0)
        if to == HIDDEN:
            self.state = state.changed(gone=state.gone | known)
        else:
            self.state = with_held(state, to, state.held[to] | known)
        for number, each in enumerate(self.whereabouts):
            if seat in each.places:
                places = tuple(dict.fromkeys(to if p == seat else p for p in each.places))
                self.whereabouts[number] = each._replace(places=places)

    def _unsettle(self, seat: int, to: int, number: int) -> None:
        """Cards that were known to be at a seat may be elsewhere now."""
        for index, each in enumerate(self.whereabouts):
            if seat in each.places:
                least = max(0, each.least - number) if each.places[0] == seat else each.least
                places = tuple(dict.fromkeys((*each.places, to)))
                self.whereabouts[index] = Whereabouts(each.cards, places, least)
        known = self.state.held[seat]
        if known:
            least = max(0, known.bit_count() - number)
            self.whereabouts.append(Whereabouts(known, (seat, to), least))
            self.state = with_held(self.state, seat, 0)

    def _add_batch(self, number: int, never: int) -> None:
        """Unknown cards have left the game face down."""
        if not number:
            return
        for index, batch in enumerate(self.batches):
            if batch.never == never:
                self.batches[index] = batch._replace(size=batch.size + number)
                return
        self.batches.append(FaceDown(number, never))

    def _forget_named(self) -> None:
        """All cards of the ranks that were named have been shown: nobody holds one now."""
        if self.named is None:
            return
        wanted = mask_of(card for r in self.named.ranks for card in ids(RANK_MASKS[r] & PACK))
        active = [seat for seat in range(self.state.players) if self.state.active >> seat & 1]
        self.named = None
        for seat in active:
            self.never[seat] |= wanted
        self._split(
            wanted | wanted << COPY, lambda places: tuple(p for p in places if p not in active)
        )

    def _kept_back(self, e: Gave) -> int:
        """The kinds that a giver cannot hold, since he gave these as his highest cards."""
        question = self.state.question_for(e.seat)
        if e.by == "rob" and question is None:
            reverse = self.state.order_reversed
            return self._excluded(
                e.cards, lambda hand: strongest(hand, order_reversed=reverse) == e.cards
            )
        together = self.rules.deal.order == "together"
        if e.by != EXCHANGE or (together and self.unseen_gifts >> e.seat & 1):
            return 0
        if step_of(self.rules, self.state, e.seat, to=e.to).pick != "highest":
            return 0
        return self._excluded(e.cards, lambda hand: self._is_highest(e, hand))

    def _is_highest(self, e: Gave, hand: int) -> bool:
        """Could these cards be given as the highest of a hand?"""
        state = with_held(self.state, e.seat, hand)
        ways = self.rules.deal.highest(state, e.seat, e.size)
        return fits(Question(e.seat, "give", EXCHANGE, e.size, e.size, ways), e.cards)

    def _excluded(self, given: int, holds: Callable[[int], bool]) -> int:
        """The kinds of a further card with which some cards would not have been given."""
        found = 0
        for kind in ids(kinds(mask_of(self.rules.deck))):
            more = copy_of(kind, mask_of(self.rules.deck) & ~given)
            if more and not holds(given | more):
                found |= 1 << kind
        return found


TAKE: dict[type, Callable[[Observer, Any], None]] = {
    Dealt: Observer.dealt,
    Played: Observer.played,
    Discarded: Observer.discarded,
    Gave: Observer.gave,
    Took: Observer.took,
    Swapped: Observer.swapped,
    Fell: Observer.fell,
    Named: Observer.bombed,
    ToMove: Observer.to_move,
}
