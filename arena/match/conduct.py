"""Conduct: how a bot behaved in a match, whatever came of its games.

What a table that was lost may have been lost for: answers refused, turns left to the referee,
errors in the bot's own code, long thought. It may not judge: the reader does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.match.tables import PlayedHand
from arena.rules.commands import Deal, Expire


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """What one bot did. answers: sent; refused: of these; refusal: the first, in full.

    faults: hands in which the referee had to answer for it. errors: of its own code, which it
    survived. slowest_ms: its longest thought, at the turn slowest_turn; not compared, for it is
    another one each time.
    """

    answers: int = 0
    refused: int = 0
    refusal: str = ""
    faults: int = 0
    errors: int = 0
    slowest_ms: int = field(default=0, compare=False)
    slowest_turn: str = field(default="", compare=False)

    def __add__(self, later: Conduct) -> Conduct:
        """Both together; of refusals the earlier counts, of thoughts the longer."""
        slowest = max(self, later, key=lambda each: each.slowest_ms)
        return Conduct(
            answers=self.answers + later.answers,
            refused=self.refused + later.refused,
            refusal=self.refusal or later.refusal,
            faults=self.faults + later.faults,
            errors=self.errors + later.errors,
            slowest_ms=slowest.slowest_ms,
            slowest_turn=slowest.slowest_turn,
        )


def together(conduct: Mapping[str, Conduct], more: Mapping[str, Conduct]) -> dict[str, Conduct]:
    """Two reports by bot as one."""
    bots = dict.fromkeys([*conduct, *more])
    return {bot: conduct.get(bot, Conduct()) + more.get(bot, Conduct()) for bot in bots}


def at_table(hands: Iterable[PlayedHand], bots: Sequence[str]) -> dict[str, Conduct]:
    """What the hands of a table say of its bots: answers, refusals and faults."""
    answers: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for hand in hands:
        faults.update(hand.result.faults)
        for command, _, refusals, _ in hand.steps:
            if not isinstance(command, Deal):
                bot = bots[hand.seating[command.seat]]
                answers[bot] += refusals + (not isinstance(command, Expire))
                refused[bot] += refusals
    return {
        bot: Conduct(answers=answers[bot], refused=refused[bot], faults=faults[bot]) for bot in bots
    }
