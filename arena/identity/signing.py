"""Signing: with which key an arena signs what it publishes, and with which ones it did before.

The private key lies in a file (`key_files`), never in the store. The store has a note of the public
keys, each with the instant from which it holds: so that no process signs with another key by
mistake, several referees on one database have the same, and old signatures can still be attributed.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from arena.clock import SystemClock, instant
from arena.documents import Document
from arena.errors import BadInput, Conflict
from arena.identity.key_files import THING, kept_key, make_key, read_key, sync_folder
from arena.proofs.signatures import KEY_BYTES, Signer
from arena.store.opening import is_file, sqlite_file
from arena.store.port import NoteRow, SetNote, Store

NOTE = "signing-keys"
MEMORY = "memory:"
NEXT = ".next"
"""What follows the name of a key file while the next key is not in force yet."""
OTHERWISE = "; `arena key rotate` puts another in its place"
LOG = logging.getLogger("arena.signing")


class PublicKey(NamedTuple):
    """A key in hex, and the instant from which the arena signs with it."""

    public_key: str
    since_ms: int


def public_keys(store: Store) -> tuple[PublicKey, ...]:
    """The keys with which an arena has signed, the one that holds last; none if it never had one.

    Whether this process signs is another question.
    """
    text = store.note(NOTE)
    return () if text is None else tuple(PublicKey(*each) for each in orjson.loads(text))


def keys_document(store: Store, signer: Signer | None) -> Document:
    """``{"public_key", "keys": [{"public_key", "since", "until"}]}``, the oldest first."""
    known = public_keys(store)
    ends = [*(key.since_ms for key in known[1:]), None] if known else []
    return {
        "public_key": None if signer is None else signer.public_key,
        "keys": [
            {
                "public_key": key.public_key,
                "since": instant(key.since_ms),
                "until": None if end is None else instant(end),
            }
            for key, end in zip(known, ends, strict=True)
        ],
    }


def key_file(database: str, given: str = "") -> Path | None:
    """Where the private key lies: the file that was given, or FILE.key beside a SQLite FILE."""
    if given:
        return Path(given)
    if not is_file(database):
        return None
    file = sqlite_file(database)
    return file.with_name(f"{file.name}.key")


def open_signer(
    store: Store, database: str, *, given: str = "", now_ms: int | None = None
) -> Signer | None:
    """The key of an arena that starts, which is made where it may be; None for no signatures.

    given: a file. now_ms: by the system's clock if left out. Raises BadInput for a file that is no
    key, or another key than this arena's; Unavailable for one that cannot be made.
    """
    path, known = key_file(database, given), public_keys(store)
    if path is not None:
        _check_there(path, known)
        signer = read_key(path) if given else kept_key(path)
    elif database == MEMORY:
        signer = Signer(secrets.token_bytes(KEY_BYTES))
    else:
        _check_without(known)
        return None
    if not known:
        with contextlib.suppress(Conflict):  # another process has just written its own
            since_ms = SystemClock(store.now_ms()).now_ms() if now_ms is None else now_ms
            put_in_force(store, signer, now_ms=since_ms)
    holds = public_keys(store)[-1].public_key
    if signer.public_key != holds:
        shown = f"{path} (public key {signer.public_key})"
        raise BadInput(THING, shown, f"the key of {holds}, with which this arena signs{OTHERWISE}")
    return signer


def _check_there(path: Path, known: Sequence[PublicKey]) -> None:
    """A key that was lost is not made anew: nobody would notice that it is another."""
    if known and not path.exists():
        wanted = f"the file with the key of {known[-1].public_key}, with which this arena signs"
        raise BadInput(THING, f"{path} (no such file)", wanted + OTHERWISE)


def _check_without(known: Sequence[PublicKey]) -> None:
    if known:
        wanted = f"--signing-key FILE with the key of {known[-1].public_key}, which this arena has"
        raise BadInput(THING, "none", wanted + OTHERWISE)
    LOG.warning(
        "nothing is signed: make a key with `arena key new FILE`, then give it to every referee"
        " of this database: --signing-key FILE"
    )


def rotate(store: Store, path: Path, *, now_ms: int) -> tuple[PublicKey, ...]:
    """Sign with another key from now on; all public keys.

    With the one in the file, if it has not been in force before; else a new one is made in its
    place. That is on the disk before the store names it, and gets its name after that: a rotation
    that was interrupted is completed by the next one. Raises BadInput, Unavailable.
    """
    known = {key.public_key for key in public_keys(store)}
    if path.exists() and (given := read_key(path)).public_key not in known:
        return put_in_force(store, given, now_ms=now_ms)
    fresh = path.with_name(path.name + NEXT)
    keys = put_in_force(store, kept_key(fresh), now_ms=now_ms)
    fresh.replace(path)
    sync_folder(path.parent)
    return keys


def put_in_force(store: Store, signer: Signer, *, now_ms: int) -> tuple[PublicKey, ...]:
    """Write down that the arena signs with a key from now on; all public keys.

    Raises Conflict if another process has just named one.
    """
    text, known = store.note(NOTE), public_keys(store)
    if known and known[-1].public_key == signer.public_key:
        return known
    keys = (*known, PublicKey(signer.public_key, now_ms))
    written = orjson.dumps([list(key) for key in keys]).decode()
    store.write(NoteRow(NOTE, written) if text is None else SetNote(NOTE, written, was=text))
    return keys


def new_key(path: Path) -> Signer:
    """A new key in a new file. Raises BadInput if the file is there, Unavailable."""
    try:
        return make_key(path)
    except FileExistsError:
        raise BadInput("the file", str(path), "a name that is free") from None
