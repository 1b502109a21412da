"""Opponents of the one agent of the Gymnasium environment: functions, words and bots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.client.bot import Bot
from arena.envs.actions import FIRST_MELD
from arena.envs.episode import Episode
from arena.errors import BadInput
from arena.match.kit import KitPlayer
from arena.match.local import make_bot
from arena.match.tables import SeatView, TableSetup, answered


class OpponentTurn(NamedTuple):
    """What an opponent is asked. episode: all of the game, other players' cards too; player: its
    number; random: of its own, seeded by `reset`.

    `legal`, `observation` and `action_mask` keep to what it may know, and are worked out when it
    looks.
    """

    episode: Episode
    player: int
    random: Random

    @property
    def legal(self) -> list[int]:
        """The legal actions, rising."""
        return self.episode.legal()

    @property
    def observation(self) -> NDArray[np.int8]:
        """What the player may know, as the agent's own observation has it."""
        return self.episode.observe(self.player)

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action."""
        return self.episode.mask(self.player)


Policy = Callable[[OpponentTurn], int]
Opponent = str | Policy | Bot


def random_policy(turn: OpponentTurn) -> int:
    """Any legal action, all equally likely."""
    legal = turn.legal
    return legal[int(turn.random.random() * len(legal))]


def weakest_policy(turn: OpponentTurn) -> int:
    """Of the legal plays the weakest in the order in force, of equals the largest; a pass only
    where nothing else is legal; to a question the first answer."""
    legal, actions, state = turn.legal, turn.episode.actions, turn.episode.state
    plays = [action for action in legal if FIRST_MELD <= action < actions.cards]
    if not plays:
        return legal[0]

    def weakness(action: int) -> tuple[int, int]:
        meld = actions.melds[action - FIRST_MELD]
        return meld.strength_in(state.order_reversed), -meld.size

    return min(plays, key=weakness)


POLICIES: dict[str, Policy] = {"random": random_policy, "weakest": weakest_policy}


class Opponents:
    """Who plays the other players. given: one for all of them, or one for each, in the order of
    their numbers: `random`, `weakest`, `module:Class` of a bot of the client kit with its flags, a
    bot, or a function from an `OpponentTurn` to an action. Raises BadInput."""

    def __init__(self, episode: Episode, given: Opponent | Sequence[Opponent], me: int) -> None:
        others = [player for player in range(episode.rules.players) if player != me]
        one = isinstance(given, str | Bot) or callable(given)
        each: list[Any] = [given] * len(others) if one else list(given)  # type: ignore[arg-type]
        if len(each) != len(others):
            raise BadInput("opponents", len(each), f"one, or {len(others)} of them")
        self._episode = episode
        self._policies: dict[int, Policy] = {}
        self._bots: dict[int, Bot] = {}
        self._players: dict[int, KitPlayer] = {}
        for player, opponent in zip(others, each, strict=True):
            self._add(player, opponent)
        self._random = Random()

    def _add(self, player: int, opponent: Any) -> None:
        """One of them."""
        if isinstance(opponent, str) and ":" in opponent:
            self._bots[player] = make_bot(opponent)
        elif isinstance(opponent, Bot):
            self._bots[player] = opponent
        elif callable(opponent):
            self._policies[player] = opponent
        elif opponent in POLICIES:
            self._policies[player] = POLICIES[opponent]
        else:
            wanted = f"{', '.join(POLICIES)}, module:Class of a bot, a bot, or a function"
            raise BadInput("opponent", opponent, wanted)

    def begin(self, seed: int, number: int) -> None:
        """A new episode: random choices anew; bots are told of a new table."""
        self._random = Random(f"{seed} {number}")
        if not self._bots:
            return
        names = tuple(f"player_{player}" for player in range(self._episode.rules.players))
        self._setting = TableSetup(
            self._episode.rules, f"e{number}", "envs", names, self._episode.hands, seed, "", ""
        )
        self._players = {
            player: KitPlayer(bot, self._setting, strict=True) for player, bot in self._bots.items()
        }

    def step(self) -> Sequence[tuple[int, ...]]:
        """Let the player who is asked answer -> as `Episode.step`."""
        episode = self._episode
        player = episode.player
        policy = self._policies.get(player)
        if policy is not None:
            return episode.step(int(policy(OpponentTurn(episode, player, self._random))))
        look = SeatView(
            self._setting,
            episode.hand,
            episode.seating,
            episode.seat,
            episode.state,
            episode.events,
        )
        return episode.take(answered(look, self._players[player]).events)
