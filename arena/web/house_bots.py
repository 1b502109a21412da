"""The program of the house bots, beside the server: it is started with it, ends with it, and is
started again if it dies.

It gets the tokens by its standard input, which also tells it when this process ends, however that
ends. It is a client like any other: nothing of it runs in the server.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Sequence

import orjson

from arena.identity.casual import HouseBot

LOG = logging.getLogger("arena.web")
PROGRAM = (sys.executable, "-P", "-m", "arena.cli", "house")
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STOP_S = 5.0


class HouseProgram:
    """One child process, and the thread that looks after it."""

    def __init__(self, bots: Sequence[HouseBot], *, program: Sequence[str] = PROGRAM) -> None:
        self._bots = [bot._asdict() for bot in bots]
        self._program = list(program)
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, url: str) -> None:
        """Play at this address from now on."""
        line = orjson.dumps({"url": url, "bots": self._bots}) + b"\n"
        self._thread = threading.Thread(
            target=self._look_after, args=(line,), name="house-bots", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the program; harmless if done twice."""
        self._stopped.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def _look_after(self, line: bytes) -> None:
        """At a thread's top: start the program until it is told to stop, ever more slowly."""
        pause_s = FIRST_PAUSE_S
        while not self._stopped.is_set():
            try:
                code = self._run(line)
                LOG.log(*self._ended(code, pause_s))
            except OSError as error:
                LOG.error("house bots: the program cannot be started: %s", error)
            self._stopped.wait(pause_s)
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    def _ended(self, code: int, pause_s: float) -> tuple[int, str]:
        level = logging.DEBUG if self._stopped.is_set() else logging.ERROR
        return level, f"house bots: the program ended with code {code}; again in {pause_s:.0f} s"

    def _run(self, line: bytes) -> int:
        """Start the program and wait for its end; its exit code."""
        child = subprocess.Popen(self._program, stdin=subprocess.PIPE, start_new_session=True)
        self._child = child
        assert child.stdin is not None
        with child:
            child.stdin.write(line)
            child.stdin.flush()
            if self._stopped.is_set():
                child.terminate()
            return child.wait()
