"""Answers to questions: cards given, thrown away or laid aside, ranks named, cards asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from arena.errors import Reason, Refused
from arena.rules.cards import JOKER_RANK, RANK_MASKS, canonical, claim, codes
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Throw
from arena.rules.events import (
    Accepted,
    Discarded,
    Event,
    Gave,
    Named,
    Promised,
    Question,
    Thrown,
    Wished,
)
from arena.rules.evolve import evolve
from arena.rules.opening import begin_play, janken_round
from arena.rules.play import apply_effects
from arena.rules.questions import fits, ranks_to_name
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.turns import resume

EXCHANGE: Final = "exchange"


def give(rules: Ruleset, s: State, command: Give) -> list[Event]:
    """Cards for another seat: face down and at once, or laid aside until all have done so."""
    question = _question(s, command, "give")
    _check_cards(s, question, command.cards)
    count = command.cards.bit_count()
    if question.rule == EXCHANGE and rules.deal.order == "together":
        return _together(rules, s, Promised(question.seat, question.to, command.cards, count))
    gave = Gave(question.seat, question.to, command.cards, count, question.rule)
    return [gave, *_continue(rules, evolve(s, (gave,)))]


def _together(rules: Ruleset, s: State, promised: Promised) -> list[Event]:
    """The exchange takes place when the last of its cards have been laid aside."""
    events: list[Event] = [replace(promised, by=EXCHANGE)]
    after = evolve(s, events)
    if after.questions:
        return events
    gifts = [Gave(p.seat, p.to, p.cards, p.size, EXCHANGE) for p in after.setup.promised]
    return [*events, *gifts, *_continue(rules, evolve(after, gifts))]


def discard(rules: Ruleset, s: State, command: Discard) -> list[Event]:
    """Cards thrown away face down."""
    question = _question(s, command, "discard")
    _check_cards(s, question, command.cards)
    count = command.cards.bit_count()
    thrown = Discarded(question.seat, command.cards, count, False, question.rule)
    return [thrown, *_continue(rules, evolve(s, (thrown,)))]


def name(rules: Ruleset, s: State, command: Name) -> list[Event]:
    """Ranks named: everybody throws away all cards of them, face up."""
    question = _question(s, command, "name")
    if not all(0 <= rank < JOKER_RANK for rank in command.ranks):
        raise Refused(Reason.BAD_NAME, "name ranks from 3 to 2", rule=question.rule)
    ranks = command.ranks
    if not question.least <= len(ranks) <= question.most:
        reason = Reason.TOO_FEW if len(ranks) < question.least else Reason.TOO_MANY
        number = f"up to {question.most}" if question.least < question.most else str(question.most)
        raise Refused(reason, f"name {number} different ranks", rule=question.rule)
    if len(set(ranks)) < len(ranks):  # OR-74
        raise Refused(Reason.BAD_NAME, "name each rank once", rule=question.rule)
    if not set(ranks) <= set(ranks_to_name(question)):
        raise Refused(Reason.BAD_NAME, "name ranks that you hold", rule=question.rule)
    events: list[Event] = [Named(command.seat, ranks, question.rule)]
    wanted = sum(RANK_MASKS[rank] for rank in ranks)
    for seat, held in enumerate(s.held):
        if s.active >> seat & 1 and held & wanted:
            cards = canonical(held & wanted)
            events.append(Discarded(seat, cards, cards.bit_count(), True, question.rule))
    return events + _continue(rules, evolve(s, events))


def ask(rules: Ruleset, s: State, command: Ask) -> list[Event]:
    """Cards asked for in the exchange (PG-103)."""
    question = _question(s, command, "ask")
    if len(command.wishes) > question.most:
        detail = f"ask for at most {_number(question.most)}"
        raise Refused(Reason.TOO_MANY, detail, rule=question.rule)
    wished = Wished(command.seat, question.to, command.wishes, question.rule)
    return [wished, *_continue(rules, evolve(s, (wished,)))]


def throw(rules: Ruleset, s: State, command: Throw) -> list[Event]:
    """A shape in janken; when all have thrown, the round is shown."""
    question = _question(s, command, "throw")
    events: list[Event] = [Thrown(command.seat, command.shape, question.rule)]
    after = evolve(s, events)
    return events if after.questions else events + janken_round(rules, after)


def accept(rules: Ruleset, s: State, command: Accept) -> list[Event]:
    """Whether an effect of a play takes place; what follows from the play waits for it."""
    question = _question(s, command, "accept")
    events: list[Event] = [Accepted(question.seat, command.yes, question.rule)]
    due, queue = s.due, s.queue
    assert due is not None, "an effect is part of a play"
    if command.yes:
        effects = rules.outcomes[question.rule](s, question.seat)
        due, more = apply_effects(s, due, effects, events)
        queue = (*more, *queue)
    return events + resume(rules, evolve(s, events), queue, due)


def _number(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _question(s: State, command: Answer, kind: str) -> Question:
    """The question that this answers, or `Refused`."""
    if s.places:
        raise Refused(Reason.HAND_OVER, "the hand is over")
    if not s.questions:
        raise Refused(Reason.NO_CHOICE, "nobody has been asked anything")
    question = s.question_for(command.seat)
    if question is None:  # OR-61: whatever kind of answer it is
        seats = " and ".join(str(asked.seat) for asked in s.questions)
        raise Refused(Reason.CHOICE_PENDING, f"the question is for seat {seats}")
    if question.kind != kind:
        raise Refused(Reason.CHOICE_PENDING, f"the question asks to {question.kind}, not to {kind}")
    return question


def _check_cards(s: State, question: Question, cards: int) -> None:
    """Refuse cards that are not held, too many, too few, or not among those that are owed."""
    names = codes(cards)
    if cards and not claim(s.held[question.seat], cards):
        detail = "the cards are not all in the hand"
        raise Refused(Reason.NOT_IN_HAND, detail, rule=question.rule, cards=names)
    if len(names) > question.most:
        detail = f"at most {_number(question.most)}"
        raise Refused(Reason.TOO_MANY, detail, rule=question.rule, cards=names)
    if len(names) < question.least:
        detail = f"at least {_number(question.least)}"
        raise Refused(Reason.TOO_FEW, detail, rule=question.rule, cards=names)
    if not fits(question, cards):
        detail = "these are not the cards that are owed"
        raise Refused(Reason.NOT_OWED, detail, rule=question.rule, cards=names)


def _continue(rules: Ruleset, s: State) -> list[Event]:
    """After an answer: the next question, the rest of the play, or the lead after the exchange."""
    due = s.due
    if due is None:
        return begin_play(rules, s, s.queue)
    return resume(rules, s, s.queue, due)
