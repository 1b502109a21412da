"""Corrections: a session that is renamed, hidden, changed before its start, or deleted unplayed.

Nobody is put out by a correction: one that leaves no room for a bot that has entered is refused,
and names it. Each is one atomic write together with its entry in the audit log, which says what was
before. What is corrected rests on the document that was read: if another one was quicker, it is
worked out anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from arena.errors import BadInput, Conflict, NotFound
from arena.identity.casual import may_be_rated
from arena.organising.entering import check_proven
from arena.organising.finalists import finalists_of
from arena.organising.publishing import audit_row
from arena.organising.retention import forget_person, without_tables
from arena.organising.sessions import check_possible
from arena.organising.times import moved_times
from arena.referee.context import Context, Ports, Sources
from arena.session.config import SessionConfig, read_config, read_seed, settled
from arena.session.owners import owner_key
from arena.session.people import USUAL, check_clock, note_key, read_people
from arena.session.schedule_config import FINAL
from arena.session.times import TIMES
from arena.statuses import ENTERABLE, IN_PLAY, EntryStatus
from arena.store.bot_changes import CheckChances
from arena.store.port import BotRow, Change, SessionRow, SetDocument, SetSessionStatus
from arena.store.reading import all_entries, session_row

TRIES = 5
KEPT = ("slug", "hidden")
"""What stays as it is where the new document leaves it out."""
AT_ANY_TIME = ("name", "hidden", "divisions", *TIMES)
"""What may be changed whatever the status is; a time as long as the session can still do it."""


def replace_document(
    context: Context, session: str, document: Mapping[str, Any], *, actor: str
) -> None:
    """Let a session have another document, as if it had been created with it.

    The slug cannot be changed, nor the seed; they and `hidden` may be left out. Raises NotFound,
    BadInput, Conflict: after the start, or where a bot that has entered could not have.
    """

    def replaced(row: SessionRow) -> SessionConfig:
        before = read_config(orjson.loads(row.document)).document
        _check_kept(row, document)
        given = {name: value for name, value in document.items() if name not in ("seed", "slug")}
        return read_config(settled({name: before[name] for name in KEPT} | given))

    _correct(context, session, replaced, actor=actor)


def change_members(
    context: Context, session: str, members: Mapping[str, Any], *, actor: str
) -> None:
    """Change members that may be changed at any time; the others stay.

    Raises NotFound, BadInput.
    """

    def changed(row: SessionRow) -> SessionConfig:
        return read_config({**orjson.loads(row.document), **members})

    _correct(context, session, changed, actor=actor)


def _check_kept(row: SessionRow, document: Mapping[str, Any]) -> None:
    slug = document.get("slug")
    if slug not in (None, row.id):
        raise BadInput("slug", slug, f"{row.id}, or left out: a session keeps its address")
    if read_seed(document) not in (None, row.secret):
        wanted = "the one it was created with, or left out: its commitment is public"
        raise BadInput("seed", document["seed"], wanted)


def _correct(context: Context, session: str, corrected: Any, *, actor: str) -> None:
    """corrected: the config that a row is to have."""
    for _ in range(TRIES):
        row = session_row(context.store, session)
        before, config = read_config(orjson.loads(row.document)), corrected(row)
        members = changed_members(before, config)
        if not members:
            return
        _check(context, row, config, members)
        if _written(context, row, before, config=config, members=members, actor=actor):
            return
    raise Conflict(session, "others change this session all the time; try again")


def changed_members(before: SessionConfig, after: SessionConfig) -> list[str]:
    """The members of a document that are not as they were."""
    was, now = before.document, after.document
    names = [*now, *(name for name in was if name not in now)]
    return [name for name in names if was.get(name) != now.get(name)]


def _check(
    context: Context, row: SessionRow, config: SessionConfig, members: Sequence[str]
) -> None:
    settled_by_then = [name for name in members if name not in AT_ANY_TIME]
    if not settled_by_then:
        return
    if row.status not in ENTERABLE:
        names = ", ".join(settled_by_then)
        message = f"{names} can be changed only before the start: it is {row.status}"
        raise Conflict(row.id, f"{message}; {', '.join(AT_ANY_TIME)} can at any time")
    if "public_chance" in members and any(all_entries(context.store, row.id)):
        message = "public_chance, the source of public chance, is settled: a bot has entered"
        raise Conflict(row.id, f"{message} this session by what it announced")
    check_possible(context, config)
    _check_entered(context, row.id, config)


def _check_entered(context: Context, session: str, config: SessionConfig) -> None:
    """Could all that have entered have done so by this config too? Raises Conflict."""
    pieces, bots = context.long_work.pieces(), []
    for entry in all_entries(context.store, session):
        if entry.status == EntryStatus.ENTERED:
            bots.append(context.registry.row(entry.bot))
            pieces.pause()
    most = config.roster.max_bots
    if len(bots) > most:
        message = f"{len(bots)} bots have entered, so roster.max_bots cannot be {most}"
        raise Conflict(session, f"{message}: withdraw some first")
    _check_owners(session, config, bots)
    _check_people(context, session, config, bots=bots)
    check_proven(config, bots)
    if config.schedule.kind == FINAL and bots:
        _check_finalists(context, session, config, bots=bots)


def _check_owners(session: str, config: SessionConfig, bots: Sequence[BotRow]) -> None:
    most, by_owner = config.roster.bots_per_owner, dict[str, list[BotRow]]()
    for bot in bots:
        by_owner.setdefault(owner_key(bot.owner), []).append(bot)
    for owned in by_owner.values():
        if len(owned) > most:
            names = ", ".join(bot.name for bot in owned)
            message = f"the owner {owned[0].owner!r} has {len(owned)} bots in it ({names})"
            raise Conflict(session, f"{message}, so roster.bots_per_owner cannot be {most}")


def _check_people(
    ports: Ports, session: str, config: SessionConfig, *, bots: Sequence[BotRow]
) -> None:
    """May those that are people's still play, with the clocks that they have? Raises Conflict."""
    clocks = read_people(ports.store.note(note_key(session)))
    for bot in bots:
        if config.rated and not may_be_rated(bot, config.people):
            raise Conflict(session, f"{bot.name} has entered and plays in no rated session")
        try:
            check_clock(clocks.get(bot.id, USUAL), config.people.longest_clock)
        except BadInput as error:
            message = f"{bot.name} has entered with the clock {error.value}"
            raise Conflict(session, f"{message}: people.longest_clock cannot be shorter") from error


def _check_finalists(
    sources: Sources, session: str, config: SessionConfig, *, bots: Sequence[BotRow]
) -> None:
    finalists = finalists_of(sources, config)
    others = [bot.name for bot in bots if bot.id not in finalists]
    if others:
        names = ", ".join(others)
        raise Conflict(session, f"these bots have entered and are no finalists: {names}")


def _written(
    context: Context,
    row: SessionRow,
    before: SessionConfig,
    *,
    config: SessionConfig,
    members: Sequence[str],
    actor: str,
) -> bool:
    """Write it and take it up; False if the session is not as it was read any more."""
    text = orjson.dumps(config.document).decode()
    detail = {
        "session": row.id,
        "before": {name: before.document.get(name) for name in members},
        "after": {name: config.document.get(name) for name in members},
    }
    changes: list[Change] = [SetDocument(row.id, text, was=row.document, status=row.status)]
    if "public_chance" in members:
        changes.append(CheckChances(row.id, 0))  # nobody has given bytes meanwhile
    times = moved_times(
        *(context.store, row.id, row.status),
        before=before.times,
        after=config.times,
        now_ms=context.clock.wall_ms(),
    )
    with context.in_play.changing:
        try:
            audit = audit_row(context.clock, actor, "session.edit", detail)
            context.store.write(*changes, *times, audit)
        except Conflict:
            return False
        context.in_play.corrected(row.id, text)
    return True


def delete(context: Context, session: str, *, actor: str) -> None:
    """Take a session away of which nothing was played. Raises NotFound, Conflict."""
    for _ in range(TRIES):
        row = session_row(context.store, session)
        _check_unplayed(context, row)
        with context.in_play.changing:
            try:
                _drop(context, row, actor=actor)
            except (Conflict, NotFound):  # somebody has entered, left or started it meanwhile
                continue
            context.in_play.shelved.drop(session)
            return
    raise Conflict(session, "others change this session all the time; try again")


def _check_unplayed(ports: Ports, row: SessionRow) -> None:
    if row.status in IN_PLAY:
        raise Conflict(row.id, f"this session has been started: cancel it (it is {row.status})")
    if ports.store.tables(row.id, limit=1):
        message = f"this session was played and stays (it is {row.status})"
        raise Conflict(row.id, f"{message}: it can be hidden, `arena prune` moves it to a file")


def _drop(ports: Ports, row: SessionRow, *, actor: str) -> None:
    document = orjson.loads(row.document)
    bots = [entry.bot for entry in all_entries(ports.store, row.id)]
    detail = {"session": row.id, "status": row.status, "before": document, "bots": bots}
    ports.store.write(
        SetSessionStatus(row.id, row.status, was=row.status),  # and not started meanwhile
        *without_tables(ports.store, row.id),
        audit_row(ports.clock, actor, "session.delete", detail),
    )
    for bot in bots:
        forget_person(ports, bot)
