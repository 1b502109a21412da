"""What a bot asks for: the views, before a fake referee."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.fakes import ADMIN, ALICE, TURN, FakeClock, FakeReferee


def test_a_bot_registers_and_gets_its_token_once(anybody: FlaskClient) -> None:
    response = anybody.post("/api/v1/bots", json={"name": "alice-1"})
    assert response.status_code == 201
    assert response.json is not None
    assert response.json["token"] == ALICE
    assert response.json["bot"]["name"] == "alice-1"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "taken"}, 409),
        ({"name": "x", "code": "dfacode_used"}, 403),
        ({"name": "аlice"}, 400),
        ({"name": ""}, 400),
        ({"name": "x" * 41}, 400),
        ({"name": 3}, 400),
        ({"name": "x", "color": "red"}, 400),
        ({}, 400),
    ],
)
def test_a_registration_that_cannot_be_is_refused(
    body: dict[str, Any], status: int, anybody: FlaskClient
) -> None:
    assert anybody.post("/api/v1/bots", json=body).status_code == status


def test_whoami_tells_scopes_and_limits_but_no_token(
    alice: FlaskClient, admin: FlaskClient
) -> None:
    result = alice.get("/api/v1/whoami").json
    assert result is not None
    assert result["scopes"] == ["play"]
    assert result["limits"]["requests_per_s"] == 10
    assert ALICE not in str(result)
    assert result["role"] == "bot"
    result = admin.get("/api/v1/whoami").json
    assert result is not None
    assert result["scopes"] == ["play", "view", "assist", "admin"]
    assert result["role"] == "organiser"


def test_a_token_can_be_rotated(alice: FlaskClient) -> None:
    result = alice.post("/api/v1/whoami/token").json
    assert result is not None
    assert result["token"].startswith("dfa_")
    assert result["token"] != ALICE


def test_a_bot_enters_and_leaves_a_session(alice: FlaskClient) -> None:
    entered = alice.put("/api/v1/sessions/cup/entry").json
    assert entered is not None
    assert (entered["bot"], entered["status"]) == ("b-alice", "entered")
    left = alice.delete("/api/v1/sessions/cup/entry").json
    assert left is not None
    assert left["status"] == "withdrawn"
    assert alice.put("/api/v1/sessions/none/entry").status_code == 404
    assert alice.put("/api/v1/sessions/over/entry").status_code == 409


def test_a_bot_gives_bytes_to_chance_with_its_entry(alice: FlaskClient) -> None:
    path = "/api/v1/sessions/cup/entry"
    for body, given in (({"chance": "1F" * 32}, True), ({}, False)):
        entered = alice.put(path, json=body).json
        assert entered is not None
        assert entered["chance_given"] is given
    refused = alice.put(path, json={"chance": "00" * 32})
    assert refused.status_code == 409
    assert refused.json is not None
    assert "other bytes for chance" in refused.json["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"chance": "1f" * 31},
        {"chance": "1f" * 33},
        {"chance": "zz" * 32},
        {"chance": 7},
        {"chance": None},
        {"chances": "1f" * 32},
        [],
    ],
)
def test_bytes_that_cannot_be_are_refused(body: Any, alice: FlaskClient) -> None:
    refused = alice.put("/api/v1/sessions/cup/entry", json=body)
    assert refused.status_code == 400
    assert refused.json is not None
    assert refused.json["code"] in ("invalid", "bad_json")


def test_a_poll_hands_its_parameters_to_the_referee(
    alice: FlaskClient, referee: FakeReferee
) -> None:
    referee.open_turns = [TURN]
    result = alice.get("/api/v1/turns?wait=2.5&max=3&after=17&legal=0").json
    assert result == {"turns": [TURN], "poll_after_ms": 0, "cursor": 7}
    assert alice.get("/api/v1/turns").status_code == 200
    assert referee.polls == [
        ("b-alice", 17, 3, 2500, False),
        ("b-alice", None, 4, 0, True),
    ]


def test_an_answer_is_taken_and_the_same_again_is_a_replay(alice: FlaskClient) -> None:
    first = alice.post("/api/v1/turns/t1", json={"cards": ["S3"]}).json
    assert first == {"accepted": True, "replayed": False, "events": []}
    again = alice.post("/api/v1/turns/again", json={"pass": True}).json
    assert again is not None
    assert again["replayed"] is True


def test_an_answer_with_wait_brings_the_next_turns(
    alice: FlaskClient, referee: FakeReferee
) -> None:
    referee.open_turns = [TURN]
    result = alice.post("/api/v1/turns/t1?wait=25&after=3", json={"pass": True}).json
    assert result is not None
    assert result["accepted"] is True
    assert result["next"] == [TURN]
    assert result["cursor"] == 7
    assert referee.polls == [("b-alice", 3, 4, 25_000, True)]


def test_many_answers_have_a_result_each_in_order_and_the_next_turns(
    alice: FlaskClient, referee: FakeReferee
) -> None:
    referee.open_turns = [TURN]
    answers = [{"turn": "t1", "pass": True}, {"turn": "again", "choice": 0}]
    result = alice.post("/api/v1/turns?wait=25", json={"answers": answers}).json
    assert result is not None
    assert [(one["turn"], one["status"]) for one in result["results"]] == [
        ("t1", 200),
        ("again", 200),
    ]
    assert result["next"] == [TURN]
    assert referee.polls[0][3] == 25_000


def test_an_answer_that_fails_among_many_has_its_problem_and_nobody_waits(
    alice: FlaskClient, referee: FakeReferee
) -> None:
    names = ["t1", "late", "taken", "illegal", "foreign", "unknown", "odd", "unavailable"]
    statuses = []
    for name in names:
        answers = [{"turn": name, "pass": True}]
        outcome = alice.post("/api/v1/turns?wait=25", json={"answers": answers}).json
        assert outcome is not None
        [result] = outcome["results"]
        statuses.append(result["status"])
        if "problem" in result:
            single = alice.post(f"/api/v1/turns/{name}", json={"pass": True}).json
            assert single is not None
            assert {**result["problem"], "instance": ""} == {**single, "instance": ""}
    assert statuses == [200, 410, 409, 422, 403, 404, 400, 503]
    assert [poll[3] for poll in referee.polls] == [25_000] + [0] * 7


def test_too_many_answers_in_one_request_are_refused(alice: FlaskClient) -> None:
    answers = [{"turn": f"t{n}", "pass": True} for n in range(5)]
    problem = alice.post("/api/v1/turns", json={"answers": answers}).json
    assert problem is not None
    assert problem["errors"] == [
        {"in": "body", "pointer": "/answers", "message": "5 answers; at most 4"}
    ]


def test_no_answers_at_all_is_a_poll(alice: FlaskClient, referee: FakeReferee) -> None:
    referee.open_turns = [TURN]
    result = alice.post("/api/v1/turns", json={"answers": []}).json
    assert result is not None
    assert result["results"] == []
    assert result["next"] == [TURN]


class TestLimits:
    """10 requests a second, 100 at once; the clock stands still unless it is moved."""

    def test_asking_in_a_loop_ends_with_429_and_a_time_to_wait(
        self, alice: FlaskClient, clock: FakeClock
    ) -> None:
        statuses = [alice.get("/api/v1/turns").status_code for _ in range(101)]
        assert statuses == [200] * 100 + [429]
        response = alice.get("/api/v1/turns")
        assert response.headers["Retry-After"] == "1"
        assert response.json is not None
        assert response.json["retry_after_s"] == 1
        clock.now += 1
        assert alice.get("/api/v1/turns").status_code == 200

    def test_the_limit_is_of_the_token_not_of_the_address(
        self, alice: FlaskClient, admin: FlaskClient
    ) -> None:
        while alice.get("/api/v1/turns").status_code == 200:
            pass
        assert admin.get("/api/v1/turns").status_code == 200

    def test_long_polls_that_end_empty_never_count(
        self, alice: FlaskClient, clock: FakeClock
    ) -> None:
        for _ in range(300):
            assert alice.get("/api/v1/turns?wait=1").status_code == 200
            clock.now -= 1

    def test_empty_answers_that_came_at_once_do_count(self, alice: FlaskClient) -> None:
        statuses = {alice.get("/api/v1/turns?wait=0.001").status_code for _ in range(120)}
        assert statuses == {200, 429}

    def test_answers_to_open_turns_never_count_and_pay_for_the_poll(
        self, alice: FlaskClient, referee: FakeReferee
    ) -> None:
        referee.open_turns = [TURN]
        for _ in range(300):
            assert alice.get("/api/v1/turns?wait=25").status_code == 200
            assert alice.post("/api/v1/turns/t1", json={"pass": True}).status_code == 200
        body = {"answers": [{"turn": "t1", "pass": True}]}
        for _ in range(300):
            assert alice.post("/api/v1/turns?wait=25", json=body).status_code == 200

    def test_an_empty_bucket_never_costs_a_turn(self, alice: FlaskClient) -> None:
        while alice.get("/api/v1/turns").status_code == 200:
            pass
        assert alice.post("/api/v1/turns/t1", json={"pass": True}).status_code == 200

    def test_a_flood_of_refused_answers_meets_the_floor(self, alice: FlaskClient) -> None:
        statuses = [
            alice.post("/api/v1/turns/illegal", json={"pass": True}).status_code for _ in range(201)
        ]
        assert statuses == [422] * 200 + [429]

    def test_refused_answers_count_each_in_a_batch_too(self, alice: FlaskClient) -> None:
        body = {"answers": [{"turn": "late", "pass": True}] * 4}
        statuses = [alice.post("/api/v1/turns", json=body).status_code for _ in range(60)]
        assert statuses == [200] * 50 + [429] * 10

    @pytest.mark.slow
    def test_anybody_shares_one_limit_and_bots_do_not_feel_it(
        self, app: Flask, anybody: FlaskClient, alice: FlaskClient
    ) -> None:
        statuses = [anybody.get("/api/v1/sessions").status_code for _ in range(1_001)]
        assert statuses == [200] * 1_000 + [429]
        assert alice.get("/api/v1/sessions").status_code == 200
        assert anybody.get("/healthz").status_code == 200

    def test_registrations_have_a_limit_of_their_own(self, anybody: FlaskClient) -> None:
        statuses = [
            anybody.post("/api/v1/bots", json={"name": "x"}).status_code for _ in range(201)
        ]
        assert statuses == [201] * 200 + [429]


def test_a_bot_asks_for_its_own_ledger_and_an_organiser_for_anybodys(
    alice: FlaskClient, admin: FlaskClient, anybody: FlaskClient, referee: FakeReferee
) -> None:
    result = alice.get("/api/v1/turns/ledger?session=cup&after=cup-h1.2.3&limit=7").json
    assert result is not None
    assert result["entries"][0]["charged_ms"] == 41
    assert admin.get("/api/v1/bots/alice/ledger?table=cup-r01-t01").status_code == 200
    assert referee.polls == [
        ("b-alice", "cup-h1.2.3", 7, "cup", None),
        ("alice", None, 100, None, "cup-r01-t01"),
    ]
    assert alice.get("/api/v1/bots/bob/ledger").status_code == 403
    assert anybody.get("/api/v1/turns/ledger").status_code == 401
    assert alice.get("/api/v1/turns/ledger?session=none").status_code == 404
    assert alice.get("/api/v1/turns/ledger?bot=bob").status_code == 400


def test_the_scheme_of_the_header_may_be_written_in_any_case(anybody: FlaskClient) -> None:
    header = {"Authorization": f"bearer  {ALICE} "}
    assert anybody.get("/api/v1/whoami", headers=header).status_code == 200
    twice = {"Authorization": f"Bearer {ALICE},Bearer {ADMIN}"}
    assert anybody.get("/api/v1/whoami", headers=twice).status_code == 401


def test_a_wrong_token_is_refused_on_public_paths_too(anybody: FlaskClient) -> None:
    header = {"Authorization": "Bearer dfa_wrong"}
    assert anybody.get("/api/v1/sessions", headers=header).status_code == 401
