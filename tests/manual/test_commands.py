"""The page on the command line names every command, and says truly which of them print JSON."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.main import COMMANDS, group
from tests.manual.pages import ROOT, rows, section

PAGE = Path(ROOT / "arena" / "manual" / "commands.md")
WITHOUT_JSON = {
    *(("house",), ("serve",), ("session", "records"), ("rules", "coverage")),
    *(("rules", "reference"), ("play",)),
}
"""What prints nothing, logs, JSON Lines, or documents of its own; what is a conversation."""


def leaves(name: str) -> dict[tuple[str, ...], click.Command]:
    """A command, or those of a group, by their words."""
    context = click.Context(group)
    command = group.get_command(context, name)
    assert command is not None
    if isinstance(command, click.Group):
        return {(name, sub): each for sub, each in command.commands.items()}
    return {(name,): command}


def test_every_command_has_its_line() -> None:
    named = [row[0].strip("`") for row in rows(section(PAGE, "Commands"))]
    assert named == [f"arena {name}" for name in sorted(COMMANDS)]


def test_every_command_that_tells_something_prints_json_for_programs() -> None:
    commands = {words: each for name in COMMANDS for words, each in leaves(name).items()}
    without = {
        words
        for words, each in commands.items()
        if not any("--json" in param.opts for param in each.params)
    }
    assert without <= WITHOUT_JSON
