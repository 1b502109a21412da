"""The shapes a ruleset knows: which melds some cards can be, which melds a hand holds, what beats
what.

A `Shapes` is made once for a ruleset. It finds melds by looking them up: all sets of one rank and
all sequences of one suit are worked out the first time those cards are met and remembered. It knows
nothing of tricks, locks or turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, permutations, product
from operator import attrgetter
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
from arena.rules.melds import ABOVE_TWO, BELOW_THREE, EMPEROR, SEQUENCE, SET, Kind, Meld, meld
from arena.rules.memo import Memo

BySize = tuple[tuple[Meld, ...], ...]
Window = tuple[tuple[int, ...], int, int]
"""Places of a sequence, their natural cards in the first suit, and how many of these it takes."""
Finder = Callable[[int, bool], Sequence[Meld]]
"""From a hand, and whether the order in force is reversed, to melds in canonical order."""
ALL = 0  # where tables by size keep the melds of all sizes from 2: nothing has no cards
LONGEST = 16  # no meld has so many cards

SINGLES = tuple(
    meld(SET, 1 << c, (), JOKER_RANK if c == FIRST_JOKER else c // 4)
    for c in range(FIRST_JOKER + 1)
)
SUITED = tuple(suit & PACK for suit in SUIT_MASKS)
BY_KEY = attrgetter("key")


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
    """The melds of one ruleset."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self._two_decks = forms.decks == 2
        wide = 3 if forms.decks == 1 else 1  # ranks looked up at once: as many as memory bears
        self._ranks = tuple(sum(RANK_MASKS[r : r + wide]) for r in range(0, 13, wide))
        self._rank = tuple(Memo(partial(self._rank_of, jokers)) for jokers in range(5))
        self._sets = tuple(dict[int, BySize]() for _ in range(5))
        self._suited = tuple(dict[int, BySize]() for _ in range(5))
        self._jokers = tuple(self._joker_sets(jokers) for jokers in range(5))
        self._readings: dict[int, tuple[Meld, ...]] = {}
        self._over = _stronger_cards(equal=forms.equal)
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
        if self.forms.disjoint and one.kind is SEQUENCE:
            apart = one.high < other.low if order_reversed else one.low > other.high
            return apart or (self.forms.equal and one.low == other.low)
        above = (
            one.reversed_strength - other.reversed_strength
            if order_reversed
            else one.strength - other.strength
        )
        return above > 0 or (above == 0 and self.forms.equal)

    def _leads(self, held: int, order_reversed: bool) -> Sequence[Meld]:
        """Every meld in a hand, in canonical order in either order of the ranks."""
        jokers = (held & JOKERS).bit_count()
        singles: list[Meld] = []
        longer = [*self._jokers[jokers][ALL]]
        suited = self._suited[jokers]
        single = held | held >> COPY if self._two_decks else held
        sets = self._sets[jokers]
        try:
            for suit in SUITED:
                cards = single & suit
                if cards:
                    melds = suited[cards]
                    singles += melds[1]
                    longer += melds[ALL]
            for ranks in self._ranks:
                longer += sets[held & ranks][ALL]
        except KeyError:
            self._meet_suits(held, jokers)
            self._meet_ranks(held, jokers)
            return self._leads(held, order_reversed)
        if self.forms.emperor:
            longer += self._emperors(held)
        longer.sort(key=BY_KEY)
        singles += self._jokers[jokers][1]
        return singles + longer

    def answers(self, pile: Meld | None) -> Finder:
        """What finds the melds of a hand that are of the kind and size of `pile` and strong enough
        for it; on an empty table, all its melds."""
        if pile is None:
            return self._leads
        if pile.kind is SET:
            return self._sets_over(pile)

        def runs(held: int, order_reversed: bool) -> Sequence[Meld]:
            emperors = pile.kind is EMPEROR
            same = self._emperors(held) if emperors else self._sequences_in(held, pile.size)
            return sorted((m for m in same if self.beats(m, pile, order_reversed)), key=BY_KEY)

        return runs

    def _sets_over(self, pile: Meld) -> Finder:
        """What finds the sets that are stronger than one."""
        size = pile.size
        above, below = (cards[pile.low] for cards in self._over)
        suited, two_decks = self._suited[0], self._two_decks

        def single(held: int, order_reversed: bool) -> Sequence[Meld]:
            over = held & (below if order_reversed else above)
            if not over:
                return ()
            cards = over | over >> COPY if two_decks else over
            melds: list[Meld] = []
            try:
                for suit in SUITED:
                    own = cards & suit
                    if own:
                        melds += suited[own][1]
            except KeyError:
                self._meet_suits(over, 0)
                return single(held, order_reversed)
            if over & JOKERS:
                melds.append(SINGLES[FIRST_JOKER])
            return melds

        def several(held: int, order_reversed: bool) -> Sequence[Meld]:
            over = held & (below if order_reversed else above)
            return self._sets_in(over, size) if over else ()

        return single if size == 1 else several

    def _sets_in(self, cards: int, size: int) -> list[Meld]:
        """The sets of a size in some cards, in canonical order."""
        jokers = (cards & JOKERS).bit_count()
        melds = [*self._jokers[jokers][size]]
        sets = self._sets[jokers]
        try:
            for ranks in self._ranks:
                melds += sets[cards & ranks][size]
        except KeyError:
            self._meet_ranks(cards, jokers)
            return self._sets_in(cards, size)
        melds.sort(key=BY_KEY)
        return melds

    def _sequences_in(self, held: int, size: int) -> list[Meld]:
        """The sequences of a size in a hand, in no particular order."""
        jokers = (held & JOKERS).bit_count()
        suited = self._suited[jokers]
        single = held | held >> COPY if self._two_decks else held
        try:
            return [m for suit in SUITED for m in suited[single & suit][size]]
        except KeyError:
            self._meet_suits(held, jokers)
            return self._sequences_in(held, size)

    def _meet_suits(self, held: int, jokers: int) -> None:
        """Work out what the suits of a hand hold, as far as they have not been met before."""
        known = self._suited[jokers]
        single = held | held >> COPY if self._two_decks else held
        for suit in SUITED:
            if single & suit not in known:
                known[single & suit] = self._suited_of(jokers, single & suit)

    def _meet_ranks(self, held: int, jokers: int) -> None:
        """Work out what the ranks of a hand hold, as far as they have not been met before."""
        known = self._sets[jokers]
        for ranks in self._ranks:
            if held & ranks not in known:
                known[held & ranks] = self._sets_of(jokers, held & ranks)

    def _joker_sets(self, jokers: int) -> BySize:
        """The sets of some jokers alone, by size."""
        return _by_size(map(joker_set, range(1, min(jokers, self.forms.max_set) + 1)))

    def _sets_of(self, jokers: int, cards: int) -> BySize:
        """All sets from some natural cards and jokers, by size; natural cards in each."""
        known = self._rank[jokers]
        parts = (cards & rank for rank in RANK_MASKS)
        return _by_size(m for part in parts if part for m in known[part])

    def _rank_of(self, jokers: int, cards: int) -> tuple[Meld, ...]:
        """All sets from some natural cards of one rank and jokers."""
        wild = jokers if self.forms.joker_wild else 0
        melds: list[Meld] = []
        for part in _parts(canonical(cards)):
            most = min(wild, self.forms.max_set - part.bit_count())
            for count in range(most + 1):
                melds += self._named_sets(part, count)
        return tuple(melds)

    def _named_sets(self, natural: int, jokers: int) -> Iterator[Meld]:
        """The set of `natural` cards with `jokers`, once for each way its jokers may name suits."""
        rank = rank_of(natural.bit_length() - 1)
        cards = natural | ((1 << jokers) - 1) << FIRST_JOKER
        if not jokers or not self.forms.named_suits:
            yield meld(SET, cards, (), rank)
            return
        for suits in _free_suits(natural, jokers, self.forms.decks):
            yield meld(SET, cards, tuple(rank * 4 + s for s in suits), rank)

    def _suited_of(self, jokers: int, cards: int) -> BySize:
        """All singles and sequences from `cards` of one suit, with jokers in the sequences."""
        melds = [SINGLES[c] for c in ids(cards)]
        wild = jokers if self.forms.joker_wild else 0
        if self.forms.sequences and cards:
            suit = suit_of(cards.bit_length() - 1)
            ranks = cards >> suit
            for window, mask, least in self._windows[wild][len(melds)]:
                if (ranks & mask).bit_count() >= least:
                    melds += _runs(suit, window, ranks, least=least)
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


def _stronger_cards(*, equal: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each order and each place 0..13, the cards that beat a set lying there."""
    gap = 0 if equal else 1
    normal = [JOKERS + sum(RANK_MASKS[r] for r in range(p + gap, 13)) for p in range(13)]
    order_reversed = [
        JOKERS + sum(RANK_MASKS[r] for r in range(p - gap, -1, -1)) for p in range(13)
    ]
    top = JOKERS if equal else 0
    return (*normal, top), (*order_reversed, top)


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


def _runs(suit: int, window: tuple[int, ...], ranks: int, *, least: int) -> Iterator[Meld]:
    """The sequences over `window` with at least so many natural cards, of those in `ranks`."""
    held = [p for p in window if 0 <= p <= TWO and ranks >> 4 * p & 1]
    for count in range(least, len(held) + 1):
        for natural in combinations(held, count):
            yield _run(suit, window, natural)


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
