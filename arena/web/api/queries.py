"""Query parameters: declared once, read strictly.

Unknown and repeated parameters are refused: a misspelt `wiat=25` would otherwise be a busy loop.
Length and number are checked before anything is read. This module may not touch a request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from arena.web.api.problems import Code, Problem, fault, invalid

INTEGER = re.compile(r"[0-9]{1,16}", re.ASCII)
NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?", re.ASCII)
UNBOUNDED = 2**53
"""The largest whole number that every reader of JSON agrees on."""
LONGEST_TEXT = 120
LONGEST_QUERY = 8_192
"""Characters; all parameters of an endpoint with the longest texts, escaped, are shorter."""
MOST_PARAMETERS = 32
SHOWN = 40
"""Characters of a value that a refusal quotes."""
MOST_QUERIES = 256


class Param(NamedTuple):
    """One query parameter. kind: integer, number, flag (0 or 1), word (one of `words`) or text.
    shortest, longest: of a text, in characters."""

    name: str
    kind: str
    description: str
    default: Any = None
    least: float = 0
    most: float = UNBOUNDED
    words: tuple[str, ...] = ()
    shortest: int = 1
    longest: int = LONGEST_TEXT

    def schema(self) -> dict[str, Any]:
        """The parameter as JSON Schema."""
        shape: dict[str, Any]
        if self.kind in ("integer", "number"):
            shape = {"type": self.kind, "minimum": self.least, "maximum": self.most}
        elif self.kind == "flag":
            shape = {"type": "integer", "enum": [0, 1]}
        elif self.kind == "word":
            shape = {"type": "string", "enum": list(self.words)}
        else:
            shape = {"type": "string", "minLength": self.shortest, "maxLength": self.longest}
        default = int(self.default) if self.kind == "flag" else self.default
        return shape if default is None else {**shape, "default": default}


AS = Param("as", "word", "The form of the answer.", "json", words=("json", "text"))
"""Of what can be had in plain English, too."""
Values = Mapping[str, Any]


def reader(params: Sequence[Param]) -> Callable[[str], Values]:
    """How an endpoint reads the query of a WSGI environment; the last different ones are kept,
    for clients ask with the same query again and again."""

    @lru_cache(maxsize=MOST_QUERIES)
    def read(query: str) -> Values:
        return MappingProxyType(read_query(params, arguments(query)))

    return read


def arguments(query: str) -> dict[str, list[str]]:
    """The names and texts in the query of a WSGI environment. Raises Problem (`bad_request`)."""
    _check_size(query)
    try:
        text = query.encode("latin-1").decode()
        return parse_qs(text, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise Problem(Code.BAD_REQUEST, "The query holds bytes that are not UTF-8.") from None


def _check_size(query: str) -> None:
    if len(query) > LONGEST_QUERY:
        detail = f"The query has {len(query)} characters; at most {LONGEST_QUERY} are read."
        raise Problem(Code.BAD_REQUEST, detail)
    given = query.count("&") + 1
    if given > MOST_PARAMETERS:
        detail = f"The query has {given} parameters; at most {MOST_PARAMETERS} are read."
        raise Problem(Code.BAD_REQUEST, detail)


def defaults(params: Sequence[Param]) -> dict[str, Any]:
    """The values of a request without a query."""
    return {param.name: param.default for param in params}


def read_query(params: Sequence[Param], given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """All parameters with their values. Raises Problem (`invalid`), one entry for each fault."""
    known = {param.name: param for param in params}
    values = defaults(params)
    faults = []
    for name, texts in given.items():
        message = _fault(known, name, texts)
        if message:
            faults.append(fault("query", f"/{_escaped(name)}", message))
        else:
            values[name] = _value(known[name], texts[0])
    if faults:
        raise invalid(faults)
    return values


def _fault(known: Mapping[str, Param], name: str, texts: Sequence[str]) -> str:
    if name not in known:
        allowed = ", ".join(known) or "none"
        return f"unknown parameter {name[:SHOWN]!r}; known: {allowed}"
    if len(texts) != 1:
        return "given more than once"
    message = _value_fault(known[name], texts[0])
    return message and f"{message}; it is {texts[0][:SHOWN]!r}"


def _value_fault(param: Param, text: str) -> str:
    if param.kind in ("integer", "number"):
        pattern = INTEGER if param.kind == "integer" else NUMBER
        fits = pattern.fullmatch(text) and param.least <= float(text) <= param.most
        return "" if fits else f"must be {_range(param)}"
    words = ("0", "1") if param.kind == "flag" else param.words
    if words:
        return "" if text in words else f"must be one of {', '.join(words)}"
    printable = param.shortest <= len(text) <= param.longest and text.isprintable()
    lengths = f"{param.shortest} to {param.longest}"
    return "" if printable else f"must be {lengths} printable characters"


def _range(param: Param) -> str:
    kind = "a whole number" if param.kind == "integer" else "a number"
    if param.most >= UNBOUNDED:
        return f"{kind}, {param.least} or more"
    return f"{kind} from {param.least} to {param.most}"


def _value(param: Param, text: str) -> Any:
    if param.kind == "integer":
        return int(text)
    if param.kind == "number":
        return float(text)
    return text == "1" if param.kind == "flag" else text


def _escaped(name: str) -> str:
    return name[:40].replace("~", "~0").replace("/", "~1")
