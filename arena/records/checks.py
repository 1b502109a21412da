"""Values out of files that anybody may have written: each checked, or BadInput that names it.

The value is quoted cut short, so that the message stays one line. It knows no document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.documents import Document
from arena.errors import BadInput

LONGEST_TEXT = 200
MOST = 2**53
"""The largest whole number that every reader of JSON agrees on."""
SHOWN = 40
HEX = frozenset("0123456789abcdef")


def present(document: Document, name: str) -> Any:
    """A member that must be there, whatever it is."""
    if name not in document:
        raise BadInput(name, None, "a member of that name")
    return document[name]


def text(document: Document, name: str) -> str:
    """A member that is text."""
    return as_text(name, document.get(name))


def as_text(name: str, value: object) -> str:
    """Text that is not empty and not endless."""
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_TEXT:
        raise BadInput(name, short(value), f"text of 1 to {LONGEST_TEXT} characters")
    return value


def texts(document: Document, name: str, *, most: int) -> list[str]:
    """A member that is a list of different texts."""
    given = as_list(name, document.get(name))
    if len(given) > most:
        raise BadInput(name, f"{len(given)} of them", f"at most {most}")
    return [as_text(name, each) for each in given]


def hex_text(document: Document, name: str, *, size: int) -> str:
    """A member that is `size` bytes in hex digits."""
    value = text(document, name)
    if len(value) != 2 * size or set(value) - HEX:
        raise BadInput(name, short(value), f"{2 * size} hex digits")
    return value


def whole(name: str, value: object, *, least: int = 0, most: int = MOST) -> int:
    """A whole number; `true` is none."""
    if type(value) is not int or not least <= value <= most:
        raise BadInput(name, short(value), f"a whole number, {least} to {most}")
    return value


def number(name: str, value: object) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST:
        raise BadInput(name, short(value), "a number")
    return float(value)


def flag(name: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadInput(name, short(value), "true or false")
    return value


def as_list(name: str, value: object) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise BadInput(name, short(value), "a list")
    return value


def as_object(name: str, value: object) -> dict[str, Any]:
    """An object of anything."""
    if not isinstance(value, dict):
        raise BadInput(name, short(value), "an object")
    return value


def players(name: str, value: object, among: range) -> tuple[int, ...]:
    """Some of the players, each at most once."""
    numbers = [whole(name, each, most=len(among) - 1) for each in as_list(name, value)]
    return tuple(different(name, numbers))


def different(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """The values, if no two are the same."""
    if len(set(values)) < len(values):
        raise BadInput(name, short(list(values)), "each only once")
    return values


def as_many(name: str, values: Sequence[object], count: int) -> None:
    """Refuse any other number of values."""
    if len(values) != count:
        raise BadInput(name, short(list(values)), f"{count} of them")


def short(value: object) -> object:
    """What was there, cut so that a line can show it."""
    written = repr(value)
    return value if len(written) <= SHOWN else written[:SHOWN] + "..."
