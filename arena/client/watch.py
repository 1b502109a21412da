"""Notices a method of a bot that does not return, and says which one, since when and where.

A thread beside the bot's looks once a second. It may not stop the method: nothing can, in Python.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from datetime import datetime
from types import FrameType
from typing import Any, NamedTuple

LOG = logging.getLogger("arena.client")
LONG_S = (10.0, 60.0, 600.0)
"""After so long a call that has not returned is reported, once each, in seconds."""
LOOK_S = 1.0


class BotCall(NamedTuple):
    """A call of a method of the bot. who: whose, where there are several; turn: which one it is
    about, if any; began_s: on the monotonic clock."""

    method: str
    who: str
    turn: Any
    began_s: float
    thread: int

    @property
    def about(self) -> str:
        """Whose call it is, and at which turn."""
        return self.who if self.turn is None else f"{self.who}, at turn {self.turn.id}"


class CallEnd:
    """The context of a call. Entered for every turn: so it is made once, and is no generator."""

    __slots__ = ("_watch",)

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __enter__(self) -> None:
        """The call has been noted already."""

    def __exit__(self, *_: object) -> None:
        self._watch.current = None


class Watch:
    """Reports calls that take long, while its context is open; outside of it, nothing.

    current: the call that has not returned, if there is one.
    """

    def __init__(self, *, long_s: tuple[float, ...] = LONG_S, look_s: float = LOOK_S) -> None:
        self._long_s, self._look_s = long_s, look_s
        self.current: BotCall | None = None
        self._call_end = CallEnd(self)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, name="arena-kit-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def call(self, method: str, who: str, turn: Any = None) -> CallEnd:
        """The context in which a method of the bot is called."""
        self.current = BotCall(method, who, turn, time.monotonic(), threading.get_ident())
        return self._call_end

    def _look(self) -> None:
        reported: tuple[BotCall | None, int] = (None, 0)
        while not self._end.wait(self._look_s):
            call = self.current
            if call is None:
                continue
            times = reported[1] if reported[0] is call else 0
            lasted_s = time.monotonic() - call.began_s
            if times < len(self._long_s) and lasted_s >= self._long_s[times]:
                reported = (call, times + 1)
                _report(call, lasted_s)


def _report(call: BotCall, lasted_s: float) -> None:
    frame = sys._current_frames().get(call.thread)
    if frame is None or frame.f_trace is not None:
        return  # somebody is looking at it with a debugger
    since = datetime.fromtimestamp(time.time() - lasted_s).strftime("%H:%M:%S")
    message = "%s() has not returned for %.0f s, since %s%s: it is at %s"
    LOG.warning(message, call.method, lasted_s, since, call.about, _line_of(frame))


def _line_of(frame: FrameType) -> str:
    """Where a thread is, as a line of code."""
    stack = traceback.extract_stack(frame)
    place = stack[-1]
    return f"{place.filename}, line {place.lineno}, in {place.name}: {place.line or '?'}"
