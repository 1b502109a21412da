"""The README is a product: everything in it runs, word for word."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli.demo import BOTS
from arena.rules.options import OPTIONS
from arena.rules.patches import PATCHES
from arena.rules.presets import PRESETS
from tests.cli.shell import ARENA, environment, served

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```\w+ ([\w.-]+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
PATIENCE_S = 150


def run(line: str, cwd: Path, **env: str) -> str:
    """Run a line of a shell block; `arena` and `python` are those of this environment."""
    words = shlex.split(line, comments=True)
    programs = {"arena": list(ARENA), "python": [sys.executable], ".venv/bin/arena": list(ARENA)}
    done = subprocess.run(
        [*programs[words[0]], *words[1:]],
        cwd=cwd,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.server
def test_the_first_command_plays_a_tournament_and_leaves_nothing_running(tmp_path: Path) -> None:
    command = BLOCKS["demo"].strip().split(" && ")[-1]
    said = run(command, tmp_path)
    for name, _ in BOTS:
        assert re.search(rf"^ *\d+ .*{re.escape(name)}", said, re.MULTILINE), name
    going_on = re.search(r"arena serve --database (\S+)", said)
    check = re.search(r"arena verify \S+", said)
    assert going_on
    assert check
    assert "all good" in run(check.group(), tmp_path)
    assert not processes_of(tmp_path)


def processes_of(folder: Path) -> list[str]:
    """Processes that run in a folder (where the system tells)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve():
                found.append(process.name)
        except OSError:
            continue
    return found


def test_the_test_command_is_what_continuous_integration_runs() -> None:
    assert BLOCKS["test"].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the README's files in it."""
    for name in ("first_bot.py", "spring-cup.toml"):
        (tmp_path / name).write_text(BLOCKS[name], encoding="utf-8")
    return tmp_path


@pytest.mark.server
def test_the_first_bot_has_at_most_ten_lines_and_plays_the_first_session(folder: Path) -> None:
    code = [line for line in BLOCKS["first_bot.py"].splitlines() if line.strip()]
    assert len(code) <= 10
    said = run(BLOCKS["run"].strip(), folder)
    assert "careful" in said
    assert "random-3" in said


@pytest.mark.server
def test_the_first_bot_is_better_than_the_one_it_is_matched_with(folder: Path) -> None:
    """`run` asks for exit code 0: A is better."""
    line = BLOCKS["match"].strip()
    assert "A is better." in run(f"{line} --hands 800", folder)


@pytest.mark.server
def test_the_commands_about_rules_run(tmp_path: Path) -> None:
    for line in BLOCKS["rules"].strip().splitlines():
        assert run(line, tmp_path)


def test_the_numbers_about_rules_are_right() -> None:
    rules = re.search(r"(\w+) rulesets, (\d+) named variations and (\d+) options", README)
    assert rules
    patches = sum(len(patches) for patches in PATCHES.values())
    assert rules.group(1) == {8: "Eight", 9: "Nine", 10: "Ten", 11: "Eleven"}[len(PRESETS)]
    assert (int(rules.group(2)), int(rules.group(3))) == (patches, len(OPTIONS))


@pytest.mark.server
def test_a_session_on_other_peoples_machines(folder: Path) -> None:
    """The block about `arena serve`, line by line, on a free port."""
    block = re.search(r"```sh\n(arena serve.*?)```", README, re.DOTALL)
    assert block
    serve, _export, create, bot, listing, start, standings = block.group(1).strip().splitlines()
    assert serve.startswith("arena serve --database sqlite:///cup.db")
    text = (folder / "spring-cup.toml").read_text(encoding="utf-8")
    (folder / "spring-cup.toml").write_text(text.split("[[bots]]")[0], encoding="utf-8")
    with served(f"sqlite:///{(folder / 'cup.db').as_posix()}") as server:
        env = {"ARENA_URL": server.url, "ARENA_ADMIN_TOKEN": server.token}
        run(create, folder, **env)
        bot = bot.replace("http://127.0.0.1:8000", server.url).partition("      #")[0]
        words = [sys.executable, *shlex.split(bot)[1:]]
        bots = [
            subprocess.Popen([*words, "--name", f"careful-{i}"], cwd=folder, env=environment())
            for i in range(4)
        ]
        try:
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                if run(listing.partition("      #")[0], folder, **env).count(" yes ") == 4:
                    break
            run(start, folder, **env)
            for process in bots:
                assert process.wait(timeout=PATIENCE_S) == 0
            assert "careful-3" in run(standings, folder, **env)
        finally:
            for process in bots:
                process.kill()
