"""What is left of Flask: responses as they are made, routes by path and method alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import hypothesis
import pytest
from flask import Flask, request, session
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from arena.web.api.fast_flask import Answer, FastFlask
from tests.web.conftest import with_token
from tests.web.fakes import ALICE


def sent(answer: Answer, method: str = "GET") -> tuple[str, dict[str, str], list[bytes]]:
    """Status line, headers and body as a server gets them."""
    result: list[Any] = []
    body = answer({"REQUEST_METHOD": method}, lambda *given: result.extend(given))
    return result[0], dict(result[1]), list(body)


def test_a_whole_body_is_sent_with_its_length() -> None:
    answer = Answer("大".encode(), 201, [("X", "y")])
    assert sent(answer) == ("201 Created", {"X": "y", "Content-Length": "3"}, ["大".encode()])
    assert answer.headers == [("X", "y")]


def test_the_answer_to_head_has_the_length_and_no_body() -> None:
    assert sent(Answer(b"{}", 200, []), "HEAD") == ("200 OK", {"Content-Length": "2"}, [])


def test_pieces_one_by_one_have_no_length() -> None:
    pieces: Iterable[bytes] = iter([b"a\n", "大\n".encode()])
    answer = Answer(pieces, 200, [])
    assert answer.length is None
    assert sent(answer) == ("200 OK", {}, [b"a\n", "大\n".encode()])


class Closing:
    """Pieces that note that they were closed."""

    def __init__(self) -> None:
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        return iter([b"a"])

    def close(self) -> None:
        self.closed = True


def test_pieces_that_are_not_sent_are_closed_all_the_same() -> None:
    pieces = Closing()
    body = Answer(pieces, 200, [])({"REQUEST_METHOD": "HEAD"}, lambda *_: lambda _: None)
    assert list(body) == []
    body.close()  # type: ignore[attr-defined]
    assert pieces.closed


def test_an_answer_may_have_no_body_and_no_length() -> None:
    assert sent(Answer(None, 304, [("ETag", '"x"')])) == ("304 Not Modified", {"ETag": '"x"'}, [])


@pytest.mark.parametrize("host", ["localhost", "arena.example:8080", "[::1]", "a b"])
def test_routes_do_not_depend_on_the_host(host: str, anybody: FlaskClient) -> None:
    assert anybody.get("/healthz", headers={"Host": host}).status_code == 200


def test_a_plain_path_is_found_as_any_other(app: Flask) -> None:
    alice = with_token(app, ALICE)
    assert alice.get("/api/v1/turns").status_code == 200
    assert alice.post("/api/v1/turns", json={"answers": []}).status_code == 200
    wrong = alice.delete("/api/v1/turns")
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert alice.get("/api/v1/turnsx").status_code == 404


SEGMENTS = st.sampled_from(
    ["api", "v1", "turns", "ledger", "sessions", "s1", "start", "entry", "hands", "bots", "t.1", ""]
) | st.text(max_size=4)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])


@hypothesis.settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(METHODS, st.lists(SEGMENTS, max_size=5).map("/".join), st.sampled_from(["/", "/api/v1/"]))
def test_a_rule_is_found_as_werkzeug_would_find_it(
    app: FastFlask, method: str, path: str, before: str
) -> None:
    found = app._match_directly(method, before + path)
    if found is not None:
        adapter = app.url_map.bind("x").match(before + path, method, return_rule=True)
        assert found == adapter


@pytest.mark.parametrize(
    ("method", "path", "rule"),
    [
        ("POST", "/api/v1/turns/t.1", "/api/v1/turns/<name:turn>"),
        ("POST", "/api/v1/turns/ledger", "/api/v1/turns/<name:turn>"),
        ("GET", "/api/v1/turns/ledger", "/api/v1/turns/ledger"),
        ("GET", "/api/v1/hands/h1", "/api/v1/hands/<name:hand>"),
    ],
)
def test_rules_that_end_with_their_variable_need_no_search(
    app: FastFlask, method: str, path: str, rule: str
) -> None:
    found = app._match_directly(method, path)
    assert found is not None
    assert found[0].rule == rule


def test_a_view_sees_its_request_and_an_empty_session_that_cannot_be_written() -> None:
    app = FastFlask("app")

    def look() -> Answer:
        assert not session
        with pytest.raises(RuntimeError):
            session["seat"] = 1
        return Answer(f"{request.endpoint}".encode(), 200, [])

    app.add_url_rule("/look", "look", look)
    response = app.test_client().get("/look")
    assert response.data == b"look"
    assert "Set-Cookie" not in response.headers
