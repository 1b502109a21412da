"""`arena session alerts`: what an organiser should look at, moves included."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

from arena.cli.remote import connected, json_option, print_json, token_option, url_option
from arena.client.endpoints import session_path
from arena.documents import Document

AGAIN_S = 2.0
"""How long to wait before asking how far the arena has read."""
MOST_IDLE = 5
"""Asked so often in vain, the arena reads no further: a session may have more than it keeps."""


@click.command(
    epilog="""Examples:

    arena session alerts spring-cup

    arena session alerts spring-cup --wait --json
"""
)
@click.argument("session")
@click.option("--wait", is_flag=True, help="Until the moves of all hands that count are read.")
@click.option("--seats", type=int, help="Of the tables that count, where there are two sizes.")
@url_option
@token_option
@json_option
def alerts(
    session: str, wait: bool, seats: int | None, url: str, token: str, as_json: bool
) -> None:
    """Test a session for collusion by results and by moves, uneven seats and cut blocks.

    Alerts, not verdicts: only replays tell. An arena reads moves from the first time that somebody
    asks, beside its other work; what it prints says how many hands it has not read yet. Bots and
    spectators cannot ask.
    """
    path, query = session_path(session, "alerts"), {"seats": seats}
    with connected(url, token) as client:
        document = client.request("GET", path, query=query)
        if wait:
            document = when_read(document, lambda: client.request("GET", path, query=query))
        if as_json:
            print_json(document)
        else:
            click.echo(client.text(path, query={**query, "format": "text"}), nl=False)


def when_read(
    document: Document, ask: Callable[[], Document], *, rest: Callable[[float], None] = time.sleep
) -> Document:
    """The alerts when all moves are read, or no more are. rest: waits so many seconds."""
    idle = 0
    while document["moves_hands_unread"] and idle < MOST_IDLE:
        click.echo(f"{document['moves_hands_unread']} hands are still to be read ...", err=True)
        rest(AGAIN_S)
        before, document = document["moves_hands"], ask()
        idle = idle + 1 if document["moves_hands"] == before else 0
    return document
