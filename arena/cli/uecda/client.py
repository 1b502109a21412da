"""`arena uecda client`: a bot of the kit as a client of somebody else's UECda server."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click
from tabulate import tabulate

from arena.cli.remote import json_option, print_json
from arena.documents import Document
from arena.errors import BadInput, Unavailable
from arena.processes import leave

if TYPE_CHECKING:
    from arena.client.bot import Bot
    from arena.uecda.client import BotClient

BROKEN_OFF, STOPPED = 1, 130
LONGEST_NAME: Final = 15
PRINTABLE: Final = range(0x21, 0x7F)
EVERY: Final = 100
"""Elsewhere than on a terminal, so often it is said how far the session is."""


class HandsProgress:
    """What is said while a session is played. quiet: nothing."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty() and not quiet

    def line(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        if not self._quiet:
            click.echo(text, err=True)

    def hand(self, client: BotClient) -> None:
        """A hand has been played: on a terminal its line is written over with the next."""
        hands = len(client.report.finishes)
        own = next(line for line in client.points if line.player == client.player)
        text = f"hand {hands}: {own.points} points, rank {own.rank}"
        if self._terminal:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
        elif hands % EVERY == 0:
            self.line(text)

    def clear(self) -> None:
        """The line that is written over goes."""
        if self._terminal:
            click.echo("\r\x1b[K", nl=False, err=True)


@click.command(
    epilog="""Examples:

    arena uecda client mybot:MyBot --name mybot

    arena uecda client "sample_bots.heuristic:Heuristic" --host 192.0.2.7 --hands 100 --json

Exit codes: 0 the session was played to its end, 1 it broke off before, 2 it could not begin, 130
stopped with Ctrl-C.
"""
)
@click.argument("bot", metavar="BOT")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the server is.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=42485,
    show_default=True,
    help="The port on which it listens.",
)
@click.option(
    "--name",
    default=None,
    help="What the server calls the bot: printable ASCII, at most 15 characters, of which some"
    " servers keep 9.  [the name of its class]",
)
@click.option(
    "--hands",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="How many hands the session has: the protocol does not say, but the bot may want to know."
    " The server decides.",
)
@click.option(
    "--silence-s",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    help="Leave a server that has said nothing for so long in the middle of a session.",
)
@click.option("--quiet", is_flag=True, help="Say nothing while the session is played.")
@json_option
def client(
    bot: str,
    host: str,
    port: int,
    name: str | None,
    hands: int,
    silence_s: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let a bot of the kit play on a UECda server, such as the contest's own.

    BOT is a bot in Python as `module:Class`, with flags behind it if it takes any. It gets the turn
    documents of a local match; what the protocol does not say follows from playing along. What it
    does wrong costs it a move and not the session. Names of the other players are not known: the
    protocol has none.
    """
    from arena.client.watch import Watch
    from arena.match.local import make_bot
    from arena.rules import compile_ruleset
    from arena.uecda.client import BotClient

    sys.path.insert(0, os.getcwd())
    signal.signal(signal.SIGTERM, leave)
    player, progress = make_bot(bot), HandsProgress(quiet=quiet)
    own = _checked(name) if name is not None else _name_of(player)
    with Watch() as watch:
        session = BotClient(
            player,
            compile_ruleset({"preset": "uecda"}),
            name=own,
            hands=hands,
            said=progress.line,
            ended=progress.hand,
            watch=watch,
        )
        trouble, code = _play(session, progress, host, port, silence_s=silence_s)
    progress.clear()
    _tell(session, trouble, as_json=as_json)
    raise click.exceptions.Exit(code)


def _play(
    session: BotClient, progress: HandsProgress, host: str, port: int, *, silence_s: float
) -> tuple[str, int]:
    """Play the session; why it has ended before its time, and the exit code."""
    from arena.uecda.client_connection import connect, play_session

    try:
        with connect(host, port) as connection:
            progress.line(f"{session.name} is connected to {host}:{port}; stop with Ctrl-C")
            play_session(connection, session, silence_s=silence_s)
    except Unavailable as error:
        return str(error), BROKEN_OFF
    except KeyboardInterrupt:
        return "stopped", STOPPED
    return "", 0


def _tell(session: BotClient, trouble: str, *, as_json: bool) -> None:
    """The summary, for people or for a program; why it has ended, for both."""
    if as_json:
        print_json(document(session, trouble))
    else:
        for line in lines(session):
            click.echo(line)
    if trouble:
        click.echo(f"arena: {trouble}", err=True)


def _checked(name: str) -> str:
    if not 0 < len(name) <= LONGEST_NAME or any(ord(each) not in PRINTABLE for each in name):
        expected = f"1 to {LONGEST_NAME} printable characters of ASCII, without blanks"
        raise BadInput("--name", name, expected)
    return name


def _name_of(bot: Bot) -> str:
    """The name of a bot's class, as far as the protocol can say it."""
    with suppress(BadInput):
        return _checked(type(bot).__name__[:LONGEST_NAME])
    return "arena"


def document(session: BotClient, trouble: str) -> Document:
    """The summary for programs."""
    report, conduct = session.report, session.conduct
    return {
        "name": session.name,
        "player": session.player,
        "hands": len(report.finishes),
        "ended": session.is_over,
        "trouble": trouble or None,
        "players": [
            {
                "rank": line.rank,
                "player": line.player,
                "points": line.points,
                "mean": round(line.mean, 4),
                "places": list(line.places),
            }
            for line in session.points
        ],
        "answers": report.answers,
        "refused": report.refused,
        "faults": report.faults,
        "errors": conduct.errors,
        "resynchronised": report.differing,
        "differences": dict(sorted(report.differences.items())),
        "slowest_ms": conduct.slowest_ms,
        "slowest_turn": conduct.slowest_turn or None,
    }


def lines(session: BotClient) -> list[str]:
    """The summary for people."""
    report, conduct = session.report, session.conduct
    if not report.finishes:
        return ["No hand was played to its end."]
    heads = ["rank", "player", "points", "a hand", "1st", "2nd", "3rd", "4th", "5th"]
    rows = [
        [line.rank, _called(session, line.player), line.points, line.mean, *line.places]
        for line in session.points
    ]
    formats = ("", "", "d", ".2f", *["d"] * 5)
    table = tabulate(rows, headers=heads, tablefmt="simple", floatfmt=formats, disable_numparse=[1])
    hands = f"{len(report.finishes)} hands"
    lacking = sum(len(finish) < len(session.points) for finish in report.finishes)
    hands += (
        f", of which {lacking} ended in an order that the server did not say" if lacking else ""
    )
    answers = f"{report.answers} answers, {report.refused} refused by the server"
    own = f"{report.faults} turns without a legal answer, {conduct.errors} errors of the bot's code"
    return [
        hands,
        *table.splitlines(),
        f"{answers}, slowest {conduct.slowest_ms} ms",
        *([own] if report.faults or conduct.errors else []),
        f"{report.differing} times resynchronised with the server",
    ]


def _called(session: BotClient, player: int) -> str:
    """The only name that is known is one's own."""
    return f"{player} {session.name}" if player == session.player else str(player)
