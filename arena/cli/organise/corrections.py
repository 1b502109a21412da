"""`arena session rename`, `edit`, `times`, `hide`, `unhide` and `delete`: a session is corrected.

What may be corrected when is the arena's to say; this module asks, and shows the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.finals import read_session
from arena.cli.organise.confirm import make_sure, yes_option
from arena.cli.remote import connected, json_option, print_outcome, token_option, url_option
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import BadInput
from arena.tournament.reporting.markup import printable

F = TypeVar("F", bound=Callable[..., Any])


@click.command(epilog='Example:  arena session rename spring-cup "Spring cup 2027"')
@click.argument("session")
@click.argument("name")
@url_option
@token_option
@json_option
def rename(session: str, name: str, url: str, token: str, as_json: bool) -> None:
    """Give a session another name; its address stays. At any time."""
    view = _change(session, {"name": name}, url=url, token=token)
    print_outcome(view, f"{session} is called {printable(view['name'])}", as_json=as_json)


@click.command(epilog="Example:  arena session edit spring-cup spring-cup.toml")
@click.argument("session")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@url_option
@token_option
@json_option
def edit(session: str, file: Path, url: str, token: str, as_json: bool) -> None:
    """Give a session another document before its start, from a file as `create` takes it.

    What the file leaves out gets its default, but for the slug and the seed, which cannot be
    changed, and `hidden`. Bots that have entered stay; a file by which one of them could not have
    entered is refused.
    """
    with connected(url, token) as client:
        before = client.session(session)
        view = client.request("PUT", session_path(session), body=read_session(file))
    members = [name for name in before if name not in DERIVED and view[name] != before[name]]
    changed = f"changed: {', '.join(members)}" if members else "nothing has changed"
    print_outcome(view, f"{session}: {changed}", as_json=as_json)


DERIVED = ("options", "fingerprint", "entries", "design", "progress")
"""Members of a session that follow from others, or change by themselves."""


NEVER = "never"


def _time_option(what: str) -> Callable[[F], F]:
    """The option of a time."""
    text = f"When it {what}, in RFC 3339 with its offset; {NEVER}: not by itself."
    return click.option(f"--{what}", metavar="INSTANT", help=text)


@click.command(epilog="Example:  arena session times spring-cup --ends 2027-06-30T22:00:00+02:00")
@click.argument("session")
@_time_option("opens")
@_time_option("starts")
@_time_option("freezes")
@_time_option("ends")
@_time_option("publishes")
@url_option
@token_option
@json_option
def times(session: str, url: str, token: str, as_json: bool, **instants: str | None) -> None:
    """Set, move or take away the times at which a session does something by itself.

    `freezes` and `publishes` are about its results. Times that are not given stay as they are.
    """
    given = {what: text for what, text in instants.items() if text is not None}
    if not given:
        raise BadInput("times", "none", f"one of {', '.join('--' + what for what in instants)}")
    members = {what: None if text == NEVER else text for what, text in given.items()}
    view = _change(session, members, url=url, token=token)
    lines = [f"{session} {what} {view[what] or 'not by itself'}" for what in given]
    print_outcome(view, *lines, as_json=as_json)


def _hiding(name: str, text: str, *, hidden: bool) -> click.Command:
    """The command that hides a session, or shows it again."""

    @click.command(name, help=text, epilog=f"Example:  arena session {name} spring-cup")
    @click.argument("session")
    @url_option
    @token_option
    @json_option
    def act(session: str, url: str, token: str, as_json: bool) -> None:
        view = _change(session, {"hidden": hidden}, url=url, token=token)
        where = "in no public list" if view["hidden"] else "listed for everybody"
        print_outcome(view, f"{session} is {where}", as_json=as_json)

    return act


def _change(session: str, members: Document, *, url: str, token: str) -> Document:
    with connected(url, token) as client:
        return client.request("PATCH", session_path(session), body=members)


@click.command(epilog="Example:  arena session delete spring-cup --yes")
@click.argument("session")
@yes_option
@url_option
@token_option
@json_option
def delete(session: str, yes: bool, url: str, token: str, as_json: bool) -> None:
    """Delete a session of which nothing was played, with its entries. Asks first.

    One that has been started can be cancelled, one that was played can be hidden.
    """
    with connected(url, token) as client:
        known = client.session(session)
        name, bots = printable(known["name"]), len(known["entries"])
        make_sure(f"Delete {session} ({name}), with its {bots} entries, for good", yes=yes)
        deleted = client.request("DELETE", session_path(session), idempotent=False)
    print_outcome(deleted, f"{session} is deleted", as_json=as_json)


COMMANDS = (
    rename,
    edit,
    times,
    _hiding(
        "hide",
        "Take a session off the front page and all public lists; by its address it stays.",
        hidden=True,
    ),
    _hiding("unhide", "List a session that was hidden again.", hidden=False),
    delete,
)
"""What `arena session` gets from here."""
