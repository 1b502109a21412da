"""What benchmarks share: a table of figures, notes below it, numbers with commas between."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click
from tabulate import tabulate

from arena import CORE
from arena.errors import BadInput

PATCHED = "pagat+kakumei+hachi_giri+shibari"
"""The ruleset of benchmarks unless another is asked for."""


def numbers(name: str, text: str) -> list[int]:
    """Whole numbers above 0, in ascending order, from text with commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise BadInput(name, text, "whole numbers with commas between them: 1000,10000")
    return sorted(int(part) for part in parts)


def show(heads: tuple[str, ...], rows: Sequence[tuple[object, ...]], *, as_json: bool) -> None:
    """A table and the core that was measured, or a list of objects that name it."""
    if as_json:
        named = (*heads, "core")
        objects = [dict(zip(named, (*row, CORE.name), strict=True)) for row in rows]
        click.echo(json.dumps(objects, indent=2))
    else:
        click.echo(tabulate(rows, headers=heads, floatfmt=",.2f", intfmt=","))
        click.echo(f"core: {CORE}")


def note(text: str, as_json: bool) -> None:
    """A line below a table."""
    if not as_json:
        click.echo(text)
