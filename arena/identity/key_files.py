"""Key files: the private key by which an arena signs, in a file that only its owner may read.

A file is 64 hex digits and an end of line. It is written under another name and appears whole, so
of two processes that want to be first one makes it and both read the same. Nothing here knows a
store, and no error has a digit of the key in it.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from arena.errors import BadInput, Unavailable
from arena.proofs.signatures import KEY_BYTES, Signer

PRIVATE = 0o600
OTHERS = 0o077
"""The bits of a mode that let others than the owner do anything."""
THING = "the signing key"
HEX = re.compile(rb"[0-9a-fA-F]{%d}\n?" % (2 * KEY_BYTES))


def read_key(path: Path) -> Signer:
    """The key in a file. Raises BadInput for a file that is none, is not there, cannot be read, or
    that others may read too."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(2 * KEY_BYTES + 2)
    except OSError as error:
        wanted = f"a file of 64 hex digits that can be read ({error.strerror})"
        raise BadInput(THING, str(path), wanted) from error
    if os.name == "posix" and mode & OTHERS:
        shown = f"{path} (mode {mode & 0o777:04o})"
        raise BadInput(THING, shown, f"a file for its owner only: chmod 600 {path}")
    if not HEX.fullmatch(text):
        wanted = "a file of 64 hex digits and nothing else, as `arena key new` makes one"
        raise BadInput(THING, str(path), wanted)
    return Signer(bytes.fromhex(text.decode().strip()))


def make_key(path: Path) -> Signer:
    """A new key in a new file. Raises Unavailable if it cannot be made, FileExistsError if it is
    there already."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        _write(part, secrets.token_bytes(KEY_BYTES).hex() + "\n")
        try:
            os.link(part, path)  # which no other file is replaced by
        finally:
            part.unlink()
        sync_folder(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        message = f"{THING} cannot be made: {path} ({error.strerror})"
        raise Unavailable(f"{message}; or give one: --signing-key FILE") from error
    return read_key(path)


def kept_key(path: Path) -> Signer:
    """The key in a file, which is made if it is not there. Raises BadInput, Unavailable."""
    if not path.exists():
        try:
            return make_key(path)
        except FileExistsError:  # another process was first
            pass
    return read_key(path)


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with open(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """See to it that the names in a folder are on the disk."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
