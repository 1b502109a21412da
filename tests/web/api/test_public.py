from __future__ import annotations

import orjson
import pytest
from flask.testing import FlaskClient

from arena.web.api.validation import Schemas
from tests.web.fakes import FakeReferee


def test_the_index_tells_limits_and_where_the_documents_are(anybody: FlaskClient) -> None:
    result = anybody.get("/api/v1").json
    assert result is not None
    assert result["api"] == "v1"
    assert result["limits"]["wait_s"] == 30
    for path in [result["openapi"], result["problems"], *result["schemas"].values()]:
        assert anybody.get(path).status_code == 200


def test_schemas_are_served_as_they_are(anybody: FlaskClient, schemas: Schemas) -> None:
    listed = anybody.get("/schemas").json
    assert listed is not None
    assert {entry["name"] for entry in listed["schemas"]} == set(schemas.documents)
    response = anybody.get("/schemas/turn.schema.json")
    assert response.mimetype == "application/schema+json"
    assert orjson.loads(response.data) == schemas.documents["turn"]


@pytest.mark.parametrize(
    "path", ["/schemas/turn", "/schemas/none.schema.json", "/schemas/..%2fpyproject.toml"]
)
def test_nothing_else_is_served_as_a_schema(path: str, anybody: FlaskClient) -> None:
    assert anybody.get(path).status_code == 404


def test_sessions_are_listed_by_state(anybody: FlaskClient) -> None:
    assert anybody.get("/api/v1/sessions?state=open").status_code == 200
    assert anybody.get("/api/v1/sessions?state=ended").status_code == 400
    assert anybody.get("/api/v1/sessions/cup").status_code == 200
    assert anybody.get("/api/v1/sessions/none").status_code == 404


@pytest.mark.parametrize(
    ("form", "media", "name"),
    [
        ("text", "text/plain", "alice|<b>"),
        ("plain", "text/plain", "alice|<b>"),
        ("grid", "text/plain", "alice|<b>"),
        ("github", "text/markdown", "alice\\|"),
        ("markdown", "text/markdown", "alice\\|"),
        ("html", "text/html", "alice|&lt;b&gt;"),
        ("unsafehtml", "text/html", "alice|&lt;b&gt;"),
        ("csv", "text/csv", "alice|<b>"),
        ("latex", "application/x-latex", "alice"),
    ],
)
def test_standings_come_in_many_forms(
    form: str, media: str, name: str, anybody: FlaskClient
) -> None:
    response = anybody.get(f"/api/v1/sessions/cup/standings?format={form}")
    assert response.mimetype == media
    assert name in response.text
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = response.headers["Content-Security-Policy"]
    assert ("style-src" in policy) == (media == "text/html")


def test_the_layout_is_chosen_and_wrong_forms_are_refused(anybody: FlaskClient) -> None:
    path = "/api/v1/sessions/cup/standings"
    full = anybody.get(f"{path}?format=csv").text
    assert len(anybody.get(f"{path}?format=csv&layout=concise").text) < len(full)
    assert anybody.get(f"{path}?format=text&width=80").status_code == 200
    assert anybody.get(f"{path}?format=pdf").status_code == 400
    assert anybody.get(f"{path}?layout=odd").status_code == 400
    assert anybody.get(f"{path}?format=text&width=1").status_code == 400
    assert anybody.get("/api/v1/sessions/none/standings?format=text").status_code == 404


def test_a_log_is_answered_as_the_caller_may_see_it(
    anybody: FlaskClient, alice: FlaskClient, admin: FlaskClient, referee: FakeReferee
) -> None:
    path = "/api/v1/hands/cup-r01-t01-h001/events?after=3&wait=1.5"
    for client in (anybody, alice, admin):
        assert client.get(path).status_code == 200
    hand = "cup-r01-t01-h001"
    assert referee.polls == [(hand, viewer, 3, 1500) for viewer in (None, "b-alice", "b-admin")]


@pytest.mark.parametrize("path", ["tables/x", "hands/x", "bots/nobody"])
def test_what_is_not_there_is_not_found(path: str, anybody: FlaskClient) -> None:
    assert anybody.get(f"/api/v1/{path}").status_code == 404


def test_a_record_that_is_not_public_is_forbidden_to_anybody(anybody: FlaskClient) -> None:
    assert anybody.get("/api/v1/hands/x/record").status_code == 403


def test_health_is_of_the_process_and_readiness_of_log_and_clocks(
    anybody: FlaskClient, referee: FakeReferee
) -> None:
    assert anybody.get("/healthz").json == {"alive": True}
    assert anybody.get("/readyz").status_code == 200
    referee.ready = False
    assert anybody.get("/healthz").status_code == 200
    response = anybody.get("/readyz")
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert response.json is not None
    assert response.json["health"]["store"] is False
    assert response.json["detail"] == "The log cannot be written."


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1//turns",
        "/api/v1/bots/a%00b",
        "/api/v1/bots/a%0ab",
        "/api/v1/bots/" + "a" * 121,
    ],
)
def test_paths_are_taken_literally(path: str, anybody: FlaskClient) -> None:
    response = anybody.get(path, base_url="http://localhost")
    assert response.status_code == 404
    assert response.json is not None
    assert response.json["code"] == "no_route"


def test_slashes_are_not_merged(anybody: FlaskClient) -> None:
    asked = {"PATH_INFO": "//healthz"}
    assert anybody.get("/", environ_overrides=asked).status_code == 404


def test_the_rules_are_served_as_the_reference_the_engine_plays(anybody: FlaskClient) -> None:
    answer = anybody.get("/rules")
    assert answer.status_code == 200
    assert answer.mimetype == "text/markdown"
    assert "革命" in answer.text
    assert "`hachi_giri`" in answer.text
