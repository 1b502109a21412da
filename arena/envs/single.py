"""Daifugō for Gymnasium: one player is the agent, the others are opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from arena.envs.episode import Episode
from arena.envs.opponents import Opponent, Opponents
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


class DaifugoEnv(gymnasium.Env[Observation, Any]):
    """One player against the others, who answer within `step`.

    ruleset, hands, rewards, max_steps: as of `arena.envs.DaifugoAEC`, but max_steps counts the
    agent's own. opponents: see `arena.envs.opponents.Opponents`; player: which player the agent is;
    illegal: what an illegal action does: `lose` ends the episode with a reward of -1 and
    `info["illegal"]`, `raise` raises BadInput and changes nothing. render_mode: `ansi`: `render`
    returns what has happened since its last answer and how things stand, as it may know it;
    `human`: every step prints that.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as Gymnasium declares it
        "render_modes": [*MODES],
        "render_fps": 1,
    }

    def __init__(
        self,
        ruleset: Mapping[str, Any] | str | Ruleset = "pagat",
        *,
        opponents: Opponent | Sequence[Opponent] = "random",
        player: int = 0,
        hands: int = 1,
        rewards: Rewards = PLACE,
        illegal: str = LOSE,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        episode = self.episode = Episode(ruleset_of(ruleset), hands=hands)
        if not 0 <= player < episode.rules.players:
            raise BadInput("player", player, f"0 to {episode.rules.players - 1}")
        self.player = player
        self._raises = check_illegal(illegal) == RAISE
        self._opponents = Opponents(episode, opponents, player)
        self._rewards = reward_table(episode.rules, rewards)
        self._most = checked_steps(max_steps)
        self._seeds = EpisodeSeeds()
        self._steps = 0
        self._over = True
        self._since = (1, 0)
        self.observation_space = observation_space(episode)
        self.action_space = action_space(episode)

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

    def action_masks(self) -> NDArray[np.bool_]:
        """The action mask as sb3-contrib's MaskablePPO asks for it."""
        return self.episode.mask(self.player).astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode and play until the agent is asked.

        seed: of its deals and of the opponents' random choices; without one, the next episode of
        the last seed. An episode that ends before the agent is asked is not shown.
        """
        super().reset(seed=seed)
        self._steps, self._over, self._since = 0, False, (1, 0)
        while True:
            start = self._seeds.next(seed)
            seed = None
            self._opponents.begin(*start)
            self.episode.begin(*start)
            self._play_on()
            if self.episode.seat >= 0:
                break
        self._show()
        return self.episode.observed(self.player), {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the others play until the agent is asked again."""
        if self._over:
            raise BadInput("action", int(action), "none, for the episode is over: reset")
        episode = self.episode
        self._since = (episode.hand, len(episode.events))
        if int(action) not in episode.legal():
            if self._raises:
                raise episode.illegal(int(action))
            self._over = True
            return episode.observed(self.player), ILLEGAL_REWARD, True, False, {"illegal": True}
        reward = self._reward(episode.apply(int(action))) + self._play_on()
        self._steps += 1
        terminated = episode.seat < 0
        truncated = not terminated and self._steps == self._most
        self._over = terminated or truncated
        self._show()
        return episode.observed(self.player), reward, terminated, truncated, {}

    def _play_on(self) -> float:
        """The others answer until the agent is asked -> its reward meanwhile."""
        reward = 0.0
        while self.episode.seat >= 0 and self.episode.player != self.player:
            reward += self._reward(self._opponents.step())
        return reward

    def _reward(self, ended: Sequence[tuple[int, ...]]) -> float:
        """The agent's reward for hands that have ended."""
        return sum(self._rewards[places.index(self.player)] for places in ended) if ended else 0.0

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """How things stand, as the agent may know it: returned (`ansi`) or printed (`human`)."""
        if self.render_mode is None:
            raise BadInput("render_mode", None, " or ".join(MODES))
        hand, events = self._since
        since = events if hand == self.episode.hand else 0
        text = as_text(self.episode, player=self.player, since=since)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None
