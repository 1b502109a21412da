"""Bots that are asked given turns: as processes over HTTP, or as classes in this process."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from arena.cli.launching import Confinement, launcher

if TYPE_CHECKING:
    from arena.asking import GivenTurn, TurnReply
    from arena.processes import Processes


class Asker(Protocol):
    """What is asked: a process, or a class."""

    def ask(self, turn: GivenTurn) -> TurnReply:
        """What it makes of a turn."""


@contextmanager
def asked_bot(
    bot: str, session: Mapping[str, Any], seconds: float, chosen: Confinement, local: bool
) -> Iterator[Asker]:
    """A bot in a session of its own; it ends with the context.

    bot: its command, or with `local` its `module:Class`. session: members of the session's
    document. seconds: for one answer. chosen: under what a process is started.
    """
    from arena.asking import ClassBot, start_bot

    document = {**session, "clock": {"move_ms": round(seconds * 1000), "bank_ms": 0}}
    if local:
        sys.path.insert(0, os.getcwd())
        yield ClassBot(bot, document)
        return
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = Path(scratch)

        def start(
            processes: Processes,
            name: str,
            words: Sequence[str],
            url: str,
            environ: Mapping[str, str],
        ) -> None:
            launch = stack.enter_context(launcher(chosen, folder, url))
            launch.start(processes, name, words, environ=environ, cwd=None)

        with start_bot(bot, document, folder=folder, start=start) as process:
            yield process
