"""The environments as PettingZoo and Gymnasium see them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from arena.client.bot import Bot
from arena.client.turn import Turn
from arena.envs import ID, DaifugoAEC, DaifugoEnv, OpponentTurn, env, raw_env
from arena.errors import BadInput
from arena.rules import compile_ruleset
from tests.envs.playing import SPECS

with warnings.catch_warnings():
    # Where its own games can be imported, it does so by what it calls their old names.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

DICTIONARIES = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
)
"""What PettingZoo says of all observations with an action mask but those of its own games."""


@contextmanager
def allowed(*messages: str) -> Iterator[None]:
    """These warnings are no errors."""
    with warnings.catch_warnings():
        for message in messages:
            warnings.filterwarnings("ignore", message=message)
        yield


def play_on(game: DaifugoAEC, random: Random) -> dict[str, float]:
    """Play an episode to its end at random -> the reward of each agent."""
    rewards: dict[str, float] = {}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        rewards[agent] = rewards.get(agent, 0.0) + reward
        if terminated or truncated:
            game.step(None)
        else:
            legal = np.flatnonzero(observation["action_mask"])
            game.step(int(legal[random.randrange(len(legal))]))
    return rewards


@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_finds_no_fault(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    with allowed(*DICTIONARIES):
        api_test(env(spec, hands=2), num_cycles=20)
    seed_test(lambda: env(spec, hands=2), num_cycles=30)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("spec", ["pagat", "house"])
def test_gymnasium_finds_no_fault(spec: str) -> None:
    check_env(gymnasium.make(ID, ruleset=spec).unwrapped)


def test_a_seed_gives_the_same_deals_and_another_one_others() -> None:
    def deals(seed: int) -> list[tuple[int, ...]]:
        game = env("pagat")
        found = []
        for at in range(3):
            game.reset(seed=seed if not at else None)
            found.append(game.episode.state.held)
        return found

    assert deals(4) == deals(4)
    assert len({*deals(4), *deals(5)}) == 6


def test_without_any_seed_episodes_differ() -> None:
    one, other = env("pagat"), env("pagat")
    one.reset()
    other.reset()
    assert one.episode.state.held != other.episode.state.held


def test_rewards_go_by_place_and_add_up_to_nothing() -> None:
    game = env("pagat")
    game.reset(seed=1)
    rewards = play_on(game, Random(1))
    places = [f"player_{seat}" for seat in game.episode.state.places]
    assert [round(rewards[agent], 3) for agent in places] == [1, 0.333, -0.333, -1]


@pytest.mark.parametrize(
    ("rewards", "wanted"),
    [("win", [1, 0, 0, 0]), ("points", [3, 1, 0, 0]), ([4, 2, 1, 0], [4, 2, 1, 0])],
)
def test_rewards_may_be_others(rewards: Any, wanted: list[float]) -> None:
    game = env("pagat", rewards=rewards)
    if rewards == "points":
        wanted = [*map(float, game.episode.rules.table.points)]
    game.reset(seed=1)
    found = play_on(game, Random(1))
    places = [f"player_{seat}" for seat in game.episode.state.places]
    assert [found[agent] for agent in places] == wanted


def test_several_hands_have_titles_and_an_exchange_and_add_their_rewards() -> None:
    game = env("pagat", hands=3)
    game.reset(seed=2)
    numbers = set()
    exchanged = False
    for _ in range(3000):
        if not game.agents or any(game.terminations.values()):
            break
        numbers.add(game.episode.hand)
        exchanged |= any(q.rule == "exchange" for q in game.episode.state.questions)
        game.step(game.episode.legal()[0])
    assert numbers == {1, 2, 3}
    assert exchanged
    assert round(sum(game._cumulative_rewards.values()), 9) == 0


def test_a_session_that_ends_by_its_ruleset_ends_the_episode() -> None:
    assert env("dqx", hands=9).episode.hands == 4
    assert env("dqx", hands=2).episode.hands == 2


def test_the_next_agent_follows_the_direction_of_play() -> None:
    """Under `house` a 9 turns it."""
    game = env("house")
    turned = False
    for seed in range(8):
        game.reset(seed=seed)
        while not turned and not any(game.terminations.values()):
            assert game.agent_selection == f"player_{game.episode.seat}"
            turned = game.episode.state.direction < 0
            game.step(game.episode.legal()[-1])
    assert turned


def illegal(game: DaifugoAEC) -> int:
    return min({*range(game.episode.actions.size)} - {*game.episode.legal()})


def test_an_illegal_action_ends_the_episode_and_costs_who_took_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    game = env("pagat")
    game.reset(seed=1)
    agent = game.agent_selection
    with allowed(".*Illegal move made.*"):
        game.step(illegal(game))
    assert all(game.terminations.values())
    rewards = play_on(game, Random(1))
    assert rewards == {a: -1.0 if a == agent else 0.0 for a in game.possible_agents}
    assert not game.agents


def test_the_raw_environment_refuses_it_and_nothing_changes() -> None:
    game = raw_env("pagat")
    game.reset(seed=1)
    before = game.observe(game.agent_selection)
    action = illegal(game)
    with pytest.raises(BadInput, match=r"action is .*expected one that the action mask allows"):
        game.step(action)
    with pytest.raises(BadInput, match="action is '99999'"):
        game.step(99_999)
    after = game.observe(game.agent_selection)
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_before_a_reset_and_after_the_end_there_is_nothing_to_step() -> None:
    game = env("pagat")
    with pytest.raises(BadInput, match="reset first"):
        game.step(0)
    single = DaifugoEnv("pagat")
    with pytest.raises(BadInput, match="the episode is over: reset"):
        single.step(0)


def test_an_episode_may_be_truncated() -> None:
    game = env("pagat", max_steps=5)
    game.reset(seed=1)
    for _ in range(5):
        assert not any(game.truncations.values())
        game.step(game.episode.legal()[0])
    assert all(game.truncations.values())
    assert not any(game.terminations.values())
    play_on(game, Random(1))
    single = DaifugoEnv("pagat", max_steps=1)
    single.reset(seed=1)
    _, _, terminated, truncated, _ = single.step(single.episode.legal()[0])
    assert (terminated, truncated) == (False, True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ruleset": "pagat,joker=1"}, "option is 'joker'"),
        ({"hands": 0}, "hands is 0; expected 1 or more"),
        ({"rewards": "gold"}, "rewards is 'gold'; expected place, points, win"),
        ({"rewards": [1, 0]}, "or 4 numbers"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"render_mode": "rgb_array"}, "render_mode is 'rgb_array'; expected human or ansi"),
        ({"illegal": "ignore"}, "illegal is 'ignore'; expected lose or raise"),
    ],
)
@pytest.mark.parametrize("make", [env, DaifugoEnv])
def test_bad_settings_are_named(
    make: Callable[..., Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        make(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"player": 4}, "player is 4; expected 0 to 3"),
        ({"opponents": "clever"}, "opponent is 'clever'; expected random, weakest, module:Class"),
        ({"opponents": ["random"]}, "opponents is 1; expected one, or 3 of them"),
        ({"opponents": "sample_bots.nobody:Nobody"}, "bot is 'sample_bots.nobody:Nobody'"),
    ],
)
def test_bad_opponents_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        DaifugoEnv(**settings)


def played(single: DaifugoEnv, seed: int) -> tuple[list[bytes], float]:
    """All observations of an episode in which the first legal action is taken; its reward."""
    observation, _ = single.reset(seed=seed)
    seen, total, over = [observation["observation"].tobytes()], 0.0, False
    while not over:
        action = int(np.flatnonzero(observation["action_mask"])[-1])
        observation, reward, terminated, truncated, _ = single.step(action)
        seen.append(observation["observation"].tobytes())
        total += reward
        over = terminated or truncated
    return seen, total


class LastLegal(Bot):
    """Plays the last of the legal answers."""

    def play(self, turn: Turn) -> Any:
        return turn.legal[-1]


def first_legal(turn: OpponentTurn) -> int:
    assert turn.observation.shape == (turn.episode.layout.size,)
    assert np.flatnonzero(turn.action_mask).tolist() == turn.legal
    return turn.legal[0]


def test_opponents_may_be_words_functions_and_bots() -> None:
    opponents = ["weakest", first_legal, LastLegal()]
    single = DaifugoEnv("house", opponents=opponents, hands=2)
    assert played(single, 3) == played(single, 3)
    assert single.episode.hand == 2
    assert single.episode.state.over


def test_sample_bots_may_be_opponents_by_their_names() -> None:
    single = DaifugoEnv("school", opponents="sample_bots.heuristic:Heuristic", player=2)
    assert played(single, 1) == played(single, 1)
    assert single.episode.state.over


def test_random_opponents_do_the_same_for_the_same_seed() -> None:
    single = DaifugoEnv("pagat")
    assert played(single, 8) == played(single, 8)
    assert played(single, 8) != played(single, 9)


def test_an_illegal_action_of_the_agent_ends_its_episode() -> None:
    single = DaifugoEnv("pagat")
    single.reset(seed=1)
    action = min({*range(single.episode.actions.size)} - {*single.episode.legal()})
    _, reward, terminated, _, info = single.step(action)
    assert (reward, terminated, info) == (-1.0, True, {"illegal": True})
    strict = DaifugoEnv("pagat", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(BadInput, match="one that the action mask allows"):
        strict.step(action)
    assert strict.action_masks().sum() == len(strict.episode.legal())


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.server
def test_vectors_of_environments_can_be_made(mode: str) -> None:
    vector = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=mode, ruleset="school")
    try:
        observations, _ = vector.reset(seed=1)
        actions = [int(np.flatnonzero(mask)[0]) for mask in observations["action_mask"]]
        observations, rewards, *_ = vector.step(np.array(actions))
        assert observations["observation"].shape == (2, 1096)
        assert rewards.shape == (2,)
    finally:
        vector.close()


def test_ansi_shows_all_cards_to_who_trains_and_only_its_own_to_one_player() -> None:
    game = env("pagat", render_mode="ansi")
    assert game.render() == "Nothing has been dealt: reset comes first."
    game.reset(seed=1)
    game.step(game.episode.legal()[0])
    text = game.render() or ""
    assert text.count("cards: ") == 4
    assert "plays the" in text
    single = DaifugoEnv("pagat", render_mode="ansi")
    single.reset(seed=1)
    single.step(single.episode.legal()[0])
    lines = single.render().splitlines()
    assert [line.partition(":")[0] for line in lines if " cards: " in line] == ["player_0"]
    assert any("player_0 plays" in line or "player_0 passes" in line for line in lines)


def test_human_prints_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    single = DaifugoEnv("pagat", render_mode="human")
    single.reset(seed=1)
    single.step(single.episode.legal()[0])
    assert capsys.readouterr().out.count("Hand 1 of 1") == 2
    game = env("pagat", render_mode="human")
    game.reset(seed=1)
    game.step(game.episode.legal()[0])
    assert capsys.readouterr().out.count("Hand 1 of 1") == 1
    with pytest.raises(BadInput, match="render_mode is not given; expected human or ansi"):
        env("pagat").render()


def test_a_compiled_ruleset_and_a_document_do_as_well() -> None:
    document = {"preset": "pagat", "options": {"players": 3}}
    assert env(document).possible_agents == ["player_0", "player_1", "player_2"]
    assert env(compile_ruleset(document)).action_names == env(document).action_names
    assert len(env(document).observation_names) == env(document).episode.layout.size
    assert DaifugoEnv(document).action_features.shape[0] == len(DaifugoEnv(document).action_names)


@pytest.mark.parametrize("missing", ["gymnasium", "pettingzoo"])
def test_without_the_extra_one_line_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("arena.envs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError) as caught:
        import arena.envs  # noqa: F401
    assert str(caught.value).startswith(
        "arena.envs needs more packages: pip install 'daifugo-arena[envs]' ("
    )
