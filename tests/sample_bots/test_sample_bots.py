"""Each sample bot can be started, says how, and does what its name says."""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.client import Turn
from sample_bots.choice_only import ChoiceOnly
from sample_bots.lowest import Lowest
from sample_bots.misbehave import Misbehave
from sample_bots.random_bot import RandomBot
from sample_bots.slow import Slow
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sample_bots"
BOTS = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
KIT_BOTS = [name for name in BOTS if name != "plain_requests"]
NO_MODEL = ["--model-url", "http://127.0.0.1:9/v1", "--model", "none"]
EXTRA = {
    "llm": NO_MODEL,
    "misbehave": ["--how", "late", "--after", "99"],
    "slow": ["--delay-ms", "1"],
}


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def start(
    command: list[str], folder: Path, environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    told = environment() | (environ or {})
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=30)


def test_all_the_bots_are_here() -> None:
    assert BOTS == [
        "choice_only",
        "heuristic",
        "llm",
        "lowest",
        "misbehave",
        "plain_requests",
        "random_bot",
        "slow",
    ]


@pytest.mark.parametrize("name", BOTS)
def test_it_can_be_imported_and_tells_students_what_to_change(name: str) -> None:
    text = importlib.import_module(f"sample_bots.{name}").__doc__
    assert text
    assert "hat to change first" in text
    assert f"sample_bots.{name}" in text or f"sample_bots/{name}.py" in text


@pytest.mark.server
@pytest.mark.parametrize("name", BOTS)
def test_it_plays_a_session_as_a_module(name: str, tmp_path: Path) -> None:
    arena = FakeArena([turn(1), answering(2), answering(3, legal=[{"pass": True}])])
    with serving(arena) as url:
        flags = ["--url", url, "--session", "cup", "--name", "x", *EXTRA.get(name, [])]
        ended = start([sys.executable, "-m", f"sample_bots.{name}", *flags], tmp_path)
    assert (ended.returncode, arena.status) == (0, "finished"), ended.stderr
    assert len(arena.answers) == 3


@pytest.mark.server
@pytest.mark.parametrize("name", BOTS)
def test_it_explains_itself_when_it_is_run_as_a_file(name: str, tmp_path: Path) -> None:
    said = start([sys.executable, str(FOLDER / f"{name}.py"), "--help"], tmp_path)
    assert said.returncode == 0
    assert "--session" in said.stdout


def test_the_plain_bot_is_short_and_needs_only_requests() -> None:
    text = (FOLDER / "plain_requests.py").read_text()
    assert len(text.splitlines()) < 64
    assert [line for line in text.splitlines() if line.startswith(("import", "from"))] == [
        "import argparse",
        "import os",
        "import time",
        "import requests",
    ]


@pytest.mark.server
@pytest.mark.parametrize("name", [*BOTS, *(["curl_bot"] if shutil.which("curl") else [])])
def test_an_organiser_may_start_it_by_environment_alone(name: str, tmp_path: Path) -> None:
    """Registered beforehand: address, token and session are all that the bot is told."""
    arena = FakeArena([turn(1), answering(2)])
    arena.tokens["dfa_given"] = "x"
    command = [sys.executable, "-m", f"sample_bots.{name}", *EXTRA.get(name, [])]
    if name == "curl_bot":
        command = ["sh", str(FOLDER / "curl_bot.sh")]
    with serving(arena) as url:
        told = {"ARENA_URL": url, "ARENA_TOKEN": "dfa_given", "ARENA_SESSION": "cup"}
        ended = start(command, tmp_path, told)
    assert (ended.returncode, len(arena.answers)) == (0, 2), ended.stderr
    assert arena.entered == ["x"]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.server
def test_the_plain_bot_goes_on_after_a_proxy_that_reached_no_referee(tmp_path: Path) -> None:
    arena = FakeArena([turn(1), answering(2)])
    arena.tokens["dfa_given"] = "x"
    headers = {"Retry-After": "0"}
    arena.troubles += [Trouble(502, headers=headers), Trouble(504, "<html>", headers=headers)]
    with serving(arena) as url:
        told = {"ARENA_URL": url, "ARENA_TOKEN": "dfa_given", "ARENA_SESSION": "cup"}
        ended = start([sys.executable, "-m", "sample_bots.plain_requests"], tmp_path, told)
    assert (ended.returncode, len(arena.answers)) == (0, 2), ended.stderr


@pytest.mark.server
@pytest.mark.parametrize("name", ["lowest", "plain_requests", "curl_bot"])
def test_it_may_be_told_whose_bot_it_is(name: str, tmp_path: Path) -> None:
    if name == "curl_bot" and not shutil.which("curl"):
        pytest.skip("needs curl")
    command = [sys.executable, "-m", f"sample_bots.{name}"]
    if name == "curl_bot":
        command = ["sh", str(FOLDER / "curl_bot.sh")]
    for more in ({}, {"ARENA_OWNER_TOKEN": "dfa_0"}):
        arena = FakeArena([turn(1)])
        if more:
            arena.tokens["dfa_0"], arena.owners["dfa_0"] = "alice-1", "alice"
        with serving(arena) as url:
            told = {"ARENA_URL": url, "ARENA_SESSION": "cup", "ARENA_NAME": "new"}
            ended = start(command, tmp_path, told | {"ARENA_OWNER": "alice"} | more)
        assert (ended.returncode, len(arena.answers)) == (0, 1), ended.stderr
        assert arena.owners[f"dfa_{len(more)}"] == "alice"
        shutil.rmtree(tmp_path / ".arena", ignore_errors=True)


@pytest.mark.server
@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_a_shell_loop_with_curl_plays_a_session(tmp_path: Path) -> None:
    arena = FakeArena([turn(1), answering(2), answering(3, legal=[{"pass": True}])])
    with serving(arena) as url:
        command = ["sh", str(FOLDER / "curl_bot.sh"), url, "cup", "shelly"]
        ended = start(command, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert [*arena.answers.values()] == [{"choice": 0}, {"choice": 1}, {"choice": 0}]


def test_lowest_plays_the_lowest() -> None:
    assert Lowest().answer(Turn(turn(1))) == {"cards": ["S3"]}


def test_choice_only_plays_by_number_and_passes_if_it_must() -> None:
    bot = ChoiceOnly()
    assert bot.answer(Turn(turn(1))) == {"choice": 0}
    assert bot.answer(Turn(answering(1))) == {"choice": 1}
    assert bot.answer(Turn(answering(1, legal=[{"pass": True}]))) == {"choice": 0}


def test_random_plays_the_same_again_with_the_same_seed() -> None:
    def game(seed: int) -> list[Any]:
        bot = RandomBot()
        bot.begin(bot_flags(bot, "--seed", str(seed)))
        return [bot.answer(Turn(turn(1))) for _ in range(50)]

    assert game(1) == game(1)
    assert game(1) != game(2)
    assert all(answer in turn(1)["legal"] for answer in game(3))


def bot_flags(bot: Any, *flags: str) -> Any:
    from arena.client.flags import parser

    known = parser()
    bot.add_flags(known)
    return known.parse_args(flags)


def misbehaving(how: str, *flags: str) -> Misbehave:
    bot = Misbehave()
    bot.begin(bot_flags(bot, "--how", how, *flags))
    return bot


def test_misbehaviour_begins_after_as_many_turns_as_were_asked_for() -> None:
    bot = misbehaving("silent", "--after", "2")
    answers = [bot.answer(Turn(turn(1))) for _ in range(3)]
    assert answers == [{"cards": ["S3"]}, {"cards": ["S3"]}, None]


def test_illegal_means_cards_that_are_not_held_however_often() -> None:
    bot, situation = misbehaving("illegal"), Turn(turn(1))
    for answer in (bot.answer(situation), bot.answer_again(situation, None)):  # type: ignore[arg-type]
        assert not set(answer["cards"]) & set(situation.held)


def test_garbage_is_never_the_same_twice_in_a_row() -> None:
    bot, situation = misbehaving("garbage"), Turn(turn(1))
    answers = [bot.answer(situation) for _ in range(10)]
    assert all(one != other for one, other in itertools.pairwise(answers))


def test_late_sleeps_past_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    misbehaving("late").answer(Turn(turn(1, remaining_ms=5_000, bank_ms=60_000)))
    assert slept == [66.0]


@pytest.mark.parametrize(
    ("remaining_ms", "bank_ms", "sleeps_s"), [(5_000, 60_000, 1.0), (300, 0, 0.15)]
)
def test_slow_is_never_too_late(
    remaining_ms: int, bank_ms: int, sleeps_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    bot, parser = Slow(), argparse.ArgumentParser()
    bot.add_flags(parser)
    bot.begin(parser.parse_args([]))
    bot.play(Turn(turn(1, remaining_ms=remaining_ms, bank_ms=bank_ms)))
    assert slept == [sleeps_s]


@pytest.mark.server
def test_vanishing_leaves_a_token_with_which_it_could_come_back(tmp_path: Path) -> None:
    arena = FakeArena([turn(1), turn(2)])
    with serving(arena) as url:
        flags = ["--url", url, "--session", "cup", "--how", "vanish", "--after", "1"]
        command = [sys.executable, "-m", "sample_bots.misbehave", *flags, "--token-file", "t.json"]
        ended = start(command, tmp_path)
    assert ended.returncode == 1
    assert len(arena.answers) == 1
    assert (tmp_path / "t.json").exists()
