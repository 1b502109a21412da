"""A bot of the kit that takes a seat for which no client came: an ordinary bot of the arena, which
plays in this process.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.client import Client, Runner
from arena.client.bot import Bot
from arena.client.problems import KitError
from arena.client.runner import Tally
from arena.match.local import make_bot
from arena.uecda.arena_sessions import enter
from arena.uecda.keys import BotKey, Keys
from arena.uecda.lanes import RequestLane


class FillBot:
    """One such bot. source: `module:Class`; number: on the wire; fail: called if it cannot play."""

    def __init__(
        self,
        source: str,
        number: int,
        *,
        lane: RequestLane,
        fail: Callable[[FillBot, KitError], None],
    ) -> None:
        self.number = number
        self.bot = ""
        self.is_entered = False
        self._inner: Bot = make_bot(source)
        self.name = type(self._inner).__name__.lower()
        self._lane = lane
        self._fail = fail

    def play(self, session: str, keys: Keys) -> None:
        """Register, enter the session and play it to its end."""

        def begin(client: Client) -> BotKey:
            key = keys.sign_in(client, self.name)
            enter(client, session, key.bot)
            return key

        def run(result: BotKey | KitError) -> None:
            if isinstance(result, KitError):
                self._fail(self, result)
                return
            self.name, self.bot, self.is_entered = result.called, result.bot, True
            self._lane.ask(self._run(session), self._take_end)

        self._lane.ask(begin, run)

    def _run(self, session: str) -> Callable[[Client], Tally]:
        return lambda client: Runner(client, self._inner, sessions=[session]).run()

    def _take_end(self, result: Tally | KitError) -> None:
        if isinstance(result, KitError):
            self._fail(self, result)

    def close(self) -> None:
        """Play no more."""
        self._lane.close()
