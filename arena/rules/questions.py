"""Questions that a rule puts to a seat: how one is formed when its time comes, and what answers it.

A `Pending` question says who is asked what; only when it is asked is it known what the seat holds,
and so which answers there are. Nothing here decides what an answer does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product

from arena.rules.cards import (
    FIRST_JOKER,
    NATURAL,
    ORDER,
    RANK_MASKS,
    canonical,
    ids,
    mask_of,
    rank_of,
)
from arena.rules.events import Asked, Due, Pending, Question, Way
from arena.rules.ruleset import Ruleset
from arena.rules.state import State


def ask_next(rules: Ruleset, s: State, queue: tuple[Pending, ...], due: Due | None) -> Asked | None:
    """Ask the first of the queue that there is anything to ask about; None if there is none."""
    while queue:
        question = form(rules, s, queue[0])
        queue = queue[1:]
        if question is not None:
            return Asked((question,), queue, due)
    return None


def form(rules: Ruleset, s: State, pending: Pending) -> Question | None:
    """The question as it can be asked now, or None where the seat has nothing to choose from."""
    seat, count = pending.seat, pending.most
    if pending.kind in ("throw", "accept"):
        return Question(seat, pending.kind, pending.rule, 1, 1)
    if pending.kind == "ask":
        return Question(seat, "ask", pending.rule, 0, count, to=pending.to)
    held = canonical(s.held[seat])
    most = min(count, held.bit_count())
    if not most:
        return None
    if pending.kind == "name" and pending.pick != "held":
        return Question(seat, "name", pending.rule, count, count)
    if pending.kind == "name":
        return Question(seat, "name", pending.rule, 0, most, (((held & NATURAL, most),),))
    if pending.pick == "highest":
        ways = rules.deal.highest(s, seat, most)
    elif pending.pick == "up_to":
        ways = tuple(((held, n),) for n in range(most + 1))
    else:
        ways = (((held, most),),)
    least = 0 if pending.pick == "up_to" else most
    return Question(seat, pending.kind, pending.rule, least, most, ways, pending.to)


def fits(question: Question, cards: int) -> bool:
    """Is this set of canonical cards one of the ways to answer?"""
    return any(_matches(way, cards) for way in question.ways)


def _matches(way: Way, cards: int) -> bool:
    """Does a way take exactly these cards?"""
    whole = 0
    for mask, count in way:
        if (cards & mask).bit_count() != count:
            return False
        whole |= mask
    return not cards & ~whole


def lowest_answer(question: Question) -> int:
    """The lowest cards that answer a question: fewest, then lowest ranks, then card order."""
    return min((_lowest_of(way) for way in question.ways), key=_lowness)


def _lowest_of(way: Way) -> int:
    """The lowest cards by one way."""
    cards = 0
    for mask, count in way:
        rising = sorted(ids(mask), key=lambda c: (rank_of(c), ORDER[c]))
        cards |= mask_of(rising[:count])
    return canonical(cards)


def _lowness(cards: int) -> tuple[int, list[int], list[int]]:
    """Fewest cards, lowest ranks, card order."""
    ranks = sorted((rank_of(c) for c in ids(cards)), reverse=True)
    return cards.bit_count(), ranks, sorted(ORDER[c] for c in ids(cards))


def card_answers(question: Question) -> Iterator[int]:
    """Every set of cards that answers a question, each once, as canonical masks.

    By any one way in canonical order; there may be millions, so take no more than needed.
    """
    given = set()
    for way in question.ways:
        parts = [combinations(_single_bits(mask), count) for mask, count in way]
        for chosen in product(*parts) if len(parts) > 1 else ((part,) for part in parts[0]):
            cards = canonical(sum(sum(part) for part in chosen))
            if cards not in given:
                given.add(cards)
                yield cards


def _single_bits(mask: int) -> list[int]:
    """The cards of a mask in card order, each as a mask of its own."""
    return [1 << card for card in sorted(ids(mask), key=ORDER.__getitem__)]


def rank_answers(question: Question) -> Iterator[tuple[int, ...]]:
    """Every way to name different ranks, fewest first."""
    for count in range(question.least, question.most + 1):
        yield from combinations(ranks_to_name(question), count)


def ranks_to_name(question: Question) -> tuple[int, ...]:
    """The ranks that may be named: all, or those of the cards that the question speaks of."""
    held = sum(mask for way in question.ways for mask, _ in way)
    return tuple(rank for rank in range(13) if not question.ways or held & RANK_MASKS[rank])


def wish_answers(question: Question) -> Iterator[tuple[tuple[int, int | None], ...]]:
    """Every way to ask for as many cards as the question allows, by rank or by card."""
    names: list[tuple[int, int | None]] = [(rank, None) for rank in range(14)]
    names += [(rank_of(c), c % 4) for c in range(FIRST_JOKER)]
    for count in range(question.least, question.most + 1):
        yield from combinations_with_replacement(names, count)
