"""``python start.py LIMITS COMMAND...``: begin a program under limits. LIMITS: JSON, see `limits`.

Runs before a stranger's program, perhaps inside a sandbox: standard library only, no imports of
ours but `relay`, by its path.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import runpy
import signal
import socket
import sys
import threading
import time
from typing import Any

MIB = 1 << 20
LOOK_S = 0.5


def main(arguments: list[str]) -> None:
    """Set the limits and become the program."""
    asked: dict[str, Any] = json.loads(arguments[0])
    command = arguments[1:]
    if asked["relay"]:
        _start_relay(*asked["relay"])
    for name, least in (("SIGXFSZ", signal.SIG_DFL), ("SIGPIPE", signal.SIG_DFL)):
        signal.signal(getattr(signal, name), least)  # Python ignores them, and so would its child
    _limit(resource.RLIMIT_DATA, asked["memory_mib"] * MIB)
    _limit(resource.RLIMIT_CPU, asked["cpu_s"], asked["cpu_s"] + 5)
    _limit(resource.RLIMIT_NPROC, _own_processes() + asked["processes"])
    _limit(resource.RLIMIT_NOFILE, asked["open_files"])
    _limit(resource.RLIMIT_FSIZE, asked["output_mib"] * MIB)
    _limit(resource.RLIMIT_CORE, 0)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above what there is already."""
    ceiling = resource.getrlimit(kind)[1]
    wanted = [soft, soft if hard is None else hard]
    if ceiling != resource.RLIM_INFINITY:
        wanted = [min(value, ceiling) for value in wanted]
    resource.setrlimit(kind, (wanted[0], wanted[1]))


def _own_processes() -> int:
    """Threads of this user's processes, as far as they can be seen: all of them count."""
    count = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == os.getuid():
                count += len(os.listdir(folder / "task"))
        except OSError:
            continue
    return count


def _start_relay(path: str, port: int) -> None:
    """A process that passes on what comes to a port of the loopback; it ends with the program.

    A sandbox waits for all of its processes, and is not ended from outside if its parent was killed
    while it began.
    """
    relay = runpy.run_path(str(pathlib.Path(__file__).with_name("relay.py")))
    listener = socket.create_server(("127.0.0.1", port))  # before the program looks for it
    program = os.getpid()
    if os.fork():
        listener.close()
        return
    threading.Thread(target=_end_with, args=(program,), daemon=True).start()

    def connect() -> socket.socket:
        there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        there.connect(path)
        return there

    relay["serve"](listener, connect)
    os._exit(0)


def _end_with(parent: int) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
