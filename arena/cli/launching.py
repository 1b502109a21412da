"""How the bots of an event are started: under limits, and in a sandbox where there is one."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import click

from arena.confinement.limits import Limits, clean_environment, limited, reason
from arena.confinement.relay import Door
from arena.confinement.sandbox import Sandbox, usable
from arena.errors import BadInput
from arena.processes import Processes

F = TypeVar("F", bound=Callable[..., Any])
AUTO, ALWAYS, NEVER = "auto", "always", "never"
HOMES = "homes"
"""The folder of an event in which each bot has its own."""


def sandbox_option(command: F) -> F:
    """The option `--sandbox`."""
    return click.option(
        "--sandbox",
        type=click.Choice((AUTO, ALWAYS, NEVER)),
        default=AUTO,
        show_default=True,
        help="Bots without network, home folders and other bots' files, by bubblewrap; auto: where "
        "it is installed.",
    )(command)


class Confinement(NamedTuple):
    """Under what bots are started."""

    limits: Limits
    sandbox: bool = False


def confinement(limits: Limits, wanted: str) -> Confinement:
    """The confinement that is wanted. Raises BadInput where there can be no sandbox."""
    if wanted == ALWAYS and not usable():
        raise BadInput("--sandbox", wanted, "bubblewrap (bwrap), which is not usable here")
    return Confinement(limits, wanted != NEVER and usable())


class Launcher:
    """Starts bots. door: the socket that leads to the referee, for bots in a sandbox."""

    def __init__(self, chosen: Confinement, folder: Path, url: str, door: str | None) -> None:
        self._chosen = chosen
        self._folder = folder
        self._port = urlsplit(url).port or 80
        self._door = door

    def start(
        self,
        processes: Processes,
        name: str,
        words: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: Path | None,
    ) -> None:
        """Start the process ``bot-NAME``."""
        own = self._folder / HOMES / name
        own.mkdir(parents=True, exist_ok=True)
        here = cwd or Path.cwd()
        if shutil.which(words[0]) is None and shutil.which(here / words[0]) is None:
            raise BadInput(f"command of {name}", shlex.join(words), "one that can be started")
        relay = None if self._door is None else (self._door, self._port)
        command = limited(words, self._chosen.limits, relay=relay)
        if self._door is not None:
            readable = (Path(self._door).parent,)
            command = Sandbox((self._folder,), own, readable, here).command(command)
        whole = clean_environment(own.resolve(), environ)
        processes.start(f"bot-{name}", command, environ=whole, cwd=here, inherit=False)

    def why_ended(self, code: int, log: Path) -> str | None:
        """Which limit a bot ran into; None if none."""
        return reason(code, self._chosen.limits, log)


@contextmanager
def launcher(chosen: Confinement, folder: Path, url: str) -> Iterator[Launcher]:
    """A launcher for the bots of a referee; what it needs beside itself goes with it."""
    with ExitStack() as stack:
        door = None
        if chosen.sandbox:
            place = tempfile.mkdtemp(prefix="arena-")
            stack.callback(shutil.rmtree, place)
            door = f"{place}/referee"
            parts = urlsplit(url)
            stack.callback(Door(door, (parts.hostname or "127.0.0.1", parts.port or 80)).close)
        yield Launcher(chosen, folder, url, door)
