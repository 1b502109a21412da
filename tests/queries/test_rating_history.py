"""Ratings after each round of a session: what is in them, who may see them, what they cost."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.cli.rate_parts import history_of_pool
from arena.documents import Document
from arena.errors import BadInput, Forbidden
from arena.queries import rating_history
from arena.records.pooling import Records
from arena.tournament.models import BRADLEY_TERRY
from arena.tournament.reporting.history_reports import history_document
from arena.tournament.standings import compile_standings
from tests.cluster.memory import Several
from tests.queries.test_standings import finish, tables
from tests.referee.table import Arena

MEMBERS: dict[str, Any] = {
    "hands_per_table": 2,
    "schedule": {"rounds": 4, "rounds_at_once": 2},
    "ruleset": {"patches": ["pagat.kakumei"]},
}


def history(arena: Arena, *, staff: bool = False) -> Document:
    return arena.referee.queries.fit("cup", staff=staff).history_document()


def rounds(arena: Arena, *, staff: bool = False) -> list[int]:
    return [each["round"] for each in history(arena, staff=staff)["rounds"]]


def recorded(arena: Arena, *, full: bool) -> Document:
    """What `arena rate --history` makes of the exported records."""
    records = Records()
    records.read(arena.referee.queries.records("cup", full=full))
    (pool,) = records.pools()
    standings = compile_standings(pool.results, pool.entrants, facts=pool.facts, anchor=pool.anchor)
    series = history_of_pool(pool, standings, anchor=pool.anchor, model=BRADLEY_TERRY)
    return history_document(series)


def check_recorded(arena: Arena) -> None:
    """The records give the history that the same reader is shown, to the byte."""
    for staff in (False, True):
        shown = orjson.dumps(history(arena, staff=staff))
        assert orjson.dumps(recorded(arena, full=staff)) == shown


def of_round(arena: Arena, number: int) -> list[str]:
    return [table for table in tables(arena) if f"-r{number:02}-" in table]


@pytest.mark.slow
def test_a_round_is_in_it_when_all_its_tables_have_ended_and_those_before(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    assert rounds(arena) == []
    first, second = of_round(arena, 1)
    finish(arena, first)
    for table in of_round(arena, 2):
        finish(arena, table)
    assert arena.referee.queries.standings("cup")["hands"] == 6
    assert rounds(arena) == []
    check_recorded(arena)
    finish(arena, second)
    assert rounds(arena) == [1, 2]
    check_recorded(arena)


@pytest.mark.slow
def test_the_last_point_is_the_standings(arena: Arena) -> None:
    arena.session(8, anchor="bot-3", **MEMBERS)
    arena.play()
    last = history(arena)["rounds"][-1]
    rows = [
        row for group in arena.referee.queries.standings("cup")["groups"] for row in group["rows"]
    ]
    members = ("elo", "elo_error", "bound", "bound_elo", "hands", "blocks", "anchor")
    shown = {row["bot"]: [row[name] for name in members] for row in rows}
    assert {each["bot"]: [each[name] for name in members] for each in last["ratings"]} == shown
    assert last["hands"] == arena.referee.queries.standings("cup")["hands"]
    assert last["round"] == history(arena)["rounds_complete"] == 4
    check_recorded(arena)


@pytest.mark.slow
def test_a_void_table_does_not_count_and_its_round_is_complete_without_it(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    arena.play()
    before = history(arena)
    arena.referee.freeze("cup", "admin")
    arena.referee.void(of_round(arena, 2)[0], "a power cut", "admin")
    assert history(arena) == before  # what was frozen does not change
    after = history(arena, staff=True)
    assert [each["hands"] for each in before["rounds"]] == [4, 8, 12, 16]
    assert [each["hands"] for each in after["rounds"]] == [4, 6, 10, 14]
    assert after["rounds"][0] == before["rounds"][0]
    arena.referee.publish("cup", "admin")
    assert history(arena) == after
    check_recorded(arena)


@pytest.mark.slow
def test_a_round_whose_void_table_is_played_again_is_complete_when_that_has_ended(
    arena: Arena,
) -> None:
    arena.session(8, **MEMBERS)
    for table in (*of_round(arena, 1), *of_round(arena, 2)):
        finish(arena, table)
    assert rounds(arena) == [1, 2]
    void = of_round(arena, 2)[0]
    arena.referee.void(void, "a power cut", "admin")
    again = arena.referee.replay(void, "admin")["table"]
    assert rounds(arena) == [1]
    check_recorded(arena)
    finish(arena, again)
    assert rounds(arena) == [1, 2]
    check_recorded(arena)


@pytest.mark.slow
def test_a_disqualified_bot_is_in_no_round(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    arena.play()
    out = arena.bots["bot-2"]
    assert all(out in str(each["ratings"]) for each in history(arena)["rounds"])
    arena.referee.disqualify("cup", "bot-2", "admin")
    assert not any(out in str(each["ratings"]) for each in history(arena)["rounds"])
    check_recorded(arena)


@pytest.mark.slow
def test_frozen_and_embargoed_histories_end_where_the_standings_do(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    for table in of_round(arena, 1):
        finish(arena, table)
    arena.referee.freeze("cup", "admin")
    frozen = history(arena)
    arena.play()
    assert history(arena) == frozen
    assert (rounds(arena), rounds(arena, staff=True)) == ([1], [1, 2, 3, 4])
    check_recorded(arena)
    arena.referee.embargo("cup", "admin")
    with pytest.raises(Forbidden, match="embargoed"):
        history(arena)
    assert rounds(arena, staff=True) == [1, 2, 3, 4]


@pytest.mark.slow
def test_a_pseudonymous_board_has_a_pseudonymous_history(arena: Arena) -> None:
    arena.session(8, board="pseudonymous", **MEMBERS)
    arena.play()
    fit = arena.referee.queries.fit("cup")
    shown = orjson.dumps(fit.history_document()).decode()
    shown += fit.history_text("history") + fit.history_text("history_picture")
    for name, bot in arena.bots.items():
        assert name not in shown
        assert bot not in shown
    assert "bot-1" in fit_of_staff(arena)
    check_recorded(arena)


def fit_of_staff(arena: Arena) -> str:
    return arena.referee.queries.fit("cup", staff=True).history_text("history")


@pytest.mark.slow
def test_each_size_of_tables_has_a_history_of_its_own(arena: Arena) -> None:
    arena.session(7, schedule={"rounds": 3, "mixed_sizes": True}, hands_per_table=2)
    arena.play()
    four, three = (arena.referee.queries.fit("cup", seats=seats) for seats in (4, 3))
    for fit in (four, three):
        assert fit.history_document()["rounds"][-1]["hands"] == fit.standings.hands


@pytest.mark.slow
def test_of_a_session_that_is_watched_one_point_is_computed_for_each_round(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []
    original = rating_history.point

    def counted(results: Any, last: int, **named: Any) -> Any:
        computed.append(last)
        return original(results, last, **named)

    monkeypatch.setattr(rating_history, "point", counted)
    arena.session(8, **MEMBERS)
    arena.referee.queries.standings("cup")
    assert computed == []  # nobody has asked for it
    for number in (1, 2, 3, 4):
        for table in of_round(arena, number):
            finish(arena, table)
            history(arena)
            history(arena)
    assert computed == [1, 2, 3, 4]
    arena.referee.disqualify("cup", "bot-2", "admin")
    history(arena)
    assert computed == [1, 2, 3, 4, 1, 2, 3, 4]


@pytest.mark.slow
def test_all_processes_show_the_same_history() -> None:
    several = Several()
    here, there = several.members
    here.session(8, **MEMBERS)
    several.step()
    for table in of_round(here, 1):
        finish(here, table)
    several.step()
    assert rounds(here) == [1]
    assert history(here) == history(there)


def test_records_of_several_sessions_have_no_history(arena: Arena) -> None:
    records = Records()
    for slug in ("cup", "league"):
        arena.session(4, slug=slug, hands_per_table=1, schedule={"rounds": 1})
        arena.play()
        records.read(arena.referee.queries.records(slug))
    (pool,) = records.pools()
    standings = compile_standings(pool.results, pool.entrants, facts=pool.facts)
    with pytest.raises(BadInput, match="the records of one session"):
        history_of_pool(pool, standings, anchor=None, model=BRADLEY_TERRY)
