"""Invitations by the API: made, listed, revoked, and what is wrong with a request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import Real

API = "/api/v1/sessions"


@pytest.fixture
def real() -> Real:
    real = Real()
    document = {"name": "Cup", "slug": "cup", "seats": 4, "rated": False}
    assert real.organiser.post(API, json=document).status_code == 201
    return real


def test_an_invitation_is_made_listed_and_revoked(real: Real) -> None:
    body = {"name": "Ann", "clock": "x2", "valid_hours": 2}
    made = real.organiser.post(f"{API}/cup/invitations", json=body)
    assert made.status_code == 201
    said = dict(made.json or {})
    assert said.pop("link") == f"/seat/invitation#{said.pop('code')}"
    assert (said["name"], said["clock"], said["bot"]) == ("Ann", "x2", None)
    listed = real.organiser.get(f"{API}/cup/invitations").json or {}
    assert listed["invitations"] == [said]
    gone = real.organiser.post(f"{API}/cup/invitations/{said['id']}/revoke")
    assert gone.json == {**said, "revoked": True}


def test_nothing_has_to_be_said_about_it(real: Real) -> None:
    made = real.organiser.post(f"{API}/cup/invitations").json or {}
    assert (made["name"], made["clock"]) == (None, "x1")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"clock": "x3"}, 400, "clock"),
        ({"clock": "none"}, 400, "people.longest_clock"),
        ({"name": ""}, 400, "name"),
        ({"name": "house-1"}, 400, "house-"),
        ({"valid_hours": 0}, 400, "valid_hours"),
        ({"hours": 3}, 400, "hours"),
        ([], 400, "object"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_request_is_said(
    real: Real, body: Any, status: int, words: str
) -> None:
    refused = real.organiser.post(f"{API}/cup/invitations", json=body)
    assert refused.status_code == status
    assert words in refused.text


def test_sessions_and_invitations_that_are_not_there_are_not_found(real: Real) -> None:
    assert real.organiser.post(f"{API}/none/invitations").status_code == 404
    assert real.organiser.get(f"{API}/none/invitations").status_code == 404
    assert real.organiser.post(f"{API}/cup/invitations/ffffffffffff/revoke").status_code == 404


def test_a_rated_session_takes_no_people_unless_it_says_so(real: Real) -> None:
    real.organiser.post(API, json={"name": "Rated", "slug": "rated", "seats": 4})
    refused = real.organiser.post(f"{API}/rated/invitations")
    assert refused.status_code == 409
    assert "people.rated = true" in refused.text
    document = {"name": "Rated", "seats": 4, "people": {"rated": True}}
    assert real.organiser.put(f"{API}/rated", json=document).status_code == 200
    assert real.organiser.post(f"{API}/rated/invitations").status_code == 201


def test_no_code_of_an_invitation_registers_a_bot(real: Real) -> None:
    made = real.organiser.post(f"{API}/cup/invitations").json or {}
    body = {"name": "bot", "code": made["code"]}
    assert real.anybody.post("/api/v1/bots", json=body).status_code == 403
    assert (real.organiser.get("/api/v1/codes").json or {})["codes"] == []
