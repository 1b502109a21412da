"""Leases: which block is whose, until when, and what becomes of it if nobody brings it back.

A lease that is not renewed in time ends, and its block is the next to be leased. What its worker
still brings counts, unless somebody was quicker. Not for several threads at once, and without a
clock: its host has both.
"""

from __future__ import annotations

import secrets
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.errors import NotFound, Unavailable
from arena.match.attempts import Failed
from arena.match.local import Block

MOST_LEASES = 5
"""How often a block may be lost until the match ends for it."""


@dataclass(eq=False)
class WorkBlock:
    """A block that is to be played. lost: why it was, so far."""

    number: int
    future: Future[Block | Failed]
    lost: list[str] = field(default_factory=list)


class Lease(NamedTuple):
    """A block on its way. until_s: by the host's clock."""

    id: str
    block: WorkBlock
    worker: str
    until_s: float


class Leases:
    """The blocks of a match that wait, and those that are leased, for lease_s at a time."""

    def __init__(self, lease_s: float) -> None:
        self.lease_s = lease_s
        self._waiting: deque[WorkBlock] = deque()
        self._open: dict[str, Lease] = {}
        self._ended: dict[str, WorkBlock] = {}

    def add(self, number: int) -> Future[Block | Failed]:
        """One more block, behind the others."""
        block = WorkBlock(number, Future())
        self._waiting.append(block)
        return block.future

    def take(self, worker: str, now_s: float) -> Lease | None:
        """A lease of the next block; None if none waits."""
        self.expire(now_s)
        while self._waiting:
            block = self._waiting.popleft()
            if block.future.running() or block.future.set_running_or_notify_cancel():
                lease = Lease(secrets.token_hex(8), block, worker, now_s + self.lease_s)
                self._open[lease.id] = lease
                return lease
        return None

    def renew(self, name: str, now_s: float) -> bool:
        """Extend a lease from now on; False if it has ended."""
        lease = self._open.get(name)
        if lease is None:
            return False
        self._open[name] = lease._replace(until_s=now_s + self.lease_s)
        return True

    def is_open(self, name: str) -> bool:
        """Is it somebody's?"""
        return name in self._open

    def block(self, name: str) -> WorkBlock:
        """The block of a lease, whether or not that has ended. Raises NotFound."""
        if name in self._open:
            return self._open[name].block
        if name in self._ended:
            return self._ended[name]
        raise NotFound("lease", "there is no such lease")

    def settle(self, name: str, result: Block | Failed) -> bool:
        """What came of a block; False if it was known already, for it counts once."""
        block = self.block(name)
        self._end(name)
        if block.future.done():
            return False
        if block in self._waiting:  # its lease had ended
            self._waiting.remove(block)
        block.future.set_result(result)
        return True

    def lose(self, name: str, reason: str) -> None:
        """A lease ends without a result: the block is the next one, unless it was lost too often,
        or somebody else has it."""
        block = self.block(name)
        if not self._end(name) or block.future.done():
            return
        block.lost.append(reason)
        if len(block.lost) < MOST_LEASES:
            self._waiting.appendleft(block)
            return
        detail = f"block {block.number} was lost {MOST_LEASES} times; at last: {reason}"
        block.future.set_result(Failed(Unavailable(detail)))

    def expire(self, now_s: float) -> None:
        """End the leases whose time is over."""
        for lease in [each for each in self._open.values() if each.until_s <= now_s]:
            self.lose(lease.id, f"worker {lease.worker} was not heard of for {self.lease_s:g} s")

    def next_end_s(self) -> float | None:
        """When the next lease ends, if it is not renewed."""
        return min((lease.until_s for lease in self._open.values()), default=None)

    def _end(self, name: str) -> bool:
        """End a lease; False if it had ended."""
        lease = self._open.pop(name, None)
        if lease is not None:
            self._ended[name] = lease.block
        return lease is not None
