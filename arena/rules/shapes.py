"""The shapes a ruleset knows: which melds some cards can be, which melds a hand holds, what beats
what.

A `Shapes` is made once for what rulesets say of melds. It finds melds by looking them up: all sets
of three ranks and all sequences of one suit are worked out the first time those cards are met and
remembered. It knows nothing of tricks, locks or turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import combinations, combinations_with_replacement, permutations, product
from operator import attrgetter
from typing import Final, NamedTuple

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
from arena.rules.melds import ABOVE_TWO, BELOW_THREE, EMPEROR, SEQUENCE, SET, Kind, Meld, meld
from arena.rules.memo import Memo

BySize = tuple[tuple[Meld, ...], ...]
Tables = tuple[tuple[int, list[BySize | None]], ...]
"""For each part of the pack its mask, and what its cards hold, as far as they have been met."""
Window = tuple[tuple[int, ...], int, int]
"""Places of a sequence, their natural cards in the first suit, and how many of these it takes."""
ALL: Final = 0  # where tables by size keep the melds of all sizes from 2: nothing has no cards
LONGEST: Final = 16  # no meld has so many cards
PLACES: Final = 8191
"""A mask of cards modulo this: bit 13 falls on bit 0, 14 on 1, and so on. The cards of a suit, or
of three ranks, or the eight of one rank of two packs, fall on different bits, so that each set of
them has a place of its own in a list; all 13 of a suit have that of none, which is not looked up.
"""
JOKER_COUNTS: Final = tuple(jokers.bit_count() for jokers in range(16))

SINGLES: Final = tuple(
    meld(SET, 1 << c, (), JOKER_RANK if c == FIRST_JOKER else c // 4)
    for c in range(FIRST_JOKER + 1)
)
SUITED: Final = tuple(suit & PACK for suit in SUIT_MASKS)
BY_KEY: Final = attrgetter("key")


class Forms(NamedTuple):
    """The options that shape melds and their comparison."""

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
    """The melds of some forms. What parts of a hand hold is worked out when they are met first; two
    threads may both work it out: the values are equal, and one of them stays."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.two_decks = forms.decks == 2
        self._disjoint = forms.disjoint
        self._equal = forms.equal
        wide = 3 if forms.decks == 1 else 1  # ranks looked up at once: as many as memory bears
        there = PACK if forms.decks == 1 else NATURAL  # without second copies masks are small
        self._each_rank = tuple(rank & there for rank in RANK_MASKS)
        ranks = tuple(sum(self._each_rank[r : r + wide]) for r in range(0, 13, wide))
        self._rank: tuple[dict[int, BySize], ...] = tuple(
            Memo(partial(self._rank_of, jokers)) for jokers in range(5)
        )
        self._sets: dict[int, Tables] = Memo(lambda jokers: _tables(ranks))
        self.suited: dict[int, Tables] = Memo(lambda jokers: _tables(SUITED))
        self._jokers = tuple(self._joker_sets(jokers) for jokers in range(5))
        self._readings: dict[int, tuple[Meld, ...]] = {}
        self._over = _stronger_cards(self._each_rank, equal=forms.equal)
        self._windows = _windows_by_jokers(tuple(_windows(forms)))

    def readings(self, cards: int) -> tuple[Meld, ...]:
        """Every meld that canonical `cards` can be, sets first; empty if they fit no shape.

        Where the suits of jokers matter, the set whose jokers name no suit comes first of all.
        """
        known = self._readings.get(cards)
        if known is None:
            known = tuple(self._read(cards))
            if known:  # what fits nothing is not kept: it would be unbounded
                self._readings[cards] = known
        return known

    def beats(self, one: Meld, other: Meld, order_reversed: bool) -> bool:
        """Is `one` strong enough for `other`, both of one kind and size, in the order in force?"""
        if self._disjoint and one.kind is SEQUENCE:
            apart = one.high < other.low if order_reversed else one.low > other.high
            return apart or (self._equal and one.low == other.low)
        if order_reversed:
            above = one.reversed_strength - other.reversed_strength
        else:
            above = one.strength - other.strength
        return above > 0 or (above == 0 and self._equal)

    def leads(self, held: int) -> Sequence[Meld]:
        """Every meld in a hand, in canonical order."""
        jokers = JOKER_COUNTS[held >> FIRST_JOKER & 15]
        singles: list[Meld] = []
        longer = [*self._jokers[jokers][ALL]]
        single = held | held >> COPY if self.two_decks else held
        for suit, known in self.suited[jokers]:
            cards = single & suit
            if cards:
                melds = known[cards % PLACES]
                if melds is None:
                    melds = known[cards % PLACES] = self.suited_of(jokers, cards)
                singles += melds[1]
                longer += melds[ALL]
        for ranks, known in self._sets[jokers]:
            cards = held & ranks
            if cards:
                melds = known[cards % PLACES]
                if melds is None:
                    melds = known[cards % PLACES] = self._sets_of(jokers, cards)
                longer += melds[ALL]
        if self.forms.emperor:
            longer += self._emperors(held)
        longer.sort(key=BY_KEY)
        singles += self._jokers[jokers][1]
        return singles + longer

    def sets(self, cards: int, size: int) -> Sequence[Meld]:
        """The sets of a size in some cards, in canonical order."""
        jokers = JOKER_COUNTS[cards >> FIRST_JOKER & 15]
        melds = [*self._jokers[jokers][size]]
        for ranks, known in self._sets[jokers]:
            own = cards & ranks
            if own:
                found = known[own % PLACES]
                if found is None:
                    found = known[own % PLACES] = self._sets_of(jokers, own)
                melds += found[size]
        melds.sort(key=BY_KEY)
        return melds

    def runs(self, held: int, pile: Meld, order_reversed: bool) -> Sequence[Meld]:
        """The sequences or emperors in a hand that beat one, in canonical order."""
        emperors = pile.kind is EMPEROR
        same = self._emperors(held) if emperors else self._sequences_in(held, pile.size)
        return sorted((m for m in same if self.beats(m, pile, order_reversed)), key=BY_KEY)

    def answers(self, pile: Meld | None) -> Finder:
        """What finds the melds of a hand that are of the kind and size of `pile` and strong enough
        for it; on an empty table, all its melds."""
        if pile is None:
            return Finder(self)
        if pile.kind is SET:
            above, below = (cards[pile.low] for cards in self._over)
            kind = StrongerSingles if pile.size == 1 else StrongerSets
            return kind(self, pile.size, above, below)
        return StrongerRuns(self, pile)

    def _sequences_in(self, held: int, size: int) -> list[Meld]:
        """The sequences of a size in a hand, in no particular order."""
        jokers = JOKER_COUNTS[held >> FIRST_JOKER & 15]
        single = held | held >> COPY if self.two_decks else held
        melds: list[Meld] = []
        for suit, known in self.suited[jokers]:
            cards = single & suit
            if cards:
                found = known[cards % PLACES]
                if found is None:
                    found = known[cards % PLACES] = self.suited_of(jokers, cards)
                melds += found[size]
        return melds

    def _joker_sets(self, jokers: int) -> BySize:
        """The sets of some jokers alone, by size."""
        return _by_size(map(joker_set, range(1, min(jokers, self.forms.max_set) + 1)))

    def _sets_of(self, jokers: int, cards: int) -> BySize:
        """All sets from some natural cards and jokers, by size; natural cards in each."""
        known = self._rank[jokers]
        parts = [known[cards & rank] for rank in self._each_rank if cards & rank]
        by_size = parts[0]
        for part in parts[1:]:
            by_size = tuple(one + more for one, more in zip(by_size, part, strict=True))
        return by_size

    def _rank_of(self, jokers: int, cards: int) -> BySize:
        """The same for natural cards of one rank."""
        wild = jokers if self.forms.joker_wild else 0
        melds: list[Meld] = []
        for part in _parts(canonical(cards)):
            most = min(wild, self.forms.max_set - part.bit_count())
            for count in range(most + 1):
                melds += self._named_sets(part, count)
        return _by_size(melds)

    def _named_sets(self, natural: int, jokers: int) -> Iterator[Meld]:
        """The set of `natural` cards with `jokers`, once for each way its jokers may name suits."""
        rank = rank_of(natural.bit_length() - 1)
        cards = natural | ((1 << jokers) - 1) << FIRST_JOKER
        if not jokers or not self.forms.named_suits:
            yield meld(SET, cards, (), rank)
            return
        for suits in _free_suits(natural, jokers, self.forms.decks):
            yield meld(SET, cards, tuple(rank * 4 + s for s in suits), rank)

    def suited_of(self, jokers: int, cards: int) -> BySize:
        """All singles and sequences from `cards` of one suit, with jokers in the sequences."""
        melds = [SINGLES[c] for c in ids(cards)]
        wild = jokers if self.forms.joker_wild else 0
        if self.forms.sequences and cards:
            suit = suit_of(cards.bit_length() - 1)
            ranks = cards >> suit
            for window, mask, least in self._windows[wild][len(melds)]:
                missing = mask & ~ranks
                for _ in range(wild):
                    missing &= missing - 1  # without its lowest bit
                if not missing:
                    melds += _runs(suit, window, ranks & mask, least)
        return _by_size(melds)

    def _emperors(self, held: int) -> Iterator[Meld]:
        """Four consecutive ranks in four different suits."""
        single = (held | held >> COPY) & PACK
        wild = (held & JOKERS).bit_count() if self.forms.joker_wild else 0
        emperors = set()
        for low, suits in product(range(TWO - 2), permutations(range(4))):
            cards = [(low + i) * 4 + suit for i, suit in enumerate(suits)]
            own = [c for c in cards if single >> c & 1]
            for count in range(max(1, 4 - wild), len(own) + 1):
                for natural in combinations(own, count):
                    roles = [c for c in cards if c not in natural]
                    emperors.add(_with_roles(EMPEROR, natural, roles, low))
        return iter(emperors)

    def _read(self, cards: int) -> Iterator[Meld]:
        """The readings of `cards`, sets first."""
        jokers = (cards & JOKERS).bit_count()
        natural = cards & NATURAL
        wild = self.forms.joker_wild or not jokers
        size = cards.bit_count()
        if not natural:
            if 0 < jokers <= self.forms.max_set:
                yield joker_set(jokers)
            return
        if not wild:
            return
        rank = RANK_MASKS[rank_of(natural.bit_length() - 1)]
        if not natural & ~rank and size <= self.forms.max_set:
            if jokers and self.forms.named_suits:
                yield meld(SET, cards, (), rank_of(natural.bit_length() - 1))
            yield from self._named_sets(natural, jokers)
        if self.forms.sequences and self.forms.sequence_min <= size < LONGEST:
            runs = self._sequences_in(cards, size)
            yield from (m for m in runs if m.cards == cards)
        if self.forms.emperor and size == 4:
            yield from sorted(
                (m for m in self._emperors(cards) if m.cards == cards),
                key=lambda m: m.key,
            )


@lru_cache(maxsize=64)
def shapes_of(forms: Forms) -> Shapes:
    """The shapes of these forms: one object for all rulesets that have them."""
    return Shapes(forms)


class Finder:
    """Finds the melds of a hand that may be laid on an empty table, in canonical order."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def find(self, held: int, order_reversed: bool) -> Sequence[Meld]:
        """The melds in a hand; order_reversed: is the order in force?"""
        return self.shapes.leads(held)


class StrongerSets(Finder):
    """The same on a set; above, below: the cards that beat it in either order."""

    def __init__(self, shapes: Shapes, size: int, above: int, below: int) -> None:
        self.shapes = shapes
        self.size = size
        self.above = above
        self.below = below

    def find(self, held: int, order_reversed: bool) -> Sequence[Meld]:
        over = held & (self.below if order_reversed else self.above)
        return self.shapes.sets(over, self.size) if over else ()


class StrongerSingles(StrongerSets):
    """The same on a single card."""

    def find(self, held: int, order_reversed: bool) -> Sequence[Meld]:
        cards = held & (self.below if order_reversed else self.above)
        if not cards:
            return ()
        shapes = self.shapes
        single = cards | cards >> COPY if shapes.two_decks else cards
        melds: list[Meld] = []
        for suit, known in shapes.suited[0]:
            own = single & suit
            if own:
                found = known[own % PLACES]
                if found is None:
                    found = known[own % PLACES] = shapes.suited_of(0, own)
                melds += found[1]
        if cards & JOKERS:
            melds.append(SINGLES[FIRST_JOKER])
        return melds


class StrongerRuns(Finder):
    """The same on a sequence or an emperor."""

    def __init__(self, shapes: Shapes, pile: Meld) -> None:
        self.shapes = shapes
        self.pile = pile

    def find(self, held: int, order_reversed: bool) -> Sequence[Meld]:
        return self.shapes.runs(held, self.pile, order_reversed)


@cache
def _windows_by_jokers(
    windows: tuple[tuple[int, ...], ...],
) -> tuple[tuple[tuple[Window, ...], ...], ...]:
    """The windows by how many jokers there are, and by how many cards of a suit. Most rulesets
    have the same windows."""
    masks = [sum(1 << 4 * p for p in window if 0 <= p <= TWO) for window in windows]
    return tuple(_windows_with(windows, masks, jokers) for jokers in range(5))


def _windows_with(
    windows: Sequence[tuple[int, ...]], masks: Sequence[int], jokers: int
) -> tuple[tuple[Window, ...], ...]:
    every = [
        (window, mask, max(1, len(window) - jokers))
        for window, mask in zip(windows, masks, strict=True)
    ]
    return tuple(tuple(w for w in every if w[2] <= natural) for natural in range(14))


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
    return meld(SET, ((1 << size) - 1) << FIRST_JOKER, (), JOKER_RANK)


def _stronger_cards(
    ranks: Sequence[int], *, equal: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each order and each place 0..13, the cards that beat a set lying there."""
    gap = 0 if equal else 1
    normal = [JOKERS + sum(ranks[p + gap :]) for p in range(13)]
    order_reversed = [JOKERS + sum(ranks[: p - gap + 1]) for p in range(13)]
    top = JOKERS if equal else 0
    return (*normal, top), (*order_reversed, top)


def _tables(parts: Iterable[int]) -> Tables:
    """Empty tables for some parts of the pack."""
    return tuple((part, [None] * PLACES) for part in parts)


def _by_size(melds: Iterable[Meld]) -> BySize:
    """Melds by size, each once, and under `ALL` those of two cards and more."""
    by_size: list[tuple[Meld, ...]] = [()] * LONGEST
    for each in dict.fromkeys(melds):
        by_size[each.size] += (each,)
        if each.size > 1:
            by_size[ALL] += (each,)
    return tuple(by_size)


def _parts(cards: int) -> Iterator[int]:
    """Every non-empty multiset of some canonical cards of one rank, as canonical masks."""
    first = list(ids(cards & PACK))
    choices = [(0, 1 << c, 1 << c | 1 << c + COPY) for c in first]
    for chosen in product(*[c if cards & c[2] == c[2] else c[:2] for c in choices]):
        if part := sum(chosen):
            yield part


def _free_suits(natural: int, jokers: int, decks: int) -> Iterable[tuple[int, ...]]:
    """The suits that jokers beside `natural` cards of a rank may stand for.

    A joker does not stand for a card that is there as often as the packs have it, but in a set of
    more than four for each pack (OR-08, OR-73).
    """
    return _ways(tuple(sum(suit_of(c) == s for c in ids(natural)) for s in range(4)), jokers, decks)


@cache
def _ways(held: tuple[int, ...], jokers: int, decks: int) -> tuple[tuple[int, ...], ...]:
    """Suits for some jokers beside so many cards of each suit."""

    def excess(suits: tuple[int, ...]) -> int:
        return sum(max(0, held[s] + suits.count(s) - decks) for s in range(4))

    ways = tuple(combinations_with_replacement(range(4), jokers))
    if sum(held) + jokers > 4 * decks:
        return ways
    least = min(map(excess, ways))
    return tuple(suits for suits in ways if excess(suits) == least)


def named_suits_fit(natural: int, roles: tuple[int, ...], decks: int) -> bool:
    """May jokers beside `natural` cards of a rank stand for these cards of it?"""
    suits = tuple(sorted(suit_of(role) for role in roles))
    return suits in _free_suits(natural, len(roles), decks)


@cache
def _runs(suit: int, window: tuple[int, ...], ranks: int, least: int) -> tuple[Meld, ...]:
    """The sequences over `window` with at least so many natural cards, of those in `ranks`."""
    held = [p for p in window if 0 <= p <= TWO and ranks >> 4 * p & 1]
    counts = range(least, len(held) + 1)
    return tuple(
        _run(suit, window, natural) for count in counts for natural in combinations(held, count)
    )


def _run(suit: int, window: tuple[int, ...], natural: tuple[int, ...]) -> Meld:
    """The sequence over `window` with natural cards at some places and jokers at the others."""
    own = [place * 4 + suit for place in natural]
    others = [place for place in window if place not in natural]
    roles = [p * 4 + suit if 0 <= p <= TWO else FIRST_JOKER for p in others]
    low = BELOW_THREE if window[0] > window[-1] else window[0]
    return _with_roles(SEQUENCE, own, roles, low)


def _with_roles(kind: Kind, natural: Iterable[int], roles: list[int], low: int) -> Meld:
    """A meld of natural cards and as many jokers as there are roles."""
    cards = sum(1 << c for c in natural) | ((1 << len(roles)) - 1) << FIRST_JOKER
    return meld(kind, cards, tuple(sorted(roles, key=ORDER.__getitem__)), low)
