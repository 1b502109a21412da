"""The Caddyfile, with the real Caddy: what passes, what the world may not see, errors."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from arena.web.api.problems import MEDIA, Code
from arena.web.api.validation import load_schemas
from tests.cluster.nginx import needed, wait_for
from tests.cluster.upstream import Upstream, serving
from tests.ports import free_port

pytestmark = pytest.mark.server

CADDYFILE = Path(__file__).parents[2] / "arena" / "deploy" / "Caddyfile"


def caddy(
    folder: Path, site: str, upstream: str, *command: str, file: Path = CADDYFILE
) -> subprocess.Popen[str]:
    """Caddy with our file; what it keeps goes into the folder."""
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    told = {"ARENA_SITE": site, "ARENA_REFEREE": upstream.removeprefix("http://")}
    return subprocess.Popen(
        [needed("caddy"), *command, "--config", str(file), "--adapter", "caddyfile"],
        env={**os.environ, **home, **told},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def proxy(folder: Path, upstream: str) -> Iterator[str]:
    """Caddy before a referee, without TLS, for a certificate needs a name; its URL."""
    port = free_port()
    process = caddy(folder, f"http://127.0.0.1:{port}", upstream, "run")
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
def url(upstream: Upstream, tmp_path: Path) -> Iterator[str]:
    with serving(upstream) as behind, proxy(tmp_path, behind) as url:
        yield url


def check_problem(answer: requests.Response, status: int, code: Code) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == MEDIA
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    assert "Server" not in answer.headers
    document = answer.json()
    assert load_schemas().faults("problem", document) == []
    assert (document["status"], document["code"]) == (status, code)
    asked = document.get("retry_after_s")
    assert answer.headers.get("Retry-After") == (None if asked is None else str(asked))


def test_a_name_of_a_host_means_tls_and_the_file_is_right(tmp_path: Path) -> None:
    process = caddy(tmp_path, "arena.example", "referee:8000", "validate")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "enabling automatic HTTP->HTTPS redirects" in said


def test_what_is_for_the_world_passes_and_the_insides_do_not(url: str, upstream: Upstream) -> None:
    answer = requests.get(f"{url}/api/v1", headers={"X-Forwarded-For": "203.0.113.7"}, timeout=30)
    assert answer.json() == {"path": "/api/v1"}
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert upstream.requests[-1][2]["X-Forwarded-For"] == "127.0.0.1"
    for path in ("/metrics", "/readyz", "/%6detrics", "//metrics", "/metrics/", "/READYZ"):
        check_problem(requests.get(url + path, timeout=30), 404, Code.NO_ROUTE)
    assert upstream.paths() == ["/api/v1"]
    refused = requests.get(f"{url}/refused", timeout=30)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "7")


def test_a_long_poll_waits_through_it(url: str, upstream: Upstream) -> None:
    found: list[requests.Response] = []
    poll = threading.Thread(
        target=lambda: found.append(requests.get(f"{url}/api/v1/turns?wait=25", timeout=60))
    )
    poll.start()
    assert upstream.polling.wait(30)
    assert requests.get(f"{url}/api/v1", timeout=30).status_code == 200
    assert found == []
    upstream.released.set()
    poll.join(30)
    assert found[0].json() == {"path": "/api/v1/turns?wait=25"}


def test_no_referee_is_a_problem_that_may_pass(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        behind = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with proxy(tmp_path, behind) as url:
            check_problem(requests.get(url, timeout=30), 502, Code.SERVER_ERROR)
