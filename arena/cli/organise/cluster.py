"""`arena cluster`: the referees that share a database, and which of them plays which session."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote

import click
from tabulate import tabulate

from arena.cli.remote import (
    connected,
    json_option,
    print_json,
    print_outcome,
    token_option,
    url_option,
)
from arena.client import Client
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import NotFound
from arena.tournament.reporting.markup import printable

PATH = "/cluster"
PAGE = 500
AGAIN_S = 0.5
"""How long to wait before asking how many sessions a referee has left."""
COLUMNS = ("name", "status", "version", "sessions", "turns", "silent (ms)", "address", "remark")


@click.group("cluster", epilog="Example:  arena cluster status")
def command() -> None:
    """Show the referees that share a database, empty one before it is stopped, move sessions."""


@command.command(
    epilog="""Examples:

    arena cluster status

    arena cluster status --sessions --json
"""
)
@click.option("--sessions", is_flag=True, help="Also who plays which session.")
@url_option
@token_option
@json_option
def status(sessions: bool, url: str, token: str, as_json: bool) -> None:
    """Show every referee: what it does, how much it plays, how long it has been silent."""
    with connected(url, token) as client:
        known = client.request("GET", PATH, query={"limit": 1})
        found = {"referees": known["referees"]}
        if sessions:
            found["sessions"] = list(homes(client))
    if as_json:
        print_json(found)
        return
    click.echo(tabulate(map(_row, found["referees"]), headers=COLUMNS, disable_numparse=True))
    if sessions:
        rows = [(each["session"], each["home"], each["epoch"]) for each in found["sessions"]]
        heads = ("session", "home", "epoch")
        said = tabulate(rows, headers=heads) if rows else "No session is being played."
        click.echo(f"\n{said}")


def homes(client: Client) -> Iterator[Document]:
    """Every session in play with its home, page by page."""
    after = None
    while True:
        page = client.request("GET", PATH, query={"after": after, "limit": PAGE})
        yield from page["sessions"]
        after = page["next"]
        if after is None:
            return


def _row(referee: Document) -> tuple[object, ...]:
    members = ("name", "status", "version", "sessions", "turns", "beat_age_ms", "address")
    detail = printable(referee["detail"])
    return *(referee[member] for member in members), detail or ("this one" * referee["this"])


@command.command(
    epilog="""Examples:

    arena cluster drain referee-1

    arena cluster drain referee-1 --wait && systemctl restart arena@8001
"""
)
@click.argument("referee")
@click.option("--wait", is_flag=True, help="Until it plays no session any more.")
@url_option
@token_option
@json_option
def drain(referee: str, wait: bool, url: str, token: str, as_json: bool) -> None:
    """Let a referee hand its sessions over to the others, and take none.

    It goes on answering. Nobody is charged for the moment in which a session moves. A referee that
    is stopped does this by itself; draining one first shows that the others have taken all.
    """
    with connected(url, token) as client:
        drained = _steer(client, referee, "drain")
        if wait:
            drained = when_empty(drained, lambda: _referee(client, referee))
    left = (
        f"{drained['sessions']} sessions are left" if drained["sessions"] else "it has no session"
    )
    print_outcome(drained, f"{referee} takes no sessions; {left}", as_json=as_json)


@command.command(epilog="Example:  arena cluster undrain referee-1")
@click.argument("referee")
@url_option
@token_option
@json_option
def undrain(referee: str, url: str, token: str, as_json: bool) -> None:
    """Let a referee take sessions again. Those that it handed over stay where they are."""
    with connected(url, token) as client:
        taken_back = _steer(client, referee, "undrain", idempotent=False)
    print_outcome(taken_back, f"{referee} takes sessions again", as_json=as_json)


@command.command(epilog="Example:  arena cluster move spring-cup referee-2")
@click.argument("session")
@click.argument("referee")
@url_option
@token_option
@json_option
def move(session: str, referee: str, url: str, token: str, as_json: bool) -> None:
    """Let another referee play a session that is in play. Nobody is charged for the move."""
    with connected(url, token) as client:
        path = session_path(session, "move")
        moved = client.request("POST", path, body={"to": referee}, idempotent=False)
    print_outcome(moved, f"{session} is played by {moved['home']}", as_json=as_json)


def _steer(client: Client, referee: str, action: str, *, idempotent: bool = True) -> Document:
    path = f"{PATH}/referees/{quote(referee, safe='')}/{action}"
    return client.request("POST", path, idempotent=idempotent)


def _referee(client: Client, name: str) -> Document:
    """One of the referees. Raises NotFound if it has gone."""
    for each in client.request("GET", PATH, query={"limit": 1})["referees"]:
        if each["name"] == name:
            found: Document = each
            return found
    raise NotFound(name, f"referee {name!r} has gone")


def when_empty(
    referee: Document, ask: Callable[[], Document], *, rest: Callable[[float], None] = time.sleep
) -> Document:
    """The referee when it has no session left. rest: waits so many seconds."""
    before = 0
    while left := referee["sessions"]:
        if left != before and sys.stderr.isatty():
            click.echo(f"{left} sessions are left ...", err=True)
        rest(AGAIN_S)
        before, referee = left, ask()
    return referee
