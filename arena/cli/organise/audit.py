"""`arena session audit`: who did what, when, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice

import click
from tabulate import tabulate

from arena.cli.remote import connected, json_option, print_json, token_option, url_option
from arena.client import Client
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.statuses import PLAYERS, STAFF, Actor
from arena.tournament.reporting.markup import printable

PAGE = 500
BY = {
    "organisers": (*STAFF, Actor.COMMAND),
    "bots": PLAYERS,
    "referee": (Actor.REFEREE,),
}
"""Kinds of actors in the audit log."""


@click.command(epilog="Example:  arena session audit spring-cup")
@click.argument("session", required=False)
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="The most entries."
)
@click.option("--by", type=click.Choice(tuple(BY)), default=None, help="Only what these did.")
@click.option("--who", default=None, help="Only what this one did, by name or id.")
@click.option("--action", default=None, help="Only actions that begin so, such as entry or table.")
@url_option
@token_option
@json_option
def audit(
    session: str | None,
    limit: int,
    by: str | None,
    who: str | None,
    action: str | None,
    url: str,
    token: str,
    as_json: bool,
) -> None:
    """Show what was done, newest first: in one session, or in all."""
    with connected(url, token) as client:
        wanted = (
            each
            for each in _audited(client)
            if (session is None or session in _about(each))
            and (by is None or each["actor_kind"] in BY[by])
            and (who is None or who in (each["actor"], each["actor_name"]))
            and (action is None or each["action"].startswith(action))
        )
        found = list(islice(wanted, limit))
        if session is not None and not found:
            client.request("GET", session_path(session))  # a misspelt one is not merely empty
    if as_json:
        print_json(found)
        return
    rows = [(e["at"], _who(e), e["action"], printable(_detail(e))) for e in found]
    click.echo(tabulate(rows, headers=("at", "who", "what", "to what")))


def _audited(client: Client) -> Iterator[Document]:
    """The audit log, newest first, page by page."""
    before = None
    while True:
        query = {"limit": PAGE, "before": before}
        page: list[Document] = client.request("GET", "/audit", query=query)["entries"]
        yield from page
        if len(page) < PAGE:
            return
        before = page[-1]["number"]


def _about(entry: Document) -> tuple[object, ...]:
    """The session that an entry of the audit log is about."""
    detail = entry["detail"]
    return (detail.get("session"),) if isinstance(detail, dict) else (detail,)


def _who(entry: Document) -> str:
    """Who did it, by name where there is one."""
    name = entry.get("actor_name")
    return f"{printable(name)} ({entry['actor']})" if name else str(entry["actor"])


def _detail(entry: Document) -> str:
    """To what it was done, with names beside ids."""
    detail, names = entry["detail"], entry["names"]

    def named(value: object) -> str:
        name = names.get(value) if isinstance(value, str) else None
        return f"{name} ({value})" if name else str(value)

    if not isinstance(detail, dict):
        return named(detail)
    changes = _changes(detail.get("before"), detail.get("after"))
    shown_apart = () if changes is None else ("before", "after")
    words = [
        f"{member} {_members(value, named) if isinstance(value, dict) else named(value)}"
        for member, value in detail.items()
        if member not in shown_apart
    ]
    return ", ".join([*words, *(changes or ())])


def _members(value: Document, named: Callable[[object], str]) -> str:
    """A member that is about several, such as bots and their divisions."""
    words = {named(name): "none" if each is None else each for name, each in value.items()}
    return ", ".join(f"{name}: {each}" for name, each in words.items())


def _changes(before: object, after: object) -> list[str] | None:
    """What was changed, member by member; None where the detail does not say so."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    return [
        f"{name} {_plain(before.get(name))} -> {_plain(after.get(name))}"
        for name in dict.fromkeys((*before, *after))
    ]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
