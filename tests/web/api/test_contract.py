"""Schemathesis against the OpenAPI document: no 500, and every answer is what is promised.

The real arena with a session that is being played, asked as an organiser, as a bot and as nobody,
with names that exist and names that do not. Bounded: so many examples for each operation.
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from arena.settings import Settings
from arena.web.app import route_tables
from tests.real import Real

pytestmark = pytest.mark.slow

EXAMPLES = 40
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SETTINGS = Settings(requests_per_s=0, max_wait_ms=0)
NAMES = {
    "session": "cup",
    "table": "cup-r01-t01",
    "hand": "cup-r01-t01-h001",
    "turn": "cup-r01-t01-h001.5.0",
    "bot": "bot-1",
    "organiser": "organiser",
    "code": "illegal",
    "file": "turn.schema.json",
}
OPERATIONS = [
    f"{endpoint.method} {prefix}{endpoint.path}"
    for prefix, endpoints in route_tables(SETTINGS).values()
    for endpoint in endpoints
]


class UnderTest:
    """An arena in play, its description, and who may ask."""

    def __init__(self) -> None:
        self.real = Real(settings=SETTINGS)
        self.real.session()
        document = orjson.loads(self.real.anybody.get("/openapi.json").data)
        self.schema = schemathesis.openapi.from_dict(document)
        self.schema.app = self.real.app
        clients = (self.real.organiser, self.real.bots[1], self.real.anybody)
        self.tokens = [client.environ_base.get("HTTP_AUTHORIZATION") for client in clients]

    def ask(self, case: Case, token: str | None, known: set[str]) -> None:
        """Send a case, and look at what comes."""
        for name in known & set(case.path_parameters or {}):
            case.path_parameters[name] = NAMES.get(name, case.path_parameters[name])
        if case.path.endswith("/stream") and str(case.query.get("seconds", "60")).isdigit():
            case.query["seconds"] = 0  # else it is read for as long as it says
        headers = {"Accept-Encoding": "identity", **({"Authorization": token} if token else {})}
        response = case.call(headers=headers)
        case.validate_response(response, checks=CHECKS)
        if case.path.endswith("/whoami/token") and response.status_code == 200:
            self.tokens[self.tokens.index(token)] = f"Bearer {response.json()['token']}"


@pytest.fixture
def tested() -> UnderTest:
    return UnderTest()


@pytest.mark.parametrize("label", OPERATIONS)
def test_any_request_gets_an_answer_as_it_is_documented(label: str, tested: UnderTest) -> None:
    method, path = label.split(" ")
    operation: Any = tested.schema[path][method]
    callers, names = st.sampled_from(range(3)), st.sets(st.sampled_from(sorted(NAMES)))

    @seed(7)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), caller=callers, known=names)
    def check(case: Case, caller: int, known: set[str]) -> None:
        tested.ask(case, tested.tokens[caller], known)

    check()
