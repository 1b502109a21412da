"""The processes of a tried bot, started as `arena run` starts bots, one after the other."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from arena.confinement.limits import Limits, clean_environment, limited, reason
from arena.errors import BadInput
from arena.processes import STOP_S, Processes

LAST_LINES = 5
END_BYTES = 4_000


@dataclass(slots=True)
class Launch:
    """One process. begun_s, ended_s: by the monotonic clock. code: of its exit, None while it runs.
    stopped: it was told to end; obeyed: it did so by itself. why: how it ended, in words."""

    begun_s: float
    log: Path
    code: int | None = None
    ended_s: float | None = None
    stopped: bool = False
    obeyed: bool = True
    why: str = "it still runs"


class BotProcess:
    """A command that is started again and again; leaving the context ends what runs.

    Raises BadInput for a command that is no program here.
    """

    def __init__(self, words: Sequence[str], folder: Path, cwd: Path) -> None:
        if shutil.which(words[0]) is None and shutil.which(cwd / words[0]) is None:
            raise BadInput("bot command", shlex.join(words), "one that can be started")
        self._limits = Limits()
        self._words = limited(words, self._limits)
        self._folder, self._cwd = folder, cwd
        self._processes = Processes(folder)
        self._child: subprocess.Popen[bytes] | None = None
        self.launches: list[Launch] = []

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._processes.stop()

    @property
    def home(self) -> Path:
        """The folder of its own that the bot is given."""
        return self._folder / "home"

    def start(self, environ: Mapping[str, str]) -> Launch:
        """Start the command. environ: what it is given besides a clean environment."""
        self.home.mkdir(exist_ok=True)
        name = f"bot-{len(self.launches) + 1}"
        whole = clean_environment(self.home.resolve(), environ)
        launch = Launch(time.monotonic(), self._folder / f"{name}.log")
        self._child = self._processes.start(
            name, self._words, environ=whole, cwd=self._cwd, inherit=False
        )
        self.launches.append(launch)
        return launch

    def code(self) -> int | None:
        """The exit code of the latest process, None while it runs."""
        launch = self.launches[-1]
        if launch.code is None and self._child is not None:
            launch.code = self._child.poll()
            if launch.code is not None:
                launch.ended_s = time.monotonic()
                launch.why = self._why_ended(launch, launch.code)
        return launch.code

    def stop(self) -> None:
        """End the latest process: ask it, wait a little, then kill it and what it has started."""
        child = self._child
        if child is None:
            return
        launch = self.launches[-1]
        if self.code() is None:
            launch.stopped = True
            child.terminate()
            try:
                child.wait(STOP_S)
            except subprocess.TimeoutExpired:
                launch.obeyed = False
        self._processes.stop()
        self._processes = Processes(self._folder)
        self.code()

    def last_lines(self, launch: Launch | None = None) -> list[str]:
        """The end of what a process has written; the latest one's if none is named."""
        log = (launch or self.launches[-1]).log
        if not log.exists():
            return []
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - END_BYTES))
            text = file.read().decode("utf-8", "replace")
        return [line for line in text.splitlines() if line.strip()][-LAST_LINES:]

    def _why_ended(self, launch: Launch, code: int) -> str:
        """How a process ended, in words."""
        limit = reason(code, self._limits, launch.log)
        how = f"signal {-code}" if code < 0 and os.name == "posix" else f"exit code {code}"
        return f"{how} ({limit})" if limit else how
