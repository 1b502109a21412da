"""The class that students subclass: one method to write, the others have sensible defaults.

No network in here: a bot can be tried on hand-written turns, without any arena.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from arena.client import cards as c
from arena.client.forms import Answer, as_answer
from arena.client.problems import ArenaProblem, KitError
from arena.client.turn import Turn

QUESTIONS = ("play", "give", "discard", "ask", "name", "throw", "accept")
"""The kinds of turns, each answered by the method of its name."""
CALLED = (
    *(*QUESTIONS, "other", "refused"),
    *("on_session", "on_events", "on_hand_end", "begin", "answer", "answer_again"),
)
"""The methods that the kit calls."""


class Bot:
    """A player. Write `play`; the rest may be left alone.

    An answer is a dict of the protocol: {"cards": [...]}, {"pass": True}, {"choice": 3} ... Any
    entry of `turn.legal` is one. A list of cards is taken as {"cards": [...]}, "pass" as a pass.
    """

    wants_legal = True
    """Set to False if the bot finds its moves itself: smaller messages."""

    second_tries = 1
    """How many more answers a turn may get after a refused one, before it is left to the clock."""

    def play(self, turn: Turn) -> Any:
        """Play cards or pass."""
        raise KitError("write a method play(self, turn) that returns an answer")

    @cached_property
    def random(self) -> Random:
        """This bot's own chance. In a local match it follows from the seed of the match, the block
        and the seat, so that `arena match --local --seed` plays the same again."""
        return Random()

    # Other questions, asked under some rules only

    def give(self, turn: Turn) -> Any:
        """Cards for another player. Default: as many as allowed, the weakest."""
        return turn.lightest()

    def discard(self, turn: Turn) -> Any:
        """Cards to throw away (rules of the ten). Default: as many as allowed, the weakest."""
        return turn.lightest()

    def ask(self, turn: Turn) -> Any:
        """Cards to wish for in the exchange. Default: the strongest that are listed."""
        return max(turn.legal, key=lambda entry: sum(map(c.strength, entry.get("ask", ()))))

    def name(self, turn: Turn) -> Any:
        """Ranks that everybody must discard. Default: those of which I hold most."""
        mine = [c.rank(card) for card in turn.held]
        return max(turn.legal, key=lambda entry: sum(map(mine.count, entry.get("name", ()))))

    def throw(self, turn: Turn) -> Any:
        """Rock, paper or scissors (janken). Default: any, at random."""
        return {"throw": self.random.choice(["rock", "paper", "scissors"])}

    def accept(self, turn: Turn) -> Any:
        """Whether an effect of my play takes place (optional revolution, jack). Default: yes."""
        return {"accept": True}

    def other(self, turn: Turn) -> Any:
        """A kind of question that this kit does not know. Default: the first listed entry."""
        return turn.legal[0]

    # Things worth knowing

    def on_session(self, session: Mapping[str, Any]) -> None:
        """Called once for each session, before its first turn: rules, clock, number of hands."""

    def on_events(self, events: Sequence[Mapping[str, Any]], turn: Turn) -> None:
        """Called before each answer with what happened since the turn before."""

    def on_hand_end(self, hand: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Called after a hand with its log as this bot may see it. Costs one request a hand."""

    def refused(self, turn: Turn, problem: ArenaProblem) -> Any:
        """The arena refused the last answer: another one, or None to leave it to the clock."""
        if problem.example and not turn.has_legal:
            return problem.example
        return turn.fallback()

    # Flags of one's own

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add command-line flags of this bot."""

    def begin(self, flags: argparse.Namespace) -> None:
        """Called once before anything else, with the flags of the command line."""

    # For the kit

    def answer(self, turn: Turn) -> Answer | None:
        """The answer to any turn, in the form of the protocol; None: leave it to the clock.

        Raises ValueError if the method that was asked returned something that is no answer.
        """
        method = self.method_for(turn)
        return as_answer(method(turn), method.__name__)

    def method_for(self, turn: Turn) -> Callable[[Turn], Any]:
        """The method that a turn is a question to."""
        kind = turn.kind
        method: Callable[[Turn], Any] = getattr(self, kind) if kind in QUESTIONS else self.other
        return method

    def answer_again(self, turn: Turn, problem: ArenaProblem) -> Answer | None:
        """The answer after a refusal, in the form of the protocol; None: leave it to the clock."""
        answer = self.refused(turn, problem)
        return None if answer is None else as_answer(answer, "refused")


def check_bot(bot: Bot) -> None:
    """Raises KitError for a bot that the kit cannot play: one whose methods are coroutines."""
    for method in CALLED:
        if inspect.iscoroutinefunction(getattr(bot, method)):
            name = f"{type(bot).__qualname__}.{method}"
            advice = "write `def`, or hand the bot to arena.client.asynchronous.run"
            raise KitError(f"{name} is `async def`, which `run` does not wait for: {advice}")
