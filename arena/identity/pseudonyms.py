"""Pseudonyms: the words by which bots are called on a pseudonymous board, kept from guessing.

They follow from a secret of this arena that never leaves its store, so nobody can compute them from
a name, not even when the session's own secret is public.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Iterable

from arena.errors import Conflict
from arena.identity.registry import Registry
from arena.store.port import EntryRow, NoteRow, Store
from arena.tournament.pseudonyms import in_turn

KEY_NOTE = "key/pseudonyms"
KEY_BYTES = 32


def arena_key(store: Store) -> bytes:
    """The secret of this arena, made when it is first needed."""
    text = store.note(KEY_NOTE)
    if text is None:
        text = secrets.token_hex(KEY_BYTES)
        try:
            store.write(NoteRow(KEY_NOTE, text))
        except Conflict:  # another process has made it meanwhile
            return arena_key(store)
    return bytes.fromhex(text)


def pseudonyms_of(
    store: Store,
    registry: Registry,
    session: str,
    entries: Iterable[EntryRow],
    *,
    keep: Collection[str],
) -> dict[str, str]:
    """The words for every bot that has ever entered a session; `keep`: names that stay."""
    key = hmac.digest(arena_key(store), session.encode(), "sha256")
    rows = (registry.row(entry.bot) for entry in entries)
    return in_turn(((row.id, row.name) for row in rows if row.name not in keep), key)
