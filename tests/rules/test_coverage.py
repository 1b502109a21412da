"""Every statement and every settled reading is played by a vector or a test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.reference import coverage_table, coverage_text, not_played
from arena.reference.coverage import (
    DECLARED,
    NOBODY,
    PLAYED,
    TEXT,
    Covered,
    claims_of_options,
    claims_of_tests,
    claims_of_vectors,
)
from arena.reference.inventory import STATEMENTS, Statement
from arena.reference.readings import readings

TESTS = Path(__file__).parents[1]
PLAIN = 'def test_one():\n    """rests: {ids}"""\n    {body}\n'


@pytest.mark.slow
def test_everything_is_played_or_marked_as_text() -> None:
    left = not_played(coverage_table(TESTS))
    assert not left, left


@pytest.mark.slow
def test_nobody_claims_an_id_that_is_not_in_the_inventory_or_among_the_readings() -> None:
    vectors = claims_of_vectors(TESTS / "rules" / "vectors.jsonl")
    claims = {*claims_of_options(), *vectors.playing, *vectors.idle}
    tests = claims_of_tests(TESTS)
    assert {*claims, *tests.playing, *tests.idle} <= {*STATEMENTS, *readings()}


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


def test_the_readings_are_those_of_the_page() -> None:
    assert {"AM-01", "OR-01", "C-1", "XV-go_tobi"} <= readings().keys()
    assert readings()["AM-27"].says == "Two or three jacks in one play reverse once."
    assert len({id_.partition("-")[0] for id_ in readings()}) == 4


@pytest.mark.parametrize(
    ("body", "plays"),
    [
        ("after(scene, 'A S3')", True),
        ("state = rules.decide(one, two)", True),
        ("helper()", True),
        ("other()", False),
        ("assert resolve('pagat')", False),
        ("assert 'decide'", False),
        ("pass  # decide", False),
    ],
)
def test_a_test_plays_if_it_or_a_function_that_it_names_calls_the_engine(
    body: str, plays: bool, tmp_path: Path
) -> None:
    helpers = "def helper():\n    return deeper()\ndef deeper():\n    evolve(s, e)\n"
    helpers += "def other():\n    return resolve('pagat')\n"
    text = PLAIN.format(ids="PG-01, AM-02 XV-go_tobi", body=body) + helpers
    (tmp_path / "test_it.py").write_text(text)
    claims = claims_of_tests(tmp_path)
    name = ("test_it.py::test_one",)
    wanted = {"PG-01": name, "AM-02": name, "XV-go_tobi": name}
    assert claims == ((wanted, {}) if plays else ({}, wanted))


def test_a_vector_that_asks_a_function_plays_nothing(tmp_path: Path) -> None:
    vectors = [
        {"id": "V1", "kind": "play", "rests": ["PG-01"]},
        {"id": "V2", "kind": "fn", "rests": ["PG-01", "PG-02"]},
        {"id": "V3", "kind": "legal", "rests": ["PG-03"]},
    ]
    path = tmp_path / "vectors.jsonl"
    path.write_text("\n".join(map(json.dumps, vectors)))
    claims = claims_of_vectors(path)
    assert claims.playing == {"PG-01": ("V1",), "PG-03": ("V3",)}
    assert claims.idle == {"PG-01": ("V2",), "PG-02": ("V2",)}


@pytest.mark.parametrize(
    ("rule", "claims", "status"),
    [
        (True, {"vectors": ("V1",)}, PLAYED),
        (True, {"tests": ("t",)}, PLAYED),
        (True, {"options": ("o",)}, DECLARED),
        (True, {"idle": ("t",)}, DECLARED),
        (True, {}, NOBODY),
        (False, {"options": ("o",)}, TEXT),
    ],
)
def test_what_an_option_or_an_idle_test_claims_is_only_declared(
    rule: bool, claims: dict[str, tuple[str, ...]], status: str
) -> None:
    empty: dict[str, tuple[str, ...]] = dict.fromkeys(("options", "vectors", "tests", "idle"), ())
    row = Covered("PG-99", "says", rule, **(empty | claims))
    assert row.status == status
    assert not_played([row]) == (["PG-99"] if status in (DECLARED, NOBODY) else [])


@pytest.mark.slow
def test_the_table_names_options_vectors_and_tests_and_the_command_ends_with_0() -> None:
    text = coverage_text(coverage_table(TESTS), with_tests=True)
    assert re.search(r"^PG-56 +played +V.*; option kakumei_timing", text, re.MULTILINE)
    assert "test_fixed.py::" in text
    assert re.search(r"\d+ played, 5 texts without a rule; not played: none\n$", text)
    command = ["rules", "coverage", "--tests", str(TESTS), "--json"]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    assert done.return_value == 0
    assert {row["status"] for row in json.loads(done.stdout)} == {PLAYED, TEXT}


def test_the_command_fails_and_names_what_is_not_played(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PLAIN.format(ids="PG-01", body="after(scene, 'A S3')"))
    command = ["rules", "coverage", "--tests", str(tmp_path)]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    assert done.return_value == 1
    last = done.stdout.splitlines()[-1]
    assert "1 played" in last
    assert " PG-02 " in last.partition("not played:")[2]
    assert " PG-01 " not in last.partition("not played:")[2]


def test_without_the_folder_of_tests_nothing_is_called_not_played() -> None:
    """PG-07 has no option of its own: a test rests on it."""
    text = coverage_text(coverage_table(), with_tests=False)
    assert "played" not in text.splitlines()[-1]
    assert re.search(r"^PG-07 +no option", text, re.MULTILINE)
    assert re.search(r"readings, without an option: (?:\S+ )*PG-07 ", text)
    assert text.endswith("(--tests FOLDER looks for vectors and tests too)\n")
    done = CliRunner().invoke(group, ["rules", "coverage"], standalone_mode=False)
    assert done.return_value == 0


def test_without_the_folder_of_tests_the_table_still_has_the_options() -> None:
    rows = {row.id: row for row in coverage_table()}
    assert "shibari" in rows["PG-74"].options
    assert rows["PG-74"].vectors == rows["PG-74"].tests == ()
