"""`arena session invite` and what belongs to it: seats of a session that are open to people."""

from __future__ import annotations

from typing import Any

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
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.session.people import CLOCKS, USUAL
from arena.tournament.reporting.markup import printable


@click.command(epilog="Example:  arena session invite spring-cup --name Ann --clock x2")
@click.argument("session")
@click.option("--name", help="Under which name the person plays; else one of their choice.")
@click.option(
    "--clock",
    type=click.Choice(list(CLOCKS)),
    default=USUAL,
    show_default=True,
    help="The person's clock, by the session's; none: an hour for each turn.",
)
@click.option("--valid-hours", type=float, help="How long the link is good.  [default: 168]")
@url_option
@token_option
@json_option
def invite(
    session: str,
    name: str | None,
    clock: str,
    valid_hours: float | None,
    url: str,
    token: str,
    as_json: bool,
) -> None:
    """Open a seat of a session to a person, and print the link that leads to it.

    The link is good for one person, and is shown only now. Send it where nobody else reads it.
    """
    body: dict[str, Any] = {"clock": clock}
    body |= {"name": name} if name is not None else {}
    body |= {"valid_hours": valid_hours} if valid_hours is not None else {}
    path = session_path(session, "invitations")
    with connected(url, token) as client:
        made = client.request("POST", path, body=body, idempotent=False)
    made["link"] = url.rstrip("/") + made["link"]
    if not as_json:
        whose = printable(name) if name is not None else "one person"
        click.echo(f"for {whose}, clock {clock}, good until {made['expires']}:", err=True)
    print_outcome(made, made["link"], as_json=as_json)


@click.command(epilog="Example:  arena session invitations spring-cup")
@click.argument("session")
@url_option
@token_option
@json_option
def invitations(session: str, url: str, token: str, as_json: bool) -> None:
    """List the invitations of a session, and what became of them."""
    with connected(url, token) as client:
        listed = client.request("GET", session_path(session, "invitations"))["invitations"]
    if as_json:
        print_json(listed)
        return
    rows = [
        (each["id"], printable(each["name"] or ""), each["clock"], each["expires"], _state(each))
        for each in listed
    ]
    heads = ("id", "name", "clock", "expires", "")
    click.echo(tabulate(rows, headers=heads, disable_numparse=True))


def _state(invitation: Document) -> str:
    if invitation["bot"]:
        return f"accepted by {invitation['bot']}"
    return "revoked" if invitation["revoked"] else ""


@click.command(
    "revoke-invitation", epilog="Example:  arena session revoke-invitation spring-cup 3f9a52c08d11"
)
@click.argument("session")
@click.argument("invitation")
@url_option
@token_option
@json_option
def revoke_invitation(session: str, invitation: str, url: str, token: str, as_json: bool) -> None:
    """Take an invitation back that nobody has accepted, by its id in the list."""
    path = session_path(session, "invitations", invitation, "revoke")
    with connected(url, token) as client:
        gone = client.request("POST", path)
    print_outcome(gone, f"invitation {gone['id']} is revoked", as_json=as_json)


COMMANDS = (invite, invitations, revoke_invitation)
"""What `arena session` gets from here."""
