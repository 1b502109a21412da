"""`arena mcp`: a language model plays through the SDK's own client, against a real referee."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from arena.cli.workshop.mcp import command
from arena.cli.workshop.mcp_server import server
from arena.cli.workshop.mcp_tools import ArenaTools
from arena.client import Bot, Runner, Turn
from arena.client import Client as ArenaClient
from arena.manual import manual_page
from tests.cli.shell import ARENA, Served, arena, environment, served
from tests.event_loops import alone

TURN = re.compile(r"^Turn (\S+)$", re.MULTILINE)
LAST = re.compile(r"^(\d+)\. ", re.MULTILINE)
TOOLS = {"sessions", "enter", "rules", "standings", "wait_for_turn", "legal", "play", "position"}
CUP = {
    "name": "Cup",
    "slug": "cup",
    "seats": 3,
    "hands_per_table": 2,
    "schedule": {"rounds": 1},
    "ruleset": {"preset": "pagat", "patches": ["kakumei"]},
}


class Lowest(Bot):
    def play(self, turn: Turn) -> object:
        return turn.lowest() or turn.pass_()


class Model:
    """Calls tools as a model would, and keeps what it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of a tool; fails at an error."""
        said, is_error = await self.try_(tool, **arguments)
        assert not is_error, said
        return said

    async def try_(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool, and is it an error?"""
        result = await self.client.call_tool(tool, arguments)
        [content] = result.content
        assert content.type == "text"
        return content.text, bool(result.is_error)


async def play_session(model: Model, admin: ArenaClient) -> int:
    """A whole session through the tools: how many turns were answered."""
    assert "cup (Cup): open, 3 at a table" in await model.call("sessions", state="open")
    assert "You have entered cup" in await model.call("enter", session="cup")
    rules = await model.call("rules", session="cup")
    assert "Ruleset: pagat+kakumei" in rules
    assert "- kakumei = " in rules
    admin.request("POST", "/sessions/cup/start")
    answered, text = 0, await model.call("wait_for_turn", seconds=20)
    while turn := TURN.search(text):
        if not answered:
            await look_around(model, turn[1], text)
        last = LAST.findall(text)[-1]
        text = await model.call("play", turn=turn[1], answer=last, seconds=2)
        assert text.startswith("Accepted.")
        answered += 1
        if not TURN.search(text) and admin.session("cup")["status"] == "running":
            text = await model.call("wait_for_turn", seconds=20)
    assert "model" in await model.call("standings", session="cup")
    return answered


async def look_around(model: Model, turn: str, text: str) -> None:
    """What may be looked at during a turn, and what is refused in one line."""
    listed = await model.call("legal", turn=turn)
    assert listed in text
    assert (await model.call("position", turn=turn)).startswith("daifugo/1 ")
    said, is_error = await model.try_("play", turn=turn, answer="the nine of bananas")
    assert is_error
    assert "422 unclear: " in said
    assert "'bananas' is not understood" in said
    assert "\n" not in said
    for tool, arguments, why in (
        ("legal", {"turn": "none"}, "the turn 'none' does not wait for an answer now"),
        ("rules", {"session": "none"}, "404 not_found"),
        ("wait_for_turn", {"seconds": 26}, "less than or equal to 25"),
    ):
        said, is_error = await model.try_(tool, **arguments)
        assert is_error
        assert why in said


def enter(referee: Served, name: str) -> ArenaClient:
    """A bot of the organiser's."""
    client = ArenaClient(referee.url)
    client.register(name, owner_token=referee.token)
    return client


async def connect(referee: Served, token: str, admin: ArenaClient) -> int:
    """`arena mcp` as a program that runs models starts it; how many turns were answered."""
    command, *words = ARENA
    told = environment(ARENA_TOKEN=token)
    words += ["mcp", "--url", referee.url]
    parameters = StdioServerParameters(command=command, args=words, env=told)
    async with Client(stdio_client(parameters)) as client:
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == TOOLS
        assert all(tool.description for tool in listed.tools)
        return await play_session(Model(client), admin)


@pytest.mark.server
def test_a_scripted_model_plays_a_whole_session() -> None:
    with served("memory:") as referee, ArenaClient(referee.url, referee.token) as admin:
        admin.request("POST", "/sessions", body=CUP)
        admin.request("POST", "/sessions/cup/open")
        others = [enter(referee, f"other-{number}") for number in range(2)]
        for other in others:
            other.enter("cup")
        token = enter(referee, "model").token or ""
        runners = [Runner(other, Lowest(), sessions=["cup"]) for other in others]
        threads = [threading.Thread(target=runner.run, daemon=True) for runner in runners]
        for thread in threads:
            thread.start()
        assert alone(lambda: anyio.run(connect, referee, token, admin)) > 10
        for thread in threads:
            thread.join(60)
        assert admin.session("cup")["status"] == "finished"


def test_an_answer_that_is_no_text_is_taken_as_it_would_be_written() -> None:
    class Echo(ArenaTools):
        def play(self, turn: str, answer: str, seconds: float) -> str:
            return answer

    async def ask() -> None:
        async with Client(server(Echo("http://127.0.0.1:9", "dfa_x"))) as client:
            model = Model(client)
            for answer, read in (("3", "3"), (3, "3"), (["S4", "S5"], '["S4", "S5"]')):
                assert await model.call("play", turn="t", answer=answer) == read
            assert await model.call("play", turn="t", answer={"choice": 3}) == '{"choice": 3}'
            for wrong in (None, True, 1.5):
                said, is_error = await model.try_("play", turn="t", answer=wrong)
                assert is_error
                assert "valid string" in said

    alone(lambda: anyio.run(ask))


def test_an_arena_that_is_not_there_is_an_error_of_the_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.cli.workshop.mcp_tools.PATIENCE_S", 0.0)

    async def ask() -> tuple[str, bool]:
        async with Client(server(ArenaTools("http://127.0.0.1:9", "dfa_x"))) as client:
            return await Model(client).try_("sessions")

    said, is_error = alone(lambda: anyio.run(ask))
    assert is_error
    assert "no answer from http://127.0.0.1:9" in said
    assert "dfa_x" not in said


@pytest.mark.server
@pytest.mark.parametrize(("ending", "code"), [("eof", 0), ("int", 130), ("term", 143)])
def test_it_ends_with_its_input_or_at_a_signal_and_prints_nothing(ending: str, code: int) -> None:
    command = [*ARENA, "mcp", "--url", "http://127.0.0.1:9"]
    pipe = subprocess.PIPE
    told = environment(ARENA_TOKEN="dfa_x")
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=told) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if ending != "eof":
            process.stdin.write(INITIALIZE)
            process.stdin.flush()
            assert b'"serverInfo"' in process.stdout.readline()
            process.send_signal(signal.SIGINT if ending == "int" else signal.SIGTERM)
            process.wait(30)
        rest, errors = process.communicate(timeout=30)
    assert (process.returncode, rest, errors) == (code, b"", b"")


INITIALIZE = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": '
    b'"2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}\n'
)


def test_the_file_that_the_manual_shows_starts_it() -> None:
    page = manual_page("language-models").text
    written = page.partition("```text config\n")[2].partition("```")[0]
    [entry] = json.loads(written)["mcpServers"].values()
    assert entry["command"] == "arena"
    name, *flags = entry["args"]
    assert name == "mcp"
    assert list(entry["env"]) == ["ARENA_TOKEN"]
    assert command.make_context(name, flags).params["url"] == "http://127.0.0.1:8000"
    assert {row.split("`")[1] for row in page.splitlines() if row.startswith("| `")} >= TOOLS


@pytest.mark.server
def test_what_it_needs_is_said_in_one_line(tmp_path: Path) -> None:
    said = arena("mcp")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("arena: --token is not given; expected the token of a bot")
    (tmp_path / "mcp.py").write_text("raise ImportError('No module named mcp')\n")
    hidden = f"{tmp_path}:{environment()['PYTHONPATH']}"
    said = subprocess.run(
        [*ARENA, "mcp", "--token", "dfa_x"],
        env=environment(PYTHONPATH=hidden),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (2, "", 1)
    assert "pip install 'daifugo-arena[mcp]'" in said.stderr
