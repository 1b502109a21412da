"""Every statement of the documents is claimed by an option, a vector or a test."""

import re
from pathlib import Path

import pytest

from arena.reference import coverage_table, coverage_text
from arena.reference.coverage import claims_of_options, claims_of_tests, claims_of_vectors
from arena.reference.inventory import STATEMENTS, Statement

TESTS = Path(__file__).parents[1]


@pytest.mark.slow
def test_every_statement_is_claimed_or_marked_as_text() -> None:
    unclaimed = [f"{row.id} {row.says}" for row in coverage_table(TESTS) if not row.claimed]
    assert not unclaimed, "\n".join(unclaimed)


@pytest.mark.slow
def test_nobody_claims_a_statement_that_the_inventory_lacks() -> None:
    vectors = claims_of_vectors(TESTS / "rules" / "vectors.jsonl")
    claims = {*claims_of_options(), *vectors, *claims_of_tests(TESTS)}
    assert {id_ for id_ in claims if re.match("PG|DX|FO|RU", id_)} <= STATEMENTS.keys()


def test_only_statements_without_a_rule_are_marked_as_text() -> None:
    texts = [s.id for s in STATEMENTS.values() if not s.rule]
    assert texts == ["PG-00", "PG-105", "DX-00", "FO-02", "RU-00"]


def test_a_statement_has_an_id_and_one_sentence() -> None:
    assert STATEMENTS["PG-18"] == Statement(
        "PG-18",
        "exactly two shapes: holders of the losing one drop out (scissors>paper, rock>scissors, "
        "paper>rock), the rest repeat",
        True,
    )
    assert all(statement.says for statement in STATEMENTS.values())


@pytest.mark.slow
def test_the_table_of_claims_names_options_vectors_and_tests() -> None:
    text = coverage_text(TESTS)
    assert re.search("^PG-56 +kakumei_timing; V", text, re.MULTILINE)
    assert "test_fixed.py::" in text
    assert text.endswith("statements, unclaimed: none\n")


def test_without_the_folder_of_tests_nothing_is_called_unclaimed() -> None:
    """PG-07 has no option of its own: a test rests on it."""
    text = coverage_text()
    assert "unclaimed" not in text.lower()
    assert re.search(r"^PG-07 +\(no option\)", text, re.MULTILINE)
    assert re.search(r"^\d+ statements, without an option: (?:\S+ )*PG-07 ", text, re.MULTILINE)
    assert text.endswith("(--tests FOLDER looks for vectors and tests too)\n")


def test_without_the_folder_of_tests_the_table_still_has_the_options() -> None:
    rows = {row.id: row for row in coverage_table()}
    assert rows["PG-74"].options == ("shibari",)
    assert rows["PG-74"].vectors == rows["PG-74"].tests == ()
