"""Recorded sessions: what went over the connections, in the order in which it was seen.

A record: time in ns (64 bits), connection, direction (0 to the server, 1 from it), length, all
little-endian, then the bytes.
"""

from __future__ import annotations

import struct

HEAD = struct.Struct("<Qiii")


def read_tape(data):
    """The records of a tape: time, connection, direction, bytes."""
    at = 0
    while at < len(data):
        time_ns, connection, direction, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield time_ns, connection, direction, data[at : at + length]
        at += length


def write_record(time_ns, connection, direction, data):
    """One record of a tape."""
    return HEAD.pack(time_ns, connection, direction, len(data)) + data


def streams(tape):
    """Down and up streams of a tape, by player number."""
    found = {}
    for _, connection, direction, data in read_tape(tape):
        found.setdefault(connection, ([], []))[1 - direction].append(data)
    numbered = {}
    for down, up in found.values():
        whole = b"".join(down)
        if len(whole) >= 4:
            numbered[struct.unpack(">I", whole[:4])[0]] = (whole, b"".join(up))
    return [numbered[n][0] for n in sorted(numbered)], [numbered[n][1] for n in sorted(numbered)]
