"""The README is a product: everything in it runs, word for word."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.demo import BOTS
from arena.rules.options import OPTIONS
from arena.rules.patches import PATCHES
from arena.rules.presets import PRESETS
from tests.cli.shell import ARENA, environment
from tests.manual.picture import PICTURE, draw

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
    assert "no findings" in run(check.group(), tmp_path)
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


@pytest.mark.server
def test_the_first_bot_has_at_most_ten_lines_and_is_better_than_its_opponent(
    tmp_path: Path,
) -> None:
    """`run` asks for exit code 0: A is better."""
    bot = BLOCKS["first_bot.py"]
    assert len([line for line in bot.splitlines() if line.strip()]) <= 10
    (tmp_path / "first_bot.py").write_text(bot, encoding="utf-8")
    line = BLOCKS["match"].strip()
    assert "A is better." in run(f"{line} --hands 800", tmp_path)


@pytest.mark.slow
def test_the_picture_is_that_of_a_hand_that_is_played_now() -> None:
    assert f"]({PICTURE.relative_to(ROOT)})" in README
    assert PICTURE.read_text(encoding="utf-8") == draw(), "python -m tests.manual.picture"


def test_the_numbers_about_rules_are_right() -> None:
    rules = re.search(r"(\w+) rulesets, (\d+) named variations and (\d+) options", README)
    assert rules
    patches = sum(len(patches) for patches in PATCHES.values())
    assert rules.group(1) == {8: "Eight", 9: "Nine", 10: "Ten", 11: "Eleven"}[len(PRESETS)]
    assert (int(rules.group(2)), int(rules.group(3))) == (patches, len(OPTIONS))
