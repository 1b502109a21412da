"""Manual and pages for operators: the links, commands and tests that they name exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arena.cli.main import group
from tests.manual.pages import (
    DEPLOY,
    FENCED,
    MANUAL,
    PAGES,
    ROOT,
    anchors,
    functions,
    named,
    rows,
    section,
    text,
)

SECURITY = ROOT / "arena" / "manual" / "security.md"
LONGEST = 250
TEST_ID = re.compile(r"tests/[\w/]+\.py::\w+(?:::\w+)?")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", text(page)):
        if "://" in link:
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", MANUAL + DEPLOY, ids=named)
def test_no_page_is_too_long(page: Path) -> None:
    assert len(text(page).splitlines()) <= LONGEST


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_test_that_is_named_exists(page: Path) -> None:
    for one in TEST_ID.findall(text(page)):
        place, _, name = one.partition("::")
        assert (ROOT / place).is_file(), one
        assert name in functions(ROOT / place), one


def test_every_line_of_the_threat_model_has_a_test() -> None:
    lines = rows(section(SECURITY, "The threat model, and what holds each line"))
    assert len(lines) >= 20
    for threat, defence, tests in lines:
        assert threat
        assert defence
        assert TEST_ID.search(tests), threat


def test_the_page_on_security_says_what_people_look_for() -> None:
    heads = re.findall(r"^## (.+)$", text(SECURITY), re.MULTILINE)
    for wanted in ("What is promised", "What is not promised", "How to report"):
        assert wanted in heads
    assert "Open registration proves nothing about persons" in text(SECURITY)


def commands(page: Path) -> Iterator[list[str]]:
    """The lines of code blocks that call `arena`, as words."""
    indented = re.findall(r"^    (.*)$", text(page), re.MULTILINE)
    fenced = re.findall(r"^```sh\w*.*?\n(.*?)^```", text(page), re.MULTILINE | re.DOTALL)
    for line in (*indented, *(line for block in fenced for line in block.splitlines())):
        found = re.search(r"(?:^|[ /])arena ([a-z].*)$", line.partition("  #")[0])
        if found:
            yield shlex.split(found.group(1))


def called(words: list[str]) -> click.Command:
    """The command that words begin with; they are taken away."""
    command: click.Command | None = group
    while isinstance(command, click.Group):
        assert words, f"no command of {command.name}"
        name = words.pop(0)
        command = command.get_command(click.Context(command), name)
        assert command is not None, name
    assert command is not None
    return command


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_is_one_with_its_options(page: Path) -> None:
    for words in commands(page):
        command = called(words)
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, (command.name, words)


@pytest.mark.parametrize("page", DEPLOY, ids=named)
def test_every_file_for_operators_that_is_named_exists(page: Path) -> None:
    for name in re.findall(r"arena/deploy/([\w@.-]+\.[\w-]+)", text(page)):
        assert (ROOT / "arena" / "deploy" / name).is_file(), name


INLINE = re.compile(r"`arena ([a-z][^`]*)`", re.DOTALL)
PLACEHOLDER = re.compile(r"[A-Z]{4,}|\.\.\.|…")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_in_a_sentence_is_one_with_its_options(page: Path) -> None:
    """Names in capitals stand for something; a group may be named without a command of it."""
    prose = FENCED.sub("", text(page))
    for said in INLINE.findall(prose):
        words = said.replace("\n", " ").split()
        if PLACEHOLDER.fullmatch(words[0]):
            continue
        command, context = group.get_command(click.Context(group), words[0]), click.Context(group)
        assert command is not None, said
        if isinstance(command, click.Group) and len(words) > 1 and words[1][0] != "-":
            command = command.get_command(context, words[1])
            assert command is not None, said
        known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
        known |= {"--help", "--yes"} if isinstance(command, click.Group) else {"--help"}
        named_options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert named_options <= known, said


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_module_that_is_run_exists(page: Path) -> None:
    for name in re.findall(r"python -m ((?:tests|arena)[\w.]+)", text(page)):
        place = ROOT.joinpath(*name.replace("arena.sample_bots", "sample_bots").split("."))
        assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), name
