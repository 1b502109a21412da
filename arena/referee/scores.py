"""Scores: the standings of a session, fitted to all hands that have ended by now.

Reads the stored results, never the logs. A fit is kept until another hand has ended.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import orjson

from arena import __version__
from arena.referee.deals import secret_commitment
from arena.referee.hall import Hall, pages
from arena.referee.live import Session
from arena.referee.looks import design
from arena.referee.outcomes import pool_of, rated_result
from arena.referee.sessions import entries
from arena.store.port import HandRow, SessionRow
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant, Facts, Standings, compile_standings

Document = dict[str, Any]
KEPT = 100


class Scores:
    """Standings, fitted again only when hands have ended since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[object, Standings]] = {}

    def standings(self, hall: Hall, session_id: str) -> Standings:
        """The standings of a session by now."""
        row = hall.session_row(session_id)
        counts = hall.store.hand_counts(session_id)
        left = len(hall.session(session_id).out)
        mark = (row.status, counts.get("finished", 0), counts.get("forfeited", 0), left)
        with self._lock:
            known = self._known.get(session_id)
        if known is not None and known[0] == mark and row.status != "open":
            return known[1]
        fitted = _fitted(hall, row)
        with self._lock:
            self._known[session_id] = (mark, fitted)
            if len(self._known) > KEPT:
                self._known.pop(next(iter(self._known)))
        return fitted


def _fitted(hall: Hall, row: SessionRow) -> Standings:
    found = hall.session(row.id)
    results, sums = _results(hall, found)
    listed = _entrants(hall, row, sums)
    anchor = next((e.bot for e in listed if e.name == found.plan.anchor), None)
    return compile_standings(results, listed, facts=_facts(hall, found, row), anchor=anchor)


class _Sum:
    """What one bot has gathered so far."""

    def __init__(self) -> None:
        self.points = 0.0
        self.moves = 0
        self.charged_ms = 0


def _results(hall: Hall, found: Session) -> tuple[list[HandResult], dict[str, _Sum]]:
    players = {
        row.id: orjson.loads(row.players)
        for row in pages(lambda after: hall.store.tables(found.id, after=after), "", _id)
    }
    pool = pool_of(found.plan.rules.fingerprint, found.plan.seats)
    results = []
    sums: dict[str, _Sum] = {}
    for row in ended_hands(hall, found.id):
        said = orjson.loads(row.result or "null")
        bots = players[row.table]
        results.append(rated_result(said, players=bots, block=row.table, pool=pool))
        for player, bot in enumerate(bots):
            total = sums.setdefault(bot, _Sum())
            total.points += said["points"][player]
            total.moves += said["moves"][player]
            total.charged_ms += said["charged_ms"][player]
    return results, sums


def ended_hands(hall: Hall, session_id: str) -> Iterator[HandRow]:
    """The hands of a session that have a result, in playing order."""
    rows = pages(lambda after: hall.store.session_hands(session_id, after=after), "", _id)
    return (row for row in rows if row.status in ("finished", "forfeited"))


def _entrants(hall: Hall, row: SessionRow, sums: dict[str, _Sum]) -> list[Entrant]:
    due = _hands_due(hall, row)
    listed = [
        _entrant(hall, entry.bot, entry.number, left=entry.status != "entered", due=due, sums=sums)
        for entry in entries(hall, row.id)
        if entry.status == "entered" or entry.bot in due
    ]
    known = {entrant.bot for entrant in listed}
    others = [bot for bot in (*due, *sums) if bot not in known]
    for number, bot in enumerate(dict.fromkeys(others), start=len(listed) + 1):
        listed.append(_entrant(hall, bot, number, left=False, due=due, sums=sums))
    return listed


def _entrant(
    hall: Hall, bot: str, number: int, *, left: bool, due: dict[str, int], sums: dict[str, _Sum]
) -> Entrant:
    row = hall.registry.row(bot)
    total = sums.get(bot)
    mean_ms = total.charged_ms / total.moves if total is not None and total.moves else None
    return Entrant(
        bot,
        name=row.name,
        owner=row.owner,
        entry=number,
        withdrawn=left,
        hands_due=due.get(bot),
        points=None if total is None else total.points,
        move_ms=mean_ms,
    )


def _hands_due(hall: Hall, row: SessionRow) -> dict[str, int]:
    """How many hands the schedule has for each bot."""
    if row.schedule is None:
        return {}
    said = orjson.loads(row.schedule)
    hands = orjson.loads(row.document)["hands_per_table"]
    due = dict.fromkeys(said["roster"], 0)
    for line_ups in said["rounds"]:
        for index in (index for line_up in line_ups for index in line_up):
            due[said["roster"][index]] += hands
    return due


def _facts(hall: Hall, found: Session, row: SessionRow) -> Facts:
    plan = found.plan
    made = design(row) or {}
    meetings = (made["meetings_min"], made["meetings_max"]) if made else None
    aborted = sum(
        each.status == "aborted"
        for each in pages(lambda after: hall.store.tables(row.id, after=after), "", _id)
    )
    return Facts(
        session=plan.name,
        ruleset=_ruleset_name(plan.document["ruleset"]),
        fingerprint=plan.rules.fingerprint,
        seats=plan.seats,
        schedule=made.get("kind", ""),
        rounds=made.get("rounds"),
        meetings=meetings,
        reseat_every=plan.reseat_every,
        deals=plan.deals,
        commitment=secret_commitment(row.secret),
        version=__version__,
        partial_blocks=aborted,
    )


def _ruleset_name(ruleset: Document) -> str:
    options = [f"{name}={value}" for name, value in ruleset["options"].items()]
    return " + ".join([ruleset["preset"], *ruleset["patches"], *options])


def _id(row: Any) -> str:
    found: str = row.id
    return found
