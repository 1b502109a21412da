"""Episodes for tests, played at random by their actions."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from arena.envs.episode import Episode
from arena.rules import Ruleset, compile_ruleset
from arena.rules.presets import PRESETS
from tests.rules.strategies import rulesets

SEEDS = st.integers(0, 10**9)
ANY_RULES = st.one_of(
    rulesets(decks=1, jokers=1), rulesets(decks=1, jokers=2), rulesets(decks=2, jokers=2)
)
"""Any options. Of more jokers there are so many melds that a test would spend its time on lists."""
SPECS = (
    *PRESETS,
    "house,players=6,decks=2,jokers=2",
    "house,players=3,kakumei_optional=true,jack_back_optional=true",
    "pagat,players=8,exchange_pick=asked",
    "pagat,first_lead=janken,janken_mode=interactive",
)
"""All presets, and rulesets that ask every kind of question."""
LIMIT = 5000


def begun(spec: str | Ruleset, seed: int = 0, *, hands: int = 1) -> Episode:
    rules = spec if isinstance(spec, Ruleset) else compile_ruleset(spec)
    episode = Episode(rules, hands=hands)
    episode.begin(seed)
    return episode


def turns(episode: Episode, random: Random) -> Iterator[Episode]:
    """The episode at each of its turns; between them a random action is taken."""
    for _ in range(LIMIT):
        if episode.seat < 0:
            return
        yield episode
        legal = episode.legal()
        episode.step(legal[random.randrange(len(legal))])
    raise AssertionError("the episode does not end")


def actions_named(episode: Episode) -> list[str]:
    """The legal actions in text."""
    return [episode.actions.names[action] for action in episode.legal()]


def take(episode: Episode, *names: str) -> None:
    """Take some actions, one after the other."""
    for name in names:
        episode.step(episode.actions.names.index(name))
