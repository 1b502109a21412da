"""A contest without sockets: clients are called, and the time is what the test says."""

from __future__ import annotations

from arena.uecda.contest import Contest, ContestTerms
from tests.uecda.clients import GONE, Client, lucky

SECOND_S = 1.0


class MemorySockets:
    """Stands in for `ClientSockets`: what a seat says reaches its client at once, and what that
    sends in return the seat. cut: into pieces of so many bytes."""

    def __init__(self, *, cut=480):
        self.now_s, self.cut = 0.0, cut
        self.pairs = []
        self.sent_in_segments = []

    def seconds(self):
        return self.now_s

    def join(self, contest, client):
        """A client sits down."""
        seat = contest.admit(client.name)
        client.sent()
        self.pairs.append((seat, client))
        self.flush([seat])
        return seat

    def flush(self, order):
        for wanted in order:
            for seat, client in self.pairs:
                if seat is wanted:
                    self._deliver(seat, client)

    def _deliver(self, seat, client):
        while (messages := seat.output()) and not seat.is_absent:
            self.to_seat(seat, client.receive(b"".join(messages)))

    def to_seat(self, seat, data):
        """Bytes from a client, in pieces."""
        if data is GONE:
            seat.leave()
            return
        for at in range(0, len(data), self.cut):
            seat.receive(data[at : at + self.cut])

    def pump(self, within_s):
        """Nothing comes while one waits, but time goes by."""
        self.now_s += within_s
        for seat, client in self.pairs:
            if not seat.is_absent:
                self.to_seat(seat, client.sent())
                self._deliver(seat, client)


def contest(clients, *, hands=3, seed=1, cut=480, **terms):
    """A contest of some clients, ready to be played; and its sockets."""
    sockets = MemorySockets(cut=cut)
    lines = []
    table = Contest(ContestTerms(hands, seed, **terms), lines.append, seconds=sockets.seconds)
    for client in clients:
        sockets.join(table, client)
    assert table.gather(sockets)
    return table, sockets


def five(choose=lucky):
    """Five clients, each with its own chance."""
    return [Client(f"probe{n}", choose(n)) for n in range(5)]


def played(clients, **more):
    """Play a contest to its end: the hands."""
    table, sockets = contest(clients, **more)
    return list(table.play(sockets))
