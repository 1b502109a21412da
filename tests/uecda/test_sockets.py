"""Real connections: who gets a seat, what is closed, and messages that are never cut."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import closing, contextmanager
from itertools import accumulate

import pytest

from arena.errors import BadInput
from arena.uecda import sockets as module
from arena.uecda.contest import Contest, ContestTerms
from arena.uecda.greeting import Greeting, client_name, distinct
from arena.uecda.seat import ClientSeat
from arena.uecda.sockets import SEGMENT_BYTES, ClientPatience, ClientSockets, ListeningPort, listen
from tests.uecda.clients import Client, lucky, profile, table, wild
from tests.uecda.model import Model

pytestmark = pytest.mark.slow
ENDS_S = 30.0
RESET = struct.pack("ii", 1, 0)


class Clock:
    """A time that only tests move on."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


class Place:
    """A port with seats for five, served while a test pumps."""

    def __init__(self, **patience):
        self.clock, self.said, self.seats = Clock(), [], []
        self.listener = listen("127.0.0.1", 0)
        self.address = self.listener.getsockname()
        self.sockets = ClientSockets(
            [ListeningPort(self.listener, self.admit)],
            self.said.append,
            patience=ClientPatience(**patience),
            seconds=self.clock,
        )

    def admit(self, name):
        if len(self.seats) == 5:
            return None
        self.seats.append(ClientSeat(len(self.seats)))
        return self.seats[-1]

    def connect(self, data=b""):
        """A connection that has sent some bytes."""
        peer = socket.create_connection(self.address, timeout=ENDS_S)
        peer.sendall(data)
        return peer

    def pump_until(self, done):
        """Serve until something holds."""
        for _ in range(2000):
            if done():
                return
            self.sockets.pump(0.05)
        raise AssertionError("it never came to that")


@contextmanager
def place(**patience):
    """A place that is closed in the end."""
    own = Place(**patience)
    with closing(own.sockets):
        yield own


def is_closed(peer):
    """Has the other side closed, without a byte before?"""
    peer.settimeout(0)
    try:
        return peer.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_a_profile_gets_a_number_at_once_in_any_pieces_and_in_the_order_of_profiles() -> None:
    with place() as own, own.connect(profile()[:300]) as first, own.connect(profile()) as second:
        own.pump_until(lambda: own.seats)
        assert second.recv(100) == struct.pack(">I", 0)
        first.sendall(profile()[300:])
        own.pump_until(lambda: len(own.seats) == 2)
        assert first.recv(100) == struct.pack(">I", 1)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        profile(version=20060),
        profile(version=20140),
        profile()[:4][::-1] + profile()[4:],
        bytes(range(256)) * 256,
    ],
    ids=["http", "20060", "20140", "little-endian", "noise"],
)
def test_what_is_no_profile_of_ours_is_closed_and_takes_no_seat(data) -> None:
    with place() as own, own.connect() as stranger:
        stranger.settimeout(None)
        threading.Thread(target=send_anyway, args=(stranger, data)).start()
        own.pump_until(lambda: is_closed(stranger))
        assert own.seats == []


def send_anyway(peer, data):
    """Send, though the other side may close meanwhile."""
    try:
        peer.sendall(data)
    except OSError:
        return


@pytest.mark.parametrize("data", [b"", profile()[:3], profile()[:479]], ids=len)
def test_who_says_too_little_in_time_is_closed_and_takes_no_seat(data) -> None:
    with place(hello_s=10.0) as own, own.connect(data) as stranger:
        own.sockets.pump(0.5)
        own.clock.now_s += 9.9
        own.sockets.pump(0.05)
        assert not is_closed(stranger)
        own.clock.now_s += 0.2
        own.pump_until(lambda: is_closed(stranger))
        assert own.seats == []


def test_a_full_table_closes_the_next_one_at_once() -> None:
    with place() as own:
        peers = [own.connect(profile()) for _ in range(5)]
        own.pump_until(lambda: len(own.seats) == 5)
        with own.connect(profile()) as sixth:
            own.pump_until(lambda: is_closed(sixth))
        for peer in peers:
            peer.close()


def test_of_many_that_say_nothing_the_oldest_go(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_STRANGERS", 3)
    with place() as own:
        peers = [own.connect() for _ in range(5)]
        own.pump_until(lambda: sum(map(is_closed, peers)) >= 2)
        assert [is_closed(peer) for peer in peers[2:]] == [False] * 3
        for peer in peers:
            peer.close()


@pytest.mark.parametrize("way", ["closed", "half", "reset"])
def test_a_connection_that_ends_leaves_its_seat_absent(way) -> None:
    with place() as own, own.connect(profile()) as peer:
        own.pump_until(lambda: own.seats)
        if way == "half":
            peer.shutdown(socket.SHUT_WR)
        else:
            if way == "reset":
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            peer.close()
        own.pump_until(lambda: own.seats[0].is_absent)
        assert own.said[-1].startswith("player 0 has gone: ")


def test_a_client_that_sends_without_end_is_closed() -> None:
    with place() as own, own.connect(profile()) as peer:
        own.pump_until(lambda: own.seats)
        threading.Thread(target=send_anyway, args=(peer, table() * 100)).start()
        own.pump_until(lambda: own.seats[0].is_absent)
        assert own.said == ["player 0 has gone: it sends what nobody has asked for"]


def test_a_client_that_never_reads_is_closed_and_nobody_waits_for_it() -> None:
    with place(behind_bytes=1_000_000) as own, own.connect(profile()) as peer:
        own.pump_until(lambda: own.seats)
        seat = own.seats[0]
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        while not seat.is_absent:
            for _ in range(1000):
                seat._send(table())
            own.sockets.flush([seat])
            own.sockets.pump(0)
        assert own.said[-1].endswith("1,000,000 bytes behind")


def test_a_client_that_stays_behind_is_closed() -> None:
    with place(behind_s=30.0) as own, own.connect(profile()) as peer:
        own.pump_until(lambda: own.seats)
        own.sockets.pump(0)
        own.seats[0].give_up()
        own.clock.now_s += 29
        own.sockets.pump(0)
        assert not own.seats[0].is_absent
        own.clock.now_s += 2
        own.sockets.pump(0)
        assert own.said == ["player 0 has gone: it is 30 s behind"]
        peer.close()


def test_who_stays_after_the_last_message_is_closed_after_a_moment() -> None:
    with place() as own, own.connect(profile()) as peer:
        own.pump_until(lambda: own.seats)
        own.seats[0].is_over = True
        own.sockets.flush(own.seats)
        own.sockets.pump(0)
        assert not own.seats[0].is_absent
        assert peer.recv(10) == struct.pack(">I", 0)
        own.clock.now_s += module.LINGER_S + 0.1
        own.sockets.pump(0)
        peer.settimeout(ENDS_S)
        assert peer.recv(10) == b""
        assert own.sockets._connections == {}
        assert own.said == []


class Recorded:
    """Stands in for a socket: remembers the pieces that it was given."""

    def __init__(self):
        self.pieces = []

    def setblocking(self, flag):
        pass

    def setsockopt(self, *option):
        pass

    def send(self, data):
        self.pieces.append(bytes(data))
        return len(data)


def test_messages_are_put_together_but_never_cut(monkeypatch) -> None:
    monkeypatch.setattr(module, "_is_writable", lambda peer: True)
    peer = Recorded()
    connection = module.Connection(peer, "", 0.0, lambda name: None)
    messages = [bytes([n]) * size for n, size in enumerate([4, 480, 4, 480, 480, 4, 480] * 3)]
    connection.send(messages)
    assert b"".join(peer.pieces) == b"".join(messages)
    assert max(map(len, peer.pieces)) <= SEGMENT_BYTES
    ends = {sum(map(len, messages[:n])) for n in range(len(messages) + 1)}
    sent = [sum(map(len, peer.pieces[:n])) for n in range(len(peer.pieces) + 1)]
    assert set(sent) <= ends


def test_a_port_that_is_taken_is_said_with_the_reason() -> None:
    with (
        listen("127.0.0.1", 0) as taken,
        pytest.raises(BadInput, match=r"address is '127\.0\.0\.1:\d+'; expected a free one"),
    ):
        listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("codes", "name"),
    [
        (b"okada", "okada"),
        (b"", "uecda"),
        (b"a b\x7f\x01", "a_b__"),
        ([0x3042, 200, 65], "__A"),
        ([2**32 - 1], "_"),
    ],
)
def test_names_are_printable_and_never_empty(codes, name) -> None:
    assert client_name(codes) == name


def test_equal_names_are_numbered() -> None:
    assert distinct("a", ["a", "a-2"]) == "a-3"


def test_a_wrong_version_is_seen_with_its_fourth_byte() -> None:
    greeting = Greeting()
    greeting.receive(b"GET")
    with pytest.raises(BadInput, match="version is 1195725856; expected 20070"):
        greeting.receive(b" ")


class Thread(threading.Thread):
    """A client on a connection of its own."""

    def __init__(self, address, client, *, most=None):
        """most: so many bytes are sent, then the connection is reset."""
        super().__init__(daemon=True)
        self.peer = socket.create_connection(address, timeout=ENDS_S)
        self.client, self.most, self.sizes = client, most, []
        self.peer.sendall(client.sent())

    def run(self):
        with self.peer:
            while data := self.peer.recv(1 << 16):
                self.sizes.append(len(data))
                try:
                    self.peer.sendall(self.client.receive(data))
                except (BrokenPipeError, ConnectionResetError):
                    return  # the contest has ended, and wants no answer to its last message
                if self.most and len(self.client.up) >= self.most:
                    self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    return


def session(clients, *, hands, seed, most=()):
    """A whole session over connections: the contest, its hands and the threads."""
    with closing(listen("127.0.0.1", 0)) as listener:
        said = []
        contest = Contest(ContestTerms(hands, seed), said.append)
        own = ClientSockets([ListeningPort(listener, contest.admit)], said.append)
        threads = []
        for number, client in enumerate(clients):
            limit = dict(most).get(number)
            threads.append(Thread(listener.getsockname(), client, most=limit))
            while len(contest.players) == number:
                own.pump(0.05)
            threads[-1].start()
        assert contest.gather(own)
        played = list(contest.play(own))
        own.finish()
        for thread in threads:
            thread.join(ENDS_S)
            assert not thread.is_alive()
    return contest, played, threads


def test_a_session_over_connections_is_as_described_and_every_client_reads_its_end() -> None:
    clients = [Client(f"probe{n}", (lucky, wild)[n % 2](n)) for n in range(5)]
    _, hands, threads = session(clients, hands=3, seed=3)
    model = Model([c.down for c in clients], [c.up for c in clients], hands=3)
    assert (model.run().mismatches, len(hands)) == ([], 3)
    assert [c.ended for c in clients] == [2] * 5
    for thread, stream in zip(threads, model.down, strict=True):
        assert set(accumulate(thread.sizes)) <= stream.ends


@pytest.mark.parametrize("tables", [2, 6, 14, 20])
def test_a_reset_in_any_phase_costs_the_others_nothing(tables: int) -> None:
    clients = [Client(f"probe{n}", lucky(n)) for n in range(5)]
    contest, hands, _ = session(clients, hands=2, seed=4, most=[(1, tables * 480)])
    assert len(hands) == 2
    assert [c.ended for c in clients] == [2, None, 2, 2, 2]
    assert contest.players[1].seat.has_left_early
