"""A client that a generator makes from a saved copy of `/openapi.json` compiles, and plays."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from arena.client import Client
from tests.cli.shell import served

GENERATOR = "openapi_python_client"
NEEDED = "TESTS_NEED_SERVERS"
BOT = """
import sys

from generated import AuthenticatedClient, Client
from generated.api.bots import answer_turn, enter_session, poll_turns, register
from generated.api.public import show_session
from generated.models import Answer, Registration

url, session, name = sys.argv[1:]
registered = register.sync(client=Client(url), body=Registration(name=name))
me = AuthenticatedClient(url, registered.token)
assert enter_session.sync(session, client=me).session == session
print("entered", flush=True)
answered = 0
while show_session.sync(session, client=me).status != "finished":
    for turn in poll_turns.sync(client=me, wait=2).turns:
        assert turn.legal and turn.held and turn.players[turn.seat].name == name, turn
        sent = answer_turn.sync(turn.turn, client=me, body=Answer(choice=0))
        answered += sent.accepted
print(answered)
"""


@pytest.fixture
def generator() -> None:
    """Is the generator installed? It is in the extra `dev`."""
    if importlib.util.find_spec(GENERATOR) is None:
        reason = "needs openapi-python-client (pip install -e '.[dev]')"
        if os.environ.get(NEEDED):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.server
@pytest.mark.usefixtures("generator")
def test_a_generated_client_compiles_and_two_bots_play_with_it(tmp_path: Path) -> None:
    with served("memory:") as server:
        saved = tmp_path / "openapi.json"
        saved.write_bytes(requests.get(f"{server.url}/openapi.json", timeout=30).content)
        folder = tmp_path / "generated"
        flags = ["--path", str(saved), "--output-path", str(folder), "--meta", "none"]
        run = f"from {GENERATOR}.cli import app; app()"
        done = subprocess.run(
            [sys.executable, "-c", run, "generate", *flags],
            capture_output=True,
            text=True,
            timeout=150,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        compiled = [sys.executable, "-W", "error", "-m", "compileall", "-q", str(folder)]
        subprocess.run(compiled, check=True, timeout=150)
        (tmp_path / "bot.py").write_text(BOT)
        with Client(server.url, server.token) as organiser:
            ruleset = {"preset": "pagat", "options": {"players": 2}}
            document = {"name": "Two", "slug": "two", "ruleset": ruleset, "hands_per_table": 2}
            organiser.request("POST", "/sessions", body=document)
            organiser.request("POST", "/sessions/two/open")
            bots = [started(tmp_path, server.url, name) for name in ("anna", "bert")]
            try:
                for bot in bots:
                    assert bot.stdout is not None
                    assert bot.stdout.readline() == "entered\n", bot.communicate(timeout=10)
                organiser.request("POST", "/sessions/two/start")
                said = [bot.communicate(timeout=100) for bot in bots]
            finally:
                for bot in bots:
                    bot.kill()
            assert [bot.returncode for bot in bots] == [0, 0], said
            assert all(int(out) > 5 for out, _ in said)
            assert organiser.session("two")["status"] == "finished"


def started(folder: Path, url: str, name: str) -> subprocess.Popen[str]:
    """A bot that plays with the generated client."""
    return subprocess.Popen(
        [sys.executable, "bot.py", url, "two", name],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
