"""What is sent compressed: gzip, for clients that say that they read it.

A body that has an `ETag` is the same for everybody who may see it: its compressed bytes are kept,
so one page costs one compression, whoever asks. What has none is compressed only where its endpoint
says so (`Endpoint.gzip`), anew each time. Nothing that holds a secret beside words that somebody
else can choose is ever compressed: the length would give the secret away (BREACH). A bot's polls
and answers are not compressed either, for they are short and would only take longer.

Long bodies are compressed in pieces that rest. This module may not know any endpoint.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from threading import Lock

from arena.pacing import Pacer, Work

LEAST_BYTES = 1_024
"""Shorter bodies fit into one packet anyway."""
KEPT_LEVEL, PASSING_LEVEL = 6, 1
"""Of zlib. What is kept: 37 KB of the 152 KB of the rules, 3.8 ms; what is not: 45 KB, 1.1 ms."""
GZIP_WINDOW = 31
"""Of zlib: the longest window, with the head and the tail of gzip. The head holds no time."""
PIECE = 8_192
"""Bytes that are compressed in one go: below half a millisecond."""
MOST_BYTES = 8_000_000
"""Of compressed bodies that one process keeps."""
LOCKS = 16


def packed(pieces: Iterable[bytes], work: Work, *, level: int = KEPT_LEVEL) -> Iterator[bytes]:
    """Pieces in gzip's form. work: their account; it stands still while nothing is compressed."""
    packer = zlib.compressobj(level, zlib.DEFLATED, GZIP_WINDOW)
    for piece in pieces:
        for at in range(0, len(piece), PIECE):
            work.go_on()
            data = packer.compress(piece[at : at + PIECE])
            work.pause()
            work.stop()
            if data:
                yield data
    yield packer.flush()


class Compression:
    """Compresses bodies for one process and keeps those that have a tag; the ones that were not
    used for longest are dropped. pacer: of this work."""

    def __init__(self, pacer: Pacer) -> None:
        self._pacer = pacer
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._lock = Lock()
        self._locks = tuple(Lock() for _ in range(LOCKS))

    def __call__(self, body: bytes, tag: str) -> bytes:
        """The body in gzip's form. tag: what this very body is known by; "" if it is not kept."""
        if not tag:
            return self._packed(body, PASSING_LEVEL)
        kept = self._known(tag)
        if kept is None:
            with self._locks[hash(tag) % LOCKS]:  # who wants the same one waits for this one
                kept = self._known(tag)
                if kept is None:
                    kept = self._packed(body, KEPT_LEVEL)
                    self._keep(tag, kept)
        return kept

    def _packed(self, body: bytes, level: int) -> bytes:
        work = self._pacer.work()
        work.stop()
        return b"".join(packed((body,), work, level=level))

    def _known(self, tag: str) -> bytes | None:
        with self._lock:
            kept = self._kept.get(tag)
            if kept is not None:
                self._kept.move_to_end(tag)
            return kept

    def _keep(self, tag: str, body: bytes) -> None:
        with self._lock:
            self._kept[tag] = body
            self._size += len(body)
            while self._size > MOST_BYTES:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped)
