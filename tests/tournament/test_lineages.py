"""Versions of a bot: which are of one lineage, in which order, and what each has gained."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.session.owners import owner_key
from arena.tournament.gaps import gap_between
from arena.tournament.lineages import Lineage, lineages, split_name, version_order
from arena.tournament.reporting.version_reports import versions_document, versions_text
from arena.tournament.standings import Entrant, Standings, compile_standings
from tests.tournament.simulation import hand

ENTRANTS = (
    Entrant("b1", "otter", "Ann"),
    Entrant("b2", "otter@1.10", "ann"),
    Entrant("b3", "otter@1.9", "Ann"),
    Entrant("b4", "otter@2", "Bob"),
    Entrant("b5", "lynx@1", "Bob"),
    Entrant("b6", "lynx@2", "Bob"),
    Entrant("b7", "otter", ""),
)


def standings() -> Standings:
    """b1 to b5 have met, b6 has not played, and the better version wins more often."""
    bots = ("b1", "b3", "b2", "b5")
    hands = [
        hand(*(bots[::-1] if number % 3 else bots), block=f"t{number}") for number in range(12)
    ]
    return compile_standings(hands, ENTRANTS)


def found() -> tuple[Lineage, ...]:
    return lineages(standings(), owner_key)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("otter", ("otter", "")),
        ("otter@2", ("otter", "2")),
        ("otter@home@2", ("otter@home", "2")),
        ("@otter", ("@otter", "")),
        ("otter@", ("otter@", "")),
    ],
)
def test_a_version_stands_behind_the_last_at_sign(name: str, parts: tuple[str, str]) -> None:
    assert split_name(name) == parts


def test_numbers_in_versions_count_as_such_and_none_comes_first() -> None:
    assert version_order("9" * 5_000) < version_order("1" + "0" * 5_000)
    listed = ["2", "1.10", "", "1.9", "v10", "v9", "1.9-rc2"]
    assert sorted(listed, key=version_order) == ["", "1.9", "1.9-rc2", "1.10", "2", "v9", "v10"]


@given(st.text("0123456789.v"), st.text())
def test_any_two_versions_can_be_ordered(one: str, other: str) -> None:
    assert (version_order(one) < version_order(other)) != (
        version_order(other) <= version_order(one)
    )


def test_versions_of_one_owner_are_one_lineage_and_bots_without_an_owner_of_none() -> None:
    listed = [(e.name, [version.row.bot for version in e.versions]) for e in found()]
    assert listed == [("lynx", ["b5", "b6"]), ("otter", ["b1", "b3", "b2"])]


def test_a_change_is_the_gap_to_the_version_before_with_its_interval() -> None:
    (_, otter) = found()
    first, second, third = otter.versions
    assert first.change is None
    assert second.change is not None
    assert third.change is not None
    (group,) = standings().ratings.groups
    at = {bot: number for number, bot in enumerate(group.bots)}
    gap = gap_between(group, at["b2"], at["b3"], tail=0.025)
    assert (third.change.gap, third.change.low, third.change.high) == gap
    assert second.change.gap > 0
    assert second.change.superiority > 0.5


def test_a_version_that_is_not_rated_has_no_change() -> None:
    (lynx, _) = found()
    assert [version.change for version in lynx.versions] == [None, None]
    assert lynx.versions[1].row.elo is None


def test_an_end_of_an_interval_that_is_nowhere_is_null() -> None:
    hands = [hand("b1", "b3", block=f"t{number}") for number in range(5)]
    (otter,) = lineages(compile_standings(hands, ENTRANTS[:3:2]), owner_key)
    document = versions_document("", [otter])["lineages"]
    assert isinstance(document, list)
    second = document[0]["versions"][1]
    assert (second["bound"], second["elo_error"]) == ("upper", None)
    assert None in (second["change_low_elo"], second["change_high_elo"])


def test_the_table_has_one_line_for_each_version() -> None:
    lines = versions_text(found()).splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["bot", "version", "hands"],
        ["lynx", "1", "12"],
        ["lynx", "2", "0"],
        ["otter", "-", "12"],
        ["otter", "1.9", "12"],
        ["otter", "1.10", "12"],
    ]
    read = list(csv.DictReader(io.StringIO(versions_text(found(), form="csv"))))
    assert [line["version"] for line in read] == ["1", "2", "", "1.9", "1.10"]


def test_without_versions_there_is_a_sentence() -> None:
    assert "No bot is here in several versions" in versions_text(())
