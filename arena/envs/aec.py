"""Daifugō for PettingZoo: all players are agents, one after the other (AEC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from arena.envs.episode import Episode
from arena.envs.rendering import MODES, as_text, check_mode
from arena.envs.rewards import PLACE, Rewards, reward_table
from arena.envs.spaces import (
    ILLEGAL_REWARD,
    LOSE,
    RAISE,
    EpisodeSeeds,
    Observation,
    action_space,
    check_illegal,
    checked_steps,
    observation_space,
    ruleset_of,
)
from arena.errors import BadInput
from arena.rules import Ruleset


class DaifugoAEC(AECEnv):
    """All players as agents. PettingZoo's wrappers are not needed: what they check is checked here,
    in a third of the time.

    Agents are `player_0` to `player_k-1` and keep their names where seats change; all of them end
    together, after the last hand. ruleset: a compiled one, a document, or its short form; hands: in
    an episode, with titles and exchange between them; rewards: see `arena.envs.rewards`, given
    when a hand ends; illegal: what an action that the mask does not allow does: `lose` ends the
    episode with a reward of -1 for who took it, `raise` raises BadInput and changes nothing;
    max_steps: truncates an episode; render_mode: `ansi`: `render` returns text with all cards,
    `human`: every step prints it.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "daifugo_v0",
        "render_modes": [*MODES],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        ruleset: Mapping[str, Any] | str | Ruleset = "pagat",
        *,
        hands: int = 1,
        rewards: Rewards = PLACE,
        illegal: str = LOSE,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_mode(render_mode)
        self.render_mode = render_mode
        self.episode = Episode(ruleset_of(ruleset), hands=hands)
        self._raises = check_illegal(illegal) == RAISE
        self._rewards = reward_table(self.episode.rules, rewards)
        self._most = checked_steps(max_steps)
        self._seeds = EpisodeSeeds()
        self._steps = 0
        players = range(self.episode.rules.players)
        self.possible_agents = [f"player_{player}" for player in players]
        self._player = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {a: observation_space(self.episode) for a in self._player}
        self.action_spaces = {a: action_space(self.episode) for a in self._player}
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]

    @property
    def observation_names(self) -> tuple[str, ...]:
        """The name of each number of an observation."""
        return self.episode.layout.names

    @property
    def action_names(self) -> tuple[str, ...]:
        """What each action is, in text."""
        return self.episode.actions.names

    @property
    def action_features(self) -> NDArray[np.int8]:
        """What each action is, in numbers: a row for each (`arena.envs.FEATURE_NAMES`)."""
        return self.episode.actions.features

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode. seed: of its deals; without one the next episode of the last seed."""
        agents = self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection = None
        self._steps = 0
        self._rewarded = False
        self._settle(self.episode.begin(*self._seeds.next(seed)))

    def observe(self, agent: str) -> Observation:
        """What an agent may know now; its action mask is all zeros unless it is selected."""
        return self.episode.observed(self._player[agent])

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent; None once its episode has ended."""
        if not self.agents:
            raise BadInput("action", action, "reset first: no agent is there to act")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadInput("action", None, "an action of an agent that has not ended")
        episode = self.episode
        if action not in episode.legal():
            if self._raises:
                raise episode.illegal(action)
            self._lose(agent)
            return
        ended = episode.apply(int(action))
        self._steps += 1
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if ended or episode.seat < 0 or self._steps == self._most:
            self._settle(ended)
        else:
            self.agent_selection = self.possible_agents[episode.player]
        if self.render_mode == "human":
            self.render()

    def _lose(self, agent: str) -> None:
        """An illegal action has ended the episode: as PettingZoo's `TerminateIllegalWrapper`."""
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos[agent] = {"illegal": True}
        self.agent_selection = self.agents[0]

    def _settle(self, ended: Any) -> None:
        """Rewards of the hands that have ended, the end of the episode, and who is next."""
        episode, agents = self.episode, self.possible_agents
        for places in ended:
            for player, reward in zip(places, self._rewards, strict=True):
                self.rewards[agents[player]] += reward
        if ended:
            self._rewarded = True
            self._accumulate_rewards()
        if episode.seat < 0:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        if self._steps == self._most and self._most:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = agents[episode.player]

    def render(self) -> str | None:
        """How things stand, with all cards: returned (`ansi`) or printed (`human`)."""
        if self.render_mode is None:
            raise BadInput("render_mode", None, " or ".join(MODES))
        text = as_text(self.episode, player=None, since=self.episode.latest)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def close(self) -> None:
        """There is nothing to release."""


def env(*args: Any, **settings: Any) -> DaifugoAEC:
    """The environment; arguments as of `DaifugoAEC`."""
    return DaifugoAEC(*args, **settings)


def raw_env(*args: Any, **settings: Any) -> DaifugoAEC:
    """The same, but an illegal action raises BadInput and changes nothing."""
    return DaifugoAEC(*args, **{"illegal": RAISE, **settings})
