"""Limits are the system's: each is run into by a program that does what it forbids."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.confinement.limits import Limits, clean_environment, limited, read_limits, reason
from arena.errors import BadInput
from tests.ports import free_port

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux"),
]
SMALL = Limits(memory_mib=100, cpu_s=1, processes=20, open_files=20, output_mib=1)


def run(tmp_path: Path, code: str, *, limits: Limits = SMALL) -> tuple[int, Path]:
    """Exit code and log of a Python program under limits."""
    log = tmp_path / "log"
    with log.open("wb") as file:
        command = limited([sys.executable, "-c", code], limits)
        done = subprocess.run(command, stdout=file, stderr=file, timeout=60, check=False)
    return done.returncode, log


def why(tmp_path: Path, code: str) -> str | None:
    returncode, log = run(tmp_path, code)
    return reason(returncode, SMALL, log)


def test_who_needs_too_much_memory_is_ended_and_named(tmp_path: Path) -> None:
    code = "x = []\nwhile True: x.append(bytearray(1 << 20))"
    assert why(tmp_path, code) == "it needed more than its 100 MiB of memory"


def test_who_computes_for_ever_is_ended_and_named(tmp_path: Path) -> None:
    assert why(tmp_path, "while True: pass") == "it used up its 1 s of CPU time"


def test_who_floods_its_log_is_ended_at_the_limit_and_named(tmp_path: Path) -> None:
    code = "while True: print('x' * 10_000)"
    assert why(tmp_path, code) == "it wrote more than its 1 MiB in one file"
    assert (tmp_path / "log").stat().st_size == 1 << 20


def test_who_opens_too_many_files_cannot(tmp_path: Path) -> None:
    code, log = run(tmp_path, "x = [open('/dev/null') for _ in range(100)]")
    assert code == 1
    assert "Too many open files" in log.read_text()


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may start any number")
def test_who_forks_for_ever_is_ended_and_named(tmp_path: Path) -> None:
    code = "import os\nwhile os.fork(): pass\nimport time; time.sleep(2)"
    assert why(tmp_path, code) == "it started more than its 20 processes and threads"


def test_a_limit_on_processes_is_asked_of_the_system(tmp_path: Path) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])"
    _, log = run(tmp_path, code)
    assert 20 <= int(log.read_text()) < 1_000_000


def test_a_program_that_keeps_within_them_notices_nothing(tmp_path: Path) -> None:
    code, log = run(tmp_path, "print(sum(range(100_000)))")
    assert (code, log.read_text()) == (0, "4999950000\n")
    assert reason(code, SMALL, log) is None


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    command = limited(["no-such-program"], SMALL)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "no-such-program cannot be started: No such file or directory\n"


def test_the_relay_ends_with_the_program(tmp_path: Path) -> None:
    port = free_port()
    code = "import time; time.sleep(1)"
    relay = (str(tmp_path / "referee"), port)
    command = limited([sys.executable, "-c", code], SMALL, relay=relay)
    assert subprocess.run(command, timeout=60, check=False).returncode == 0
    ends = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
        except ConnectionRefusedError:
            return
        assert time.monotonic() < ends, "the relay goes on without its program"
        time.sleep(0.1)


def test_its_environment_has_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", "dfaadm_secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    whole = clean_environment(tmp_path, {"ARENA_TOKEN": "dfa_own"})
    assert whole["ARENA_TOKEN"] == "dfa_own"
    assert (whole["HOME"], whole["TMPDIR"], whole["LANG"]) == (str(tmp_path),) * 2 + ("C.UTF-8",)
    assert "ARENA_ADMIN_TOKEN" not in whole


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "limits is \\[\\]; expected a table"),
        ({"memory": 1}, "limits member is 'memory'; expected one of memory_mib, cpu_s"),
        ({"cpu_s": 0}, "limits.cpu_s is 0; expected a whole number from 1"),
        ({"cpu_s": True}, "limits.cpu_s is True"),
        ({"output_mib": "9"}, "limits.output_mib is '9'"),
    ],
)
def test_limits_that_are_none_are_named(document: object, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_limits(document)


def test_limits_are_read_from_a_document() -> None:
    assert read_limits(None) == Limits()
    assert read_limits({"cpu_s": 60}) == Limits(cpu_s=60)
