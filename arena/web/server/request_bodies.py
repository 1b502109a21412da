"""The body of a request as it comes over the wire: by its length or in chunks, within bounds.

gevent reads the frame of a chunked body byte by byte and lets extensions and trailers go on for as
long as their sender likes, without a pause for anybody else. Here a line is read at a time, and
lines, chunks and trailers are counted (RFC 9112, section 7.1). This module may not know what a body
means.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from io import BufferedReader

import gevent

from arena.web.api.bodies import BadFrame, BrokenBody
from arena.web.server.heads import FIELD, Head

BODY_S = 30.0
"""How long a body may take, from when somebody wants to read it."""
DISCARD_S = 5.0
"""How long the rest of a body is waited for that nobody wants to read."""
PIECE = 16_384
DISCARD = 16 * PIECE
"""How much of a refused body is still taken, so that its sender gets to read the answer."""
MOST_CHUNKS = 256
LONGEST_CHUNK_LINE = 256
"""Of the size of a chunk with its extensions."""
MOST_TRAILERS = 32
LONGEST_TRAILER = 1_024
CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?\r\n")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Body:
    """What `wsgi.input` is. Once it broke, nothing more is read and the connection has to end.

    here: all of it has come, so that no timeout is needed while it is read. asking: the
    socket of a client that waits for `100 Continue` (`Expect: 100-continue`). before_failure: is
    called before an error is raised, to let others go first.
    """

    __slots__ = (
        "_asking",
        "_before_failure",
        "_chunked",
        "_chunks",
        "_file",
        "_here",
        "_left",
        "_over",
        "_until_s",
        "unfinished",
    )

    def __init__(
        self,
        file: BufferedReader,
        head: Head,
        *,
        here: bool,
        asking: socket.socket | None,
        before_failure: Callable[[], None],
    ) -> None:
        self._file = file
        self._chunked = head.chunked
        self._left = head.length or 0
        self._over = not head.chunked and not head.length
        self._here = here
        self._asking = asking
        self._before_failure = before_failure
        self._chunks = 0
        self._until_s = 0.0
        self.unfinished = False

    def read(self, size: int | None = -1) -> bytes:
        """`size` bytes, fewer at the end; all of them without a size. Raises BrokenBody."""
        if self._over:
            return b""
        if self.unfinished:
            raise BrokenBody("the body broke before")
        try:
            most = -1 if size is None else size
            return self._take(most) if self._here else self._in_time(most)
        except OSError as error:
            self.unfinished = True
            self._before_failure()
            if isinstance(error, BrokenBody):
                raise
            raise BrokenBody(str(error)) from error

    def readline(self, size: int | None = -1) -> bytes:
        """A line, for whoever reads bodies by lines: nobody here does."""
        line = bytearray()
        while len(line) != size and not line.endswith(b"\n") and (byte := self.read(1)):
            line += byte
        return bytes(line)

    def readlines(self, hint: int | None = -1) -> list[bytes]:
        """All lines."""
        return list(self)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _discard(self) -> None:
        """Read on to the next request, if that is not far. gevent calls this after each response.

        A client that still waits for `100 Continue` does not get it: then nothing will come.
        """
        if self._over or self.unfinished:
            return
        if self._asking is None or self._here:
            limit_s = time.monotonic() + DISCARD_S
            self._until_s = min(self._until_s or limit_s, limit_s)
            try:
                self._skip()
            except OSError:
                self.unfinished = True
        self.unfinished = not self._over

    def _skip(self) -> None:
        for _ in range(DISCARD // PIECE):
            if self._over or not self.read(PIECE):
                return

    def _in_time(self, size: int) -> bytes:
        now_s = time.monotonic()
        self._until_s = self._until_s or now_s + BODY_S
        late = BrokenBody("the body of the request took too long")
        with gevent.Timeout(max(0.0, self._until_s - now_s), late):
            if self._asking is not None:
                self._asking.sendall(CONTINUE)
                self._asking = None
            return self._take(size)

    def _take(self, size: int) -> bytes:
        parts = []
        while size and not self._over:
            if not self._left:
                self._begin_chunk()
                continue
            wanted = min(self._left, PIECE if size < 0 else size)
            part = self._file.read(wanted)
            if len(part) < wanted:
                raise BrokenBody("the body breaks off")
            parts.append(part)
            self._left -= wanted
            size -= min(wanted, max(size, 0))
            if not self._left:
                if self._chunked:
                    self._end_chunk()
                else:
                    self._over = True
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _end_chunk(self) -> None:
        if (end := self._file.read(2)) != b"\r\n":
            _check_arrived(end, 2)
            raise BadFrame("a chunk does not end where it says")

    def _begin_chunk(self) -> None:
        self._chunks += 1
        if self._chunks > MOST_CHUNKS:
            raise BadFrame(f"the body comes in more than {MOST_CHUNKS} chunks")
        line = self._file.readline(LONGEST_CHUNK_LINE)
        match = CHUNK.fullmatch(line)
        if match is None:
            _check_arrived(line, LONGEST_CHUNK_LINE)
            raise BadFrame("a chunk does not begin with its size, or with too long a line")
        self._left = int(match[1], 16)
        if not self._left:
            self._read_trailers()
            self._over = True

    def _read_trailers(self) -> None:
        """Fields behind the last chunk; nobody asks for them."""
        for _ in range(MOST_TRAILERS + 1):
            line = self._file.readline(LONGEST_TRAILER)
            if line == b"\r\n":
                return
            if not FIELD.fullmatch(line):
                _check_arrived(line, LONGEST_TRAILER)
                raise BadFrame("a line behind the last chunk is no header field")
        raise BadFrame(f"more than {MOST_TRAILERS} fields behind the last chunk")


def _check_arrived(line: bytes, longest: int) -> None:
    """Raises BrokenBody if a line ends only because its sender has gone away."""
    if len(line) < longest and not line.endswith(b"\n"):
        raise BrokenBody("the body breaks off")
