from __future__ import annotations

import logging
import re

import pytest
from flask.testing import FlaskClient

from arena.web.api.fast_flask import Answer, FastFlask
from arena.web.api.logs import LineFormatter
from arena.web.api.middleware import WebMetrics, install_middleware
from arena.web.pages.problem import problem_page
from tests.web.fakes import ALICE, FakeClock


def test_a_proper_request_id_is_echoed_and_is_the_instance(alice: FlaskClient) -> None:
    response = alice.post(
        "/api/v1/turns/late", json={"pass": True}, headers={"X-Request-Id": "run-7.a_B"}
    )
    assert response.headers["X-Request-Id"] == "run-7.a_B"
    assert response.json is not None
    assert response.json["instance"] == "run-7.a_B"


@pytest.mark.parametrize("given", ["", "a b", "a" * 65, "a\tb", "x;y", "ä", "a:b", '"', "../x"])
def test_another_one_is_replaced(given: str, anybody: FlaskClient) -> None:
    if "/" in given:
        given = given.replace(".", "")
    response = anybody.get("/healthz", headers={"X-Request-Id": given})
    assert re.fullmatch("[0-9a-f]{16}", response.headers["X-Request-Id"])


def test_answers_are_json_never_cached_and_never_sniffed(alice: FlaskClient) -> None:
    response = alice.get("/api/v1/turns")
    assert response.content_type == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_charset_is_no_reason_to_refuse_a_body(alice: FlaskClient) -> None:
    for media in ("application/json; charset=utf-8", "Application/JSON"):
        response = alice.post("/api/v1/turns/t1", data=b'{"pass":true}', content_type=media)
        assert response.status_code == 200
    for media in ("", "text/json", "application/x-www-form-urlencoded", "application/jsonx"):
        response = alice.post("/api/v1/turns/t1", data=b'{"pass":true}', content_type=media)
        assert response.status_code == 415


def test_each_request_is_one_line_in_the_log_without_secrets(
    alice: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="arena.web.access")
    alice.get(f"/api/v1/hands/{ALICE}/events?after=3", headers={"X-Request-Id": "r1"})
    [record] = [r for r in caplog.records if r.name == "arena.web.access"]
    assert record.getMessage() == "request"
    line = record.fields  # type: ignore[attr-defined]
    assert line["method"] == "GET"
    assert line["path"] == "/api/v1/hands/dfa_…/events"
    assert line["status"] == 200
    assert line["ms"] >= 0
    assert ALICE not in str(line)


def test_unless_it_is_wished_only_faults_of_ours_have_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastFlask("app")
    install_middleware(app, lambda: 0.0, WebMetrics(), access_log=False, problem_page=problem_page)
    app.add_url_rule("/good", "good", lambda: Answer(b"", 200, []))
    app.add_url_rule("/bad", "bad", lambda: 1 // 0)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    caplog.set_level(logging.DEBUG)
    client = app.test_client()
    for path in ("/good", "/nowhere", "/bad"):
        client.get(path)
    [record] = [r for r in caplog.records if r.name == "arena.web.access"]
    assert record.levelno == logging.WARNING
    assert (record.fields["path"], record.fields["status"]) == ("/bad", 500)  # type: ignore[attr-defined]


def test_the_log_says_how_long_a_request_has_taken(caplog: pytest.LogCaptureFixture) -> None:
    app, clock = FastFlask("app"), FakeClock()
    install_middleware(app, clock, WebMetrics(), problem_page=problem_page, access_log=True)

    def slow() -> Answer:
        clock.now += 0.25
        return Answer(b"", 200, [])

    app.add_url_rule("/slow", "slow", slow)
    caplog.set_level(logging.INFO, logger="arena.web.access")
    app.test_client().get("/slow")
    [record] = [r for r in caplog.records if r.name == "arena.web.access"]
    assert record.fields["ms"] == 250  # type: ignore[attr-defined]


def test_a_line_of_the_log_cannot_be_forged(
    anybody: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="arena.web.access")
    anybody.get("/x%0a{%22status%22:200}")
    [record] = [r for r in caplog.records if r.name == "arena.web.access"]
    for form in ("text", "json"):
        assert "\n" not in LineFormatter(form).format(record)
    assert record.fields["status"] == 404  # type: ignore[attr-defined]


def test_head_is_answered_like_get_without_a_body(anybody: FlaskClient) -> None:
    response = anybody.head("/api/v1")
    assert response.status_code == 200
    assert response.data == b""
    assert int(response.headers["Content-Length"]) > 500


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PATCH", "PROPFIND"])
def test_methods_that_no_path_knows_are_405(method: str, anybody: FlaskClient) -> None:
    assert anybody.open("/api/v1/turns", method=method).status_code == 405
