"""Sending: who may export now, and a body that pays for what it sends and rests in between.

One export for each token, half of all places for those without one. Who finds no place waits a
moment, then is asked to come back. What is sent draws from the caller's bucket, but never so much
that the rest of what it does has to wait: the export waits instead. This module does not know what
is exported.
"""

from __future__ import annotations

import errno
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from arena.referee.pacing import Pacer, let_others_run
from arena.web.export_files import Broken
from arena.web.limits import EVERYBODY
from arena.web.problems import Code, Problem, retry

UNIT: Final = 262_144
"""Bytes that cost as much as a request."""
SEND_S_PER_BYTE: Final = 1e-9
"""What it takes to send a byte, about; measured it cannot be, for sending waits for the reader."""
WAIT_S: Final = 5.0
"""How long a caller waits for a place."""
LATER_S: Final = 5
"""And when it should come back."""
MOST_WAITING: Final = 64
LONGEST_REST_S: Final = 2.0


class Room:
    """Who exports now. most: exports at the same time; those without a token get half of them."""

    def __init__(self, most: int, *, wait_s: float = WAIT_S) -> None:
        self._most = most
        self._wait_s = wait_s
        self._inside: Counter[str] = Counter()
        self._waiting = 0
        self._changed = threading.Condition()

    def enter(self, caller: str | None) -> Callable[[], None]:
        """Take a place, waiting a little for one; what gives it back. Raises Problem."""
        who = caller or EVERYBODY
        with self._changed:
            if not self._has_place(who) and not self._wait_for_place(who):
                raise self._refusal(who)
            self._inside[who] += 1
        return partial(self._leave, who)

    def inside(self) -> int:
        """How many export now."""
        return self._inside.total()

    def _wait_for_place(self, who: str) -> bool:
        if self._waiting >= MOST_WAITING:
            return False
        self._waiting += 1
        try:
            return self._changed.wait_for(lambda: self._has_place(who), self._wait_s)
        finally:
            self._waiting -= 1

    def _has_place(self, who: str) -> bool:
        own = max(1, self._most // 2) if who == EVERYBODY else 1
        return self._inside[who] < own and self._inside.total() < self._most

    def _refusal(self, who: str) -> Problem:
        if self._inside.total() >= self._most:
            return retry(Code.UNAVAILABLE, "Too many exports are on their way.", LATER_S)
        whose = "Callers without a token have" if who == EVERYBODY else "This token has"
        told = f"{whose} an export on its way; the next one comes after it."
        return retry(Code.TOO_MANY_REQUESTS, told, LATER_S)

    def _leave(self, who: str) -> None:
        with self._changed:
            self._inside[who] -= 1
            self._inside += Counter()  # forgets those of whom there is none
            self._changed.notify_all()


class Sending:
    """The body of an export: pieces, each paid for and paced; at its end the place is given back.

    charge: takes so many units from the caller's bucket; the seconds to wait until there is enough.
    paced: the pieces come at a pace already, so only sending them has to be added.
    """

    def __init__(
        self,
        pieces: Iterator[bytes],
        *,
        leave: Callable[[], None],
        charge: Callable[[float], float],
        pacer: Pacer,
        rest: Callable[[float], None] = let_others_run,
    ) -> None:
        self._pieces = pieces
        self._leave: Callable[[], None] | None = leave
        self._charge = charge
        self._work = pacer.work()
        self._work.stop()
        self._sent = 0
        self._rest = rest

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """The next piece; the one before has been sent."""
        self._pay()
        try:
            piece = next(self._pieces)
        except Broken as error:  # noted where it happened; hanging up tells the reader
            self.close()
            raise BrokenPipeError(errno.EPIPE, "the file could not be made") from error
        except BaseException:
            self.close()
            raise
        self._sent = len(piece)
        return piece

    def _pay(self) -> None:
        sent, self._sent = self._sent, 0
        if sent:
            rest_s = self._charge(sent / UNIT)
            self._work.go_on()
            self._work.pause(sent * SEND_S_PER_BYTE)
            self._work.stop()
            if rest_s:
                self._rest(min(rest_s, LONGEST_REST_S))

    def close(self) -> None:
        """Give the place back; closing twice is harmless."""
        leave, self._leave = self._leave, None
        if leave is not None:
            pieces, self._pieces = self._pieces, iter(())
            close = getattr(pieces, "close", None)
            try:
                if close is not None:
                    close()
            finally:
                leave()

    def __del__(self) -> None:
        self.close()
