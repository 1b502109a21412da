"""Many bots in an arena under test: some of them play, all have entered one more session.

It knows no requests; what is sent about them is for `abuse_accepted` to say.
"""

from __future__ import annotations

import itertools
from typing import Any

from arena.application import Referee
from arena.identity.codes import MOST_OWNERS

ANSWERS = 64
"""In a batch, which is the default of `max_turns`; and tables."""
SEATS = 4
BOTS = 1_000
LONG, FULL, CROWDED = "long", "full", "crowded"
DAY_MS = 86_400_000
CLOCK = {"move_ms": DAY_MS, "bank_ms": DAY_MS}


class Crowd:
    """Many bots: four of them play at many tables at once, all have entered another session."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._numbers = itertools.count(1)
        registered = [referee.register(f"crowd-{number}") for number in range(BOTS)]
        self.names = [bot["name"] for bot, _ in registered]
        self.tokens = {bot["id"]: token for bot, token in registered}
        self._players = [bot["id"] for bot, _ in registered[:SEATS]]
        self._play(FULL, hands=1_000)
        self._played = self._play_out()
        self._enter_all()

    def _play(self, session: str, *, hands: int) -> None:
        schedule = {"rounds": ANSWERS, "rounds_at_once": ANSWERS}
        document = {"name": session, "slug": session, "seats": SEATS, "hands_per_table": hands}
        self._referee.create_session({**document, "schedule": schedule, "clock": CLOCK}, "bench")
        self._referee.set_session(session, "open", "bench")
        for bot in self._players:
            self._referee.enter(session, bot)
        self._referee.set_session(session, "start", "bench")

    def _play_out(self) -> list[dict[str, Any]]:
        """Play the tables of a session to their ends; an answer of one bot at each of them."""
        self._play(LONG, hands=1)
        answers: dict[str, dict[str, Any]] = {}
        while turns := self._turns(LONG):
            for bot, body in turns:
                self._referee.answer_many(bot, [body])
                if bot == self._players[0]:
                    answers[body["turn"].rpartition("-")[0]] = body
        return list(answers.values())

    def _turns(self, session: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            (bot, {"turn": turn["turn"], "choice": 0})
            for bot in self._players
            for turn in self._referee.turns(bot, limit=2 * ANSWERS)["turns"]
            if turn["turn"].startswith(f"{session}-")
        ]

    def _enter_all(self) -> None:
        roster = {"max_bots": BOTS, "bots_per_owner": BOTS}
        document = {"name": CROWDED, "slug": CROWDED, "roster": roster}
        self._referee.create_session(document, "bench")
        self._referee.set_session(CROWDED, "open", "bench")
        for bot in self.tokens:
            self._referee.enter(CROWDED, bot)

    def due(self) -> tuple[str, list[dict[str, Any]]]:
        """The token of a bot for which all tables wait, and an answer for each."""
        first = self._players[0]
        while others := [(bot, body) for bot, body in self._turns(FULL) if bot != first]:
            for bot, body in others:
                self._referee.answer_many(bot, [body])
        return self.tokens[first], [body for _, body in self._turns(FULL)][:ANSWERS]

    def played(self) -> tuple[str, list[dict[str, Any]]]:
        """The token of a bot, and answers that it has given in hands that are over."""
        return self.tokens[self._players[0]], self._played

    def absent(self) -> str:
        """The name of a bot that could enter, but has just left."""
        bot = list(self.tokens)[-1]
        self._referee.withdraw(CROWDED, bot, "bench")
        name: str = self.names[-1]
        return name

    def owners(self) -> list[str]:
        """As many owners as one request may name, with long names that nobody has yet."""
        number = next(self._numbers)
        return [f"{number} {each:04d} " + "大" * 30 for each in range(MOST_OWNERS)]
