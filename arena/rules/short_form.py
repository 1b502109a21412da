"""The short form of a ruleset document: ``pagat+kakumei+shibari,jokers=2,forbidden_finish=eight``.

A preset, patches joined by ``+``, and single options behind commas. Values are written plainly:
words and numbers, ``true`` and ``false``, the members of a list joined by ``+``, and each step of
an exchange program with colons: ``exchange=last:first:1:highest+first:last:1:any``. Nothing after
``=`` is an empty list. Every command and every document that takes a ruleset in one line reads it
here; whether names and values exist is checked when it is resolved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.errors import BadInput
from arena.rules.catalogue import Numbers, Program, Subset, Values, Words
from arena.rules.options import OPTIONS

FORM = "preset+patch+patch,option=value,option=value"
LITERALS = {"true": True, "false": False}


def read_short_form(text: str) -> dict[str, Any]:
    """The document of a short form. Raises `BadInput` for an option without name or value."""
    names, *settings = text.split(",")
    preset, *patches = names.split("+")
    for name in (preset, *patches):
        if "=" in name:
            raise BadInput("ruleset", text, f"options behind a comma: {FORM}")
    document: dict[str, Any] = {"preset": preset, "patches": patches}
    options = dict(_setting(text, setting) for setting in settings)
    return {**document, "options": options} if options else document


def short_form(document: Mapping[str, Any]) -> str:
    """The short form of a document; `read_short_form` gives an equal one."""
    names = "+".join([document.get("preset", "pagat"), *document.get("patches", ())])
    options = document.get("options", {})
    return ",".join([names, *(f"{name}={written(value)}" for name, value in options.items())])


def seated(document: Mapping[str, Any] | str, players: int | None) -> dict[str, Any]:
    """The document for a number of players; None leaves it as it is."""
    plain = read_short_form(document) if isinstance(document, str) else dict(document)
    if players is None:
        return plain
    return {**plain, "options": {**plain.get("options", {}), "players": players}}


def written(value: Any) -> str:
    """A value of an option as the short form has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "+".join(_member(member) for member in value)
    return str(value)


def _member(member: Any) -> str:
    """A member of a list: a word, a number, or a step of an exchange."""
    return ":".join(map(str, member)) if isinstance(member, list | tuple) else str(member)


def _setting(text: str, setting: str) -> tuple[str, Any]:
    """Name and value of ``name=value``."""
    name, equals, value = (part.strip() for part in setting.partition("="))
    if not name or not equals:
        raise BadInput("ruleset", text, f"options as name=value: {FORM}")
    option = OPTIONS.get(name)
    return name, _read(value, None if option is None else option.values)


def _read(value: str, values: Values | None) -> Any:
    """A value: of a kind of values where it is known, else what it looks like."""
    if isinstance(values, Subset | Words):
        return _members(value)
    if isinstance(values, Numbers):
        return [_plain(member) for member in _members(value)]
    if isinstance(values, Program) and (":" in value or not value):
        return [[_plain(part) for part in step.split(":")] for step in _members(value)]
    return _plain(value)


def _members(value: str) -> list[str]:
    return value.split("+") if value else []


def _plain(value: str) -> Any:
    """true, false, a whole number, or a word."""
    if value in LITERALS:
        return LITERALS[value]
    return int(value) if value.removeprefix("-").isdecimal() else value
