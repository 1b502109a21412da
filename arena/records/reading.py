"""Reading one line of a record file, whoever may have written it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from arena.errors import BadInput

LONGEST_LINE = 16 * 1024 * 1024
SHOWN = 40
TOO_DEEP = "a JSON object that is not so deep"


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a record file; one that is far too long is cut just beyond the limit."""
    while line := file.readline(LONGEST_LINE + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        yield line


def read_line(line: str | bytes) -> dict[str, Any]:
    """One line of a record file as a document. Raises BadInput."""
    if len(line) > LONGEST_LINE:
        raise BadInput("line", f"{len(line)} characters", f"at most {LONGEST_LINE}")
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
