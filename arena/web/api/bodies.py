"""From the bytes of a request body to plain data, or a clear refusal.

`orjson` reads; what it lets through and we do not want (members named twice, numbers that lose
digits, deep nesting) is searched for here. How much a body may hold is counted in its bytes, before
they are parsed: reading a byte costs little, and inspecting a value a hundred
times as much. This module may not know a schema.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

from arena.web.api.problems import Code, Problem

LARGEST = 2**53


class BrokenBody(OSError):
    """The body is not framed as it should be, has broken off, or took too long."""


class BadFrame(BrokenBody):
    """What came is no body in chunks, or in too many: that is no accident on the way."""


def read_object(data: bytes, *, depth: int, most_values: int) -> dict[str, Any]:
    """The JSON object in `data`, nested at most `depth` levels deep.

    most_values: how many members, entries, lists and objects it may hold, all together. Numbers
    without a fraction come as ints whichever way they were written. Raises Problem (`bad_json`) for
    anything that is not such an object.
    """
    # One comma or bracket for each value but the first in its box; those inside texts count too,
    # for telling them apart would mean to read it. Each takes a byte at least.
    if len(data) > most_values < sum(map(data.count, (b",", b"{", b"["))):
        _refuse(
            f"The body holds more than {most_values} values, which no request of this kind needs."
        )
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        _refuse(f"The body is not JSON: {error}.")
    if not isinstance(document, dict):
        _refuse(f"The body must be a JSON object, not {_kind(document)}.")
    if data.count(b":") != _inspect(document, depth):
        json.loads(data, object_pairs_hook=_without_twins, parse_float=str, parse_int=str)
    return document


def _inspect(document: dict[str, Any], depth: int) -> int:
    """Check depth and numbers, make whole floats ints; the number of members in all objects.

    When the bytes hold as many colons as there are members, no member was named twice: that is
    the cheap way to know it.
    """
    members = 0
    level: list[Any] = [document]
    for _ in range(depth):
        inner: list[Any] = []
        for box in level:
            named = type(box) is dict
            members += len(box) if named else 0
            for key, value in box.items() if named else enumerate(box):
                kind = type(value)  # of those that orjson makes, never of a subclass
                if kind is dict or kind is list:
                    inner.append(value)
                elif kind is int or kind is float:
                    box[key] = _number(value)
        if not inner:
            return members
        level = inner
    return _refuse(f"The body is nested more than {depth} levels deep.")


def _number(value: float) -> float:
    if not -LARGEST <= value <= LARGEST:
        _refuse("A number in the body is beyond 2^53; such numbers are not exact in JSON.")
    return int(value) if type(value) is float and value.is_integer() else value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            _refuse(f"The body names the member {name[:80]!r} twice in one object.")
        members[name] = value
    return members


def _kind(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _refuse(detail: str) -> NoReturn:
    raise Problem(Code.BAD_JSON, detail)
