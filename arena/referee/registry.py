"""Bots, organisers and their tokens. How bots register: `enrolment`.

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
from arena.referee.codes import Codes
from arena.referee.names import (
    ADMIN_TOKEN,
    BOT_TOKEN,
    HOUSE,
    check_text,
    new_id,
    new_token,
    token_hash,
)
from arena.referee.owners import owner_key
from arena.store.port import (
    AuditRow,
    BotRow,
    RevokeBot,
    SetOwnerKey,
    SetToken,
    Store,
)

SCOPES = {"bot": ("play",), "admin": ("play", "admin"), "house": ()}


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

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.codes = Codes(store, clock)
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

    def new_bot(self, name: str, owner: str, *, kind: str) -> tuple[BotRow, str]:
        """The row of a new bot, organiser or house bot, and its token. Writes nothing."""
        token = new_token(ADMIN_TOKEN if kind == "admin" else BOT_TOKEN)
        now_ms = self._clock.now_ms()
        row = BotRow(new_id("b-"), name, owner, token_hash(token), now_ms, False, kind)
        return row._replace(owner_key=owner_key(owner), proven=True), token

    def prepare(self) -> None:
        """Read the codes that are good; give bots of older programs the key of their owner."""
        self.codes.catch_up()
        after = ""
        while page := self._store.bots_of_owner("", after=after):
            self._store.write(*(SetOwnerKey(row.id, owner_key(row.owner)) for row in page))
            after = page[-1].name

    def create_admin(self, name: str) -> str:
        """A new organiser's token. A name that is taken gets a number."""
        check_text("name", name, longest=40)
        names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
        free = next(each for each in names if self._store.bot_by_name(each) is None)
        row, token = self.new_bot(free, free, kind="admin")
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
        made, _ = self.new_bot(name, f"{HOUSE}owner-{number}", kind="house")
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
        "proven": row.proven,
    }
