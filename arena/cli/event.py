"""An event from beginning to end: referee, bots, one session, its standings and its records.

`arena demo` and `arena run` are this with different documents. The bots are processes of their own
and get their token in the environment; nothing but HTTP passes between them and the referee.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli.remote import terminal_width
from arena.client import Client
from arena.client.http import Document, session_path
from arena.errors import Unavailable
from arena.processes import Processes, bot_command, new_admin, start_referee

LOOK_S = 0.2
GOODBYE_S = 3.0
OWN = {"ARENA_REGISTRATION": "closed"}
"""The bots of an event are those that its organiser starts."""
OVER = ("finished", "cancelled")


class BotSpec(NamedTuple):
    """A bot of the event: its name, its owner, and the command that starts it."""

    name: str
    owner: str
    command: str


class Outcome(NamedTuple):
    """What an event left behind."""

    session: str
    url: str
    database: str
    records: Path
    standings: str
    status: str
    silent: dict[str, int]


class RunningEvent(NamedTuple):
    """A session that has just started, with its referee and its bots.

    view: the session as the referee shows it.
    """

    client: Client
    processes: Processes
    view: Document
    url: str
    database: str

    @property
    def session(self) -> str:
        """The session's id."""
        found: str = self.view["session"]
        return found


@contextmanager
def stage(
    document: Document, bots: Sequence[BotSpec], *, folder: Path, cwd: Path | None = None
) -> Iterator[RunningEvent]:
    """Start a referee in a folder, a session of these bots, and the bots; all end with it.

    Raises `BadInput` for a document or command that does not work, before anything is played.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database = f"sqlite:///{(folder / 'arena.db').resolve().as_posix()}"
    commands = [bot_command(bot.command) for bot in bots]
    token = new_admin(database)
    with Processes(folder) as processes:
        url = start_referee(processes, database, environ=OWN)
        with Client(url, token, patience_s=10) as client:
            session = client.request("POST", "/sessions", body=document)["session"]
            for bot, words in zip(bots, commands, strict=True):
                start_bot(client, processes, session, bot=bot, words=words, cwd=cwd)
            view = client.request("POST", session_path(session, "start"))
            yield RunningEvent(client, processes, view, url, database)


def play(
    document: Document,
    bots: Sequence[BotSpec],
    *,
    folder: Path,
    bots_cwd: Path | None = None,
    layout: str = "full",
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Play a session with these bots in a folder; standings as text, records as a file.

    Raises `BadInput` for a document or command that does not work, before anything is played.
    """
    with stage(document, bots, folder=folder, cwd=bots_cwd) as on:
        tell(f"Schedule: {design_text(on.view)}")
        view = _follow(on.client, on.processes, on.session)
        on.processes.wait([f"bot-{bot.name}" for bot in bots], within_s=GOODBYE_S)
        file = folder / f"{on.session}.jsonl"
        file.write_bytes(on.client.records(on.session))
        standings = _standings(on.client, view, layout)
        ended = on.processes.ended()
    silent = {name: code for name, code in ended.items() if code and name.startswith("bot-")}
    return Outcome(on.session, on.url, on.database, file, standings, view["status"], silent)


def _standings(client: Client, view: Document, layout: str) -> str:
    """The standings as text; of each size of tables, if there are two."""
    asked = {"format": "text", "layout": layout, "width": terminal_width()}
    path = session_path(view["session"], "standings")
    sizes = view["design"]["sizes"]
    return "\n".join(client.text(path, query={**asked, "seats": seats}) for seats in sizes)


def design_text(view: Document) -> str:
    """How even the schedule of a session is, on one line."""
    design = view["design"]
    to_come = design["rounds_to_come"]
    more = "" if to_come == 0 else f" and {to_come or 'more'} to come"
    size = f"{_many(design['rounds'], 'round')}{more}"
    if not design["tables"]:
        return f"{design['kind']}, {size}"
    return (
        f"{design['kind']}, {size}, {_many(design['tables'], 'table')}; "
        f"pairs meet {_span(design, 'meetings')} times, "
        f"act directly after each other {_span(design, 'after')} times"
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _span(design: Document, name: str) -> str:
    least, most = design[f"{name}_min"], design[f"{name}_max"]
    return str(least) if least == most else f"{least} to {most}"


def start_bot(
    client: Client,
    processes: Processes,
    session: str,
    *,
    bot: BotSpec,
    words: list[str],
    cwd: Path | None,
) -> None:
    """Register a bot, enter it, and start its process with its token."""
    body = {"name": bot.name, "owner": bot.owner or bot.name}
    registered = client.request("POST", "/bots", body=body, idempotent=False)
    client.request("PUT", session_path(session, "entries", registered["bot"]["id"]))
    environ = {
        "ARENA_URL": client.url,
        "ARENA_TOKEN": registered["token"],
        "ARENA_SESSION": session,
        "ARENA_NAME": bot.name,
        "PYTHONUNBUFFERED": "1",
    }
    processes.start(f"bot-{bot.name}", words, environ=environ, cwd=cwd)


def _follow(client: Client, processes: Processes, session: str) -> Document:
    """Wait for the end of a session; a bar on a terminal, nothing elsewhere."""
    view = client.session(session)
    with _bar(view["progress"]["hands"]) as advance:
        while view["status"] not in OVER:
            if "referee" in processes.ended():
                raise Unavailable(f"the referee has ended; its log is in {processes.folder}")
            time.sleep(LOOK_S)
            view = client.session(session)
            progress = view["progress"]
            advance(progress["hands_finished"] + progress["hands_forfeited"])
    return view


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, if that is a terminal; told how far it is."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    bar: Any = click.progressbar(length=total, label="hands", show_pos=True, file=sys.stderr)
    with bar:
        yield lambda done: bar.update(done - bar.pos)
