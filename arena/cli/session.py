"""`arena session ...`: an organiser's steering wheel for a running arena."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import BinaryIO

import click
from tabulate import tabulate

from arena.cli.documents import read_document
from arena.cli.organiser import (
    Document,
    connected,
    json_option,
    session_path,
    token_option,
    url_option,
)

ACTIONS = {
    "open": "Let bots enter.",
    "close": "Let no more bots enter.",
    "start": "Draw up the schedule and begin to play.",
    "pause": "Stop all clocks.",
    "resume": "Go on after a pause.",
    "cancel": "End the session for good.",
}
TAKING_OUT = {
    "withdraw": "Withdraw a bot; the referee answers for it from now on.",
    "disqualify": "Disqualify a bot.",
}


@click.group("session", epilog="Example:  arena session create spring-cup.toml")
def command() -> None:
    """Create sessions on a running arena and steer them."""


@command.command(epilog="Example:  arena session create spring-cup.toml --open")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--open", "opened", is_flag=True, help="Let bots enter at once.")
@url_option
@token_option
@json_option
def create(file: Path, opened: bool, url: str, token: str, as_json: bool) -> None:
    """Create a session from a TOML or JSON file."""
    with connected(url, token) as client:
        view = client.request("POST", "/sessions", body=read_document(file))
        if opened:
            view = client.request("POST", session_path(view["session"], "open"))
    _show(view, as_json=as_json)


@command.command(epilog="Example:  arena session status spring-cup")
@click.argument("session")
@url_option
@json_option
def status(session: str, url: str, as_json: bool) -> None:
    """Show where a session stands."""
    with connected(url) as client:
        _show(client.session(session), as_json=as_json)


@command.command("list", epilog="Example:  arena session list --state open")
@click.option("--state", help="created, open, running, paused, finished or cancelled.")
@url_option
@json_option
def list_(state: str | None, url: str, as_json: bool) -> None:
    """List the sessions of an arena."""
    with connected(url) as client:
        sessions = client.sessions(state)
    if as_json:
        click.echo(json.dumps(sessions, ensure_ascii=False, indent=2))
        return
    rows = [(s["session"], s["status"], s["name"]) for s in sessions]
    click.echo(tabulate(rows, headers=("session", "status", "name")))


@command.command(epilog="Example:  arena session add spring-cup alice-1")
@click.argument("session")
@click.argument("bot")
@url_option
@token_option
def add(session: str, bot: str, url: str, token: str) -> None:
    """Enter a bot, by id or by name."""
    with connected(url, token) as client:
        entry = client.request("PUT", session_path(session, "entries", bot))
    click.echo(f"{bot} is number {entry['number']} of {session}")


@command.command("records", epilog="Example:  arena session records spring-cup -o cup.jsonl")
@click.argument("session")
@click.option("-o", "--output", type=click.File("wb"), default="-", help="File to write to.")
@url_option
@token_option
def records_(session: str, output: BinaryIO, url: str, token: str) -> None:
    """Export a session's records as JSON Lines."""
    with connected(url, token) as client:
        output.write(client.records(session))


def _action(name: str, text: str) -> click.Command:
    """The command of one action."""

    @click.command(name, help=text, epilog=f"Example:  arena session {name} spring-cup")
    @click.argument("session")
    @url_option
    @token_option
    @json_option
    def act(session: str, url: str, token: str, as_json: bool) -> None:
        with connected(url, token) as client:
            view = client.request("POST", session_path(session, name))
        _show(view, as_json=as_json)

    return act


def _taking_out(name: str, text: str) -> click.Command:
    """The command that takes a bot out of a session."""

    @click.command(name, help=text, epilog=f"Example:  arena session {name} spring-cup alice-1")
    @click.argument("session")
    @click.argument("bot")
    @url_option
    @token_option
    def act(session: str, bot: str, url: str, token: str) -> None:
        with connected(url, token) as client:
            entry = client.request("POST", session_path(session, "entries", bot, name))
        click.echo(f"{bot} is {entry['status']}")

    return act


for _name, _text in ACTIONS.items():
    command.add_command(_action(_name, _text))
for _name, _text in TAKING_OUT.items():
    command.add_command(_taking_out(_name, _text))


def _show(view: Document, *, as_json: bool) -> None:
    """A session in a few lines, or as JSON."""
    if as_json:
        json.dump(view, sys.stdout, ensure_ascii=False, indent=2)
        click.echo()
        return
    progress = view["progress"]
    done = progress["hands_finished"] + progress["hands_forfeited"]
    ruleset = view["ruleset"]
    rules = "+".join([ruleset.get("preset") or "pagat", *ruleset.get("patches", [])])
    rows = [
        ("session", view["session"]),
        ("name", view["name"]),
        ("status", view["status"]),
        ("ruleset", f"{rules}  ({view['fingerprint'][:12]})"),
        ("bots", str(len(view["entries"]))),
        ("hands", f"{done} of {progress['hands']}"),
    ]
    click.echo(tabulate(rows, tablefmt="plain"))
