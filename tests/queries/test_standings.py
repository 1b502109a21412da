"""Standings of a session in play: refitted by blocks, the same whatever order tables end in, and
the same from the exported records, to the byte."""

from __future__ import annotations

from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.documents import Document
from arena.errors import BadInput
from arena.queries import standings
from arena.records.pooling import Records
from arena.tournament.reporting.documents import standings_document
from arena.tournament.reporting.layouts import render
from arena.tournament.standings import Standings, compile_standings
from tests.cluster.memory import Several
from tests.referee.table import Arena, lowest

MEMBERS: dict[str, Any] = {
    "hands_per_table": 2,
    "schedule": {"rounds": 3, "rounds_at_once": 3},
    "ruleset": {"patches": ["pagat.kakumei"]},
}


def finish(arena: Arena, table: str) -> None:
    """Play one table to its end."""
    while waiting := [(b, t) for b, t in arena.waiting() if t["table"] == table]:
        for bot, turn in waiting:
            arena.referee.answer(bot, turn["turn"], lowest(turn))


def tables(arena: Arena, session: str = "cup") -> list[str]:
    return [each["table"] for each in arena.referee.queries.tables(session)["tables"]]


def rated(arena: Arena, session: str = "cup", *, full: bool = False) -> Standings:
    """What `arena rate` makes of the exported records."""
    records = Records()
    records.read(arena.referee.queries.records(session, full=full))
    (pool,) = records.pools()
    facts, anchor = pool.facts, pool.anchor
    return compile_standings(pool.results, pool.entrants, facts=facts, anchor=anchor)


def check_rated(arena: Arena, session: str = "cup") -> None:
    """The records give the standings that the same reader is shown, to the byte."""
    for staff in (False, True):
        shown = arena.referee.queries.fit(session, staff=staff)
        again = rated(arena, session, full=staff)
        assert orjson.dumps(standings_document(again)) == orjson.dumps(shown.document("standings"))
        assert render(again, layout="wide") == shown.text("standings", layout="wide")


def anonymous(arena: Arena) -> bytes:
    """The standings by name, without the bots' random ids."""
    text = orjson.dumps(arena.referee.queries.standings("cup")).decode()
    for name, bot in arena.bots.items():
        text = text.replace(bot, name)
    return text.encode()


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_the_order_in_which_tables_end_does_not_change_a_byte(random: Random) -> None:
    found = []
    for shuffled in (False, True):
        arena = Arena()
        arena.session(8, **MEMBERS)
        order = tables(arena)
        if shuffled:
            random.shuffle(order)
        for table in order:
            finish(arena, table)
        found.append(anonymous(arena))
    assert found[0] == found[1]


def test_a_table_counts_when_it_has_ended_and_not_before(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    arena.play(at_most=400)
    ended = [t for t in tables(arena) if arena.referee.queries.table(t)["status"] == "finished"]
    assert arena.referee.queries.standings("cup")["hands"] == 2 * len(ended)
    first = next(table for table in tables(arena) if table not in ended)
    finish(arena, first)
    assert arena.referee.queries.standings("cup")["hands"] == 2 * len(ended) + 2


def test_a_fit_is_made_once_for_each_block_that_ends(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    fit = arena.referee.queries.fit("cup")
    arena.play(at_most=20)
    assert arena.referee.queries.fit("cup") is fit
    assert arena.referee.queries.fit("cup").text("standings") is fit.text("standings")
    finish(arena, tables(arena)[0])
    assert arena.referee.queries.fit("cup") is not fit


@pytest.mark.slow
def test_records_give_the_same_standings_while_the_session_runs_and_after(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    for table in tables(arena)[:2]:
        finish(arena, table)
    arena.play(at_most=300)
    check_rated(arena)
    arena.play()
    check_rated(arena)


@pytest.mark.slow
def test_records_give_the_same_standings_with_bots_that_left_and_the_arenas_own(
    arena: Arena,
) -> None:
    arena.session(7, schedule={"rounds": 4, "house_bots": True}, hands_per_table=2)
    arena.play(at_most=60)
    arena.referee.withdraw("cup", "bot-3", "admin")
    arena.play()
    arena.referee.disqualify("cup", "bot-2", "admin")
    assert "house-" in arena.referee.queries.fit("cup").text("standings")
    check_rated(arena)


@pytest.mark.slow
def test_a_disqualified_bot_leaves_the_fit_as_if_it_had_not_been_there(arena: Arena) -> None:
    arena.session(5, schedule={"rounds": 5}, hands_per_table=2)
    arena.play()
    before = rows(arena)
    arena.referee.disqualify("cup", "bot-1", "admin")
    after = rows(arena)
    out = after.pop("bot-1")
    assert (out["status"], out["elo"], out["hands"], out["withdrawn"]) == ("unrated", None, 0, True)
    assert {name: row["hands"] for name, row in after.items()} == {
        name: row["hands"] for name, row in before.items() if name != "bot-1"
    }
    fit = arena.referee.queries.fit("cup")
    assert arena.bots["bot-1"] not in orjson.dumps(fit.document("cross")).decode()
    assert sum(row["elo"] for row in after.values()) / 4 == pytest.approx(1500)
    check_rated(arena)


def rows(arena: Arena) -> dict[str, Document]:
    """The rows of the standings by name."""
    groups = arena.referee.queries.standings("cup")["groups"]
    return {row["name"]: row for group in groups for row in group["rows"]}


@pytest.mark.slow
def test_two_sizes_of_tables_are_two_pools(arena: Arena) -> None:
    arena.session(7, schedule={"rounds": 3, "mixed_sizes": True}, hands_per_table=2)
    arena.play()
    four, three = (arena.referee.queries.fit("cup", seats=seats).standings for seats in (None, 3))
    assert (
        four.hands + three.hands
        == arena.referee.queries.session("cup")["progress"]["hands_finished"]
    )
    assert four.facts.fingerprint != three.facts.fingerprint
    assert (four.facts.seats, three.facts.seats) == (4, 3)
    assert arena.referee.queries.session("cup")["design"]["sizes"] == [4, 3]
    with pytest.raises(BadInput, match="players of a table is 5; expected 4 or 3"):
        arena.referee.queries.fit("cup", seats=5)


@pytest.mark.slow
def test_where_all_tables_are_of_the_smaller_size_their_standings_are_shown(arena: Arena) -> None:
    arena.session(6, schedule={"rounds": 2, "mixed_sizes": True}, hands_per_table=2)
    arena.play()
    shown = arena.referee.queries.fit("cup").standings
    assert (shown.facts.seats, shown.hands) == (3, 8)
    assert arena.referee.queries.session("cup")["design"]["sizes"] == [3]
    check_rated(arena)


@pytest.mark.slow
def test_who_left_is_ranked_by_the_hands_due_at_tables_of_that_size(arena: Arena) -> None:
    arena.session(7, schedule={"rounds": 7, "mixed_sizes": True}, hands_per_table=1)
    arena.play()
    arena.referee.withdraw("cup", "bot-1", "admin")
    for seats in (4, 3):
        shown = arena.referee.queries.fit("cup", seats=seats).standings
        rows = [row for section in shown.sections for row in section.rows]
        assert next(row for row in rows if row.name == "bot-1").position is not None


def test_a_block_of_replicas_counts_when_all_of_them_have_ended(arena: Arena) -> None:
    arena.session(
        4, deals="rotate", deals_may_repeat=True, schedule={"rounds": 1}, hands_per_table=1
    )
    assert len(tables(arena)) == 4
    counts = set()
    while waiting := arena.waiting():
        bot, turn = waiting[0]
        arena.referee.answer(bot, turn["turn"], lowest(turn))
        told = arena.referee.queries.standings("cup")
        counts.add((told["hands"], told["blocks"]))
    assert counts == {(0, 0), (4, 1)}
    check_rated(arena)


@pytest.mark.slow
def test_all_processes_show_the_same() -> None:
    several = Several()
    here, there = several.members
    here.session(8, **MEMBERS)
    several.step()
    for table in tables(here)[:3]:
        finish(here, table)
    several.step()
    assert here.referee.queries.standings("cup") == there.referee.queries.standings("cup")
    assert there.referee.queries.standings("cup")["hands"] == 6
    here.referee.disqualify("cup", "bot-5", "admin")
    several.step()
    assert here.referee.queries.standings("cup") == there.referee.queries.standings("cup")


@pytest.mark.slow
def test_fits_that_take_long_are_made_seldom_while_the_session_is_played(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session(8, **MEMBERS)
    compiled = standings._compiled

    def slowly(*args: Any, **named: Any) -> Any:
        arena.clock.pass_ms(100)
        return compiled(*args, **named)

    monkeypatch.setattr(standings, "_compiled", slowly)
    first, second, *_ = tables(arena)
    finish(arena, first)
    assert arena.referee.queries.standings("cup")["hands"] == 2
    finish(arena, second)
    arena.clock.pass_ms(999)
    assert arena.referee.queries.standings("cup")["hands"] == 2
    arena.clock.pass_ms(1)
    assert arena.referee.queries.standings("cup")["hands"] == 4
    arena.referee.void(first, "a decision is seen at once", "admin")
    assert arena.referee.queries.standings("cup")["hands"] == 2
    arena.play()
    assert arena.referee.queries.standings("cup")["hands"] == 10  # and so is the end
