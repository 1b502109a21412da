"""The command: what it prints, its exit codes, and that it leaves no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.shell import environment

PLAIN_BOT = Path(__file__).with_name("faulty_bot.py")
PATIENCE_S = 60.0


def doctor(*words: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "doctor", *words],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(*words: str, folder: Path) -> tuple[int, str, str]:
    with doctor(*words, folder=folder) as process:
        printed, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, printed, said


def bot(folder: Path, *flags: str) -> str:
    """The command of a bot in a folder, by which its processes are known from all others."""
    own = folder / "bot.py"
    own.write_text(PLAIN_BOT.read_text())
    return f"python {' '.join((own.as_posix(), *flags))}"


def processes(folder: Path) -> list[str]:
    """The command lines of processes that name a folder."""
    lines = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(each.read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended meanwhile
    return [line for line in lines if f"{folder}/bot.py" in line and "arena.cli" not in line]


@pytest.mark.server
def test_two_at_once_are_in_nobodys_way_and_leave_nothing(tmp_path: Path) -> None:
    command = bot(tmp_path)
    words = (command, "--layer", "L0", "--layer", "L1")
    with doctor(*words, folder=tmp_path) as one, doctor(*words, folder=tmp_path) as other:
        for process in (one, other):
            printed, said = process.communicate(timeout=PATIENCE_S)
            said = [
                line for line in said.splitlines() if "stood still" not in line
            ]  # a busy machine
            assert (process.returncode, said) == (0, []), printed
            assert max(map(len, printed.splitlines())) <= 80
    assert processes(tmp_path) == []
    assert [file.name for file in tmp_path.iterdir()] == ["bot.py"]


@pytest.mark.server
def test_programs_read_json_and_junit(tmp_path: Path) -> None:
    command = bot(tmp_path, "--fault", "illegal")
    words = ("--check", "legal", "--check", "whoami", "--json", "--junit", "doctor.xml")
    code, printed, _ = run(command, *words, folder=tmp_path)
    told = json.loads(printed)
    assert (code, told["healthy"]) == (1, False)
    found = {check["name"]: check for check in told["checks"]}
    assert [found["legal"]["outcome"], found["whoami"]["outcome"]] == ["failed", "skipped"]
    assert found["legal"]["request"][0].startswith("POST /api/v1/turns/")
    assert found["legal"]["answer"][0] == "422"
    assert "dfa_" not in printed.replace("dfa_…", "")
    root = ElementTree.parse(tmp_path / "doctor.xml").getroot()
    assert [case.get("name") for case in root.iter("testcase")] == ["whoami", "legal"]
    assert [suite.get("failures") for suite in root.iter("testsuite")] == ["0", "1"]


@pytest.mark.server
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("no-such-program",), "no-such-program"),
        (("true", "--check", "nothing"), "--check"),
        (("true", "--layer", "L9"), "--layer"),
    ],
)
def test_a_wrong_call_gets_one_line(words: tuple[str, ...], named: str, tmp_path: Path) -> None:
    code, printed, said = run(*words, folder=tmp_path)
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert named in said


@pytest.mark.server
def test_garbage_of_a_bot_reaches_no_terminal(tmp_path: Path) -> None:
    command = bot(tmp_path, "--fault", "sends-nothing")
    code, printed, _ = run(command, "--check", "starts", "--start-s", "1", folder=tmp_path)
    assert code == 1
    assert "garbage" in printed
    assert not {"\x1b", "\x07"} & set(printed)


@pytest.mark.server
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_it_leaves_no_process(number: int, tmp_path: Path) -> None:
    with doctor(bot(tmp_path, "--fault", "silent"), folder=tmp_path) as process:
        until_s = time.monotonic() + PATIENCE_S
        while not processes(tmp_path) and time.monotonic() < until_s:
            time.sleep(0.02)
        assert processes(tmp_path)
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert "Traceback" not in said
    assert processes(tmp_path) == []
