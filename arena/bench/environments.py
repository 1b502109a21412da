"""Environments for learning: ours beside PettingZoo's and RLCard's card games, in one process.

All are played by the same policy, uniform over the legal actions, in turns of one slice each, so
that a machine that slows down slows down all of them. What is not installed is named.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from arena.envs import DaifugoAEC

AEC_GAMES = ("leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6")
RLCARD_GAMES = ("doudizhu", "gin-rummy", "leduc-holdem")
ROUNDS = 5
Slice = Callable[[float], "Count"]
"""Plays for so many seconds of CPU time."""


class Count(NamedTuple):
    """What was played in a slice. seconds: of CPU."""

    decisions: int
    hands: int
    seconds: float


class Pace(NamedTuple):
    """How fast an environment is. name; ours: is it of the arena; best, middle: decisions a second
    in the quickest slice and in the middle one; length: decisions in a hand."""

    name: str
    ours: bool
    best: float
    middle: float
    length: float


class PaceTable(NamedTuple):
    """missing: what could not be measured, and why."""

    paces: list[Pace]
    missing: list[str]


def compare(rulesets: Sequence[Any], *, seconds: float, seed: int = 1) -> PaceTable:
    """Measure all that is installed. seconds: of CPU for each environment, in `ROUNDS` slices."""
    players: dict[str, tuple[bool, Slice]] = {
        f"arena.envs {name}": (True, _aec(DaifugoAEC(ruleset), seed)) for name, ruleset in rulesets
    }
    missing: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other people's code, which nobody here can mend
        for name, slice_ in _others(seed, missing):
            players[name] = (False, slice_)
        counts: dict[str, list[Count]] = {name: [] for name in players}
        for _, play in players.values():
            play(seconds / ROUNDS / 4)  # tables fill up
        for _ in range(ROUNDS):
            for name, (_, play) in players.items():
                counts[name].append(play(seconds / ROUNDS))
    return PaceTable([_pace(name, players[name][0], counts[name]) for name in players], missing)


def _pace(name: str, ours: bool, counts: Sequence[Count]) -> Pace:
    speeds = [count.decisions / count.seconds for count in counts]
    length = sum(c.decisions for c in counts) / max(1, sum(c.hands for c in counts))
    return Pace(name, ours, max(speeds), median(speeds), length)


def _others(seed: int, missing: list[str]) -> list[tuple[str, Slice]]:
    """The card games of others that are installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    found: list[tuple[str, Slice]] = []
    for name in AEC_GAMES:
        try:
            module = import_module(f"pettingzoo.classic.{name}")
        except ImportError as error:
            missing.append(f"PettingZoo {name}: {error}")
            continue
        found.append((f"PettingZoo {name}", _aec(module.env(), seed)))
        found.append((f"PettingZoo {name}, raw_env", _aec(module.raw_env(), seed)))
    try:
        rlcard = import_module("rlcard")
    except ImportError as error:
        missing += [f"RLCard {name}: {error}" for name in RLCARD_GAMES]
        return found
    return found + [
        (f"RLCard {name}", _rlcard(rlcard.make(name, config={"seed": seed}), seed))
        for name in RLCARD_GAMES
    ]


def _aec(env: Any, seed: int) -> Slice:
    """Any AEC environment with action masks: each decision observes, chooses and steps."""
    chance = Random(seed).random
    env.reset(seed=seed)

    def play(seconds: float) -> Count:
        decisions = hands = 0
        began = time.process_time()
        while time.process_time() - began < seconds:
            env.reset()
            hands += 1
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].view(np.bool_).nonzero()[0]
                env.step(int(legal[int(chance() * len(legal))]))
                decisions += 1
        return Count(decisions, hands, time.process_time() - began)

    return play


def _rlcard(env: Any, seed: int) -> Slice:
    """A game of RLCard by its own interface, which hands out the legal actions as a dictionary."""
    chance = Random(seed).random

    def play(seconds: float) -> Count:
        decisions = hands = 0
        began = time.process_time()
        while time.process_time() - began < seconds:
            state, _ = env.reset()
            hands += 1
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(chance() * len(legal))])
                decisions += 1
        return Count(decisions, hands, time.process_time() - began)

    return play
