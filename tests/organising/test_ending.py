"""A session that is ended: the hands that run are played, no other is begun, all of it counts."""

from __future__ import annotations

import pytest

from arena.errors import Conflict
from arena.records.verify import verify
from tests.cluster.memory import Several
from tests.referee.table import Arena


def statuses(arena: Arena, session: str = "cup") -> list[str]:
    return [table["status"] for table in arena.referee.queries.tables(session)["tables"]]


def hands(arena: Arena, table: str = "cup-r01-t01") -> list[str]:
    return [hand["status"] for hand in arena.referee.queries.table(table)["hands"]]


def test_the_hand_that_runs_is_the_last(arena: Arena) -> None:
    arena.session(8, hands_per_table=5, schedule={"rounds": 2})
    arena.play(at_most=40)
    view = arena.referee.set_session("cup", "end", "admin")
    assert (view["status"], view["ending"]) == ("running", True)
    running = [len(hands(arena, table)) for table in ("cup-r01-t01", "cup-r01-t02")]
    arena.play()
    view = arena.referee.queries.session("cup")
    assert (view["status"], view["ending"]) == ("finished", False)
    assert [len(hands(arena, table)) for table in ("cup-r01-t01", "cup-r01-t02")] == running
    assert statuses(arena) == ["aborted", "aborted"]
    assert view["progress"]["hands_finished"] == sum(running)
    assert arena.referee.queries.standings("cup")["hands"] == sum(running)
    assert arena.store.counter("ending/cup") is None
    assert verify(list(arena.referee.queries.records("cup", full=True))).ok


def test_a_table_that_has_played_all_its_hands_is_not_cut_short(arena: Arena) -> None:
    arena.session(hands_per_table=1)
    arena.referee.set_session("cup", "end", "admin")
    arena.play()
    assert (arena.status("cup"), statuses(arena)) == ("finished", ["finished"])


def test_a_session_that_ends_is_ended_after_a_restart_too(arena: Arena) -> None:
    arena.session(hands_per_table=5)
    arena.referee.set_session("cup", "end", "admin")
    arena.restart(outage_ms=60_000)
    arena.play()
    assert (arena.status("cup"), hands(arena)) == ("finished", ["finished"])


def test_a_paused_session_ends_once_it_is_resumed(arena: Arena) -> None:
    arena.session(hands_per_table=5)
    arena.referee.set_session("cup", "pause", "admin")
    arena.referee.set_session("cup", "end", "admin")
    assert arena.status("cup") == "paused"
    arena.referee.set_session("cup", "resume", "admin")
    arena.play()
    assert (arena.status("cup"), hands(arena)) == ("finished", ["finished"])


def test_a_session_is_ended_once_and_only_while_it_is_played(arena: Arena) -> None:
    arena.session(start=False)
    with pytest.raises(Conflict, match="it is open"):
        arena.referee.set_session("cup", "end", "admin")
    arena.referee.set_session("cup", "start", "admin")
    arena.referee.set_session("cup", "end", "admin")
    with pytest.raises(Conflict, match="ending already"):
        arena.referee.set_session("cup", "end", "admin")
    arena.play()
    with pytest.raises(Conflict, match="it is finished"):
        arena.referee.set_session("cup", "end", "admin")


@pytest.mark.parametrize("deals", [pytest.param("rotate", marks=pytest.mark.slow), "common"])
def test_tables_that_share_their_shuffles_end_too(deals: str, arena: Arena) -> None:
    members = {"deals": deals, "deals_may_repeat": True, "hands_per_table": 3}
    arena.session(8, schedule={"rounds": 2, "rounds_at_once": 2}, **members)
    arena.play(at_most=80)
    arena.referee.set_session("cup", "end", "admin")
    arena.play()
    assert arena.status("cup") == "finished"
    assert verify(list(arena.referee.queries.records("cup", full=True))).ok


def test_another_referee_that_takes_over_begins_no_hand_either() -> None:
    several = Several()
    here, there = several.members
    here.session(hands_per_table=5)
    here.referee.set_session("cup", "end", "admin")
    several.move(there)
    assert there.referee._context.in_play.sessions["cup"].ending
    there.play()
    several.step()
    assert {arena.status("cup") for arena in several.members} == {"finished"}
    assert hands(here) == ["finished"]
