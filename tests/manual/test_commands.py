"""The page on the command line names every command, and says truly which of them print JSON."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.main import COMMANDS, TOPICS, group
from arena.manual import PAGES
from tests.manual.pages import ROOT, rows, section

PAGE = Path(ROOT / "arena" / "manual" / "commands.md")
WITHOUT_JSON = {
    *(("house",), ("serve",), ("session", "records"), ("rules", "coverage")),
    *(("rules", "reference"), ("play",), ("mcp",)),
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


OWN_PAGES = {"session digest": "stamping", "session proof": "stamping"}
"""Commands of a group that are explained elsewhere than the group."""


def test_the_help_of_every_command_ends_with_a_page_of_the_manual() -> None:
    assert TOPICS.keys() <= COMMANDS.keys()
    topics = {page.topic for page in PAGES}
    for name in COMMANDS:
        for words, command in leaves(name).items():
            said = command.get_help(click.Context(command))
            last = said.strip().splitlines()[-1].strip()
            topic = OWN_PAGES.get(" ".join(words), TOPICS.get(name, "commands"))
            assert last == f"More in the manual:  arena manual {topic}", words
            assert last.split()[-1] in topics
            assert said.count("More in the manual") == 1
