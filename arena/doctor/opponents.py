"""The others at the table: bots of this process, which answer at once.

Some pass whenever they may, so that the tried bot leads and wins; others play the first cards that
they may, so that it has to follow.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from arena.application import Referee
from arena.documents import Document
from arena.errors import ArenaError, Unavailable

WAIT_MS = 1_000
PLAYS_OFTEN = 0.6

Style = Callable[[Document, Random], Mapping[str, Any]]


def passive(turn: Document, chance: Random) -> Mapping[str, Any]:
    """Pass, or whatever is listed first; at janken anything, or ties might never end."""
    legal = turn["legal"]
    first: Mapping[str, Any] = chance.choice(legal) if turn["kind"] == "throw" else legal[0]
    return first


def lively(turn: Document, chance: Random) -> Mapping[str, Any]:
    """Often the lowest listed cards, else a pass."""
    legal = turn["legal"]
    if turn["kind"] == "throw":
        return passive(turn, chance)
    plays = [entry for entry in legal if entry.get("cards")] or legal
    chosen: Mapping[str, Any] = plays[0] if chance.random() < PLAYS_OFTEN else legal[0]
    return chosen


class OtherPlayers:
    """As many bots as are asked for, in any number of sessions, from the making until `close`.

    styles: how they play, by session; passive where none is given.
    """

    def __init__(self, referee: Referee, count: int) -> None:
        self._referee = referee
        self._closed = threading.Event()
        self.styles: dict[str, Style] = {}
        registered = [referee.register(f"opponent-{number}")[0] for number in range(1, count + 1)]
        self.ids = [str(bot["id"]) for bot in registered]
        self._threads = [
            threading.Thread(target=self._play, args=(bot,), name="opponent", daemon=True)
            for bot in self.ids
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End them. The referee should have been stopped before, or they wait for a moment."""
        self._closed.set()
        for thread in self._threads:
            thread.join()

    def _play(self, bot: str) -> None:
        """At a thread's top: answer what one bot is asked."""
        chance = Random(bot)
        while not self._closed.is_set():
            try:
                turns = self._referee.turns(bot, wait_ms=WAIT_MS)["turns"]
            except Unavailable:
                return  # the referee stops
            for turn in turns:
                self._answer(bot, turn, chance)

    def _answer(self, bot: str, turn: Document, chance: Random) -> None:
        style = self.styles.get(turn["session"], passive)
        try:
            self._referee.answer(bot, turn["turn"], style(self._listed(bot, turn), chance))
        except ArenaError:
            return  # the session was cancelled, or the turn ended; what is open comes again

    def _listed(self, bot: str, turn: Document) -> Document:
        """A turn with a list of legal answers, also in sessions that give none."""
        if turn.get("legal"):
            return turn
        return {**turn, "legal": [self._any(bot, turn)]}

    def _any(self, bot: str, turn: Document) -> Document:
        """Something legal where nothing is listed: a pass, or the lowest card."""
        if turn["kind"] == "play" and turn["pile"] is not None:
            return {"pass": True}
        return {"cards": turn["held"][:1]}
