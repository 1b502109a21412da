"""What a seat may answer now: all of it, in canonical order, and the answer given at a deadline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Final

from arena.compiled.classes import mypyc_attr
from arena.rules.admit import refuses
from arena.rules.cards import JOKERS, ORDER, ids
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.events import Question
from arena.rules.melds import Meld
from arena.rules.memo import Memo
from arena.rules.questions import card_answers, lowest_answer, rank_answers, wish_answers
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.wiring import Trump

MUST_SHOW: Final = "must_show"  # the mark of a card that the first play has to contain
MOST_ANSWERS: Final = 4096  # listed to one question; more are legal where more exist
BY_KEY: Final = attrgetter("key")


@mypyc_attr(acyclic=True, free_list_len=1)
class Menu:
    """All answers of one seat in canonical order: to a move the pass and the melds, to a question
    the others; size: how many there are.

    `legal` fills one in at every move and nothing writes to it afterwards; a `NamedTuple` would
    make every hand take 5 % longer.
    """

    __slots__ = ("may_pass", "melds", "others", "seat", "size")

    seat: int
    may_pass: bool
    melds: Sequence[Meld]
    others: Sequence[Answer]
    size: int

    def __len__(self) -> int:
        return self.size

    def answer(self, index: int) -> Answer:
        """The answer at an index of the canonical list; IndexError if there is none."""
        if self.may_pass:
            if not index:
                return PASSES[self.seat]
            index -= 1
        if index < 0:
            raise IndexError(index)
        if self.melds:
            return PLAYS[self.seat][self.melds[index]]
        return self.others[index]

    def __getitem__(self, index: int) -> Answer:
        return self.answer(index)

    def __iter__(self) -> Iterator[Answer]:
        return (self.answer(index) for index in range(self.size))


def _play_of(seat: int, meld: Meld) -> Play:
    """The answer that lays a meld."""
    return Play(seat, meld.cards, meld.roles or None)


PLAYS: Final[tuple[dict[Meld, Play], ...]] = tuple(
    Memo(partial(_play_of, seat)) for seat in range(8)
)
"""By seat and meld: the answer that lays it."""
PASSES: Final = tuple(Pass(seat) for seat in range(8))


def _menu(seat: int, may_pass: bool, melds: Sequence[Meld], others: Sequence[Answer] = ()) -> Menu:
    menu = Menu()
    menu.seat = seat
    menu.may_pass = may_pass
    menu.melds = melds
    menu.others = others
    menu.size = may_pass + len(melds) + len(others)
    return menu


PASS_ONLY: Final = tuple(_menu(seat, True, ()) for seat in range(8))
"""Who has no legal play may always pass: on a pile, and as a leader for want of anything else."""


def legal(rules: Ruleset, s: State, seat: int, moving: bool = False) -> Menu:
    """Everything that `seat` may answer now; empty if nothing waits for it.

    moving: everything that it might answer, were it its move.
    """
    if s.to_move != seat and not moving:
        return _to_question(s, seat)
    trick = s.trick
    pile = trick[-1].meld if trick else None
    try:
        awake = rules.pile_rules[pile]
    except KeyError:
        awake = rules.awake_on(pile)
    melds = awake.finder.find(s.held[seat], s.revolution is not s.jack)
    if melds:
        for bar in awake.all_bars if s.trick_marks else awake.bars:
            melds = [m for m in melds if not bar.forbids(s, seat, m)]
    if awake.trumps:
        more = [m for m in _trumps(rules, s, seat, awake.trumps) if m not in melds]
        melds = sorted([*melds, *more], key=BY_KEY) if more else melds
    if not melds:
        return PASS_ONLY[seat]
    menu = Menu()
    menu.seat = seat
    menu.may_pass = may_pass = True if trick else may_pass_lead(rules, s)
    menu.melds = melds
    menu.others = ()
    menu.size = may_pass + len(melds)
    return menu


def _to_question(s: State, seat: int) -> Menu:
    """Every answer to the question that waits for a seat, if one does."""
    question = s.question_for(seat)
    answers = islice(_answers(question), MOST_ANSWERS) if question else ()
    return _menu(seat, False, (), tuple(answers))


def may_pass_lead(rules: Ruleset, s: State) -> bool:
    """May the leader pass though he has a play? Not before a card that has to be shown (OR-66)."""
    return rules.play.lead_pass and not s.hand_marks.get(MUST_SHOW)


def has_play(rules: Ruleset, s: State, seat: int) -> bool:
    """Could `seat` lay anything, were it its move?"""
    return bool(legal(rules, s, seat, True).melds)


def default(rules: Ruleset, s: State, seat: int) -> Answer:
    """The referee's answer for a seat: pass if allowed, else the lowest legal answer.

    Lowest: fewest cards, then weakest in the order in force, then card order; for cards owed, the
    lowest ones.
    """
    question = s.question_for(seat)
    if question is None:
        return Pass(seat) if s.trick or may_pass_lead(rules, s) else _lowest_play(rules, s, seat)
    if question.kind in ("give", "discard"):
        cards = lowest_answer(question)
        return Give(seat, cards) if question.kind == "give" else Discard(seat, cards)
    return next(iter(_answers(question)))


def _lowest_play(rules: Ruleset, s: State, seat: int) -> Answer:
    """The weakest lead, or a pass if there is none."""
    melds = legal(rules, s, seat).melds
    if not melds:
        return Pass(seat)
    low = min(melds, key=lambda m: (m.size, m.strength_in(s.order_reversed), m.key))
    return PLAYS[seat][low]


def _trumps(rules: Ruleset, s: State, seat: int, trumps: tuple[Trump, ...]) -> list[Meld]:
    """The melds in a hand that may be laid because some rule permits what the order refuses."""
    candidates = {meld for trump in trumps for meld in trump.find(s, s.held[seat])}
    return [meld for meld in candidates if refuses(rules, s, seat, meld) is None]


def _answers(question: Question) -> Iterator[Answer]:
    """Every answer to a question, in canonical order."""
    seat = question.seat
    if question.kind == "throw":
        yield from (Throw(seat, shape) for shape in range(3))
    elif question.kind == "accept":
        yield from (Accept(seat, yes) for yes in (False, True))
    elif question.kind == "name":
        yield from (Name(seat, ranks) for ranks in rank_answers(question))
    elif question.kind == "ask":
        yield from (Ask(seat, wishes) for wishes in wish_answers(question))
    else:
        kind = Give if question.kind == "give" else Discard
        for cards in sorted(islice(card_answers(question), MOST_ANSWERS), key=card_order):
            yield kind(seat, cards)


def card_order(cards: int) -> tuple[int, list[int]]:
    """Canonical order of sets of cards: how many, then one by one in card order."""
    jokers = (cards & JOKERS).bit_count()
    natural = sorted(ORDER[c] for c in ids(cards & ~JOKERS))
    return cards.bit_count(), natural + [52] * jokers
