"""Our client on real sockets: a session, and servers that end one before its time."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import closing, contextmanager

import pytest

from arena.errors import BadInput, Unavailable
from arena.uecda import client_connection as module
from arena.uecda.client import BotClient
from arena.uecda.client_connection import connect, play_session
from arena.uecda.contest import Contest, ContestTerms
from arena.uecda.sockets import ClientSockets, ListeningPort, listen
from tests.uecda.bots import LOWEST, RANDOM, RULES, bots

pytestmark = pytest.mark.slow
ENDS_S = 30.0
PROFILE = 480
RESET = struct.pack("ii", 1, 0)
NUMBER = struct.pack(">I", 3)
START = struct.pack(
    ">120I", *[0] * 75, 1, *[0] * 14, *[11, 11, 11, 10, 10], *[0] * 5, *range(5), *[0] * 15
)


def fresh(n=0):
    return BotClient(bots(*[RANDOM if n % 2 else LOWEST])[0], RULES, name=f"bot{n}", hands=3)


def test_five_clients_play_a_session_over_sockets() -> None:
    listener = listen("127.0.0.1", 0)
    clients = [fresh(n) for n in range(5)]
    contest = Contest(ContestTerms(3, 1), lambda line: None)
    ports = [ListeningPort(listener, contest.admit)]
    address = listener.getsockname()
    threads = [
        threading.Thread(
            target=lambda client: play_session(connect(*address), client, silence_s=ENDS_S),
            args=(client,),
            daemon=True,
        )
        for client in clients
    ]
    with closing(ClientSockets(ports, lambda line: None)) as sockets:
        for thread in threads:
            thread.start()
        assert contest.gather(sockets)
        finishes = [
            tuple(contest_names(contest).index(bot) for bot in hand.result.bots)
            for hand in contest.play(sockets)
        ]
        sockets.finish()
    for thread, client in zip(threads, clients, strict=True):
        thread.join(ENDS_S)
        assert client.is_over
        assert client.report.finishes == finishes
        assert (client.report.refused, client.report.differing) == (0, 0)


def contest_names(contest):
    return [player.name for player in contest.players]


@contextmanager
def server(act):
    """A server that takes one client, reads its profile and then acts on the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            peer, _ = listener.accept()
            with peer:
                peer.recv(PROFILE, socket.MSG_WAITALL)
                act(peer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()
        thread.join(ENDS_S)


def close_with(data):
    return lambda peer: peer.sendall(data)


def reset(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


ENDINGS = {
    "the server has closed the connection, before it has given a player number": close_with(b""),
    "the server has closed the connection, before the first hand": close_with(NUMBER),
    "the server has closed the connection, in hand 1": close_with(NUMBER + START + b"half"),
    "the connection to the server has broken": reset,
    "no message of UECda's protocol, before it has given a player number: player number is": (
        close_with(b"SSH-2.0-OpenSSH_9.2\r\n")
    ),
    "no message of UECda's protocol, before the first hand: cell": close_with(NUMBER + bytes(480)),
}


@pytest.mark.parametrize("said", ENDINGS)
def test_a_server_that_ends_a_session_early_is_one_sentence(said: str) -> None:
    with server(ENDINGS[said]) as address, pytest.raises(Unavailable, match=said):
        play_session(connect(*address), fresh(), silence_s=ENDS_S)


def test_a_server_that_is_silent_in_a_session_is_left(monkeypatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    left = threading.Event()

    def be_silent(peer):
        peer.sendall(NUMBER + START)
        left.wait(ENDS_S)

    times = iter(range(0, 100_000, 500))
    with server(be_silent) as address:
        with pytest.raises(Unavailable, match="has said nothing for 600 s, in hand 1"):
            play_session(connect(*address), fresh(), silence_s=600, seconds=lambda: next(times))
        left.set()


def test_before_the_first_hand_a_server_may_take_as_long_as_it_likes(monkeypatch) -> None:
    """Others may have to come first."""
    monkeypatch.setattr(module, "LOOK_S", 0.01)

    def wait(peer):
        peer.sendall(NUMBER)
        threading.Event().wait(0.1)

    times = iter(range(0, 100_000, 500))
    with server(wait) as address, pytest.raises(Unavailable, match="closed the connection"):
        play_session(connect(*address), fresh(), silence_s=1, seconds=lambda: next(times))


def test_where_nobody_listens_there_is_nothing_to_play() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(BadInput, match=f"server is '127.0.0.1:{port}'; expected one that answers"):
        connect("127.0.0.1", port)
