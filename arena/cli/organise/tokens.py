"""`arena admin ...`: who has a token, taking it away and giving it back; enrolment codes in a list.

Most of it talks to a running arena; only `token` can also write to a database that no referee has
open, for the first organiser or one who has lost the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import click
from click.core import ParameterSource
from tabulate import tabulate

from arena.cli.organise.confirm import bot_of, described, make_sure, yes_option
from arena.cli.remote import (
    connected,
    json_option,
    print_json,
    print_outcome,
    token_option,
    url_option,
)
from arena.documents import Document
from arena.errors import BadInput
from arena.statuses import PLAYERS
from arena.tournament.reporting.markup import printable

ROLES = ("organiser", "assistant", "viewer")


@click.command(
    epilog="""Examples:

    arena admin token --database sqlite:///arena.db

    arena admin token --name anna --role assistant --url https://arena.example
""",
)
@click.option(
    "--database",
    envvar="ARENA_DATABASE",
    default="sqlite:///arena.db",
    show_default=True,
    help="The database; no referee may have it open.",
)
@click.option("--name", default="admin", show_default=True, help="Whose token it is.")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="organiser",
    show_default=True,
    help="What it is good for.",
)
@click.option(
    "--url",
    envvar="ARENA_URL",
    show_envvar=True,
    default=None,
    help="A running arena, instead of a database.",
)
@click.option(
    "--token",
    "own",
    envvar="ARENA_ADMIN_TOKEN",
    show_envvar=True,
    help="With --url: an organiser's token.",
)
@json_option
@click.pass_context
def token(
    context: click.Context,
    database: str,
    name: str,
    role: str,
    url: str | None,
    own: str | None,
    as_json: bool,
) -> None:
    """Make a token for an organiser, an assistant or a viewer; it is shown only now.

    A viewer sees what organisers see (names, results that are withheld, the audit log, ledgers).
    An assistant may also pause and resume sessions and make tables void or have them replayed. In a
    database a name that is taken gets a number. Where ARENA_URL is set it is that arena's, unless
    --database is given.
    """
    in_database = context.get_parameter_source("database") is ParameterSource.COMMANDLINE
    if in_database and context.get_parameter_source("url") is ParameterSource.COMMANDLINE:
        raise BadInput("--database", database, "not both --url and --database")
    if in_database or not url:
        created = _in_database(database, name, role=role)
        print_outcome({"token": created, "role": role}, created, as_json=as_json)
        return
    if not own:
        raise BadInput("--token", "", "an organiser's token, in --token or ARENA_ADMIN_TOKEN")
    body = {"name": name, "role": role}
    with connected(url, own) as client:
        made = client.request("POST", "/organisers", body=body, idempotent=False)
    print_outcome(made, made["token"], as_json=as_json)


def _in_database(database: str, name: str, *, role: str) -> str:
    from arena.application import Referee
    from arena.identity.organisers import kind_of
    from arena.store import open_store
    from arena.store.opening import is_file, sqlite_file

    is_new = is_file(database) and not sqlite_file(database).exists()
    with open_store(database) as store:
        created = Referee(store).registry.create_admin(name, kind=kind_of(role))
    if is_new:
        click.echo(f"there was no {database}: a new database was made", err=True)
    return created


@click.command(epilog="Example:  arena admin tokens --url https://arena.example")
@url_option
@token_option
@json_option
def tokens(url: str, token: str, as_json: bool) -> None:
    """List who has an organiser's, assistant's or viewer's token."""
    with connected(url, token) as client:
        organisers = client.request("GET", "/organisers")["organisers"]
    rows = [
        (each["id"], printable(each["name"]), each["role"], each["created"], _revoked(each))
        for each in organisers
    ]
    _print(organisers, rows, ("id", "name", "role", "created", ""), as_json=as_json)


def _revoked(listed: Document) -> str:
    return "revoked" if listed["revoked"] else ""


@click.command("revoke-token", epilog="Example:  arena admin revoke-token anna --yes")
@click.argument("organiser")
@yes_option
@url_option
@token_option
@json_option
def revoke_token(organiser: str, yes: bool, url: str, token: str, as_json: bool) -> None:
    """Take an organiser's, assistant's or viewer's token away for good, by id or name."""
    with connected(url, token) as client:
        known = bot_of(client, organiser)
        if known["kind"] in PLAYERS:
            raise BadInput("organiser", organiser, "nobody's bot: arena admin revoke is for bots")
        who = f"{printable(known['name'])} ({known['id']}, {known['kind']})"
        make_sure(f"Take the token of {who} away", yes=yes)
        revoked = client.request("POST", f"/organisers/{known['id']}/revoke")
    print_outcome(revoked, f"the token of {who} is revoked", as_json=as_json)


@click.command(epilog="Example:  arena admin revoke alice-1 --yes")
@click.argument("bot")
@yes_option
@url_option
@token_option
@json_option
def revoke(bot: str, yes: bool, url: str, token: str, as_json: bool) -> None:
    """Take a bot's token away, by id or name, and withdraw it from all that is not over."""
    with connected(url, token) as client:
        known = bot_of(client, bot)
        make_sure(f"Revoke {described(known)}", yes=yes)
        revoked = client.request("POST", f"/bots/{known['id']}/revoke")
    line = f"{described(known)} is revoked, and withdrawn from every session that is not over"
    print_outcome(revoked, line, as_json=as_json)


@click.command(epilog="Example:  arena admin restore alice-1")
@click.argument("bot")
@url_option
@token_option
@json_option
def restore(bot: str, url: str, token: str, as_json: bool) -> None:
    """Give a revoked bot a new token, which is shown only now.

    Its entries stay withdrawn; `arena session add` enters it again.
    """
    with connected(url, token) as client:
        known = bot_of(client, bot)
        restored = client.request("POST", f"/bots/{known['id']}/restore", idempotent=False)
    click.echo(f"{described(known)} has a new token; its entries stay withdrawn", err=True)
    print_outcome(restored, restored["token"], as_json=as_json)


@click.command(epilog="Example:  arena admin codes")
@url_option
@token_option
@json_option
def codes(url: str, token: str, as_json: bool) -> None:
    """List the enrolment codes: what they are for, and how often they can still be used."""
    with connected(url, token) as client:
        listed = client.request("GET", "/codes")["codes"]
    rows = [
        (
            each["id"],
            printable(each["label"]),
            printable(each["owner"] or ""),
            f"{each['uses_left']} of {each['uses']}",
            each["expires"] or "never",
            _revoked(each),
        )
        for each in listed
    ]
    _print(listed, rows, ("id", "label", "owner", "uses left", "expires", ""), as_json=as_json)


@click.command("revoke-code", epilog="Example:  arena admin revoke-code 3f9a52c08d11")
@click.argument("code")
@url_option
@token_option
@json_option
def revoke_code(code: str, url: str, token: str, as_json: bool) -> None:
    """Make an enrolment code worth nothing, by its id in the list; bots registered with it stay."""
    with connected(url, token) as client:
        gone = client.request("POST", f"/codes/{quote(code, safe='')}/revoke")
    line = f"code {gone['id']} ({printable(gone['label'])}) is revoked"
    print_outcome(gone, line, as_json=as_json)


def _print(
    listed: Sequence[Document],
    rows: Sequence[Sequence[object]],
    heads: Sequence[str],
    *,
    as_json: bool,
) -> None:
    if as_json:
        print_json(listed)
    else:
        click.echo(tabulate(rows, headers=heads, disable_numparse=True))


COMMANDS = (token, tokens, revoke_token, revoke, restore, codes, revoke_code)
"""What `arena admin` gets from here."""
