"""A recorded session of our own: what five clients and the contest sent, to the byte.

    python -m tests.uecda.golden

writes it anew, after a change of the protocol that is meant.
"""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

from tests.uecda.clients import Client, cells_of
from tests.uecda.memory import contest, five
from tests.uecda.tapes import streams, write_record

FILE = Path(__file__).parent / "session.tape.xz"
HANDS, SEED = 4, 14


@cache
def golden_streams():
    """Down and up streams of the recorded session, by player."""
    return streams(lzma.decompress(FILE.read_bytes()))


def replayed():
    """Five clients that send what was sent then."""
    return [scripted(data) for data in golden_streams()[1]]


def scripted(up):
    """A client that sends recorded submissions."""
    tables = iter([up[at : at + 480] for at in range(480, len(up), 480)])
    name = "".join(map(chr, cells_of(up[:480])[1])).rstrip("\0")
    return Client(name, lambda *_: next(tables), lambda *_: next(tables))


def record():
    """The streams of the session as a tape, compressed."""
    clients = five()
    table, sockets = contest(clients, hands=HANDS, seed=SEED)
    assert len(list(table.play(sockets))) == HANDS
    records = [
        write_record(0, client.number, direction, bytes(data))
        for client in clients
        for direction, data in enumerate((client.up, client.down))
    ]
    return lzma.compress(b"".join(records), preset=9)


if __name__ == "__main__":
    FILE.write_bytes(record())
