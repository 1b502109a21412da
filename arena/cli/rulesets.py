"""A ruleset on the command line, for every command that takes one: its short form, or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.errors import BadInput

HELP = "preset+patch,option=value or a TOML or JSON file."
SUFFIXES = (".toml", ".json")
F = TypeVar("F", bound=Callable[..., Any])

RulesetDocument = Mapping[str, Any]


def read_ruleset(text: str) -> RulesetDocument:
    """The document of a short form, or of a file: a ruleset, or a session with a `ruleset`.

    The seats of a session are the ruleset's players. Raises `BadInput`.
    """
    from arena.cli.documents import read_document
    from arena.rules.short_form import read_short_form, seated

    path = Path(text)
    if path.suffix not in SUFFIXES:
        return read_short_form(text)
    document = read_document(path)
    if "ruleset" not in document:
        return document
    ruleset = document["ruleset"]
    if not isinstance(ruleset, Mapping | str):
        raise BadInput("ruleset", ruleset, "an object or a short form")
    plain = seated(ruleset, None)
    fixed = "players" in plain.get("options", {})
    return seated(plain, None if fixed else document.get("seats"))


def is_ruleset(text: str) -> bool:
    """Is this a ruleset, in short form or by its file, and no name of an option or patch?"""
    from arena.rules.presets import PRESETS

    return text in PRESETS or any(mark in text for mark in "+,") or Path(text).suffix in SUFFIXES


class RulesetType(click.ParamType[RulesetDocument]):
    """What `--ruleset` takes; whether its names exist is checked when it is resolved."""

    name = "ruleset"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> RulesetDocument:
        """The document; a document stays as it is."""
        return read_ruleset(value) if isinstance(value, str) else value


RULESET = RulesetType()


def ruleset_option(default: str) -> Callable[[F], F]:
    """`--ruleset`, with the short form that it is if left out."""
    return click.option("--ruleset", type=RULESET, default=default, show_default=True, help=HELP)


def rulesets_option(command: F) -> F:
    """`--ruleset`, any number of times, as the parameter `rulesets`."""
    words = f"{HELP} May be given again."
    return click.option("--ruleset", "rulesets", type=RULESET, multiple=True, help=words)(command)
