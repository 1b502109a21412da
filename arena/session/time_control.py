"""How long the others at a table wait for a seat, by whose it is and what it has done there so far.

Faults in a row put a seat on probation, an accepted answer ends it. Pure functions and values of
the session's clock and of what the log tells, so every process and every restart comes to the same
deadlines. Nothing here reads a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.rules.events import Cause
from arena.session.config import TimeControl
from arena.session.people import CLOCKS, MOST_REFUSED, NO_CLOCK_MS, PeopleClocks


def persons_time_control(usual: TimeControl, clock: str) -> TimeControl:
    """The time control of a seat at which a person plays. clock: one of `people.CLOCKS`.

    Refused answers cost a person nothing, and who comes back from probation has the time of a move.
    Without a clock a turn ends after an hour, so nobody waits for ever for one who has gone away.
    """
    factor = CLOCKS[clock]
    if factor is None:
        move_ms, bank_ms = max(NO_CLOCK_MS, usual.move_ms), 0
    else:
        move_ms, bank_ms = round(usual.move_ms * factor), round(usual.bank_ms * factor)
    return replace(
        usual,
        move_ms=move_ms,
        bank_ms=bank_ms,
        illegal_budget=MOST_REFUSED,
        probation_ms=usual.move_ms,
    )


def time_control_of(bot: str, usual: TimeControl, people: PeopleClocks) -> TimeControl:
    """The time control of the seat of a bot: that of the session, or a person's own."""
    return persons_time_control(usual, people[bot]) if bot in people else usual


class Allowance(NamedTuple):
    """What one turn may take: time for the move, then of the bank. kept_ms: what is left of the
    bank beyond that, on which this turn may not draw. unproven: it may draw on that too as soon as
    its bot is proven."""

    move_ms: int
    bank_ms: int
    kept_ms: int
    unproven: bool = False

    def proven(self) -> Allowance:
        """The same turn, now that its bot is proven."""
        if not self.unproven:
            return self
        return Allowance(self.move_ms, self.bank_ms + self.kept_ms, 0)


def allowance(
    time_control: TimeControl, spent_ms: int, *, is_proven: bool, on_probation: bool
) -> Allowance:
    """What a player's next turn at a table may take.

    spent_ms: what it has drawn of its bank there. is_proven: was an answer of its bot accepted at
    any table of the session.
    """
    left_ms = max(0, time_control.bank_ms - spent_ms)
    if on_probation:
        return Allowance(min(time_control.probation_ms, time_control.move_ms), 0, left_ms)
    if is_proven:
        return Allowance(time_control.move_ms, left_ms, 0)
    open_ms = min(left_ms, unproven_bank_ms(time_control, spent_ms))
    return Allowance(time_control.move_ms, open_ms, left_ms - open_ms, unproven=True)


def unproven_bank_ms(time_control: TimeControl, spent_ms: int) -> int:
    """What a player may still draw of its bank at a table before an answer of its bot was accepted
    at any table of the session: no more than `move_ms` in all.

    The bank is for those who think. Who has never answered may as well be broken, and would keep
    the others waiting for a whole bank before its faults in a row begin to count. Who has answered
    elsewhere is not broken: it may be thinking about its other tables.
    """
    return max(0, time_control.move_ms - spent_ms)


@dataclass(slots=True)
class Chances:
    """The turns of one seat in one hand since its last accepted answer, while on probation.

    let_pass: turns for which the others have waited in vain. sat_out: turns answered for at once
    since the last of these.

    A bot that is there and never answers would else cost the others `probation_ms` a turn, for as
    many turns as there are. So it has to sit out one turn after the first that it let pass, two
    after the second, and so on. With the next hand it begins anew: this one it has lost already,
    since a fault makes it last.
    """

    let_pass: int = 0
    sat_out: int = 0

    @property
    def sits_out(self) -> bool:
        """Is the seat to be answered for at once, even if a request of its bot waits?"""
        return self.sat_out < self.let_pass

    def note(self, cause: str) -> None:
        """The referee has answered for the seat while it was on probation."""
        if cause == Cause.TIMEOUT:
            self.let_pass += 1
            self.sat_out = 0
        elif cause == Cause.ABSENT:
            self.sat_out += 1
