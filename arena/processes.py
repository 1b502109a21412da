"""Child processes of a command: a referee and its bots, which all end with it, Ctrl-C included."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from arena import interruptions, resources
from arena.errors import BadInput, Unavailable

STOP_S = 5.0
START_S = 30.0
REFEREE = (sys.executable, "-P", "-m", "arena.web")
"""What starts a referee."""


class Processes:
    """A set of child processes; leaving the context ends all of them, last started first.

    Children get their own process group where there are such, so that a Ctrl-C at the terminal
    reaches only the parent, which then ends them in order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._logs: list[IO[bytes]] = []

    def __enter__(self) -> Processes:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, leave)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        piped: bool = False,
        inherit: bool = True,
    ) -> subprocess.Popen[bytes]:
        """Start a child whose errors go to ``NAME.log``; piped: its output can be read here.

        environ: added to the environment of this process, or instead of it without `inherit`.
        """
        log = (self.folder / f"{name}.log").open("ab")
        self._logs.append(log)
        with interruptions.deferred():
            whole = {**(os.environ if inherit else {}), **(environ or {})}
            child = self._popen(name, command, log, environ=whole, cwd=cwd, piped=piped)
            self._children.append((name, child))
        return child

    def _popen(
        self,
        name: str,
        command: Sequence[str],
        log: IO[bytes],
        *,
        environ: Mapping[str, str],
        cwd: Path | None,
        piped: bool,
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
                env=environ,
                cwd=cwd,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            expected = f"one that can be started ({error.strerror})"
            raise BadInput(f"command of {name}", shlex.join(command), expected) from error

    def pid(self, name: str) -> int:
        """The process id of a child; of several of one name, of the last one."""
        return next(child.pid for known, child in reversed(self._children) if known == name)

    def kill(self, name: str) -> None:
        """End a child as a power cut would, the last one of that name."""
        child = next(child for known, child in reversed(self._children) if known == name)
        child.kill()
        child.wait()

    def ended(self) -> dict[str, int]:
        """The children that have ended by now, with their exit codes."""
        codes = {name: child.poll() for name, child in self._children}
        return {name: code for name, code in codes.items() if code is not None}

    def last_words(self, name: str) -> str:
        """The last line of a child's log."""
        log = (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return (log.strip().splitlines() or ["it said nothing"])[-1]

    def wait(self, names: Sequence[str], *, within_s: float) -> None:
        """Give some children time to end by themselves."""
        for name, child in self._children:
            if name in names:
                try:
                    child.wait(within_s)
                except subprocess.TimeoutExpired:
                    return

    def stop(self) -> None:
        """End all children: ask, wait a little, then kill."""
        for _, child in reversed(self._children):
            if child.poll() is None:
                child.terminate()
        for _, child in reversed(self._children):
            try:
                child.wait(STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            _end_group(child.pid)
            if child.stdout is not None:
                child.stdout.close()
        for log in self._logs:
            log.close()


def _end_group(leader: int) -> None:
    """End what a child has started and left behind."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def leave(number: int, frame: object) -> None:
    """Being told to end means leaving in order, so that the children end too."""
    raise SystemExit(128 + number)


def new_admin(database: str) -> str:
    """An organiser's token in a database that no referee has open."""
    from arena.application import Referee
    from arena.store import open_store

    with open_store(database) as store:
        return Referee(store).registry.create_admin("organiser")


def start_referee(
    processes: Processes,
    database: str,
    *,
    port: int = 0,
    name: str = "referee",
    environ: Mapping[str, str] | None = None,
    program: Sequence[str] = REFEREE,
) -> str:
    """Start a referee as a process of its own and return its URL once it listens.

    program: what takes the flags of `arena.web`. Raises Unavailable if it does not start.
    """
    child = processes.start(
        name,
        [*program, "--port", str(port), "--database", database],
        environ=environ,
        piped=True,
    )
    assert child.stdout is not None
    watchdog = threading.Timer(START_S, child.kill)
    watchdog.start()
    try:
        url = child.stdout.readline().decode().strip()
    finally:
        watchdog.cancel()
    if not url:
        raise Unavailable(f"the referee did not start: {processes.last_words(name)}")
    return url


def split_command(command: str, *, windows: bool) -> list[str]:
    """The words of a command line, quoted as in a shell; on Windows a backslash is part of a path.

    Raises ValueError for a quotation that does not end.
    """
    lexer = shlex.shlex(command, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if windows:
        lexer.escape = ""
    return list(lexer)


def bot_command(command: str) -> list[str]:
    """A bot's command line as words; `python` means the Python that runs the arena.

    `python -m sample_bots.NAME` means the bot of that name that came with the arena, if there is
    one, whatever lies in the working directory.
    """
    try:
        words = split_command(command, windows=os.name == "nt")
    except ValueError as error:
        raise BadInput("bot command", command, f"a command line ({error})") from error
    if not words:
        raise BadInput("bot command", command, "a command line")
    if words[0] in ("python", "python3"):
        words = [sys.executable, *_our_sample(words[1:])]
    return words


def _our_sample(arguments: list[str]) -> list[str]:
    """Python's arguments, with the file of one of our bots in place of its module."""
    at = next((i for i, word in enumerate(arguments) if word == "-m" or word[:1] != "-"), None)
    if at is None or arguments[at] != "-m" or at + 1 == len(arguments):
        return arguments
    file = resources.sample_bot(arguments[at + 1])
    return arguments if file is None else [*arguments[:at], "-P", str(file), *arguments[at + 2 :]]
