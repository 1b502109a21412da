"""Seasons: sessions of several databases, in which the same bots have other ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.grade import command as grade
from arena.cli.rate import command as rate
from arena.errors import BadInput
from arena.records.pooling import Pool, Records
from arena.tournament.standings import compile_standings
from tests.records.test_pooling import BOTS, NAMES, Line, hands, header

MONDAY = [header("cup"), *hands("cup")]


def elsewhere(lines: list[Line], *, secret: str = "77") -> list[Line]:
    """The same session in another database: other ids, another secret."""
    text = json.dumps(lines)
    for bot in BOTS:
        text = text.replace(f'"{bot}"', f'"x{bot}"')
    moved: list[Line] = json.loads(text)
    moved[0]["secret_commitment"] = secret * 32
    return moved


def season(*files: list[Line], together: bool = True) -> Pool:
    records = Records(season=together)
    for number, lines in enumerate(files):
        records.read([json.dumps(line) for line in lines], f"file {number}")
    (pool,) = records.pools()
    return pool


def test_bots_of_two_databases_are_one_by_name_and_owner_if_that_is_wanted() -> None:
    apart = season(MONDAY, elsewhere(MONDAY), together=False)
    assert len(apart.entrants) == 2 * len(BOTS)
    assert len(compile_standings(apart.results, apart.entrants).sections) == 2
    pool = season(MONDAY, elsewhere(MONDAY))
    assert sorted(entrant.name for entrant in pool.entrants) == sorted(NAMES)
    (section,) = compile_standings(pool.results, pool.entrants).sections
    monday = compile_standings(*season(MONDAY)[1:3]).sections[0]
    assert {row.bot: row.hands for row in section.rows} == {
        row.bot: 2 * row.hands for row in monday.rows
    }
    assert {row.blocks for row in section.rows} == {2 * row.blocks for row in monday.rows}


def test_neither_the_order_of_files_nor_one_database_twice_matters() -> None:
    other = elsewhere(MONDAY)
    assert season(MONDAY, other) == season(other, MONDAY)
    league = [header("league", secret="1e"), *hands("league")]
    assert season(MONDAY, league) == season(MONDAY, league, together=False)


def test_another_owner_is_another_bot_and_an_unknown_one_stays_apart() -> None:
    other = elsewhere(MONDAY)
    other[0]["bots"][0]["owner"] = "somebody else"
    other[0]["bots"][1]["owner"] = ""
    assert len(season(MONDAY, other).entrants) == len(BOTS) + 2


def test_two_bots_of_one_session_are_never_one() -> None:
    twice = json.loads(json.dumps(MONDAY))
    for bot in twice[0]["bots"][:2]:
        bot["owner"], bot["name"] = "alice", "carol"
    for line in twice[1:]:
        line["players"] = ["carol" if n in NAMES[:2] else n for n in line["players"]]
    with pytest.raises(BadInput, match="season is 'carol'; expected one bot of this name"):
        season(twice)


def test_rate_says_that_bots_are_probably_the_same_and_makes_them_one(tmp_path: Path) -> None:
    files = []
    for name, lines in (("monday", MONDAY), ("tuesday", elsewhere(MONDAY))):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    names = [str(file) for file in files]
    apart = CliRunner().invoke(rate, names)
    assert "never met" in apart.output
    assert "5 names with the same owner stand for several bots" in apart.stderr
    one = CliRunner().invoke(rate, ["--season", *names])
    assert one.exit_code == 0
    assert "never met" not in one.output
    assert one.stderr == ""
    graded = ["--season", "--benchmark", "carol", *names]
    assert "dave" in CliRunner().invoke(grade, graded).output
