"""Every code of the closed list is reached, and explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.errors import ArenaError, Damaged, NotHome, Reason, Refused
from arena.web.api.problems import ERRORS, TABLE, Code, clip, from_arena
from tests.web.conftest import with_token
from tests.web.fakes import ALICE, BOB, FakeReferee
from tests.web.watchdog import Watchdog

Ask = Callable[[FlaskClient], TestResponse]
BIG = b'{"name": "' + b"a" * 70_000 + b'"}'
JSON = "application/json"


class Gone:
    """The body of a client that has gone."""

    def read(self, size: int = -1) -> bytes:
        raise ConnectionResetError


BEYOND_THE_END: dict[str, Any] = {
    "path": "/api/v1/sessions/over/records",
    "headers": {"Range": "bytes=5000-"},
    "buffered": True,
}
"""The first time, while the file is made, the whole of it is sent."""
WAYS: dict[Code, Ask] = {
    Code.BAD_REQUEST: lambda c: c.post(
        "/api/v1/turns/x",
        environ_overrides={"wsgi.input": Gone()},
        content_length=50,
        content_type=JSON,
    ),
    Code.BAD_JSON: lambda c: c.post("/api/v1/turns/x", data=b"{", content_type=JSON),
    Code.INVALID: lambda c: c.post("/api/v1/turns/x", json={"cards": "S3"}),
    Code.BAD_VALUE: lambda c: c.post("/api/v1/turns/odd", json={"cards": ["S3"]}),
    Code.NO_TOKEN: lambda c: c.get("/api/v1/turns", headers={"Authorization": "Basic eDp5"}),
    Code.BAD_TOKEN: lambda c: c.get("/api/v1/turns", headers={"Authorization": "Bearer dfa_x"}),
    Code.FORBIDDEN: lambda c: c.post("/api/v1/turns/foreign", json={"pass": True}),
    Code.NO_ROUTE: lambda c: c.get("/api/v2"),
    Code.NOT_FOUND: lambda c: c.post("/api/v1/turns/unknown", json={"pass": True}),
    Code.METHOD_NOT_ALLOWED: lambda c: c.delete("/api/v1/turns"),
    Code.CONFLICT: lambda c: c.post("/api/v1/turns/taken", json={"pass": True}),
    Code.DAMAGED: lambda c: c.post("/api/v1/turns/damaged", json={"pass": True}),
    Code.TOO_LATE: lambda c: c.post("/api/v1/turns/late", json={"pass": True}),
    Code.TOO_LARGE: lambda c: c.post("/api/v1/bots", data=BIG, content_type=JSON),
    Code.NOT_JSON: lambda c: c.post("/api/v1/bots", data=b"name=x", content_type="text/plain"),
    Code.BAD_RANGE: lambda c: [c.get(**BEYOND_THE_END) for _ in range(2)][-1],
    Code.ILLEGAL: lambda c: c.post("/api/v1/turns/illegal", json={"pass": True}),
    Code.TOO_MANY_REQUESTS: lambda c: [c.get("/api/v1/whoami") for _ in range(101)][-1],
    Code.UNAVAILABLE: lambda c: c.post("/api/v1/turns/unavailable", json={"pass": True}),
}


@pytest.mark.parametrize("code", WAYS, ids=str)
def test_each_code_is_reached_with_its_status(code: Code, alice: FlaskClient) -> None:
    response = WAYS[code](alice)
    assert response.status_code == TABLE[code].status
    assert response.json is not None
    assert response.json["code"] == code


def test_a_fault_of_ours_is_a_problem_too_and_tells_nothing(
    alice: FlaskClient, referee: FakeReferee, caplog: pytest.LogCaptureFixture
) -> None:
    def burst() -> None:
        raise ZeroDivisionError("the secret inside")

    referee.broken = burst
    response = alice.get("/api/v1/turns")
    assert response.status_code == 500
    assert response.json is not None
    assert response.json["code"] == Code.SERVER_ERROR
    assert "secret" not in response.text
    assert "ZeroDivisionError" in caplog.text


def test_every_code_has_a_way_that_reaches_it() -> None:
    elsewhere = {Code.SERVER_ERROR, Code.NOT_IMPLEMENTED}  # below; and before the app is asked
    assert set(Code) == {*WAYS, *elsewhere} == set(TABLE)


def test_every_error_of_ours_has_one_code() -> None:
    family = (kind for kind in _family(ArenaError) if kind.__module__ == ArenaError.__module__)
    leaves = {kind for kind in family if not kind.__name__.startswith("_")}
    assert leaves - {ArenaError, Damaged, NotHome} == set(ERRORS)
    assert from_arena(Damaged("a page of x.db is damaged")).code is Code.UNAVAILABLE


def test_that_a_session_is_played_elsewhere_is_for_other_referees_to_read() -> None:
    problem = from_arena(NotHome("cup \u00e9"))
    assert problem.code is Code.UNAVAILABLE
    assert problem.headers == {"Retry-After": "1", "Arena-Not-Home": "cup%20%C3%A9"}
    assert problem.members == {"retry_after_s": 1}


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("TEXT/HTML;q=0.9", "text/html"),
        ("*/*", "application/problem+json"),
        ("application/json", "application/problem+json"),
        (None, "application/problem+json"),
        ("text/htmlx", "application/problem+json"),
    ],
)
def test_a_browser_gets_a_problem_as_a_page_and_a_program_as_json(
    anybody: FlaskClient, accept: str | None, media: str
) -> None:
    response = anybody.get("/nowhere", headers={} if accept is None else {"Accept": accept})
    assert (response.status_code, response.mimetype) == (404, media)
    assert response.headers["Vary"] == "Accept"
    if media == "text/html":
        for part in ("No such path", "/problems/no_route", response.headers["X-Request-Id"]):
            assert part in response.text


def test_what_a_client_sent_stands_on_the_page_of_a_problem_as_text(anybody: FlaskClient) -> None:
    response = anybody.get("/sessions/<script>x", headers={"Accept": "text/html"})
    assert response.status_code == 404
    assert "<script>" not in response.text


def test_only_a_request_for_a_page_gets_one(alice: FlaskClient) -> None:
    for accept, media in (
        ("text/html", "text/html"),
        ("*/*", "application/problem+json"),
        ("application/json, text/html;q=0.9", "application/problem+json"),
    ):
        response = alice.post("/api/v1/turns/x", json={"cards": "S3"}, headers={"Accept": accept})
        assert (response.status_code, response.mimetype) == (400, media)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/schemas/", "/schemas"),
        ("/sessions/?after=x%26y", "/sessions?after=x%26y"),
        ("/sessions/spring//", "/sessions/spring"),
        ("/sessions/a%20b/", "/sessions/a%20b"),
    ],
)
def test_a_slash_too_many_leads_to_the_path_without_it(
    anybody: FlaskClient, path: str, there: str
) -> None:
    response = anybody.get(path)
    assert (response.status_code, response.headers["Location"]) == (308, there)


@pytest.mark.parametrize("path", ["//example.org/", "/nowhere/", "/api/v1/turns/x/y/"])
def test_a_slash_leads_nowhere_else(anybody: FlaskClient, path: str) -> None:
    assert anybody.get("/", environ_overrides={"PATH_INFO": path}).status_code == 404
    twice = anybody.get("/", environ_overrides={"PATH_INFO": "//schemas/"})
    assert twice.headers["Location"] == "/schemas"


def test_a_command_with_a_slash_too_many_is_not_sent_on(alice: FlaskClient) -> None:
    assert alice.post("/api/v1/turns/x/", json={"pass": True}).status_code == 404


def _family(kind: type) -> set[type]:
    return {kind}.union(*(_family(child) for child in kind.__subclasses__()))


def test_a_refused_move_tells_reason_rule_cards_turn_and_an_example(alice: FlaskClient) -> None:
    problem = alice.post("/api/v1/turns/illegal", json={"cards": ["S3"]}).json
    assert problem is not None
    assert problem["reason"] == "too_low"
    assert problem["rule"] == "kakumei"
    assert problem["cards"] == ["S3"]
    assert problem["turn"] == "illegal"
    assert problem["example"] == {"cards": ["JK"]}


def test_headers_go_with_the_problems_that_need_them(app: Flask, alice: FlaskClient) -> None:
    missing = app.test_client().get("/api/v1/turns")
    assert missing.headers["WWW-Authenticate"] == 'Bearer realm="daifugo-arena"'
    wrong = WAYS[Code.BAD_TOKEN](alice)
    assert 'error="invalid_token"' in wrong.headers["WWW-Authenticate"]
    assert alice.delete("/api/v1/turns").headers["Allow"] == "GET, HEAD, POST"
    busy = WAYS[Code.UNAVAILABLE](alice)
    assert busy.headers["Retry-After"] == "2"
    assert busy.json is not None
    assert busy.json["retry_after_s"] == 2


def test_every_code_is_explained_where_its_type_points(anybody: FlaskClient) -> None:
    listed = anybody.get("/problems").json
    assert listed is not None
    assert [entry["code"] for entry in listed["problems"]] == [str(code) for code in Code]
    for entry in listed["problems"]:
        assert anybody.get(entry["type"]).json == entry
    assert anybody.get("/problems/odd").status_code == 404


def test_what_a_client_sent_is_not_sent_back_at_full_length() -> None:
    problem = from_arena(Refused(Reason.BAD_SHAPE, "x" * 9_000))
    assert len(problem.document("id")["detail"]) < 3_100
    assert clip("short") == "short"


def test_tokens_are_of_no_use_anywhere_but_in_the_header(app: Flask) -> None:
    client = app.test_client()
    assert client.get(f"/api/v1/turns?token={ALICE}").status_code == 401
    client.set_cookie("token", BOB)
    assert client.get("/api/v1/whoami").status_code == 401
    assert with_token(app, ALICE).get(f"/api/v1/whoami?access_token={ALICE}").status_code == 400


def test_the_wrong_kind_of_token_is_forbidden(alice: FlaskClient, watchdog: Watchdog) -> None:
    assert alice.post("/api/v1/sessions", json={"name": "x"}).status_code == 403
    assert "forbidden" in watchdog.seen_codes
