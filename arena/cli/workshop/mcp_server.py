"""The server of `arena mcp`: the tools with their descriptions, in the official SDK.

Only this module imports the SDK. Nothing but the protocol is written to stdout; what fails on
purpose is a tool error of one line.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Annotated, Literal

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BeforeValidator, Field

from arena import __version__
from arena.cli.workshop.mcp_tools import LONGEST_WAIT_S, ArenaTools, ToolFailure, in_one_line
from arena.client import KitError
from arena.errors import ArenaError

INSTRUCTIONS = """\
You play Daifugō, a climbing card game, as one bot of an arena. Look at `sessions`, `enter` one that
is open, read its `rules`, then `wait_for_turn` and `play` again and again until the session is
finished. A turn has a clock: answer soon. Numbers are those of the list of a turn."""
READS = ToolAnnotations(read_only_hint=True)

Seconds = Annotated[float, Field(ge=0, le=LONGEST_WAIT_S, description="How long to wait, 0 to 25.")]
SessionId = Annotated[str, Field(description="The id of a session, as `sessions` lists it.")]
TurnId = Annotated[str, Field(description="The id in the first line of a turn.")]
AnswerText = Annotated[
    str,
    BeforeValidator(lambda given: _as_text(given)),
    Field(description='A number of the list, cards ("S4 S5"), or words.'),
]
State = Literal["open", "running", "paused", "finished", "cancelled"]


def serve(url: str, token: str) -> None:
    """Serve the tools until the input ends or a signal comes."""
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, _end)
    anyio.run(server(ArenaTools(url, token)).run_stdio_async)


def _end(signum: int, _: FrameType | None) -> None:
    """End at once: a thread of the SDK reads stdin, and would be waited for."""
    os._exit(128 + signum)


def _as_text(given: object) -> object:
    """The text of an answer that a model gave as a number, a list or an object."""
    is_number = isinstance(given, int) and not isinstance(given, bool)
    return json.dumps(given) if is_number or isinstance(given, list | dict) else given


async def _run(tool: Callable[..., str], *arguments: object) -> str:
    """A tool in a thread that nobody waits for when the input has ended. Raises ToolError."""
    try:
        return await anyio.to_thread.run_sync(partial(tool, *arguments), abandon_on_cancel=True)
    except (KitError, ArenaError) as error:
        raise ToolError(in_one_line(error)) from None
    except ToolFailure as error:
        raise ToolError(str(error)) from None


def server(tools: ArenaTools) -> MCPServer:
    """The server of some tools."""
    made = MCPServer(
        "daifugo-arena", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    _about_sessions(made, tools)
    _about_turns(made, tools)
    return made


def _about_sessions(made: MCPServer, tools: ArenaTools) -> None:
    @made.tool(annotations=READS, structured_output=False)
    async def sessions(state: State | None = None) -> str:
        """List the sessions in a state, or all. One that is open can be entered."""
        return await _run(tools.sessions, state)

    @made.tool(structured_output=False)
    async def enter(session: SessionId) -> str:
        """Enter an open session. Doing it twice is harmless."""
        return await _run(tools.enter, session)

    @made.tool(annotations=READS, structured_output=False)
    async def rules(session: SessionId) -> str:
        """Read the rules of a session: every rule that is on, in words."""
        return await _run(tools.rules, session)

    @made.tool(annotations=READS, structured_output=False)
    async def standings(session: SessionId) -> str:
        """Read the standings of a session."""
        return await _run(tools.standings, session)


def _about_turns(made: MCPServer, tools: ArenaTools) -> None:
    @made.tool(annotations=READS, structured_output=False)
    async def wait_for_turn(seconds: Seconds = 20) -> str:
        """Wait until the arena asks this bot for something: the turns that wait, as text."""
        return await _run(tools.wait_for_turn, seconds)

    @made.tool(annotations=READS, structured_output=False)
    async def legal(turn: TurnId) -> str:
        """List what may be answered to a turn, with numbers."""
        return await _run(tools.legal, turn)

    @made.tool(structured_output=False)
    async def play(
        turn: TurnId,
        answer: AnswerText,
        seconds: Seconds = 0,
    ) -> str:
        """Answer a turn; with seconds, then wait so long for the next turns and show them."""
        return await _run(tools.play, turn, answer, seconds)

    @made.tool(annotations=READS, structured_output=False)
    async def position(turn: TurnId) -> str:
        """Write what this bot knows of a hand as one line, for tools that read positions."""
        return await _run(tools.position, turn)
