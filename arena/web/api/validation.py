"""The schemas of `schemas/`: read once, compiled once, used often.

The files are the truth: requests are checked against them, responses too (in tests), and the
OpenAPI document refers to them. This module may not know what a schema means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jsonschema_rs
import orjson
from jsonschema import ValidationError
from jsonschema.protocols import Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from arena import resources
from arena.errors import BadInput
from arena.web.api.bounded_validator import UNIQUE, bounded_validator, quick_parts
from arena.web.api.problems import fault

SUFFIX = ".schema.json"
MOST_FAULTS = 20
"""No more than these are even built: building one costs more than reading a body."""
MOST_NAMES = 5
"""Of unknown members that are listed."""
MOST_HINTS = 3
"""Unknown names of one body for which a near one is searched: each is compared with all words."""
SIMILARITY = 0.6
"""Of 0 to 1: how like a name a word has to be for `get_close_matches` to name it."""
LONGEST_VALUE = 60
LONGEST_NAME = 40
FEW = 6
MANY = 60
"""Names that are too many to be listed in a message."""
LENGTHS = {"maxLength": "characters", "maxItems": "entries"}


class Schemas:
    """All schemas by their short names (`turn` for `schemas/turn.schema.json`).

    Each is compiled twice from the same file: `jsonschema_rs` says yes or no at once, and
    `jsonschema` writes the list of faults when the answer is no. A property test holds the two
    together.
    """

    def __init__(self, documents: Mapping[str, dict[str, Any]]) -> None:
        self.documents: Mapping[str, dict[str, Any]] = MappingProxyType(dict(documents))
        registry: Registry[Any] = Registry().with_resources(
            (name + SUFFIX, Resource.from_contents(_without_dialect(document), DRAFT202012))
            for name, document in documents.items()
        )
        self._quick = MappingProxyType({name: _whole(name, documents) for name in documents})
        parts = [UNIQUE, *(part for one in documents.values() for part in quick_parts(one))]
        self._parts = MappingProxyType({id(part): _compiled(part, documents) for part in parts})
        thorough = bounded_validator(lambda part, value: self._parts[id(part)].is_valid(value))
        self.validators: Mapping[str, Validator] = MappingProxyType(
            {name: thorough(document, registry=registry) for name, document in documents.items()}
        )

    def is_valid(self, name: str, instance: Any) -> bool:
        """Does a body fit the schema `name`?"""
        return self._quick[name].is_valid(instance)

    def faults(self, name: str, instance: Any) -> list[dict[str, str]]:
        """What is wrong with a body under the schema `name`: at most 20 entries, [] if nothing."""
        if self.is_valid(name, instance):
            return []
        errors = list(islice(self.validators[name].iter_errors(instance), MOST_FAULTS))
        if not errors:  # the two disagree: whatever the reason, this is not let through
            return [fault("body", "", "does not fit the schema")]
        errors.sort(key=lambda error: list(map(str, error.path)))
        hints = _Hints()
        return [fault("body", pointer(error), _message(error, hints)) for error in errors]


def _without_dialect(document: Mapping[str, Any]) -> dict[str, Any]:
    """A schema to be referred to; by `$schema` it would ask for the library's own validator."""
    return {keyword: value for keyword, value in document.items() if keyword != "$schema"}


def _short_name(uri: str) -> str:
    """`turn` for any address that ends with ``turn.schema.json``."""
    return uri.rpartition("/")[2].removesuffix(SUFFIX)


def _compiled(
    schema: Any, documents: Mapping[str, dict[str, Any]]
) -> jsonschema_rs.Draft202012Validator:
    """The quick validator of a schema, or of a part of one."""
    return jsonschema_rs.Draft202012Validator(
        schema, retriever=lambda uri: documents[_short_name(uri)]
    )


def _whole(
    name: str, documents: Mapping[str, dict[str, Any]]
) -> jsonschema_rs.Draft202012Validator:
    """Raises BadInput for what is no schema, or refers to one that is not there or is none."""
    try:
        return _compiled(documents[name], documents)
    except jsonschema_rs.ValidationError as error:
        expected = f"a JSON Schema ({str(error).splitlines()[0]})"
        wrong = (n for n, each in documents.items() if not jsonschema_rs.meta.is_valid(each))
        raise BadInput("schema file", next(wrong, name) + SUFFIX, expected) from error


def load_schemas(folder: Path | None = None) -> Schemas:
    """The schemas that are packaged with this arena, or those of a folder.

    Raises BadInput for a folder or file that cannot be read, and for what is no JSON Schema.
    """
    place = folder or resources.folder(resources.SCHEMAS)
    files = sorted(place.glob(f"*{SUFFIX}"))
    return Schemas({file.name.removesuffix(SUFFIX): _read(file) for file in files})


def _read(file: Path) -> dict[str, Any]:
    try:
        document = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise BadInput("schema file", str(file), f"readable JSON ({error})") from error
    if not isinstance(document, dict):
        raise BadInput("schema file", str(file), "a JSON Schema that is an object")
    return document


def pointer(error: ValidationError) -> str:
    """Where in the body an error lies, as a JSON Pointer (RFC 6901)."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path)
    return "".join(f"/{step}" for step in steps)


class _Hints:
    """What may have been meant by the names of one body; only for the first few of them."""

    def __init__(self) -> None:
        self._left = MOST_HINTS

    def of(self, names: Sequence[str], known: Iterable[str]) -> str:
        """The end of a message: the known names that are nearest."""
        words, few = list(known), names[: self._left]
        self._left -= len(few)
        near = [word for name in few for word in _nearest(name[:LONGEST_NAME], words)]
        return f"; did you mean {', '.join(near)}?" if near else ""


def _nearest(name: str, words: Iterable[str]) -> list[str]:
    """The word that is most like a name, if one is. `get_close_matches` alone counts the letters of
    each word by a call for each letter; here one call sorts most words out before."""
    dropped = str.maketrans("", "", name)

    def may_be_near(word: str) -> bool:
        shared = len(word) - len(word.translate(dropped))
        return 2 * min(shared, len(name)) / (len(word) + len(name) or 1) >= SIMILARITY

    return get_close_matches(name, [*filter(may_be_near, words)], n=1)


def _message(error: ValidationError, hints: _Hints) -> str:
    schema: Any = error.schema
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = schema.get("properties", {})
        extra = [name for name in error.instance if name not in known]
        message = f"unknown member {_listed(extra)}; known: {', '.join(known)}"
        return message + hints.of(extra[:MOST_NAMES], known)
    if error.validator == "enum" and len(schema["enum"]) > FEW:
        words = [str(word) for word in schema["enum"]]
        value = str(error.instance)
        known = f"; known: {', '.join(words)}" if len(words) <= MANY else ""
        return f"unknown: {_listed([value])}{known}" + hints.of([value], words)
    if error.validator in ("maxProperties", "minProperties") and "$comment" in schema:
        return str(schema["$comment"])
    if error.validator in LENGTHS:
        return f"{_shortened(error)}: at most {error.validator_value} {LENGTHS[error.validator]}"
    return _shortened(error)


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(repr(name[:LONGEST_NAME]) for name in names[:MOST_NAMES])
    rest = len(names) - MOST_NAMES
    return f"{listed} and {rest} more" if rest > 0 else listed


def _shortened(error: ValidationError) -> str:
    """The message of the library, which begins with the value at fault at full length."""
    value, message = repr(error.instance), error.message
    if len(value) > LONGEST_VALUE and message.startswith(value):
        message = value[:LONGEST_VALUE] + "…" + message[len(value) :]
    return message[:300]
