"""House bots for tests, played in this process: they are there, and answer what they are asked."""

from __future__ import annotations

from arena.client.bot import Bot
from arena.client.turn import Turn
from arena.identity.casual import house_bots
from arena.match.local import make_bot
from tests.real import Real


class House:
    """The house bots of an arena in which no thread runs."""

    def __init__(self, real: Real) -> None:
        self._real = real
        referee = real.referee
        bots = house_bots(referee.registry, real.store)
        self._players: dict[str, Bot] = {}
        self._told: set[tuple[str, str]] = set()
        for each in bots:
            identity = referee.registry.known(each.token)
            assert identity is not None
            self._players[identity.id] = make_bot(each.source)
        self.poll()

    def poll(self) -> None:
        """All of them ask for their turns: they are here."""
        for bot in self._players:
            self._real.referee.turns(bot)

    def play(self) -> int:
        """Answer until nobody of the house is asked any more; how many answers that took."""
        answers = 0
        open_turns = self._real.referee._context.signals.open_turns
        waiting = True
        while waiting:
            waiting = False
            for bot, player in self._players.items():
                if open_turns.of(bot):
                    answers += self._answer(bot, player)
                    waiting = True
        return answers

    def _answer(self, bot: str, player: Bot) -> int:
        turns = self._real.referee.turns(bot, limit=64)["turns"]
        for document in turns:
            session = document["session"]
            if (bot, session) not in self._told:
                self._told.add((bot, session))
                player.on_session(self._real.referee.queries.session(session))
            answer = player.answer(Turn(document))
            assert answer is not None
            self._real.referee.answer(bot, document["turn"], answer)
        return len(turns)
