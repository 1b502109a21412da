"""`arena uecda gateway`: UECda clients as bots of a running arena."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from arena.cli.remote import connected, json_option, print_json, url_option
from arena.cli.uecda.printing import PlainProgress, TerminalProgress
from arena.cli.uecda.serving import stoppable, warn_of_strangers
from arena.documents import Document
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.uecda.gateway import Gateway, GatewayClient, GatewayTerms
    from arena.uecda.sockets import ListeningPort

FAILED, STOPPED = 1, 130
AFTER = "The gateway stops; the arena answers for its clients from now on."
USUAL_TABLE: Final = ("42485",)


class AskedPort(NamedTuple):
    """A port that was asked for. bot: which its only client plays as, "" for five of their own."""

    port: int
    bot: str = ""
    is_queue: bool = False


@click.command(
    epilog="""Examples:

    arena uecda gateway --session contest

    arena uecda gateway --session contest --table 42485 --table 42486

    arena uecda gateway --session league --queue 42485 --code df-1234

    arena uecda gateway --session final --table 42485:alice --table 42486:bob

Exit codes: 0 the session is over, 1 a client could not play, 130 stopped with Ctrl-C.
"""
)
@click.option("--session", required=True, help="The session that clients enter.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="PORT[:BOT]",
    help="A port for five clients, or for one that plays as BOT; may be repeated.  [42485]",
)
@click.option(
    "--queue",
    "queues",
    multiple=True,
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="A port for any number of clients, five to a table; may be repeated.",
)
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. The protocol knows no passwords: whoever reaches it may play.",
)
@click.option("--code", default=None, envvar="ARENA_CODE", help="Enrolment code for new bots.")
@click.option("--owner", default=None, envvar="ARENA_OWNER", help="Whose bots the clients are.")
@url_option
@json_option
def gateway(
    session: str,
    tables: tuple[str, ...],
    queues: tuple[int, ...],
    listen: str,
    code: str | None,
    owner: str | None,
    url: str,
    as_json: bool,
) -> None:
    """Let UECda clients play in a session of a running arena, unchanged.

    Each client becomes a bot with the name that it sends, and enters the session, which has to be
    by the rules of the preset `uecda`. Its token is kept in the folder .arena, so that a client of
    the same name is the same bot the next time. What it sends against the rules is a pass, never a
    fault. The gateway ends when the session does.
    """
    from arena.uecda.gateway import Gateway
    from arena.uecda.sockets import ClientSockets

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    asked = [_table(text) for text in tables or (() if queues else USUAL_TABLE)]
    asked += [AskedPort(port, is_queue=True) for port in queues]
    terms = _terms(url, session, code, owner)
    said = TerminalProgress() if sys.stderr.isatty() else PlainProgress()
    own = Gateway(terms, said.line)
    with (
        _ports(own, listen, asked, quiet=as_json) as ports,
        closing(ClientSockets(ports, said.line)) as sockets,
        stoppable(own.stop, said, after=AFTER),
    ):
        is_finished = own.run(sockets)
    _tell(own, as_json=as_json)
    if not is_finished:
        raise click.exceptions.Exit(STOPPED)
    if any(client.trouble for client in own.clients):
        raise click.exceptions.Exit(FAILED)


def _table(text: str) -> AskedPort:
    port, _, bot = text.partition(":")
    if not (port.isdecimal() and int(port) <= 65535):
        raise BadInput("--table", text, "PORT or PORT:BOT, such as 42485:alice")
    return AskedPort(int(port), bot)


def _terms(url: str, session: str, code: str | None, owner: str | None) -> GatewayTerms:
    """The session, once it is clear that clients can play in it. Raises BadInput, and what the
    arena says."""
    from arena.rules import compile_ruleset
    from arena.uecda.contest import PRESET
    from arena.uecda.gateway import GatewayTerms

    rules = compile_ruleset({"preset": PRESET})
    with connected(url) as arena:
        document = arena.session(session)
    if document["fingerprint"] != rules.fingerprint:
        named = f"ruleset of session {session}"
        raise BadInput(named, document["ruleset"], f"the preset {PRESET}, unchanged")
    return GatewayTerms(url, session, rules, code, owner)


@contextmanager
def _ports(
    own: Gateway, host: str, asked: Sequence[AskedPort], *, quiet: bool
) -> Iterator[list[ListeningPort]]:
    """The listening sockets, all of them or none."""
    from arena.uecda.gateway import PortRule
    from arena.uecda.sockets import ListeningPort, listen

    ports: list[ListeningPort] = []
    try:
        for each in asked:
            rule = PortRule(each.bot, each.is_queue)
            ports.append(ListeningPort(listen(host, each.port), own.admitting(rule)))
        for each, port in zip(asked, ports, strict=True):
            bound, number = port.listener.getsockname()[:2]
            who = each.bot or ("any number of clients" if each.is_queue else "five clients")
            click.echo(f"UECda gateway at {bound}:{number} for {who}", err=quiet)
        warn_of_strangers(bound)
        yield ports
    finally:
        for port in ports:
            port.listener.close()


def _tell(own: Gateway, *, as_json: bool) -> None:
    """What became of each client."""
    if as_json:
        print_json({"clients": [_document(client) for client in own.clients]})
        return
    for client in own.clients:
        seat = client.seat
        counts = f"{seat.refused} refused, {seat.late} late, {seat.surplus} not asked for"
        gone = "; gone before the end" if seat.has_left_early else ""
        trouble = f"; {client.trouble}" if client.trouble else ""
        click.echo(f"{client.bot or client.name}: {client.hands} hands, {counts}{gone}{trouble}")


def _document(client: GatewayClient) -> Document:
    seat = client.seat
    return {
        "name": client.name,
        "bot": client.bot or None,
        "player": seat.player,
        "hands": client.hands,
        "refused": seat.refused,
        "late": seat.late,
        "surplus": seat.surplus,
        "absent": seat.has_left_early,
        "trouble": client.trouble or None,
    }
