"""Variants that are no options: what whoever looks for one is told, and patches that add up."""

from __future__ import annotations

import pytest

from arena.reference import find, find_absent
from arena.reference.readings import absent
from arena.rules import resolve
from arena.rules.options import OPTIONS


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("栗拾い", "question"),
        ("kuri-hiroi", "question"),
        ("サルベージ", "question"),
        ("sarubeji", "question"),
        ("reveal", "event"),
        ("強見せ", "event"),
        ("どかん", "silence"),
        ("countdown", "pass"),
        ("double runs", "melds"),
        ("切り札", "order"),
        ("伏せ交換", "Chance"),
    ],
)
def test_who_looks_for_a_variant_that_is_no_option_is_told_why(query: str, word: str) -> None:
    assert find(query) == []
    (row,) = find_absent(query)
    assert word in row.why


def test_nothing_is_found_for_no_words_or_nonsense() -> None:
    assert find_absent("") == find_absent("-") == find_absent("xqxqxq") == []


def test_no_variant_is_both_an_option_and_none() -> None:
    called = {name for option in OPTIONS.values() for name in (option.kanji, *option.also)}
    rows = absent()
    assert len(rows) > 10
    assert [name for row in rows for name in row.names.split(", ") if name in called] == []


@pytest.mark.parametrize(
    ("short", "option", "values"),
    [
        ("pagat+even_only+hot_milk", "restrict", ("even", "hot_milk")),
        ("pagat+eight_return+ten_return", "eight_answers", ("eight", "ten")),
        ("pagat+tepodon+tenho", "instant_wins", ("tenho", "tepodon")),
        ("pagat+nero+thief", "rob", ("thief", "nero")),
    ],
)
def test_patches_of_one_list_add_up(short: str, option: str, values: tuple[str, ...]) -> None:
    """rests: C-12"""
    assert resolve(short)[option] == values
