"""Good requests, damaged at random, over a raw socket: never a 500, never a hanging server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.web.fakes import ALICE
from tests.web.server.test_http_server import Running

pytestmark = pytest.mark.slow

TOKEN = f"Authorization: Bearer {ALICE}\r\n".encode()
JSON = b"Host: x\r\nContent-Type: application/json\r\n"
GOOD = (
    b"GET /api/v1/turns?wait=0 HTTP/1.1\r\nHost: x\r\n" + TOKEN + b"\r\n",
    b"GET /api/v1/hands/h1/events?after=3 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /api/v1/turns/t1 HTTP/1.1\r\n"
    + JSON
    + TOKEN
    + b'Content-Length: 13\r\n\r\n{"pass":true}',
    b"POST /api/v1/turns HTTP/1.1\r\n"
    + JSON
    + TOKEN
    + b'Transfer-Encoding: chunked\r\n\r\ne\r\n{"answers":[]}\r\n0\r\n\r\n',
    b"PUT /api/v1/sessions/cup/entry HTTP/1.1\r\nHost: x\r\n" + TOKEN + b"\r\n",
    b"HEAD /api/v1 HTTP/1.0\r\n\r\n",
)
PIECES = st.sampled_from([b"\r\n", b"\n", b"\0", b":", b" ", b"\xff", b"9" * 30, b"%", b"{", b"\r"])
STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """One or two good requests with some bytes cut out, put in, or written over."""
    data = b"".join(draw(st.lists(st.sampled_from(GOOD), min_size=1, max_size=2)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        piece = draw(PIECES | st.binary(max_size=6))
        data = data[:at] + piece + data[at + draw(st.integers(0, 20)) :]
    return data


@pytest.fixture(scope="module")
def app_of_module() -> Flask:
    from arena.settings import Settings
    from arena.web.app import create_app
    from tests.web.fakes import FakeClock, FakeReferee

    clock = FakeClock()
    return create_app(FakeReferee(clock), Settings(requests_per_s=0), monotonic=clock)


@pytest.fixture(scope="module")
def running(app_of_module: Flask) -> Iterator[Running]:
    created = Running(app_of_module)
    yield created
    created.stop()


@seed(11)
@settings(
    max_examples=300,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=damaged())
def test_damaged_requests_are_answered_or_refused(running: Running, data: bytes) -> None:
    answer = running.raw(data)
    statuses = [int(status) for status in STATUS.findall(answer)]
    assert not answer or statuses
    assert all(status < 500 or status == 501 for status in statuses), answer[:200]


def test_the_server_is_as_good_as_new_afterwards(running: Running) -> None:
    assert running.server.busy == 0
    assert all(STATUS.match(running.raw(good)) for good in GOOD)
