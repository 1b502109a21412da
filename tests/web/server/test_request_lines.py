"""First lines, hosts and framing as RFC 9112 has them, over a real socket: what is refused is
answered as a problem document and ends the connection, and nothing is ever a 500."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from arena.web.api.fast_flask import Answer, FastFlask
from arena.web.api.middleware import WebMetrics, install_middleware
from arena.web.pages.problem import problem_page
from tests.web.fakes import ALICE
from tests.web.server.test_http_server import ANSWER, Running

TOKEN = f"Authorization: Bearer {ALICE}\r\n".encode()
LINES = b"Host: x\r\n" + TOKEN + b"Content-Type: application/json\r\n"
POST = b"POST /api/v1/turns/t1 HTTP/1.1\r\n" + LINES
NEXT = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")


@pytest.fixture
def running(app: Flask) -> Iterator[Running]:
    created = Running(app)
    yield created
    created.stop()


def statuses(answer: bytes) -> list[int]:
    return [int(status) for status in STATUS.findall(answer)]


def code(answer: bytes) -> str:
    found: str = json.loads(answer.rpartition(b"\r\n\r\n")[2])["code"]
    return found


def chunked(body: bytes, coding: bytes = b"chunked") -> bytes:
    return POST + b"Transfer-Encoding: " + coding + b"\r\n\r\n" + body


CHUNKS = b"d\r\n" + ANSWER + b"\r\n"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET http://elsewhere/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET HTTP://Elsewhere:80/healthz?x=%20 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n", 200),
        (b"\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", 200),
        (POST + b"Content-Length: 13\r\n\r\n" + ANSWER, 200),
        (chunked(CHUNKS + b"0\r\n\r\n"), 200),
        (chunked(CHUNKS + b"0\r\n\r\n", b"Chunked"), 200),
        (chunked(CHUNKS + b"0\r\n\r\n", b" CHUNKED\t"), 200),
        (chunked(b'D;name=value;x="y z"\r\n' + ANSWER + b"\r\n000\r\nX-Sum: 1\r\n\r\n"), 200),
    ],
)
def test_what_is_right_is_served_and_the_connection_kept(
    data: bytes, status: int, running: Running
) -> None:
    found = statuses(running.raw(data + NEXT))
    assert found[0] == status
    assert found[1:] == ([] if b"HTTP/1.0" in data else [200])


def test_an_empty_line_may_come_some_time_before_the_first_one(running: Running) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as sock:
        sock.sendall(b"\r\n")
        assert statuses(running.raw(NEXT)) == [200], "another one is served meanwhile"
        sock.sendall(NEXT)
        sock.shutdown(socket.SHUT_WR)
        assert statuses(b"".join(iter(lambda: sock.recv(65_536), b""))) == [200]


@pytest.mark.parametrize(
    "data",
    [
        b"GET ?x HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://me@x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz\rX HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a b/c?d\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: y\r\n folded\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\rX: y\r\n\r\n",
        POST + b"Content-Length: +13\r\n\r\n" + ANSWER,
        POST + b"Content-Length : 13\r\n\r\n" + ANSWER,
        POST + b"Content-Length: 1 3\r\n\r\n" + ANSWER,
        POST + b"Content-Length: 13\r\nContent-Length: 13\r\n\r\n" + ANSWER,
        POST + b"Content-Length: 13, 13\r\n\r\n" + ANSWER,
        POST + b"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS + b"0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 13\r\n\r\n" + CHUNKS + b"0\r\n\r\n",
        chunked(CHUNKS + b"0\r\n\r\n", b"chunked, chunked"),
        chunked(CHUNKS + b"0\r\n\r\n", b""),
        chunked(CHUNKS + b"0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0"),
        chunked(b"+d\r\n" + ANSWER + b"\r\n0\r\n\r\n"),
        chunked(b"0xd\r\n" + ANSWER + b"\r\n0\r\n\r\n"),
        chunked(b" d\r\n" + ANSWER + b"\r\n0\r\n\r\n"),
        chunked(b"d\n" + ANSWER + b"\n0\n\n"),
        chunked(b"d\r\n" + ANSWER + b"XX0\r\n\r\n"),
        chunked(b"f" * 16 + b"\r\n" + ANSWER),
        chunked(b"fffffffffffffff\r\n" + ANSWER),
        chunked(b"d;" + b"x" * 300 + b"\r\n" + ANSWER + b"\r\n0\r\n\r\n"),
        chunked(b"d;a\x00b\r\n" + ANSWER + b"\r\n0\r\n\r\n"),
        chunked(CHUNKS + b"0\r\n" + b"X: y\r\n" * 100 + b"\r\n"),
        chunked(CHUNKS + b"0\r\nX: " + b"y" * 2_000 + b"\r\n\r\n"),
        chunked(CHUNKS + b"0\r\nno field\r\n\r\n"),
        chunked(b"1\r\n \r\n" * 2_000 + b"0\r\n\r\n"),
    ],
)
def test_what_leaves_something_in_doubt_is_refused_and_ends_the_connection(
    data: bytes, running: Running
) -> None:
    answer = running.raw(data + NEXT)
    assert statuses(answer) == [400]
    assert b"\r\nConnection: close\r\n" in answer
    assert code(answer) == "bad_request"


@pytest.mark.parametrize("coding", [b"gzip", b"gzip, chunked", b"identity", b"chunkedx"])
def test_a_body_in_another_coding_is_not_understood(coding: bytes, running: Running) -> None:
    answer = running.raw(chunked(CHUNKS + b"0\r\n\r\n", coding) + NEXT)
    assert statuses(answer) == [501]
    assert b"\r\nConnection: close\r\n" in answer
    assert code(answer) == "not_implemented"


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        (b"get /healthz", 405, "method_not_allowed"),
        (b"Get /api/v1/turns", 405, "method_not_allowed"),
        (b"get /nowhere", 404, "no_route"),
        (b"BREW /healthz", 405, "method_not_allowed"),
        (b"OPTIONS *", 404, "no_route"),
        (b"OPTIONS http://x", 404, "no_route"),
        (b"OPTIONS /healthz", 405, "method_not_allowed"),
        (b"GET //healthz", 404, "no_route"),
    ],
)
def test_methods_and_paths_that_nobody_knows_keep_the_connection(
    line: bytes, status: int, told: str, running: Running
) -> None:
    answer = running.raw(line + b" HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT)
    assert statuses(answer) == [status, 200]
    first = answer.partition(b"HTTP/1.1 200")[0]
    assert code(first) == told
    assert (b"\r\nAllow: " in first) == (status == 405)


def test_a_target_that_names_a_host_is_for_that_host() -> None:
    def app(environ: dict[str, str], start_response: object) -> list[bytes]:
        start_response("200 OK", [])  # type: ignore[operator]
        return [f"{environ['HTTP_HOST']} {environ['PATH_INFO']}".encode()]

    running = Running(app)
    first = b"GET http://arena:80/a HTTP/1.1\r\nHost: other\r\n\r\n"
    second = b"GET /b HTTP/1.1\r\nHost: other\r\n\r\n"
    answer = running.raw(first + second)
    running.stop()
    assert b"arena:80 /a" in answer
    assert b"other /b" in answer


@pytest.mark.parametrize("path", ["", "?x", "healthz", "*"])
def test_the_app_itself_redirects_nobody(path: str, app: Flask) -> None:
    """Under another server, which lets such paths through."""
    result: list[str] = []
    environ = app.test_request_context("/").request.environ | {"PATH_INFO": path}
    body = b"".join(app(environ, lambda status, _: result.append(status)))  # type: ignore
    assert result == ["404 NOT FOUND"] or result == ["404 Not Found"]
    assert json.loads(body)["code"] == "no_route"


def test_no_error_of_werkzeugs_becomes_a_fault_of_ours() -> None:
    """Whatever a route or a view raises."""
    app = FastFlask("app")
    install_middleware(app, lambda: 0.0, WebMetrics(), access_log=False, problem_page=problem_page)
    raised: list[HTTPException] = []

    def view() -> Answer:
        raise raised[0]

    app.add_url_rule("/x/", "slash", view, strict_slashes=True)
    app.add_url_rule("/y", "y", view)
    client: FlaskClient = app.test_client()
    assert client.get("/x").status_code == 404  # Werkzeug would redirect to /x/
    for kind in HTTPException.__subclasses__():
        if (kind.code or 0) < 400:
            continue
        raised[:] = [kind()]
        assert client.get("/y").mimetype == "application/problem+json", kind
    raised[:] = [RequestRedirect("http://elsewhere/")]
    assert client.get("/y").status_code == 404
