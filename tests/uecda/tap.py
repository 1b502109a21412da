"""A tap: a relay between clients and a contest server that keeps what goes over it.

    python -m tests.uecda.tap LISTEN_PORT SERVER_PORT TAPE

for sessions with clients that are not ours; it ends when the fifth client has gone, and says what
the model finds, which messages were cut and how long a flag was alone.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from tests.uecda.model import Model
from tests.uecda.tapes import read_tape, streams, write_record


class Tap:
    """Relays the connections of one session. tape: the records so far."""

    def __init__(self, port, server_port, *, clients=5):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.server_port, self.clients = server_port, clients
        self.tape, self.lock = [], threading.Lock()

    def run(self):
        """Relay until all connections have ended."""
        threads = []
        for number in range(self.clients):
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.server_port))
            for one, other, direction in ((client, server, 0), (server, client, 1)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                thread = threading.Thread(target=self.relay, args=(one, other, number, direction))
                thread.start()
                threads.append(thread)
        self.listener.close()
        for thread in threads:
            thread.join()

    def relay(self, one, other, number, direction):
        """Pass on what comes, until its end."""
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    now_ns = time.monotonic_ns()
                    self.tape.append(write_record(now_ns, number, direction, data))
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            for peer in (one, other):  # a close alone would wait for the thread that reads
                with suppress(OSError):
                    peer.shutdown(socket.SHUT_RDWR)


def cuts(tape, model):
    """The pieces from the server that did not end where a message ends."""
    ends = {at: stream.ends for at, stream in enumerate(model.down)}
    numbers, sizes, cut = {}, {}, 0
    for _, connection, direction, data in read_tape(tape):
        if direction == 1:
            numbers.setdefault(connection, int.from_bytes(data[:4]))
            sizes[connection] = sizes.get(connection, 0) + len(data)
            cut += sizes[connection] not in ends[numbers[connection]]
    return cut


def pauses_ms(tape):
    """For each piece of 4 bytes from the server, how long the next one was in coming."""
    times = {}
    for time_ns, connection, direction, data in read_tape(tape):
        if direction == 1:
            times.setdefault(connection, []).append((time_ns, len(data)))
    pairs = [pair for each in times.values() for pair in pairwise(each[1:])]
    return [(after[0] - before[0]) / 1e6 for before, after in pairs if before[1] == 4]


def main(port, server_port, path):
    """Relay one session and check it."""
    tap = Tap(int(port), int(server_port))
    tap.run()
    tape = b"".join(tap.tape)
    Path(path).write_bytes(tape)
    model = Model(*streams(tape))
    try:
        model.run()
    finally:
        report = model.report
        print(f"{report.hands} hands, {report.turns} turns, points {dict(report.points)}")
        print(f"refused {dict(report.refused)}, {len(report.mismatches)} mismatches")
        print("\n".join(report.mismatches[:10]))
    alone = pauses_ms(tape)
    print(
        f"{cuts(tape, model)} pieces cut, {len(alone)} integers alone, {max(alone, default=0)} ms"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
