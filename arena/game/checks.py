"""What has to hold of a position that somebody wrote: deal, trick, numbers, and who is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from arena.game.asking import formed
from arena.game.position import Position
from arena.game.worlds import Spreading
from arena.rules import Ruleset
from arena.rules.cards import JOKERS
from arena.rules.events import Played, Question
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
        if state.due is not None or state.queue:
            part("due" if state.due else "queue").wrong("nothing, since nobody is asked")


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
    if question.rule == "exchange":
        if not state.setup.before:
            wrong("an exchange only where before= says how the last hand ended")
        if not exchange_steps(rules, state):
            wrong("no exchange, since the ruleset has none")
    if position.seat not in (None, question.seat):
        return
    try:
        again = formed(rules, state, question)
    except (IndexError, StopIteration):
        wrong("a step of the exchange of the ruleset")
    if (again.least, again.most) != (question.least, question.most):
        wrong(f"a question for {again.least} to {again.most} cards, ranks or wishes")
