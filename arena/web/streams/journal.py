"""What a stream says, in order: frames with the numbers that they end with.

Everybody who follows reads the same bytes and knows a number only, so a slow reader costs no
memory. A frame is one server-sent event. This module may not know what is followed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import orjson

MOST_BYTES = 65_536
"""Bytes of frames that are handed over together; a single frame may be longer."""
FAR = 2**62


def frame(event: str, data: Any, *, name: str = "") -> bytes:
    """A server-sent event. data: plain data, written as JSON on one line; name: its id, by which a
    client resumes, "" for none."""
    head = f"id: {name}\nevent: {event}\ndata: " if name else f"event: {event}\ndata: "
    return head.encode() + orjson.dumps(data) + b"\n\n"


class Journal:
    """The frames of a stream. finished: nothing will follow.

    One thread adds, any number of them read.
    """

    def __init__(self) -> None:
        self.finished = False
        self._written: tuple[list[bytes], list[int]] = [], []
        self._last_piece: tuple[list[bytes], int, int, bytes] = [], 0, 0, b""

    @property
    def end(self) -> int:
        """The number that the last frame ends with."""
        ends = self._written[1]
        return ends[-1] if ends else 0

    def add(self, end: int, text: bytes) -> None:
        """Add a frame. end: its number, higher than those before."""
        frames, ends = self._written
        frames.append(text)
        ends.append(end)

    def replace(self, frames: Sequence[tuple[int, bytes]]) -> None:
        """Have these frames in place of all. Each comes with its number, and those that are new
        have higher ones than any before."""
        self._written = [text for _, text in frames], [end for end, _ in frames]

    def close(self, text: bytes = b"") -> None:
        """Nothing will follow. text: a frame in place of all others, for everybody who reads on."""
        if text:
            self.replace([(FAR, text)])
        self.finished = True

    def piece(self, after: int) -> tuple[int, bytes]:
        """The frames after a number, as many as go together, and the number that they end with; no
        bytes if there are none. A number within a frame gets that frame."""
        frames, ends = self._written
        first = bisect_right(ends, after)
        if first >= len(ends):
            return after, b""
        last, size = first + 1, len(frames[first])
        while last < len(ends) and size + len(frames[last]) <= MOST_BYTES:
            size += len(frames[last])
            last += 1
        return ends[last - 1], self._joined(frames, first, last)

    def _joined(self, frames: list[bytes], first: int, last: int) -> bytes:
        """Frames as one; those who are equally far share the bytes."""
        if last == first + 1:
            return frames[first]
        of, *known, joined = self._last_piece
        if of is not frames or known != [first, last]:
            joined = b"".join(frames[first:last])
            self._last_piece = frames, first, last, joined
        return joined
