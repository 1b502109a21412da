"""Registrations cannot be used up by junk: whose try draws from which bucket, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.settings import Settings
from tests.real import Real

BOTS = "/api/v1/bots"
CODES = "/api/v1/codes"


def arena(mode: str = "code", **more: Any) -> Real:
    return Real(settings=Settings(registration=mode, requests_per_s=0, **more))


def code(real: Real, **terms: Any) -> str:
    response = real.organiser.post(CODES, json={"label": "class-4b", **terms})
    assert response.json is not None
    found: str = response.json["code"]
    return found


def junk(real: Real, body: dict[str, Any], tries: int = 400) -> list[int]:
    """The statuses of many registrations that lead to nothing."""
    numbered = ({**body, "name": f"{body.get('name', 'junk')}-{n}"} for n in range(tries))
    return [real.anybody.post(BOTS, json=each).status_code for each in numbered]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["open", "code"])
@pytest.mark.parametrize(
    "body", [{}, {"code": "dfacode_guess"}, {"name": "house-x"}, {"owner": "somebody"}]
)
def test_junk_keeps_no_student_out_who_has_a_code(mode: str, body: dict[str, Any]) -> None:
    real = arena(mode, max_bots=1_000)
    wanted = code(real, uses=15)
    assert junk(real, body)[-1] == 429
    for number in range(15):
        junk(real, body, tries=20)
        response = real.anybody.post(BOTS, json={"name": f"student-{number}", "code": wanted})
        assert response.status_code == 201, response.text


@pytest.mark.parametrize("mode", ["open", "code"])
def test_nor_an_owner_with_a_token_nor_an_organiser(mode: str) -> None:
    real = arena(mode)
    mine = real.anybody.post(BOTS, json={"name": "alice-1", "code": code(real, owner="alice")})
    assert mine.json is not None
    assert junk(real, {"code": "dfacode_guess"})[-1] == 429
    alice = real.client(mine.json["token"])
    for client, name in ((alice, "alice-2"), (real.organiser, "house bot")):
        response = client.post(BOTS, json={"name": name})
        assert response.status_code == 201, response.text


def test_wrong_codes_do_not_keep_those_out_who_need_none() -> None:
    real = arena("open")
    assert junk(real, {"code": "dfacode_guess"})[-1] == 429
    assert real.anybody.post(BOTS, json={"name": "alice"}).status_code == 201


@pytest.mark.slow
def test_a_refused_try_costs_more_than_one_that_succeeds() -> None:
    good, taken = arena("open"), arena("open")
    assert junk(good, {}).count(201) == 200
    taken.organiser.post(BOTS, json={"name": "x"})
    statuses = [taken.anybody.post(BOTS, json={"name": "x"}).status_code for _ in range(300)]
    assert 39 <= statuses.count(409) <= 41
    assert statuses[-1] == 429


@pytest.mark.slow
def test_many_tries_with_one_code_meet_a_limit_that_grows_with_its_uses() -> None:
    real = arena("code")
    real.organiser.post(BOTS, json={"name": "taken"})
    counts = []
    for uses in (1, 300):
        body = {"name": "taken", "code": code(real, uses=uses)}
        statuses = [real.anybody.post(BOTS, json=body).status_code for _ in range(400)]
        assert set(statuses) == {409, 429}
        counts.append(statuses.count(409))
    assert counts[0] < 10 < 200 < counts[1]


def test_one_who_has_the_code_of_a_class_keeps_no_other_out_by_what_is_refused() -> None:
    real = arena("code")
    real.organiser.post(BOTS, json={"name": "taken"})
    wanted = code(real, uses=15)
    body = {"name": "taken", "code": wanted}
    statuses = [real.anybody.post(BOTS, json=body).status_code for _ in range(300)]
    assert statuses[-1] == 429
    for number in range(15):
        assert real.anybody.post(BOTS, json=body).status_code == 429
        response = real.anybody.post(BOTS, json={"name": f"student-{number}", "code": wanted})
        assert response.status_code == 201, response.text


def test_a_refusal_says_when_to_come_back() -> None:
    real = arena("open", registrations_per_s=1, registration_burst=2, registrations_per_hour=4)
    for name in ("a", "b"):
        assert real.anybody.post(BOTS, json={"name": name}).status_code == 201
    refused = real.anybody.post(BOTS, json={"name": "c"})
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "1"
    real.clock.pass_ms(2_000)
    for name in ("c", "d"):
        assert real.anybody.post(BOTS, json={"name": name}).status_code == 201
    real.clock.pass_ms(2_000)
    full = real.anybody.post(BOTS, json={"name": "e"})
    assert full.status_code == 429
    assert full.json is not None
    assert full.json["code"] == "too_many_requests"
    assert "4 bots have been registered in an hour" in full.json["detail"]
    assert int(full.headers["Retry-After"]) == full.json["retry_after_s"] == 3_596


def test_a_token_and_a_code_are_not_sent_together() -> None:
    real = arena("code")
    wanted = code(real, owner="alice", uses=2)
    response = real.organiser.post(BOTS, json={"name": "x", "code": wanted})
    assert response.status_code == 400
    assert wanted not in response.text


def test_a_registration_is_short() -> None:
    real = arena("open")
    long = real.anybody.post(BOTS, json={"name": "x", "code": "x" * 5_000})
    assert long.status_code == 413
    widest = {"name": "大" * 40, "owner": "貧" * 80, "code": "é" * 200}
    assert real.anybody.post(BOTS, json=widest).status_code == 403


def test_with_a_wrong_token_nobody_registers() -> None:
    real = arena("open")
    assert real.client("dfa_" + "x" * 43).post(BOTS, json={"name": "x"}).status_code == 401


def test_in_a_closed_arena_only_organisers_register_bots() -> None:
    real = arena("closed")
    mine = real.organiser.post(BOTS, json={"name": "alice-1", "owner": "alice"})
    assert mine.status_code == 201
    assert mine.json is not None
    assert mine.json["bot"]["proven"] is True
    alice: FlaskClient = real.client(mine.json["token"])
    for client in (real.anybody, alice):
        response = client.post(BOTS, json={"name": "alice-2"})
        assert response.status_code == 403
        assert "only organisers" in response.text
    index = real.anybody.get("/api/v1").json
    assert index is not None
    assert index["registration"] == "closed"
    audit = real.organiser.get("/api/v1/audit").json
    assert audit is not None
    assert audit["entries"][0]["action"] == "bot.register"


def test_what_the_limits_are_is_for_the_operator() -> None:
    real = arena("open", anonymous_per_s=1, anonymous_burst=3)
    statuses = [real.anybody.get("/api/v1/sessions").status_code for _ in range(5)]
    assert statuses == [200] * 3 + [429] * 2


class TestAddresses:
    PER_ADDRESS: dict[str, Any] = {"requests_per_s_per_address": 1, "anonymous_burst": 1_000}  # noqa: RUF012

    def ask(self, real: Real, address: str, path: str = "/api/v1/sessions", **headers: str) -> int:
        return real.anybody.get(
            path, headers=headers, environ_base={"REMOTE_ADDR": address}
        ).status_code

    def test_one_does_not_use_up_what_another_needs(self) -> None:
        real = arena("open", **self.PER_ADDRESS)
        greedy = [self.ask(real, "192.0.2.1") for _ in range(20)]
        assert greedy == [200] * 5 + [429] * 15
        assert self.ask(real, "192.0.2.2") == 200
        assert real.organiser.get("/api/v1/sessions").status_code == 200
        real.clock.pass_ms(1_000)
        assert self.ask(real, "192.0.2.1") == 200

    def test_without_the_setting_addresses_are_of_no_matter(self) -> None:
        real = arena("open")
        assert {self.ask(real, "192.0.2.1") for _ in range(500)} == {200}

    def test_what_is_forwarded_is_believed_of_named_proxies_only(self) -> None:
        trusting = arena("open", trusted_proxies="10.0.0.0/8, ::1", **self.PER_ADDRESS)
        strict = arena("open", **self.PER_ADDRESS)
        for real, last in ((trusting, 200), (strict, 429)):
            for number in range(20):
                status = self.ask(real, "10.0.0.1", **{"X-Forwarded-For": f"192.0.2.{number}"})
            assert status == last
        result = [f"198.51.100.{n}, 192.0.2.99, 10.9.9.9" for n in range(20)]
        statuses = [self.ask(trusting, "10.0.0.1", **{"X-Forwarded-For": each}) for each in result]
        assert statuses[-1] == 429, "what stands before the nearest stranger is not believed"

    def test_ipv6_counts_by_subnet(self) -> None:
        real = arena("open", **self.PER_ADDRESS)
        assert [self.ask(real, f"2001:db8::{n:x}") for n in range(20)][-1] == 429
        assert self.ask(real, "2001:db8:0:1::1") == 200
        assert self.ask(real, "::ffff:192.0.2.1") == 200

    @pytest.mark.parametrize("odd", ["", "unknown", "1.2.3.4:80", "x, y", ",", "a" * 5_000])
    def test_odd_headers_do_no_harm(self, odd: str) -> None:
        real = arena("open", trusted_proxies="127.0.0.1", **self.PER_ADDRESS)
        assert self.ask(real, "127.0.0.1", **{"X-Forwarded-For": odd}) == 200

    def test_registrations_are_counted_by_the_hour(self) -> None:
        real = arena("open", registrations_per_hour_per_address=2)
        wanted = code(real, uses=30)

        def register(name: str, address: str, **more: str) -> int:
            return real.anybody.post(
                BOTS, json={"name": name, **more}, environ_base={"REMOTE_ADDR": address}
            ).status_code

        assert [register(f"a{n}", "192.0.2.1") for n in range(4)] == [201, 201, 429, 429]
        assert register("b", "192.0.2.2") == 201
        assert [register(f"c{n}", "192.0.2.1", code=wanted) for n in range(5)] == [201] * 5
        real.clock.pass_ms(1_800_000)
        assert register("a5", "192.0.2.1") == 201
