"""The contents of the memory store: dictionaries that take changes, all of a call or none.

Every change of a dictionary is noted, so that a call that fails half way can be undone. Not
thread-safe: the memory store holds its lock around everything. This module does no I/O.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, assert_never

from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    DropEntry,
    DropHand,
    DropLife,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EndHand,
    EntryRow,
    HandRow,
    LifeRow,
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SessionRow,
    SetEntryStatus,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    StepRow,
    TableRow,
    UseCode,
)
from arena.store.store_errors import clash, misfit, missed, orphan

_NOTHING: Any = object()
"""Stands for the value of a key that was not there, so that undoing takes the key away."""


class Shelves:
    """Rows by their key, and beside them what must be unique or found quickly, by parent."""

    def __init__(self) -> None:
        self.bots: dict[str, BotRow] = {}
        self.tokens: dict[str, str] = {}  # token hash -> bot
        self.names: dict[str, str] = {}  # name -> bot
        self.founders: dict[str, str] = {}  # owner key -> bot
        self.name_keys: dict[str, str] = {}  # name key -> bot
        self.sessions: dict[str, SessionRow] = {}
        self.entries: dict[tuple[str, str], EntryRow] = {}
        self.entries_of: dict[str, dict[int, str]] = {}  # session -> number -> bot
        self.tables: dict[str, TableRow] = {}
        self.tables_of: dict[str, dict[tuple[int, int], str]] = {}  # session -> place -> table
        self.hands: dict[str, HandRow] = {}
        self.hands_of: dict[str, dict[int, str]] = {}  # table -> number -> hand
        self.steps_of: dict[str, dict[int, StepRow]] = {}  # hand -> seq -> step
        self.audit: dict[int, AuditRow] = {}
        self.codes: dict[str, CodeRow] = {}
        self.life: dict[str, int] = {}
        self.notes: dict[str, str] = {}
        self._undo: list[tuple[dict[Any, Any], Hashable, Any]] = []

    def make_all(self, changes: Iterable[Change]) -> None:
        """Make all the changes; if one cannot be made, take back those before it and raise."""
        try:
            for change in changes:
                self._make(change)
        except BaseException:
            self._take_back()
            raise
        finally:
            self._undo.clear()

    def _take_back(self) -> None:
        for shelf, key, old in reversed(self._undo):
            if old is _NOTHING:
                del shelf[key]
            else:
                shelf[key] = old

    def _put(self, shelf: dict[Any, Any], key: Hashable, value: object) -> None:
        self._undo.append((shelf, key, shelf.get(key, _NOTHING)))
        shelf[key] = value

    def _drop(self, shelf: dict[Any, Any], key: Hashable) -> None:
        self._undo.append((shelf, key, shelf.pop(key)))

    def _add(self, change: Change, *places: tuple[dict[Any, Any], Hashable, object]) -> None:
        """Put something new in several places; a key that is there already is a clash."""
        for shelf, key, value in places:
            if key in shelf:
                raise clash(change)
            self._put(shelf, key, value)

    def _make(self, change: Change) -> None:
        match change:
            case StepRow() | HandRow() | TableRow() | EntryRow() | SessionRow() | BotRow():
                self._add_row(change)
            case AuditRow():
                number = len(self.audit) + 1
                self._put(self.audit, number, change._replace(number=number))
            case CodeRow():
                self._add(change, (self.codes, change.code_hash, change))
            case LifeRow():
                self._put(self.life, change.key, change.at_ms)
            case NoteRow():
                self._add(change, (self.notes, change.key, change.text))
            case SetNote() | DropNote():
                self._set_note(change)
            case AddOne():
                self._put(self.life, change.key, self.life.get(change.key, 0) + 1)
            case DropLife():
                _there(self.life, change.key, change)
                self._drop(self.life, change.key)
            case SetToken() | RevokeBot() | SetOwnerKey() | RestoreBot() | SetNameKey():
                self._set_bot(change)
            case RevokeOrganiser():
                self._revoke_organiser(change)
            case UseCode() | RevokeCode():
                self._set_code(change)
            case DropSteps() | DropHand() | DropTable() | DropEntry() | DropSession():
                self._drop_old(change)
            case _:
                self._set(change)

    def _add_row(self, row: StepRow | HandRow | TableRow | EntryRow | SessionRow | BotRow) -> None:
        match row:
            case StepRow():
                self._add_step(row)
            case HandRow():
                self._add(row, (self.hands, row.id, row), (self.steps_of, row.id, {}))
                siblings = _children(self.hands_of, row.table, row)
                self._add(row, (siblings, row.number, row.id))
            case TableRow():
                self._add(row, (self.tables, row.id, row), (self.hands_of, row.id, {}))
                siblings = _children(self.tables_of, row.session, row)
                self._add(row, (siblings, (row.round, row.number), row.id))
            case EntryRow():
                self._add_entry(row)
            case SessionRow():
                self._add(
                    row,
                    (self.sessions, row.id, row),
                    (self.entries_of, row.id, {}),
                    (self.tables_of, row.id, {}),
                )
            case BotRow():
                self._add(
                    row,
                    (self.bots, row.id, row),
                    (self.names, row.name, row.id),
                    (self.tokens, row.token_hash, row.id),
                    *([(self.founders, row.owner_key, row.id)] if row.founder else []),
                )
                if row.name_key is not None:
                    self._add(row, (self.name_keys, row.name_key, row.id))
            case _:
                assert_never(row)

    def _add_step(self, step: StepRow) -> None:
        if step.event_count < 1 or step.seq < 0:
            raise misfit(step)
        self._add(step, (_children(self.steps_of, step.hand, step), step.seq, step))

    def _add_entry(self, entry: EntryRow) -> None:
        siblings = _children(self.entries_of, entry.session, entry)
        self._add(
            entry,
            (self.entries, (entry.session, entry.bot), entry),
            (siblings, entry.number, entry.bot),
        )
        if entry.bot not in self.bots:
            raise orphan(entry)

    def _set_bot(
        self, change: SetToken | RevokeBot | SetOwnerKey | RestoreBot | SetNameKey
    ) -> None:
        bot = self.bots.get(change.bot)
        if bot is None:
            raise missed(change)
        match change:
            case RevokeBot():
                bot = bot._replace(revoked=True)
            case SetOwnerKey():
                if bot.founder:
                    self._drop(self.founders, bot.owner_key)
                    self._add(change, (self.founders, change.owner_key, bot.id))
                bot = bot._replace(owner_key=change.owner_key)
            case SetNameKey():
                if bot.name_key is not None:
                    self._drop(self.name_keys, bot.name_key)
                self._add(change, (self.name_keys, change.name_key, bot.id))
                bot = bot._replace(name_key=change.name_key)
            case SetToken() | RestoreBot():
                self._drop(self.tokens, bot.token_hash)
                self._add(change, (self.tokens, change.token_hash, bot.id))
                revoked = bot.revoked and isinstance(change, SetToken)
                bot = bot._replace(token_hash=change.token_hash, revoked=revoked)
            case _:
                assert_never(change)
        self._put(self.bots, bot.id, bot)

    def _revoke_organiser(self, change: RevokeOrganiser) -> None:
        organisers = {bot.id: bot for bot in self.bots.values() if bot.kind == "admin"}
        others = organisers.keys() - {change.bot}
        if change.bot not in organisers or all(organisers[each].revoked for each in others):
            raise missed(change)
        self._put(self.bots, change.bot, organisers[change.bot]._replace(revoked=True))

    def _drop_old(self, change: DropSteps | DropHand | DropTable | DropEntry | DropSession) -> None:
        """Take away a row of an old session, and the shelves for what would belong to it."""
        match change:
            case DropSteps():
                if not self.steps_of.get(change.hand):
                    raise missed(change)
                self._put(self.steps_of, change.hand, {})
            case DropHand():
                hand = _there(self.hands, change.hand, change)
                self._drop_empty(change, (self.steps_of, hand.id))
                self._drop(self.hands_of[hand.table], hand.number)
                self._drop(self.hands, hand.id)
            case DropTable():
                table = _there(self.tables, change.table, change)
                self._drop_empty(change, (self.hands_of, table.id))
                self._drop(self.tables_of[table.session], (table.round, table.number))
                self._drop(self.tables, table.id)
            case DropEntry():
                entry = _there(self.entries, (change.session, change.bot), change)
                self._drop(self.entries_of[entry.session], entry.number)
                self._drop(self.entries, (entry.session, entry.bot))
            case DropSession():
                session = _there(self.sessions, change.session, change)
                shelves = (self.entries_of, session.id), (self.tables_of, session.id)
                self._drop_empty(change, *shelves)
                self._drop(self.sessions, session.id)
            case _:
                assert_never(change)

    def _drop_empty(self, change: Change, *places: tuple[dict[Any, Any], Hashable]) -> None:
        """Drop the shelves of a thing; a clash if there is something on them."""
        if any(shelf.get(key) for shelf, key in places):
            raise orphan(change)
        for shelf, key in places:
            self._drop(shelf, key)

    def _set_note(self, change: SetNote | DropNote) -> None:
        if isinstance(change, DropNote):
            _there(self.notes, change.key, change)
            self._drop(self.notes, change.key)
        elif self.notes.get(change.key) != change.was:
            raise missed(change)
        else:
            self._put(self.notes, change.key, change.text)

    def _set_code(self, change: UseCode | RevokeCode) -> None:
        code = self.codes.get(change.code_hash)
        if code is None:
            raise missed(change)
        if isinstance(change, RevokeCode):
            self._put(self.codes, code.code_hash, code._replace(revoked=True))
        elif code.uses_left < 1 or code.revoked or code.expires_ms <= change.now_ms:
            raise missed(change)
        else:
            self._put(self.codes, code.code_hash, code._replace(uses_left=code.uses_left - 1))

    def _set(
        self, change: SetSessionStatus | SetSchedule | SetEntryStatus | SetTableStatus | EndHand
    ) -> None:
        """Replace a row by another, if it is as the change supposes."""
        match change:
            case SetSessionStatus():
                session = self.sessions.get(change.session)
                if session is None or session.status != change.was:
                    raise missed(change)
                self._put(self.sessions, session.id, session._replace(status=change.status))
            case SetSchedule():
                session = self.sessions.get(change.session)
                if session is None or session.schedule != change.was:
                    raise missed(change)
                self._put(self.sessions, session.id, session._replace(schedule=change.schedule))
            case SetEntryStatus():
                key = (change.session, change.bot)
                entry = self.entries.get(key)
                if entry is None or entry.status != change.was:
                    raise missed(change)
                self._put(self.entries, key, entry._replace(status=change.status))
            case SetTableStatus():
                table = self.tables.get(change.table)
                if table is None or table.status != change.was:
                    raise missed(change)
                self._put(self.tables, table.id, table._replace(status=change.status))
            case EndHand():
                hand = self.hands.get(change.hand)
                if hand is None or hand.status != "playing":
                    raise missed(change)
                ended = hand._replace(
                    status=change.status, result=change.result, ended_ms=change.ended_ms
                )
                self._put(self.hands, hand.id, ended)
            case _:
                assert_never(change)


def _there(shelf: dict[Any, Any], key: Hashable, change: Change) -> Any:
    try:
        return shelf[key]
    except KeyError:
        raise missed(change) from None


def _children(shelf: dict[str, dict[Any, Any]], parent: str, change: Change) -> dict[Any, Any]:
    try:
        return shelf[parent]
    except KeyError:
        raise orphan(change) from None
