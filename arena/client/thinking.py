"""Calls a bot's own code, and survives it.

Whatever the bot raises or returns by mistake is printed on stderr with its traceback and counted,
and a harmless answer is given instead, so that one mistake costs one move and not the session. No
network in here.
"""

from __future__ import annotations

import logging
import traceback
from bdb import BdbQuit
from collections.abc import Callable
from typing import Any

from arena.client.bot import Bot
from arena.client.forms import Answer
from arena.client.problems import ArenaProblem
from arena.client.turn import Turn
from arena.client.watch import Watch

LOG = logging.getLogger("arena.client")


class Thinker:
    """Asks `bot` for answers. `strict`: its errors are raised instead; `watch`: on calls; `name`:
    of the bot, where several play in one process."""

    def __init__(
        self, bot: Bot, *, strict: bool = False, watch: Watch | None = None, name: str = ""
    ) -> None:
        self.bot = bot
        self._of = f" of {name}" if name else ""
        self._who = f", {name}" if name else ""
        self.strict = strict
        self._watch = watch or Watch()
        self.errors = 0
        self._listens = overrides(bot, "on_events")
        self._seen: dict[str, int] = {}  # where errors came from -> how often
        self._refusals: dict[str, list[ArenaProblem]] = {}  # of turns that are still open

    def answer(self, turn: Turn) -> Answer | None:
        """The bot's answer; after a refusal another one; None: leave the turn to the clock."""
        if self._refusals and turn.id in self._refusals:
            return self._second_answer(turn, self._refusals[turn.id])
        if self._listens and turn.events:
            self.tell(self.bot.on_events, turn.events, turn)
        try:
            with self._watch.call(turn.kind, self._who, turn):
                return self.bot.answer(turn)
        except BdbQuit:  # `breakpoint()` in a bot: whoever leaves the debugger leaves the game
            raise
        except Exception as error:
            answer = turn.fallback()
            self.own_error(error, f"answering {answer} instead, at turn {turn.id}")
            return answer

    def _second_answer(self, turn: Turn, problems: list[ArenaProblem]) -> Answer | None:
        if len(problems) > self.bot.second_tries:
            return None
        try:
            with self._watch.call("refused", self._who, turn):
                return self.bot.answer_again(turn, problems[-1])
        except BdbQuit:
            raise
        except Exception as error:
            self.own_error(error, f"leaving turn {turn.id} to the clock")
            return None

    def refused(self, turn: str, problem: ArenaProblem) -> None:
        """Remember that the arena refused the answer to this turn."""
        self._refusals.setdefault(turn, []).append(problem)

    def settled(self, turn: str) -> None:
        """This turn is over, one way or the other."""
        self._refusals.pop(turn, None)

    def tell(self, hook: Callable[..., Any], *args: Any) -> None:
        """Call a hook whose value does not matter."""
        try:
            with self._watch.call(hook.__name__, self._who):
                hook(*args)
        except BdbQuit:
            raise
        except Exception as error:
            self.own_error(error, "going on without it")

    def own_error(self, error: Exception, consequence: str) -> None:
        """Show an error of the bot's code: in full the first time, then the 10th, the 100th ... in
        one line."""
        if self.strict:
            raise error
        self.errors += 1
        text = "".join(traceback.format_exception(error)).rstrip()
        place = "\n".join(text.splitlines()[-4:-1]) + type(error).__name__
        count = self._seen[place] = self._seen.get(place, 0) + 1
        if count == 1:
            LOG.error("an error in the bot's own code%s; %s\n%s", self._of, consequence, text)
        elif is_worth_saying(count):
            LOG.error("%r again%s (%d times now); %s", error, self._of, count, consequence)


def is_worth_saying(count: int) -> bool:
    """Of what happens again and again: the 1st, the 10th, the 100th time ..."""
    return str(count).strip("0") == "1"


def overrides(bot: Bot, method: str) -> bool:
    """Has the student written this method?"""
    return getattr(type(bot), method) is not getattr(Bot, method)
