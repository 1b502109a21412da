"""Acting: the way of an answer from a token to the log.

Decide before write, write before ring, ring after the commit. Every change of a hand, whoever
causes it, is drafted here (`draft`) and goes through `commit`; nothing else appends to a log. A
step that ends a hand is written together with the hand's result, so no crash can part the two.

Retries: the turn id is the idempotency key. What closed a turn is in the log, so the same answer is
given the same events again, another answer what was accepted, a late one what was done.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from arena import wire
from arena.documents import Document
from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    DamagedHand,
    Forbidden,
    Gone,
    NotFound,
    NotHome,
    Refused,
    Unavailable,
)
from arena.notices.faults import BotFault, fault_changes, forget_counts
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Ports
from arena.referee.fault_log import log_expired_turn, log_expired_turns
from arena.referee.live import Hand, Moved, Turn, apply_step
from arena.referee.metrics import Metrics
from arena.referee.open_turns import OpenTurns
from arena.referee.projection import announce, catch_up
from arena.referee.step_rows import write_step
from arena.rules import EMPTY, State, decide, evolve
from arena.rules.commands import Answer, Expire
from arena.rules.events import Cause, Ended
from arena.session.hand_log import Step, events_for, log_receipt
from arena.session.names import read_turn_id
from arena.session.results import hand_result
from arena.statuses import HandStatus
from arena.store.port import Change, EndHand, StepRow

Body = Mapping[str, Any]
TRIES = 5
"""How often an answer is decided anew because the log has grown."""


class Overtaken(Exception):
    """The log has a step that is not known here: a commit in doubt was made after all. Never
    leaves this package."""


@dataclass(slots=True)
class Draft:
    """A decided step that is not written yet, and its row. The hand's lock is held from drafting to
    commit."""

    hand: Hand
    step: Step
    row: StepRow
    seat: int


def answer(context: Context, bot: str, turn: str, body: Body) -> Document:
    """Answer one turn; see `Referee.answer`."""
    arrived_ms = context.clock.now_ms()
    hand = locate(context, bot, turn)
    with hand.lock:
        for _ in range(TRIES):
            try:
                outcome = attempt(context, hand, turn, body=body, arrived_ms=arrived_ms)
                if not isinstance(outcome, Draft):
                    return outcome
                commit(context, [outcome])
                return accepted(hand, outcome.step, seat=outcome.seat, replayed=False)
            except Overtaken:
                catch_up(context, hand)
    raise Unavailable("the hand is changing too fast; send the answer again")


def locate(context: Context, bot: str, turn: str) -> Hand:
    """The hand of a turn, if the turn is this bot's. Raises NotFound, Forbidden, Unavailable."""
    if context.signals.bell.stopped:
        raise Unavailable("the referee is stopping; send the answer again")
    waiting = context.signals.open_turns.find(bot, turn)
    if waiting is not None:
        return waiting.hand
    parts = read_turn_id(turn)
    if parts is None:
        raise NotFound(turn, f"there is no turn {turn[:80]!r}")
    hand = context.in_play.find_hand(parts[0])
    if parts[2] >= len(hand.seating):
        raise NotFound(turn, f"there is no turn {turn!r}")
    if hand.bot(parts[2]) != bot:
        raise Forbidden(turn, "this turn is another bot's")
    return hand


def attempt(
    context: Context, hand: Hand, turn: str, *, body: Body, arrived_ms: int
) -> Draft | Document:
    """A draft of the answer; or, for an answer that was accepted before, the reply to it."""
    waiting = hand.turn(turn)
    now_ms = hand.table.session.clock.at_ms(arrived_ms)
    if waiting is not None and not hand.closed:
        cause = too_late(waiting, now_ms)
        if cause is not None:
            commit(context, [expiry(context.clock, waiting, cause)])
            waiting = None
    if waiting is None or hand.closed:
        return closed_turn(hand, turn, body)
    try:
        command = _read(hand, waiting, body)
        remarks = _remarks(body)
        return draft(context.clock, waiting, command, now_ms=now_ms, remarks=remarks)
    except Refused as error:
        notice = _refuse(context, waiting)
        raise Refused(
            error.reason, error.detail + notice, rule=error.rule, cards=error.cards
        ) from error
    except BadInput as error:
        notice = _refuse(context, waiting)
        raise BadInput(error.thing, error.value, error.expected + notice) from error


def too_late(turn: Turn, now_ms: int) -> str | None:
    """The cause for which no answer to a turn is taken any more, None if it still is."""
    left = turn.hand.table.session.out.get(turn.bot)
    if left is not None:
        return left
    return Cause.TIMEOUT if now_ms > turn.due_ms else None


def _read(hand: Hand, turn: Turn, body: Body) -> Answer:
    config = hand.table.session.config
    if "choice" in body and not config.legal:
        raise BadInput("choice", body["choice"], "cards: this session gives no legal answers")
    return wire.read_answer(
        hand.table.rules, hand.log.state, turn.seat, body, menu=turn.menu, listed=config.legal
    )


def _remarks(body: Body) -> Mapping[str, Any]:
    """What a bot sent beside its answer, with a random nonce: who is shown the hash of it alone can
    guess no note, however short."""
    if body.keys().isdisjoint(wire.REMARKS):
        return wire.NO_REMARKS
    remarks = wire.read_remarks(body)
    return {**remarks, wire.NONCE: secrets.token_hex(wire.NONCE_BYTES)} if remarks else remarks


def _refuse(context: Context, turn: Turn) -> str:
    """Count a refused answer; with the budget spent, answer for the seat. What to tell, if so."""
    budget = turn.time_control.illegal_budget
    turn.refused += 1
    if turn.refused < budget:
        return ""
    commit(context, [expiry(context.clock, turn, Cause.ILLEGAL)])
    return f"; the budget of {budget} refused answers is spent, so the referee has answered"


def malformed(context: Context, bot: str, turns: Sequence[str] | None) -> str:
    """Count an answer that could not be read; see `Referee.malformed`."""
    turns_meant = (
        _oldest_known(context.signals.open_turns, bot)
        if turns is None
        else _meant(context, bot, turns)
    )
    notices = [_refuse_unread(context, turn) for turn in turns_meant]
    return next(filter(None, notices), "")


def _meant(context: Context, bot: str, turns: Sequence[str]) -> list[Turn]:
    """Those of the named turns that are open; if the bot has and had none of them, as if it had
    named none: else made-up names would cost less than rubbish."""
    named = tuple(dict.fromkeys(turns))
    open_turns = [
        turn for name in named if (turn := context.signals.open_turns.find(bot, name)) is not None
    ]
    if open_turns or any(_has_been(context, bot, name) for name in named):
        return open_turns
    return _oldest_known(context.signals.open_turns, bot)


def _has_been(context: Context, bot: str, turn: str) -> bool:
    """Is this a turn that the bot has or had? Where that cannot be told, it is taken for one."""
    try:
        hand = locate(context, bot, turn)
        with hand.lock:
            known = hand.turn(turn) is not None
            return known or any(step.turn == turn for step in hand.log.steps)
    except (NotFound, Forbidden):
        return False
    except (Unavailable, DamagedHand):
        return True


def _oldest_known(open_turns: OpenTurns, bot: str) -> list[Turn]:
    """The open turn that a bot has been told of for longest, if any."""
    mine = open_turns.of(bot)
    known = (t for t in mine if t.seen_ms is not None and t.hand.table.session.offering)
    return list(islice(known, 1))


def _refuse_unread(context: Context, turn: Turn) -> str:
    """As `_refuse`, if the turn is still open and in time; what is late is the sweeper's."""
    hand = turn.hand
    with hand.lock:
        for _ in range(TRIES):
            now_ms = hand.table.session.clock.now_ms()
            if context.signals.bell.stopped or hand.closed or hand.turns.get(turn.seat) is not turn:
                return ""
            if too_late(turn, now_ms) is not None:
                return ""
            try:
                notice = _refuse(context, turn)
            except Overtaken:
                catch_up(context, hand)
            else:
                context.metrics.malformed()
                return notice
    return ""


def expiry(clock: ArenaClock, turn: Turn, cause: str) -> Draft:
    """The draft by which the referee answers for a seat."""
    now_ms = turn.hand.table.session.clock.now_ms()
    return draft(clock, turn, Expire(turn.seat, cause), now_ms=now_ms)


def draft(
    clock: ArenaClock,
    turn: Turn,
    command: Answer | Expire,
    *,
    now_ms: int,
    remarks: Mapping[str, Any] = wire.NO_REMARKS,
) -> Draft:
    """Decide a command for a turn and draw up its step. Raises Refused; changes nothing.

    remarks: what the bot sent beside its answer, and its nonce, which the step keeps.
    """
    hand = turn.hand
    events = decide(hand.table.rules, hand.log.state, command)
    charge = turn.charge(now_ms)
    meta = {
        "clock_ms": now_ms,
        "seat": turn.seat,
        "opened_ms": turn.opened_ms,
        "seen_ms": turn.seen_ms,
        "charged_ms": charge.charged_ms,
        "bank_ms": charge.bank_ms,
        "late": charge.late,
        "refused": turn.refused,
        "cause": command.cause if isinstance(command, Expire) else None,
    }
    step, row = write_step(
        hand.log,
        clock.wall_ms(),
        turn=turn.id,
        command=command,
        events=events,
        meta=meta,
        remarks=remarks,
    )
    return Draft(hand, step, row, turn.seat)


def commit(context: Context, drafts: Sequence[Draft]) -> None:
    """Write drafts of different hands together, then move the hands on, then ring.

    The caller holds the locks of all the hands. Raises Overtaken if the log of one of them has
    grown, Unavailable if the store cannot write; nothing has changed then.
    """
    changes = [change for each in drafts for change in _changes(context, each)]
    faults = [_fault(each) for each in drafts if type(each.step.command) is Expire]
    if faults:
        changes += fault_changes(context.store, faults, context.clock.wall_ms())
    try:
        context.store.write(*changes)
    except ArenaError as error:
        forget_counts(faults)
        if isinstance(error, Conflict):
            raise Overtaken from error
        if type(error) is Unavailable:  # of everybody, not of this session or hand alone
            context.clock.halt()  # until the next beat: no time goes on in which nobody can answer
        raise
    now_ms = context.clock.now_ms()
    moves = [
        apply_step(made.hand, made.step, made.hand.table.session.clock.at_ms(now_ms))
        for made in drafts
    ]
    announce(context, moves)
    _count(context.metrics, drafts, moves)


def _fault(made: Draft) -> BotFault:
    """What the owner is told of a turn for which the referee answers."""
    hand, seat = made.hand, made.seat
    session = hand.table.session
    return BotFault(
        session.id,
        hand.bot(seat),
        hand.shown[seat],
        made.step.meta["cause"],
        hand.table.id,
        hand.id,
        made.step.turn,
        session.fault_counts,
    )


def _count(metrics: Metrics, drafts: Sequence[Draft], moves: Sequence[Moved]) -> None:
    """For the metrics and the log."""
    expired = [made for made in drafts if isinstance(made.step.command, Expire)]
    metrics.moved(
        opened=sum(len(moved.opened) for moved in moves),
        answered=len(drafts) - len(expired),
        ended=sum(moved.over for moved in moves),
    )
    for made in expired:
        cause = made.step.meta["cause"]
        metrics.expired(cause)
        log_expired_turn(made.hand, made.seat, cause=cause)
    for moved in moves:
        if moved.over:
            log_expired_turns(moved.hand)


def _changes(ports: Ports, draft_: Draft) -> list[Change]:
    """A step as it is written; the last one of a hand with its result."""
    row = draft_.row
    if Ended not in map(type, draft_.step.events):
        return [row]
    state = evolve(draft_.hand.log.state, draft_.step.events)
    result = hand_result(draft_.hand.log, state, [*draft_.hand.log.steps, draft_.step])
    text = orjson.dumps(result).decode()
    return [row, EndHand(draft_.hand.id, HandStatus.FINISHED, text, ports.clock.wall_ms())]


def accepted(hand: Hand, step: Step, *, seat: int, replayed: bool) -> Document:
    """The reply to an accepted answer."""
    if step.seq >= hand.log.open_from:  # nearly always: everybody may know what happened
        events = list(step.written)
    else:
        events = events_for(step.events, step.written, seat)
    log = log_receipt(step.seq + len(step.events), step.hash)
    return {"accepted": True, "replayed": replayed, "events": events, "log": log}


def closed_turn(hand: Hand, turn: str, body: Body) -> Document:
    """The reply to an answer whose turn is closed. Raises NotFound, Gone, Conflict, DamagedHand,
    NotHome."""
    if hand.table.session.given_up:
        raise NotHome(hand.table.session.id)
    damage = hand.table.damage
    if damage is not None and damage.hand == hand.id:
        raise damage
    step = next((each for each in hand.log.steps if each.turn == turn), None)
    if step is None:
        if hand.closed and hand.turn(turn) is not None:
            raise Gone(turn, "the hand was called off")
        raise NotFound(turn, f"there is no turn {turn!r}")
    seat = step.meta["seat"]
    if isinstance(step.command, Expire):
        raise Gone(turn, f"too late ({step.command.cause}): {done_instead(hand, step)}")
    if not _same(hand, step, body):
        accepted_text = orjson.dumps(wire.write_command(step.command)).decode()
        raise Conflict(turn, f"this turn was answered otherwise; accepted was {accepted_text}")
    return accepted(hand, step, seat=seat, replayed=True)


def done_instead(hand: Hand, step: Step) -> str:
    """What the referee did for a seat, for people and programs: its events as JSON."""
    seat = step.meta["seat"]
    events = events_for(step.events[1:2], step.written[1:2], seat)
    return f"the referee answered with {orjson.dumps(events).decode()}"


def _same(hand: Hand, step: Step, body: Body) -> bool:
    rules = hand.table.rules
    before = state_at(hand, step.seq)
    try:
        listed = hand.table.session.config.legal
        again = wire.read_answer(rules, before, step.meta["seat"], body, listed=listed)
        return again == step.command
    except ArenaError:
        return False


def state_at(hand: Hand, seq: int) -> State:
    """The state of a hand after its first `seq` events."""
    return evolve(EMPTY, hand.log.events[:seq])
