"""The page on errors has every problem and every reason, in the words of the table."""

from __future__ import annotations

import json
import re

import pytest

from arena.errors import Reason
from arena.web.api.problems import TABLE, Code, Problem
from tests.manual.pages import ROOT, headings, rows, section, text

PAGE = ROOT / "arena" / "manual" / "errors.md"


def test_each_code_has_a_section_in_the_order_of_the_table() -> None:
    assert headings(PAGE)[1:] == [*map(str, Code), "Reasons"]


@pytest.mark.parametrize("code", Code)
def test_a_section_says_what_it_means_what_to_do_and_why(code: Code) -> None:
    entry, words = TABLE[code], " ".join(section(PAGE, code).split())
    for part in (f"**{entry.status}, {entry.title}.**", entry.meaning, entry.advice):
        assert part in words
    assert len(words.partition("Why: ")[2]) > 40


def test_each_reason_of_the_rules_is_explained_in_their_order() -> None:
    table = rows(section(PAGE, "Reasons"))
    assert [row[0] for row in table] == [f"`{reason}`" for reason in Reason]
    assert all(len(cell) > 5 for row in table for cell in row)


def test_the_document_that_is_shown_is_one() -> None:
    block = re.findall(r"^```json problem\n(.*?)^```", text(PAGE), re.MULTILINE | re.DOTALL)[0]
    shown = json.loads(block)
    problem = Problem(Code(shown["code"]), shown["detail"])
    assert problem.document(shown["instance"]) == shown
