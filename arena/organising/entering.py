"""Entering: which bots may take part in a session, by themselves or by the organiser's hand.

Each entry is one atomic write together with what the audit log says of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import NamedTuple

import orjson

from arena.errors import BadInput, Conflict, Forbidden
from arena.identity.casual import is_person, may_be_rated
from arena.identity.registry import Registry
from arena.organising.auditing import By, session_audit
from arena.organising.finalists import finalists_of
from arena.referee.context import Context, Sources
from arena.referee.in_play import InPlay
from arena.referee.jobs import JobQueue
from arena.session.config import FRESH, SessionConfig, read_config
from arena.session.people import USUAL, note_key, read_people, write_people
from arena.session.schedule_config import FINAL, LADDER
from arena.statuses import ENTERABLE, IN_PLAY, BotKind, EntryStatus, SessionStatus
from arena.store.bot_changes import SetChance
from arena.store.port import (
    AuditRow,
    BotRow,
    Change,
    EntryRow,
    NoteRow,
    SessionRow,
    SetDocument,
    SetEntryStatus,
    SetNote,
    Store,
)
from arena.store.reading import all_entries, session_row

TRIES = 5


class EntryTerms(NamedTuple):
    """How a bot comes into a session. by: the organiser who does it, None for the bot itself.
    is_finalist: is it known that it plays in this final? clock: a person's; invitation: the id of
    the one that a person has accepted; chance: the 32 bytes that the bot gives to chance, None for
    none; changes: what is written together with the entry."""

    by: str | None = None
    is_finalist: bool = False
    clock: str = USUAL
    invitation: str = ""
    chance: bytes | None = None
    changes: tuple[Change, ...] = ()


def enter(
    context: Context,
    session: str,
    bot: str,
    *,
    by: str | None = None,
    clock: str = USUAL,
    chance: bytes | None = None,
) -> EntryRow:
    """Enter a bot; by, clock, chance: see `EntryTerms`.

    Raises Conflict for other bytes than the bot gave before, and for any that come after the start.
    """
    row = context.registry.row(bot)
    if row.kind != BotKind.BOT:
        raise BadInput("bot", row.name, "a bot, not an organiser or a house bot")
    for _ in range(TRIES):
        try:
            terms = EntryTerms(by, clock=clock, chance=chance)
            return enter_once(context, session_row(context.store, session), row, terms)
        except NumberTaken:
            continue
    raise Conflict(session, "too many enter at once; try again")


def entered(entries: Iterable[EntryRow]) -> list[EntryRow]:
    """Those of the entries that are in the session still."""
    return [entry for entry in entries if entry.status == EntryStatus.ENTERED]


class NumberTaken(Exception):
    """Another bot got the number first, or the session has changed meanwhile."""


def enter_once(context: Context, session: SessionRow, bot: BotRow, terms: EntryTerms) -> EntryRow:
    """Enter a bot as things stand; `NumberTaken` where another was quicker."""
    by = terms.by
    bot = context.store.bot(bot.id) or bot  # as it is now: it may have been revoked
    listed = list(all_entries(context.store, session.id))
    mine = next((entry for entry in listed if entry.bot == bot.id), None)
    giving = () if mine is None else _giving(session, mine, terms.chance)
    if mine is not None and mine.status == EntryStatus.ENTERED:
        return _with_chance(context, mine, giving, terms) if giving else mine
    config = read_config(orjson.loads(session.document))
    _check_entry(session, config, bot, mine=mine, by=by)
    _check_rated(session, config, bot, by=by)
    if config.schedule.kind == FINAL and not terms.is_finalist:
        _check_final(context, config, bot)
    check_proven(config, [bot])
    _check_room(context.registry, config, bot, entered(listed))
    now_ms, status = context.clock.wall_ms(), EntryStatus.ENTERED
    fresh = EntryRow(session.id, bot.id, len(listed) + 1, status, now_ms, chance=terms.chance)
    change: Change = (
        fresh if mine is None else SetEntryStatus(session.id, bot.id, status, was=mine.status)
    )
    person = [_person(context.store, session.id, bot.id, terms.clock)] if is_person(bot) else []
    audit = _audit(context, session.id, bot.id, terms)
    try:
        with context.in_play.changing if session.status in IN_PLAY else nullcontext():
            context.store.write(*terms.changes, change, *giving, *person, audit)
            _let_play(context.in_play, context.signals.jobs, session.id, bot.id)
    except Conflict as error:
        raise NumberTaken from error
    context.in_play.shelved.drop(session.id)
    if mine is None:
        return fresh
    return mine._replace(status=status, chance=mine.chance or terms.chance)


def _giving(session: SessionRow, mine: EntryRow, chance: bytes | None) -> tuple[Change, ...]:
    """What gives an entry that is there the bytes of its bot; nothing if it has them, or none come.

    The session's row is part of it: a start and bytes that come at the same time cannot miss each
    other. Raises Conflict.
    """
    if chance is None or chance == mine.chance:
        return ()
    if mine.chance is not None:
        message = "other bytes for chance came with this bot's entry, and they stay: send those"
        raise Conflict(session.id, f"{message}, or leave out `chance`")
    if session.status != SessionStatus.OPEN:
        message = f"`chance` is taken while the session is open, and it is {session.status}"
        raise Conflict(session.id, f"{message}: leave it out")
    still = SetDocument(session.id, session.document, was=session.document, status=session.status)
    return still, SetChance(session.id, mine.bot, chance)


def _with_chance(
    context: Context, mine: EntryRow, giving: tuple[Change, ...], terms: EntryTerms
) -> EntryRow:
    """An entry whose bot gives its bytes now; `NumberTaken` where something was quicker."""
    by = By(terms.by or mine.bot)
    audit = session_audit(context.clock, by, "entry.chance", mine.session, bot=mine.bot)
    try:
        context.store.write(*giving, audit)
    except Conflict as error:
        raise NumberTaken from error
    return mine._replace(chance=terms.chance)


def _audit(context: Context, session: str, bot: str, terms: EntryTerms) -> AuditRow:
    """What the audit log says of an entry: who accepts an invitation comes in by themselves."""
    if terms.invitation:
        action, more = "invitation.accept", {"invitation": terms.invitation}
        return session_audit(context.clock, By(bot), action, session, bot=bot, **more)
    return session_audit(context.clock, By(terms.by or bot), "entry.enter", session, bot=bot)


def _person(store: Store, session: str, bot: str, clock: str) -> Change:
    """The change by which a bot of the session is a person's, with this clock."""
    key = note_key(session)
    text = store.note(key)
    noted = write_people({**read_people(text), bot: clock})
    return NoteRow(key, noted) if text is None else SetNote(key, noted, was=text)


def _let_play(in_play: InPlay, jobs: JobQueue, session: str, bot: str) -> None:
    """A ladder that is being played has a bot more."""
    live = in_play.sessions.get(session)
    if live is not None:
        live.out.pop(bot, None)
        jobs.add("session", session)


def _check_entry(
    session: SessionRow,
    config: SessionConfig,
    bot: BotRow,
    *,
    mine: EntryRow | None,
    by: str | None,
) -> None:
    if bot.revoked:
        raise Conflict(bot.name, f"{bot.name} ({bot.id}) is revoked: restore it first")
    check_open(session, config, by=by)
    if by is None and not config.roster.open:
        raise Forbidden(session.id, "only the organiser enters bots in this session")
    if mine is not None and mine.status == EntryStatus.DISQUALIFIED and by is None:
        raise Forbidden(session.id, "this bot was disqualified")


def _check_rated(
    session: SessionRow, config: SessionConfig, bot: BotRow, *, by: str | None
) -> None:
    """Is a rated session one for this bot? A person comes into one only by the organiser."""
    if not config.rated:
        return
    if not may_be_rated(bot, config.people):
        raise Forbidden(bot.name, f"{bot.name} plays in sessions that are not rated, and this is")
    if by is None and is_person(bot):
        raise Forbidden(session.id, "people come into this session by an invitation")


def check_open(session: SessionRow, config: SessionConfig, *, by: str | None) -> None:
    """May a session be entered now? A ladder also while it is being played, until it is closed."""
    allowed = (SessionStatus.OPEN,) if by is None else ENTERABLE
    if config.schedule.kind == LADDER and session.status in IN_PLAY:
        if orjson.loads(session.schedule or "{}").get("to_come") == 0:
            raise Conflict(session.id, "this ladder is closed: no more rounds are drawn")
    elif session.status not in allowed:
        raise Conflict(session.id, f"this session cannot be entered: it is {session.status}")


def _check_final(sources: Sources, config: SessionConfig, bot: BotRow) -> None:
    if bot.id not in finalists_of(sources, config):
        raise Forbidden(bot.name, "only bots that can still win a prize play in this final")


def check_proven(config: SessionConfig, bots: Iterable[BotRow]) -> None:
    """Where deals repeat, only bots play whose owner is proven. Raises Conflict."""
    if config.deals == FRESH:
        return
    for bot in bots:
        if bot.kind == BotKind.BOT and not bot.proven:
            message = f"the owner of {bot.name!r} is not proven, and this session's deals repeat"
            how = "a bot needs a code of its owner, an organiser, or the token of such a bot"
            raise Conflict(bot.name, f"{message} ({config.deals}): {how}")


def _check_room(
    registry: Registry, config: SessionConfig, bot: BotRow, entered: list[EntryRow]
) -> None:
    if len(entered) >= config.roster.max_bots:
        raise Conflict("session", f"the session is full: {config.roster.max_bots} bots")
    siblings = {row.id for row in registry.bots_of(bot.owner)}
    owned = sum(entry.bot in siblings for entry in entered)
    if owned >= config.roster.bots_per_owner:
        most = config.roster.bots_per_owner
        raise Conflict("session", f"the owner has {owned} bots in this session; at most {most}")
