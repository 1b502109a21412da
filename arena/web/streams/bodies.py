"""The body of one stream: pieces of its channel's journal as long as somebody takes them.

Between two pieces it waits for its channel, and holds nothing but its place. What the client does
not take is not kept for it: the server ends a connection that takes too little, and who comes back
names the last number that it got. This module may not know what is followed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

from arena.web.streams.channels import Channel, Follower
from arena.web.streams.hub import Source, Streams

HEARTBEAT = b":\n\n"
RETRY_MS = 2_000
RETRY_STEP_MS = 250
RETRY_STEPS = 16
"""When clients come back whose stream has ended: not all of them together."""


class Wanted(NamedTuple):
    """What a client asked for. after: the number of the id from which it resumes; seconds: the
    longest that the stream may last; onward: what is followed when a channel has finished, None if
    nothing is.
    """

    source: Source
    after: int
    seconds: float
    onward: Callable[[Channel], Source | None] = lambda channel: None


class StreamBody:
    """An iterator over the bytes of a stream; closing it gives its place back.

    channel: that of the source, looked at. address: whose place it is; a stream that may last no
    time waits for nothing and takes none. name: of the request, by which it is chosen when its
    client comes back.
    """

    def __init__(
        self,
        streams: Streams,
        wanted: Wanted,
        channel: Channel,
        *,
        address: str,
        name: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._closed = False
        self._streams = streams
        self._wanted = wanted
        self._channel = channel
        self._address = address
        self._monotonic = monotonic
        self._until_s = monotonic() + wanted.seconds
        self._follower = Follower()
        retry_ms = RETRY_MS + RETRY_STEP_MS * (crc32(name.encode()) % RETRY_STEPS)
        self._head = f"retry: {retry_ms}\n\n".encode()
        if wanted.seconds and not channel.journal.finished:
            self._channel = streams.join(wanted.source, self._follower, channel)
        self._after = self._channel.feed.place(wanted.after)
        self._heartbeats = self._channel.heartbeats

    def __iter__(self) -> StreamBody:
        return self

    def __next__(self) -> bytes:
        """The next piece, as soon as there is one; a heartbeat if there is none for long."""
        while not self._closed:
            finished = self._channel.journal.finished  # first: its last frame may come right now
            self._after, piece = self._channel.journal.piece(self._after)
            head, self._head = self._head, b""
            if head or piece:
                return head + piece
            if finished:
                if not self._go_on():
                    break
            elif self._heartbeats != self._channel.heartbeats:
                self._heartbeats = self._channel.heartbeats
                return HEARTBEAT
            elif self._until_s <= self._monotonic():
                break
            else:
                self._follower.wait()
        self.close()
        raise StopIteration

    def _go_on(self) -> bool:
        """Follow what comes after a channel that has finished; False if nothing does."""
        source = self._wanted.onward(self._channel)
        if source is None or self._until_s <= self._monotonic():
            return False
        self._channel.leave(self._follower)
        self._after = 0
        self._channel = self._streams.join(source, self._follower)
        self._heartbeats = self._channel.heartbeats
        return True

    def close(self) -> None:
        """Give the place back; closing twice is harmless."""
        if not self._closed:
            self._closed = True
            self._channel.leave(self._follower)
            if self._wanted.seconds:
                self._streams.leave(self._address)

    def hang_up(self) -> None:
        """Its reader has gone, as another thread knows: end it, also while it waits."""
        self.close()
        self._follower.wake()

    def __del__(self) -> None:
        self.close()
