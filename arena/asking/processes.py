"""A bot as a process that plays over HTTP, asked turn by turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.asking.referee import AskingReferee
from arena.asking.server import served
from arena.asking.turns import GivenTurn, TurnReply
from arena.errors import Unavailable
from arena.processes import Processes, bot_command

NAME = "asked"
PROCESS = f"bot-{NAME}"
START_S = 30.0
GOODBYE_S = 3.0
"""How long a bot may take to see that the session is over; then its process is told to end."""

Starter = Callable[[Processes, str, Sequence[str], str, Mapping[str, str]], None]
"""Starts a process, which is called `PROCESS`: given the name of the bot, its words, the referee's
address, and what is added to its environment."""


class BotGone(Unavailable):
    """The bot's process has ended, or never asked for a turn."""


class AskedBot:
    """A bot that plays in a session in which its turns are given. Made by `start_bot`."""

    def __init__(self, referee: AskingReferee, processes: Processes, *, start_s: float) -> None:
        self._referee = referee
        self._processes = processes
        self._until_s = time.monotonic() + start_s
        self._start_s = start_s

    @property
    def limit_s(self) -> float:
        """How long a turn may take, in seconds."""
        return self._referee.limit_s

    def ask(self, turn: GivenTurn) -> TurnReply:
        """Ask a turn and wait for the reply. What is refused or too late is told in the reply.

        Raises `BotGone` if the process ends before it has answered, or does not ask for turns.
        """
        return self._referee.ask(turn, self.check)

    def check(self) -> None:
        """Raises `BotGone` if the process has ended, or has not asked for a turn in time."""
        code = self._processes.ended().get(PROCESS)
        if code is not None:
            said = self._processes.last_words(PROCESS)
            raise BotGone(f"the bot has ended with code {code}: {said}")
        if not self._referee.polled and time.monotonic() > self._until_s:
            said = self._processes.last_words(PROCESS)
            raise BotGone(f"the bot has asked for no turn within {self._start_s:g} s: {said}")


def unconfined(
    processes: Processes, name: str, words: Sequence[str], url: str, environ: Mapping[str, str]
) -> None:
    """Start a bot as any other process. Raises `BadInput` for a command that does not work."""
    processes.start(f"bot-{name}", words, environ=environ)


@contextmanager
def start_bot(
    command: str,
    document: Mapping[str, Any],
    *,
    folder: Path,
    start: Starter = unconfined,
    start_s: float = START_S,
) -> Iterator[AskedBot]:
    """Start a bot in a session of its own; leaving the context ends session and bot.

    document: of the session: ``ruleset``, ``clock``, ``legal`` and whatever else it may have. The
    clock counts anew for each turn. folder: for logs. start: starts the process. start_s: how
    long it may take until it asks for its first turn.
    Raises `BadInput` for a command or document that does not work.
    """
    words = bot_command(command)
    referee = AskingReferee({"name": NAME, **document}, name=NAME)
    with served(referee, folder) as url, Processes(folder) as processes:
        environ = {
            "ARENA_URL": url,
            "ARENA_TOKEN": referee.token,
            "ARENA_SESSION": referee.session,
            "ARENA_NAME": NAME,
            "PYTHONUNBUFFERED": "1",
        }
        start(processes, NAME, words, url, environ)
        yield AskedBot(referee, processes, start_s=start_s)
        referee.finish()
        processes.wait([PROCESS], within_s=GOODBYE_S)
