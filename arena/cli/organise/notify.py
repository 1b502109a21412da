"""`arena session notify`: where the messages of a session go, and what became of them."""

from __future__ import annotations

import time

import click
from tabulate import tabulate

from arena.cli.remote import connected, json_option, print_json, token_option, url_option
from arena.client import Client
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import BadInput
from arena.tournament.reporting.markup import printable

LOOKS = 20
LOOK_AGAIN_S = 1.0


@click.command(
    epilog="""Examples:

    arena session notify spring-cup --set https://hooks.example.org/arena

    arena session notify spring-cup --test

    arena session notify spring-cup
"""
)
@click.argument("session")
@click.option("--set", "address", help="Send messages to this address from now on.")
@click.option("--secret", help="The secret to sign them with; the arena makes one if left out.")
@click.option("--remove", is_flag=True, help="Send no messages any more.")
@click.option("--test", is_flag=True, help="Send a message now, and wait for what becomes of it.")
@click.option(
    "--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="The most messages."
)
@url_option
@token_option
@json_option
def notify(
    session: str,
    address: str | None,
    secret: str | None,
    remove: bool,
    test: bool,
    limit: int,
    url: str,
    token: str,
    as_json: bool,
) -> None:
    """Have what happens in a session sent to an address, as signed JSON; show what was sent.

    The operator of the arena has to allow the host: ARENA_NOTIFY_ALLOW. The secret is printed once.
    With --test the exit code is 1 if the message was not delivered.
    """
    if bool(address) + remove + test > 1:
        raise BadInput("options", "several of --set, --remove, --test", "one of them")
    if secret is not None and address is None:
        raise BadInput("--secret", "without --set", "--set with an address")
    path = session_path(session, "notify")
    with connected(url, token) as client:
        if address is not None:
            body = {"url": address} if secret is None else {"url": address, "secret": secret}
            _show_secret(client.request("PUT", path, body=body), as_json=as_json)
            return
        if remove:
            client.request("DELETE", path)
        sent = _tested(client, session) if test else None
        document = client.request("GET", path, query={"limit": limit})
    _show(document, as_json=as_json)
    if sent is not None and sent["status"] != "delivered":
        click.get_current_context().exit(1)


def _tested(client: Client, session: str) -> Document:
    """The test message, once it was sent or could not be."""
    path = session_path(session, "notify")
    message = client.request("POST", f"{path}/test", idempotent=False)["message"]
    for _ in range(LOOKS):
        listed = client.request("GET", path, query={"limit": 500})["deliveries"]
        sent: Document = next(each for each in listed if each["message"] == message)
        if sent["outcome"]:
            return sent
        time.sleep(LOOK_AGAIN_S)
    return sent


def _show_secret(made: Document, *, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    click.echo(f"Messages go to {printable(made['url'])}")
    click.echo(f"Signed with this secret, shown only now:  {made['secret']}")


def _show(document: Document, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    where = document["url"]
    click.echo("No messages are sent." if where is None else f"Messages go to {printable(where)}")
    rows = [
        (
            each["at"],
            each["type"],
            each["status"],
            each["tries"],
            printable(each["outcome"]),
            each["next_try"] or "",
        )
        for each in document["deliveries"]
    ]
    if rows:
        heads = ("at", "type", "status", "tries", "outcome", "next try")
        click.echo(tabulate(rows, headers=heads, disable_numparse=True))
