"""`arena session ...`: an organiser's steering wheel for a running arena."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import quote

import click
from tabulate import tabulate

from arena.cli.colours import NEXT_STEP, coloured
from arena.cli.event import design_text
from arena.cli.finals import read_session
from arena.cli.organise import corrections, digests, invitations
from arena.cli.organise.alerts import alerts
from arena.cli.organise.audit import audit
from arena.cli.organise.confirm import bot_of, described, make_sure, yes_option
from arena.cli.organise.divide import divide
from arena.cli.organise.notify import notify
from arena.cli.remote import (
    connected,
    json_option,
    optional_token_option,
    print_json,
    print_outcome,
    public_chance_option,
    token_option,
    url_option,
)
from arena.client import Client
from arena.client.endpoints import session_path
from arena.clock import SystemClock
from arena.documents import Document
from arena.rules.short_form import short_form
from arena.session.forecast import forecast_text
from arena.session.times import countdown, left_ms, next_time
from arena.statuses import ENTERABLE, EntryStatus
from arena.tournament.reporting.markup import printable

F = TypeVar("F", bound=Callable[..., Any])
PAGE = 500
MOST_NAMED = 10
ACTIONS = {
    "open": "Let bots enter.",
    "close": "Let no more bots enter; end a ladder after the round that is played.",
    "pause": "Stop all clocks.",
    "resume": "Go on after a pause.",
    "end": "End the session when the hands that run have ended; what was played counts.",
    "freeze": "Freeze the results: the public sees them as they are now, while play goes on.",
    "publish": "Publish results that are frozen or embargoed.",
}
TAKING_OUT = {
    "withdraw": "Withdraw a bot; the referee answers for it from now on.",
    "disqualify": "Disqualify a bot; none of its results count any more.",
}


def reason_option(command: F) -> F:
    """The option `--reason`."""
    return click.option(
        "--reason",
        default=None,
        help="Why; shown to the bots, and to all if the session has publish_reasons.",
    )(command)


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
        view = made = client.request("POST", "/sessions", body=read_session(file))
        if opened:
            view = client.request("POST", session_path(view["session"], "open"))
    more = {"notify": made["notify"]} if "notify" in made else {}
    _show({**view, **more}, as_json=as_json)
    _show_next_step(view, url, as_json=as_json)


@command.command(epilog="Example:  arena session status spring-cup")
@click.argument("session")
@url_option
@optional_token_option
@json_option
def status(session: str, url: str, token: str | None, as_json: bool) -> None:
    """Show where a session stands."""
    with connected(url, token) as client:
        _show(client.session(session), as_json=as_json)


@command.command("list", epilog="Example:  arena session list --state open")
@click.option("--state", help="created, open, running, paused, finished or cancelled.")
@url_option
@optional_token_option
@json_option
def list_(state: str | None, url: str, token: str | None, as_json: bool) -> None:
    """List the sessions of an arena; organisers see those that are hidden too."""
    with connected(url, token) as client:
        sessions = client.sessions(state)
    if as_json:
        print_json(sessions)
        return
    now_ms = SystemClock().now_ms()
    rows = [
        (
            s["session"],
            s["status"] + (", hidden" if s["hidden"] else ""),
            _next(s, now_ms),
            s["name"],
        )
        for s in sessions
    ]
    heads = ("session", "status", "next", "name")
    click.echo(tabulate([tuple(map(printable, row)) for row in rows], headers=heads))


def _next(session: Document, now_ms: int) -> str:
    """What a session does next by itself: ``starts in 2 h 10 min``."""
    coming = next_time(session, now_ms)
    return "" if coming is None else f"{coming[0]} {countdown(coming[1])}"


@command.command(epilog="Example:  arena session add spring-cup alice-1")
@click.argument("session")
@click.argument("bot")
@url_option
@token_option
@json_option
def add(session: str, bot: str, url: str, token: str, as_json: bool) -> None:
    """Enter a bot, by id or by name."""
    with connected(url, token) as client:
        known = bot_of(client, bot)
        entry = client.request("PUT", session_path(session, "entries", known["id"]))
    line = f"{described(known)} is number {entry['number']} of {session}"
    print_outcome(entry, line, as_json=as_json)


@command.command("records", epilog="Example:  arena session records spring-cup -o cup.jsonl")
@click.argument("session")
@click.option("-o", "--output", type=click.File("wb"), default="-", help="File to write to.")
@url_option
@token_option
def records_(session: str, output: BinaryIO, url: str, token: str) -> None:
    """Export a session's records as JSON Lines."""
    with connected(url, token) as client:
        output.write(client.records(session))


@command.command(epilog="Example:  arena session embargo spring-cup --until 2026-06-30T18:00:00Z")
@click.argument("session")
@click.option("--until", help="An instant in ISO 8601 with its offset; else until published.")
@url_option
@token_option
@json_option
def embargo(session: str, until: str | None, url: str, token: str, as_json: bool) -> None:
    """Show the public no results and no records, until an instant or until they are published."""
    with connected(url, token) as client:
        view = client.request("POST", session_path(session, "embargo"), body={"until": until})
    _show(view, as_json=as_json)


@command.command(epilog="Example:  arena session tables spring-cup")
@click.argument("session")
@url_option
@optional_token_option
@json_option
def tables(session: str, url: str, token: str | None, as_json: bool) -> None:
    """List the tables of a session; organisers see the names that others do not."""
    with connected(url, token) as client:
        found = list(_pages(client, session_path(session, "tables"), "tables"))
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each["table"],
            each["status"],
            ", ".join(printable(player["name"]) for player in each["players"]),
            printable(each["void"]["reason"]) if each["void"] else "",
        )
        for each in found
    ]
    click.echo(tabulate(rows, headers=("table", "status", "players", "void because")))


@command.command(epilog='Example:  arena session void spring-cup-r01-t03 --reason "power cut"')
@click.argument("table")
@click.option("--reason", required=True, help="Why; it stands in the records.")
@click.option("--replay", is_flag=True, help="Play it again at once.")
@url_option
@yes_option
@json_option
@token_option
def void(
    table: str, reason: str, replay: bool, url: str, token: str, yes: bool, as_json: bool
) -> None:
    """Make a table void: its hands leave the standings, its records say why. Asks first."""
    with connected(url, token) as client:
        make_sure(f"Make {table} void", yes=yes)
        path = f"/tables/{quote(table, safe='')}/void"
        done = [client.request("POST", path, body={"reason": reason})]
        lines = [f"{table} is void"]
        if replay:
            done.append(_replay(client, table))
            lines.append(_replayed(table, done[-1]))
    print_outcome(done[-1], *lines, as_json=as_json)


@command.command(epilog="Example:  arena session replay spring-cup-r01-t03")
@click.argument("table")
@url_option
@token_option
@json_option
def replay(table: str, url: str, token: str, as_json: bool) -> None:
    """Play a void table again: the same line-up, new deals."""
    with connected(url, token) as client:
        replayed = _replay(client, table)
    print_outcome(replayed, _replayed(table, replayed), as_json=as_json)


def _body(reason: str | None) -> Document | None:
    return None if reason is None else {"reason": reason}


def _replay(client: Client, table: str) -> Document:
    return client.request("POST", f"/tables/{quote(table, safe='')}/replay", idempotent=False)


def _replayed(table: str, replayed: Document) -> str:
    return f"{table} is played again as {replayed['table']}"


def _pages(client: Client, path: str, member: str) -> Iterator[Document]:
    after = None
    while True:
        page = client.request("GET", path, query={"after": after, "limit": PAGE})
        yield from page[member]
        after = page["next"]
        if after is None:
            return


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
        _show_next_step(view, url, as_json=as_json)

    return act


@command.command(epilog="Example:  arena session forecast spring-cup")
@click.argument("session")
@url_option
@token_option
@json_option
def forecast(session: str, url: str, token: str, as_json: bool) -> None:
    """Say how long a session will take and how exact its ratings will be.

    Before it begins: with those that have entered by now.
    """
    with connected(url, token) as client:
        document = client.request("GET", session_path(session, "forecast"))
    if as_json:
        print_json(document)
    else:
        click.echo(forecast_text(document), nl=False)


@command.command(epilog="Example:  arena session bots spring-cup")
@click.argument("session")
@url_option
@optional_token_option
@json_option
def bots(session: str, url: str, token: str | None, as_json: bool) -> None:
    """List the bots of a session, and who of them is connected.

    Connected is who asked for its turns within the last minute; while hands are played only
    organisers see that.
    """
    with connected(url, token) as client:
        entries = client.session(session)["entries"]
    if as_json:
        print_json(entries)
        return
    rows = [
        (
            entry["number"],
            printable(entry["name"]),
            printable(entry["owner"]),
            entry["status"],
            *_seen(entry),
        )
        for entry in entries
    ]
    heads = ("", "bot", "owner", "status", "connected", "last seen", "client")
    click.echo(tabulate(rows, headers=heads, disable_numparse=True))


def _seen(entry: Document) -> tuple[str, str, str]:
    """When a bot was seen, in words; nothing where that is not told."""
    if "connected" not in entry:
        return ("", "", "")
    here = "yes" if entry["connected"] else "no"
    return (here, entry["last_seen"] or "never", printable(entry["client"] or ""))


@command.command(epilog="Example:  arena session start spring-cup")
@click.argument("session")
@click.option("--anyway", is_flag=True, help="Also if there are bots that have never been here.")
@public_chance_option
@url_option
@token_option
@json_option
def start(
    session: str, anyway: bool, public_chance: str | None, url: str, token: str, as_json: bool
) -> None:
    """Draw up the schedule and begin to play.

    A session whose file announces a source of public chance (`public_chance`) needs --public-chance
    with the value of it; word for word, since whoever verifies the deals compares it.

    Asks first if there are bots that have never asked for a turn: the referee would play for them.
    Says how long it will take and how exact the ratings will be; `arena session forecast` says it
    without starting. With --json that is the member `forecast`.
    """
    with connected(url, token) as client:
        absent = [] if anyway else _never_seen(client.session(session))
        if absent:
            names = ", ".join(map(printable, absent[:MOST_NAMED]))
            more = f" and {len(absent) - MOST_NAMED} more" if len(absent) > MOST_NAMED else ""
            count = "1 bot has" if len(absent) == 1 else f"{len(absent)} bots have"
            question = f"{count} never been here: {names}{more}. Start {session} without them"
            make_sure(question, yes=False, flag="--anyway")
        expected = client.request("GET", session_path(session, "forecast"))
        body = None if public_chance is None else {"public_chance": public_chance}
        view = client.request("POST", session_path(session, "start"), body=body)
    _show({**view, "forecast": expected} if as_json else view, as_json=as_json)
    if not as_json:
        click.echo(forecast_text(expected), nl=False)
    _show_next_step(view, url, as_json=as_json)


def _never_seen(view: Document) -> list[str]:
    """The bots of a session before its start that have never asked for a turn, by name."""
    if view["status"] not in ENTERABLE:
        return []
    entered = [entry for entry in view["entries"] if entry["status"] == EntryStatus.ENTERED]
    return [e["name"] for e in entered if e.get("last_seen", "") is None]


@command.command(epilog="Example:  arena session cancel spring-cup --yes")
@click.argument("session")
@reason_option
@yes_option
@url_option
@token_option
@json_option
def cancel(
    session: str, reason: str | None, yes: bool, url: str, token: str, as_json: bool
) -> None:
    """End the session for good. Asks first."""
    with connected(url, token) as client:
        make_sure(f"End {session} for good", yes=yes)
        view = client.request("POST", session_path(session, "cancel"), body=_body(reason))
    _show(view, as_json=as_json)


def _taking_out(name: str, text: str) -> click.Command:
    """The command that takes a bot out of a session."""

    example = f"Example:  arena session {name} spring-cup alice-1 --yes"

    @click.command(name, help=f"{text} Asks first, with its id and owner.", epilog=example)
    @click.argument("session")
    @click.argument("bot")
    @reason_option
    @yes_option
    @url_option
    @token_option
    @json_option
    def act(
        session: str,
        bot: str,
        reason: str | None,
        yes: bool,
        url: str,
        token: str,
        as_json: bool,
    ) -> None:
        with connected(url, token) as client:
            known = bot_of(client, bot)
            make_sure(f"{name.capitalize()} {described(known)} in {session}", yes=yes)
            path = session_path(session, "entries", known["id"], name)
            entry = client.request("POST", path, body=_body(reason))
        print_outcome(entry, f"{described(known)} is {entry['status']}", as_json=as_json)

    return act


command.add_command(alerts)
command.add_command(audit)
command.add_command(divide)
command.add_command(notify)
for _command in (*corrections.COMMANDS, *digests.COMMANDS, *invitations.COMMANDS):
    command.add_command(_command)
for _name, _text in ACTIONS.items():
    command.add_command(_action(_name, _text))
for _name, _text in TAKING_OUT.items():
    command.add_command(_taking_out(_name, _text))


def _show_next_step(view: Document, url: str, *, as_json: bool) -> None:
    """What comes next, as the command for it, below what a person reads."""
    session = view["session"]
    steps = {
        "created": (f"arena session open {session}", "lets bots enter"),
        "open": (
            f"arena session start {session}",
            f"when the bots are in; they enter with --url {url} --session {session}",
        ),
        "running": (f"arena standings {session}", "shows how it stands"),
        "paused": (f"arena session resume {session}", "goes on"),
        "finished": (
            f"arena session records {session} -o {session}.jsonl",
            "saves the records; arena verify checks them",
        ),
    }
    if not as_json and view["status"] in steps:
        step, what = steps[view["status"]]
        click.echo(f"\n{coloured('Next:', NEXT_STEP)} {step}   ({what})")


def _time_text(time: Document) -> str:
    """When a session does something by itself, and how long that is until then, or what became of
    it."""
    words = countdown(left_ms(time["at"], SystemClock().now_ms()))
    if time["outcome"] is not None:
        words = time["outcome"] + (f": {printable(time['reason'])}" if time["reason"] else "")
    return f"{time['at']}  ({words})"


def _more_status(view: Document) -> str:
    reason = f": {printable(view['reason'])}" if view["reason"] else ""
    ending = ", ending" if view["ending"] else ""
    return reason + ending + (", hidden" if view["hidden"] else "")


def _show(view: Document, *, as_json: bool) -> None:
    """A session in a few lines, or as JSON."""
    if as_json:
        print_json(view)
        return
    progress = view["progress"]
    done = progress["hands_finished"] + progress["hands_forfeited"]
    rules = short_form(view["ruleset"])
    results = view["publication"]
    until = f" until {results['until']}" if results["until"] else ""
    rows = [
        ("session", view["session"]),
        ("name", view["name"]),
        ("status", view["status"] + _more_status(view)),
        ("ruleset", f"{rules}  ({view['fingerprint'][:12]})"),
        ("table", f"{view['seats']} bots, {view['hands_per_table']} hands in a row"),
        ("bots", str(len(view["entries"]))),
        ("schedule", "" if view["design"] is None else design_text(view)),
        ("hands", f"{done} of {progress['hands']}"),
        ("results", results["results"] + until),
        *((time["what"], _time_text(time)) for time in view["times"]),
    ]
    for each in view.get("damaged", ()):
        problem = f"{each['hand']}, step {each['step']}: {printable(each['problem'])}"
        rows.append(("damaged", f"{problem}; restore a backup, or void {each['table']}"))
    if "notify" in view:
        rows.append(("messages", f"to {printable(view['notify']['url'])}"))
        rows.append(("secret", f"{view['notify']['secret']}  (shown only now)"))
    click.echo(tabulate(rows, tablefmt="plain"))
