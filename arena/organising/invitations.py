"""Invitations: an organiser opens a seat of a session to a person, who takes it in a browser.

Behind a seat that is taken is an ordinary entry of a bot. It is spent in the write that makes the
bot and the entry, so of two browsers with one code one gets the seat. Every change is one atomic
write with its entry in the audit log; it replaces what was read, or is made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import orjson

from arena.clock import instant
from arena.documents import Document
from arena.errors import BadInput, Conflict, Forbidden, NotFound
from arena.identity.casual import is_person, person_row
from arena.organising.auditing import By, session_audit
from arena.organising.casual import SeatedPerson
from arena.organising.entering import EntryTerms, NumberTaken, check_open, enter_once
from arena.referee.context import Context
from arena.session.config import SessionConfig, TimeControl, read_config
from arena.session.invitations import (
    Invitation,
    new_code,
    note_key,
    read_code,
    read_invitations,
    write_invitations,
)
from arena.session.names import check_name, token_hash
from arena.session.people import USUAL, check_clock
from arena.session.time_control import persons_time_control
from arena.store.port import AuditRow, BotRow, Change, NoteRow, SessionRow, SetNote
from arena.store.reading import session_row

TRIES = 5
HOUR_MS = 3_600_000
MOST_HOURS = 10_000
MOST_INVITATIONS = 200
"""Invitations of a session, used ones too: they are one text of the store."""


class Seat(NamedTuple):
    """What is asked for when a seat is opened. name: under which the person plays, "" for their
    choice; clock: one of `people.CLOCKS`; hours: how long the code is good."""

    name: str = ""
    clock: str = USUAL
    hours: float = 168.0


class Invited(NamedTuple):
    """What an invitation leads to. time_control: of the seat."""

    invitation: Invitation
    session: SessionRow
    config: SessionConfig
    time_control: TimeControl


class Invitations:
    """The invitations of one arena. follow_up: sees to it that what follows is done too."""

    def __init__(self, context: Context, *, follow_up: Callable[[], object]) -> None:
        self._context = context
        self._follow_up = follow_up

    def create(self, session: str, seat: Seat, actor: str) -> Document:
        """Open a seat to a person: the invitation as in a list, with its `code` and the `link` of
        this arena that leads to the seat, both shown only now.

        Raises NotFound, BadInput, and Conflict where the session takes no entries or no people, or
        has too many invitations.
        """
        context = self._context
        row = session_row(context.store, session)
        config = read_config(orjson.loads(row.document))
        check_open(row, config, by=actor)
        _check_people(row, config)
        _check_seat(context, seat, config)
        code, now_ms = new_code(row.id), context.clock.wall_ms()
        expires_ms = now_ms + round(seat.hours * HOUR_MS)
        made = Invitation(token_hash(code), seat.name, seat.clock, now_ms, expires_ms, actor)
        for _ in range(TRIES):
            known, text = self._known(row.id)
            if len(known) >= MOST_INVITATIONS:
                raise Conflict(session, f"it has {len(known)} invitations, and may have no more")
            audit = self._audit(actor, "invitation.create", row.id, made)
            if self._written(row.id, text, (*known, made), audit):
                link = f"/seat/invitation#{code}"
                return {**_document(made, row.id), "code": code, "link": link}
        raise _busy(session)

    def listed(self, session: str) -> Document:
        """The invitations of a session, the oldest first. Raises NotFound."""
        row = session_row(self._context.store, session)
        known, _ = self._known(row.id)
        return {"invitations": [_document(each, row.id) for each in known]}

    def revoke(self, session: str, invitation: str, actor: str) -> Document:
        """Take an invitation back, by its id; twice is harmless.

        Raises NotFound; Conflict where somebody has accepted it: then the entry is withdrawn.
        """
        row = session_row(self._context.store, session)
        for _ in range(TRIES):
            known, text = self._known(row.id)
            found = next((each for each in known if each.id == invitation), None)
            if found is None:
                raise NotFound(invitation, f"{row.id} has no invitation {invitation[:80]!r}")
            if found.bot:
                message = f"it has been accepted: withdraw the bot {found.bot} instead"
                raise Conflict(invitation, message)
            gone = found._replace(revoked=True)
            after = tuple(gone if each is found else each for each in known)
            audit = self._audit(actor, "invitation.revoke", row.id, found)
            if found.revoked or self._written(row.id, text, after, audit):
                return _document(gone, row.id)
        raise _busy(session)

    def find(self, code: str) -> Invited:
        """What a code leads to. Raises Forbidden for one that is not good, and says why; Conflict
        where the session takes no entries any more."""
        invited = self._find(code)
        check_open(invited.session, invited.config, by=invited.invitation.made_by)
        _check_people(invited.session, invited.config)
        check_clock(invited.invitation.clock, invited.config.people.longest_clock)
        return invited

    def _find(self, code: str) -> Invited:
        context, parts = self._context, read_code(code)
        row = None if parts is None else context.store.session(parts[0])
        known, _ = ((), None) if row is None else self._known(row.id)
        found = next((each for each in known if parts and each.code_hash == parts[1]), None)
        if row is None or found is None:
            raise Forbidden("code", "there is no invitation with this code: is it copied whole?")
        if fault := found.fault(context.clock.wall_ms()):
            raise Forbidden("code", f"this invitation is not good any more: {fault}")
        config = read_config(orjson.loads(row.document))
        return Invited(found, row, config, persons_time_control(config.clock, found.clock))

    def accept(self, code: str, name: str, person: str | None) -> SeatedPerson:
        """Take the seat of an invitation. name: as the person wants to be called; person: who sat
        in this browser before, None for somebody new.

        Raises as `find` does, BadInput for a name that nobody may have, and Conflict for one that
        is taken and for a session that is full.
        """
        context = self._context
        for _ in range(TRIES):
            invited = self.find(code)
            invitation, row = invited.invitation, invited.session
            wanted = check_name(invitation.name or name)
            bot, token, made = self._person(wanted, person)
            changes = (*made, self._spent(row.id, invitation, bot.id))
            by, clock = invitation.made_by, invitation.clock
            terms = EntryTerms(by, clock=clock, invitation=invitation.id, changes=changes)
            try:
                enter_once(context, row, bot, terms)
            except NumberTaken:
                continue
            context.registry.keep(bot)
            self._follow_up()
            return SeatedPerson(bot.id, token, row.id)
        raise _busy(row.id)

    def _person(
        self, name: str, person: str | None
    ) -> tuple[BotRow, str | None, tuple[Change, ...]]:
        """Who takes the seat: who sat here before under this name, else somebody new."""
        context = self._context
        known = None if person is None else context.store.bot(person)
        if known is not None and known.name == name and is_person(known) and not known.revoked:
            return known, None, ()
        context.registry.check_free(name)
        bot, token = person_row(context.registry, name)
        return bot, token, (bot,)

    def _spent(self, session: str, invitation: Invitation, bot: str) -> Change:
        """The change by which an invitation is that bot's, if it is still as it was found."""
        known, text = self._known(session)
        assert text is not None
        if invitation not in known:
            raise Conflict("code", "this invitation has been changed just now: look at it again")
        after = [each._replace(bot=bot) if each == invitation else each for each in known]
        return SetNote(note_key(session), write_invitations(after), was=text)

    def _known(self, session: str) -> tuple[tuple[Invitation, ...], str | None]:
        text = self._context.store.note(note_key(session))
        return read_invitations(text), text

    def _audit(self, actor: str, action: str, session: str, about: Invitation) -> AuditRow:
        more = {"name": about.name} if about.name else {}
        details = {"invitation": about.id, "clock": about.clock, **more}
        return session_audit(self._context.clock, By(actor), action, session, **details)

    def _written(
        self, session: str, text: str | None, after: tuple[Invitation, ...], audit: AuditRow
    ) -> bool:
        """Write the invitations of a session; False if they are not as they were read."""
        key, written = note_key(session), write_invitations(after)
        change = NoteRow(key, written) if text is None else SetNote(key, written, was=text)
        try:
            self._context.store.write(change, audit)
        except Conflict:
            return False
        return True


def _busy(session: str) -> Conflict:
    return Conflict(session, "others change its invitations just now; try again")


def _check_people(session: SessionRow, config: SessionConfig) -> None:
    """Does a session take people? Raises Conflict."""
    if config.rated and not config.people.rated:
        how = "only with `people.rated = true` in its document, or with `rated = false`"
        raise Conflict(session.id, f"this session is rated, and people play in it {how}")


def _check_seat(context: Context, seat: Seat, config: SessionConfig) -> None:
    check_clock(seat.clock, config.people.longest_clock)
    if not 0 < seat.hours <= MOST_HOURS:
        raise BadInput("valid_hours", seat.hours, f"more than 0, at most {MOST_HOURS}")
    if seat.name:
        context.registry.check_free(check_name(seat.name))


def _document(invitation: Invitation, session: str) -> Document:
    """An invitation as organisers see it, without its code."""
    return {
        "id": invitation.id,
        "session": session,
        "name": invitation.name or None,
        "clock": invitation.clock,
        "created": instant(invitation.created_ms),
        "expires": instant(invitation.expires_ms),
        "revoked": invitation.revoked,
        "bot": invitation.bot or None,
    }
