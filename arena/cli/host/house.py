"""`arena house`: the program that plays the house bots of a running arena, all in one process.

Which bots, and their tokens, stand in one line on standard input, so that no token is ever on a
command line; whoever holds the other end and closes it ends the program.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import NamedTuple

import click
import orjson

from arena.client import Client, Runner
from arena.errors import BadInput
from arena.match.local import make_bot

FAILED = 1
PATIENCE_S = 60.0
LOG = logging.getLogger("arena.client")


class HousePlayer(NamedTuple):
    """One of the bots. source: `module:Class`."""

    name: str
    token: str
    source: str


@click.command(
    epilog="""Example:

    arena serve --house-bots

starts `arena house` by itself, ends it and starts it again if it should die. Whoever wants to start
it otherwise gives it one line on standard input, and ends it by closing that:

    {"url": "http://127.0.0.1:8000", "bots": [{"name": "house-lowest-1", "token": "dfa_...",
    "source": "sample_bots.lowest:Lowest"}]}
"""
)
def command() -> None:
    """Play the house bots against which people play in the browser.

    Each is played by one of the sample bots, at all tables to which the arena takes it. The program
    talks to the arena by nothing but HTTP, as any bot does.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    url, bots = _asked(sys.stdin.buffer.readline())
    for bot in bots:
        make_bot(bot.source)  # all of them can be made, or none plays
    for bot in bots:
        threading.Thread(target=_play, args=(url, bot), name=bot.name, daemon=True).start()
    sys.stdin.buffer.read()


def _asked(line: bytes) -> tuple[str, list[HousePlayer]]:
    """The address of the arena, and who is to be played. Raises BadInput."""
    try:
        document = orjson.loads(line)
        return str(document["url"]), [HousePlayer(**bot) for bot in document["bots"]]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        wanted = 'one line on standard input: {"url": ..., "bots": [{"name", "token", "source"}]}'
        raise BadInput("house bots", f"{len(line)} bytes", wanted) from error


def _play(url: str, bot: HousePlayer) -> None:
    """The life of one bot, at a thread's top: if it cannot go on, the whole program ends, and is
    started again by whoever has started it."""
    try:
        with Client(url, bot.token, patience_s=PATIENCE_S) as client:
            Runner(client, make_bot(bot.source), sessions=None).run()
    except Exception:
        LOG.exception("%s cannot play any more", bot.name)
    os._exit(FAILED)
