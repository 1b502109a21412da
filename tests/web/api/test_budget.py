"""Every request has a budget: hostile ones are refused after little work, and billed by their size.

Work is counted, not timed: calls of functions, faults made, looks for tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import ValidationError
from werkzeug.test import EnvironBuilder

from arena import pacing
from arena.bench.abuse import honest
from arena.bench.abuse_accepted import accepted
from arena.bench.abuse_kinds import hostile
from arena.bench.abuse_target import Stopwatch, target
from arena.settings import Settings
from arena.web.api.endpoints import Endpoint, Scope
from arena.web.api.validation import load_schemas
from arena.web.app import UNKNOWN_TOKENS_BURST, create_app, route_tables
from tests.web.conftest import with_token
from tests.web.fakes import ADMIN, ALICE, FakeClock, FakeReferee, Identity

LIMIT = 65_536
BURST = 100
MOST_CALLS = 20_000
"""Of functions, Python's own included, in one piece of answering a request."""
MOST_FAULTS = 20
JUNK = b'{"x":"' + b"a" * 51_000 + b'"}'
JSON = "application/json"


class CountingReferee(FakeReferee):
    """Counts how often it is asked to look for a token that it does not know from memory."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.searches = 0

    def known(self, token: str) -> Identity | None:
        return super().identify(token)

    def identify(self, token: str) -> Identity | None:
        self.searches += 1
        return super().identify(token)


@pytest.fixture
def referee(clock: FakeClock) -> CountingReferee:
    return CountingReferee(clock)


def left(client: FlaskClient, path: str = "/api/v1/sessions/cup") -> int:
    """How many more requests are let through now."""
    count = 0
    while client.get(path).status_code != 429:
        count += 1
    return count


# Billing.


@pytest.mark.parametrize(
    ("data", "media", "code", "units"),
    [
        (JUNK, JSON, "invalid", 50),
        (JUNK[:-1], JSON, "bad_json", 50),
        (JUNK, "text/plain", "not_json", 50),
        (b"[" + b"1," * 25_000 + b"1]", JSON, "bad_json", 49),
        (b" " * 70_000, JSON, "too_large", 65),
        (b'{"cads":["S3"]}', JSON, "invalid", 1),
    ],
)
def test_a_body_that_is_refused_draws_from_the_callers_bucket_by_its_size(
    alice: FlaskClient, data: bytes, media: str, code: str, units: int
) -> None:
    result = alice.post("/api/v1/turns/t1", data=data, content_type=media).json
    assert result is not None
    assert result["code"] == code
    assert left(alice) == BURST - units


def test_a_body_in_chunks_is_billed_like_any_other(alice: FlaskClient) -> None:
    response = alice.post(
        "/api/v1/turns/t1",
        input_stream=EnvironBuilder(data=JUNK).input_stream,
        content_type=JSON,
        environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
    )
    assert response.status_code == 400
    assert left(alice) == BURST - 50


def test_a_query_that_is_refused_is_billed_like_a_body(alice: FlaskClient) -> None:
    assert alice.get("/api/v1/turns", query_string="x=" + "1" * 5_200).status_code == 400
    assert left(alice) == BURST - 6


def test_a_move_that_is_accepted_costs_nothing_and_a_refused_one_its_unit(
    alice: FlaskClient,
) -> None:
    answer = {"cards": ["S3"] * 100}
    for _ in range(2 * BURST):
        assert alice.post("/api/v1/turns/t1", json=answer).status_code == 200
    assert alice.post("/api/v1/turns/illegal", json=answer).status_code == 422
    assert left(alice) == BURST - 1


def test_malformed_registrations_are_billed_to_nobody_but_those_who_send_them() -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    anybody = app.test_client()
    statuses = [
        anybody.post("/api/v1/bots", data=JUNK, content_type=JSON).status_code for _ in range(300)
    ]
    assert statuses[0] == 413
    assert statuses[-1] == 429
    assert statuses.count(413) < 100
    assert anybody.get("/api/v1/sessions/cup").status_code == 200
    assert anybody.post("/api/v1/bots", json={"name": "alice"}).status_code == 201
    assert with_token(app, ALICE).get("/api/v1/sessions/cup").status_code == 200


def test_a_registration_that_only_says_that_it_is_long_locks_nobody_out() -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    anybody = app.test_client()
    for _ in range(500):
        long = {"CONTENT_LENGTH": "65000", "CONTENT_TYPE": JSON}
        assert anybody.post("/api/v1/bots", environ_overrides=long).status_code in (413, 429)
    assert anybody.get("/api/v1/sessions/cup").status_code == 200


def test_malformed_registrations_of_one_address_meet_the_limit_of_the_address() -> None:
    settings = Settings(requests_per_s_per_address=1, registrations_per_hour_per_address=1)
    app = create_app(FakeReferee(FakeClock()), settings, monotonic=FakeClock())
    anybody = app.test_client()
    statuses = [anybody.post("/api/v1/bots", json={"no": 1}).status_code for _ in range(9)]
    assert statuses == [400] * 5 + [429] * 4
    assert anybody.post("/api/v1/bots", json={"name": "alice"}).status_code == 201


@pytest.mark.slow
def test_junk_in_place_of_answers_is_let_through_as_rarely_as_its_size_says(
    alice: FlaskClient, clock: FakeClock
) -> None:
    statuses = []
    for _ in range(1_000):
        clock.now += 0.1  # one unit
        sent = alice.post("/api/v1/turns/t1", data=JUNK, content_type=JSON)
        statuses.append(sent.status_code)
    most = (1_000 + 2 * BURST) / 50 + 1
    assert set(statuses) == {400, 429}
    assert statuses.count(400) <= most


# Limits come first.


def test_tokens_that_nobody_has_are_looked_for_so_often_and_push_nobody_out(
    app: Flask, alice: FlaskClient, anybody: FlaskClient, referee: CountingReferee
) -> None:
    garbage = [with_token(app, f"dfa_{number:043}") for number in range(UNKNOWN_TOKENS_BURST + 50)]
    statuses = [each.get("/api/v1/turns?wait=0").status_code for each in garbage]
    assert statuses == [401] * UNKNOWN_TOKENS_BURST + [429] * 50
    assert referee.searches == UNKNOWN_TOKENS_BURST
    assert alice.get("/api/v1/whoami").status_code == 200
    assert anybody.get("/api/v1/sessions/cup").status_code == 200
    assert referee.searches == UNKNOWN_TOKENS_BURST


def test_who_comes_without_a_token_where_one_is_needed_draws_from_the_common_bucket() -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    anybody = app.test_client()
    statuses = {anybody.get("/api/v1/whoami").status_code for _ in range(1_100)}
    assert statuses == {401, 429}
    basic = anybody.get("/api/v1/sessions", headers={"Authorization": "Basic eDp5"})
    assert basic.status_code == 429


# Work.


class Work(NamedTuple):
    """What answering took."""

    status: int
    calls: int
    faults: int


class Counter:
    """Counts calls of functions, those of the longest piece between two rests, and faults made."""

    def __init__(self) -> None:
        self.calls = self.in_piece = self.longest = 0
        self.faults = 0

    def note(self, frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.calls += 1
            self.in_piece += 1
            self.longest = max(self.longest, self.in_piece)
            if frame.f_code is Stopwatch.rest.__code__:
                self.in_piece = 0
            if event == "call" and frame.f_code is ValidationError.__init__.__code__:
                self.faults += 1


@contextmanager
def counted() -> Iterator[Counter]:
    counter = Counter()
    sys.setprofile(counter.note)
    try:
        yield counter
    finally:
        sys.setprofile(None)


def work_of(app: Flask, environ: dict[str, Any]) -> Work:
    """Answer a request, and count."""
    statuses: list[int] = []

    def start(status: str, *_: Any) -> Any:
        statuses.append(int(status[:3]))

    with counted() as counter:
        pieces: Iterable[bytes] = app(environ, start)
        for _ in pieces:
            pass
    return Work(statuses[0], counter.calls, counter.faults)


@pytest.mark.slow
def test_every_kind_of_abuse_is_little_work() -> None:
    with target() as arena:
        works = {kind.name: counted_ask(arena, kind.make) for kind in (*honest(), *hostile())}
    assert {name: calls for name, calls in works.items() if calls > MOST_CALLS} == {}


@pytest.mark.slow
def test_every_kind_that_is_accepted_is_little_work_between_two_rests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pacing, "LONGEST_S", 0.0)  # whatever may be parted is parted
    with target() as arena:
        works = {kind.name: counted_ask(arena, kind.make) for kind in accepted()}
    assert {name: calls for name, calls in works.items() if calls > MOST_CALLS} == {}
    assert len(works) == 7


def counted_ask(arena: Any, make: Any) -> int:
    arena.ask(make(arena))
    sent = make(arena)
    with counted() as counter:
        status, _ = arena.ask(sent)
    assert status < 500
    return counter.longest


SCHEMAS = load_schemas()
ROUTES = [
    (prefix, endpoint)
    for prefix, endpoints in route_tables(Settings()).values()
    for endpoint in endpoints
]
LEAVES = st.sampled_from(
    [1, -1, 1.5, True, None, "S3", "x9", "JK", "", "a" * 50, "\x00" * 30, "大" * 20, "kakumeii"]
)
SMALL = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["turn", "cards", "as", "a", "b" * 40]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


def names_in(schema: Any) -> set[str]:
    """All names of members anywhere in a schema and those that it refers to."""
    if isinstance(schema, list):
        return set().union(*map(names_in, schema))
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", ()))
    if isinstance(schema.get("$ref"), str):
        found |= names_in(SCHEMAS.documents[schema["$ref"].removesuffix(".schema.json")])
    return found.union(*map(names_in, schema.values()))


@st.composite
def hostile_bodies(draw: st.DrawFn, endpoint: Endpoint) -> bytes:
    """Bodies that fill up to 64 KiB: wide, deep, long, with many strangers or many bad entries."""
    own = sorted(names_in(SCHEMAS.documents[endpoint.body])) if endpoint.body else ["x"]
    size = draw(st.sampled_from([200, 2_000, 16_000, LIMIT - 2_000]))
    path = draw(st.lists(st.sampled_from(own), min_size=1, max_size=3))
    value = draw(st.one_of(_wide(size), _strangers(size), _deep(size), _long(size)))
    for name in reversed(path):
        value = b'{"%b":%b}' % (name.encode(), value)
    return value[:LIMIT]


def _wide(size: int) -> st.SearchStrategy[bytes]:
    return SMALL.map(orjson.dumps).map(
        lambda entry: b"[" + b",".join([entry] * (size // (len(entry) + 1))) + b"]"
    )


def _strangers(size: int) -> st.SearchStrategy[bytes]:
    def members(entry: bytes, prefix: str) -> bytes:
        count = size // (len(entry) + len(prefix) + 9)
        named = (b'"%b%d":%b' % (prefix.encode(), n, entry) for n in range(count))
        return b"{" + b",".join(named) + b"}"

    prefixes = st.sampled_from(["m", "kakumei_", "card", "shibari_sequence"])
    return st.builds(members, SMALL.map(orjson.dumps), prefixes)


def _deep(size: int) -> st.SearchStrategy[bytes]:
    levels = st.sampled_from([5, 15, 100, size // 2])
    return levels.map(lambda count: b"[" * count + b"]" * count)


def _long(size: int) -> st.SearchStrategy[bytes]:
    texts = st.sampled_from([b"a", b":", b",", b"{", b"\\u0301", b"\xe5\xa4\xa7"])
    numbers = st.sampled_from([b"1", b"0", b"1." + b"3" * 50])
    return texts.map(lambda text: b'"' + text * (size // len(text)) + b'"') | numbers.map(
        lambda digits: (digits * (size // len(digits)))[:size]
    )


QUERIES = st.sampled_from(
    ["", "x=1", "&".join(["x=1"] * 500), "wait=" + "1" * 60_000, "%41" * 2_000 + "=1", "&" * 60_000]
)


def _token(endpoint: Endpoint) -> str:
    return ADMIN if endpoint.scope in (Scope.ADMIN, Scope.ANY_TOKEN) else ALICE


@cache
def _ready_app() -> Flask:
    """An app that has served every route once; it is shared, and its buckets are always full."""
    clock = FakeClock()
    referee = FakeReferee(clock)
    created = create_app(referee, Settings(requests_per_s=0), monotonic=lambda: _later(clock))
    for prefix, endpoint in ROUTES:  # what is made once is made now
        created.test_client().open(_path(prefix, endpoint), method=endpoint.method)
    return created


def _later(clock: FakeClock) -> float:
    clock.now += 1_000  # every bucket is full again
    return clock.now


def _path(prefix: str, endpoint: Endpoint) -> str:
    known = {"session": "cup", "table": "cup-r01-t01", "action": "open", "code": "invalid"}
    path = prefix + endpoint.path
    for name in ("session", "table", "action", "code", "turn", "bot", "hand", "file", "report"):
        path = path.replace(f"{{{name}}}", known.get(name, "t1"))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prefix", "endpoint"), ROUTES, ids=[f"{e.method} {p}{e.path}" for p, e in ROUTES]
)
@settings(
    max_examples=min(25, settings().max_examples),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_whatever_is_sent_to_whatever_endpoint_the_work_is_bounded(
    prefix: str, endpoint: Endpoint, data: st.DataObject
) -> None:
    body = data.draw(hostile_bodies(endpoint))
    environ = EnvironBuilder(
        _path(prefix, endpoint),
        method=endpoint.method,
        data=body if endpoint.body else None,
        content_type=JSON if endpoint.body else None,
        query_string=data.draw(QUERIES),
        headers={"Authorization": f"Bearer {_token(endpoint)}"},
    ).get_environ()
    work = work_of(_ready_app(), environ)
    assert work.status < 500
    assert work.calls <= MOST_CALLS
    assert work.faults <= MOST_FAULTS + 1


def test_a_page_costs_more_than_an_answer() -> None:
    app = create_app(FakeReferee(FakeClock()), Settings(), monotonic=FakeClock())
    anybody = app.test_client()
    through = 0
    while anybody.get("/").status_code == 200:
        through += 1
    assert through == Settings().anonymous_burst // 5
