"""`arena uecda serve`: a contest server for UECda clients, without an arena around it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from arena.cli.remote import json_option, print_json
from arena.cli.uecda.printing import (
    ContestProgress,
    PlainProgress,
    TerminalProgress,
    document,
    lines,
)
from arena.cli.uecda.serving import stoppable, warn_of_strangers
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.match.tables import PlayedHand
    from arena.uecda.contest import Contest, Fill
    from arena.uecda.sockets import ClientSockets

DESERTED, STOPPED = 1, 130
AFTER = "The session ends after this hand; Ctrl-C again ends it at once."
USUAL_FILL: Final = "sample_bots.heuristic:Heuristic:30"
NO_FILL: Final = "none"
MOST_HANDS: Final = 15_000
"""What the points of a session on the contest's own server have room for."""


@click.command(
    epilog="""Examples:

    arena uecda serve

    arena uecda serve --hands 100 --fill none --record final.jsonl

    arena uecda serve --fill sample_bots.lowest:Lowest:0 --move-ms 10000

Exit codes: 0 all hands were played, 1 all clients have gone before, 130 stopped with Ctrl-C.
"""
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=42485,
    show_default=True,
    help="Where clients connect; 0 for a free one.",
)
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. The protocol knows no passwords: whoever reaches it may play.",
)
@click.option(
    "--hands",
    type=click.IntRange(1, MOST_HANDS),
    default=1000,
    show_default=True,
    help="Hands of the session. Classes begin anew every 100, seats change every 3.",
)
@click.option(
    "--seed",
    type=int,
    default=None,
    help="Deals and seats follow from it.  [another one each time]",
)
@click.option(
    "--fill",
    "fills",
    multiple=True,
    metavar="BOT:AFTER_S",
    help="Who takes the seats that are free this many seconds after the first client; repeated, in"
    f" turn. `{NO_FILL}` waits for five clients.  [{USUAL_FILL}]",
)
@click.option(
    "--move-ms",
    type=click.IntRange(100),
    default=5_000,
    show_default=True,
    help="Time for an answer.",
)
@click.option(
    "--bank-ms",
    type=click.IntRange(0),
    default=60_000,
    show_default=True,
    help="What a client may take beyond that, in all, until the classes begin anew.",
)
@click.option(
    "--record",
    type=click.File("wb", lazy=False),
    default=None,
    help="Write the hands there, for arena verify, replay, show and rate.",
)
@json_option
def serve(
    port: int,
    listen: str,
    hands: int,
    seed: int | None,
    fills: tuple[str, ...],
    move_ms: int,
    bank_ms: int,
    record: BinaryIO | None,
    as_json: bool,
) -> None:
    """Run one session of the UECda contest: five players, one port, clients unchanged.

    Whoever connects with a profile of version 20070 gets a seat; the first hand begins when five
    seats are taken. What a client sends against the rules is a pass, as on the contest's own
    server. For a client that has gone, or does not answer in time, passes are played, and the
    others go on. At the end points are summed: 5, 4, 3, 2, 1 by place.

    Ctrl-C ends the session after the hand that is being played; a second one ends it at once.
    """
    from arena.uecda.contest import Contest, ContestTerms
    from arena.uecda.sockets import ClientSockets, ListeningPort
    from arena.uecda.sockets import listen as open_listener

    sys.path.insert(0, os.getcwd())
    chosen = secrets.randbelow(2**31) if seed is None else seed
    terms = ContestTerms(hands, chosen, read_fills(fills), move_ms, bank_ms)
    said = TerminalProgress() if sys.stderr.isatty() else PlainProgress()
    contest = Contest(terms, said.line)
    listener = open_listener(listen, port)
    with (
        closing(ClientSockets([ListeningPort(listener, contest.admit)], said.line)) as sockets,
        stoppable(contest.stop, said, after=AFTER),
    ):
        host, bound = listener.getsockname()[:2]
        warn_of_strangers(host)
        wanted = f"{hands} hands, seed {chosen}; stop with Ctrl-C"
        click.echo(f"UECda contest at {host}:{bound}  ({wanted})", err=as_json)
        finishes = _play(contest, sockets, said, record, session=_session_name(bound))
    said.clear()
    _tell(contest, finishes, as_json=as_json)
    if contest.is_stopping:
        raise click.exceptions.Exit(STOPPED)
    if len(finishes) < hands:
        raise click.exceptions.Exit(DESERTED)


def read_fills(texts: tuple[str, ...]) -> tuple[Fill, ...]:
    """Who fills the table. Raises BadInput for what is no bot, or no time."""
    from arena.match.local import make_bot

    if NO_FILL in texts:
        if len(texts) > 1:
            raise BadInput("--fill", NO_FILL, "nothing beside it")
        return ()
    fills = tuple(_fill(text) for text in texts or (USUAL_FILL,))
    for fill in fills:
        make_bot(fill.bot)
    return fills


def _fill(text: str) -> Fill:
    from arena.uecda.contest import Fill

    bot, _, seconds = text.rpartition(":")
    if not (bot and seconds.isdecimal()):
        expected = f"BOT:AFTER_S, such as {USUAL_FILL}, or {NO_FILL}"
        raise BadInput("--fill", text, expected)
    return Fill(bot, float(seconds))


def _session_name(port: int) -> str:
    """What the session is called in its records, so that those of several groups can be pooled."""
    return f"uecda-{datetime.now(UTC):%Y%m%d-%H%M%S}-{port}"


def _play(
    contest: Contest,
    sockets: ClientSockets,
    said: ContestProgress,
    record: BinaryIO | None,
    *,
    session: str,
) -> list[tuple[int, ...]]:
    """Play the session; the players of each hand, best to last. session: its name in records."""
    from arena.match.recording import record_lines

    finishes: list[tuple[int, ...]] = []
    if not contest.gather(sockets):
        return finishes
    names = [player.name for player in contest.players]
    said.line(f"The first hand begins: {', '.join(names)}")

    def watched() -> Iterator[PlayedHand]:
        for hand in contest.play(sockets):
            finishes.append(tuple(names.index(bot) for bot in hand.result.bots))
            said.hand(contest, finishes)
            yield hand

    for line in record_lines(contest.setting(), watched(), number=1, session=session):
        if record is not None:
            record.write(line.encode())
            record.flush()
    sockets.finish()
    return finishes


def _tell(contest: Contest, finishes: list[tuple[int, ...]], *, as_json: bool) -> None:
    """The contest's table of points, for people or for a program."""
    if as_json:
        print_json(document(contest, finishes))
        return
    for line in lines(contest, finishes):
        click.echo(line)
