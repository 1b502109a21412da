"""Bots, organisers, tokens and enrolment codes.

Tokens are shown once and kept as SHA-256; a dictionary in front of the store answers most look-ups.
This module knows nothing of sessions and hands.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from arena.errors import Conflict, Forbidden, NotFound
from arena.referee.clock import Clock, instant
from arena.referee.confusables import skeleton
from arena.referee.names import (
    ADMIN_TOKEN,
    BOT_TOKEN,
    CODE,
    HOUSE,
    check_name,
    check_owner,
    check_text,
    new_id,
    new_token,
    token_hash,
)
from arena.store.port import (
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    RestoreBot,
    RevokeBot,
    SetNameKey,
    SetToken,
    Store,
    UseCode,
)

SCOPES = {
    "bot": ("play",),
    "admin": ("play", "view", "assist", "admin"),
    "assistant": ("view", "assist"),
    "viewer": ("view",),
    "house": (),
}
"""What a token is good for, by the kind of its row."""
BOT_KINDS = ("bot", "house")
FOREVER_MS = 2**53
KEYS_TOGETHER = 500
"""Name keys that are written at once."""
REFEREE = "referee"
LOG = logging.getLogger("arena.referee")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who sent a request. kind: bot, admin (an organiser), assistant or viewer."""

    id: str
    name: str
    owner: str
    kind: str
    scopes: tuple[str, ...]


class Registry:
    """Everybody who has a token."""

    def __init__(self, store: Store, clock: Clock, *, code_needed: bool) -> None:
        self._store = store
        self._clock = clock
        self._code_needed = code_needed
        self._known: dict[str, Identity] = {}
        self._changes = 0
        self._lock = threading.Lock()

    def identify(self, token: str) -> Identity | None:
        """Whose token it is; None if nobody's."""
        hashed = token_hash(token)
        known = self._known.get(hashed)
        if known is not None:
            return known
        changes = self._changes
        row = self._store.bot_by_token(hashed)
        if row is None or row.revoked or row.kind == "house":
            return None
        identity = Identity(row.id, row.name, row.owner, row.kind, SCOPES[row.kind])
        with self._lock:
            if changes == self._changes:
                self._known[hashed] = identity
        return identity

    def register(self, name: str, owner: str | None, code: str | None) -> tuple[BotRow, str]:
        """A new bot and its token. Owner: as given, else the code's label, else the name."""
        check_name(name)
        if owner is not None:
            check_owner(owner)
        changes, label = self._enrolment(code)
        row, token = self._new(name, owner or label or name, kind="bot")
        self.check_free(name)
        self._store.write(*changes, row)
        return row, token

    def _enrolment(self, code: str | None) -> tuple[tuple[Change, ...], str | None]:
        if code is None:
            if self._code_needed:
                raise Forbidden("code", "this arena asks for an enrolment code")
            return (), None
        hashed = token_hash(code)
        row = self._store.code(hashed)
        now_ms = self._clock.now_ms()
        if row is None or row.uses_left < 1 or row.expires_ms <= now_ms:
            raise Forbidden("code", "this enrolment code is unknown, used up or expired")
        return (UseCode(hashed, now_ms),), row.label or None

    def check_free(self, name: str) -> None:
        """Raises Conflict for a name that is taken, or looks like one that is."""
        other = self._named(name)
        if other is None:
            return
        if other.name == name:
            raise Conflict("name", f"the name {name!r} is taken")
        raise Conflict("name", f"the name {name!r} looks like {other.name!r}, which is taken")

    def _named(self, name: str) -> BotRow | None:
        return self._store.bot_by_name(name) or self._store.bot_by_key(skeleton(name))

    def fill_name_keys(self) -> None:
        """Give the rows of older programs their keys; of rows that look alike the oldest gets it.

        The others go on without: they can be used, and nobody else can get a name like theirs.
        """
        rows = self._store.bots_without_key()
        for at in range(0, len(rows), KEYS_TOGETHER):
            some = rows[at : at + KEYS_TOGETHER]
            try:
                self._store.write(*(SetNameKey(row.id, skeleton(row.name)) for row in some))
            except Conflict:
                self._fill_one_by_one(some)

    def _fill_one_by_one(self, rows: Sequence[BotRow]) -> None:
        for row in rows:
            try:
                self._store.write(SetNameKey(row.id, skeleton(row.name)))
            except Conflict:
                LOG.warning("the name %r (%s) looks like an older one", row.name, row.id)

    def _new(self, name: str, owner: str, *, kind: str) -> tuple[BotRow, str]:
        token = _token_for(kind)
        now_ms = self._clock.now_ms()
        hashed, key = token_hash(token), skeleton(name)
        return BotRow(new_id("b-"), name, owner, hashed, now_ms, False, kind, key), token

    def create_staff(self, name: str, *, kind: str, actor: str) -> tuple[BotRow, str]:
        """A new token for an organiser, an assistant or a viewer. Raises BadInput, Conflict."""
        check_name(name)
        self.check_free(name)
        row, token = self._new(name, name, kind=kind)
        detail = orjson.dumps({"id": row.id, "name": name, "kind": kind}).decode()
        self._store.write(row, AuditRow(self._clock.now_ms(), actor, "organiser.create", detail))
        return row, token

    def create_admin(self, name: str, *, kind: str = "admin") -> str:
        """A new organiser's token. A name that is taken gets a number."""
        self.fill_name_keys()
        names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
        free = next(each for each in names if self._named(each) is None)
        return self.create_staff(free, kind=kind, actor=REFEREE)[1]

    def staff(self) -> list[BotRow]:
        """Everybody with an organiser's, assistant's or viewer's token, revoked or not, by name."""
        found: list[BotRow] = []
        while page := self._store.staff(after=found[-1].name if found else ""):
            found += page
        return found

    def has_admin(self) -> bool:
        """Is there an organiser whose token is good?"""
        return any(row.kind == "admin" and not row.revoked for row in self.staff())

    def house(self, number: int) -> BotRow:
        """The house bot of this number, made if it is not there yet."""
        name = f"{HOUSE}{number}"
        row = self._store.bot_by_name(name)
        if row is not None:
            return row
        made, _ = self._new(name, f"{HOUSE}owner-{number}", kind="house")
        if self._store.bot_by_key(made.name_key or "") is not None:  # a name of former times
            made = made._replace(name_key=None)
        try:
            self._store.write(made)
        except Conflict:  # another process has made it meanwhile
            return self.row(name)
        return made

    def rotate_token(self, bot: str) -> str:
        """A new token in place of the old one."""
        row = self.row(bot)
        if row.revoked:
            raise Forbidden(bot, "this bot's token was revoked")
        token = _token_for(row.kind)
        noted = () if row.kind in BOT_KINDS else (self._audit(row, row.id, "organiser.rotate"),)
        self._store.write(SetToken(row.id, token_hash(token)), *noted)
        self.forget(row.id)
        return token

    def revoke(self, bot: str, actor: str) -> None:
        """Take a token away; see `restore`."""
        row = self.row(bot)
        action = "bot.revoke" if row.kind in BOT_KINDS else "organiser.revoke"
        self._store.write(RevokeBot(row.id), self._audit(row, actor, action))
        self.forget(row.id)

    def restore(self, bot: str, actor: str) -> str:
        """A new token for a bot whose token was revoked. Raises Conflict if it was not."""
        row = self.row(bot)
        if not row.revoked:
            raise Conflict(bot, f"{row.name} is not revoked: its token is good")
        token = _token_for(row.kind)
        changes = RestoreBot(row.id, token_hash(token)), self._audit(row, actor, "bot.restore")
        self._store.write(*changes)
        self.forget(row.id)
        return token

    def _audit(self, row: BotRow, actor: str, action: str) -> AuditRow:
        return AuditRow(self._clock.now_ms(), actor, action, f'"{row.id}"')

    def create_code(
        self, label: str, *, uses: int, valid_ms: int | None, actor: str
    ) -> dict[str, Any]:
        """A new enrolment code, shown only now."""
        check_text("label", label, longest=80)
        code = new_token(CODE)
        now_ms = self._clock.now_ms()
        expires_ms = FOREVER_MS if valid_ms is None else now_ms + valid_ms
        row = CodeRow(token_hash(code), label, uses, expires_ms)
        self._store.write(row, AuditRow(now_ms, actor, "code.create", f'"{row.code_hash[:8]}"'))
        expires = None if valid_ms is None else instant(expires_ms)
        return {"code": code, "label": label, "uses": uses, "expires": expires}

    def row(self, bot: str) -> BotRow:
        """A bot by id, or by name. Raises NotFound."""
        row = self._store.bot(bot) or self._store.bot_by_name(bot)
        if row is None:
            raise NotFound("bot", f"there is no bot {bot!r}")
        return row

    def forget(self, bot: str | None = None) -> None:
        """Look a bot's token up anew, or (None) everybody's: it may have been changed."""
        with self._lock:
            self._changes += 1
            kept = {} if bot is None else self._known
            self._known = {h: who for h, who in kept.items() if who.id != bot}


def _token_for(kind: str) -> str:
    return new_token(BOT_TOKEN if kind in BOT_KINDS else ADMIN_TOKEN)


def bot_document(row: BotRow) -> dict[str, Any]:
    """A bot as everybody may see it."""
    return {
        "id": row.id,
        "name": row.name,
        "owner": row.owner,
        "kind": row.kind,
        "created": instant(row.created_ms),
        "revoked": row.revoked,
    }
