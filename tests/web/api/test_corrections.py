"""Corrections over HTTP: a session is renamed, hidden, replaced and deleted; pages follow."""

from __future__ import annotations

import pytest

from arena.session.times import instant_text
from tests.real import Real
from tests.referee.table import START_MS

CUP = {"name": "Cup", "slug": "cup", "seats": 4}


@pytest.fixture
def real() -> Real:
    real = Real()
    assert real.organiser.post("/api/v1/sessions", json=CUP).status_code == 201
    return real


def test_a_hidden_session_is_off_the_front_page_and_has_its_own(real: Real) -> None:
    assert "/sessions/cup" in real.anybody.get("/").text
    hidden = real.organiser.patch("/api/v1/sessions/cup", json={"hidden": True})
    assert hidden.status_code == 200
    assert "There is no session yet." in real.anybody.get("/").text
    assert "Cup" in real.anybody.get("/sessions/cup").text
    assert real.anybody.get("/api/v1/sessions").json == {"sessions": [], "next": None}
    listed = real.organiser.get("/api/v1/sessions").json
    assert listed is not None
    assert [each["hidden"] for each in listed["sessions"]] == [True]


def test_the_page_has_the_new_name_at_once(real: Real) -> None:
    assert "Cup" in real.anybody.get("/sessions/cup").text
    real.organiser.patch("/api/v1/sessions/cup", json={"name": "Bowl"})
    assert "<title>Bowl" in real.anybody.get("/sessions/cup").text


@pytest.mark.parametrize("body", [{}, {"name": 3}, {"hidden": "yes"}, {"seats": 5}, {"slug": "x"}])
def test_only_what_can_be_changed_at_any_time_is_patched(
    body: dict[str, object], real: Real
) -> None:
    response = real.organiser.patch("/api/v1/sessions/cup", json=body)
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["code"] == "invalid"


def test_a_session_is_replaced_and_deleted(real: Real) -> None:
    replaced = real.organiser.put("/api/v1/sessions/cup", json={**CUP, "seats": 5})
    assert replaced.json is not None
    assert replaced.json["seats"] == 5
    wrong = real.organiser.put("/api/v1/sessions/cup", json={**CUP, "slug": "other"})
    assert wrong.json is not None
    assert (wrong.status_code, wrong.json["code"]) == (400, "bad_value")
    deleted = real.organiser.delete("/api/v1/sessions/cup")
    assert deleted.json == replaced.json
    for gone in (real.organiser.delete, real.anybody.get):
        assert gone("/api/v1/sessions/cup").status_code == 404


def test_what_is_played_is_neither_replaced_nor_deleted() -> None:
    real = Real()
    real.session()
    for response in (
        real.organiser.put("/api/v1/sessions/cup", json={**CUP, "seats": 5}),
        real.organiser.delete("/api/v1/sessions/cup"),
    ):
        assert response.json is not None
        assert (response.status_code, response.json["code"]) == (409, "conflict")


def test_the_page_counts_down_to_what_a_session_does_by_itself(real: Real) -> None:
    start = instant_text(START_MS + 7_800_000)
    real.organiser.patch("/api/v1/sessions/cup", json={"starts": start})
    page = real.anybody.get("/sessions/cup").text
    assert f'<time datetime="{start}">' in page
    assert "in 2 h 10 min" in page
    real.clock.pass_ms(60_000)
    assert "in 2 h 9 min" in real.anybody.get("/sessions/cup").text
    real.clock.pass_ms(7_800_000)
    real.referee.sweep()
    assert "failed: " in real.anybody.get("/sessions/cup").text


@pytest.mark.parametrize("text", ["soon", "2027-06-30T18:00:00", "2001-01-01T00:00:00Z", 5])
def test_a_time_that_does_not_fit_is_refused_by_name(text: object, real: Real) -> None:
    response = real.organiser.patch("/api/v1/sessions/cup", json={"ends": text})
    assert response.status_code == 400
    assert "ends" in response.text


def test_a_bot_is_renamed_and_retired_with_its_own_token() -> None:
    real = Real()
    real.session()
    renamed = real.bots[0].patch("/api/v1/whoami", json={"name": "alice-2"})
    assert renamed.json is not None
    assert (renamed.status_code, renamed.json["name"]) == (200, "alice-2")
    taken = real.bots[0].patch("/api/v1/whoami", json={"name": "bot-2"})
    assert taken.status_code == 409
    whoami = real.bots[0].get("/api/v1/whoami").json
    assert whoami is not None
    assert whoami["name"] == "alice-2"
    assert "alice-2" in real.anybody.get("/sessions/cup").text
    retired = real.bots[0].post("/api/v1/whoami/retire")
    assert retired.json is not None
    assert (retired.status_code, retired.json["revoked"]) == (200, True)
    assert real.bots[0].get("/api/v1/whoami").status_code == 401
