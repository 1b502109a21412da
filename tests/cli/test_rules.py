"""`arena rules`: list, find and show, for people and for programs; rulesets of other commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli.finals import read_session
from arena.cli.main import group
from arena.errors import BadInput
from arena.rules import compile_ruleset


def said(*words: str, code: int = 0) -> Result:
    """What a command prints that ends with this code."""
    done = CliRunner().invoke(group, [*words], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    assert (done.return_value or 0) == code, done.output
    return done


def data(*words: str) -> Any:
    return json.loads(said(*words, "--json").stdout)


def test_find_prints_what_a_rule_is_and_how_it_is_set() -> None:
    text = said("rules", "find", "5飛び").stdout
    assert text.startswith("option   go_tobi  5飛び, go-tobi\n")
    assert "local.go_tobi" in text
    assert data("rules", "find", "eight", "cut")[0]["name"] == "hachi_giri"


def test_what_is_not_found_is_said_with_a_guess_and_exit_code_1() -> None:
    done = said("rules", "find", "hachigirri", code=1)
    assert done.stdout == ""
    assert "hachi_giri" in done.stderr
    assert json.loads(said("rules", "find", "xqxqxq", "--json", code=1).stdout) == []


def test_the_list_is_for_people_or_for_programs() -> None:
    assert "one of off, one, per_card; default off" in said("rules", "list").stdout
    assert data("rules", "list").keys() == {"presets", "patches", "options"}


def test_show_takes_an_option_a_patch_a_ruleset_or_a_file(tmp_path: Path) -> None:
    assert "Example: " in said("rules", "show", "go_tobi").stdout
    assert "Three 9s" in said("rules", "show", "coup").stdout
    text = said(
        "rules", "show", "pagat+kakumei,shibari=kata", "--diff", "pagat,shibari=kata"
    ).stdout
    assert "kakumei  true" in text
    assert "  shibari " not in text
    cup = tmp_path / "cup.toml"
    cup.write_text('name = "Cup"\nruleset = "house,jokers=1"\n')
    shown = data("rules", "show", str(cup))
    assert shown["fingerprint"] == compile_ruleset("house,jokers=1").fingerprint
    assert data("rules", "show", "go_tobi")["values"] == "one of off, one, per_card"


def test_the_preset_of_a_name_comes_before_its_option_or_patch() -> None:
    assert "fingerprint" in data("rules", "show", "house")


def test_an_option_cannot_be_compared_with_a_ruleset() -> None:
    with pytest.raises(BadInput, match="preset"):
        said("rules", "show", "go_tobi", "--diff", "pagat")


def test_an_unknown_patch_is_one_line_with_the_nearest_first() -> None:
    with pytest.raises(BadInput) as caught:
        said("rules", "show", "pagat+hachigiri")
    assert len(str(caught.value)) < 200
    assert "perhaps hachi_giri" in str(caught.value)


@pytest.mark.slow
def test_other_commands_read_the_same_forms(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"preset": "ru", "options": {"jokers": 2}}')
    form = ("bench", "engine", "--hands", "20", "--json", "--ruleset")
    for ruleset in ("ru,jokers=2", str(tmp_path / "mine.json")):
        assert said(*form, ruleset).stdout.count("ru,jokers=2") == 1
    with pytest.raises(BadInput, match="perhaps jokers"):
        said(*form, "ru,joker=2")


def test_a_session_file_may_have_its_ruleset_in_short_form(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text('name = "Cup"\nruleset = "school,session_end=hands:3"\n')
    written = {"preset": "school", "patches": [], "options": {"session_end": "hands:3"}}
    assert read_session(cup)["ruleset"] == written
    assert data("schedule", str(cup), "--bots", "8")
