"""HTTP to other referees: over connections that are kept, with limits of time, and no surprises."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.cluster import peers as peers_module
from arena.cluster.peers import Cancellation, PeerRequest, Peers, PeerUnreachable
from arena.errors import BadInput
from tests.cluster.raw_peer import SHORT, Answering, Peer, request_of


@contextmanager
def peer(answering: Answering = lambda head, number: SHORT) -> Iterator[tuple[Peer, Peers]]:
    """Something that listens, called `elm`, and the way to it."""
    listening = Peer(answering)
    peers = Peers(
        lambda name: listening.address if name == "elm" else None, lambda: "s3cret", "ash"
    )
    try:
        yield listening, peers
    finally:
        peers.close()
        listening.close()


def test_a_request_goes_over_a_kept_connection_and_shows_who_sends_it() -> None:
    with peer() as (elm, peers):
        for _ in range(3):
            request = PeerRequest("POST", "/turns?wait=1", (("Host", "x"),), b"{}")
            assert peers.send("elm", request).read() == b"ok"
        assert elm.connections == 1
        assert elm.heads[0] == (
            b"POST /turns?wait=1 HTTP/1.1\r\nHost: x\r\nArena-Cluster-Secret: s3cret\r\n"
            b"Arena-Hop: ash\r\nContent-Length: 2\r\n\r\n{}"
        )


def test_a_connection_that_the_other_side_closed_meanwhile_is_opened_anew() -> None:
    closing = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    with peer(lambda head, number: closing) as (elm, peers):
        for _ in range(2):
            assert peers.send("elm", PeerRequest("GET", "/")).read() == b"ok"
        assert elm.connections == 2


def test_answers_in_chunks_come_as_they_are_sent() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"
    with peer(lambda head, number: chunked) as (elm, peers):
        response = peers.send("elm", PeerRequest("GET", "/"))
        assert response.length is None
        assert b"".join(response.pieces()) == b"abc"
        assert peers.send("elm", PeerRequest("GET", "/")).read() == b"abc"
        assert elm.connections == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"no HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok",
    ],
)
def test_an_answer_that_breaks_off_is_none(broken: bytes) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def serve() -> None:
        sock, _ = listener.accept()
        with sock:
            request_of(sock)
            sock.sendall(broken)

    thread = threading.Thread(target=serve)
    thread.start()
    peers = Peers(lambda name: address, lambda: "s3cret", "ash")
    with pytest.raises(PeerUnreachable) as caught:
        peers.send("elm", PeerRequest("GET", "/")).read()
    assert caught.value.sent
    thread.join(60)
    listener.close()
    peers.close()


def test_who_cannot_be_reached_is_not_tried_again_for_a_moment() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.close()
    now_s = [100.0]
    peers = Peers(lambda name: address, lambda: "", "ash", monotonic=lambda: now_s[0])
    reasons = []
    for passed_s in (0.0, 0.4, 0.2):
        now_s[0] += passed_s
        with pytest.raises(PeerUnreachable) as caught:
            peers.send("elm", PeerRequest("GET", "/"))
        assert not caught.value.sent
        reasons.append(caught.value.reason)
    assert reasons == ["Connection refused", "it was away a moment ago", "Connection refused"]


def test_a_referee_that_is_not_there_is_unreachable() -> None:
    with peer() as (_, peers), pytest.raises(PeerUnreachable, match="it is not there"):
        peers.send("oak", PeerRequest("GET", "/"))


@pytest.mark.parametrize(
    "address", ["http://10.0.0.5:99999", "http://[::1", "http://a..b:8701", "nonsense", ""]
)
def test_a_referee_whose_address_is_none_is_unreachable(address: str) -> None:
    """As a row that somebody has edited, or a setting that reads like one."""
    peers = Peers(lambda name: address, lambda: "s3cret", "ash")
    with pytest.raises(PeerUnreachable) as caught:
        peers.send("elm", PeerRequest("GET", "/"))
    assert not caught.value.sent
    with pytest.raises(PeerUnreachable):
        peers.hello(address)


def test_one_who_waits_for_an_answer_can_be_called_back() -> None:
    with peer(lambda head, number: None) as (elm, peers):
        cancellation = Cancellation()
        request = PeerRequest("GET", "/", answer_s=60.0, cancellation=cancellation)
        failed: list[PeerUnreachable] = []

        def ask() -> None:
            try:
                peers.send("elm", request)
            except PeerUnreachable as error:
                failed.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        while not elm.heads:
            threading.Event().wait(0.005)
        cancellation.cancel()
        thread.join(60)
        assert len(failed) == 1
        assert elm.hung_up.wait(60), "the other side is told"
        with pytest.raises(PeerUnreachable):
            peers.send("elm", request)
        assert len(elm.heads) == 1, "what was called back before is not sent at all"


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    with peer(lambda head, number: None) as (elm, peers):
        with pytest.raises(PeerUnreachable, match="timed out") as caught:
            peers.send("elm", PeerRequest("GET", "/", answer_s=0.01))
        assert caught.value.sent
        assert elm.hung_up.wait(60)


def test_a_head_that_would_be_two_is_never_sent() -> None:
    with peer() as (elm, peers):
        with pytest.raises(ValueError, match="line break"):
            peers.send("elm", PeerRequest("GET", "/", (("X-A", "b\r\nArena-Hop: oak"),)))
        with pytest.raises(ValueError, match="space"):
            peers.send("elm", PeerRequest("GET", "/a HTTP/1.1"))
        assert elm.heads == []


def test_few_connections_are_kept_and_none_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers_module, "KEPT", 1)
    now_s = [100.0]
    with peer() as (elm, _):
        peers = Peers(lambda name: elm.address, lambda: "s", "ash", monotonic=lambda: now_s[0])
        both = [peers.send("elm", PeerRequest("GET", "/")) for _ in range(2)]
        assert [response.read() for response in both] == [b"ok", b"ok"]
        peers.send("elm", PeerRequest("GET", "/")).read()
        assert elm.connections == 2, "one of them was kept"
        now_s[0] += 61.0
        peers.send("elm", PeerRequest("GET", "/")).read()
        assert elm.connections == 3
        peers.close()


def test_what_was_kept_for_a_referee_that_has_died_is_closed() -> None:
    with peer() as (elm, peers):
        peers.send("elm", PeerRequest("GET", "/")).read()
        peers.hang_up("elm")
        assert elm.left.wait(60), "its other side sees the end"
        peers.send("elm", PeerRequest("GET", "/")).read()
        assert elm.connections == 2


def test_what_was_kept_for_a_referee_is_closed_when_it_listens_elsewhere() -> None:
    before, now = Peer(lambda head, number: SHORT), Peer(lambda head, number: SHORT)
    addresses = [before.address]
    peers = Peers(lambda name: addresses[-1], lambda: "s3cret", "ash")
    both = [peers.send("elm", PeerRequest("GET", "/")) for _ in range(2)]
    assert [response.read() for response in both] == [b"ok", b"ok"]
    addresses.append(now.address)
    both = [peers.send("elm", PeerRequest("GET", "/")) for _ in range(2)]
    assert [response.read() for response in both] == [b"ok", b"ok"]
    assert (before.connections, now.connections) == (2, 2)
    before.close()  # it waits until both connections to it have ended
    peers.close()
    now.close()


def test_a_referee_says_its_name_to_who_knows_the_secret() -> None:
    def answer(status: str, body: bytes) -> Answering:
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        return lambda _, number: head + body

    with peer(answer("200 OK", b'{"name":"elm"}')) as (elm, peers):
        assert peers.hello(elm.address) == "elm"
    with (
        peer(answer("403 Forbidden", b"{}")) as (elm, peers),
        pytest.raises(BadInput, match="cluster_secret") as caught,
    ):
        peers.hello(elm.address)
    assert "s3cret" not in str(caught.value)
    with (
        peer(answer("200 OK", b"<html>")) as (elm, peers),
        pytest.raises(PeerUnreachable, match="no referee"),
    ):
        peers.hello(elm.address)
