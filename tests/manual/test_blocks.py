"""Every fenced block of the manual is true: it is run, compared with what is real, or checked."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from arena.rules.events import CAUSES
from arena.session.config import TimeControl
from arena.web.api.problems import TABLE, Code
from arena.web.api.validation import Schemas, load_schemas
from tests.manual import exchanges, generated
from tests.manual.blocks import ADDRESS, NOT_RUN, Block, blocks, check_outputs, run_page
from tests.manual.pages import DEPLOY, MANUAL, README, ROOT, text

FOLLOWED = (
    *("first-bot", "any-language", "first-tournament", "class", "improve", "grading"),
    *("positions", "solving", "strong-bot", "language-models", "environments", "mock"),
    *("clusters", "stamping"),
)
"""Pages that a reader follows step by step, in a folder of his own."""
TRANSLATED = ("first-bot", "any-language", "uecda", "uecda-events")
LANGUAGES = {"sh", "bash", "python", "toml", "json", "http", "text", "csv", "js", "html", "yaml"}
ALL = [block for page in (README, *MANUAL, *DEPLOY) for block in blocks(page)]
FOLDER = ROOT / "arena" / "manual"


def of(*languages: str) -> list[Block]:
    return [block for block in ALL if block.language in languages]


def test_every_block_has_a_language_that_is_checked() -> None:
    assert [block.place for block in ALL if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("block", of("python"), ids=lambda block: block.place)
def test_python_is_python(block: Block) -> None:
    compile(block.text, block.place, "exec")


@pytest.mark.parametrize("block", of("toml"), ids=lambda block: block.place)
def test_toml_is_toml(block: Block) -> None:
    assert tomllib.loads(block.text)


@pytest.mark.server
@pytest.mark.skipif(
    not shutil.which("node") and "TESTS_NEED_SERVERS" not in os.environ,
    reason="no node, which knows JavaScript",
)
@pytest.mark.parametrize("block", of("js"), ids=lambda block: block.place)
def test_javascript_is_javascript(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "block.mjs"
    path.write_text(block.text, encoding="utf-8")
    subprocess.run(["node", "--check", path], check=True, timeout=60)


@cache
def schemas() -> Schemas:
    return load_schemas()


@pytest.mark.parametrize("block", of("json"), ids=lambda block: block.place)
def test_json_fits_the_schema_that_it_names(block: Block) -> None:
    documents = schemas().documents
    assert block.name in documents, f"{block.place} names no schema"
    assert schemas().faults(block.name, json.loads(block.text)) == []


@pytest.mark.slow
def test_the_exchanges_are_those_of_a_real_referee() -> None:
    made = exchanges.exchanges()
    shown = {block.name: block for block in of("http")}
    assert shown.keys() == made.keys()
    for name, block in shown.items():
        assert block.text == made[name], f"{block.place}: python -m tests.manual.exchanges"


@pytest.mark.slow
@pytest.mark.parametrize(("topic", "heading"), generated.TABLES, ids=lambda part: part)
def test_the_tables_are_those_that_follow_from_the_code(topic: str, heading: str) -> None:
    page = text(FOLDER / f"{topic}.md")
    rows = generated.TABLES[topic, heading]
    assert generated.with_table(page, heading, rows) == page, "python -m tests.manual.generated"


def test_the_protocol_names_every_problem_with_its_status() -> None:
    lines = text(FOLDER / "protocol.md").splitlines()
    for code in Code:
        line = next((line for line in lines if line.startswith("|") and f"`{code}`" in line), "")
        assert str(TABLE[code].status) in line, code


def test_the_page_on_clocks_names_every_cause_and_every_figure() -> None:
    page = text(FOLDER / "clocks.md")
    for name in (*CAUSES, *(field.name for field in fields(TimeControl))):
        assert f"`{name}`" in page, name
    for field in fields(TimeControl):
        assert f"| `{field.name}` |" in page
        assert f"| {field.default:,} |" in page, field.name


@pytest.mark.server
@pytest.mark.parametrize("topic", FOLLOWED)
def test_a_page_can_be_followed_word_for_word(topic: str, tmp_path: Path) -> None:
    page = FOLDER / f"{topic}.md"
    check_outputs(page, run_page(page, tmp_path))


@pytest.mark.parametrize("topic", FOLLOWED)
def test_what_is_not_run_installs_something_or_needs_another_machine(topic: str) -> None:
    for block in blocks(FOLDER / f"{topic}.md"):
        if block.language == "sh" and block.name == NOT_RUN:
            wanted = ("pip install", "arena.example", "ADDRESS", "./my_bot", "setup.sh", "freetsa")
            assert any(word in block.text for word in wanted), block.place
            assert ADDRESS not in block.text


@pytest.mark.parametrize("topic", TRANSLATED)
def test_a_translation_has_the_same_programs_and_outputs(topic: str) -> None:
    english, japanese = blocks(FOLDER / f"{topic}.md"), blocks(FOLDER / f"{topic}.ja.md")
    there = [(each.language, each.name, plain(each)) for each in japanese]
    assert there == [(each.language, each.name, plain(each)) for each in english]


def plain(block: Block) -> str:
    """The text of a block without what says in which language a hand is told."""
    return block.text.replace(" --language ja", "")


@pytest.mark.parametrize("topic", TRANSLATED)
def test_paragraphs_in_japanese_are_one_line(topic: str) -> None:
    """A line break would be shown as a blank between two characters."""
    prose = re.sub(r"^```.*?^```$", "", text(FOLDER / f"{topic}.ja.md"), flags=re.M | re.S)
    assert re.findall(r"^[^|#\n].*\n(?! *(?:-|\d+\.) )[^|#\n].*$", prose, re.MULTILINE) == []
