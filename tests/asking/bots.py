"""Bots that are asked in this process."""

from __future__ import annotations

from arena.client import Bot


class Lowest(Bot):
    """The lowest card; remembers what it was told."""

    def on_session(self, session):
        self.session = session

    def play(self, turn):
        assert self.session["options"]["players"] == len(turn.players)
        return turn.lowest() or turn.pass_()


class Broken(Bot):
    """An error in its code."""

    def play(self, turn):
        return {"cards": turn.held[7]}


class Cheat(Bot):
    """Cards that it does not hold."""

    def play(self, turn):
        return {"cards": ["S5"]}


class Silent(Bot):
    """Leaves its turns to the clock."""

    def answer(self, turn):
        return None
