"""The log of turns that the referee answered for bots, and of probation, which they lead to.

Two lines for each hand and bot at most.
A bot that has gone has its turns answered for it hundreds of times an hour. That it begins is news,
and how often it was, at the end of the hand; each single turn is a line of level `debug`. This
module may not change anything.
"""

from __future__ import annotations

import logging
from collections import Counter

from arena.referee.live import Hand
from arena.rules.commands import Expire

LOG = logging.getLogger("arena.referee")


def log_expired_turn(hand: Hand, seat: int, *, cause: str) -> None:
    """The referee has just answered for a seat; the step is in the hand already."""
    times = sum(
        step.meta["seat"] == seat for step in hand.log.steps if type(step.command) is Expire
    )
    fields = {**_place(hand, seat), "cause": cause}
    level = logging.INFO if times == 1 else logging.DEBUG
    LOG.log(level, "the referee answered for a bot", extra={"fields": fields})


def log_expired_turns(hand: Hand) -> None:
    """A hand is over: how many turns were answered for each bot, if that was more than one."""
    causes = Counter(
        (step.meta["seat"], step.command.cause)
        for step in hand.log.steps
        if type(step.command) is Expire
    )
    for seat in sorted({seat for seat, _ in causes}):
        own = {
            str(cause): times for (whose, cause), times in sorted(causes.items()) if whose == seat
        }
        if sum(own.values()) > 1:
            fields = {**_place(hand, seat), **own}
            LOG.info("a hand in which the referee answered for a bot", extra={"fields": fields})


def log_probation(hand: Hand, seat: int, *, begins: bool) -> None:
    """The probation of a seat begins, or has ended with an accepted answer."""
    says = "a seat is on probation" if begins else "the probation of a seat has ended"
    LOG.info(says, extra={"fields": _place(hand, seat)})


def _place(hand: Hand, seat: int) -> dict[str, str]:
    return {"bot": hand.bot(seat), "table": hand.table.id, "hand": hand.id}
