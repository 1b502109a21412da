"""Divisions: the organiser says which bot is in which, before, while and after a session is played.

It changes no play and no rating, only in which rankings a bot stands. One write with its entry in
the audit log; a decision replaces what was read, or is made anew.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from arena.errors import BadInput, Conflict
from arena.organising.publishing import audit_row
from arena.referee.context import Context, Ports
from arena.session.config import read_config
from arena.session.divisions import (
    check_division,
    note_key,
    read_members,
    write_members,
)
from arena.store.port import Change, NoteRow, SetNote
from arena.store.reading import all_entries, session_row

TRIES = 5


def assign(context: Context, session: str, given: Mapping[str, str | None], *, actor: str) -> None:
    """Put bots, by name or id, into divisions; None takes one out of its own.

    Raises NotFound, BadInput for a bot that has not entered or a division that is not there.
    """
    divisions = read_config(orjson.loads(session_row(context.store, session).document)).divisions
    bots = _bots(context, session, given)
    changed = {
        bots[name]: None
        if value is None
        else check_division(value, divisions, thing=f"division of {name}")
        for name, value in given.items()
    }
    for attempt in range(TRIES):
        text = context.store.note(note_key(session))
        members = {**read_members(text, divisions), **changed}
        kept = {bot: division for bot, division in members.items() if division is not None}
        detail = {"session": session, "divisions": changed}
        audit = audit_row(context.clock, actor, "session.divide", detail)
        try:
            context.store.write(_change(session, text, write_members(kept)), audit)
        except Conflict:
            if attempt == TRIES - 1:
                raise
        else:
            return


def _bots(context: Ports, session: str, given: Mapping[str, str | None]) -> dict[str, str]:
    """The ids of bots by how they were given."""
    known: dict[str, str] = {}
    pieces = context.long_work.pieces()
    for entry in all_entries(context.store, session):
        known[context.registry.label(entry.bot).name] = entry.bot
        pieces.pause()
    known |= {bot: bot for bot in list(known.values())}
    for name in given:
        if name not in known:
            raise BadInput("bot", name, "a bot that has entered this session")
    return {name: known[name] for name in given}


def _change(session: str, before: str | None, after: str) -> Change:
    key = note_key(session)
    return NoteRow(key, after) if before is None else SetNote(key, after, was=before)
