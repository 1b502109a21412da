"""Bots, organisers and their tokens. How bots register: `enrolment`.

Tokens are shown once and kept as SHA-256. The hashes of all good ones are in memory, so that a
known token never costs a look into the store. Where other processes write to the store too, one
that is not known here may be looked for there: only for callers that have a limit for it. This
module knows nothing of sessions and hands.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from arena.clock import Clock, instant
from arena.errors import Conflict, Forbidden, NotFound
from arena.identity.codes import Codes
from arena.session.confusables import skeleton
from arena.session.names import (
    ADMIN_TOKEN,
    BOT_TOKEN,
    HOUSE,
    check_name,
    new_id,
    new_token,
    token_hash,
)
from arena.session.owners import owner_key
from arena.statuses import PLAYERS, Actor, BotKind
from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    RestoreBot,
    RevokeBot,
    RevokeOrganiser,
    SetNameKey,
    SetOwnerKey,
    SetToken,
    Store,
)

LONGEST_TOKEN = 100
"""Characters; ours have half of it. What is longer is no token, and not hashed."""
SCOPES: Mapping[str, tuple[str, ...]] = {
    BotKind.BOT: ("play",),
    BotKind.ADMIN: ("play", "view", "assist", "admin"),
    BotKind.ASSISTANT: ("view", "assist"),
    BotKind.VIEWER: ("view",),
    BotKind.HOUSE: (),
}
"""What a token is good for, by the kind of its row."""
KEYS_TOGETHER = 500
"""Name keys that are written at once."""
READ_TOGETHER = 1_000
"""Rows that are read at once."""
RENAMED = "bots-renamed"
"""Under which key it is counted how often bots were renamed."""
REVOKED_ORGANISERS = "organisers-revoked"
"""Under which key it is counted how often an organiser was revoked; one at a time, by that."""
LOG = logging.getLogger("arena.referee")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who sent a request. kind: bot, admin (an organiser), assistant or viewer."""

    id: str
    name: str
    owner: str
    kind: str
    scopes: tuple[str, ...]


class Label(NamedTuple):
    """What of a bot seldom changes and is shown; kind: see `Identity`, or `house`."""

    name: str
    owner: str
    kind: str


class Registry:
    """Everybody who has a token."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.codes = Codes(store, clock)
        self._known: dict[str, Identity] = {}
        self._hashes: dict[str, str] = {}
        self._labels: dict[str, Label] = {}
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
        identity = self._known.get(hashed)
        if identity is None and (self._unread or not self._loaded):
            self.catch_up()
            identity = self._known.get(hashed)
        return identity

    def identify(self, token: str) -> Identity | None:
        """Whose token it is; None if nobody's. Where other processes make bots too, one that is not
        known here is looked for in the store."""
        identity = self.known(token)
        if identity is None and self._store.shared and len(token) <= LONGEST_TOKEN:
            with self._lock:
                row = self._store.bot_by_token(token_hash(token))
                if row is not None:
                    self.keep(row)
            identity = self.known(token)
        return identity

    def has_token(self, bot: str) -> bool:
        """Has a bot a good token, as far as this process knows?"""
        return bot in self._hashes or bot in self._unread

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
        page = self._store.bots(limit=READ_TOGETHER)
        while page:
            yield from page
            page = self._store.bots(after=page[-1].name, limit=READ_TOGETHER)

    def new_bot(self, name: str, owner: str, *, kind: BotKind) -> tuple[BotRow, str]:
        """The row of a new bot, organiser or house bot, and its token. Writes nothing."""
        token = _token_for(kind)
        now_ms = self._clock.now_ms()
        row = BotRow(new_id("b-"), name, owner, token_hash(token), now_ms, False, kind)
        row = row._replace(owner_key=owner_key(owner), name_key=skeleton(name), proven=True)
        return row, token

    def prepare(self) -> None:
        """Read the codes that are good; give rows of older programs their keys."""
        self.codes.catch_up()
        self.fill_name_keys()
        after = ""
        while page := self._store.bots_of_owner("", after=after):
            self._store.write(*(SetOwnerKey(row.id, owner_key(row.owner)) for row in page))
            after = page[-1].name

    def check_free(self, name: str) -> None:
        """Raises Conflict for a name that is taken, or looks like one that is."""
        other = self.named(name)
        if other is None:
            return
        if other.name == name:
            raise Conflict("name", f"the name {name!r} is taken")
        raise Conflict("name", f"the name {name!r} looks like {other.name!r}, which is taken")

    def named(self, name: str) -> BotRow | None:
        """Who has this name, or one that looks like it."""
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

    def create_staff(self, name: str, *, kind: BotKind, actor: str) -> tuple[BotRow, str]:
        """A new token for an organiser, an assistant or a viewer. Raises BadInput; Conflict
        for a name that is taken, or is an owner's of bots."""
        check_name(name)
        self.check_free(name)
        if (owned := self._bot_of(name)) is not None:
            raise Conflict("name", f"{owned.owner!r} is the owner of bots, such as {owned.name!r}")
        row, token = self.new_bot(name, name, kind=kind)
        detail = orjson.dumps({"id": row.id, "name": name, "kind": kind}).decode()
        self._store.write(row, AuditRow(self._clock.now_ms(), actor, "organiser.create", detail))
        self.keep(row)
        return row, token

    def create_admin(self, name: str = "admin", *, kind: BotKind = BotKind.ADMIN) -> str:
        """A new organiser's token. A name that is taken gets a number."""
        self.fill_name_keys()
        names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
        free = next(each for each in names if not (self.named(each) or self._bot_of(each)))
        return self.create_staff(free, kind=kind, actor=Actor.REFEREE)[1]

    def _bot_of(self, owner: str) -> BotRow | None:
        rows = self._store.bots_of_owner(owner_key(owner))
        return next((row for row in rows if row.kind in PLAYERS), None)

    def bots_of(self, owner: str) -> list[BotRow]:
        """The bots of an owner by name, revoked or not."""
        rows: list[BotRow] = []
        while page := self._store.bots_of_owner(
            owner_key(owner), after=rows[-1].name if rows else ""
        ):
            rows += page
        return rows

    def staff(self) -> list[BotRow]:
        """Everybody with an organiser's, assistant's or viewer's token, revoked or not, by name."""
        rows: list[BotRow] = []
        while page := self._store.staff(after=rows[-1].name if rows else ""):
            rows += page
        return rows

    def has_admin(self) -> bool:
        """Is there an organiser whose token is good?"""
        return any(row.kind == BotKind.ADMIN and not row.revoked for row in self.staff())

    def house(self, number: int) -> BotRow:
        """The house bot of this number, made if it is not there yet."""
        name = f"{HOUSE}{number}"
        row = self._store.bot_by_name(name)
        if row is not None:
            return row
        made, _ = self.new_bot(name, f"{HOUSE}owner-{number}", kind=BotKind.HOUSE)
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
        noted = () if row.kind in PLAYERS else (self._audit(row, row.id, "organiser.rotate"),)
        self._store.write(SetToken(row.id, token_hash(token)), *noted)
        self.forget(row.id)
        return token

    def revoke(self, bot: str, actor: str, *, retired: bool = False) -> None:
        """Take a token away; see `restore`. retired: its owner does. Raises Conflict for the last
        organiser."""
        row = self.row(bot)
        if row.kind == BotKind.ADMIN:
            self._revoke_organiser(row, actor)
        else:
            own = "bot.retire" if retired else "bot.revoke"
            action = own if row.kind in PLAYERS else "organiser.revoke"
            self._store.write(RevokeBot(row.id), self._audit(row, actor, action))
        self.forget(row.id)

    def _revoke_organiser(self, row: BotRow, actor: str) -> None:
        audit = self._audit(row, actor, "organiser.revoke")
        try:
            self._store.write(AddOne(REVOKED_ORGANISERS), RevokeOrganiser(row.id), audit)
        except Conflict as error:
            detail = f"{row.name} is the last organiser: make another one first"
            raise Conflict(row.name, detail) from error

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

    def row(self, bot: str) -> BotRow:
        """A bot by id, or by name. Raises NotFound."""
        row = self._store.bot(bot) or self._store.bot_by_name(bot)
        if row is None:
            raise NotFound("bot", f"there is no bot {bot!r}")
        return row

    def label(self, bot: str) -> Label:
        """The name, owner and kind of a bot by its id, from memory if they were asked for before.

        Raises NotFound.
        """
        label = self._labels.get(bot)
        if label is None:
            row = self.row(bot)
            label = Label(row.name, row.owner, row.kind)
            if row.id == bot:
                self._labels[bot] = label
        return label

    def forget(self, bot: str | None = None) -> None:
        """A bot, or (None) anybody, may have been changed: look it up anew. Raises Unavailable, but
        only for everybody."""
        if bot is None:
            self._labels.clear()
            self.load()
            return
        with self._lock:
            self._labels.pop(bot, None)
            self._drop(bot)
            self._unread.add(bot)


def _is_good(row: BotRow) -> bool:
    return not row.revoked and row.kind != BotKind.HOUSE


def _identity(row: BotRow) -> Identity:
    return Identity(row.id, row.name, row.owner, row.kind, SCOPES[row.kind])


def _token_for(kind: str) -> str:
    return new_token(BOT_TOKEN if kind in PLAYERS else ADMIN_TOKEN)


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
