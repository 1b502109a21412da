"""A home that breaks off in the middle of an answer: nobody takes a part for the whole."""

from __future__ import annotations

import pytest

from tests.cluster.raw_peer import Answering, Peer
from tests.web.routing.pair import Pair

pytestmark = pytest.mark.slow
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CUT = HEAD + b"Content-Length: 900\r\n\r\n{"
CUT_STREAM = HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n5\r\nda"
HUNG_UP = b""


def elm_is(two: Pair, answering: Answering) -> Peer:
    """Something else listens where elm should."""
    peer = Peer(answering)
    two.ash.homes.addresses["elm"] = peer.address
    return peer


def gone(two: Pair, peer: Peer) -> None:
    """Close the connections that are kept, then it."""
    two.ash.router.stop(drain_s=0)
    peer.close()


@pytest.mark.parametrize("broken", [CUT, HUNG_UP, b"HTTP/1.1 2"])
def test_what_may_be_repeated_is_asked_of_the_next_home(two: Pair, broken: bytes) -> None:
    two.start("cup", two.ash)
    number, turn = two.turn_at(two.ash)
    peer = elm_is(two, lambda head, number: broken)
    two.ash.homes.on_move = lambda: two.homes.update(cup="ash")
    client = two.ash.client(two.tokens[number])
    for method, path, status in (
        ("GET", "/api/v1/sessions/cup", 200),
        ("HEAD", "/api/v1/tables/cup-r01-t01", 200),
        ("POST", f"/api/v1/turns/{turn}", 200),
        ("DELETE", "/api/v1/sessions/cup/entry", 200),
    ):
        two.homes["cup"] = "elm"
        body = {"json": {"choice": 0}} if method == "POST" else {}
        assert client.open(path, method=method, **body).status_code == status
    assert [head.partition(b" ")[0] for head in peer.heads] == [b"GET", b"HEAD", b"POST", b"DELETE"]
    gone(two, peer)


def test_what_is_new_here_does_not_break_off_a_long_answer(two: Pair) -> None:
    two.start("cup", two.elm)
    body = b"x" * 8_000_000
    peer = elm_is(two, lambda head, number: HEAD + b"Content-Length: 8000000\r\n\r\n" + body)
    reply = two.ash.client(two.tokens[0]).get("/api/v1/turns?wait=5", buffered=False)
    bell, topic = two.ash.referee.bell, f"bot:{two.ids[0]}"
    assert bell.has_listener(topic)
    bell.ring(topic)
    bell.release(topic)
    assert b"".join(reply.response) == body
    reply.close()
    assert not bell.has_listener(topic)
    gone(two, peer)


def test_what_may_have_been_done_is_not_done_again(two: Pair) -> None:
    two.start("cup", two.ash)
    two.homes["cup"] = "elm"
    two.ash.homes.on_move = lambda: two.homes.update(cup="ash")
    peer = elm_is(two, lambda head, number: HUNG_UP)
    reply = two.ash.client(two.admin).post("/api/v1/sessions/cup/pause")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
    assert two.ash.referee.queries.session("cup")["status"] == "running"
    assert len(peer.heads) == 1
    gone(two, peer)


def test_what_surely_was_not_done_is_asked_again(two: Pair) -> None:
    two.start("cup", two.ash)
    two.homes["cup"] = "elm"
    two.ash.homes.on_move = lambda: two.homes.update(cup="ash")
    body = b'{"code":"unavailable"}'
    not_home = f"HTTP/1.1 503 -\r\nArena-Not-Home: cup\r\nContent-Length: {len(body)}\r\n\r\n"
    peer = elm_is(two, lambda head, number: not_home.encode() + body)
    reply = two.ash.client(two.admin).post("/api/v1/sessions/cup/pause")
    assert reply.json is not None
    assert reply.json["status"] == "paused"
    gone(two, peer)


def test_a_stream_that_breaks_off_does_not_end_as_if_it_were_over(two: Pair) -> None:
    two.start("cup", two.ash)
    two.homes["cup"] = "elm"
    peer = elm_is(two, lambda head, number: CUT_STREAM)
    peer.hangs_up = True
    reply = two.ash.client().get("/api/v1/stream?session=cup", buffered=False)
    pieces = iter(reply.response)
    assert next(pieces) == b":\n\n"
    assert next(pieces) == b"da"
    with pytest.raises(BrokenPipeError):
        next(pieces)
    reply.close()
    assert two.ash.homes.lost == ["elm"]
    gone(two, peer)


def test_a_home_that_stops_leaves_its_bots_to_the_next_one(two: Pair) -> None:
    """It says 503, and the session is elsewhere already."""
    two.start("cup", two.ash)
    number, turn = two.turn_at(two.ash)
    two.homes["cup"] = "elm"

    def stopping(head: bytes, count: int) -> bytes:
        two.homes["cup"] = "ash"
        return b"HTTP/1.1 503 -\r\nContent-Length: 2\r\n\r\n{}"

    peer = elm_is(two, stopping)
    reply = two.ash.client(two.tokens[number]).get("/api/v1/turns?wait=20")
    assert reply.json is not None
    assert [each["turn"] for each in reply.json["turns"]] == [turn]
    gone(two, peer)


def test_a_token_and_a_secret_are_in_no_log_of_a_failure(
    two: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    two.start("cup", two.ash)
    two.homes["cup"] = "elm"
    peer = elm_is(two, lambda head, number: b"HTTP/1.1 2 " + head)
    reply = two.ash.client(two.tokens[0]).get(f"/api/v1/sessions/cup?token={two.tokens[0]}")
    assert reply.status_code == 503
    assert "arena.web.routing" in {record.name for record in caplog.records}
    for secret in (two.tokens[0], two.ash.homes.secret):
        assert secret not in caplog.text
        assert secret not in reply.text
    gone(two, peer)
