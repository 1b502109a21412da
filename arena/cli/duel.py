"""A match over HTTP: a referee and bots as processes, one session, its tables read as they end.

Tables are counted in playing order, whatever the order in which they end, and the session is
cancelled as soon as the test has a verdict.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.cli.event import GOODBYE_S, LOOK_S, OVER, BotSpec, new_admin, start_bot
from arena.cli.organiser import Document, session_path
from arena.cli.processes import Processes, bot_command, start_referee
from arena.client import Client
from arena.errors import BadInput, Unavailable
from arena.referee.outcomes import rated_result
from arena.referee.plans import read_plan
from arena.tournament.results import HandResult
from arena.tournament.sprt import OPEN, Bounds, Sprt, block_score, sprt

HEURISTIC = "python -m sample_bots.heuristic"
FIRST, SECOND = "A", "B"
ENDED = ("finished", "aborted")


def play_duel(
    bots: tuple[str, str, tuple[str, ...]],
    terms: Mapping[str, Any],
    *,
    folder: Path,
    hands: int,
    bounds: Bounds | None,
    at_once: int,
    live: Callable[[Sprt], None],
    faults: Counter[str],
) -> Sprt:
    """Play a session of A, B and the others, until the test has a verdict or all hands are over.

    bots: commands of A, B, and the others; terms: members of the session's document. `live` is told
    after every table, and `faults` counts faulty hands by bot.
    """
    document = {
        **terms,
        "name": "match",
        "schedule": {"rounds": max(1, hands // terms["hands_per_table"])},
    }
    document["schedule"]["rounds_at_once"] = min(64, max(1, at_once))
    listed = _bots(bots, seats=read_plan(document).seats)
    folder.mkdir(parents=True, exist_ok=True)
    database = f"sqlite:///{(folder / 'arena.db').resolve().as_posix()}"
    commands = [bot_command(bot.command) for bot in listed]
    token = new_admin(database)
    with Processes(folder) as processes:
        url = start_referee(processes, database)
        with Client(url, token, patience_s=10) as client:
            session = client.request("POST", "/sessions", body=document)["session"]
            for bot, words in zip(listed, commands, strict=True):
                start_bot(client, processes, session, bot=bot, words=words, cwd=None)
            client.request("POST", session_path(session, "start"))
            test = sprt(bounds)
            for table in _tables(client, processes, session):
                results = _results(table)
                faults.update(bot for result in results for bot in result.faults)
                test = test.after(block_score(results, FIRST, SECOND))
                live(test)
                if bounds is not None and test.verdict != OPEN:
                    client.request("POST", session_path(session, "cancel"))
                    break
        processes.wait([f"bot-{bot.name}" for bot in listed], within_s=GOODBYE_S)
    return test


def _bots(bots: tuple[str, str, tuple[str, ...]], *, seats: int) -> list[BotSpec]:
    """A, B and so many others that a table is full."""
    first, second, others = bots
    free = seats - 2
    if len(others) > free:
        raise BadInput("others", len(others), f"at most {free}, for {seats} seats")
    filled = [*others, *[HEURISTIC] * (free - len(others))]
    named = [(FIRST, first), (SECOND, second)]
    named += [(f"other-{number}", command) for number, command in enumerate(filled, start=1)]
    return [BotSpec(name, name, command) for name, command in named]


def _tables(client: Client, processes: Processes, session: str) -> Iterator[Document]:
    """The tables of a session in playing order, each when it has ended."""
    after = ""
    while True:
        status = client.session(session)["status"]
        for brief in _listed(client, session, after):
            if brief["status"] not in ENDED:
                break
            after = brief["table"]
            found: Document = client.request("GET", f"/tables/{after}")
            yield found
        else:
            if status in OVER:
                return
        if "referee" in processes.ended():
            raise Unavailable(f"the referee has ended; its log is in {processes.folder}")
        time.sleep(LOOK_S)


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
