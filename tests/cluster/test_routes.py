"""Real referees behind each balancer: who keeps the cookie is answered where its session is played,
who does not is answered as well."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest
import requests
from click.testing import CliRunner

from arena.cli.main import group
from arena.web.api.validation import load_schemas
from tests.cli.shell import arena
from tests.cluster.arena import (
    BOTS,
    PATIENCE_S,
    SESSION,
    Caller,
    Process,
    choice,
    new_admin,
    referees,
)
from tests.cluster.balancers import BALANCERS, Front
from tests.postgres import Server

pytestmark = pytest.mark.server

ROUTE = "arena_route"


class Players:
    """The bots of two sessions that are being played, each with the cookies that it has got."""

    def __init__(self, url: str, token: str, *sessions: str) -> None:
        self.url = url
        self.organiser = Caller([url], token, Random(1))
        self.bots = {session: self._enter(session) for session in sessions}

    def _enter(self, session: str) -> list[requests.Session]:
        document = {**SESSION, "slug": session, "schedule": {"rounds": 1}}
        self.organiser.ask("POST", "/sessions", document)
        self.organiser.ask("POST", f"/sessions/{session}/open")
        bots = []
        for number in range(BOTS):
            asked = {"name": f"{session}-{number}", "owner": f"{session}-{number}"}
            bot = self._client(self.organiser.ask("POST", "/bots", asked)["token"])
            assert bot.put(f"{self.url}/api/v1/sessions/{session}/entry", timeout=30).ok
            bots.append(bot)
        self.organiser.ask("POST", f"/sessions/{session}/start")
        return bots

    def _client(self, token: str) -> requests.Session:
        client = requests.Session()
        client.trust_env = False
        client.headers["Authorization"] = f"Bearer {token}"
        return client

    def homes(self) -> dict[str, str]:
        """Session -> the referee that plays it, as far as the one that is asked has heard."""
        found = self.organiser.ask("GET", "/cluster")["sessions"]
        return {each["session"]: each["home"] for each in found}

    def await_homes(self, are_right: Callable[[dict[str, str]], bool]) -> dict[str, str]:
        """The homes when all sessions have one, and they are right."""
        until_s = time.monotonic() + PATIENCE_S
        while (homes := self.homes()).keys() != self.bots.keys() or not are_right(homes):
            assert time.monotonic() < until_s, homes
            time.sleep(0.1)
        return homes

    def round(self, session: str, *, keep: bool) -> int:
        """Let each bot poll, and answer what waits for it; how many requests that were. keep: the
        cookies."""
        asked = 0
        for bot in self.bots[session]:
            if not keep:
                bot.cookies.clear()
            got = bot.get(f"{self.url}/api/v1/turns", timeout=30)
            assert got.ok, got.text
            for turn in got.json()["turns"]:
                path = f"{self.url}/api/v1/turns/{turn['turn']}"
                answer = bot.post(path, json={"choice": choice(turn)}, timeout=30)
                assert answer.ok, answer.text
                asked += 1
        return asked + BOTS

    def close(self) -> None:
        for session in self.bots:
            self.organiser.ask("POST", f"/sessions/{session}/cancel")
        for bot in (bot for bots in self.bots.values() for bot in bots):
            bot.close()
        self.organiser.close()


def hops(processes: list[Process]) -> int:
    """How many requests have been passed on, by all referees together."""
    found = 0
    for process in processes:
        text = requests.get(f"{process.url}/metrics", timeout=30).text
        counts = re.findall(r"^arena_hops_total\{.*\} (\S+)", text, re.MULTILINE)
        found += sum(int(float(count)) for count in counts)
    return found


@pytest.fixture(scope="module")
def processes(postgres: Server) -> Iterator[tuple[str, list[Process]]]:
    database = postgres.create()
    token = new_admin(database)
    with referees(database, 2, names="referee-") as started:
        yield token, started


@pytest.fixture(params=BALANCERS)
def front(request: pytest.FixtureRequest, processes: tuple[str, list[Process]]) -> Iterator[Front]:
    with BALANCERS[request.param]([each.url for each in processes[1]]) as created:
        yield created


@pytest.fixture
def players(
    request: pytest.FixtureRequest, front: Front, processes: tuple[str, list[Process]]
) -> Iterator[Players]:
    name = request.node.callspec.params["front"]
    created = Players(front.plain, processes[0], f"{name}-1", f"{name}-2")
    yield created
    created.close()


def test_who_keeps_the_cookie_is_answered_at_the_home(
    players: Players, processes: tuple[str, list[Process]]
) -> None:
    homes = players.await_homes(lambda homes: len(set(homes.values())) == 2)
    for session in players.bots:
        players.round(session, keep=True)
        assert {bot.cookies.get(ROUTE) for bot in players.bots[session]} == {homes[session]}
    before, asked = hops(processes[1]), 0
    for _ in range(3):
        asked += sum(players.round(session, keep=True) for session in players.bots)
    # A balancer that takes a busy referee for one that is down may send a few elsewhere.
    assert hops(processes[1]) - before <= asked // 4
    before = hops(processes[1])
    for session in players.bots:
        players.round(session, keep=False)
    assert hops(processes[1]) > before


def test_a_referee_is_emptied_and_a_session_moved_by_an_organiser(
    processes: tuple[str, list[Process]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whichever referee the organiser asks: here the one that is not meant."""
    token, (first, second) = processes
    players = Players(first.url, token, "emptied")
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", token)
    monkeypatch.setenv("ARENA_URL", second.url)
    command("cluster", "drain", "referee-1", "--wait")
    players.await_homes(lambda homes: homes == {"emptied": "referee-2"})
    refused = players.organiser("POST", "/sessions/emptied/move", {"to": "referee-1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    command("cluster", "undrain", "referee-1")
    moved = command("cluster", "move", "emptied", "referee-1")
    assert moved == "emptied is played by referee-1\n"
    players.await_homes(lambda homes: homes == {"emptied": "referee-1"})
    players.round("emptied", keep=True)
    shown = players.organiser.ask("GET", "/cluster")
    assert load_schemas().faults("cluster", shown) == []
    assert [each["status"] for each in shown["referees"]] == ["serving", "serving"]
    done = [each["action"] for each in players.organiser.ask("GET", "/audit")["entries"][:3]]
    assert done == ["session.move", "cluster.undrain", "cluster.drain"]
    players.close()


def command(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(group, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"ARENA_CLUSTER_NAME": "referee-1"}, "cluster_name is 'referee-1'; expected a name"),
        (
            {"ARENA_CLUSTER_SECRET": "y" * 32},
            "cluster_secret is '(not repeated)'; expected that",
        ),
    ],
)
def test_a_referee_that_does_not_fit_to_the_others_does_not_start(
    processes: tuple[str, list[Process]], given: dict[str, str], line: str
) -> None:
    database = processes[1][0].database
    done = arena("serve", "--port", "0", "--database", database, env=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"arena: {line}")
    assert "y" * 32 not in done.stderr
    assert "Traceback" not in done.stderr
