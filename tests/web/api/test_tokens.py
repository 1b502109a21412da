"""Tokens and codes over HTTP: bars, new tokens, organisers with their roles, codes in a list."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.watchdog import Watchdog

API = "/api/v1"


@pytest.fixture
def real(watchdog: Watchdog) -> Real:
    created = Real()
    watchdog.watch(created.app)
    return created


def post(client: FlaskClient, path: str, body: Any = None, *, status: int = 200) -> Any:
    response = client.post(API + path, json=body)
    assert response.status_code == status, response.text
    return response.json


def audited(real: Real) -> list[tuple[str, str]]:
    result = real.organiser.get(f"{API}/audit?limit=9").json
    assert result is not None
    return [(entry["actor"], entry["action"]) for entry in result["entries"]]


def organiser_id(real: Real) -> str:
    result = real.organiser.get(f"{API}/whoami").json
    assert result is not None
    return str(result["id"])


@pytest.mark.parametrize("name", ["Alice-1", "aIice-1", "alice‐1", "alıce-1"])
def test_a_name_like_another_one_is_a_conflict(real: Real, name: str) -> None:
    post(real.anybody, "/bots", {"name": "alice-1"}, status=201)
    problem = post(real.anybody, "/bots", {"name": name}, status=409)
    assert problem["code"] == "conflict"
    assert problem["detail"].endswith("looks like 'alice-1', which is taken")


@pytest.mark.parametrize("name", ["\u2800", "..", "a/b", "a\\b", "b-7q3mz2ka", "-", "dfa_x"])
def test_what_is_no_name_is_a_bad_value_with_the_reason(real: Real, name: str) -> None:
    problem = post(real.anybody, "/bots", {"name": name}, status=400)
    assert problem["code"] == "bad_value"
    assert "expected" in problem["detail"]


def test_a_bot_is_barred_and_let_in_again_with_a_new_token(real: Real) -> None:
    real.session()
    bar = post(real.organiser, "/bots/bot-1/revoke")
    assert bar["revoked"]
    problem = real.bots[0].get(f"{API}/turns")
    assert (problem.status_code, problem.json and problem.json["code"]) == (401, "bad_token")
    entry = real.organiser.get(f"{API}/sessions/cup").json
    assert entry is not None
    assert entry["entries"][0]["status"] == "withdrawn"
    created = post(real.organiser, "/bots/bot-1/restore")
    assert not created["bot"]["revoked"]
    fresh = real.client(created["token"])
    assert fresh.get(f"{API}/turns").status_code == 200
    assert real.bots[0].get(f"{API}/turns").status_code == 401
    post(real.organiser, "/bots/bot-1/restore", status=409)
    who = organiser_id(real)
    assert audited(real)[:3] == [
        (who, "bot.restore"),
        (who, "entry.withdrawn"),
        (who, "bot.revoke"),
    ]


def test_a_request_that_waits_is_released_when_its_bot_is_barred(real: Real) -> None:
    real.session()
    bell, bot = real.referee._context.signals.bell, real.ids[0]
    waiter = bell.listen(f"bot:{bot}", who=bot)
    post(real.organiser, f"/bots/{bot}/revoke")
    assert waiter.released


def test_organisers_are_made_listed_and_revoked_while_the_referee_runs(real: Real) -> None:
    created = post(real.organiser, "/organisers", {"name": "anna", "role": "assistant"}, status=201)
    anna = real.client(created["token"])
    result = anna.get(f"{API}/whoami").json
    assert result is not None
    assert (result["name"], result["role"], result["scopes"]) == (
        "anna",
        "assistant",
        ["view", "assist"],
    )
    listed = real.organiser.get(f"{API}/organisers").json
    assert listed is not None
    assert [(each["name"], each["role"]) for each in listed["organisers"]] == [
        ("anna", "assistant"),
        ("organiser", "organiser"),
    ]
    assert post(real.organiser, f"/organisers/{created['organiser']['id']}/revoke")["revoked"]
    assert anna.get(f"{API}/whoami").status_code == 401
    assert audited(real)[0] == (organiser_id(real), "organiser.revoke")


def test_the_last_organiser_cannot_go(real: Real) -> None:
    problem = post(real.organiser, "/organisers/organiser/revoke", status=409)
    assert "make another one first" in problem["detail"]
    post(real.organiser, "/organisers", {"name": "anna", "role": "organiser"}, status=201)
    post(real.organiser, "/organisers/organiser/revoke")
    assert real.organiser.get(f"{API}/whoami").status_code == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "Organiser", "role": "viewer"}, 409),
        ({"name": "a/b", "role": "viewer"}, 400),
        ({"name": "anna", "role": "boss"}, 400),
        ({"name": "anna"}, 400),
        ({"name": "anna", "role": "viewer", "scopes": ["admin"]}, 400),
    ],
)
def test_an_organiser_that_cannot_be_is_refused(
    real: Real, body: dict[str, Any], status: int
) -> None:
    post(real.organiser, "/organisers", body, status=status)


def test_bots_and_organisers_are_revoked_each_at_its_place(real: Real) -> None:
    post(real.anybody, "/bots", {"name": "alice"}, status=201)
    post(real.organiser, "/organisers/alice/revoke", status=404)
    post(real.organiser, "/bots/organiser/revoke", status=400)
    post(real.organiser, "/bots/nobody/revoke", status=404)
    post(real.organiser, "/bots/nobody/restore", status=404)


def test_codes_are_listed_and_revoked_by_their_ids(real: Real) -> None:
    code = post(real.organiser, "/codes", {"label": "class 4b", "uses": 2}, status=201)["code"]
    listed = real.organiser.get(f"{API}/codes")
    assert code not in listed.text
    assert listed.json is not None
    (found,) = listed.json["codes"]
    assert (found["label"], found["uses_left"], found["usable"]) == ("class 4b", 2, True)
    gone = {**found, "revoked": True, "usable": False}
    for _ in range(2):
        assert post(real.organiser, f"/codes/{found['id']}/revoke") == gone
    post(real.organiser, "/codes/000000000000/revoke", status=404)
    post(real.anybody, "/bots", {"name": "alice", "code": code}, status=403)
    assert audited(real)[0] == (organiser_id(real), "code.revoke")


def test_an_assistant_pauses_resumes_and_voids_and_a_viewer_does_not(real: Real) -> None:
    real.session(5, seats=4, schedule={"rounds": 2})
    tokens = {
        role: post(real.organiser, "/organisers", {"name": role, "role": role}, status=201)["token"]
        for role in ("assistant", "viewer")
    }
    assistant, viewer = real.client(tokens["assistant"]), real.client(tokens["viewer"])
    for path, body in (
        ("/sessions/cup/pause", None),
        ("/sessions/cup/resume", None),
        ("/tables/cup-r01-t01/void", {"reason": "power cut"}),
        ("/tables/cup-r01-t01/replay", None),
    ):
        post(viewer, path, body, status=403)
        post(assistant, path, body, status=201 if path.endswith("replay") else 200)
    post(assistant, "/sessions/cup/cancel", status=403)
    assert viewer.get(f"{API}/bots/bot-1/ledger").status_code == 200


def test_every_schema_of_tokens_is_served(schemas: Schemas) -> None:
    assert {"organiser", "organisers", "organiser_request", "organiser_created"} <= set(
        schemas.documents
    )
