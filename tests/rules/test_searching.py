"""Finding a rule by kanji, reading, English name or words; and what is shown of it."""

from __future__ import annotations

import json

import pytest

from arena.errors import BadInput
from arena.reference import find, guesses, name_data, name_text, rules_list, rules_list_data
from arena.reference.entries import entries
from arena.rules.options import OPTIONS
from arena.rules.patches import patch_names
from arena.rules.presets import PRESETS


@pytest.mark.parametrize(
    ("query", "option"),
    [
        ("5飛び", "go_tobi"),
        ("５飛び", "go_tobi"),
        ("五飛び", "go_tobi"),
        ("5スキップ", "go_tobi"),
        ("8切り", "hachi_giri"),
        ("八切り", "hachi_giri"),
        ("hachigiri", "hachi_giri"),
        ("HACHI-GIRI", "hachi_giri"),
        ("eight cut", "hachi_giri"),
        ("砂嵐", "sunaarashi"),
        ("sandstorm", "sunaarashi"),
        ("kyukyusha", "kyukyusha"),
        ("kyūkyūsha", "kyukyusha"),
        ("kyuukyuusha", "kyukyusha"),
        ("Jバック", "jack_back"),
        ("jばっく", "jack_back"),
        ("J-back", "jack_back"),
        ("はちぎり", "hachi_giri"),
        ("ハチギリ", "hachi_giri"),
        ("しばり", "shibari"),
        ("じゅうすて", "ten_discard"),
        ("きゅうきゅうしゃ", "kyukyusha"),
        ("げこくじょう", "gekokujo"),
        ("みやこおち", "miyako_ochi"),
        ("さいきょうかいだん", "top_sequence_clears"),
        ("いれぶんばっく", "jack_back"),
        ("revolution", "kakumei"),
        ("gekokujou", "gekokujo"),
        ("都落ち", "miyako_ochi"),
        ("skips the next player", "go_tobi"),
        ("turns the direction", "kyu_reverse"),
        ("players at the table", "players"),
        ("auto_clear", "auto_clear"),
    ],
)
def test_an_option_is_found_first_by_any_of_its_names_or_by_words(query: str, option: str) -> None:
    assert find(query)[0].name == option


@pytest.mark.slow
def test_every_preset_patch_and_option_is_found_by_each_of_its_names() -> None:
    for entry in entries():
        for name in filter(None, (entry.name, entry.kanji, entry.reading, *entry.also)):
            assert entry in find(name), name


def test_all_words_have_to_be_there() -> None:
    assert find("skips elephant") == []
    assert find("") == []
    assert find(" - ") == []


def test_a_query_that_finds_nothing_is_answered_by_names_that_are_like_it() -> None:
    assert find("hachigirri") == []
    assert "hachi_giri" in guesses("hachigirri")
    assert guesses("xqxqxq") == []


def test_the_list_has_kanji_reading_values_default_and_a_sentence_of_every_option() -> None:
    text = rules_list()
    for option in OPTIONS.values():
        head = f"  {option.name}" + (
            f"  {option.kanji}, {option.reading}\n" if option.kanji else "\n"
        )
        assert f"{head}      {option.says}\n      {option.values.text()}; default " in text
    assert "one of off, one, per_card; default off\n" in text


def test_the_list_has_a_sentence_of_every_preset_and_patch() -> None:
    text = rules_list()
    for name, preset in PRESETS.items():
        assert f"  {name}\n      {preset.says}\n" in text
    for name, patch in patch_names():
        assert f"  {name}" in text
        assert f"      {patch.says}\n" in text


def test_the_list_as_data_has_the_same_names() -> None:
    data = json.loads(json.dumps(rules_list_data()))
    assert [p["name"] for p in data["presets"]] == list(PRESETS)
    assert [p["name"] for p in data["patches"]] == [name for name, _ in patch_names()]
    options = {option["name"]: option for option in data["options"]}
    assert list(options) == list(OPTIONS)
    assert options["go_tobi"]["kanji"] == "5飛び"
    assert options["go_tobi"]["default"] == "off"


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_shown_with_values_default_uses_and_an_example(name: str) -> None:
    text, option = name_text(name), OPTIONS[name]
    for part in (option.says, f"values: {option.values.text()}", "default: ", "Example: "):
        assert part in text
    assert "`" not in text
    assert option.kanji in text
    data = json.loads(json.dumps(name_data(name)))
    assert data["name"] == name
    assert data["schema"] == json.loads(json.dumps(option.values.schema()))


def test_the_uses_of_an_option_are_presets_and_patches() -> None:
    data = name_data("go_tobi")
    assert isinstance(data, dict)
    assert data["used_by"]["house"] == data["used_by"]["local.go_tobi"] == "per_card"


def test_a_patch_is_shown_by_its_name_with_or_without_the_prefix() -> None:
    assert "Three 9s" in name_text("coup") == name_text("local.coup")
    both = name_text("tens")
    assert "pagat.tens" in both
    assert "ru.tens" in both
    data = name_data("coup")
    assert isinstance(data, list)
    assert data[0]["sets"] == {"kakumei_triples": ["9"]}


def test_an_unknown_name_is_answered_by_the_nearest_and_the_presets() -> None:
    with pytest.raises(BadInput, match="perhaps go_tobi or ten_tobi; presets are pagat"):
        name_text("go_tobbi")
    with pytest.raises(BadInput, match="presets are pagat"):
        name_text("hearts")
