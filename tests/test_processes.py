"""Child processes end with their command, however it is told to end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.processes import Processes, split_command
from tests.cli.shell import ARENA, environment

PATIENCE_S = 120


def children(parent: int) -> list[int]:
    """The living children of a process (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.server
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_stopped_demo_leaves_no_process_behind(number: signal.Signals, tmp_path: Path) -> None:
    demo = subprocess.Popen(
        [*ARENA, "demo", "--folder", str(tmp_path / "demo")],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + PATIENCE_S
    while len(started := children(demo.pid)) < 9 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(started) == 9
    demo.send_signal(number)
    _, said = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode in (130, 143)
    assert "Traceback" not in said
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.parametrize(
    ("command", "windows", "words"),
    [
        (
            "python first_bot.py --name 'two words' # 1",
            False,
            "python|first_bot.py|--name|two words|#|1",
        ),
        (r"python my\ bot.py", False, "python|my bot.py"),
        (r"C:\bots\python.exe bot.py", True, r"C:\bots\python.exe|bot.py"),
        (r'"C:\my bots\bot.exe" -v', True, r"C:\my bots\bot.exe|-v"),
    ],
)
def test_a_bots_command_is_split_as_its_system_writes_it(
    command: str, windows: bool, words: str
) -> None:
    assert split_command(command, windows=windows) == words.split("|")


@pytest.mark.server
def test_ctrl_c_while_a_child_is_being_started_ends_that_child_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def interrupted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))
        signal.raise_signal(signal.SIGINT)
        return started[-1]

    monkeypatch.setattr("arena.processes.subprocess.Popen", interrupted)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), Processes(tmp_path) as processes:
        processes.start("sleeper", [sys.executable, "-c", "import time; time.sleep(60)"])
    signal.signal(signal.SIGTERM, before)
    assert [child.poll() is not None for child in started] == [True]
