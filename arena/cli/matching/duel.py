"""A match over HTTP: a referee and bots as processes, one session, its tables read as they end.

Tables are counted in playing order, whatever the order in which they end, and the session is
cancelled as soon as the test has a verdict.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from arena.cli.event import LOOK_S, BotSpec, RunningEvent, stage
from arena.cli.launching import Confinement
from arena.cli.matching.report import MatchOutcome
from arena.client import ArenaProblem, Client
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import Unavailable
from arena.match.conduct import Conduct, together
from arena.match.local import fill
from arena.processes import Processes
from arena.session.config import read_config
from arena.session.results import rated_result
from arena.statuses import OVER, TABLE_ENDED
from arena.tournament.results import HandResult
from arena.tournament.sprt import OPEN, Bounds, Sprt, block_score, sprt

HEURISTIC = "python -m sample_bots.heuristic"
FIRST, SECOND = "A", "B"
CONFLICT = 409
REFUSAL = re.compile(r" WARNING refused: (.*)")


class Duel(NamedTuple):
    """Who plays, all as commands, and for how long. terms: members of the session's document.

    at_once: tables that are played at the same time. chosen: under what the bots are started.
    cwd: where; None for the current folder.
    """

    first: str
    second: str
    others: tuple[str, ...]
    terms: Mapping[str, Any]
    hands: int
    bounds: Bounds | None
    at_once: int
    chosen: Confinement
    cwd: Path | None = None

    def document(self) -> Document:
        """The session's document."""
        rounds = max(1, self.hands // self.terms["hands_per_table"])
        schedule = {"rounds": rounds, "rounds_at_once": min(64, rounds, max(1, self.at_once))}
        return {**self.terms, "name": "match", "slug": "match", "schedule": schedule}

    def bots(self, seats: int) -> list[BotSpec]:
        """A, B and others until a table is full. Raises `BadInput` if they do not fit."""
        filled = fill(self.others, seats, usual=HEURISTIC)
        named = [(FIRST, self.first), (SECOND, self.second)]
        named += [(f"other-{number}", command) for number, command in enumerate(filled, start=1)]
        return [BotSpec(name, name, command) for name, command in named]


def play_duel(
    duel: Duel,
    folder: Path,
    *,
    live: Callable[[Sprt], None],
    record: BinaryIO | None,
    begun: Callable[[str], None] = lambda page: None,
) -> MatchOutcome:
    """Play a session of A, B and the others, until the test has a verdict or all hands are over.

    `live` is called with the test after every table; `record` gets the hands of the session;
    `begun` the address of its page, which is served until the end.
    """
    document = duel.document()
    config = read_config(document)
    bots = duel.bots(config.seats)
    conduct: dict[str, Conduct] = {}
    with stage(document, bots, folder=folder, cwd=duel.cwd, chosen=duel.chosen) as on:
        begun(on.page)
        tables = _tables(on.client, on.processes, on.session)
        test = _followed(duel, tables, live=live, conduct=conduct)
        _end(on.client, on.session)
        thought = {bot: _thought(on, bot, folder) for bot in (FIRST, SECOND)}
        if record is not None:
            record.write(on.client.records(on.session))
    return MatchOutcome(
        duel.first,
        duel.second,
        [bot.command for bot in bots[2:]],
        test,
        duel.bounds,
        together(conduct, thought),
        move_ms=config.clock.move_ms,
        hands_per_block=config.hands_per_table,
    )


def _thought(on: RunningEvent, bot: str, folder: Path) -> Conduct:
    """What the clock ledger says of a bot, and its own log of the first refusal."""
    conduct = Conduct(refusal=_first_refusal(folder / f"bot-{bot}.log"))
    for entry in on.client.ledger(session=on.session, bot=bot):
        refused = entry["refused"]
        conduct += Conduct(
            answers=refused + (entry["answered"] is not None and entry["cause"] is None),
            refused=refused,
            refusal=f"at turn {entry['turn']}" if refused else "",
            slowest_ms=entry["answered_ms"] or 0,
            slowest_turn=entry["turn"],
        )
    return conduct


def _first_refusal(log: Path) -> str:
    """The first refusal that a bot of the kit has logged; empty if there is none."""
    with log.open(encoding="utf-8", errors="replace") as lines:
        found = (REFUSAL.search(line) for line in lines)
        return next((match[1] for match in found if match), "")


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
    conduct: dict[str, Conduct],
) -> Sprt:
    """The test over the tables, until its verdict."""
    test = sprt(duel.bounds)
    for table in tables:
        results = _results(table)
        faults = Counter(bot for result in results for bot in result.faults)
        more = {bot: Conduct(faults=count) for bot, count in faults.items()}
        conduct.update(together(conduct, more))
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
            if brief["status"] not in TABLE_ENDED:
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
