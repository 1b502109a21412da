"""All streams of a process: their channels, and how many there may be.

A stream costs a connection and some 25 KB for as long as it lasts, so their number is bounded, in
all and for each address. This module may not know what is followed, nor what a request is.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import NamedTuple
from weakref import WeakValueDictionary

from arena.errors import Unavailable
from arena.pacing import Pacer
from arena.referee.bell import Bell
from arena.settings import Settings
from arena.web.api.problems import Code, retry
from arena.web.streams.channels import Channel, Feed, Follower

RETRY_S = 30
"""When somebody for whom there was no stream may ask again."""
STOPPING_S = 2
"""And when the arena may be back that is stopping."""


class Source(NamedTuple):
    """Something that can be followed. key: what its channel is known by; feed: a new feed of it."""

    key: Hashable
    feed: Callable[[], Feed]


class Streams:
    """The streams. bell: what wakes the channels; pacer: at what pace they wake their followers."""

    def __init__(self, bell: Bell, settings: Settings, *, pacer: Pacer) -> None:
        self._bell = bell
        self._most = settings.streams
        self._per_address = settings.streams_per_address
        self._pacer = pacer
        self._channels: dict[Hashable, Channel] = {}
        self._opened: WeakValueDictionary[Hashable, Channel] = WeakValueDictionary()
        self._addresses: Counter[str] = Counter()
        self._lock = threading.RLock()  # a body that is collected as garbage gives its place back

    @property
    def count(self) -> int:
        """How many are open."""
        return self._addresses.total()

    def enter(self, address: str) -> None:
        """Take a place for a stream. Raises Problem: `unavailable` if there is none,
        `too_many_requests` if this address has all that it may have."""
        with self._lock:
            if self._per_address and self._addresses[address] >= self._per_address:
                detail = f"Your address has {self._per_address} streams open, which is the limit."
                raise retry(Code.TOO_MANY_REQUESTS, detail, RETRY_S)
            if self.count >= self._most:
                detail = "This arena has as many streams open as it can serve."
                raise retry(Code.UNAVAILABLE, detail, RETRY_S)
            self._addresses[address] += 1

    def leave(self, address: str) -> None:
        """Give a place back."""
        with self._lock:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def open(self, source: Source) -> Channel:
        """The channel of a source, looked at just now; raises what its feed raises, and Unavailable
        while the arena stops."""
        if self._bell.stopped:
            raise Unavailable("the referee is stopping", retry_after=STOPPING_S)
        channel = self._usable(source)
        channel.look()
        return channel

    def _usable(self, source: Source) -> Channel:
        """The channel that is followed, else the one that somebody else is opening, else a new
        one."""
        with self._lock:
            for known in (self._channels.get(source.key), self._opened.get(source.key)):
                if known is not None and not (known.ended or known.journal.finished):
                    return known
            fresh = self._opened[source.key] = self._new(source)
            return fresh

    def join(self, source: Source, follower: Follower, channel: Channel | None = None) -> Channel:
        """Let somebody follow a source; the channel that wakes it. channel: the one that was
        opened, if there is none that others follow."""
        with self._lock:
            for candidate in (self._channels.get(source.key), channel):
                if candidate is not None and candidate.join(follower):
                    chosen = candidate
                    break
            else:
                chosen = self._new(source)
                chosen.join(follower)
            self._channels[source.key] = chosen
            return chosen

    def _new(self, source: Source) -> Channel:
        def forget(channel: Channel) -> None:
            with self._lock:
                if self._channels.get(source.key) is channel:
                    del self._channels[source.key]

        return Channel(source.feed(), self._bell, pacer=self._pacer, on_end=forget)
