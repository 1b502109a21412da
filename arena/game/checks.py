"""What has to hold of a position that somebody wrote: deal, trick, numbers, and who is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from arena.game.asking import formed
from arena.game.consistency import broken_law
from arena.game.position import Position, opening
from arena.game.worlds import Spreading
from arena.rules import Ruleset, legal
from arena.rules.cards import JOKERS
from arena.rules.events import Pending, Played, Question
from arena.rules.needs import is_on
from arena.rules.opening import exchange_steps

CARRIERS = ("nana_watashi", "nine_modoshi", "yagiri", "ace_take", "four_take", "rob", "dokusen")
"""The options by which somebody may hold more cards after the deal than were dealt to him."""


class Wrong(Protocol):
    """A part of the line that can say what is wrong with it."""

    def wrong(self, expected: str) -> NoReturn: ...


def check_trick(rules: Ruleset, trick: Sequence[Played], wrong: Callable[[str], NoReturn]) -> None:
    """Refuse a play that no rule lets follow the one before it."""
    if len(trick) < 2:
        return
    pile, meld = trick[-2].meld, trick[-1].meld
    if rules.awake_on(pile).trumps:
        return
    if meld.kind is not pile.kind or meld.size != pile.size:
        wrong("a play of the kind and size of the one before it")
    if not any(rules.shapes.beats(meld, pile, order) for order in (False, True)):
        wrong("a play that beats the one before it in one of the orders")


def check_hand(position: Position, part: Callable[[str], Wrong]) -> None:
    """Refuse what does not go together, naming the field by `part`."""
    _check_asked(position, part)
    _check_numbers(position, part)
    law = broken_law(position.state, position.counts)
    if law is not None:
        part(law.field).wrong(law.expected)
    _check_lots(position, part)
    if _contradicts_itself(position):
        part("held").wrong("cards and numbers that some deal agrees with")


def _check_asked(position: Position, part: Callable[[str], Wrong]) -> None:
    """Exactly one of: somebody is to move, somebody is asked, the hand is over."""
    state = position.state
    said = [
        name
        for name, on in (
            ("move", state.to_move >= 0),
            ("asked", state.questions),
            ("places", state.places),
        )
        if on
    ]
    if not said:
        part("move").wrong("move=, asked= or places=")
    if len(said) > 1:
        part(said[1]).wrong(f"not both {said[0]} and {said[1]}")
    if state.to_move >= 0:
        # In the exchange a small hand may have been given away to its last card.
        has_cards = position.counts[state.to_move] or state.setup.before
        if not state.active >> state.to_move & 1 or not has_cards:
            part("move").wrong("a seat that holds cards and is in the hand")


def _check_numbers(position: Position, part: Callable[[str], Wrong]) -> None:
    """Refuse more or fewer cards than the pack has, or than can be in one hand."""
    state, rules = position.state, position.rules
    rest = sum(batch.size for batch in position.batches)
    there = sum(position.counts) + state.table.bit_count() + state.gone.bit_count() + rest
    there += rules.deal.blind
    total = len(rules.deck)
    if there != total:
        part("held").wrong(f"{total} cards in all with those on the table and gone, not {there}")
    if any(is_on(rules.options[name]) for name in CARRIERS):
        return
    if state.setup.before and exchange_steps(rules, state):
        return
    most = -(-(total - rules.deal.blind) // rules.players)
    for seat, count in enumerate(position.counts):
        if count > most:
            part("held").wrong(f"at most {most} cards in a hand, not {count} at seat {seat}")


def _check_lots(position: Position, part: Callable[[str], Wrong]) -> None:
    """Where all is known, refuse what leaves out the lots that still matter."""
    if position.seat is not None:
        return
    state, lots = position.state, position.state.setup.lots
    if opening(state) and not lots.leader:
        part("leader").wrong("leader=, the seats in the order of their lots for the lead")
    if position.rules.play.idle_by_lot and not state.places and not lots.idle:
        part("idle_order").wrong("idle_order=, the seats in the order of their lots")


def _contradicts_itself(position: Position) -> bool:
    """Is there no deal that agrees with the position?"""
    if position.seat is not None:
        return not Spreading(position).count()
    blind = position.state.setup.blind
    return blind.bit_count() != position.rules.deal.blind or bool(blind & JOKERS)


def check_question(
    position: Position, question: Question, wrong: Callable[[str], NoReturn]
) -> None:
    """Refuse a question that the rules would not ask so."""
    state, rules = position.state, position.rules
    if not state.active >> question.seat & 1:
        wrong("a seat that is in the hand")
    if question.kind in ("give", "ask"):
        if question.to in (-1, question.seat) or not state.active >> question.to & 1:
            wrong("behind > another seat that is in the hand")
    elif question.to >= 0:
        wrong(f"no > where somebody is asked to {question.kind}")
    if question.rule == "exchange":
        _check_exchange(position, question, wrong)
    if position.seat not in (None, question.seat):
        return
    again = formed(rules, state, question)
    if (again.least, again.most) != (question.least, question.most):
        wrong(f"a question for {again.least} to {again.most} cards, ranks or wishes")
    if not legal(rules, state.changed(questions=(again,)), question.seat):
        wrong("a question that can be answered")


def _check_exchange(
    position: Position, question: Question, wrong: Callable[[str], NoReturn]
) -> None:
    """Refuse a gift or a wish that is no step of the exchange."""
    state = position.state
    if not state.setup.before:
        wrong("an exchange only where before= says how the last hand ended")
    steps = exchange_steps(position.rules, state)
    if not steps:
        wrong("no exchange, since the ruleset has none")
    same = [s for s in steps if s[:2] == question[:2] and s.to == question.to]
    if not any(question.most in (step.most, _fewer(position, step)) for step in same):
        said = (f"{s.seat}.{s.kind} of {s.most} to {s.to}" for s in steps)
        wrong("a step of the exchange: " + ", ".join(said))
    left = len(steps) - len(state.queue)
    if position.rules.deal.order != "together" and left < 1:
        wrong(f"after at most {len(steps) - 1} steps in queue=")


def _fewer(position: Position, step: Pending) -> int:
    """How many cards a giver gives who does not hold enough of them."""
    return min(step.most, position.counts[step.seat]) if step.kind == "give" else step.most
