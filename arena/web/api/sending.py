"""Sending exports: who may export now, and a body that pays for what it sends and rests in between.

One export for each token, half of all slots for those without one. Who gets no slot waits a
moment, then is asked to come back; who reads slowly meanwhile loses its slot. What is sent draws
from the caller's bucket, but never so much that the rest of what it does has to wait: the export
waits instead. This module does not know what is exported.
"""

from __future__ import annotations

import errno
import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.pacing import Pacer, let_others_run
from arena.web.api.addresses import UNKNOWN
from arena.web.api.export_files import IncompleteFile
from arena.web.api.limits import EVERYBODY
from arena.web.api.problems import Code, Problem, retry

LOG = logging.getLogger("arena.web.exports")
UNIT = 262_144
"""Bytes that cost as much as a request."""
SEND_S_PER_BYTE = 1e-9
"""What it takes to send a byte, about; measured it cannot be, for sending waits for the reader."""
WAIT_S = 5.0
"""How long a caller waits for a slot."""
RETRY_S = 5
"""When a caller without a slot should come back."""
MOST_WAITING = 64
"""Callers who wait for a slot, each with one request."""
LEAST_BYTES_PER_S = 262_144
"""Who takes less a second may lose its slot to one who waits,"""
GRACE_S = 2.0
"""but may stand still for so long."""
CHECK_S = 0.5
"""How often one who waits checks whether somebody is slow."""
LONGEST_REST_S = 2.0


class ExportSlot:
    """One of the slots. who: has it. spare: it is the one that only organisers may have.

    How fast it is used is known by the time that the client lets pass between `hand_over` and
    `taken`; what the server takes for itself does not count. Nobody can save up more than GRACE_S.
    """

    def __init__(
        self,
        who: str,
        *,
        spare: bool,
        monotonic: Callable[[], float],
        leave: Callable[[ExportSlot], None],
    ) -> None:
        self.who = who
        self.spare = spare
        self.lost = False
        self._monotonic = monotonic
        self._leave = leave
        self._left_s = GRACE_S
        self._size = 0
        self._since_s: float | None = None

    def hand_over(self, size: int) -> None:
        """A piece of `size` bytes goes to the client now."""
        self._size, self._since_s = size, self._monotonic()

    def taken(self) -> None:
        """The client has taken it."""
        self._left_s = min(GRACE_S, self.left_s())
        self._since_s = None

    def left_s(self) -> float:
        """How much longer the client may take; nothing or less: it is slow."""
        if self._since_s is None:
            return self._left_s
        allowed_s = self._left_s + self._size / LEAST_BYTES_PER_S
        return allowed_s - (self._monotonic() - self._since_s)

    def leave(self) -> None:
        """Give it back; to do so again, or when it is lost, is harmless."""
        self._leave(self)


class ExportSlots:
    """The places for exports. most: exports at the same time; those without a token get half of
    them.

    Organisers have one slot beyond these, taken when all others are. While somebody waits, the
    slowest of those in the way loses its slot, if it reads less than LEAST_BYTES_PER_S. monotonic:
    seconds.
    """

    def __init__(
        self, most: int, *, monotonic: Callable[[], float], wait_s: float = WAIT_S
    ) -> None:
        self._most = most
        self._monotonic = monotonic
        self._wait_s = wait_s
        self._inside: list[ExportSlot] = []
        self._waiting: set[str] = set()
        self._changed = threading.Condition()

    def enter(self, caller: str | None, *, staff: bool, address: str = UNKNOWN) -> ExportSlot:
        """Take a slot, waiting a little for one. staff: an organiser calls. Raises Problem.

        address: of callers without a token, who wait one for each; others one for each token.
        """
        who = caller or EVERYBODY
        with self._changed:
            if not self._has_slot(who, staff=staff):
                with self._queued(who, caller or address):
                    if not self._wait_for_slot(who, staff=staff):
                        raise self._refusal(who)
            spare = self._is_full()
            slot = ExportSlot(who, spare=spare, monotonic=self._monotonic, leave=self._leave)
            self._inside.append(slot)
        return slot

    def inside(self) -> int:
        """How many export now."""
        return len(self._inside)

    @contextmanager
    def _queued(self, who: str, asker: str) -> Iterator[None]:
        """While this lasts the asker is one of those who wait. Raises Problem."""
        if asker in self._waiting:
            detail = "A request of this caller waits for an export already."
            raise retry(Code.TOO_MANY_REQUESTS, detail, RETRY_S)
        if len(self._waiting) >= MOST_WAITING:
            raise self._refusal(who)
        self._waiting.add(asker)
        try:
            yield
        finally:
            self._waiting.remove(asker)

    def _wait_for_slot(self, who: str, *, staff: bool) -> bool:
        """Wait, and check every CHECK_S whether somebody is slow: nobody is notified of that."""
        check_s = min(CHECK_S, self._wait_s)
        checks = max(1, math.ceil(self._wait_s / CHECK_S))
        return any(
            self._changed.wait_for(lambda: self._gets_slot(who, staff=staff), check_s)
            for _ in range(checks)
        )

    def _gets_slot(self, who: str, *, staff: bool) -> bool:
        if not self._has_slot(who, staff=staff):
            self._give_up_the_slowest(who, staff=staff)
        return self._has_slot(who, staff=staff)

    def _has_slot(self, who: str, *, staff: bool) -> bool:
        if len(self._own(who)) >= self._most_of(who):
            return False
        spare = staff and not any(slot.spare for slot in self._inside)
        return spare or not self._is_full()

    def _is_full(self) -> bool:
        return sum(not slot.spare for slot in self._inside) >= self._most

    def _own(self, who: str) -> list[ExportSlot]:
        return [slot for slot in self._inside if slot.who == who]

    def _most_of(self, who: str) -> int:
        return max(1, self._most // 2) if who == EVERYBODY else 1

    def _give_up_the_slowest(self, who: str, *, staff: bool) -> None:
        """Of those in the way: its own if it has all that it may have, else all that it could have
        instead."""
        in_the_way = self._own(who)
        if len(in_the_way) < self._most_of(who):
            in_the_way = [slot for slot in self._inside if staff or not slot.spare]
        slowest = min(in_the_way, key=ExportSlot.left_s)
        if slowest.left_s() <= 0:
            slowest.lost = True
            self._inside.remove(slowest)
            LOG.info("an export of %s was too slow while others waited", slowest.who)
            self._changed.notify_all()

    def _refusal(self, who: str) -> Problem:
        if len(self._own(who)) < self._most_of(who):
            return retry(Code.UNAVAILABLE, "Too many exports are on their way.", RETRY_S)
        whose = "Callers without a token have" if who == EVERYBODY else "This token has"
        detail = f"{whose} an export on its way; the next one comes after it."
        return retry(Code.TOO_MANY_REQUESTS, detail, RETRY_S)

    def _leave(self, slot: ExportSlot) -> None:
        with self._changed:
            if slot in self._inside:
                self._inside.remove(slot)
                self._changed.notify_all()


class ExportBody:
    """The body of an export: pieces, each paid for and paced; at its end the slot is given back.

    charge: takes units from the caller's bucket; the seconds to wait until there is enough.
    paced: the pieces come at a pace already, so only sending them has to be added.
    """

    def __init__(
        self,
        pieces: Iterator[bytes],
        *,
        slot: ExportSlot,
        charge: Callable[[float], float],
        pacer: Pacer,
        rest: Callable[[float], None] = let_others_run,
    ) -> None:
        self._pieces = pieces
        self._slot = slot
        self._closed = False
        self._charge = charge
        self._work = pacer.work()
        self._work.stop()
        self._sent = 0
        self._rest = rest

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """The next piece; the one before has been sent. Hangs up if the slot is lost."""
        self._pay()
        if self._slot.lost and not self._closed:
            self.close()
            raise BrokenPipeError(errno.EPIPE, "others waited, and the reader was too slow")
        try:
            piece = next(self._pieces)
        except IncompleteFile as error:  # noted where it happened; hanging up tells the reader
            self.close()
            raise BrokenPipeError(errno.EPIPE, "the file could not be made") from error
        except BaseException:
            self.close()
            raise
        self._sent = len(piece)
        self._slot.hand_over(self._sent)
        return piece

    def _pay(self) -> None:
        sent, self._sent = self._sent, 0
        if sent:
            self._slot.taken()
            rest_s = self._charge(sent / UNIT)
            self._work.go_on()
            self._work.pause(sent * SEND_S_PER_BYTE)
            self._work.stop()
            if rest_s:
                self._rest(min(rest_s, LONGEST_REST_S))

    def close(self) -> None:
        """Give the slot back; closing twice is harmless."""
        if not self._closed:
            self._closed = True
            pieces, self._pieces = self._pieces, iter(())
            close = getattr(pieces, "close", None)
            try:
                if close is not None:
                    close()
            finally:
                self._slot.leave()

    def __del__(self) -> None:
        self.close()
