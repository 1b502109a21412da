"""Reading one line of a record file, whoever may have written it."""

from __future__ import annotations

from typing import Any

import orjson

from arena.errors import ArenaError, BadInput

Document = dict[str, Any]
MALFORMED = (
    ArenaError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading hostile values may raise somewhere below; each becomes a finding."""
LONGEST_LINE = 16 * 1024 * 1024


def read_line(line: str | bytes) -> Document:
    """One line of a record file as a document. Raises BadInput."""
    if len(line) > LONGEST_LINE:
        raise BadInput("line", f"{len(line)} characters", f"at most {LONGEST_LINE}")
    try:
        document = orjson.loads(line)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise BadInput("line", _start(line), f"one JSON object; is it cut off? ({error})") from None
    if not isinstance(document, dict):
        raise BadInput("line", _start(line), "a JSON object")
    return document


def _start(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode(errors="replace")
    return text[:40].rstrip("\n")
