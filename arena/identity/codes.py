"""Enrolment codes: those that are good, in memory, so that a wrong one costs no look at the store.

The store has the last word: a use is spent there, in the write that registers the bot. What other
processes have made since is read at most once a second, however many unknown codes are tried. This
module knows nothing of bots.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from arena.clock import Clock, instant
from arena.errors import BadInput, Conflict
from arena.pacing import Pieces
from arena.session.names import CODE, check_owner, check_text, new_token, token_hash
from arena.session.owners import owner_key
from arena.statuses import BotKind
from arena.store.port import AuditRow, BotRow, CodeRow, Store

FOREVER_MS = 2**53
CATCH_UP_MS = 1_000
"""What others have made is looked for at most so often."""
OVERLAP_MS = 60_000
"""The clocks of several hosts may differ by less than this."""
MOST_OWNERS = 300
"""Codes that one request may ask for: they are written together, which takes some milliseconds."""
ID_LENGTH = 12


class Codes:
    """The codes of one arena."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rows: dict[str, CodeRow] = {}
        self._owners: dict[str, set[str]] = {}
        self._looked_ms: int | None = None
        self._newest_ms = 0
        self._lock = threading.Lock()

    def find(self, code: str) -> CodeRow | None:
        """The row of a code that is good now, as far as this process knows; None if it is not."""
        hashed = token_hash(code)
        if hashed not in self._rows:
            self.catch_up()
        row = self._rows.get(hashed)
        return row if row is not None and self._is_good(row) else None

    def uses_left(self, code: str) -> int:
        """How many uses a code has left as far as this process knows; 0 if it is not good."""
        row = self.find(code)
        return 0 if row is None else row.uses_left

    def reserves(self, key: str) -> bool:
        """Does a good code register bots of the owner with this key?"""
        self.catch_up()
        rows = (self._rows[hashed] for hashed in tuple(self._owners.get(key, ())))
        return any(row.expires_ms > self._clock.now_ms() and not row.revoked for row in rows)

    def _is_good(self, row: CodeRow) -> bool:
        return row.uses_left > 0 and not row.revoked and row.expires_ms > self._clock.now_ms()

    def catch_up(self) -> None:
        """Read what has been made since, also by others; at most once a second."""
        with self._lock:
            now_ms = self._clock.now_ms()
            looked_ms = self._looked_ms
            if looked_ms is not None and 0 <= now_ms - looked_ms < CATCH_UP_MS:
                return
            since_ms = 0 if looked_ms is None else max(0, self._newest_ms - OVERLAP_MS)
            after = ""
            while page := self._store.codes_since(since_ms, after=after):
                for row in page:
                    self._keep(row)
                after = page[-1].code_hash
            self._looked_ms = now_ms

    def add(self, row: CodeRow) -> None:
        """A code that has just been written."""
        with self._lock:
            self._keep(row)

    def read_again(self, row: CodeRow) -> None:
        """A use was spent, or could not be: see how many are left."""
        current = self._store.code(row.code_hash)
        with self._lock:
            self._keep(row._replace(uses_left=0) if current is None else current)

    def _keep(self, row: CodeRow) -> None:
        self._newest_ms = max(self._newest_ms, row.created_ms)
        if row.code_hash not in self._rows and not self._is_good(row):
            return
        self._rows[row.code_hash] = row
        if row.owner:
            self._owners.setdefault(owner_key(row.owner), set()).add(row.code_hash)


def new_code(
    label: str, *, uses: int, owner: str | None, valid_ms: int | None, now_ms: int, made_by: str
) -> tuple[str, CodeRow]:
    """A code and its row. Without an owner a code of one use has its label for one, and each
    registration with a code of many has an owner of its own. Raises BadInput."""
    check_text("label", label, longest=80)
    if uses < 1:
        raise BadInput("uses", uses, "1 or more")
    if owner is not None or uses == 1:
        owner = _owner_of_label(label) if owner is None else check_owner(owner)
    code = new_token(CODE)
    expires_ms = FOREVER_MS if valid_ms is None else now_ms + valid_ms
    row = CodeRow(token_hash(code), label, uses, expires_ms, owner or "", now_ms, made_by, uses)
    return code, row


def _owner_of_label(label: str) -> str:
    try:
        return check_owner(label)
    except BadInput as error:
        expected = f"{error.expected} (it is the owner of the bot; or name another one: --owner)"
        raise BadInput("label", label, expected) from error


def create_codes(
    codes: Codes,
    store: Store,
    made: Sequence[tuple[str, CodeRow]],
    *,
    actor: str,
    now_ms: int,
    pieces: Pieces,
) -> list[dict[str, Any]]:
    """Write codes and their note in the audit log; what the organiser is told of each, once.

    Raises Conflict if a bot has claimed one of the owners and has not proven it.
    """
    rows = [row for _, row in made]
    for row in rows:
        pieces.pause()
        if row.owner:
            check_unclaimed(row.owner, store.bots_of_owner(owner_key(row.owner)))
    ids = [code_id(row) for row in rows]
    detail = orjson.dumps(ids[0] if len(ids) == 1 else ids).decode()
    store.write(*rows, AuditRow(now_ms, actor, "code.create", detail))
    pieces.begin()
    for row in rows:
        pieces.pause()
        codes.add(row)
    return [code_document(code, row) for code, row in made]


def check_unclaimed(owner: str, bots: Iterable[BotRow]) -> None:
    """May it be said that a bot is of this owner, which has these? Raises Conflict."""
    for row in bots:
        if row.kind == BotKind.BOT and not row.proven and not row.revoked:
            message = f"the owner {owner!r} is claimed by the bot {row.name!r} ({row.id})"
            raise Conflict("owner", f"{message}, which has not proven it: revoke it first")


def code_document(code: str, row: CodeRow) -> dict[str, Any]:
    """A code as it is told to the organiser who made it. owner: None if each bot has its own."""
    return {
        "id": code_id(row),
        "code": code,
        "label": row.label,
        "owner": row.owner or None,
        "uses": row.uses,
        "expires": None if row.expires_ms >= FOREVER_MS else instant(row.expires_ms),
    }


def code_id(row: CodeRow) -> str:
    """What a code is called where it must not be told."""
    return row.code_hash[:ID_LENGTH]


def check_owners(owners: Sequence[str], pieces: Pieces) -> None:
    """Is every owner of a list there once? Raises BadInput."""
    if not 1 <= len(owners) <= MOST_OWNERS:
        raise BadInput("owners", len(owners), f"1 to {MOST_OWNERS} of them")
    spellings: dict[str, str] = {}
    for owner in owners:
        pieces.pause()
        before = spellings.setdefault(owner_key(owner), owner)
        if before is not owner:
            raise BadInput("owners", owner, f"every owner once: {before!r} is the same")
