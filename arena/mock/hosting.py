"""A mock arena on a port of this machine, and the bot's process if it is started here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.asking.processes import GOODBYE_S, PROCESS, AskedBot
from arena.asking.referee import AskingReferee
from arena.asking.server import served
from arena.errors import Unavailable
from arena.mock.playing import MockTable
from arena.mock.script import MockScript
from arena.processes import Processes, bot_command

NAME = "bot"


class OpenMock(NamedTuple):
    """A mock arena that is served. environ: what a bot has to know, as the kit reads it from its
    environment; table: what it will play; referee: where the bot is asked."""

    environ: Mapping[str, str]
    table: MockTable
    referee: AskingReferee


@contextmanager
def open_mock(
    script: MockScript, *, folder: Path, port: int = 0, command: str | None = None, start_s: float
) -> Iterator[OpenMock]:
    """Serve a script meanwhile; leaving the context ends the session, and the bot started here.

    A bot that was started elsewhere has some seconds to see that the session is over.

    folder: for logs. port: 0 for a free one. command: of the bot; None if it is started elsewhere.
    start_s: how long the bot may take until it asks for a turn; then `Unavailable` is raised.
    Raises `BadInput` for a command that does not work.
    """
    words = None if command is None else bot_command(command)
    referee = AskingReferee(script.session, name=NAME)
    with served(referee, folder, port) as url, Processes(folder) as processes:
        environ = {
            "ARENA_URL": url,
            "ARENA_TOKEN": referee.token,
            "ARENA_SESSION": referee.session,
            "ARENA_NAME": NAME,
        }
        check = _waiting(referee, start_s)
        if words is not None:
            processes.start(PROCESS, words, environ={**environ, "PYTHONUNBUFFERED": "1"})
            check = AskedBot(referee, processes, start_s=start_s).check
        yield OpenMock(environ, MockTable(script, referee, check), referee)
        referee.finish()
        if words is None and referee.polled:
            referee.told.wait(GOODBYE_S)
        processes.wait([PROCESS], within_s=GOODBYE_S)


def _waiting(referee: AskingReferee, start_s: float) -> Callable[[], None]:
    """What is looked at while a bot that was started elsewhere is waited for."""
    until_s = time.monotonic() + start_s

    def check() -> None:
        if not referee.polled and time.monotonic() > until_s:
            raise Unavailable(f"no bot has asked for a turn within {start_s:g} s")

    return check
