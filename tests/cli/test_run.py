"""`arena run`: bots that fail are named at once, and a stopped event goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from arena.cli.kept_event import NAME, KeptEvent, load, save
from arena.cli.mistakes import Mistakes, mistakes_of
from arena.confinement.sandbox import usable
from arena.errors import BadInput
from tests.cli.shell import ARENA, arena, check_shape, environment

pytestmark = pytest.mark.server


def cup(folder: Path, *, third: str, rounds: int = 1, more: str = "", move_ms: int = 2000) -> Path:
    """A session file of two sound bots and a third; tables of two hands. move_ms: as short as may
    be where the third answers nothing, and nobody looks at what else is too late."""
    file = folder / "cup.toml"
    file.write_text(
        f"""
name = "Cup"
slug = "cup"
seats = 3
hands_per_table = 2
{more}
[clock]
move_ms = {move_ms}
bank_ms = 0
[schedule]
rounds = {rounds}
[[bots]]
name = "good"
command = "python -m sample_bots.lowest"
count = 2
[[bots]]
name = "third"
command = "{third}"
"""
    )
    return file


def test_a_bot_whose_process_ends_is_named_at_once_with_its_last_lines(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import sys\nsys.exit('no such opening book')\n")
    file = cup(tmp_path, third="python broken.py", more="reseat_every = 1", move_ms=300)
    done = arena("run", str(file), "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert "third has ended with code 1, the session goes on" in done.stderr
    assert "    no such opening book" in done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["failed"]) == ("finished", {"third": 1})
    assert outcome["mistakes"]["third"]["timeouts"] > 0
    check_shape(outcome, "run")
    assert outcome["standings"][0]["hands"] == 2


SPY = """
import os, sys, urllib.request
from arena.client import Bot, run

class Spy(Bot):
    def play(self, turn):
        if not os.path.exists(os.path.expanduser("~/report")):
            event = os.path.dirname(os.path.dirname(os.path.expanduser("~")))
            with open(os.path.expanduser("~/report"), "w") as file:
                print(sorted(os.listdir(event)), "ARENA_ADMIN_TOKEN" in os.environ, file=file)
        return turn.lowest()

if __name__ == "__main__":
    run(Spy())
"""


@pytest.mark.parametrize("sandbox", ["always", "never"])
def test_a_bot_in_a_sandbox_plays_and_sees_nothing_of_the_event(
    tmp_path: Path, sandbox: str
) -> None:
    if sandbox == "always" and not usable() and not os.environ.get("TESTS_NEED_SERVERS"):
        pytest.skip("bubblewrap is not installed, or not usable here")
    (tmp_path / "spy.py").write_text(SPY)
    file = cup(tmp_path, third="python spy.py", move_ms=20_000)
    env = {"ARENA_ADMIN_TOKEN": "dfaadm_secret"}
    words = ("run", str(file), "--folder", "out", "--sandbox", sandbox)
    done = arena(*words, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    seen, token = (tmp_path / "out" / "homes" / "third" / "report").read_text().rsplit(" ", 1)
    assert token == "False\n"
    assert ("arena.db" in seen, "event.json" in seen) == ((sandbox == "never"),) * 2
    assert "timeout" not in done.stderr


def test_a_bot_that_floods_its_log_is_stopped_at_the_limit_and_named(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("while True: print('x' * 100_000)\n")
    limits = "[limits]\noutput_mib = 1\n"
    file = cup(tmp_path, third="python loud.py", more=limits, move_ms=300)
    done = arena("run", str(file), "--folder", "out", cwd=tmp_path)
    assert done.returncode == 1
    assert "third: it wrote more than its 1 MiB in one file\n" in done.stderr
    assert (tmp_path / "out" / "bot-third.log").stat().st_size == 1 << 20


def test_a_limit_that_is_none_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    file = cup(tmp_path, third="x", more="[limits]\nmemory = 1\n")
    done = arena("run", str(file), "--folder", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "limits member is 'memory'" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "seats",
            'benchmarks = ["heuristic"]\nseats',
            "benchmarks[0] is 'heuristic'; expected bots",
        ),
        ("rounds", 'apart = [["good-1", "goood-2"]]\nrounds', "schedule.apart[0][1] is 'goood-2'"),
        ("count", 'division = "b"\ncount', "division of good-1 is 'b'; expected none"),
        (
            "seats",
            'public_chance = "drand"\nseats',
            "public_chance is not given; expected the value of",
        ),
    ],
)
def test_names_of_no_bot_or_division_are_refused_before_anything_is_started(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = cup(tmp_path, third="x")
    file.write_text(file.read_text().replace(old, new, 1))
    done = arena("run", str(file), "--folder", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_bot_that_errs_has_a_line_below_the_table(tmp_path: Path) -> None:
    file = cup(tmp_path, third="python -m sample_bots.misbehave --how illegal", move_ms=20_000)
    done = arena("run", str(file), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("third: ")]
    assert "answers refused" in line
    assert "lost by refused answers; see " in line
    assert Path(tmp_path, line.rpartition("see ")[2]).exists()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_a_stopped_event_goes_on_in_its_folder_and_loses_nothing(tmp_path: Path) -> None:
    more = 'public_chance = "the lottery"'
    file = cup(tmp_path, third="python -m sample_bots.lowest", rounds=8, more=more)
    command = ["run", str(file), "--folder", "out", "--public-chance", "07 13"]
    with subprocess.Popen(
        [*ARENA, *command], cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
    ) as first:
        while not _hands_played(tmp_path / "out"):
            assert first.poll() is None
            time.sleep(0.1)
        first.send_signal(signal.SIGINT)
        _, said = first.communicate()
    assert first.returncode == 130
    assert f"To go on: arena run {file} --folder out --public-chance '07 13'" in said
    assert (tmp_path / "out" / NAME).stat().st_mode & 0o077 == 0
    other = arena(*command[:-1], "07 14", cwd=tmp_path)
    assert other.returncode == 2
    assert "--public-chance is '07 14'; expected '07 13', with which cup was" in other.stderr
    done = arena(*command, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["standings"][0]["hands"] == 16
    proved = arena("verify", str(tmp_path / "out" / "cup.jsonl"), cwd=tmp_path)
    assert "the public value '07 13' is mixed into all deals; compare it with the" in proved.stdout
    again = arena(*command, cwd=tmp_path)
    assert again.returncode == 2
    assert "a new folder: cup is finished" in again.stderr


def _hands_played(folder: Path) -> bool:
    """Has the referee committed a few hands? Looked at from outside, in its log of changes."""
    from arena.store import open_store

    database = folder / "arena.db"
    if not (folder / NAME).exists() or not database.exists():
        return False
    with open_store(f"sqlite:///{database}", readonly=True) as store:
        return any(True for _ in store.tables("cup"))


def test_a_folder_with_another_event_is_refused(tmp_path: Path) -> None:
    file = cup(tmp_path, third="python -m sample_bots.lowest")
    (tmp_path / "out").mkdir()
    save(tmp_path / "out", KeptEvent("other", {"name": "Other"}, {"x": "dfa_x"}))
    done = arena("run", str(file), "--folder", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "another document or other bots" in done.stderr


def test_a_folder_with_a_database_only_is_refused(tmp_path: Path) -> None:
    file = cup(tmp_path, third="python -m sample_bots.lowest")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "arena.db").touch()
    done = arena("run", str(file), "--folder", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "a new folder: it has an arena.db" in done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"session": 1, "document": {}, "tokens": {}}'])
def test_a_damaged_event_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(BadInput, match=NAME):
        load(tmp_path)


def test_an_event_is_read_as_it_was_saved(tmp_path: Path) -> None:
    kept = KeptEvent("cup", {"name": "大富豪"}, {"a": "dfa_1"})
    save(tmp_path, kept)
    assert load(tmp_path) == kept
    assert load(tmp_path / "elsewhere") is None


def test_mistakes_are_counted_by_records_and_by_the_last_line_of_the_kit(tmp_path: Path) -> None:
    records = tmp_path / "cup.jsonl"
    faults = [{"player": 1, "cause": c} for c in ("timeout", "absent", "illegal", "withdrawn")]
    hand = {"players": ["a", "b"], "result": {"faults": faults}}
    records.write_text(json.dumps({"session": "cup"}) + "\n" + json.dumps(hand) + "\n")
    logs = {name: tmp_path / f"{name}.log" for name in "ab"}
    line = "b: 9 turns answered, 18 errors in the bot's code, 1 answers refused, 0 too late"
    logs["a"].write_text("a: 9 turns answered, 0 errors in the bot's code, 0 answers refused")
    logs["b"].write_text(f"hello\n{line}\nbye")
    found = mistakes_of(records, logs)
    assert found == {"b": Mistakes(18, 1, 2, 1, logs["b"])}
    assert str(found["b"]) == (
        "18 errors in its own code, 1 answer refused, 2 timeouts, "
        f"1 turn lost by refused answers; see {logs['b']}"
    )
