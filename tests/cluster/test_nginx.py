"""The site file for nginx, with the real nginx: TLS, bounds, what the world may not see, errors."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import requests

from arena.web.api.problems import MEDIA, TABLE, Code
from arena.web.api.validation import load_schemas
from tests.cluster.nginx import Site, serving_site
from tests.cluster.upstream import Upstream, serving

pytestmark = pytest.mark.server


class Proxied(NamedTuple):
    """A site, what is behind it, and a session that trusts its certificate."""

    site: Site
    upstream: Upstream
    http: requests.Session

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:
        return self.http.request(
            method, self.site.secure + path, timeout=30, allow_redirects=False, **more
        )


@pytest.fixture(scope="module")
def proxied() -> Iterator[Proxied]:
    upstream = Upstream()
    with serving(upstream) as url, serving_site([url]) as site, requests.Session() as http:
        http.trust_env, http.verify = False, str(site.certificate)
        yield Proxied(site, upstream, http)


def check_problem(answer: requests.Response, status: int, code: Code) -> None:
    """A problem document of ours, with what every answer over TLS has."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == MEDIA
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    document = answer.json()
    assert load_schemas().faults("problem", document) == []
    assert (document["status"], document["code"]) == (status, code)
    assert document["title"] == TABLE[code].title
    assert document["instance"]
    assert "nginx/" not in answer.headers["Server"]
    asked = document.get("retry_after_s")
    assert answer.headers.get("Retry-After") == (None if asked is None else str(asked))


def test_a_request_passes_with_the_callers_address_and_host(proxied: Proxied) -> None:
    answer = proxied.ask("GET", "/api/v1?a=b", headers={"X-Forwarded-For": "203.0.113.7"})
    assert answer.json() == {"path": "/api/v1?a=b"}
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Retry-After" not in answer.headers
    _, _, heads = proxied.upstream.requests[-1]
    assert heads["Host"] == proxied.site.secure.removeprefix("https://")
    assert heads["X-Forwarded-For"] == "127.0.0.1"
    assert heads["X-Forwarded-Proto"] == "https"


def test_plain_http_is_answered_with_the_way_to_tls(proxied: Proxied) -> None:
    answer = requests.get(
        f"{proxied.site.redirecting}/sessions?x=1", timeout=30, allow_redirects=False
    )
    assert answer.status_code == 308
    assert answer.headers["Location"] == "https://arena.example/sessions?x=1"


@pytest.mark.parametrize(
    "path", ["/metrics", "/readyz", "/metrics?x=1", "/%6detrics", "//metrics", "/x/../readyz"]
)
def test_the_world_does_not_see_the_insides(proxied: Proxied, path: str) -> None:
    before = len(proxied.upstream.requests)
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert said(proxied.site, head.encode()).startswith(b"HTTP/1.1 404 ")
    check_problem(proxied.ask("GET", "/metrics"), 404, Code.NO_ROUTE)
    assert len(proxied.upstream.requests) == before


def said(site: Site, request: bytes) -> bytes:
    """What nginx answers to bytes, to the end of the connection."""
    host, port = site.plain.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_a_long_body_is_refused_before_it_is_sent_on(proxied: Proxied) -> None:
    before = len(proxied.upstream.requests)
    check_problem(proxied.ask("POST", "/api/v1/turns", data=b"x" * 65_537), 413, Code.TOO_LARGE)
    assert len(proxied.upstream.requests) == before
    assert proxied.ask("POST", "/api/v1", data=b"x" * 65_536).status_code == 200


def test_long_heads_and_addresses_are_problems_too(proxied: Proxied) -> None:
    check_problem(proxied.ask("GET", "/" + "x" * 9_000), 414, Code.BAD_REQUEST)
    long = {"X-Long": "x" * 9_000}
    check_problem(proxied.ask("GET", "/", headers=long), 400, Code.BAD_REQUEST)


def test_trace_is_not_for_proxies(proxied: Proxied) -> None:
    check_problem(proxied.ask("TRACE", "/"), 405, Code.METHOD_NOT_ALLOWED)


def test_the_referees_own_refusals_pass_as_they_are(proxied: Proxied) -> None:
    answer = proxied.ask("GET", "/refused")
    assert (answer.status_code, answer.json()["detail"]) == (429, "by the referee itself")
    assert answer.headers["Retry-After"] == "7"


def test_a_long_poll_waits_through_it(proxied: Proxied) -> None:
    """What the poll waits for happens only when it has arrived and another request has passed."""
    found: list[requests.Response] = []
    poll = threading.Thread(
        target=lambda: found.append(proxied.ask("GET", "/api/v1/turns?wait=25"))
    )
    poll.start()
    assert proxied.upstream.polling.wait(30)
    with requests.Session() as other:
        other.trust_env, other.verify = False, str(proxied.site.certificate)
        assert other.get(f"{proxied.site.secure}/api/v1", timeout=30).status_code == 200
    assert found == []
    proxied.upstream.released.set()
    poll.join(30)
    assert found[0].json() == {"path": "/api/v1/turns?wait=25"}


def test_a_flood_of_registrations_from_one_address_is_429_and_other_requests_pass() -> None:
    upstream = Upstream()
    with serving(upstream) as url, serving_site([url]) as site, requests.Session() as http:
        http.trust_env, http.verify = False, str(site.certificate)
        on = Proxied(site, upstream, http)
        answers = [on.ask("POST", "/api/v1/bots", json={"name": "x"}) for _ in range(300)]
        counted = Counter(answer.status_code for answer in answers)
        assert set(counted) == {200, 429}
        assert counted[200] >= 200  # a class of any size that there is gets in
        refused = next(answer for answer in answers if answer.status_code == 429)
        check_problem(refused, 429, Code.TOO_MANY_REQUESTS)
        assert on.ask("GET", "/api/v1/bots").status_code == 200
        assert on.ask("GET", "/api/v1").status_code == 200


def test_no_referee_is_a_problem_that_may_pass(proxied: Proxied) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with serving_site([url]) as site:
            answer = requests.get(f"{site.secure}/api/v1", timeout=30, verify=str(site.certificate))
    check_problem(answer, 502, Code.SERVER_ERROR)
