"""Clocks: does a recorded log say of each turn what the clock of its seat allows?

What a turn was charged follows from when it was opened and answered, its seat's time control, its
bank and whether it was on probation. Wall time goes forward; in records of older programs, of which
several played one session, session time may go back by an outage of which one heard later than the
others. What only the referee knew is taken as it is: when a turn was opened and first sent, and
whether a bot had answered at another table before, which may lend it more of its bank. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.rules.commands import Deal, Expire
from arena.rules.events import Cause
from arena.session.config import TimeControl
from arena.session.hand_log import HandLog, Meta, Step, TableLog
from arena.session.names import HOUSE
from arena.session.time_control import Allowance, allowance

SLACK_MS = 1_000
"""By how much wall times may be out of order: the clocks of a session's homes agree to less."""
LEAVING = (Cause.WITHDRAWN, Cause.DISQUALIFIED)


class ClockCheck:
    """The clock of one table. settings: are those of its session known? names: of the line-up;
    left: statuses of bots that left their session for good, None where that is not known."""

    def __init__(
        self,
        table: TableLog,
        *,
        settings: bool,
        names: tuple[str, ...],
        left: tuple[str | None, ...] | None,
    ) -> None:
        self._table = table
        self._settings = settings
        self._names = names
        self._left = left
        self._at_ms = 0

    def before(self, hand: HandLog, step: Step) -> Iterator[str]:
        """What is wrong with a step that is to follow; it is legal."""
        if step.at_ms + SLACK_MS < self._at_ms:
            yield "it is earlier than the step before"
        self._at_ms = step.at_ms
        if not isinstance(step.command, Deal):
            yield from self._turn(hand, step)

    def _turn(self, hand: HandLog, step: Step) -> Iterator[str]:
        meta, seat = step.meta, step.meta["seat"]
        cause = step.command.cause if isinstance(step.command, Expire) else None
        if meta["cause"] != cause:
            yield f"the cause is {meta['cause']!r}, the command says {cause!r}"
        if meta["refused"] < hand.refused[seat]:
            yield "fewer answers are refused than before"
        player = hand.seating[seat]
        if self._left is not None and cause in LEAVING and self._left[player] != cause:
            yield f"the bot is {cause} here, the header says otherwise"
        if self._settings:
            yield from self._charged(hand, step, player=player, cause=cause)

    def _charged(
        self, hand: HandLog, step: Step, *, player: int, cause: str | None
    ) -> Iterator[str]:
        meta, control = step.meta, self._table.clocks[player]
        taken_ms = max(0, meta["clock_ms"] - meta["opened_ms"] - control.grace_ms)
        if cause is None and self._is_usual(meta, player, taken_ms=taken_ms):
            return
        allowed = self._allowances(player)
        charges = [_charge(each, taken_ms) for each in allowed]
        if (meta["charged_ms"], meta["bank_ms"], meta["late"]) not in charges:
            yield (
                f"charged_ms {meta['charged_ms']}, bank_ms {meta['bank_ms']} and late "
                f"{meta['late']} do not follow from the clock: {charges[0]}"
            )
        limits = [each.move_ms + each.bank_ms for each in allowed]
        house = self._names[player].startswith(HOUSE)
        if cause is None and taken_ms > max(limits) and not house:
            yield "the answer was taken after its time was over"
        if cause == Cause.TIMEOUT and taken_ms <= min(limits):
            yield "the time is said to be over, and was not"
        yield from self._wrong_cause(hand, step, control, player=player, cause=cause)

    def _is_usual(self, meta: Meta, player: int, *, taken_ms: int) -> bool:
        """Is this an answer within the time for a move, of a seat that is not on probation? Most
        are, and of these nothing else is to be checked."""
        control = self._table.clocks[player]
        return (
            taken_ms <= control.move_ms
            and not self._table.on_probation(player)
            and meta["charged_ms"] == taken_ms
            and meta["bank_ms"] == max(0, control.bank_ms - self._table.spent_ms[player])
            and meta["late"] is False
        )

    def _wrong_cause(
        self,
        hand: HandLog,
        step: Step,
        control: TimeControl,
        *,
        player: int,
        cause: str | None,
    ) -> Iterator[str]:
        refused, before = step.meta["refused"], hand.refused[step.meta["seat"]]
        if cause == Cause.ILLEGAL and not max(before, control.illegal_budget - 1) < refused:
            yield f"{refused} refused answers do not spend the budget"
        if cause == Cause.ABSENT and not self._table.on_probation(player):
            yield "a seat that is not on probation was answered for as absent"

    def _allowances(self, player: int) -> tuple[Allowance, ...]:
        """What the turn may take, whether its bot was proven elsewhere or not."""
        control, spent_ms = self._table.clocks[player], self._table.spent_ms[player]
        on_probation = self._table.on_probation(player)
        both = [
            allowance(control, spent_ms, is_proven=proven, on_probation=on_probation)
            for proven in (True, False)
        ]
        return tuple(dict.fromkeys(both))


class _Charge(NamedTuple):
    charged_ms: int
    bank_ms: int
    late: bool


def _charge(given: Allowance, taken_ms: int) -> _Charge:
    """What is charged for so much time; as `referee.live.Turn.charge` does it."""
    charged_ms = min(taken_ms, given.move_ms + given.bank_ms)
    drawn_ms = max(0, charged_ms - given.move_ms)
    return _Charge(charged_ms, given.kept_ms + given.bank_ms - drawn_ms, drawn_ms > 0)
