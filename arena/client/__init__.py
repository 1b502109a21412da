"""The kit for bots in Python: write a `Bot` with one method, hand it to `run`.

    Bot, run, Turn          the usual way
    Client                  the HTTP protocol, one method for each endpoint
    ArenaProblem            an error answer of the arena
    cards                   cards as strings: rank, suit, strength, runs ...

Everything here only ever calls out to an arena. It may import `requests`, nothing of the referee.
"""

from __future__ import annotations

from arena.client import cards
from arena.client.bot import Bot
from arena.client.forms import Answer
from arena.client.http import Client
from arena.client.main import run
from arena.client.problems import ArenaProblem, ArenaUnreachable, KitError, NoLegalList
from arena.client.runner import Runner, Tally
from arena.client.turn import Turn

__all__ = [
    "Answer",
    "ArenaProblem",
    "ArenaUnreachable",
    "Bot",
    "Client",
    "KitError",
    "NoLegalList",
    "Runner",
    "Tally",
    "Turn",
    "cards",
    "run",
]
