"""Attempts: one try at a block, in whatever process an executor has chosen.

What the play raises is its value, so that whatever the executor raises is the executor's own. Of
mistakes in a bot's code the first is logged, once a process and not once a table. This module may
not repeat anything.
"""

from __future__ import annotations

import logging
import os
import platform
from bdb import BdbQuit
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arena.client.watch import CallEnd, Watch
from arena.match.local import Block, Match, play_block

BOT_LOG = "arena.client"


class Failed(NamedTuple):
    """A block that cannot be played: it would fail again."""

    error: Exception


def this_process() -> str:
    """What tells this process from all others."""
    return f"{platform.node()}/{os.getpid()}"


def attempt(match: Match, number: int, *, tried: int, home: str, trace: str = "") -> Block | Failed:
    """Play a block, and survive it.

    tried: which try it is, so that no cluster takes two for the same. home: `this_process` of who
    wants it. trace: a file in which it is noted whom the block asks, if it is there.
    """
    if this_process() != home:
        _let_first_errors_through(match)
    watched = partial(TracedWatch, trace) if trace and Path(trace).exists() else Watch
    try:
        return play_block(match, number, watched=watched)
    except BdbQuit:  # whoever leaves the debugger leaves the match
        raise
    except Exception as error:  # the top of a task: for the caller to raise, in its own process
        return Failed(error)


class TracedWatch(Watch):
    """Notes in a file who is asked, for the case that the process does not survive it."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = Path(path)

    def call(self, method: str, who: str, turn: Any = None) -> CallEnd:
        """The context in which a method of the bot is called."""
        self._path.write_text(f"{method}(){who}", encoding="utf-8")
        return super().call(method, who, turn)


class FirstErrors(logging.Filter):
    """Lets the first record of each level through: of a mistake in a bot's code one is enough.

    match: the one whose errors are meant.
    """

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.match = match
        self._logged: dict[int, logging.LogRecord] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Is it the first? `setdefault` lets one of several threads win."""
        return self._logged.setdefault(record.levelno, record) is record


@contextmanager
def first_errors(match: Match) -> Iterator[None]:
    """Meanwhile bots that play in this process log one error, not one at every table."""
    log, only = logging.getLogger(BOT_LOG), FirstErrors(match)
    log.addFilter(only)
    try:
        yield
    finally:
        log.removeFilter(only)


def _let_first_errors_through(match: Match) -> None:
    """The same for a process of an executor, which may live on and play other matches."""
    log = logging.getLogger(BOT_LOG)
    known = [each for each in log.filters if isinstance(each, FirstErrors)]
    if not any(each.match == match for each in known):
        log.addFilter(FirstErrors(match))
        for each in known:
            log.removeFilter(each)
