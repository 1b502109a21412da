"""`arena roster ...`: the bots of a session as CSV, in and out.

An import checks everything that can be checked before it changes anything; what it did is in its
output file line by line, so that it can be run again after any failure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

import click

from arena.cli.boards import PseudonymOptions, pseudonym_options
from arena.cli.organise.confirm import described
from arena.cli.organise.rosters import Known, RosterLine, RosterTokens, csv_line, read_roster
from arena.cli.remote import (
    connected,
    json_option,
    optional_token_option,
    print_outcome,
    token_option,
    url_option,
)
from arena.client import Client
from arena.client.endpoints import session_path
from arena.client.problems import ArenaProblem, KitError
from arena.documents import Document
from arena.errors import BadInput, Conflict, Unavailable
from arena.session.owners import owner_key, same_owner
from arena.statuses import ENTERABLE, BotKind, EntryStatus


@click.group("roster", epilog="Example:  arena roster import spring-cup class.csv")
def command() -> None:
    """Import and export the bots of a session as CSV."""


@command.command(
    "import",
    epilog="""Examples:

    arena roster import spring-cup class.csv

    arena roster import spring-cup class.csv --output tokens.csv --url https://arena.example
""",
)
@click.argument("session")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Where bots and tokens are written.  [FILE with -tokens.csv at its end]",
)
@url_option
@token_option
@json_option
def import_(
    session: str, file: Path, output: Path | None, url: str, token: str, as_json: bool
) -> None:
    """Register the bots in FILE and enter them in SESSION.

    FILE is CSV with the columns name and owner; others are passed over, but for division: the id of
    one of the session's divisions, or nothing. The output has name, owner, bot and token of each
    bot. Only you may read it, and the arena shows each token only this once.

    All of FILE is checked first, also against the arena. If something fails half-way, run the same
    command again: it goes on where it was. A bot of the same name and owner that was registered
    elsewhere is entered, too, if its owner is proven; its token is known to those who registered
    it.
    """
    lines = read_roster(file)
    target = output or file.with_name(f"{file.stem}-tokens.csv")
    with connected(url, token) as client:
        there = _look(client, session, lines)
        with closing(RosterTokens(target)) as tokens:
            _check_tokens(tokens, lines, there)
            _import(client, session, lines, there=there, tokens=tokens)
    bots = [tokens.known[line.name] for line in lines]
    strangers = sum(not bot.token for bot in bots)
    listed = [{"name": b.name, "owner": b.owner, "bot": b.bot} for b in bots]
    words = [f"{len(lines)} bots are in {session}; their tokens are in {target}"]
    if strangers:
        words.append(f"{strangers} of them were registered elsewhere: their tokens are not known")
    document = {"session": session, "bots": listed, "tokens": str(target), "elsewhere": strangers}
    print_outcome(document, *words, as_json=as_json)


@command.command(
    "export",
    epilog="""Examples:

    arena roster export spring-cup --output class.csv

    arena roster export spring-cup --all --pseudonyms --key "$CLASS_KEY"
""",
)
@click.argument("session")
@click.option("-o", "--output", type=click.File("w", encoding="utf-8"), default="-", help="File.")
@click.option("--all", "everybody", is_flag=True, help="Also who was withdrawn or disqualified.")
@pseudonym_options
@url_option
@optional_token_option
@json_option
def export(
    session: str,
    output: TextIO,
    everybody: bool,
    pseudonyms: PseudonymOptions | None,
    url: str,
    token: str | None,
    as_json: bool,
) -> None:
    """Write the bots of SESSION as CSV: name, owner, number, status, bot, and division if any is in
    one; with --json as a list.

    With --pseudonyms and the class's key there is a column that says who is who, for staff. A
    session with a pseudonymous board has it for organisers anyway, with the names on that board.
    """
    with connected(url, token) as client:
        entries = client.session(session)["entries"]
    called = pseudonyms and pseudonyms.of({entry["bot"]: entry["name"] for entry in entries})
    if called is None and any("called" in entry for entry in entries):
        called = {entry["bot"]: entry["called"] for entry in entries}
    divided = any(entry["division"] for entry in entries)
    heads = ("name", "owner", "number", "status", "bot", *(("division",) if divided else ()))
    rows = [
        {head: entry[head] for head in heads}
        | ({"pseudonym": called[entry["bot"]]} if called else {})
        for entry in entries
        if everybody or entry["status"] == EntryStatus.ENTERED
    ]
    if as_json:
        output.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return
    output.write(csv_line([*heads, *(["pseudonym"] if called else [])]))
    for row in rows:
        output.write(csv_line([*row.values()]))


def _look(client: Client, session: str, lines: Sequence[RosterLine]) -> dict[str, Document]:
    """The bots of the file that the arena has already. Raises for what would fail later."""
    if "admin" not in client.whoami()["scopes"]:
        raise BadInput("token", "a bot's", "an organiser's")
    view = client.session(session)
    inside = {e["name"] for e in view["entries"] if e["status"] == EntryStatus.ENTERED}
    if view["status"] not in ENTERABLE and any(line.name not in inside for line in lines):
        raise Conflict(session, f"{session} cannot be entered any more: it is {view['status']}")
    divisions = [division["id"] for division in view["divisions"]]
    for line in lines:
        if line.division and line.division not in divisions:
            expected = f"one of {', '.join(divisions)}" if divisions else "none: there are none"
            raise BadInput(f"line {line.number}: division", line.division, expected)
    _check_room(view, [line for line in lines if line.name not in inside])
    there = {line.name: bot for line in lines if (bot := _registered(client, line.name))}
    for line in lines:
        bot = there.get(line.name)
        other = bot and not same_owner(bot["owner"], line.owner)
        if bot and (other or bot["kind"] != BotKind.BOT or bot["revoked"]):
            expected = f"a free name: it is that of a {_kind(bot)} of {bot['owner']}"
            raise BadInput(f"line {line.number}: name", line.name, expected)
        if bot and not bot["proven"]:
            raise BadInput(f"line {line.number}: name", line.name, _unproven(bot))
    return there


def _unproven(bot: Document) -> str:
    """What is wrong with a bot that has said whose it is, and nobody else has."""
    expected = f"a bot whose owner is proven: {described(bot)} only claims it"
    other = f"`arena admin revoke {bot['id']}` and choose another name"
    return (
        f"{expected}; {other}, or, if you know whose it is, leave it out and `arena session add` it"
    )


def _kind(bot: Document) -> str:
    return f"revoked {bot['kind']}" if bot["revoked"] else str(bot["kind"])


def _check_room(view: Document, fresh: Sequence[RosterLine]) -> None:
    """Is there room in the session for all of them?"""
    roster = view["roster"]
    entered = [entry for entry in view["entries"] if entry["status"] == EntryStatus.ENTERED]
    most, total = roster["max_bots"], len(entered) + len(fresh)
    if total > most:
        raise BadInput("bots", total, f"at most {most} in this session (roster.max_bots)")
    owned = Counter(owner_key(entry["owner"]) for entry in entered)
    for line in fresh:
        owned[owner_key(line.owner)] += 1
        if owned[owner_key(line.owner)] > roster["bots_per_owner"]:
            most = roster["bots_per_owner"]
            raise BadInput(
                f"line {line.number}: owner", line.owner, f"at most {most} bots of an owner"
            )


def _registered(client: Client, name: str) -> Document | None:
    """The bot of a name, if the arena has one."""
    try:
        bot = client.request("GET", f"/bots/{quote(name, safe='')}")
    except ArenaProblem as problem:
        if problem.status == 404:
            return None
        raise
    return bot if bot.get("name") == name else None


def _check_tokens(
    tokens: RosterTokens, lines: Sequence[RosterLine], there: dict[str, Document]
) -> None:
    """The output may be that of an earlier run, but not of another arena."""
    for line in lines:
        known, bot = tokens.known.get(line.name), there.get(line.name)
        if known is not None and (bot is None or bot["id"] != known.bot):
            expected = f"a new file, or one of this arena (in which {line.name} is {known.bot})"
            raise BadInput("output", str(tokens.path), expected)


def _import(
    client: Client,
    session: str,
    lines: Sequence[RosterLine],
    *,
    there: dict[str, Document],
    tokens: RosterTokens,
) -> None:
    """Register and enter, bot by bot; a failure tells what was done."""
    done = 0
    try:
        for line in lines:
            if line.name not in tokens.known:
                tokens.add(_bot(client, line, there.get(line.name)))
            client.request("PUT", session_path(session, "entries", tokens.known[line.name].bot))
            done += 1
        members = [
            {"bot": tokens.known[line.name].bot, "division": line.division}
            for line in lines
            if line.division
        ]
        if members:
            path = session_path(session, "divisions")
            client.request("PUT", path, body={"members": members})
    except KitError as error:
        progress = f"{done} of {len(lines)} bots are entered, tokens in {tokens.path}"
        raise Unavailable(f"{error}; {progress}; run it again to go on") from error


def _bot(client: Client, line: RosterLine, bot: Document | None) -> Known:
    """A bot of the roster, registered now if it was not yet."""
    if bot is not None:
        return Known(line.name, line.owner, bot["id"], "")
    body = {"name": line.name, "owner": line.owner}
    registered = client.request("POST", "/bots", body=body, idempotent=False)
    return Known(line.name, line.owner, registered["bot"]["id"], registered["token"])
