"""An event from beginning to end: referee, bots, one session, its standings and its records.

`arena demo` and `arena run` are this with different documents. The bots are processes of their own
and get their token in the environment; nothing but HTTP passes between them and the referee. An
event that was stopped goes on in its folder, where its session and the bots' tokens are kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli import kept_event
from arena.cli.kept_event import KeptEvent
from arena.cli.launching import Confinement, Launcher, launcher
from arena.cli.mistakes import Mistakes, mistakes_of
from arena.cli.remote import terminal_width
from arena.client import Client
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import BadInput, Unavailable
from arena.processes import Processes, bot_command, new_admin, start_referee
from arena.statuses import ENTERABLE, OVER, RegistrationMode, SessionStatus
from arena.tournament.reporting.markup import printable

LOOK_S = 0.2
GOODBYE_S = 10.0
OWN = {"ARENA_REGISTRATION": RegistrationMode.CLOSED.value}
"""The bots of an event are those that its organiser starts."""
DATABASE = "arena.db"
LAST_LINES = 5
END_BYTES = 4_000


class BotSpec(NamedTuple):
    """A bot of the event: its name, its owner, the command that starts it, and the id of its
    division, if it has one."""

    name: str
    owner: str
    command: str
    division: str | None = None


class Outcome(NamedTuple):
    """What an event left behind.

    standings: as text; document: the same as JSON, one of each size of tables. ended: the exit
    codes of bots' processes that failed; limits: which limit a bot ran into, in words. mistakes:
    what went wrong with bots, by name.
    """

    session: str
    records: Path
    standings: str
    document: list[Document]
    status: str
    ended: dict[str, int]
    limits: dict[str, str]
    mistakes: dict[str, Mistakes]

    @property
    def good(self) -> bool:
        """Was everything played, and did no bot's process fail?"""
        return self.status == SessionStatus.FINISHED and not self.ended


class RunningEvent(NamedTuple):
    """A session that has just started, with its referee and its bots.

    view: the session as the referee shows it. launcher: has started the bots.
    """

    client: Client
    processes: Processes
    view: Document
    launcher: Launcher

    @property
    def session(self) -> str:
        """The session's id."""
        found: str = self.view["session"]
        return found

    @property
    def page(self) -> str:
        """The address of the session's page."""
        return f"{self.client.url}/sessions/{self.session}"


@contextmanager
def stage(
    document: Document,
    bots: Sequence[BotSpec],
    *,
    folder: Path,
    cwd: Path | None = None,
    chosen: Confinement,
    signing_key: str = "",
    public_chance: str | None = None,
) -> Iterator[RunningEvent]:
    """Start a referee in a folder, a session of these bots, and the bots; all end with it.

    In the folder of an event that was stopped, its session goes on. chosen: under what the bots
    are started. signing_key: the file of the key by which the arena signs, empty for one of its
    own. public_chance: the value of the source that the document announces. Raises `BadInput` for a
    document or command that does not work, before anything is played.
    """
    folder.mkdir(parents=True, exist_ok=True)
    commands = [bot_command(bot.command) for bot in bots]
    kept = _kept(folder, document, bots)
    database = f"sqlite:///{(folder / DATABASE).resolve().as_posix()}"
    token = new_admin(database)
    with Processes(folder) as processes:
        key = {"ARENA_SIGNING_KEY": str(Path(signing_key).resolve())} if signing_key else {}
        url = start_referee(processes, database, environ={**OWN, **key})
        with Client(url, token, patience_s=10) as client, launcher(chosen, folder, url) as launch:
            if kept is None:
                kept = _enter(client, document, bots)
                kept_event.save(folder, kept)
            view = client.session(kept.session)
            if view["status"] in OVER:
                expected = f"a new folder: {kept.session} is {view['status']}"
                raise BadInput("--folder", str(folder), expected)
            if view["status"] not in ENTERABLE and view["public_value"] != public_chance:
                wanted = f"{view['public_value']!r}, with which {kept.session} was started"
                raise BadInput("--public-chance", public_chance, wanted)
            for bot, words in zip(bots, commands, strict=True):
                environ = _environ(client, kept, bot)
                launch.start(processes, bot.name, words, environ=environ, cwd=cwd)
            if view["status"] in ENTERABLE:
                view = _start(client, kept.session, public_chance)
            yield RunningEvent(client, processes, view, launch)


def _start(client: Client, session: str, public_chance: str | None) -> Document:
    body = None if public_chance is None else {"public_chance": public_chance}
    return client.request("POST", session_path(session, "start"), body=body)


def _kept(folder: Path, document: Document, bots: Sequence[BotSpec]) -> KeptEvent | None:
    """What was begun in a folder. Raises `BadInput` if it is something else."""
    kept = kept_event.load(folder)
    if kept is not None:
        kept_event.check_same(kept, document, [bot.name for bot in bots], folder)
    elif (folder / DATABASE).exists():
        raise BadInput("--folder", str(folder), f"a new folder: it has an {DATABASE}")
    return kept


def play(
    document: Document,
    bots: Sequence[BotSpec],
    *,
    folder: Path,
    bots_cwd: Path | None = None,
    layout: str = "full",
    chosen: Confinement,
    signing_key: str = "",
    public_chance: str | None = None,
    report: Callable[[str], None] = lambda line: None,
    warn: Callable[[str], None] = lambda line: None,
    begun: Callable[[str], None] = lambda page: None,
    ended: Callable[[Outcome, str], None] = lambda outcome, page: None,
) -> Outcome:
    """Play a session with these bots in a folder; standings as text, records as a file.

    report: is given lines about what happens; warn: about bots whose process ends too early.
    signing_key, public_chance: as in `stage`.
    begun, ended: are given the address of the session's page while it is served, ended also what
    came out.
    Raises `BadInput` for a document or command that does not work, before anything is played.
    """
    with stage(
        document,
        bots,
        folder=folder,
        cwd=bots_cwd,
        chosen=chosen,
        signing_key=signing_key,
        public_chance=public_chance,
    ) as on:
        report(f"Schedule: {design_text(on.view)}")
        begun(on.page)
        view = _follow(on, warn=warn)
        on.processes.wait([f"bot-{bot.name}" for bot in bots], within_s=GOODBYE_S)
        file = folder / f"{on.session}.jsonl"
        file.write_bytes(on.client.records(on.session))
        standings = _standings(on.client, view, layout)
        documents = _standings_documents(on.client, view)
        codes = on.processes.ended()
        failed = {name.removeprefix("bot-"): code for name, code in codes.items() if code}
        logs = {bot.name: folder / f"bot-{bot.name}.log" for bot in bots}
        whys = {name: on.launcher.why_ended(failed.get(name, 0), log) for name, log in logs.items()}
        outcome = Outcome(
            on.session,
            file,
            standings,
            documents,
            view["status"],
            failed,
            {name: why for name, why in whys.items() if why},
            mistakes_of(file, logs),
        )
        ended(outcome, on.page)
    return outcome


def _standings(client: Client, view: Document, layout: str) -> str:
    """The standings as text; of each size of tables, if there are two."""
    asked = {"format": "text", "layout": layout, "width": terminal_width()}
    path = session_path(view["session"], "standings")
    sizes = view["design"]["sizes"]
    return "\n".join(client.text(path, query={**asked, "seats": seats}) for seats in sizes)


def _standings_documents(client: Client, view: Document) -> list[Document]:
    path = session_path(view["session"], "standings")
    return [client.request("GET", path, query={"seats": n}) for n in view["design"]["sizes"]]


def design_text(view: Document) -> str:
    """How even the schedule of a session is, on one line."""
    design = view["design"]
    to_come = design["rounds_to_come"]
    more = "" if to_come == 0 else f" and {to_come or 'more'} to come"
    size = f"{_many(design['rounds'], 'round')}{more}"
    if not design["tables"]:
        return f"{design['kind']}, {size}"
    return (
        f"{design['kind']}, {size}, {_many(design['tables'], 'table')} "
        f"of {_many(view['hands_per_table'], 'hand')}; "
        f"pairs meet {_span(design, 'meetings')} times, "
        f"act directly after each other {_span(design, 'after')} times"
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _span(design: Document, name: str) -> str:
    least, most = design[f"{name}_min"], design[f"{name}_max"]
    return str(least) if least == most else f"{least} to {most}"


def _enter(client: Client, document: Document, bots: Sequence[BotSpec]) -> KeptEvent:
    """Create the session, register the bots and enter them."""
    session = client.request("POST", "/sessions", body=document)["session"]
    tokens = {}
    for bot in bots:
        body = {"name": bot.name, "owner": bot.owner or bot.name}
        registered = client.request("POST", "/bots", body=body, idempotent=False)
        client.request("PUT", session_path(session, "entries", registered["bot"]["id"]))
        tokens[bot.name] = registered["token"]
    divided = [bot for bot in bots if bot.division is not None]
    members = [{"bot": bot.name, "division": bot.division} for bot in divided]
    if members:
        client.request("PUT", session_path(session, "divisions"), body={"members": members})
    return KeptEvent(session, document, tokens)


def _environ(client: Client, kept: KeptEvent, bot: BotSpec) -> dict[str, str]:
    """What a bot's process is given."""
    return {
        "ARENA_URL": client.url,
        "ARENA_TOKEN": kept.tokens[bot.name],
        "ARENA_SESSION": kept.session,
        "ARENA_NAME": bot.name,
        "ARENA_CHANCE": "none",  # one user runs all of it: a seed gives the same deals again
        "PYTHONUNBUFFERED": "1",
    }


def _follow(on: RunningEvent, *, warn: Callable[[str], None]) -> Document:
    """Wait for the end of a session; a bar on a terminal, nothing elsewhere."""
    client, processes = on.client, on.processes
    view = client.session(on.session)
    ended: set[str] = set()
    reported: set[str] = set()
    with _bar(view["progress"]["hands"]) as advance:
        while view["status"] not in OVER:
            if "referee" in processes.ended():
                raise Unavailable(f"the referee has ended; its log is in {processes.folder}")
            time.sleep(LOOK_S)
            view = client.session(on.session)
            if view["status"] not in OVER:  # else bots end because it is over
                for name in sorted(ended - reported):
                    warn(_last_lines(on, name))
                reported |= ended
                ended = set(processes.ended())
            progress = view["progress"]
            advance(progress["hands_finished"] + progress["hands_forfeited"])
    return view


def _last_lines(on: RunningEvent, name: str) -> str:
    """That a bot's process has ended in the middle of a session, with the last lines of its log."""
    log = on.processes.folder / f"{name}.log"
    lines = _end_of(log).strip().splitlines()[-LAST_LINES:]
    code = on.processes.ended()[name]
    why = on.launcher.why_ended(code, log)
    how = f"with code {code}" + (f" ({why})" if why else "")
    head = f"{name.removeprefix('bot-')} has ended {how}, the session goes on; {log}:"
    return "\n    ".join([head, *map(printable, lines or ["(nothing)"])])


def _end_of(log: Path) -> str:
    """The end of a log, which may be long."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - END_BYTES))
        return file.read().decode("utf-8", "replace")


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, if that is a terminal; told how far it is."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    bar: Any = click.progressbar(length=total, label="hands", show_pos=True, file=sys.stderr)
    with bar:
        yield lambda done: bar.update(done - bar.pos)
