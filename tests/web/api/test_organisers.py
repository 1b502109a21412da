from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from arena.web.api.openapi import ACTIONS
from tests.web.fakes import FakeReferee


def test_a_session_is_created_from_its_document(admin: FlaskClient) -> None:
    response = admin.post("/api/v1/sessions", json={"name": "Cup", "seats": 4.0})
    assert response.status_code == 201
    assert response.headers["Location"] == "/api/v1/sessions/cup"


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({}, ""),
        ({"name": ""}, "/name"),
        ({"name": "Cup", "seat": 4}, ""),
        ({"name": "Cup", "seats": 9}, "/seats"),
        ({"name": "Cup", "slug": "Cup!"}, "/slug"),
        ({"name": "Cup", "clock": {"move_s": 5}}, "/clock"),
        ({"name": "Cup", "clock": {"move_ms": "5"}}, "/clock/move_ms"),
        ({"name": "Cup", "reseat_every": "always"}, "/reseat_every"),
        ({"name": "Cup", "ruleset": {"patches": [3]}}, "/ruleset/patches/0"),
        ({"name": "Cup", "seed": "abc"}, "/seed"),
    ],
)
def test_a_document_that_does_not_fit_is_refused_with_a_pointer(
    document: dict[str, object], pointer: str, admin: FlaskClient
) -> None:
    problem = admin.post("/api/v1/sessions", json=document).json
    assert problem is not None
    assert problem["code"] == "invalid"
    assert pointer in [error["pointer"] for error in problem["errors"]]


def test_an_unknown_option_is_answered_with_what_is_known(admin: FlaskClient) -> None:
    document = {"name": "Cup", "ruleset": {"options": {"kakumeii": True}, "preset": "pagatt"}}
    problem = admin.post("/api/v1/sessions", json=document).json
    assert problem is not None
    result = {error["pointer"]: error["message"] for error in problem["errors"]}
    assert result["/ruleset/options"].startswith("unknown member 'kakumeii'; known: ")
    assert result["/ruleset/options"].endswith("; did you mean kakumei?")
    assert result["/ruleset/preset"].startswith("unknown: 'pagatt'; known: pagat, denexa")
    assert result["/ruleset/preset"].endswith("; did you mean pagat?")


def test_what_the_referee_finds_wrong_is_answered_in_its_words(admin: FlaskClient) -> None:
    problem = admin.post("/api/v1/sessions", json={"name": "Cup", "anchor": "nobody"}).json
    assert problem is not None
    assert problem["code"] == "bad_value"
    assert problem["detail"] == "anchor is 'nobody'; expected a bot of this arena"


@pytest.mark.parametrize("action", [*ACTIONS, "start", "cancel", "pause", "resume"])
def test_each_action_goes_to_the_referee_with_who_did_it(
    action: str, admin: FlaskClient, referee: FakeReferee
) -> None:
    assert admin.post(f"/api/v1/sessions/cup/{action}").status_code == 200
    assert referee.actions == [("cup", action, "b-admin")]
    assert admin.post(f"/api/v1/sessions/over/{action}").status_code == 409


def test_a_start_may_have_the_value_of_a_public_source(
    admin: FlaskClient, referee: FakeReferee
) -> None:
    path = "/api/v1/sessions/cup/start"
    assert admin.post(path, json={"public_chance": "3f9c1d77a2"}).status_code == 200
    assert referee.actions == [("cup", "start", "b-admin", "3f9c1d77a2")]
    for wrong in ("", "a\nb", "x" * 1001, 7, None):
        problem = admin.post(path, json={"public_chance": wrong}).json
        assert problem is not None
        assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid", "/public_chance")


def test_other_actions_have_no_path(admin: FlaskClient) -> None:
    assert admin.post("/api/v1/sessions/cup/explode").status_code == 404
    assert admin.get("/api/v1/sessions/cup/start").status_code == 405


def test_bots_are_entered_withdrawn_and_disqualified_by_name_or_id(admin: FlaskClient) -> None:
    path = "/api/v1/sessions/cup/entries/%E5%A4%A7%20x"
    entered = admin.put(path).json
    assert entered is not None
    assert entered["bot"] == "大 x"
    for method, way in ((admin.delete, ""), (admin.post, "/withdraw"), (admin.post, "/disqualify")):
        result = method(path + way).json
        assert result is not None
        assert result["status"] == ("disqualified" if way == "/disqualify" else "withdrawn")


def test_an_enrolment_code_has_a_number_of_uses_and_an_end(
    admin: FlaskClient, referee: FakeReferee
) -> None:
    body = {"label": "class 3b", "uses": 30, "valid_hours": 0.5}
    assert admin.post("/api/v1/codes", json=body).status_code == 201
    assert admin.post("/api/v1/codes", json={"label": "x"}).status_code == 201
    assert referee.actions == [
        ("code", "class 3b", "None", "30", "b-admin", "1800000"),
        ("code", "x", "None", "1", "b-admin", "None"),
    ]
    assert admin.post("/api/v1/codes", json={"label": "x", "uses": 0}).status_code == 400


def test_codes_are_made_for_one_owner_or_for_each_of_many(
    admin: FlaskClient, referee: FakeReferee
) -> None:
    one = admin.post("/api/v1/codes", json={"label": "x", "owner": "alice", "uses": 3}).json
    assert one is not None
    assert one["owner"] == "alice"
    many = admin.post("/api/v1/codes", json={"label": "x", "owners": ["alice", "bob"]}).json
    assert many is not None
    assert [each["owner"] for each in many["codes"]] == ["alice", "bob"]
    assert referee.actions == [
        ("code", "x", "['alice']", "3", "b-admin", "None"),
        ("code", "x", "['alice', 'bob']", "1", "b-admin", "None"),
    ]
    both = {"label": "x", "owner": "alice", "owners": ["bob"]}
    for body in (both, {"label": "x", "owners": []}, {"label": "x", "owners": ["a"] * 401}):
        assert admin.post("/api/v1/codes", json=body).status_code == 400


def test_records_come_as_json_lines(admin: FlaskClient, referee: FakeReferee) -> None:
    response = admin.get("/api/v1/sessions/cup/records")
    assert referee.actions == [("records", "cup", "True")]
    assert response.mimetype == "application/jsonl"
    assert response.headers["Content-Disposition"] == 'attachment; filename="cup.jsonl"'
    assert [line[:28] for line in response.text.splitlines()] == [
        '{"format":"daifugo-arena/ses',
        '{"format":"daifugo-arena/han',
    ]
    assert admin.get("/api/v1/sessions/none/records").status_code == 404


def test_everybody_gets_the_records_that_are_public(
    alice: FlaskClient, anybody: FlaskClient, referee: FakeReferee
) -> None:
    assert alice.get("/api/v1/sessions/cup/records").status_code == 200
    assert anybody.get("/api/v1/sessions/cup/records").status_code == 200
    assert referee.actions == [("records", "cup", "False")] * 2


def test_a_bot_can_be_barred_and_it_is_noted(admin: FlaskClient, referee: FakeReferee) -> None:
    assert admin.post("/api/v1/bots/alice/revoke").status_code == 200
    assert referee.actions == [("revoke", "alice", "b-admin")]
    assert admin.get("/api/v1/audit?limit=5").status_code == 200


def test_bots_are_put_into_divisions(admin: FlaskClient, referee: FakeReferee) -> None:
    path = "/api/v1/sessions/cup/divisions"
    listed = [{"bot": "alice-1", "division": "students"}, {"bot": "bob", "division": None}]
    assert admin.put(path, json={"members": listed}).status_code == 200
    said = "divide {'alice-1': 'students', 'bob': None}"
    assert referee.actions[-1] == ("cup", said, "b-admin")
    many = [{"bot": f"bot-{number}", "division": "a"} for number in range(1_000)]
    assert admin.put(path, json={"members": many}).status_code == 200
    for bot, division in (("a" * 81, "a"), ("a", 3), ("a", "s" * 41), (None, "a")):
        body = {"members": [{"bot": bot, "division": division}]}
        assert admin.put(path, json=body).status_code == 400
    for members in ({"a": "b"}, [], [*many, many[0]], [{"bot": "a"}]):
        assert admin.put(path, json={"members": members}).status_code == 400
    assert admin.put(path, json={}).status_code == 400


def test_results_are_frozen_embargoed_and_published(
    admin: FlaskClient, referee: FakeReferee
) -> None:
    cup = "/api/v1/sessions/cup"
    assert admin.post(f"{cup}/freeze").status_code == 200
    for body in ({}, {"until": None}, {"until": "2026-01-31T18:00:00.5+09:00"}):
        assert admin.post(f"{cup}/embargo", json=body).status_code == 200
    assert admin.post(f"{cup}/publish").status_code == 200
    assert referee.actions == [
        ("cup", "freeze", "b-admin"),
        ("cup", "embargo", "None", "b-admin"),
        ("cup", "embargo", "None", "b-admin"),
        ("cup", "embargo", "1769850000500", "b-admin"),
        ("cup", "publish", "b-admin"),
    ]


@pytest.mark.parametrize("until", ["tomorrow", "2026-01-31T18:00:00", "2026-01-31", "", "0"])
def test_an_embargo_ends_at_an_instant_and_nothing_else(until: str, admin: FlaskClient) -> None:
    problem = admin.post("/api/v1/sessions/cup/embargo", json={"until": until}).json
    assert problem is not None
    assert problem["code"] == "bad_value"
    assert "an instant with its offset" in problem["detail"]


def test_a_table_is_made_void_with_a_reason_and_replayed(
    admin: FlaskClient, referee: FakeReferee
) -> None:
    table = "/api/v1/tables/cup-r01-t01"
    result = admin.post(f"{table}/void", json={"reason": "停電"}).json
    assert result is not None
    assert result["void"]["reason"] == "停電"
    response = admin.post(f"{table}/replay")
    assert response.status_code == 201
    assert response.headers["Location"] == f"{table}b"
    assert referee.actions == [
        ("void", "cup-r01-t01", "停電", "b-admin"),
        ("replay", "cup-r01-t01", "b-admin"),
    ]
    for body in ({}, {"reason": ""}, {"reason": "x" * 201}, {"reason": "x", "replay": True}):
        assert admin.post(f"{table}/void", json=body).status_code == 400


def test_bots_may_do_nothing_of_this(alice: FlaskClient, anybody: FlaskClient) -> None:
    asks = [
        ("POST", "/sessions"),
        ("POST", "/sessions/cup/start"),
        ("PUT", "/sessions/cup/entries/bob"),
        ("DELETE", "/sessions/cup/entries/bob"),
        ("POST", "/sessions/cup/entries/bob/withdraw"),
        ("POST", "/sessions/cup/entries/bob/disqualify"),
        ("POST", "/sessions/cup/freeze"),
        ("POST", "/sessions/cup/embargo"),
        ("POST", "/sessions/cup/publish"),
        ("POST", "/tables/cup-r01-t01/void"),
        ("POST", "/tables/cup-r01-t01/replay"),
        ("GET", "/sessions/cup/alerts"),
        ("POST", "/codes"),
        ("POST", "/bots/bob/revoke"),
        ("GET", "/audit"),
    ]
    for method, path in asks:
        assert alice.open("/api/v1" + path, method=method).status_code == 403
        assert anybody.open("/api/v1" + path, method=method).status_code == 401


@pytest.mark.parametrize(
    "body", [{"reason": ""}, {"reason": "x" * 201}, {"why": "x"}, {"reason": 1}]
)
def test_a_reason_that_is_none_is_refused(admin: FlaskClient, body: object) -> None:
    refused = admin.post("/api/v1/sessions/cup/entries/b-1/disqualify", json=body)
    assert refused.status_code == 400
    assert refused.json is not None
    assert refused.json["code"] == "invalid"


@pytest.mark.parametrize("path", ["cancel", "entries/b-1/withdraw", "entries/b-1/disqualify"])
def test_a_reason_may_be_left_out(admin: FlaskClient, path: str) -> None:
    assert admin.post(f"/api/v1/sessions/cup/{path}").status_code == 200
    given = admin.post(f"/api/v1/sessions/cup/{path}", json={"reason": "power cut"})
    assert given.status_code == 200
