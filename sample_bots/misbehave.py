"""Misbehave: does wrong on purpose, in a way that a flag chooses.

    python -m sample_bots.misbehave --url http://127.0.0.1:8000 --session spring-cup --how late

    late      answers after the deadline and the bank
    illegal   answers with cards it does not hold, again and again
    garbage   answers with things that are no answers
    silent    polls and never answers
    vanish    plays properly, then the process ends without a word in the middle of a hand

For organisers: try a session with one of these at the table before the real one. The others must
not suffer, and the standings must tell. `--after N` lets it play properly for N turns first.

What to change first: think of another way to be a nuisance, and see whether the arena stands it.
"""

import argparse
import itertools
import os
import time
from collections.abc import Callable
from typing import Any

from arena.client import ArenaProblem, Bot, Turn, cards, run

GARBAGE: tuple[dict[str, Any], ...] = (
    {"cards": "all of them"},
    {"cards": [{"suit": "S", "rank": 3}]},
    {"cards": ["X9"]},
    {"choice": -1},
    {"pass": "please"},
    {"resign": True},
    {"cards": ["S3"] * 500},
)


class Misbehave(Bot):
    """Does wrong on purpose."""

    second_tries = 20  # more than a usual illegal budget

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        ways = ("late", "illegal", "garbage", "silent", "vanish")
        parser.add_argument("--how", choices=ways, required=True)
        parser.add_argument("--after", type=int, default=0, metavar="N", help="turns to play first")

    def begin(self, flags: argparse.Namespace) -> None:
        self.how: Callable[[Turn], Any] = getattr(self, flags.how)
        self.proper = flags.after
        self.garbage_cans = itertools.cycle(GARBAGE)

    def play(self, turn: Turn) -> object:
        return turn.lowest() or turn.pass_()

    def answer(self, turn: Turn) -> Any:
        """All kinds of turns, unchecked: what is returned here goes out as it is."""
        if self.proper > 0:
            self.proper -= 1
            return super().answer(turn)
        return self.how(turn)

    def answer_again(self, turn: Turn, problem: ArenaProblem) -> Any:
        return self.how(turn)

    def late(self, turn: Turn) -> object:
        time.sleep(turn.left_ms / 1000 + 1)
        return turn.fallback()

    def illegal(self, turn: Turn) -> object:
        strange = [card for card in reversed(cards.PACK) if card not in turn.held]
        return {"cards": strange[:1]}

    def garbage(self, turn: Turn) -> object:
        return next(self.garbage_cans)

    def silent(self, turn: Turn) -> object:
        return None

    def vanish(self, turn: Turn) -> object:
        os._exit(1)


if __name__ == "__main__":
    run(Misbehave())
