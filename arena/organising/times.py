"""Times that are set, moved and settled: the changes that belong into the write of something else.

A command that is given before a time wins: the time is void in the same write. What is done at a
time is the same command, given by the arena, and settles it in the same write too; so whoever comes
second, a person or another process, finds it settled. Nothing here writes by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.errors import BadInput, Conflict
from arena.session.times import DROPS, SessionTimes, TimeOutcome, instant_text, possible
from arena.store.port import Change, Store
from arena.store.time_rows import WAITING, DropTime, SettleTime, TimeRow

VOIDED: Mapping[str, tuple[str, ...]] = {
    "session.open": ("opens",),
    "session.start": ("opens", "starts"),
    "session.end": ("ends",),
    "session.cancel": ("opens", "starts", "freezes", "ends"),
    "results.freeze": ("freezes",),
    "results.publish": ("publishes",),
}
"""Which times a command leaves without a purpose, by its name in the audit log."""


class Settled(NamedTuple):
    """What settles times, and what the audit log says of it: outcomes by name of the time."""

    changes: tuple[Change, ...] = ()
    outcomes: Mapping[str, str] = {}


def settled_by(
    store: Store, session: str, action: str, *, now_ms: int, time: TimeRow | None
) -> Settled:
    """The times that an action settles. time: the one at which it is done, None for a command."""
    done = () if time is None else (_settle(time, TimeOutcome.DONE, now_ms),)
    reason = f"{action.partition('.')[2]} was commanded before"
    void = [
        row
        for row in store.times(session)
        if row.outcome == WAITING
        and row.what in VOIDED.get(action, ())
        and (time is None or row.what != time.what)
    ]
    changes = (*done, *(_settle(row, TimeOutcome.VOID, now_ms, reason) for row in void))
    return Settled(changes, {each.what: each.outcome for each in changes})


def _settle(row: TimeRow, outcome: TimeOutcome, now_ms: int, reason: str = "") -> SettleTime:
    return SettleTime(row.session, row.what, row.at_ms, outcome, now_ms, reason)


def new_times(
    session: str, times: SessionTimes, *, now_ms: int, drop_ms: int | None = None
) -> list[Change]:
    """The rows of a new session's times. drop_ms: when it is taken away by itself, None: never.

    Raises BadInput for one that has passed.
    """
    for what, at_ms in times.given.items():
        _check_ahead(what, at_ms, now_ms)
    rows: list[Change] = [TimeRow(session, what, at_ms) for what, at_ms in times.given.items()]
    return rows if drop_ms is None else [*rows, TimeRow(session, DROPS, drop_ms)]


def _check_ahead(what: str, at_ms: int, now_ms: int) -> None:
    if at_ms < now_ms:
        wanted = f"an instant to come: it is {instant_text(now_ms)}"
        raise BadInput(what, instant_text(at_ms), wanted)


def moved_times(
    store: Store,
    session: str,
    status: str,
    *,
    before: SessionTimes,
    after: SessionTimes,
    now_ms: int,
) -> list[Change]:
    """What sets, moves and takes away times of a session. Raises BadInput for one that has passed,
    Conflict where the session cannot do it any more."""
    known, changes = {row.what: row for row in store.times(session)}, list[Change]()
    for what, at_ms in after._asdict().items():
        if at_ms == before._asdict()[what]:
            continue
        if what in known:
            changes.append(DropTime(session, what, known[what].outcome))
        if at_ms is not None:
            _check_ahead(what, at_ms, now_ms)
            if not possible(what, status):
                raise Conflict(session, f"`{what}` cannot be set any more: it is {status}")
            changes.append(TimeRow(session, what, at_ms))
    return changes
