"""Daifugō as an environment for reinforcement learning, with PettingZoo and Gymnasium.

    env(...)               PettingZoo AEC: every player is an agent
    DaifugoEnv(...)        Gymnasium: one player, the others are opponents
    gymnasium.make("arena.envs:daifugo/Daifugo-v0", ruleset="house")

Importing it registers the Gymnasium environment. It needs `pip install 'daifugo-arena[envs]'`. The
rules are the engine's own; an agent is shown what its seat may know, and nothing else.
"""

from __future__ import annotations

try:
    import gymnasium
    import pettingzoo  # noqa: F401
except ImportError as error:
    install = "pip install 'daifugo-arena[envs]'"
    raise ImportError(f"arena.envs needs more packages: {install} ({error})") from error

from arena.envs.actions import FEATURE_NAMES, Actions
from arena.envs.aec import DaifugoAEC, env, raw_env
from arena.envs.layout import ObservationLayout
from arena.envs.opponents import OpponentTurn
from arena.envs.single import DaifugoEnv

ID = "daifugo/Daifugo-v0"

__all__ = [
    "FEATURE_NAMES",
    "ID",
    "Actions",
    "DaifugoAEC",
    "DaifugoEnv",
    "ObservationLayout",
    "OpponentTurn",
    "env",
    "raw_env",
    "register",
]


def register() -> None:
    """Let `gymnasium.make` know the environment; done when this package is imported."""
    if ID not in gymnasium.registry:
        gymnasium.register(ID, entry_point="arena.envs.single:DaifugoEnv")


register()
