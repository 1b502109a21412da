"""Answers of several parts, given part by part: cards to give or throw away, ranks, wishes.

The parts come in the order of their actions, so that every answer is one row of actions and no
more; a row that could be longer or end here ends with `done`. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from arena.envs.actions import CARDS_IN_ORDER, Actions, card_kinds
from arena.rules.cards import CODES, parse
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Throw
from arena.rules.events import Question
from arena.rules.questions import card_answers, ranks_to_name

CARD_KINDS = ("give", "discard")


def next_parts(actions: Actions, question: Question, chosen: Sequence[int]) -> list[int]:
    """The actions that may follow those `chosen` already, rising; empty where they are all."""
    kind = question.kind
    if kind == "throw":
        return [] if chosen else [*range(actions.throws, actions.throws + 3)]
    if kind == "accept":
        return [] if chosen else [actions.accepts, actions.accepts + 1]
    if kind in CARD_KINDS and not _one_part(question):
        return _from_list(actions, question, chosen)
    pool = dict(_pool(actions, question))
    last = chosen[-1] if chosen else -1
    room = question.most - len(chosen)
    if room <= 0:
        return []
    owed = question.least - len(chosen) - 1
    left = [(part, count - chosen.count(part)) for part, count in pool.items() if part >= last]
    after = sum(max(0, count) for _, count in left)
    found = []
    for part, count in left:
        if count > 0 and after - 1 >= owed:
            found.append(part)
        after -= max(0, count)
    if found and owed < 0:
        found.append(actions.done)
    return found


def answer_of(actions: Actions, question: Question, chosen: Sequence[int]) -> Answer:
    """The answer that some actions come to, without their `done`."""
    seat, kind = question.seat, question.kind
    if kind == "throw":
        return Throw(seat, chosen[0] - actions.throws)
    if kind == "accept":
        return Accept(seat, chosen[0] > actions.accepts)
    if kind == "name":
        return Name(seat, tuple(part - actions.ranks for part in chosen))
    if kind == "ask":
        return Ask(seat, tuple(sorted(map(actions.wish_of, chosen), key=_wish_order)))
    cards = cards_of(actions, chosen)
    return Give(seat, cards) if kind == "give" else Discard(seat, cards)


def cards_of(actions: Actions, chosen: Iterable[int]) -> int:
    """The canonical mask of the cards among some actions."""
    kinds = [part - actions.cards for part in chosen if actions.cards <= part < actions.ranks]
    return parse(CODES[CARDS_IN_ORDER[kind]] for kind in kinds)


def ranks_of(actions: Actions, chosen: Iterable[int]) -> int:
    """The ranks among some actions, as bits."""
    return sum(1 << part - actions.ranks for part in {*chosen} if _is_rank(actions, part))


def _is_rank(actions: Actions, part: int) -> bool:
    return actions.ranks <= part < actions.throws


def _wish_order(wish: tuple[int, int | None]) -> tuple[bool, int, int]:
    """Canonical order of wishes: ranks and the joker, then single cards by rank and suit."""
    rank, suit = wish
    return suit is not None, rank, suit or 0


def _one_part(question: Question) -> bool:
    """Is every way to answer so many of the same cards?"""
    ways = question.ways
    return all(len(way) == 1 and way[0][0] == ways[0][0][0] for way in ways)


def _pool(actions: Actions, question: Question) -> Iterable[tuple[int, int]]:
    """The parts that a question may be answered with, rising, and how often each may come."""
    if question.kind == "name":
        return ((actions.ranks + rank, 1) for rank in ranks_to_name(question))
    if question.kind == "ask":
        parts = range(actions.cards, actions.throws)
        return ((part, question.most) for part in parts)
    kinds = Counter(card_kinds(question.ways[0][0][0]) if question.ways else ())
    return ((actions.cards + kind, count) for kind, count in sorted(kinds.items()))


def _from_list(actions: Actions, question: Question, chosen: Sequence[int]) -> list[int]:
    """The next parts where the answers are few and of no simple form: equal highest cards."""
    rows = [[actions.cards + kind for kind in card_kinds(a)] for a in card_answers(question)]
    count = len(chosen)
    more = {row[count] for row in rows if row[:count] == [*chosen] and len(row) > count}
    ends = [*chosen] in rows
    return sorted(more) + ([actions.done] if more and ends else [])
