"""The same app, unpatched, under a thread-per-request server, with real sockets."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from flask import Flask
from werkzeug.serving import make_server

from tests.web.fakes import ALICE


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_many_answers_at_once_are_all_taken(url: str) -> None:
    def answer(number: int) -> int:
        with requests.Session() as http:
            http.trust_env = False
            http.headers["Authorization"] = f"Bearer {ALICE}"
            response = http.post(f"{url}/api/v1/turns/t{number}", json={"pass": True}, timeout=20)
            return response.status_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(answer, range(64))) == [200] * 64
