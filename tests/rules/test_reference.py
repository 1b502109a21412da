"""The reference, the lists and the schema of rulesets are those of the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from arena.errors import BadInput
from arena.reference import (
    reference,
    rules_data,
    rules_list,
    rules_show,
    ruleset_schema,
    ruleset_schema_text,
    settings,
)
from arena.reference.document import FAMILIES, option_section
from arena.reference.entries import TEXT, option_entry
from arena.reference.examples import EXAMPLES
from arena.reference.interactions import INTERACTIONS
from arena.reference.schema import FILE
from arena.rules import resolve
from arena.rules.options import FAMILY, OPTIONS
from arena.rules.patches import PATCHES
from arena.rules.presets import PRESETS

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(ruleset_schema())
    return jsonschema.Draft202012Validator(ruleset_schema())


def test_every_family_of_options_has_a_heading() -> None:
    assert FAMILIES.keys() == set(FAMILY.values())


def test_the_schema_file_regenerates_to_itself() -> None:
    kept = (SCHEMAS / FILE).read_text(encoding="utf-8")
    assert kept.splitlines() == ruleset_schema_text().splitlines()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_schema_takes_every_patch_with_and_without_its_prefix(
    preset: str, schema: jsonschema.Draft202012Validator
) -> None:
    document = PRESETS[preset].document
    for patch in PATCHES.get(document, {}):
        for name in (patch, f"{document}.{patch}"):
            schema.validate({"preset": preset, "patches": [name]})
            resolve({"preset": preset, "patches": [name]})


@pytest.mark.parametrize("name", OPTIONS)
def test_the_schema_takes_the_values_that_the_catalogue_takes(
    name: str, schema: jsonschema.Draft202012Validator
) -> None:
    for value in (OPTIONS[name].default, EXAMPLES[name].options[name]):
        plain = json.loads(json.dumps(value))
        schema.validate({"options": {name: plain}})
        OPTIONS[name].values.check(name, plain)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_schema_refuses_what_the_catalogue_refuses(
    name: str, schema: jsonschema.Draft202012Validator
) -> None:
    for value in ("no such value", None, 12345, [["x"]]):
        assert not schema.is_valid({"options": {name: value}})
        with pytest.raises(BadInput, match=name):
            OPTIONS[name].values.check(name, value)


@pytest.mark.parametrize(
    "document",
    [
        {"preset": "nobody"},
        {"patches": ["nothing"]},
        {"preset": "denexa", "patches": ["kakumei"]},
        {"patches": ["forfeits"]},
        {"options": {"kakumai": True}},
        {"rules": "pagat"},
    ],
)
def test_the_schema_refuses_unknown_names(
    document: dict[str, object], schema: jsonschema.Draft202012Validator
) -> None:
    assert not schema.is_valid(document)
    with pytest.raises(BadInput):
        resolve(document)


def test_the_reference_tells_of_every_option_preset_and_patch() -> None:
    page = reference()
    for name, option in OPTIONS.items():
        assert f"#### `{name}`" in page
        assert option.says in page
    assert all(f"### `{preset}`" in page for preset in PRESETS)
    assert all(f"`{doc}.{patch}`" in page for doc, patches in PATCHES.items() for patch in patches)


def test_a_section_has_names_values_default_ids_uses_interactions_and_an_example() -> None:
    section = "\n".join(option_section(OPTIONS["hachi_giri"]))
    for part in (
        "八切り, hachi-giri",
        "values: true or false",
        "default: `false`",
        "PG-91",
        "dqx `true`",
        "with `kakumei`: 8-8-8-8 does both",
        "A  S8                 「八切り」 hachi_giri: cleared; A leads",
        "With `hachi_giri` false instead",
    ):
        assert part in section


def test_interactions_name_options() -> None:
    assert {name for meeting in INTERACTIONS for name in meeting.options} <= OPTIONS.keys()


@pytest.mark.parametrize("name", ["loser", "forfeits"])
def test_what_is_only_a_text_is_listed_as_such(name: str) -> None:
    """rests: OR-67"""
    assert f"- {TEXT}" in option_section(OPTIONS[name])
    assert TEXT in option_entry(OPTIONS[name]).setting
    assert option_entry(OPTIONS[name]).data()["text"] is True
    assert "text" not in option_entry(OPTIONS["kakumei"]).data()


def test_a_section_says_what_an_option_needs() -> None:
    section = option_section(OPTIONS["sequence_wrap"])
    assert "- needs: sequence_twos on" in section
    assert "- needs: sequence_min 3 or less" in section


def test_a_ruleset_is_shown_with_what_is_off_the_default() -> None:
    text = rules_show("pagat+kakumei")
    assert "* kakumei " in text
    assert "  shibari " in text
    assert len(settings("pagat+kakumei")) == len(OPTIONS)


def test_two_rulesets_are_compared_option_by_option() -> None:
    found = settings("pagat+kakumei+shibari", diff="pagat")
    assert {(s.option, s.value, s.other) for s in found} == {
        ("kakumei", True, False),
        ("shibari", "full", "off"),
    }
    assert "no difference" in rules_show("pagat", diff="qcsalon_forum")


def test_a_ruleset_is_also_shown_as_data() -> None:
    data = rules_data("ru", diff="pagat")
    assert data["options"]["trick"] == "one_lap"
    assert data["diff"]["trick"] == ["one_lap", "unbeaten"]
    assert json.loads(json.dumps(data)) == data


def test_the_list_names_everything() -> None:
    text = rules_list()
    assert all(name in text for name in (*PRESETS, *OPTIONS, "pagat.kakumei_run5", "ru.tens"))


def test_what_is_no_ruleset_is_refused_with_what_was_expected() -> None:
    with pytest.raises(BadInput, match="pagat"):
        rules_show("pagatt")
