"""What a command reads: session files with the place of an error, records line by line, keys."""

from __future__ import annotations

import datetime
import json
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from arena.errors import BadInput

HEX_DIGITS = 64
"""Of a public key, and of the root of a digest."""


def read_document(path: Path) -> dict[str, Any]:
    """The document in a TOML or JSON file. Raises `BadInput` with the line where it is broken."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("file", str(path), f"a readable TOML or JSON file ({error})") from error
    is_json = path.suffix == ".json"
    try:
        document = json.loads(text) if is_json else tomllib.loads(text)
    except ValueError as error:
        raise BadInput("file", str(path), f"{'JSON' if is_json else 'TOML'}: {error}") from error
    if not isinstance(document, dict):
        raise BadInput("file", str(path), "an object")
    return {name: _plain(value) for name, value in document.items()}


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file, whatever it is called. Raises `BadInput`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("file", str(path), f"a readable JSON file ({error})") from error
    if not isinstance(document, dict):
        raise BadInput("file", str(path), "an object")
    return document


def _plain(value: Any) -> Any:
    """A value as JSON has it: TOML has instants of its own, with an offset or without."""
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A record file to read bytes from, unpacked if gzip has compressed it. Raises `BadInput` for
    what is no file that can be read."""
    from arena.records.reading import plain

    try:
        file = path.open("rb")
    except OSError as error:
        raise BadInput("file", str(path), f"a file to read ({error.strerror})") from error
    with file:
        try:
            unpacked = plain(file)
        except BadInput as error:
            raise BadInput(f"{path}: {error.thing}", error.value, error.expected) from error
        yield unpacked


def is_hex(text: str) -> bool:
    """Is a text a public key, or the root of a digest?"""
    return len(text) == HEX_DIGITS and not set(text.lower()) - set("0123456789abcdef")


def read_key(given: str) -> str:
    """A public key, as it is or out of a file. Raises `BadInput`.

    A file that only its owner may read is refused: private keys are kept so, they have the same
    form, and a key that is not that of a record is printed.
    """
    if is_hex(given):
        return given.lower()
    from arena.records.proofs import read_public_key

    expected = f"{HEX_DIGITS} hex digits of a public key, or a file with them"
    try:
        with open(given, "rb") as file:
            if os.name == "posix" and not os.fstat(file.fileno()).st_mode & 0o077:
                problem = "this file is for its owner only, as those of private keys are"
                raise BadInput("--key", given, f"{expected}; {problem}")
            text = file.read(1_000).decode(errors="replace")
    except OSError as error:
        raise BadInput("--key", given, f"{expected} ({error.strerror})") from error
    return read_public_key(text)
