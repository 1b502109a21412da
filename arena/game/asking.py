"""Questions formed again from what a seat holds: what the events of others leave out of them."""

from __future__ import annotations

from arena.rules import Ruleset, State
from arena.rules.answers import EXCHANGE
from arena.rules.events import Pending, Question
from arena.rules.opening import exchange_steps
from arena.rules.questions import form


def with_ways(rules: Ruleset, state: State) -> State:
    """The same state with the ways to answer its questions, by what each seat holds in it."""
    if not state.questions:
        return state
    questions = tuple(formed(rules, state, question) for question in state.questions)
    return state.changed(questions=questions)


def with_own_ways(rules: Ruleset, state: State, seat: int | None) -> State:
    """The same for the question of one seat; None for those of all."""
    if seat is None:
        return with_ways(rules, state)
    own = state.question_for(seat)
    if own is None:
        return state
    again = formed(rules, state, own)
    return state.changed(questions=tuple(again if q is own else q for q in state.questions))


def formed(rules: Ruleset, state: State, question: Question) -> Question:
    """A question with the ways to answer it; as it is where the seat has nothing to choose from."""
    seat, kind, rule, _, most, _, to, since = question
    pending = Pending(seat, kind, rule, most, to, pick_of(rules, state, question))
    again = form(rules, state, pending)
    return question if again is None else again._replace(since=since)


def pick_of(rules: Ruleset, state: State, question: Question) -> str:
    """How the cards of a question are chosen, as `Pending.pick` has it."""
    if question.rule == EXCHANGE and question.kind == "give":
        return step_of(rules, state, question.seat, to=question.to).pick
    if question.kind == "name":
        return "any" if question.least else "held"
    return "any" if question.least else "up_to"


def step_of(rules: Ruleset, state: State, giver: int, *, to: int) -> Pending:
    """The step of the exchange by which a seat gives now."""
    steps = exchange_steps(rules, state)
    if rules.deal.order != "together":
        return steps[len(steps) - len(state.queue) - 1]
    return next(s for s in steps if s.kind == "give" and (s.seat, s.to) == (giver, to))
