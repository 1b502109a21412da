"""What a host answers: to workers, to others, and to garbage."""

from __future__ import annotations

import json
import socket
from functools import cache

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.loopback.messages import Request
from arena.match.attempts import attempt
from arena.work.host import LARGEST_BODY, WorkHost
from arena.work.terms import identity_digest, work_identity, write_result
from tests.work.hosting import MATCH, TOKEN, Hosted, hosted, played

SIGNED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def one():
    with hosted() as host:
        yield host


def ask(one, method, path, *, headers=SIGNED, **more):
    return requests.request(
        method, f"{one.host.url}/api/v1/work{path}", headers=headers, timeout=60, **more
    )


@cache
def digest():
    return identity_digest(work_identity(MATCH))


def lease(one, worker="w"):
    body = {"worker": worker, "identity": digest(), "wait_s": 0}
    return ask(one, "POST", "/lease", json=body).json()


def submit(one, number):
    return one.host.submit(attempt, MATCH, number, tried=1, home="x")


def check_problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == status
    return answer.json()["detail"]


@pytest.mark.server
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "no_token"),
        ({"Authorization": "Bearer wrong"}, "bad_token"),
        ({"Authorization": TOKEN}, "bad_token"),
        ({"Authorization": "Bearer ä"}, "bad_token"),
    ],
)
def test_without_the_token_there_is_nothing(one, headers, code):
    encoded = {name: value.encode("latin-1") for name, value in headers.items()}
    for method, path in (("GET", ""), ("POST", "/lease"), ("GET", "/elsewhere")):
        answer = ask(one, method, path, headers=encoded)
        check_problem(answer, 401)
        assert answer.json()["code"] == code


@pytest.mark.server
@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/lease", {}, 405),
        ("POST", "", {"json": {}}, 405),
        ("POST", "/elsewhere", {"json": {}}, 404),
        ("POST", "/lease", {"data": "{}"}, 415),
        ("POST", "/lease", {"json": {}}, 400),
        ("POST", "/lease", {"json": []}, 400),
        (
            "POST",
            "/lease",
            {"data": b"{", "headers": SIGNED | {"Content-Type": "application/json"}},
            400,
        ),
        ("POST", "/renew", {"json": {"worker": "w", "lease": "x", "wait_s": 1e9}}, 400),
        ("POST", "/renew", {"json": {"worker": "\x1b[2J", "lease": "x", "wait_s": 0}}, 400),
        ("POST", "/result", {"json": {"worker": "w"}}, 404),
        ("POST", "/result", {"json": {"worker": "w", "lease": "x", "played": {}}}, 404),
    ],
)
def test_what_is_no_request_of_a_worker_is_a_problem(one, method, path, more, status):
    check_problem(ask(one, method, path, **{"headers": SIGNED, **more}), status)


@pytest.mark.server
def test_a_worker_of_another_match_gets_no_lease(one):
    submit(one, 1)
    body = {"worker": "w", "identity": "0" * 64, "wait_s": 0}
    assert "other code of its bots" in check_problem(ask(one, "POST", "/lease", json=body), 409)
    assert one.news == ["worker w is refused: it plays another match, or other bots"]
    assert one.leased() == 0


@pytest.mark.server
def test_a_block_is_leased_renewed_and_brought_back_once(one):
    future = submit(one, 1)
    name = lease(one)["lease"]
    assert lease(one, "other")["lease"] is None
    one.pass_time(29)
    renewed = ask(one, "POST", "/renew", json={"worker": "w", "lease": name, "wait_s": 0})
    assert renewed.json() == {"open": True}
    one.pass_time(29)
    (block,) = played(1)
    body = {"worker": "w", "lease": name, **write_result(1, block)}
    assert ask(one, "POST", "/result", json=body).json() == {"counted": True}
    assert ask(one, "POST", "/result", json=body).json() == {"counted": False}
    assert future.result(timeout=0) == block


@pytest.mark.server
def test_a_lease_that_is_not_renewed_is_given_to_somebody_else(one):
    submit(one, 1)
    first = lease(one)
    assert (first["block"], first["renew_s"]) == (1, 10)
    one.pass_time(30)
    again = lease(one, "other")
    assert again["block"] == 1
    assert again["lease"] != first["lease"]


@pytest.mark.server
def test_a_result_that_is_none_is_refused_and_the_lease_stays(one):
    future = submit(one, 1)
    name = lease(one)["lease"]
    (block,) = played(1)
    for result in (
        {},
        {"played": {}},
        {"played": write_result(2, block)["played"]},
        {"failed": ""},
        {"failed": 7},
        {"lost": None},
    ):
        check_problem(
            ask(one, "POST", "/result", json={"worker": "w", "lease": name, **result}), 400
        )
    assert not future.done()
    assert one.leased() == 1


@pytest.mark.server
def test_when_the_match_is_over_workers_are_told():
    one = Hosted(linger_s=0)
    with one.host:
        submit(one, 1)
        name = lease(one)["lease"]
        one.host._over = True
        check_problem(
            ask(one, "POST", "/renew", json={"worker": "w", "lease": name, "wait_s": 9}), 410
        )
        body = {"worker": "w", "lease": name, "failed": "late"}
        check_problem(ask(one, "POST", "/result", json=body), 410)
    with pytest.raises(RuntimeError):
        submit(one, 2)


def raw(one, text):
    with socket.create_connection(("127.0.0.1", one.host.port), timeout=60) as connection:
        connection.sendall(text.encode("latin-1"))
        answer = b""
        while part := connection.recv(65_536):
            answer += part
        return answer.decode()


@pytest.mark.server
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("nonsense\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\n\r\n", 400),
        ("GET /api/v1/work HTTP/1.1\r\nHost: x\r\n\r\n", 401),
        ("POST /api/v1/work/result HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", 401),
    ],
)
def test_what_is_no_request_at_all_is_a_problem_too(one, text, status):
    answer = raw(one, text)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert "application/problem+json" in answer


@pytest.mark.server
def test_a_body_that_is_too_long_is_not_read(one):
    head = (
        "POST /api/v1/work/result HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {TOKEN}\r\n"
    )
    assert " 413 " in raw(one, f"{head}Content-Length: {LARGEST_BODY + 1}\r\n\r\n").splitlines()[0]
    assert " 400 " in raw(one, f"{head}Transfer-Encoding: chunked\r\n\r\n").splitlines()[0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def silent():
    """A host for what is not sent over the net."""
    with hosted() as host:
        yield host


@pytest.mark.server
@given(
    path=st.sampled_from(["lease", "renew", "result"]),
    members=st.fixed_dictionaries(
        {"worker": st.just("w") | JSON},
        optional=dict.fromkeys(("lease", "identity", "wait_s", "played", "failed", "lost"), JSON),
    ),
)
def test_no_body_is_answered_with_a_fault(silent, path, members):
    members["wait_s"] = members.get("wait_s") or 0
    if isinstance(members["wait_s"], int) and members["wait_s"] > 0:
        members["wait_s"] = 0
    request = Request("POST", f"/api/v1/work/{path}", {}, json.dumps(members).encode(), 1, 0.0)
    answer = silent.host._respond(request)
    assert answer.status in (200, 400, 404, 409, 410)


@pytest.mark.server
def test_an_address_that_is_taken_is_said_so(one):
    with pytest.raises(BadInput, match=r"--serve-work is '127.0.0.1:.*address of this machine"):
        WorkHost(MATCH, token=TOKEN, host="127.0.0.1", port=one.host.port)


@pytest.mark.server
def test_only_blocks_of_the_match_are_leased(one):
    with pytest.raises(TypeError):
        one.host.submit(print, MATCH, 1)
