"""Finalists: which bots a final is for.

Either the document names them, or they follow from the rank ranges of the sessions that lead to it,
all of their hands together. Reads the store and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from arena.errors import BadInput, Conflict
from arena.referee.context import Hall
from arena.referee.rounds import results_of
from arena.session.config import Plan
from arena.session.results import pool_of
from arena.tournament.finals import finalists, ranges_of
from arena.tournament.results import HandResult


def finalists_of(hall: Hall, plan: Plan) -> tuple[str, ...]:
    """The ids of the bots that may play in a final, best first; of named ones, those there are.

    Raises NotFound for a session that is not there, Conflict for one that has not ended, BadInput
    where too few have a rank or the sessions cannot be rated together.
    """
    wanted = plan.schedule
    if wanted.finalists:
        return _named(hall, wanted.finalists)
    results: list[HandResult] = []
    bots: set[str] = set()
    for number, session in enumerate(wanted.of):
        results += _results(hall, plan, session, f"schedule.of[{number}]")
        bots.update(entry.bot for entry in hall.entries(session) if entry.status == "entered")
    ranges = hall.drawing(partial(ranges_of, results, bots))
    return finalists(ranges, prizes=wanted.prizes, seats=plan.seats)


def _named(hall: Hall, names: Iterable[str]) -> tuple[str, ...]:
    pieces, found = hall.pieces(), []
    for name in names:
        row = hall.store.bot_by_name(name)
        if row is not None:
            found.append(row.id)
        pieces.pause()
    return tuple(found)


def _results(hall: Hall, plan: Plan, session: str, where: str) -> list[HandResult]:
    found = hall.session(session)
    status = hall.session_row(session).status
    if status != "finished":
        raise Conflict(session, f"the final needs its results, but it is {status}")
    if found.plan.rules.fingerprint != plan.rules.fingerprint:
        raise BadInput(where, session, "a session with the ruleset and the seats of the final")
    pool = pool_of(plan.rules.fingerprint, plan.seats)
    return [result for result in results_of(hall, found) if result.pool == pool]
