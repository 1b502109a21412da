"""Playing and passing: from a command to the events that follow, in the order of `rules.md` 3.7."""

from __future__ import annotations

from arena.errors import Reason, Refused
from arena.rules.admit import admit, check_turn, foul_of
from arena.rules.commands import Pass, Play
from arena.rules.events import (
    PASSED,
    TO_MOVE,
    Due,
    Event,
    Marked,
    Pending,
    Played,
    Reversed,
    Scope,
)
from arena.rules.evolve import evolve
from arena.rules.legal import plays
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.turns import idle_end, onward, pass_lead, resume, settle
from arena.rules.wiring import Clear, Flip, OnPlay, Ruleset, Skip, Turn

NOTHING_DUE = tuple(Due(seat) for seat in range(8))


def play(rules: Ruleset, s: State, command: Play) -> list[Event]:
    """A meld is laid."""
    meld = admit(rules, s, command)
    seat = command.seat
    events: list[Event] = [Played(seat, meld)]
    effects = rules.wake(meld)
    last = s.held[seat].bit_count() == meld.size
    due = NOTHING_DUE[seat]
    queue: tuple[Pending, ...] = ()
    if effects:
        due, queue = effects_of(s, seat, meld, effects, events)
    if due is NOTHING_DUE[seat] and not queue and not last and not rules.play.auto_clear:
        following = _next_after_play(rules, s, seat)
        if following >= 0:
            events.append(TO_MOVE[following])
            return events
    after = evolve(s, events)
    if queue and after.held[seat]:
        return events + resume(rules, after, queue, due)
    foul = foul_of(rules, s, seat, meld) if last and not rules.play.refuse_fouls else ""
    return events + settle(rules, after, due, foul=foul)


def _next_after_play(rules: Ruleset, s: State, seat: int) -> int:
    """The seat that moves after a plain play, without folding it; -1 where the trick ends at once.

    Must agree with `onward` on the state after the play.
    """
    bit = 1 << seat
    may_act = rules.play.may_act(s.active, s.barred, s.acted | bit, bit)
    return rules.next_seat[s.direction > 0][seat][may_act]


def effects_of(
    s: State, seat: int, meld: Meld, effects: tuple[OnPlay, ...], events: list[Event]
) -> tuple[Due, tuple[Pending, ...]]:
    """What the effects of a play bring: events are added; what is due later, and questions.

    Every effect sees the state before the play.
    """
    due = NOTHING_DUE[seat]
    queue: list[Pending] = []
    flips: list[Flip] = []
    turn: Turn | None = None
    for effect in effects:
        for result in effect(s, seat, meld):
            if isinstance(result, Marked):
                events.append(result)
            elif isinstance(result, Flip):
                flips.append(result)
            elif isinstance(result, Clear):
                due = due._replace(clear=due.clear or result.by)
            elif isinstance(result, Skip):
                due = due._replace(skips=due.skips + result.number, skip_rule=result.by)
            elif isinstance(result, Turn):
                turn = result
            else:
                queue.append(result)
    if flips:
        _flip(s, flips, events, clears=bool(due.clear))
    if turn is not None and not (turn.unless_clear and due.clear):
        due = due._replace(turn=turn.by)
    return due, tuple(queue)


def _flip(s: State, flips: list[Flip], events: list[Event], *, clears: bool) -> None:
    """Reversals in their order; two of one scope in a play come on top of each other (C-5)."""
    now: dict[Scope, bool] = {"hand": s.revolution, "pending": s.pending, "trick": s.jack}
    for flip in flips:
        if flip.scope == "trick" and clears:
            continue
        now[flip.scope] = not now[flip.scope]
        events.append(Reversed(flip.scope, now[flip.scope], flip.by))


def pass_(rules: Ruleset, s: State, command: Pass) -> list[Event]:
    """A seat passes."""
    seat = command.seat
    if s.to_move != seat:
        check_turn(s, seat)
    if not s.trick:
        _check_lead_pass(rules, s, seat)
    passed = PASSED[rules.play.lockout][seat]
    most = rules.play.max_idle
    if s.trick and not (most and s.idle + 1 >= most):
        quick = _plain_pass(rules, s, seat)
        if quick >= 0:
            return [passed, TO_MOVE[quick]]
    after = evolve(s, (passed,))
    if most and after.idle >= most:
        return [passed, idle_end(rules, after, seat)]
    if not s.trick:
        return [passed, *pass_lead(rules, after, seat)]
    return [passed, *onward(rules, after, seat)]


def _plain_pass(rules: Ruleset, s: State, seat: int) -> int:
    """The seat that moves after a pass in a trick that goes on; -1 where more has to be looked at.

    Must agree with `onward` on the state after the pass.
    """
    bit = 1 << seat
    play = rules.play
    owner = 1 << s.trick[-1].seat
    may_act = play.may_act(s.active, s.passed | s.barred | bit, s.acted | bit, owner)
    if not may_act or play.sole_survivor or play.auto_clear:
        return -1
    return rules.next_seat[s.direction > 0][seat][may_act]


def _check_lead_pass(rules: Ruleset, s: State, seat: int) -> None:
    """A leader may pass only if the ruleset says so, or if no play is legal."""
    if not rules.play.lead_pass and plays(rules, s, seat):
        raise Refused(Reason.MUST_LEAD, "the leader has to play", rule="lead_pass")
