"""The shapes a ruleset knows: which melds some cards can be, which melds a hand holds, what beats
what.

A `Shapes` is made once for a ruleset. It finds melds by looking them up: all sets of one rank and
all sequences of one suit are worked out the first time those cards are met and remembered. It knows
nothing of tricks, locks or turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

from arena.rules.cards import (
    COPY,
    FIRST_JOKER,
    JOKER_RANK,
    JOKERS,
    NATURAL,
    ORDER,
    PACK,
    RANK_MASKS,
    SUIT_MASKS,
    THREE,
    TWO,
    canonical,
    ids,
    rank_of,
    suit_of,
)
from arena.rules.melds import ABOVE_TWO, BELOW_THREE, Kind, Meld, meld

SET = Kind.SET
ALL = 0  # where tables by size keep the melds of all sizes: nothing has no cards

SINGLES = tuple(
    meld(Kind.SET, 1 << c, (), JOKER_RANK if c == FIRST_JOKER else c // 4)
    for c in range(FIRST_JOKER + 1)
)
SINGLE_OF = {1 << c + copy: SINGLES[c] for c in range(FIRST_JOKER) for copy in (0, COPY)}
"""A natural card, either copy, as a single."""


class Forms(NamedTuple):
    """The options that shape melds and their comparison (`rules.md` 1.6)."""

    decks: int = 1
    max_set: int = 4
    joker_wild: bool = True
    sequences: bool = True
    sequence_min: int = 3
    twos: bool = True
    tunnel: bool = False
    past_two: bool = False
    below_three: bool = False
    disjoint: bool = False
    equal: bool = False
    emperor: bool = False
    named_suits: bool = False  # do the suits that jokers stand for matter in sets?


class Shapes:
    """The melds of one ruleset."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self._sets: tuple[dict[int, tuple[tuple[Meld, ...], ...]], ...] = tuple(
            {} for _ in range(5)
        )
        self._runs: tuple[dict[int, tuple[tuple[Meld, ...], ...]], ...] = tuple(
            {} for _ in range(5)
        )
        self._readings: dict[int, tuple[Meld, ...]] = {}
        self._over = _stronger_cards(equal=forms.equal)
        self._windows = tuple(_windows_for(forms, jokers) for jokers in range(5))

    def readings(self, cards: int) -> tuple[Meld, ...]:
        """Every meld that canonical `cards` can be, sets first; empty if they fit no shape.

        Where the suits of jokers matter, the set whose jokers name no suit comes first of all.
        """
        known = self._readings.get(cards)
        if known is None:
            known = tuple(self._read(cards))
            if known:  # what fits nothing is not remembered: there is no end of it
                self._readings[cards] = known
        return known

    def beats(self, one: Meld, other: Meld, *, turned: bool) -> bool:
        """Is `one` strong enough for `other`, both of one kind and size, in the order in force?"""
        if self.forms.disjoint and one.kind is Kind.SEQUENCE:
            apart = one.high < other.low if turned else one.low > other.high
            return apart or (self.forms.equal and one.low == other.low)
        above = one.back - other.back if turned else one.fore - other.fore
        return above > 0 or (above == 0 and self.forms.equal)

    def leads(self, held: int) -> list[Meld]:
        """Every meld in a hand, in no particular order."""
        jokers = (held & JOKERS).bit_count()
        found: list[Meld] = []
        rest = held & NATURAL
        while rest:
            rank = RANK_MASKS[((rest & -rest).bit_length() - 1) % COPY >> 2]
            found += self._sets_of(rest & rank, jokers)[ALL]
            rest &= ~rank
        found += [joker_set(size) for size in range(1, min(jokers, self.forms.max_set) + 1)]
        if self.forms.sequences:
            for runs in self._runs_in(held, jokers):
                found += runs[ALL]
        if self.forms.emperor:
            found += self._emperors(held, jokers)
        return found

    def follows(self, held: int, pile: Meld, *, turned: bool) -> list[Meld]:
        """Every meld in a hand that is of the kind and size of `pile` and strong enough for it."""
        jokers = (held & JOKERS).bit_count()
        if pile.kind is SET:
            over = held & self._over[turned][pile.low]
            return self._set_follows(over, jokers, pile) if over or jokers else []
        if pile.kind is Kind.SEQUENCE:
            candidates = [
                m
                for runs in self._runs_in(held, jokers)
                if len(runs) > pile.size
                for m in runs[pile.size]
            ]
        else:
            candidates = list(self._emperors(held, jokers))
        return [m for m in candidates if self.beats(m, pile, turned=turned)]

    def of_size(self, held: int, kind: Kind, size: int) -> list[Meld]:
        """Every meld of one kind and size in a hand, whatever its strength."""
        return [m for m in self.leads(held) if m.kind is kind and m.size == size]

    def _set_follows(self, over: int, jokers: int, pile: Meld) -> list[Meld]:
        """The sets of the pile's size from the natural cards `over` and some jokers."""
        size = pile.size
        found: list[Meld] = []
        rest = over & NATURAL
        if size == 1:
            while rest:
                low = rest & -rest
                found.append(SINGLE_OF[low])
                rest ^= low
            if over > PACK:  # two copies of a card are one entry
                found = list(dict.fromkeys(found))
        else:
            while rest:
                rank = RANK_MASKS[((rest & -rest).bit_length() - 1) % COPY >> 2]
                sets = self._sets_of(rest & rank, jokers)
                if len(sets) > size:
                    found += sets[size]
                rest &= ~rank
        if jokers >= size and (pile.low != JOKER_RANK or self.forms.equal):
            found.append(joker_set(size))
        return found

    def _sets_of(self, cards: int, jokers: int) -> tuple[tuple[Meld, ...], ...]:
        """All sets from `cards` of one rank and some jokers, by size; natural cards in each."""
        known = self._sets[jokers].get(cards)
        if known is None:
            by_size: list[list[Meld]] = [[] for _ in range(self.forms.max_set + 1)]
            wild = jokers if self.forms.joker_wild else 0
            for part in _parts(canonical(cards)):
                most = min(wild, self.forms.max_set - part.bit_count())
                for count in range(most + 1):
                    sets = self._named_sets(part, count)
                    by_size[part.bit_count() + count].extend(sets)
            by_size[ALL] = [m for sets in by_size for m in sets]
            known = tuple(tuple(sets) for sets in by_size)
            self._sets[jokers][cards] = known
        return known

    def _named_sets(self, natural: int, jokers: int) -> Iterator[Meld]:
        """The set of `natural` cards with `jokers`, once for each way its jokers may name suits."""
        rank = rank_of(natural.bit_length() - 1)
        cards = natural | ((1 << jokers) - 1) << FIRST_JOKER
        if not jokers or not self.forms.named_suits:
            yield meld(Kind.SET, cards, (), rank)
            return
        for suits in _free_suits(natural, jokers, self.forms.decks):
            yield meld(Kind.SET, cards, tuple(rank * 4 + s for s in suits), rank)

    def _runs_in(self, held: int, jokers: int) -> Iterator[tuple[tuple[Meld, ...], ...]]:
        """For each suit, the sequences of that suit in a hand, by size."""
        if not self.forms.joker_wild:
            jokers = 0
        known = self._runs[jokers]
        single = (held | held >> COPY) & PACK
        for suit in SUIT_MASKS:
            cards = single & suit
            if cards.bit_count() + jokers < self.forms.sequence_min:
                continue
            runs = known.get(cards)
            if runs is None:
                runs = known[cards] = self._runs_of(cards, jokers)
            yield runs

    def _runs_of(self, cards: int, jokers: int) -> tuple[tuple[Meld, ...], ...]:
        """All sequences from `cards` of one suit and some jokers, by size."""
        by_size: list[list[Meld]] = [[] for _ in range(16)]
        if cards:
            suit = suit_of(cards.bit_length() - 1)
            ranks = cards >> suit
            for window, mask, least in self._windows[jokers]:
                if (ranks & mask).bit_count() < least:
                    continue
                held = [p for p in window if 0 <= p <= TWO and ranks >> 4 * p & 1]
                for count in range(least, len(held) + 1):
                    for natural in combinations(held, count):
                        by_size[len(window)].append(_run(suit, window, natural))
        distinct = [tuple(dict.fromkeys(runs)) for runs in by_size]
        distinct[ALL] = tuple(m for runs in distinct for m in runs)
        return tuple(distinct)

    def _emperors(self, held: int, jokers: int) -> Iterator[Meld]:
        """Four consecutive ranks in four different suits."""
        single = (held | held >> COPY) & PACK
        wild = jokers if self.forms.joker_wild else 0
        seen = set()
        for low, suits in product(range(TWO - 2), permutations(range(4))):
            cards = [(low + i) * 4 + suit for i, suit in enumerate(suits)]
            own = [c for c in cards if single >> c & 1]
            for count in range(max(1, 4 - wild), len(own) + 1):
                for natural in combinations(own, count):
                    roles = [c for c in cards if c not in natural]
                    seen.add(_with_roles(Kind.EMPEROR, natural, roles, low))
        return iter(seen)

    def _read(self, cards: int) -> Iterator[Meld]:
        """The readings of `cards`, sets first."""
        jokers = (cards & JOKERS).bit_count()
        natural = cards & NATURAL
        wild = self.forms.joker_wild or not jokers
        if not natural:
            if 0 < jokers <= self.forms.max_set:
                yield joker_set(jokers)
            return
        if not wild:
            return
        rank = RANK_MASKS[rank_of(natural.bit_length() - 1)]
        if not natural & ~rank and cards.bit_count() <= self.forms.max_set:
            if jokers and self.forms.named_suits:
                yield meld(Kind.SET, cards, (), rank_of(natural.bit_length() - 1))
            yield from self._named_sets(natural, jokers)
        if self.forms.sequences:
            for runs in self._runs_in(cards, jokers):
                size = cards.bit_count()
                if size < len(runs):
                    yield from (m for m in runs[size] if m.cards == cards)
        if self.forms.emperor and cards.bit_count() == 4:
            yield from sorted(
                (m for m in self._emperors(cards, jokers) if m.cards == cards),
                key=lambda m: m.key,
            )


def _windows_for(forms: Forms, jokers: int) -> tuple[tuple[tuple[int, ...], int, int], ...]:
    """The windows with some jokers: places, their natural cards in one suit, how many it takes."""
    return tuple(
        (window, sum(1 << 4 * p for p in window if 0 <= p <= TWO), max(1, len(window) - jokers))
        for window in _windows(forms)
    )


def _windows(forms: Forms) -> Iterator[tuple[int, ...]]:
    """The places that a sequence may cover, weakest first; the ace of A-2-3 stands first."""
    lowest = BELOW_THREE if forms.below_three else 0
    highest = ABOVE_TWO if forms.past_two else TWO if forms.twos else TWO - 1
    for low in range(lowest, highest + 1):
        for high in range(low + forms.sequence_min - 1, highest + 1):
            yield tuple(range(low, high + 1))
    if forms.tunnel and forms.sequence_min <= 3:
        yield (TWO - 1, TWO, THREE)


def joker_set(size: int) -> Meld:
    """Jokers alone: the highest set of their number."""
    return meld(Kind.SET, ((1 << size) - 1) << FIRST_JOKER, (), JOKER_RANK)


def _stronger_cards(*, equal: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each order and each place 0..13, the natural cards that beat a set lying there."""
    gap = 0 if equal else 1
    normal = [sum(RANK_MASKS[r] for r in range(p + gap, 13)) for p in range(13)]
    turned = [sum(RANK_MASKS[r] for r in range(p - gap, -1, -1)) for p in range(13)]
    return (*normal, 0), (*turned, 0)


def _parts(cards: int) -> Iterator[int]:
    """Every non-empty multiset of some canonical cards of one rank, as canonical masks."""
    first = list(ids(cards & PACK))
    choices = [(0, 1 << c, 1 << c | 1 << c + COPY) for c in first]
    for chosen in product(*[c if cards & c[2] == c[2] else c[:2] for c in choices]):
        if part := sum(chosen):
            yield part


def _free_suits(natural: int, jokers: int, decks: int) -> Iterable[tuple[int, ...]]:
    """The suits that jokers beside `natural` cards of a rank may stand for.

    A joker does not stand for a card that is there as often as the packs have it, unless there is
    no other way (OR-08).
    """
    held = [sum(suit_of(c) == s for c in ids(natural)) for s in range(4)]

    def excess(suits: tuple[int, ...]) -> int:
        return sum(max(0, held[s] + suits.count(s) - decks) for s in range(4))

    ways = list(combinations_with_replacement(range(4), jokers))
    least = min(map(excess, ways))
    return [suits for suits in ways if excess(suits) == least]


def named_suits_fit(natural: int, roles: tuple[int, ...], decks: int) -> bool:
    """May jokers beside `natural` cards of a rank stand for these cards of it?"""
    suits = tuple(sorted(suit_of(role) for role in roles))
    return suits in _free_suits(natural, len(roles), decks)


def _run(suit: int, window: tuple[int, ...], natural: tuple[int, ...]) -> Meld:
    """The sequence over `window` with natural cards at some places and jokers at the others."""
    own = [place * 4 + suit for place in natural]
    others = [place for place in window if place not in natural]
    roles = [p * 4 + suit if 0 <= p <= TWO else FIRST_JOKER for p in others]
    low = BELOW_THREE if window[0] > window[-1] else window[0]
    return _with_roles(Kind.SEQUENCE, own, roles, low)


def _with_roles(kind: Kind, natural: Iterable[int], roles: list[int], low: int) -> Meld:
    """A meld of natural cards and as many jokers as there are roles."""
    cards = sum(1 << c for c in natural) | ((1 << len(roles)) - 1) << FIRST_JOKER
    return meld(kind, cards, tuple(sorted(roles, key=ORDER.__getitem__)), low)
