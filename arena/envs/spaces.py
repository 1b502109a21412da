"""What both environments share: their spaces, and which episode comes next."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.envs.episode import Episode
from arena.errors import BadInput
from arena.rules import Ruleset, compile_ruleset

Observation = dict[str, NDArray[Any]]


LOSE, RAISE = "lose", "raise"
"""What an illegal action may do: end the episode, or raise an error."""
ILLEGAL_REWARD = -1.0
"""The reward of who ends an episode by an illegal action."""


def check_illegal(illegal: str) -> str:
    """The same word. Raises BadInput."""
    if illegal not in (LOSE, RAISE):
        raise BadInput("illegal", illegal, f"{LOSE} or {RAISE}")
    return illegal


def ruleset_of(ruleset: Any) -> Ruleset:
    """A compiled ruleset as it is, or the one of a document or its short form. Raises BadInput."""
    return ruleset if isinstance(ruleset, Ruleset) else compile_ruleset(ruleset)


def observation_space(episode: Episode) -> spaces.Space[Any]:
    """`observation`: numbers of `env.observation_names`; `action_mask`: 1 for legal actions."""
    high = episode.layout.high
    size = episode.actions.size
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(high), high, high.shape, np.int8),
            "action_mask": spaces.Box(0, 1, (size,), np.int8),
        }
    )


def action_space(episode: Episode) -> spaces.Discrete[Any]:
    """An index into `env.action_names`."""
    return spaces.Discrete(episode.actions.size)


def checked_steps(max_steps: int | None) -> int:
    """The number of steps after which an episode is cut off; 0 for never. Raises BadInput."""
    if max_steps is None:
        return 0
    if max_steps < 1:
        raise BadInput("max_steps", max_steps, "1 or more, or None for no limit")
    return max_steps


class EpisodeSeeds:
    """Which seed comes next: a new one is episode 0 of itself, each reset without one the next."""

    def __init__(self) -> None:
        self._seed: int | None = None
        self._number = 0

    def next(self, seed: int | None) -> tuple[int, int]:
        """Seed and number for `Episode.begin`."""
        if seed is not None or self._seed is None:
            self._seed = secrets.randbits(63) if seed is None else int(seed)
            self._number = 0
        else:
            self._number += 1
        return self._seed, self._number
