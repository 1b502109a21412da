"""`arena uecda gateway`: clients of the contest as bots of a running arena."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.remote import connected, json_option, print_json, url_option
from arena.cli.uecda.printing import PlainProgress, TerminalProgress
from arena.cli.uecda.serve import read_fills
from arena.cli.uecda.serving import stoppable, warn_of_strangers
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.uecda.arena_sessions import ContestForm
    from arena.uecda.gateway import Gateway, GatewayTerms
    from arena.uecda.keys import Keys
    from arena.uecda.party import SeatPort

FAILED, STOPPED = 1, 130
AFTER: Final = "The gateway stops; the arena answers for its clients from now on."
MOST_PORT: Final = 65535


@click.command(
    epilog="""Examples:

    arena uecda gateway --session spring-cup

    arena uecda gateway --session a --session b --table 42485 --table 42486

    arena uecda gateway --session final --table 42485:alice --table 42486:bob

    arena uecda gateway --session walk-in --create --queue 42485 --url https://arena.example

Exit codes: 0 all sessions were played, 1 a client or the arena could not go on, or all clients have
gone before the end, 130 stopped with Ctrl-C.
"""
)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    required=True,
    envvar="ARENA_SESSION",
    show_envvar=True,
    help="Which session the clients enter; one for all ports, or one for each in their order.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="PORT[:BOT]",
    help="A port for one table of five. With BOT: for one client, which plays as this bot."
    "  [42485]",
)
@click.option(
    "--queue",
    "queues",
    multiple=True,
    type=click.IntRange(0, MOST_PORT),
    help="A port at which a new table begins with each five clients.",
)
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. The protocol knows no passwords: whoever reaches it may play.",
)
@click.option("--code", envvar="ARENA_CODE", show_envvar=True, help="The code for new bots.")
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Tokens of bots by name: a CSV file as `arena roster import` writes it.",
)
@click.option(
    "--fill",
    "fills",
    multiple=True,
    metavar="BOT:AFTER_S",
    help="Who takes the seats of a table that are free this many seconds after its first client;"
    " repeated, in turn.  [nobody]",
)
@click.option(
    "--rejoin",
    is_flag=True,
    help="A client that has gone may come back under its name, from the next hand on; until then"
    " the gateway passes for it.",
)
@click.option(
    "--create",
    is_flag=True,
    help="Create a session for each table, in the form of the contest, and begin it with five."
    " Needs --token.",
)
@click.option(
    "--token",
    envvar="ARENA_ADMIN_TOKEN",
    show_envvar=True,
    help="An organiser's token, for --create.",
)
@click.option(
    "--hands",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="With --create: hands of a session.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(100),
    default=5_000,
    show_default=True,
    help="With --create: time for an answer.",
)
@click.option(
    "--bank-ms",
    type=click.IntRange(0),
    default=60_000,
    show_default=True,
    help="With --create: what a client may take beyond that, in all.",
)
@url_option
@json_option
def gateway(
    sessions: tuple[str, ...],
    tables: tuple[str, ...],
    queues: tuple[int, ...],
    listen: str,
    code: str | None,
    tokens: Path | None,
    fills: tuple[str, ...],
    *,
    rejoin: bool,
    create: bool,
    token: str | None,
    hands: int,
    move_ms: int,
    bank_ms: int,
    url: str,
    as_json: bool,
) -> None:
    """Let clients of the UECda contest play in a running arena, unchanged.

    Each client becomes a bot of the arena by its name: a kept token, one of --tokens, or a new bot.
    It enters the session and plays where the arena seats it; whoever organises the session starts
    it. With --create every table of five has a session of its own.

    What a client sends against the rules is a pass and no fault. A client that is silent is
    answered for by the arena's clock. One that has gone is withdrawn, unless --rejoin is given.
    Messages go to stderr, the outcome to stdout.
    """
    from arena.uecda.gateway import Gateway, GatewayTerms

    sys.path.insert(0, os.getcwd())
    form = _form(create, token, sessions, hands=hands, move_ms=move_ms, bank_ms=bank_ms)
    ports = _ports(tables, queues, sessions)
    if form is not None and any(port.bot for port in ports):
        named = next(text for text in tables if ":" in text)
        raise BadInput("--table", named, "no BOT where sessions are created (--create)")
    terms = GatewayTerms(url, form, read_fills(fills) if fills else (), rejoin)
    _check_sessions(terms, ports)
    said = TerminalProgress() if sys.stderr.isatty() else PlainProgress()
    own = Gateway(terms, _keys(tokens, code), said.line)
    with (
        closing(own),
        own.listen(ports, listen) as bound,
        stoppable(own.stop, said, after=AFTER),
    ):
        _announce(bound, listen)
        while not (own.is_over or own.is_stopping):
            own.pump()
        if not own.is_stopping:
            own.finish()
    _tell(own, as_json=as_json)
    if own.is_stopping:
        raise click.exceptions.Exit(STOPPED)
    if own.failures or own.is_deserted:
        raise click.exceptions.Exit(FAILED)


def _form(
    create: bool, token: str | None, sessions: tuple[str, ...], **numbers: int
) -> ContestForm | None:
    from arena.uecda.arena_sessions import ContestForm

    if not create:
        return None
    if not token:
        raise BadInput("--create", "without --token", "an organiser's token")
    if len(sessions) > 1:
        raise BadInput("--session", ", ".join(sessions), "one name where sessions are created")
    return ContestForm(sessions[0], token, **numbers)


def _ports(
    tables: tuple[str, ...], queues: tuple[int, ...], sessions: tuple[str, ...]
) -> list[SeatPort]:
    """The ports in their order, with the session of each. Raises BadInput."""
    from arena.uecda.codec import PLAYERS, PORT
    from arena.uecda.party import SeatPort

    named = [_table(text) for text in tables or (() if queues else (str(PORT),))]
    count = len(named) + len(queues)
    if len(sessions) not in (1, count):
        raise BadInput("--session", ", ".join(sessions), f"one, or {count}: one for each port")
    each = sessions if len(sessions) == count else sessions * count
    seats = [
        SeatPort(port, each[at], bot, number=at % PLAYERS if bot else 0)
        for at, (port, bot) in enumerate(named)
    ]
    first = len(named)
    return seats + [
        SeatPort(port, each[first + at], is_queue=True) for at, port in enumerate(queues)
    ]


def _table(text: str) -> tuple[int, str]:
    port, _, bot = text.partition(":")
    if not port.isdecimal() or int(port) > MOST_PORT:
        raise BadInput("--table", text, f"PORT or PORT:BOT, a port from 0 to {MOST_PORT}")
    return int(port), bot


def _check_sessions(terms: GatewayTerms, ports: list[SeatPort]) -> None:
    """Raises BadInput or KitError where clients of the contest cannot play."""
    from arena.uecda.arena_sessions import check_session

    with connected(terms.url, terms.form.token if terms.form else None) as client:
        if terms.form is not None:
            client.whoami()
            return
        for session in dict.fromkeys(port.session for port in ports):
            check_session(client.session(session))


def _keys(tokens: Path | None, code: str | None) -> Keys:
    from arena.uecda.keys import Keys, read_tokens

    return Keys(read_tokens(tokens) if tokens else {}, code=code)


def _announce(ports: Iterable[SeatPort], host: str) -> None:
    """Say where clients may come."""
    warn_of_strangers(host)
    for port in ports:
        who = port.bot or ("any number of clients" if port.is_queue else "five clients")
        click.echo(f"UECda gateway at {host}:{port.port} for {who}: {port.session}", err=True)


def _tell(own: Gateway, *, as_json: bool) -> None:
    """Who played where, for people or for a program."""
    from tabulate import tabulate

    from arena.uecda.party import party_document

    documents = [party_document(party) for party in own.parties]
    if as_json:
        print_json({"parties": documents, "failures": own.failures})
        return
    if not documents:
        click.echo("Nobody has played.")
        return
    heads = ("session", "player", "name", "hands", "refused", "late", "surplus", "")
    rows = [
        (party["session"], each["number"], each["name"], *_counts(each))
        for party in documents
        for each in party["players"]
    ]
    click.echo(tabulate(rows, headers=heads, disable_numparse=[0, 2]))


def _counts(player: dict[str, Any]) -> tuple[Any, ...]:
    if not player["client"]:
        return ("", "", "", "", "a bot that fills")
    counts = tuple(player[what] for what in ("hands", "refused", "late", "surplus"))
    return (*counts, "gone before the end" if player["absent"] else "")
