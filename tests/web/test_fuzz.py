"""Whatever is sent, it is never a fault of ours."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.settings import Settings
from arena.web.api.validation import load_schemas
from arena.web.app import create_app
from tests.web.conftest import with_token
from tests.web.fakes import ALICE, FakeClock, FakeReferee
from tests.web.watchdog import Watchdog

MEMBERS = st.sampled_from(
    ["cards", "as", "pass", "ask", "name", "throw", "choice", "turn", "answers", "cards "]
)
CODES = st.sampled_from(["S3", "JK", "HA", "2", "s3", "", "rock", "🂡"])
LEAVES = CODES | st.booleans() | st.none() | st.integers() | st.floats() | st.text(max_size=4)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MEMBERS, inner, max_size=3)
)
ANSWERS = st.dictionaries(MEMBERS, VALUES, max_size=3)
TURNS = st.sampled_from(["t1", "late", "taken", "illegal", "odd", "foreign", "unknown"])
MANY = st.fixed_dictionaries(
    {"answers": st.lists(st.fixed_dictionaries({"turn": TURNS}, optional={"pass": VALUES}))}
)
QUERIES = st.dictionaries(
    st.sampled_from(["wait", "max", "after", "legal", "x"]), st.text(max_size=5), max_size=3
)


def _client() -> tuple[Any, Watchdog]:
    clock = FakeClock()
    app = create_app(FakeReferee(clock), Settings(requests_per_s=0), monotonic=clock)
    watchdog = Watchdog(load_schemas())
    watchdog.watch(app)
    return with_token(app, ALICE), watchdog


CLIENT, WATCHDOG = _client()


def _send(path: str, data: bytes, query: dict[str, str]) -> None:
    response = CLIENT.post(path, data=data, query_string=query, content_type="application/json")
    assert response.status_code < 500
    assert WATCHDOG.complaints == []


@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(TURNS, ANSWERS | MANY, QUERIES)
def test_any_json_may_be_sent_as_an_answer(turn: str, body: Any, query: dict[str, str]) -> None:
    data = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS) if _sendable(body) else b"{}"
    _send(f"/api/v1/turns/{turn}", data, query)
    _send("/api/v1/turns", data, query)


def _sendable(body: Any) -> bool:
    try:
        orjson.dumps(body)
    except TypeError:
        return False
    return True


@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(st.text(max_size=20), st.binary(max_size=80))
def test_any_bytes_may_be_sent_anywhere(turn: str, data: bytes) -> None:
    _send(f"/api/v1/turns/{quote(turn)}", data, {})
    _send("/api/v1/bots", data, {})
    _send("/api/v1/turns", b'{"answers":[' + data + b"]}", {})


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="latin-1"), max_size=30))
def test_any_header_may_be_sent(text: str) -> None:
    value = "".join(c for c in text if c not in "\r\n\0")
    for name in ("Authorization", "X-Request-Id", "Content-Type", "Host", "Accept"):
        response = CLIENT.post("/api/v1/turns/t1", data=b'{"pass":true}', headers={name: value})
        assert response.status_code < 500
