"""Playing and passing: from a command to its events, by “The order of effects” in `RULES.md`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.errors import Reason, Refused
from arena.rules.admit import admit, check_turn, foul_of
from arena.rules.cards import claim
from arena.rules.commands import Pass, Play
from arena.rules.events import (
    PASSED,
    PLAYED,
    Discarded,
    Due,
    Event,
    Gave,
    Marked,
    Pending,
    Played,
    Reversed,
    Scope,
    Took,
)
from arena.rules.evolve import evolve
from arena.rules.legal import has_play, may_pass_lead
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.turns import (
    clear,
    eligible_after,
    eligible_seats,
    idle_end,
    next_turn,
    next_turn_among,
    pass_lead,
    pass_lead_on,
    resume,
)
from arena.rules.wiring import (
    UNLESS_CLEAR,
    Again,
    Clear,
    DirectionReversal,
    Effect,
    OrderReversal,
    Skip,
)

AT_ONCE: Final = (Marked, Discarded, Took, Gave)
NOTHING_DUE: Final = tuple(Due(seat) for seat in range(8))


def play(rules: Ruleset, s: State, command: Play) -> list[Event]:
    """A meld is laid."""
    meld = admit(rules, s, command)
    seat = command.seat
    played = PLAYED[seat][meld]
    effects: list[Effect] = []
    for effect in rules.effects_of[meld]:
        effects += effect(s, seat, meld)
    held = s.held[seat]
    last = claim(held, meld.cards) == held
    if not (effects or last or rules.looks_ahead):  # who is next can be told without folding
        left = eligible_after(rules.play, s, seat)
        if left:
            return next_turn_among(rules, s, seat, seat, left, played)
    return _with_effects(rules, s, played, effects, last)


def _with_effects(
    rules: Ruleset, s: State, played: Played, effects: list[Effect], last: bool
) -> list[Event]:
    """A play, its effects and what follows; last: it is the last of its seat."""
    seat, meld = played.seat, played.meld
    events: list[Event] = [played]
    due, queue = apply_effects(s, NOTHING_DUE[seat], effects, events)
    if not (last or queue or rules.looks_ahead):  # who is next can be told without folding
        if due is NOTHING_DUE[seat]:
            left = eligible_after(rules.play, s, seat)
            if left:
                return events + next_turn_among(rules, s, seat, seat, left)
        elif due.clear and not due.turn and type(events[-1]) is not Reversed:
            return events + clear(rules, s, due.clear, lead=seat)
    after = evolve(s, events)
    foul = foul_of(rules, s, seat, meld) if last else ""
    if foul:
        due = due._replace(foul=foul)
    return events + resume(rules, after, queue, due)


def apply_effects(
    s: State, due: Due, effects: Iterable[Effect], events: list[Event]
) -> tuple[Due, tuple[Pending, ...]]:
    """Apply the effects of a play: events are added; what is due later and questions are returned.

    `s` is the state before the play, which every effect has seen; due: what was due before them.
    """
    queue: list[Pending] = []
    reversals: list[OrderReversal] = []
    direction: DirectionReversal | None = None
    for effect in effects:
        if isinstance(effect, AT_ONCE):
            events.append(effect)
        elif isinstance(effect, OrderReversal):
            reversals.append(effect)
        elif isinstance(effect, Clear):
            due = due._replace(clear=due.clear or effect.by)
        elif isinstance(effect, Skip):
            due = due._replace(skips=due.skips + effect.number, skip_rule=effect.by)
        elif isinstance(effect, Again):
            due = due._replace(again=effect.by)
        elif isinstance(effect, DirectionReversal):
            direction = effect
        else:
            queue.append(effect)
    if reversals:
        _reverse_order(s, reversals, events, clears=bool(due.clear))
    if direction is not None and not (direction.unless_clear and due.clear):
        due = due._replace(turn=direction.by)
    if queue and due.clear:
        queue = [pending for pending in queue if pending.pick != UNLESS_CLEAR]
    return due, tuple(queue)


def _reverse_order(
    s: State, reversals: list[OrderReversal], events: list[Event], *, clears: bool
) -> None:
    """Reversals in their order; two of one scope in a play come on top of each other (C-5)."""
    now: dict[Scope, bool] = {"hand": s.revolution, "pending": s.pending, "trick": s.jack}
    for reversal in reversals:
        if reversal.scope == "trick" and clears:
            continue
        now[reversal.scope] = not now[reversal.scope]
        events.append(Reversed(reversal.scope, now[reversal.scope], reversal.by))


def pass_(rules: Ruleset, s: State, command: Pass) -> list[Event]:
    """A seat passes."""
    seat, trick, play = command.seat, s.trick, rules.play
    if s.to_move != seat:
        check_turn(s, seat)
    if not (trick or may_pass_lead(rules, s)):
        _check_lead_pass(rules, s, seat)
    passed = PASSED[play.lockout][seat]
    if s.idle + 1 == play.max_idle:
        return [passed, *idle_end(rules, evolve(s, [passed]), seat)]
    if trick and not rules.looks_ahead:  # who is next can be told without folding
        left = eligible_seats(play, s, 1 << seat)
        return next_turn_among(rules, s, seat, trick[-1].seat, left, passed)
    if play.lead_pass and not trick:
        barred = s.barred | 1 << seat if play.lockout else s.barred
        return [passed, *pass_lead_on(rules, s, seat, barred=barred)]
    after = evolve(s, [passed])
    return [passed, *(next_turn if trick else pass_lead)(rules, after, seat)]


def _check_lead_pass(rules: Ruleset, s: State, seat: int) -> None:
    """A leader may pass without being allowed to only if no play is legal."""
    if has_play(rules, s, seat):
        raise Refused(Reason.MUST_LEAD, "the leader has to play", rule="lead_pass")
