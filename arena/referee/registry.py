"""Bots, organisers, tokens and enrolment codes.

Tokens are shown once and kept as SHA-256; a dictionary in front of the store answers most look-ups.
This module knows nothing of sessions and hands.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import Any

from arena.errors import Conflict, Forbidden, NotFound
from arena.referee.clock import Clock, instant
from arena.referee.names import (
    ADMIN_TOKEN,
    BOT_TOKEN,
    CODE,
    HOUSE,
    check_name,
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
    RevokeBot,
    SetToken,
    Store,
    UseCode,
)

SCOPES = {"bot": ("play",), "admin": ("play", "admin"), "house": ()}
FOREVER_MS = 2**53


@dataclass(frozen=True, slots=True)
class Identity:
    """Who sent a request. kind: bot or admin."""

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
            check_text("owner", owner, longest=80)
        changes, label = self._enrolment(code)
        row, token = self._new(name, owner or label or name, kind="bot")
        if self._store.bot_by_name(name) is not None:
            raise Conflict("name", f"the name {name!r} is taken")
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

    def _new(self, name: str, owner: str, *, kind: str) -> tuple[BotRow, str]:
        token = new_token(ADMIN_TOKEN if kind == "admin" else BOT_TOKEN)
        now_ms = self._clock.now_ms()
        row = BotRow(new_id("b-"), name, owner, token_hash(token), now_ms, False, kind)
        return row, token

    def create_admin(self, name: str) -> str:
        """A new organiser's token. A name that is taken gets a number."""
        check_text("name", name, longest=40)
        names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
        free = next(each for each in names if self._store.bot_by_name(each) is None)
        row, token = self._new(free, free, kind="admin")
        self._store.write(row)
        return token

    def has_admin(self) -> bool:
        """Is there an organiser whose token is good?"""
        after, page = "", self._store.bots()
        while page:
            if any(row.kind == "admin" and not row.revoked for row in page):
                return True
            after = page[-1].name
            page = self._store.bots(after=after)
        return False

    def house(self, number: int) -> BotRow:
        """The house bot of this number, made if it is not there yet."""
        name = f"{HOUSE}{number}"
        row = self._store.bot_by_name(name)
        if row is not None:
            return row
        made, _ = self._new(name, f"{HOUSE}owner-{number}", kind="house")
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
        token = new_token(ADMIN_TOKEN if row.kind == "admin" else BOT_TOKEN)
        self._store.write(SetToken(row.id, token_hash(token)))
        self.forget(row.id)
        return token

    def revoke(self, bot: str, actor: str) -> None:
        """Bar a bot for good."""
        row = self.row(bot)
        now_ms = self._clock.now_ms()
        self._store.write(RevokeBot(row.id), AuditRow(now_ms, actor, "bot.revoke", f'"{row.id}"'))
        self.forget(row.id)

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
