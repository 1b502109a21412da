"""A JSON Schema validator whose work is bounded by the faults that are asked for, not by the body.

`jsonschema` yields errors one by one, but some keywords inspect everything first: `anyOf` collects
all errors of all alternatives, `additionalProperties` names every unknown member, `uniqueItems`
compares each entry with each other, `enum` calls a function for each value, and `items` goes
through a thousand good entries to find the bad one. Here they ask a quick validator first and stop
early. Which bodies are valid stays the same (but for `$` in patterns, which is the end as the
standard has it): a property test holds the two together. This module may not know any schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

IsValid = Callable[[Any, Any], bool]
"""Does a value fit a schema? (schema, value) -> bool, at once and without reasons."""
Errors = Iterator[ValidationError]
UNIQUE: Mapping[str, Any] = {"uniqueItems": True}


def quick_parts(schema: Any) -> Iterator[Any]:
    """Every schema inside a schema that the bounded validator asks the quick one for."""
    if isinstance(schema, Mapping):
        for keyword, inner in schema.items():
            if keyword == "items" and isinstance(inner, Mapping):
                yield inner
            elif keyword == "anyOf":
                yield from inner
            yield from quick_parts(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from quick_parts(inner)


def bounded_validator(is_valid: IsValid) -> type[Validator]:
    """The validator class. is_valid: asked for `UNIQUE` and for what `quick_parts` finds."""

    def entries(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
        if not isinstance(subschema, Mapping):
            yield from Draft202012Validator.VALIDATORS["items"](
                validator, subschema, instance, schema
            )
        elif isinstance(instance, list) and not _too_long(instance, schema):
            first = len(schema.get("prefixItems", ()))
            for index, entry in enumerate(instance[first:], first):
                if not is_valid(subschema, entry):
                    yield from validator.descend(instance=entry, schema=subschema, path=index)

    def alternatives(validator: Any, subschemas: Any, instance: Any, schema: Any) -> Errors:
        if not any(is_valid(subschema, instance) for subschema in subschemas):
            yield ValidationError(f"{instance!r} is not valid under any of the given schemas")

    def unique(validator: Any, wanted: bool, instance: Any, schema: Any) -> Errors:
        is_checked = wanted and isinstance(instance, list) and not _too_long(instance, schema)
        if is_checked and not is_valid(UNIQUE, instance):
            yield ValidationError(f"{instance!r} has non-unique elements")

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Errors:
        if isinstance(instance, str) and not re.search(_to_the_end(wanted), instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
        if allowed is not False or "patternProperties" in schema:
            keyword = Draft202012Validator.VALIDATORS["additionalProperties"]
            yield from keyword(validator, allowed, instance, schema)
        elif isinstance(instance, dict):
            known = schema.get("properties", {})
            if any(name not in known for name in instance):
                yield ValidationError("it has members that are not known")

    def one_of(validator: Any, values: Any, instance: Any, schema: Any) -> Errors:
        if not isinstance(instance, str):  # 1 and true are not equal in JSON
            yield from Draft202012Validator.VALIDATORS["enum"](validator, values, instance, schema)
        elif instance not in values:
            yield ValidationError(f"{instance!r} is not one of {values!r}")

    changed = {
        "enum": one_of,
        "items": entries,
        "anyOf": alternatives,
        "uniqueItems": unique,
        "pattern": pattern,
        "additionalProperties": additional,
    }
    validator: type[Validator] = extend(Draft202012Validator, changed)  # type: ignore[no-untyped-call]
    return validator


def _to_the_end(pattern: str) -> str:
    """A pattern of JSON Schema as Python reads it, whose `$` also matches before a last newline."""
    return f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern


def _too_long(instance: list[Any], schema: Any) -> bool:
    """Has a list more entries than it may have? Then that is the fault, and not what is in it."""
    return "maxItems" in schema and len(instance) > int(schema["maxItems"])
