"""Reading a record file, also one that gzip has compressed, and its lines, whoever wrote it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import orjson

from arena.errors import BadInput

LONGEST_LINE = 16 * 1024 * 1024
SHOWN = 40
GZIP = b"\x1f\x8b"
MAGIC = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"\x04\x22\x4d\x18": "lz4",
}
"""How files begin that were compressed otherwise."""
TOO_DEEP = "a JSON object that is not so deep"


def plain(file: BinaryIO) -> BinaryIO:
    """A file as it is read: unpacked, if it was compressed by gzip. It is at its beginning, and has
    been opened to seek in it. Raises BadInput for one that was compressed otherwise."""
    start = file.read(max(map(len, MAGIC)))
    file.seek(0)
    if start.startswith(GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    for magic, name in MAGIC.items():
        if start.startswith(magic):
            raise BadInput("file", f"compressed by {name}", "a plain one, or one by gzip")
    return file


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a record file; one that is far too long is cut just beyond the limit.

    Raises BadInput for a compressed file that is cut or damaged.
    """
    try:
        while line := file.readline(LONGEST_LINE + 1):
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = file.readline(LONGEST_LINE + 1)
            yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(
            "file", "compressed, and cut off or damaged", f"all of it ({error})"
        ) from error


def read_line(line: str | bytes) -> dict[str, Any]:
    """One line of a record file as a document. Raises BadInput."""
    if len(line) > LONGEST_LINE:
        raise BadInput("line", f"{len(line)} characters", f"at most {LONGEST_LINE}")
    if not line.strip():
        raise BadInput("line", "empty", "one JSON object on each line")
    try:
        document = orjson.loads(line)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise BadInput("line", _start(line), f"one JSON object; is it cut off? ({error})") from None
    if not isinstance(document, dict):
        raise BadInput("line", _start(line), "a JSON object")
    written = line.encode() if isinstance(line, str) else line
    try:
        as_written = orjson.dumps(document) == written.rstrip(b"\n")
    except orjson.JSONEncodeError:
        raise BadInput("line", _start(line), TOO_DEEP) from None
    if not as_written:  # the arena writes nothing twice
        _check_names(line)
    return document


def _check_names(line: str | bytes) -> None:
    """Is every name in an object there once? With two values, readers would see different games."""
    try:
        json.loads(line, object_pairs_hook=_once, parse_int=float)
    except RecursionError:
        raise BadInput("line", _start(line), TOO_DEEP) from None


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise BadInput("member", name[:SHOWN], "every name once in an object")


def _start(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode(errors="replace")
    return text[:SHOWN].rstrip("\n")
