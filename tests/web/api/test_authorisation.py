"""Who may call what: every endpoint by every kind of caller, from one table."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from arena.settings import Settings
from arena.web.app import route_tables
from tests.real import Real

EVERYBODY = "nobody bot viewer assistant organiser"
SIGNED = "bot viewer assistant organiser"
PLAYERS = "bot organiser"
STAFF = "viewer assistant organiser"
HELPERS = "assistant organiser"
ORGANISERS = "organiser"

MAY_CALL = {
    "POST /api/v1/bots": EVERYBODY,
    "POST /seat": EVERYBODY,
    "POST /seat/answer": EVERYBODY,
    "POST /seat/leave": EVERYBODY,
    "POST /seat/invitation": EVERYBODY,
    "POST /seat/accept": EVERYBODY,
    "GET /api/v1/whoami": SIGNED,
    "POST /api/v1/whoami/token": SIGNED,
    "PATCH /api/v1/whoami": PLAYERS,
    "POST /api/v1/whoami/retire": PLAYERS,
    "PUT /api/v1/sessions/{session}/entry": PLAYERS,
    "DELETE /api/v1/sessions/{session}/entry": PLAYERS,
    "GET /api/v1/turns": PLAYERS,
    "GET /api/v1/turns/ledger": PLAYERS,
    "POST /api/v1/turns": PLAYERS,
    "POST /api/v1/turns/{turn}": PLAYERS,
    "GET /api/v1/bots/{bot}/notices": SIGNED,
    "GET /api/v1/bots/{bot}/ledger": STAFF,
    "GET /api/v1/sessions/{session}/alerts": STAFF,
    "GET /api/v1/sessions/{session}/forecast": STAFF,
    "GET /api/v1/sessions/{session}/clocks": STAFF,
    "GET /api/v1/audit": STAFF,
    "GET /api/v1/cluster": STAFF,
    "POST /api/v1/cluster/referees/{referee}/drain": ORGANISERS,
    "POST /api/v1/cluster/referees/{referee}/undrain": ORGANISERS,
    "POST /api/v1/sessions/{session}/move": ORGANISERS,
    "POST /api/v1/sessions/{session}/pause": HELPERS,
    "POST /api/v1/sessions/{session}/resume": HELPERS,
    "POST /api/v1/tables/{table}/void": HELPERS,
    "POST /api/v1/tables/{table}/replay": HELPERS,
    "POST /api/v1/sessions": ORGANISERS,
    "PUT /api/v1/sessions/{session}": ORGANISERS,
    "PATCH /api/v1/sessions/{session}": ORGANISERS,
    "DELETE /api/v1/sessions/{session}": ORGANISERS,
    "POST /api/v1/sessions/{session}/{action}": ORGANISERS,
    "POST /api/v1/sessions/{session}/start": ORGANISERS,
    "POST /api/v1/sessions/{session}/cancel": ORGANISERS,
    "POST /api/v1/sessions/{session}/freeze": ORGANISERS,
    "PUT /api/v1/sessions/{session}/divisions": ORGANISERS,
    "POST /api/v1/sessions/{session}/embargo": ORGANISERS,
    "POST /api/v1/sessions/{session}/publish": ORGANISERS,
    "PUT /api/v1/sessions/{session}/entries/{bot}": ORGANISERS,
    "DELETE /api/v1/sessions/{session}/entries/{bot}": ORGANISERS,
    "POST /api/v1/sessions/{session}/entries/{bot}/withdraw": ORGANISERS,
    "POST /api/v1/sessions/{session}/entries/{bot}/disqualify": ORGANISERS,
    "GET /api/v1/sessions/{session}/notify": ORGANISERS,
    "PUT /api/v1/sessions/{session}/notify": ORGANISERS,
    "DELETE /api/v1/sessions/{session}/notify": ORGANISERS,
    "POST /api/v1/sessions/{session}/notify/test": ORGANISERS,
    "POST /api/v1/codes": ORGANISERS,
    "GET /api/v1/codes": ORGANISERS,
    "POST /api/v1/codes/{code}/revoke": ORGANISERS,
    "GET /api/v1/sessions/{session}/invitations": ORGANISERS,
    "POST /api/v1/sessions/{session}/invitations": ORGANISERS,
    "POST /api/v1/sessions/{session}/invitations/{invitation}/revoke": ORGANISERS,
    "POST /api/v1/bots/{bot}/revoke": ORGANISERS,
    "POST /api/v1/bots/{bot}/restore": ORGANISERS,
    "GET /api/v1/organisers": ORGANISERS,
    "POST /api/v1/organisers": ORGANISERS,
    "POST /api/v1/organisers/{organiser}/revoke": ORGANISERS,
}
"""Every endpoint that is not for reading by everybody."""
READ_BY_EVERYBODY = {
    "GET /api/v1",
    "GET /api/v1/bots/{bot}",
    "GET /api/v1/sessions",
    "GET /api/v1/sessions/{session}",
    "GET /api/v1/sessions/{session}/tables",
    "GET /api/v1/tables/{table}",
    "GET /api/v1/hands/{hand}",
    "GET /api/v1/hands/{hand}/events",
    "GET /api/v1/hands/{hand}/record",
    "GET /api/v1/hands/{hand}/proof",
    "GET /api/v1/keys",
    "GET /api/v1/sessions/{session}/digest",
    "GET /api/v1/sessions/{session}/records",
    "GET /api/v1/sessions/{session}/standings",
    "GET /api/v1/sessions/{session}/standings.svg",
    "GET /api/v1/sessions/{session}/versions",
    "GET /api/v1/sessions/{session}/history",
    "GET /api/v1/sessions/{session}/history.svg",
    "GET /api/v1/sessions/{session}/crosstable",
    "GET /api/v1/sessions/{session}/superiority",
    "GET /api/v1/sessions/{session}/separations",
    "GET /api/v1/stream",
    "GET /api/v1/sessions/{session}/programme",
    "GET /api/v1/sessions/{session}/bots/{bot}",
    "GET /api/v1/sessions/{session}/pairs/{bot}/{other}",
    "GET /",
    "GET /seat",
    "GET /seat/invitation",
    "GET /sessions",
    "GET /sessions/{session}",
    "GET /sessions/{session}/{report}",
    "GET /sessions/{session}/tables",
    "GET /sessions/{session}/bots/{bot}",
    "GET /sessions/{session}/ceremony",
    "GET /sessions/{session}/pairs/{bot}/{other}",
    "GET /tables/{table}",
    "GET /hands/{hand}",
    "GET /hands/{hand}/moments",
    "GET /hands/{hand}/position",
    "GET /oembed",
    "GET /static/{file}",
    "GET /kit/{file}",
    "GET /manual",
    "GET /manual/{topic}",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /staff",
    "GET /rules",
    "GET /rules.md",
    "GET /rules/{ruleset}",
    "GET /rules/examples/{option}",
    "GET /rules/examples/{option}/{number}",
    "GET /rules/examples/{option}/{number}/moments",
    "GET /problems",
    "GET /problems/{code}",
    "GET /schemas",
    "GET /schemas/{file}",
}
CALLERS = ("nobody", "garbage", "bot", "revoked bot", "viewer", "assistant", "organiser")


def endpoints() -> Iterator[str]:
    for prefix, table in route_tables(Settings()).values():
        for endpoint in table:
            yield f"{endpoint.method} {prefix}{endpoint.path}"


class Callers:
    """An arena, and a fresh token of each kind for each request: some requests use them up."""

    def __init__(self) -> None:
        self.real = Real()
        self.made = 0

    def token(self, caller: str) -> str | None:
        self.made += 1
        name, referee = f"caller {self.made}", self.real.referee
        if caller == "nobody":
            return None
        if caller == "garbage":
            return "dfa_garbage"
        if "bot" not in caller:
            return referee.organisers.create(name, role=caller, actor="test")[1]
        _, token = referee.register(name)
        if caller == "revoked bot":
            referee.revoke(name, "test")
        return token

    def outcome(self, label: str, caller: str) -> str:
        """allowed, 401 or 403: what the pipeline answers, whatever the endpoint answers then."""
        method, path = label.split(" ")
        filled = re.sub(r"{(\w+)}", "none", path.replace("{action}", "close"))
        client = self.real.client(self.token(caller))
        body = {} if method == "POST" else None
        response = client.open(filled, method=method, json=body)
        if response.status_code == 401:
            return "401"
        refused = response.status_code == 403 and "with the scope" in response.text
        return "403" if refused else "allowed"


@pytest.fixture(scope="module")
def callers() -> Callers:
    return Callers()


def expected(label: str, caller: str) -> str:
    if caller in ("garbage", "revoked bot"):
        return "401"
    allowed = MAY_CALL.get(label, EVERYBODY).split()
    if caller in allowed:
        return "allowed"
    return "401" if caller == "nobody" else "403"


def test_every_endpoint_is_in_one_of_the_tables() -> None:
    assert set(endpoints()) == set(MAY_CALL) | READ_BY_EVERYBODY
    assert not set(MAY_CALL) & READ_BY_EVERYBODY


@pytest.mark.parametrize("label", sorted(set(endpoints())))
def test_each_kind_of_caller_may_do_what_is_its_right_and_nothing_else(
    label: str, callers: Callers
) -> None:
    result = {caller: callers.outcome(label, caller) for caller in CALLERS}
    assert result == {caller: expected(label, caller) for caller in CALLERS}


def test_who_sees_names_and_withheld_results(callers: Callers) -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    real.organiser.post("/api/v1/sessions/cup/embargo", json={})
    for caller in ("viewer", "assistant", "organiser"):
        _, token = real.referee.organisers.create(f"{caller} x", role=caller, actor="test")
        client = real.client(token)
        assert client.get("/api/v1/sessions/cup/records").status_code == 200
        result = client.get("/api/v1/sessions/cup").json
        assert result is not None
        assert "bot-1" in [entry["name"] for entry in result["entries"]]
    assert real.bots[0].get("/api/v1/sessions/cup/records").status_code == 403
    assert "bot-1" not in real.anybody.get("/api/v1/sessions/cup").text
