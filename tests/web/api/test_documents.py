"""Documents that stay the same: made once, known by their ETag, billed by their size."""

from __future__ import annotations

import math
from itertools import takewhile

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.settings import Settings
from arena.web.app import create_app
from tests.web.conftest import with_token
from tests.web.fakes import ALICE, FakeClock, FakeReferee
from tests.web.server.test_http_server import Running

ANONYMOUS_BURST = Settings().anonymous_burst
PATHS = (
    "/rules",
    "/openapi.json",
    "/problems",
    "/problems/illegal",
    "/schemas",
    "/schemas/turn.schema.json",
)


@pytest.mark.parametrize("path", PATHS)
def test_who_has_a_document_gets_a_304_and_no_body(path: str, anybody: FlaskClient) -> None:
    first = anybody.get(path)
    assert first.status_code == 200
    assert first.headers["Cache-Control"] == "no-cache"
    etag = first.headers["ETag"]
    for condition in (etag, f"W/{etag}", f'"other", {etag}'):
        again = anybody.get(path, headers={"If-None-Match": condition})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == etag
        assert "Content-Type" not in again.headers
    assert anybody.get(path, headers={"If-None-Match": '"other"'}).data == first.data


def test_a_304_ends_on_the_wire_where_its_head_ends(app: Flask) -> None:
    running = Running(app)
    try:
        first = running.raw(b"GET /schemas HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        [etag] = [line for line in first.split(b"\r\n") if line.startswith(b"ETag: ")]
        condition = b"If-None-Match" + etag.removeprefix(b"ETag")
        asked = b"GET /schemas HTTP/1.1\r\nHost: x\r\n" + condition + b"\r\n"
        result = running.raw(asked + b"\r\n" + asked + b"Connection: close\r\n\r\n")
    finally:
        running.stop()
    heads = result.split(b"\r\n\r\n")
    assert [head.partition(b"\r\n")[0] for head in heads] == [b"HTTP/1.1 304 Not Modified"] * 2 + [
        b""
    ]


def test_a_document_has_the_same_etag_in_every_process_with_the_same_settings() -> None:
    one, other = (
        create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock()).test_client()
        for _ in range(2)
    )
    for path in PATHS:
        assert one.get(path).headers["ETag"] == other.get(path).headers["ETag"]


@pytest.mark.parametrize("path", ["/schemas", "/rules", "/openapi.json"])
def test_a_document_costs_callers_without_a_token_what_its_size_says(path: str) -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    size = len(with_token(app, ALICE).get(path).data)
    # Rules are added and the page of them grows: what it costs follows, so no number stands here.
    assert _answered(app, path) == math.ceil(ANONYMOUS_BURST / math.ceil(size / 65_536))
    assert with_token(app, ALICE).get(path).status_code == 200


def test_some_documents_cost_one_unit_and_some_several(anybody: FlaskClient) -> None:
    assert len(anybody.get("/schemas").data) < 65_536
    assert len(anybody.get("/openapi.json").data) > 2 * 65_536


@pytest.mark.parametrize(("path", "units"), [("/metrics", 5), ("/healthz", 0)])
def test_other_answers_have_a_price_of_their_own(path: str, units: int) -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    enough = ANONYMOUS_BURST // units if units else ANONYMOUS_BURST + 1
    assert _answered(app, path) == enough
    assert with_token(app, ALICE).get(path).status_code == 200


def _answered(app: Flask, path: str) -> int:
    """How many requests without a token are answered before one is refused; no more than a burst
    and one are tried."""
    anybody, tries = app.test_client(), range(ANONYMOUS_BURST + 1)
    return sum(1 for _ in takewhile(lambda _: anybody.get(path).status_code == 200, tries))


def test_who_has_a_document_pays_one_unit_for_asking() -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    anybody = app.test_client()
    response = anybody.get("/openapi.json")
    condition = {"If-None-Match": response.headers["ETag"]}
    for _ in range(ANONYMOUS_BURST - math.ceil(len(response.data) / 65_536)):
        assert anybody.get("/openapi.json", headers=condition).status_code == 304
    assert anybody.get("/openapi.json", headers=condition).status_code == 429
