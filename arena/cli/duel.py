"""A match over HTTP: a referee and bots as processes, one session, its tables read as they end.

Tables are counted in playing order, whatever the order in which they end, and the session is
cancelled as soon as the test has a verdict.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.cli.event import LOOK_S, OVER, BotSpec, stage
from arena.client import ArenaProblem, Client
from arena.client.http import Document, session_path
from arena.errors import Unavailable
from arena.match.local import fill
from arena.processes import Processes
from arena.session.config import read_config
from arena.session.results import rated_result
from arena.tournament.results import HandResult
from arena.tournament.sprt import OPEN, Bounds, Sprt, block_score, sprt

HEURISTIC = "python -m sample_bots.heuristic"
FIRST, SECOND = "A", "B"
ENDED = ("finished", "aborted")
CONFLICT = 409


class Duel(NamedTuple):
    """Who plays, all as commands, and for how long. terms: members of the session's document.

    at_once: tables that are played at the same time.
    """

    first: str
    second: str
    others: tuple[str, ...]
    terms: Mapping[str, Any]
    hands: int
    bounds: Bounds | None
    at_once: int

    def document(self) -> Document:
        """The session's document."""
        rounds = max(1, self.hands // self.terms["hands_per_table"])
        schedule = {"rounds": rounds, "rounds_at_once": min(64, rounds, max(1, self.at_once))}
        return {**self.terms, "name": "match", "schedule": schedule}

    def bots(self, seats: int) -> list[BotSpec]:
        """A, B and others until a table is full. Raises `BadInput` if they do not fit."""
        filled = fill(self.others, seats, usual=HEURISTIC)
        named = [(FIRST, self.first), (SECOND, self.second)]
        named += [(f"other-{number}", command) for number, command in enumerate(filled, start=1)]
        return [BotSpec(name, name, command) for name, command in named]


def play_duel(
    duel: Duel, folder: Path, *, live: Callable[[Sprt], None], faults: Counter[str]
) -> Sprt:
    """Play a session of A, B and the others, until the test has a verdict or all hands are over.

    `live` is told after every table, and `faults` counts faulty hands by bot.
    """
    document = duel.document()
    bots = duel.bots(read_config(document).seats)
    with stage(document, bots, folder=folder) as on:
        tables = _tables(on.client, on.processes, on.session)
        test = _followed(duel, tables, live=live, faults=faults)
        _end(on.client, on.session)
    return test


def _end(client: Client, session: str) -> None:
    """Cancel the session, if it has not just ended by itself."""
    try:
        client.request("POST", session_path(session, "cancel"))
    except ArenaProblem as problem:
        if problem.status != CONFLICT:
            raise


def _followed(
    duel: Duel,
    tables: Iterator[Document],
    *,
    live: Callable[[Sprt], None],
    faults: Counter[str],
) -> Sprt:
    """The test over the tables, until its verdict."""
    test = sprt(duel.bounds)
    for table in tables:
        results = _results(table)
        faults.update(bot for result in results for bot in result.faults)
        test = test.after(block_score(results, FIRST, SECOND))
        live(test)
        if duel.bounds is not None and test.verdict != OPEN:
            break
    return test


def _tables(client: Client, processes: Processes, session: str) -> Iterator[Document]:
    """The tables of a session in playing order, each when it has ended."""
    after = ""
    while True:
        status = client.session(session)["status"]
        for brief in _listed(client, session, after):
            if brief["status"] not in ENDED:
                break
            after = brief["table"]
            table: Document = client.request("GET", f"/tables/{after}")
            yield table
        else:
            if status in OVER:
                return
        _check_alive(client, processes, session)
        time.sleep(LOOK_S)


def _check_alive(client: Client, processes: Processes, session: str) -> None:
    """A bot that has ended would lose all that is left, and say nothing of how good it is."""
    ended = processes.ended()
    if not ended or ("referee" not in ended and client.session(session)["status"] in OVER):
        return
    name = next(iter(ended))
    message = f"{name.removeprefix('bot-')} has ended with code {ended[name]}"
    raise Unavailable(f"{message}: {processes.last_words(name)}")


def _listed(client: Client, session: str, after: str) -> list[Document]:
    query = {"limit": 100, **({"after": after} if after else {})}
    listed: list[Document] = client.request("GET", session_path(session, "tables"), query=query)[
        "tables"
    ]
    return listed


def _results(table: Document) -> list[HandResult]:
    """The hands of a table, under the names of the bots."""
    names = [player["name"] for player in table["players"]]
    return [
        rated_result(hand["result"], players=names, block=table["table"], pool="")
        for hand in table["hands"]
        if hand["result"] is not None
    ]
