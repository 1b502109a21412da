"""Finalists: which bots a final is for.

Either the document names them, or they follow from the rank ranges of the sessions that lead to it,
all of their hands together. Reads the store and changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from arena.errors import BadInput, Conflict
from arena.referee.context import Ports, Sources
from arena.referee.live import Session
from arena.referee.rounds import results_of
from arena.session.config import SessionConfig
from arena.session.counting import Participant, barred_bots, contenders
from arena.session.results import pool_of
from arena.statuses import SessionStatus
from arena.store.reading import all_entries, session_row
from arena.tournament.pairing.finals import finalists, ranges_of
from arena.tournament.results import HandResult


def finalists_of(sources: Sources, config: SessionConfig) -> tuple[str, ...]:
    """The ids of the bots that may play in a final, best first; of named ones, those there are.

    Raises NotFound for a session that is not there, Conflict for one that has not ended, BadInput
    where too few have a rank or the sessions cannot be rated together.
    """
    wanted = config.schedule
    if wanted.finalists:
        return _named(sources, wanted.finalists)
    results: list[HandResult] = []
    fields: list[list[Participant]] = []
    for number, session in enumerate(wanted.of):
        entries = all_entries(sources.store, session)
        people = [Participant(e.bot, "", "", e.number, e.status) for e in entries]
        where = f"schedule.of[{number}]"
        results += _results(sources, config, session, barred=barred_bots(people), where=where)
        fields.append(people)
    ranges = sources.long_work.drawing(partial(ranges_of, results, contenders(fields)))
    return finalists(ranges, prizes=wanted.prizes, seats=config.seats)


def _named(ports: Ports, names: Iterable[str]) -> tuple[str, ...]:
    pieces, results = ports.long_work.pieces(), []
    for name in names:
        row = ports.store.bot_by_name(name)
        if row is not None:
            results.append(row.id)
        pieces.pause()
    return tuple(results)


def check_sources(sources: Sources, config: SessionConfig) -> None:
    """May the sessions that a final names lead to it? Nothing to do where it names none.

    Raises BadInput for one that is not there or has another ruleset, Conflict for one that has not
    ended.
    """
    pieces = sources.long_work.pieces()
    for number, session in enumerate(config.schedule.of):
        pieces.pause()
        where = f"schedule.of[{number}]"
        if sources.store.session(session) is None:
            raise BadInput(where, session, "a session of this arena")
        _source(sources, config, session, where=where)


def _source(sources: Sources, config: SessionConfig, session: str, *, where: str) -> Session:
    """A session that leads to a final. Raises NotFound, Conflict, BadInput."""
    source = sources.in_play.session(session)
    status = session_row(sources.store, session).status
    if status != SessionStatus.FINISHED:
        raise Conflict(session, f"the final needs the results of {session}, but it is {status}")
    if not source.config.rated:
        raise BadInput(where, session, "a session that is rated")
    if source.config.rules.fingerprint != config.rules.fingerprint:
        raise BadInput(where, session, "a session with the ruleset and the seats of the final")
    return source


def _results(
    sources: Sources, config: SessionConfig, session: str, *, barred: Collection[str], where: str
) -> list[HandResult]:
    source = _source(sources, config, session, where=where)
    pool = pool_of(config.rules.fingerprint, config.seats)
    return [result for result in results_of(sources, source, barred) if result.pool == pool]
