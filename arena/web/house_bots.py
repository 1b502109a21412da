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
import time
from collections.abc import Callable, Sequence

import orjson

from arena.errors import ArenaError
from arena.identity.casual import HouseBot

LOG = logging.getLogger("arena.web")
PROGRAM = (sys.executable, "-P", "-m", "arena.cli", "house")
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
LONG_RUN_S = 600.0
STOP_S = 5.0
TURN_S = 2.0
"""How often it is asked whether it is this process's turn to play them."""


def next_pause_s(pause_s: float, *, ran_s: float) -> float:
    """How long to wait before a program that has ended is started again: twice as long as the last
    time, up to a minute; but little if it ran for long. pause_s: 0 the first time."""
    return FIRST_PAUSE_S if not pause_s or ran_s > LONG_RUN_S else min(LONGEST_PAUSE_S, 2 * pause_s)


class HouseProgram:
    """One child process, and the thread that looks after it.

    bots: makes them and their tokens, when they are to play. is_ours: is it this process that plays
    them? Of referees that share a database one does. on_stop: called in the end.
    """

    def __init__(
        self,
        bots: Callable[[], Sequence[HouseBot]],
        *,
        is_ours: Callable[[], bool] = lambda: True,
        on_stop: Callable[[], None] = lambda: None,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._bots = bots
        self._is_ours = is_ours
        self._on_stop = on_stop
        self._program = list(program)
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, url: str) -> None:
        """Play at this address from now on."""
        self._thread = threading.Thread(
            target=self._look_after, args=(url,), name="house-bots", daemon=True
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
        self._on_stop()

    def _look_after(self, url: str) -> None:
        """At a thread's top: start the program, and again when it ends, until the server stops."""
        pause_s = 0.0
        while not self._stopped.is_set():
            begun_s = time.monotonic()
            try:
                if not self._is_ours():
                    self._stopped.wait(TURN_S)
                    continue
                ended = f"the program ended with code {self._run(self._line(url))}"
            except (OSError, ArenaError) as error:
                ended = f"the program cannot be started: {error}"
            pause_s = next_pause_s(pause_s, ran_s=time.monotonic() - begun_s)
            level = logging.DEBUG if self._stopped.is_set() else logging.ERROR
            LOG.log(level, "house bots: %s; again in %.0f s", ended, pause_s)
            self._stopped.wait(pause_s)

    def _line(self, url: str) -> bytes:
        """What the program is told, with new tokens."""
        bots = [bot._asdict() for bot in self._bots()]
        return orjson.dumps({"url": url, "bots": bots}) + b"\n"

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
