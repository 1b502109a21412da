"""Bots, organisers and their tokens. How bots register: `enrolment`.

Tokens are shown once and kept as SHA-256. The hashes of all good ones are in memory, so that a
known token never costs a look into the store. Where other processes write to the store too, one
that is not known here may be looked for there: only for callers that have a limit for it. This
module knows nothing of sessions and hands.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
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

LONGEST_TOKEN = 100
"""Characters; ours have half of it. What is longer is no token, and not hashed."""
SCOPES = {"bot": ("play",), "admin": ("play", "admin"), "house": ()}
KINDS_WITH_TOKEN = ("bot", "admin")


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
        self._hashes: dict[str, str] = {}
        self._unread: set[str] = set()
        self._loaded = False
        self._lock = threading.RLock()

    def load(self) -> None:
        """Read all good tokens into memory, anew if they were read before. Raises Unavailable."""
        with self._lock:
            rows = [row for row in self._rows() if _is_good(row)]
            self._known = {row.token_hash: _identity(row) for row in rows}
            self._hashes = {row.id: row.token_hash for row in rows}
            self._unread.clear()
            self._loaded = True

    def known(self, token: str) -> Identity | None:
        """Whose token it is as far as this process knows: without a look into the store, but for
        the first time, and for bots that have changed since."""
        if len(token) > LONGEST_TOKEN:
            return None
        hashed = token_hash(token)
        found = self._known.get(hashed)
        if found is None and (self._unread or not self._loaded):
            self.catch_up()
            found = self._known.get(hashed)
        return found

    def identify(self, token: str) -> Identity | None:
        """Whose token it is; None if nobody's. Where other processes make bots too, one that is not
        known here is looked for in the store."""
        found = self.known(token)
        if found is None and self._store.shared and len(token) <= LONGEST_TOKEN:
            with self._lock:
                row = self._store.bot_by_token(token_hash(token))
                if row is not None:
                    self.keep(row)
            found = self.known(token)
        return found

    def catch_up(self) -> None:
        """Read what may have changed; everything if nothing was read yet. Raises Unavailable."""
        with self._lock:
            if not self._loaded:
                self.load()
            for bot in tuple(self._unread):
                row = self._store.bot(bot)
                if row is not None:
                    self.keep(row)
                self._unread.discard(bot)

    def keep(self, row: BotRow) -> None:
        """Know a bot by the token that it has now, and by no other."""
        with self._lock:
            self._drop(row.id)
            if _is_good(row):
                self._known[row.token_hash] = _identity(row)
                self._hashes[row.id] = row.token_hash

    def _drop(self, bot: str) -> None:
        hashed = self._hashes.pop(bot, None)
        if hashed is not None:
            self._known.pop(hashed, None)

    def _rows(self) -> Iterator[BotRow]:
        """Everybody, page by page."""
        after, page = "", self._store.bots()
        while page:
            yield from page
            after = page[-1].name
            page = self._store.bots(after=after)

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
        self.keep(row)
        return token

    def has_admin(self) -> bool:
        """Is there an organiser whose token is good?"""
        return any(row.kind == "admin" and not row.revoked for row in self._rows())

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
        """A bot, or (None) anybody, may have been changed: look it up anew. Raises Unavailable, but
        only for everybody."""
        if bot is None:
            self.load()
            return
        with self._lock:
            self._drop(bot)
            self._unread.add(bot)


def _is_good(row: BotRow) -> bool:
    return not row.revoked and row.kind in KINDS_WITH_TOKEN


def _identity(row: BotRow) -> Identity:
    return Identity(row.id, row.name, row.owner, row.kind, SCOPES[row.kind])


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
