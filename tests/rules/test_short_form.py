"""The short form of a ruleset, and what else a command takes for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from arena.cli.rulesets import read_ruleset
from arena.errors import BadInput
from arena.reference.examples import EXAMPLES
from arena.rules import resolve
from arena.rules.options import OPTIONS
from arena.rules.short_form import read_short_form, seated, short_form
from tests.rules.strategies import option_tables


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("pagat", {"preset": "pagat", "patches": []}),
        ("ru+kakumei+tens", {"preset": "ru", "patches": ["kakumei", "tens"]}),
        (
            "pagat+kakumei,shibari=kata,jokers=2,auto_clear=true",
            {
                "preset": "pagat",
                "patches": ["kakumei"],
                "options": {"shibari": "kata", "jokers": 2, "auto_clear": True},
            },
        ),
        (
            "pagat,forbidden_finish=eight+jack,kakumei_triples=3+9",
            {
                "preset": "pagat",
                "patches": [],
                "options": {"forbidden_finish": ["eight", "jack"], "kakumei_triples": ["3", "9"]},
            },
        ),
        (
            "pagat,forbidden_finish=,score_table=5+0+-1,max_set=auto",
            {
                "preset": "pagat",
                "patches": [],
                "options": {"forbidden_finish": [], "score_table": [5, 0, -1], "max_set": "auto"},
            },
        ),
        (
            "pagat,exchange=last:first:2:highest+first:last:2:any,first_lead=holder:D3",
            {
                "preset": "pagat",
                "patches": [],
                "options": {
                    "exchange": [["last", "first", 2, "highest"], ["first", "last", 2, "any"]],
                    "first_lead": "holder:D3",
                },
            },
        ),
    ],
)
def test_a_short_form_is_a_document_and_the_other_way_round(
    text: str, document: dict[str, Any]
) -> None:
    assert read_short_form(text) == document
    assert short_form(document) == text
    resolve({**document, "options": {}})


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_can_be_written_in_the_short_form(name: str) -> None:
    for value in (OPTIONS[name].default, EXAMPLES[name].options[name]):
        read = read_short_form(short_form({"preset": "pagat", "options": {name: value}}))
        values = OPTIONS[name].values
        assert values.check(name, read["options"][name]) == values.check(name, value)


@pytest.mark.slow
@given(option_tables())
def test_any_table_of_options_is_read_as_it_was_written(options: dict[str, Any]) -> None:
    document = {"preset": "pagat", "options": options}
    assert resolve(short_form(document)) == resolve(document)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pagat,jokers", "name=value"),
        ("pagat,=2", "name=value"),
        ("pagat,", "name=value"),
        ("pagat+jokers=2", "behind a comma"),
        ("pagat,jokers=two", "a whole number from 0 to 4"),
        ("pagat,kakumei=yes", "true or false"),
        ("pagat,shibary=full", "perhaps shibari"),
        ("", "a preset"),
    ],
)
def test_what_is_wrong_in_a_short_form_is_said(text: str, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        resolve(text)


def test_a_number_of_players_is_one_option_more() -> None:
    assert seated("pagat,jokers=2", 5)["options"] == {"jokers": 2, "players": 5}
    assert seated("pagat,players=3", None)["options"] == {"players": 3}


def test_a_ruleset_is_also_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"preset": "ru", "options": {"jokers": 2}}')
    (tmp_path / "mine.toml").write_text('preset = "ru"\n[options]\njokers = 2\n')
    for name in ("mine.json", "mine.toml"):
        assert resolve(read_ruleset(str(tmp_path / name))) == resolve("ru,jokers=2")


def test_of_a_session_file_the_ruleset_and_the_seats_are_read(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text('name = "Cup"\nseats = 5\nruleset = "pagat+kakumei"\n')
    assert resolve(read_ruleset(str(cup))) == resolve("pagat+kakumei,players=5")
    cup.write_text('name = "Cup"\nseats = 5\n[ruleset.options]\nplayers = 3\n')
    assert resolve(read_ruleset(str(cup))) == resolve("pagat,players=3")


def test_a_file_that_is_no_ruleset_is_refused(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    for text, expected in (
        ("preset = \n", "line 1"),
        ('presets = "ru"\n', "one of preset, patches, options"),
        ("ruleset = 3\n", "an object or a short form"),
    ):
        cup.write_text(text)
        with pytest.raises(BadInput, match=expected):
            resolve(read_ruleset(str(cup)))
    with pytest.raises(BadInput, match="readable"):
        read_ruleset(str(tmp_path / "nobody.toml"))
