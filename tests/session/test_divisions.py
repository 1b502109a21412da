"""Divisions: rankings of parts of the field, all from one fit."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.errors import BadInput
from arena.records.pooling import Records
from arena.records.verify import verify
from arena.session.config import read_config
from arena.tournament.divisions import in_division
from arena.tournament.reporting.documents import standings_document
from arena.tournament.standings import compile_standings
from tests.referee.table import Arena, lowest

DIVISIONS = [{"id": "students", "name": "Students"}, {"id": "staff"}]
CUP: dict[str, Any] = {"divisions": DIVISIONS, "schedule": {"rounds": 8}, "hands_per_table": 1}
STUDENTS = {"bot-1": "students", "bot-3": "students", "bot-4": "students"}


@pytest.fixture
def cup(arena: Arena) -> Arena:
    """A session of six that has been played, three of them students, one of staff."""
    arena.session(6, **CUP)
    arena.referee.divide("cup", {**STUDENTS, "bot-2": "staff"}, "admin")
    arena.play(lowest)
    return arena


def rows(arena: Arena, division: str | None = None, *, staff: bool = False) -> list[dict[str, Any]]:
    document = arena.referee.queries.fit("cup", division=division, staff=staff).document(
        "standings"
    )
    return [row for group in document["groups"] for row in group["rows"]]


def test_a_division_has_the_same_numbers_and_places_of_its_own(cup: Arena) -> None:
    everybody = {row["bot"]: row for row in rows(cup)}
    students = rows(cup, "students")
    assert {row["name"] for row in students} == set(STUDENTS)
    assert [row["position"] for row in students] == [1, 2, 3]
    for row in students:
        for member in ("elo", "elo_error", "hands", "blocks", "place", "opposition_elo"):
            assert row[member] == everybody[row["bot"]][member]
        assert row["rank_high"] <= 3
        assert row["division"] == "students"
    order = [row["bot"] for row in rows(cup) if row["division"] == "students"]
    assert [row["bot"] for row in students] == order
    assert {row["division"] for row in everybody.values()} == {"students", "staff", None}


@pytest.mark.slow
def test_all_tables_are_among_the_members(cup: Arena) -> None:
    fit = cup.referee.queries.fit("cup", division="students")
    for view in ("cross", "superiority"):
        (group,) = fit.document(view)["groups"]  # type: ignore[arg-type]
        assert {bot["name"] for bot in group["bots"]} == set(STUDENTS)
    (group,) = fit.document("separation")["groups"]
    assert len(group["pairs"]) == 2
    assert fit.text("picture").count("bot-") == 3
    text = fit.text("standings")
    assert "division Students: 3 of 6 bots" in text
    assert "bot-2" not in text


@pytest.mark.slow
def test_the_scale_is_that_of_all_also_where_the_anchor_is_in_another_division(
    arena: Arena,
) -> None:
    arena.session(6, **{**CUP, "schedule": {"rounds": 16}}, anchor="bot-2")
    arena.referee.divide("cup", STUDENTS, "admin")
    arena.play(lowest)
    assert "bot-2 = 1500" in arena.referee.queries.fit("cup").text("standings")
    assert "bot-2 = 1500" in arena.referee.queries.fit("cup", division="students").text("standings")


@pytest.mark.slow
def test_a_csv_and_the_wide_layout_tell_the_division(cup: Arena) -> None:
    fit = cup.referee.queries.fit("cup")
    head, *lines = fit.text("standings", form="csv").splitlines()
    assert head.endswith(",division")
    assert sum(line.endswith(",students") for line in lines) == 3
    assert " division" in fit.text("standings", layout="wide")
    assert "division" not in fit.text("standings")


@pytest.mark.slow
def test_who_is_moved_stands_in_the_other_ranking_at_once(cup: Arena) -> None:
    before = rows(cup)
    cup.referee.divide("cup", {"bot-1": None, cup.bots["bot-5"]: "students"}, "admin")
    assert {row["name"] for row in rows(cup, "students")} == {"bot-3", "bot-4", "bot-5"}
    assert [(r["bot"], r["elo"]) for r in rows(cup)] == [(r["bot"], r["elo"]) for r in before]
    entries = {e["name"]: e["division"] for e in cup.referee.queries.session("cup")["entries"]}
    assert (entries["bot-1"], entries["bot-2"], entries["bot-5"]) == (None, "staff", "students")
    (entry,) = cup.referee.queries.audit(limit=1)["entries"]
    assert (entry["action"], entry["actor"]) == ("session.divide", "admin")


@pytest.mark.slow
def test_the_same_rankings_follow_from_the_records(cup: Arena) -> None:
    lines = list(cup.referee.queries.records("cup"))
    assert verify(lines).findings == ()
    records = Records()
    records.read(lines)
    (pool,) = records.pools()
    rated = compile_standings(pool.results, pool.entrants, facts=pool.facts, anchor=pool.anchor)
    here = cup.referee.queries.fit("cup", division="students").document("standings")
    assert orjson.dumps(standings_document(in_division(rated, "students"))) == orjson.dumps(here)


@pytest.mark.slow
def test_pseudonyms_and_frozen_results_hold_in_every_division(arena: Arena) -> None:
    arena.session(6, **CUP, board="pseudonymous")
    arena.referee.divide("cup", STUDENTS, "admin")
    arena.play(lowest, at_most=60)
    arena.referee.freeze("cup", "admin")
    frozen = rows(arena, "students")
    arena.play(lowest)
    assert rows(arena, "students") == frozen
    assert not {row["name"] for row in frozen} & set(arena.bots)
    assert {row["name"] for row in rows(arena, "students", staff=True)} == set(STUDENTS)
    arena.referee.embargo("cup", "admin")
    with pytest.raises(Exception, match="embargoed"):
        rows(arena, "students")


@pytest.mark.slow
def test_a_new_record_mark_follows_a_change(cup: Arena) -> None:
    before = cup.referee.queries.records_mark("cup")
    cup.referee.divide("cup", {"bot-1": None}, "admin")
    assert before != cup.referee.queries.records_mark("cup")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"bot-9": "staff"}, "bot is 'bot-9'; expected a bot that has entered"),
        ({"bot-1": "guests"}, "division of bot-1 is 'guests'; expected one of students, staff"),
        ({"bot-2": None, "bot-1": ""}, "division of bot-1 is ''; expected one of"),
    ],
)
def test_who_is_not_there_changes_nothing(
    arena: Arena, members: dict[str, str | None], expected: str
) -> None:
    arena.session(6, start=False, **CUP)
    with pytest.raises(BadInput, match=expected):
        arena.referee.divide("cup", members, "admin")
    assert {e["division"] for e in arena.referee.queries.session("cup")["entries"]} == {None}


def test_a_division_that_is_not_there_is_refused_with_those_that_are(cup: Arena) -> None:
    with pytest.raises(BadInput, match="division is 'guests'; expected one of students, staff"):
        rows(cup, "guests")


def test_a_session_without_divisions_says_so(arena: Arena) -> None:
    arena.session(4)
    with pytest.raises(BadInput, match="expected none: there are no divisions"):
        rows(arena, "students")
    with pytest.raises(BadInput, match="expected none: the session has no divisions"):
        arena.referee.divide("cup", {"bot-1": "students"}, "admin")


def test_a_division_that_the_document_loses_is_nobodys(arena: Arena) -> None:
    arena.session(6, **CUP)
    arena.referee.divide("cup", {**STUDENTS, "bot-2": "staff"}, "admin")
    arena.referee.change_session("cup", {"divisions": [{"id": "staff"}]}, "admin")
    entries = arena.referee.queries.session("cup")["entries"]
    assert [e["name"] for e in entries if e["division"]] == ["bot-2"]


@pytest.mark.parametrize(
    ("divisions", "expected"),
    [
        ("students", "divisions is 'students'; expected a list of at most 30 divisions"),
        ([{"name": "A"}], r"divisions\[0\] is .*; expected an object with id and name"),
        ([{"id": "A"}], r"divisions\[0\]\.id is 'A'; expected 1 to 40 of a-z"),
        ([{"id": "a", "name": ""}], r"divisions\[0\]\.name"),
        ([{"id": "a"}, {"id": "a", "name": "B"}], r"divisions\[1\]\.id is 'a'; expected every id"),
        ([{"id": "a"}, {"id": "b", "name": "a"}], r"divisions\[1\]\.name is 'a'; expected every"),
        ([{"id": f"d{number}"} for number in range(31)], "at most 30"),
    ],
)
def test_what_is_no_division_is_refused_where_it_stands(divisions: Any, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        read_config({"name": "Cup", "divisions": divisions})
