"""Players and bots for matches: quick, silent, stubborn, broken."""

from __future__ import annotations

import argparse
import bdb
import multiprocessing
import os
import sys
import time
from pathlib import Path
from random import Random

from arena.client import Bot, Turn
from arena.match.tables import SeatView, TableSetup
from arena.rules import compile_ruleset, default, legal
from arena.rules.commands import Pass

PAGAT = compile_ruleset({"preset": "pagat"})
UECDA = compile_ruleset({"preset": "uecda", "options": {"players": 4}})
BOTS = ("a", "b", "c", "d")


def setting(rules=PAGAT, *, hands=3, shuffles="s", seats="t", turned=0, reseat_every=1, block="b"):
    """A table of four."""
    return TableSetup(
        rules,
        block,
        "p",
        BOTS,
        hands=hands,
        seed=7,
        shuffles=shuffles,
        seats=seats,
        turned=turned,
        reseat_every=reseat_every,
    )


class Low:
    """Answers as the referee would, and remembers what it was dealt and when hands ended."""

    note = ""

    def __init__(self):
        self.dealt = {}
        self.ended = []

    def answer(self, look: SeatView, refused):
        self.dealt.setdefault(look.hand, (look.seat, look.state.held[look.seat]))
        return default(look.setting.rules, look.state, look.seat)

    def hand_over(self, look):
        self.ended.append((look.hand, look.state.over))


class Lucky(Low):
    """Plays anything legal."""

    def __init__(self, seed):
        super().__init__()
        self.random = Random(seed)

    def answer(self, look, refused):
        menu = legal(look.setting.rules, look.state, look.seat)
        return menu.answer(self.random.randrange(len(menu)))


class Silent(Low):
    """Never answers."""

    def answer(self, look, refused):
        return None


class Stubborn(Low):
    """Passes, whether or not it may."""

    def __init__(self):
        super().__init__()
        self.reasons = []

    def answer(self, look, refused):
        self.reasons.append(refused)
        return Pass(look.seat)


class Lowest(Bot):
    """The sample bot, with a flag."""

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--shy", action="store_true")

    def begin(self, flags: argparse.Namespace) -> None:
        self.shy = flags.shy

    def play(self, turn: Turn) -> object:
        if self.shy and turn.can_pass:
            return turn.pass_()
        return turn.lowest() or turn.pass_()


class Broken(Bot):
    """Has a mistake in its code."""

    def play(self, turn: Turn) -> object:
        raise ZeroDivisionError


class Cheat(Bot):
    """Plays cards that it does not hold, and does not learn from it."""

    def play(self, turn: Turn) -> object:
        return ["S3", "H3", "D3", "C3"]

    def refused(self, turn, problem):
        return {"cards": ["JK"] * 4}


class Dreamer(Lowest):
    """Thinks long, for a bot that plays the lowest."""

    def play(self, turn: Turn) -> object:
        time.sleep(0.02)
        return super().play(turn)


class Spotter(Lowest):
    """Says in which process it plays."""

    def begin(self, flags: argparse.Namespace) -> None:
        super().begin(flags)
        sys.stderr.write(f"played in {multiprocessing.current_process().name}\n")


class Debugged(Bot):
    """Is left by whoever debugs it."""

    def play(self, turn: Turn) -> object:
        raise bdb.BdbQuit


class Unborn(Lowest):
    """Does not find what it needs."""

    def begin(self, flags: argparse.Namespace) -> None:
        raise FileNotFoundError("weights.bin")


class Leaver(Bot):
    """Leaves in the middle of a hand."""

    def play(self, turn: Turn) -> object:
        sys.exit(4)


class Killer(Bot):
    """Takes its process with it."""

    def play(self, turn: Turn) -> object:
        os._exit(3)


class Mortal(Lowest):
    """Takes its process with it, once: as long as a file is not there."""

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        super().add_flags(parser)
        parser.add_argument("--once", type=Path, required=True)

    def begin(self, flags: argparse.Namespace) -> None:
        super().begin(flags)
        self.died = flags.once

    def play(self, turn: Turn) -> object:
        if not self.died.exists():
            self.died.touch()
            os._exit(9)
        return super().play(turn)


class Waiter(Lowest):
    """Plays only when a file is there."""

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        super().add_flags(parser)
        parser.add_argument("--until", type=Path, required=True)

    def begin(self, flags: argparse.Namespace) -> None:
        super().begin(flags)
        self.until = flags.until

    def play(self, turn: Turn) -> object:
        while not self.until.exists():
            time.sleep(0.01)
        return super().play(turn)
