"""The sandbox: a program in it reaches its own folder and the referee, and nothing else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.confinement.limits import Limits, limited
from arena.confinement.relay import Door
from arena.confinement.sandbox import Sandbox, usable

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(
        not usable() and not os.environ.get("TESTS_NEED_SERVERS"),
        reason="bubblewrap is not installed, or not usable here",
    ),
]


@pytest.fixture
def echo() -> Iterator[tuple[str, int]]:
    """The address of a server that sends back what it gets, in capitals."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                there, _ = listener.accept()
            except OSError:
                return
            with there:
                there.sendall(there.recv(100).upper())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def run(tmp_path: Path, code: str, *, door: Door | None = None, port: int = 0) -> str:
    """What a Python program prints in a sandbox whose own folder is ``event/own``."""
    event, own, cwd = tmp_path / "event", tmp_path / "event" / "own", tmp_path / "code"
    for folder in (own, cwd):
        folder.mkdir(parents=True, exist_ok=True)
    (event / "arena.db").write_text("secret")
    relay = None if door is None else (door.path, port)
    readable = () if door is None else (Path(door.path).parent,)
    inner = limited([sys.executable, "-c", code], Limits(), relay=relay)
    command = Sandbox((event,), own, readable, cwd).command(inner)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_of_the_event_is_seen_but_the_own_folder(tmp_path: Path) -> None:
    event = tmp_path / "event"
    assert run(tmp_path, f"import os; print(os.listdir({str(event)!r}))") == "['own']\n"


def test_the_own_folder_can_be_written_and_stays(tmp_path: Path) -> None:
    run(tmp_path, f"open({str(tmp_path / 'event' / 'own' / 'notes')!r}, 'w').write('kept')")
    assert (tmp_path / "event" / "own" / "notes").read_text() == "kept"


@pytest.mark.parametrize("place", ["/etc/x", "/usr/x", "{cwd}/x"])
def test_nothing_else_can_be_written(tmp_path: Path, place: str) -> None:
    path = place.format(cwd=tmp_path / "code")
    code = f"try: open({path!r}, 'w')\nexcept OSError as error: print(error.strerror)"
    assert run(tmp_path, code) == "Read-only file system\n"


def test_home_folders_are_empty(tmp_path: Path) -> None:
    code = f"import os; home = {str(Path.home())!r}; print(os.path.exists(home + '/.bashrc'))"
    assert run(tmp_path, code) == "False\n"


def test_there_is_no_network(tmp_path: Path, echo: tuple[str, int]) -> None:
    code = (
        f"import socket\ntry: socket.create_connection({echo!r}, 2)\n"
        "except OSError as error: print(type(error).__name__)\n"
        "print([name for _, name in socket.if_nameindex()])"
    )
    assert run(tmp_path, code) == "ConnectionRefusedError\n['lo']\n"


def test_other_processes_are_not_seen(tmp_path: Path) -> None:
    code = "import os; print(sum(name.isdigit() for name in os.listdir('/proc')) < 6)"
    assert run(tmp_path, code) == "True\n"


def test_the_referee_is_reached_at_its_usual_address(tmp_path: Path, echo: tuple[str, int]) -> None:
    code = (
        f"import socket\ns = socket.create_connection({echo!r}, 5)\n"
        "s.sendall(b'hello'); print(s.recv(100).decode())"
    )
    with tempfile.TemporaryDirectory() as place:
        door = Door(f"{place}/referee", echo)
        try:
            assert run(tmp_path, code, door=door, port=echo[1]) == "HELLO\n"
        finally:
            door.close()


def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid(); time.sleep(30); open('/tmp/x', 'w')\n"
    )
    before = set(os.listdir("/proc"))
    run(tmp_path, code)
    left = [pid for pid in set(os.listdir("/proc")) - before if pid.isdigit()]
    for pid in left:
        try:
            assert b"time.sleep(30)" not in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
