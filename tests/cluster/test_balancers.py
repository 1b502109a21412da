"""nginx, HAProxy and Traefik before two referees, with the files that we ship: who has a route gets
there, a route says nothing else, and where a referee is down another one answers."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import requests

from arena.web.api.problems import MEDIA
from arena.web.api.validation import load_schemas
from tests.cluster.balancers import BALANCERS, DEPLOY, Balancer, Front
from tests.cluster.upstream import Upstream, serving

pytestmark = pytest.mark.server

ROUTE = "arena_route=referee-1"
OWN_PROBLEMS = ("nginx", "haproxy")
"""What answers problem documents of its own; Traefik cannot."""
PATIENCE_S = 60.0


class Balanced:
    """A balancer before two referees, and somebody who keeps no cookies."""

    def __init__(self, name: str, front: Front, referees: tuple[Upstream, Upstream]) -> None:
        self.name = name
        self.front = front
        self.referees = referees
        self.http = requests.Session()
        self.http.trust_env, self.http.verify = False, str(front.certificate)
        self.stop: Callable[[], None] = lambda: None

    def ask(
        self, path: str, cookie: str = "", *, method: str = "GET", **more: Any
    ) -> requests.Response:
        headers = {"Cookie": cookie} if cookie else {}
        url = self.front.secure + path
        return self.http.request(
            method, url, headers=headers, timeout=30, allow_redirects=False, **more
        )

    def answered_by(self, cookie: str = "", *, method: str = "GET") -> set[int]:
        """Who gets some requests: the numbers of the referees."""
        before = [len(each.asked()) for each in self.referees]
        for _ in range(4):
            assert self.ask("/api/v1/x", cookie, method=method).status_code == 200
        after = [len(each.asked()) for each in self.referees]
        return {number for number in (1, 2) if after[number - 1] > before[number - 1]}


@contextmanager
def balanced(name: str, balancer: Balancer) -> Iterator[Balanced]:
    """A balancer; `stop` of what it yields takes the first referee away."""
    first, second = Upstream(), Upstream()
    with ExitStack() as stack, ExitStack() as stopping:
        urls = stopping.enter_context(serving(first)), stack.enter_context(serving(second))
        created = Balanced(name, stack.enter_context(balancer(urls)), (first, second))
        created.stop = stopping.close
        stack.callback(created.http.close)
        yield created


@pytest.fixture(scope="module", params=BALANCERS)
def at(request: pytest.FixtureRequest) -> Iterator[Balanced]:
    with balanced(request.param, BALANCERS[request.param]) as created:
        yield created


@pytest.fixture(params=BALANCERS)
def fresh(request: pytest.FixtureRequest) -> Iterator[Balanced]:
    """One that a test may damage."""
    with balanced(request.param, BALANCERS[request.param]) as created:
        yield created


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_route_leads_to_its_referee(at: Balanced, method: str) -> None:
    for number in (1, 2):
        route = f"arena_route=referee-{number}"
        for cookie in (route, f"a=1; {route}", f"{route}; b=2", f"a=1; {route}; b=2"):
            assert at.answered_by(cookie, method=method) == {number}, cookie


@pytest.mark.parametrize(
    "cookie",
    ["", "arena_route=", "arena_route=referee-3", "arena_route=127.0.0.1", "x_arena_route=a"],
)
def test_without_a_route_or_with_a_forged_one_any_referee_answers(
    at: Balanced, cookie: str
) -> None:
    assert at.answered_by(cookie) == {1, 2}


@pytest.mark.parametrize("cookie", ["", ROUTE])
def test_what_every_referee_refuses_keeps_nobody_from_the_others(
    fresh: Balanced, cookie: str
) -> None:
    """Such as a page of a session whose home cannot be reached just now."""
    for _ in range(3):
        assert fresh.ask("/full", cookie).status_code in (502, 503)
        for other in ("", ROUTE, "arena_route=referee-2"):
            assert fresh.ask("/api/v1/x", other).status_code == 200


@pytest.mark.parametrize("cookie", ["", ROUTE])
def test_a_request_arrives_as_it_was_sent(at: Balanced, cookie: str) -> None:
    sent = {"X-Forwarded-For": "203.0.113.7", "X_Forwarded_For": "203.0.113.8", "X-Own": "1"}
    path = "/api/v1/bots/a%23b%3B%25%20%E9%81%93?x=%2F&y="
    answer = at.http.post(
        at.front.secure + path, data=b"{}", headers={**sent, "Cookie": cookie}, timeout=30
    )
    assert answer.status_code == 200
    method, arrived, heads = next(
        each.requests[-1] for each in at.referees if each.requests and path in each.paths()
    )
    names = {name.lower(): value for name, value in heads.items()}
    assert (method, arrived, names["x-own"]) == ("POST", path, "1")
    assert names["host"] == at.front.secure.removeprefix("https://")
    assert (names["x-forwarded-for"], names["x-forwarded-proto"]) == ("127.0.0.1", "https")
    assert names.get("cookie", "") == cookie
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    for each in at.referees:
        each.requests.clear()


@pytest.mark.parametrize("path", ["/metrics", "/readyz", "/metrics?x=1", "/%6detrics", "//metrics"])
def test_the_world_does_not_see_the_insides(at: Balanced, path: str) -> None:
    before = [each.asked() for each in at.referees]
    assert status_of(at.front, path, ROUTE) == 404
    assert [each.asked() for each in at.referees] == before


def status_of(front: Front, path: str, cookie: str) -> int:
    """What a path is answered with that is sent as it is written."""
    host, port = front.plain.removeprefix("http://").split(":")
    head = f"GET {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(head.encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    return int(answer.split()[1])


def test_what_the_referee_says_passes_as_it_is(at: Balanced) -> None:
    answer = at.ask("/refused", ROUTE)
    assert (answer.status_code, answer.json()["detail"]) == (429, "by the referee itself")
    assert (answer.headers["Retry-After"], answer.headers["Content-Type"]) == ("7", MEDIA)


def test_plain_http_is_answered_with_the_way_to_tls() -> None:
    for name, line in (
        ("nginx.conf", r"return 308 https://\$server_name\$request_uri;"),
        ("haproxy.cfg", r"http-request redirect scheme https code 308"),
        ("traefik.yaml", r"to: websecure\n +scheme: https"),
    ):
        assert re.search(line, (DEPLOY / name).read_text(encoding="utf-8"))


def test_where_its_referee_has_gone_another_one_answers(fresh: Balanced) -> None:
    """What could not be sent is sent elsewhere, whatever it is."""
    fresh.answered_by(ROUTE)
    fresh.stop()
    eventually(fresh, "POST")
    for cookie in (ROUTE, ""):
        assert fresh.answered_by(cookie, method="POST") == {2}
        assert fresh.answered_by(cookie) == {2}


def test_a_referee_that_is_not_ready_is_left_alone_until_it_is(fresh: Balanced) -> None:
    first, _ = fresh.referees
    first.ready = False
    eventually(fresh, "GET")
    assert fresh.ask("/api/v1/x", ROUTE).json() == {"path": "/api/v1/x"}
    first.ready = True
    until_s = time.monotonic() + PATIENCE_S
    while fresh.answered_by(ROUTE) != {1}:
        assert time.monotonic() < until_s, "it is never asked again"


def eventually(fresh: Balanced, method: str) -> None:
    """Until a request with a route is answered; before that the balancer may say that it cannot."""
    until_s = time.monotonic() + PATIENCE_S
    while (status := fresh.ask("/api/v1/x", ROUTE, method=method).status_code) != 200:
        assert status in (502, 503)
        assert time.monotonic() < until_s, "nobody else is asked"


def test_what_was_sent_and_not_answered_is_never_sent_again(fresh: Balanced) -> None:
    for each in fresh.referees:
        each.cutting = True
    answer = fresh.ask("/cut", ROUTE, method="POST", json={"choice": 0})
    assert answer.status_code == 502
    sent = [each.asked().count(("POST", "/cut")) for each in fresh.referees]
    assert sent == [1, 0]
    if fresh.name in OWN_PROBLEMS:
        assert answer.headers["Content-Type"] == MEDIA
        assert load_schemas().faults("problem", answer.json()) == []
        assert answer.headers["Retry-After"] == str(answer.json()["retry_after_s"])


@pytest.mark.parametrize("name", OWN_PROBLEMS)
def test_no_referee_at_all_is_a_problem_that_may_pass(name: str) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with BALANCERS[name]([url, url]) as front:
            answer = requests.get(f"{front.secure}/x", timeout=30, verify=str(front.certificate))
    assert answer.status_code in (502, 503)
    assert load_schemas().faults("problem", answer.json()) == []
    assert answer.headers["Retry-After"] == "1"


def test_haproxy_refuses_a_flood_of_registrations_from_one_address() -> None:
    with balanced("haproxy", BALANCERS["haproxy"]) as at:
        answers = [at.ask("/api/v1/bots", method="POST", json={}) for _ in range(420)]
        statuses = [answer.status_code for answer in answers]
        assert statuses[:200] == [200] * 200  # a class of any size that there is gets in
        assert statuses[-1] == 429
        assert load_schemas().faults("problem", answers[-1].json()) == []
        assert at.ask("/api/v1/bots").status_code == 200
