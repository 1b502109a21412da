"""gzip: for whom it is, what it costs, what is never compressed."""

from __future__ import annotations

import gzip
import threading
import time
import zlib
from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.pacing import Pacer
from arena.settings import Settings
from arena.web.api import compression
from arena.web.api.compression import LEAST_BYTES, MOST_BYTES, PIECE, Compression, packed
from arena.web.api.endpoints import Scope
from arena.web.app import route_tables
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.server.test_http_server import Running

GZIP = {"Accept-Encoding": "gzip"}
API = "/api/v1"


class Begun:
    """Counts how often something is compressed."""

    def __init__(self) -> None:
        self.count = 0
        self._begin = zlib.compressobj

    def __call__(self, *given: int) -> object:
        self.count += 1
        return self._begin(*given)


@pytest.fixture
def begun() -> Iterator[Begun]:
    counter = Begun()
    with mock.patch.object(compression.zlib, "compressobj", counter):
        yield counter


@given(st.binary(max_size=3 * PIECE), st.integers(1, 9))
def test_what_is_compressed_comes_back(body: bytes, level: int) -> None:
    assert gzip.decompress(b"".join(packed((body,), Pacer().work(), level=level))) == body


def test_long_bodies_are_compressed_in_pieces_that_rest() -> None:
    now, rests = [0.0], list[float]()

    def rest(seconds: float) -> None:
        rests.append(seconds)
        now[0] += seconds

    def monotonic() -> float:
        now[0] += 0.001
        return now[0]

    pacer = Pacer(0.1, monotonic=monotonic, rest=rest)
    body = bytes(range(256)) * (10 * PIECE // 256)
    assert gzip.decompress(Compression(pacer)(body, "")) == body
    assert len(rests) == 10


def test_what_has_a_tag_is_compressed_once_and_what_has_none_each_time(begun: Begun) -> None:
    compress = Compression(Pacer())
    body = b"daifugo " * 1_000
    assert compress(body, '"a"') is compress(body, '"a"')
    assert begun.count == 1
    assert compress(body, "") == compress(body, "")
    assert begun.count == 3


def test_of_two_who_want_the_same_page_at_once_the_second_waits(begun: Begun) -> None:
    body, found, together = b"daifugo " * 10_000, list[bytes](), threading.Barrier(2)
    compress = Compression(Pacer(0.5, rest=time.sleep))

    def ask() -> None:
        together.wait()
        found.append(compress(body, '"a"'))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(found), len(set(found)), begun.count) == (2, 1, 1)


def test_what_was_not_used_for_longest_is_dropped(begun: Begun) -> None:
    compress = Compression(Pacer())
    size = len(Compression(Pacer())(b"x" * 40_000, "x"))
    begun.count = 0
    with mock.patch.object(compression, "MOST_BYTES", 2 * size + size // 2):
        for tag in ("a", "b", "a"):
            compress(tag.encode() * 40_000, tag)
        compress(b"c" * 40_000, "c")
        assert begun.count == 3
        compress(b"a" * 40_000, "a")
        assert begun.count == 3
        compress(b"b" * 40_000, "b")
        assert begun.count == 4
    assert MOST_BYTES < 10**7


@pytest.fixture(scope="module")
def real() -> Real:
    created = Real()
    created.session(4)
    return created


@pytest.mark.parametrize("path", ["/sessions/cup", "/openapi.json", "/manual/ratings"])
def test_what_is_kept_comes_compressed_to_those_who_read_it(path: str, real: Real) -> None:
    plain, zipped = real.anybody.get(path), real.anybody.get(path, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.data) == plain.data
    assert len(zipped.data) < len(plain.data) / 2
    assert zipped.headers["ETag"] == "W/" + plain.headers["ETag"]
    for response in (plain, zipped):
        assert "Accept-Encoding" in response.headers["Vary"]


def test_a_stylesheet_is_compressed_and_kept_for_ever(real: Real) -> None:
    page = real.anybody.get("/").text
    path = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    response = real.anybody.get(path, headers=GZIP)
    assert response.headers["Content-Encoding"] == "gzip"
    assert "immutable" in response.headers["Cache-Control"]
    again = real.anybody.get(path, headers={**GZIP, "If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Cache-Control"] == response.headers["Cache-Control"]


@pytest.mark.parametrize("encoding", [{}, GZIP])
def test_who_has_a_page_in_either_form_gets_a_304(encoding: dict[str, str], real: Real) -> None:
    tag = real.anybody.get("/sessions/cup").headers["ETag"]
    own = real.anybody.get("/sessions/cup", headers=encoding).headers["ETag"]
    for known in (tag, f"W/{tag}", "*", f'"x", W/{tag}'):
        again = real.anybody.get("/sessions/cup", headers={**encoding, "If-None-Match": known})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == own
        assert again.headers["Vary"] == "Accept-Encoding"
        assert "Content-Encoding" not in again.headers
    other = real.anybody.get("/sessions/cup", headers={**encoding, "If-None-Match": '"other"'})
    assert other.status_code == 200


def test_a_page_is_compressed_once_however_many_ask(begun: Begun) -> None:
    real = Real()
    real.session(4)
    sizes = {len(real.anybody.get("/sessions/cup", headers=GZIP).data) for _ in range(20)}
    assert (len(sizes), begun.count) == (1, 1)


def test_head_says_of_compressed_bytes_what_get_says(real: Real) -> None:
    for path in ("/sessions/cup", f"{API}/sessions/cup/standings"):
        got, head = (call(path, headers=GZIP) for call in (real.anybody.get, real.anybody.head))
        assert head.data == b""
        assert int(head.headers["Content-Length"]) == len(got.data)
        for name in ("Content-Encoding", "ETag", "Vary", "Content-Type"):
            assert head.headers.get(name) == got.headers.get(name)


def test_there_are_no_ranges_of_a_page_compressed_or_not(real: Real) -> None:
    for encoding in ({}, GZIP):
        whole = real.anybody.get("/sessions/cup", headers=encoding)
        part = real.anybody.get("/sessions/cup", headers={**encoding, "Range": "bytes=0-99"})
        assert (part.status_code, part.data) == (200, whole.data)
        assert "Accept-Ranges" not in part.headers


@pytest.mark.parametrize("path", ["tables/cup-r01-t01", "sessions", "sessions/cup"])
def test_long_public_answers_of_the_api_are_compressed_too(path: str, real: Real) -> None:
    plain, zipped = (real.anybody.get(f"{API}/{path}", headers=h) for h in ({}, GZIP))
    long = len(plain.data) >= LEAST_BYTES
    assert ("Content-Encoding" in zipped.headers) == long
    assert (gzip.decompress(zipped.data) if long else zipped.data) == plain.data
    assert zipped.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert zipped.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["standings", "standings.svg", "history.svg", "crosstable"])
def test_results_are_revalidated_by_everybody_and_kept_by_nobody_with_a_token(
    name: str, real: Real
) -> None:
    path = f"{API}/sessions/cup/{name}"
    first = real.anybody.get(path, headers=GZIP)
    assert first.headers["Cache-Control"] == "no-cache"
    assert first.headers["Vary"] == "Authorization, Accept-Encoding"
    again = real.anybody.get(path, headers={**GZIP, "If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    for client in (real.bots[0], real.organiser):
        response = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")
        assert "ETag" not in response.headers


def test_what_a_bot_plays_with_is_never_compressed(real: Real) -> None:
    [(number, turn)] = real.waiting()
    bot = real.bots[number]
    polled = bot.get(f"{API}/turns", headers=GZIP)
    answered = bot.post(
        f"{API}/turns/{turn['turn']}", json={"cards": turn["held"][:1]}, headers=GZIP
    )
    assert answered.status_code == 200
    assert len(polled.data) >= LEAST_BYTES
    for response in (polled, answered):
        assert "Content-Encoding" not in response.headers
        assert "Vary" not in response.headers


def test_no_answer_with_a_token_or_a_code_is_compressed(real: Real) -> None:
    owners = [f"somebody-{number}" for number in range(40)]
    codes = real.organiser.post(f"{API}/codes", json={"label": "x", "owners": owners}, headers=GZIP)
    assert codes.status_code == 201, codes.text
    assert len(codes.data) >= LEAST_BYTES
    registered = real.anybody.post(f"{API}/bots", json={"name": "new"}, headers=GZIP)
    rotated = real.bots[0].post(f"{API}/whoami/token", headers=GZIP)
    for response in (codes, registered, rotated):
        assert "Content-Encoding" not in response.headers


def test_no_page_with_a_form_is_compressed_for_it_may_hold_a_secret(real: Real) -> None:
    page = real.anybody.get("/seat", headers=GZIP)
    assert page.status_code == 200
    assert len(page.data) >= LEAST_BYTES
    assert "Content-Encoding" not in page.headers
    assert page.headers["Cache-Control"] == "no-store"


def test_only_what_is_read_without_a_bots_token_may_be_compressed_without_a_tag() -> None:
    marked = [
        endpoint
        for _, endpoints in route_tables(Settings()).values()
        for endpoint in endpoints
        if endpoint.gzip
    ]
    assert len(marked) > 10
    assert {(each.method, each.body) for each in marked} == {("GET", "")}
    assert {each.scope for each in marked} == {Scope.PUBLIC, Scope.VIEWER}


def test_a_record_is_revalidated_by_its_tag() -> None:
    real = Real()
    real.session(4)
    play(real)
    path = f"{API}/hands/cup-r01-t01-h001/record"
    first = real.anybody.get(path, headers=GZIP)
    assert first.headers["Cache-Control"] == "no-cache"
    assert first.headers["Vary"] == "Authorization, Accept-Encoding"
    again = real.anybody.get(path, headers={**GZIP, "If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.server
def test_compressed_bytes_arrive_whole_on_the_wire(real: Real) -> None:
    running = Running(real.app)
    try:
        head = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n"
        result = running.raw(head + b"Connection: close\r\n\r\n")
    finally:
        running.stop()
    fields, _, body = result.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in fields
    assert gzip.decompress(body) == real.anybody.get("/openapi.json").data
