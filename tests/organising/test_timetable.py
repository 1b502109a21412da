"""Scheduled times: obeyed once, in order, after outages too; commands win; failures say why."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.documents import Document
from arena.errors import BadInput, Conflict
from arena.session.times import instant_text
from tests.cluster.memory import Several
from tests.referee.table import START_MS, Arena

MINUTE = 60_000


def at(minutes: int) -> str:
    """An instant, in minutes after the start of the clock."""
    return instant_text(START_MS + minutes * MINUTE)


def cup(arena: Arena, *, bots: int = 4, **members: Any) -> None:
    """A session that is only created, with bots that the organiser has entered."""
    document = {"name": "Cup", "slug": "cup", "seats": 4, "hands_per_table": 2, **members}
    arena.referee.create_session({**document, "schedule": {"rounds": 1}}, "admin")
    for bot in arena.enrol(bots):
        arena.referee.add_bot("cup", bot, "admin")


def pass_minutes(arena: Arena, minutes: int) -> None:
    arena.clock.pass_ms(minutes * MINUTE)
    arena.referee.sweep()


def times(arena: Arena) -> dict[str, str | None]:
    """The outcome of each time."""
    listed = arena.referee.queries.session("cup")["times"]
    return {each["what"]: each["outcome"] for each in listed}


def reason(arena: Arena, what: str) -> str:
    listed = arena.referee.queries.session("cup")["times"]
    return str(next(each["reason"] for each in listed if each["what"] == what))


def audited(arena: Arena, *actions: str) -> list[tuple[str, str, Document]]:
    """Who did which of these actions, the oldest first."""
    rows = reversed(arena.store.audit(limit=100))
    found = [(row.actor, row.action, orjson.loads(row.detail)) for row in rows]
    return [each for each in found if each[1] in actions]


def test_a_session_goes_its_way_by_its_times(arena: Arena) -> None:
    cup(arena, opens=at(10), starts=at(20), freezes=at(21), ends=at(22), publishes=at(60))
    waiting = dict.fromkeys(("opens", "starts", "freezes", "ends", "publishes"))
    assert times(arena) == waiting
    pass_minutes(arena, 9)
    assert (arena.status("cup"), times(arena)) == ("created", waiting)
    pass_minutes(arena, 1)
    assert (arena.status("cup"), times(arena)) == ("open", {**waiting, "opens": "done"})
    pass_minutes(arena, 10)
    assert (arena.status("cup"), times(arena)["starts"]) == ("running", "done")
    pass_minutes(arena, 1)
    assert arena.referee.queries.session("cup")["publication"]["results"] == "frozen"
    pass_minutes(arena, 1)
    assert arena.referee.queries.session("cup")["ending"] is True
    arena.play()
    view = arena.referee.queries.session("cup")
    assert (view["status"], view["progress"]["hands_finished"]) == ("finished", 1)
    pass_minutes(arena, 38)
    assert arena.referee.queries.session("cup")["publication"]["results"] == "live"
    assert set(times(arena).values()) == {"done"}


def test_what_is_done_at_a_time_stands_in_the_audit_log(arena: Arena) -> None:
    cup(arena, opens=at(10))
    pass_minutes(arena, 11)
    ((actor, _, detail),) = audited(arena, "session.open")
    assert actor == "referee"
    assert detail == {"session": "cup", "reason": f"its time was {at(10)}", "opens": "done"}
    settled = arena.referee.queries.session("cup")["times"][0]["settled"]
    assert settled == at(11)


def test_times_that_passed_while_nobody_was_there_are_obeyed_in_order_at_the_start(
    arena: Arena,
) -> None:
    cup(arena, opens=at(10), starts=at(10), freezes=at(20), publishes=at(30))
    arena.restart(outage_ms=60 * MINUTE)
    names = ("session.open", "session.start", "results.freeze", "results.publish")
    assert [action for _, action, _ in audited(arena, *names)] == list(names)
    assert set(times(arena).values()) == {"done"}
    arena.restart(outage_ms=60 * MINUTE)
    assert len(audited(arena, *names)) == len(names)


def test_a_command_before_the_time_wins_and_the_time_is_void(arena: Arena) -> None:
    cup(arena, opens=at(10), starts=at(20), freezes=at(30), publishes=at(50))
    arena.referee.set_session("cup", "open", "admin")
    assert (times(arena)["opens"], reason(arena, "opens")) == ("void", "open was commanded before")
    arena.referee.set_session("cup", "close", "admin")
    pass_minutes(arena, 10)
    assert arena.status("cup") == "created"
    arena.referee.set_session("cup", "start", "admin")
    arena.referee.freeze("cup", "admin")
    arena.referee.publish("cup", "admin")
    pass_minutes(arena, 60)
    assert set(times(arena).values()) == {"void"}
    assert arena.referee.queries.session("cup")["publication"]["results"] == "live"
    assert {actor for actor, *_ in audited(arena, "session.start", "results.freeze")} == {"admin"}
    (told,) = [detail for _, _, detail in audited(arena, "session.start")]
    assert told == {"session": "cup", "starts": "void"}


def test_a_start_without_enough_bots_fails_and_the_session_stays_open(arena: Arena) -> None:
    cup(arena, bots=2, opens=at(10), starts=at(20), ends=at(30))
    pass_minutes(arena, 20)
    assert (arena.status("cup"), times(arena)["starts"]) == ("open", "failed")
    assert "bots" in reason(arena, "starts")
    ((actor, _, detail),) = audited(arena, "session.time")
    assert (actor, detail["time"], detail["outcome"]) == ("referee", "starts", "failed")
    assert detail["reason"] == reason(arena, "starts")
    pass_minutes(arena, 5)
    assert len(audited(arena, "session.time")) == 1
    for bot in arena.enrol(2):
        arena.referee.enter("cup", bot)
    arena.referee.set_session("cup", "start", "admin")
    assert arena.status("cup") == "running"


def test_a_start_that_failed_can_have_another_time(arena: Arena) -> None:
    cup(arena, bots=2, starts=at(20))
    pass_minutes(arena, 20)
    for bot in arena.enrol(2):
        arena.referee.add_bot("cup", bot, "admin")
    arena.referee.change_session("cup", {"starts": at(30)}, "admin")
    assert times(arena) == {"starts": None}
    pass_minutes(arena, 10)
    assert (arena.status("cup"), times(arena)) == ("running", {"starts": "done"})


def test_freezing_fails_while_results_are_embargoed(arena: Arena) -> None:
    cup(arena, freezes=at(20))
    arena.referee.embargo("cup", "admin")
    pass_minutes(arena, 20)
    assert (times(arena), "embargoed" in reason(arena, "freezes")) == ({"freezes": "failed"}, True)
    assert arena.referee.queries.session("cup")["publication"]["results"] == "embargoed"


def test_publishing_has_nothing_to_do_where_all_is_public(arena: Arena) -> None:
    cup(arena, publishes=at(20))
    pass_minutes(arena, 20)
    assert (times(arena), reason(arena, "publishes")) == (
        {"publishes": "void"},
        "the results are public already",
    )


def test_a_session_that_is_over_has_nothing_left_to_end(arena: Arena) -> None:
    cup(arena, freezes=at(50), ends=at(50))
    arena.referee.set_session("cup", "start", "admin")
    arena.play()
    assert times(arena) == {"freezes": "void", "ends": "void"}
    assert reason(arena, "ends") == "the session is finished"
    pass_minutes(arena, 60)
    assert times(arena) == {"freezes": "void", "ends": "void"}
    assert arena.store.due_times(2**60) == ()


def test_a_cancelled_session_is_neither_opened_nor_started(arena: Arena) -> None:
    cup(arena, opens=at(10), starts=at(20))
    arena.referee.set_session("cup", "cancel", "admin")
    pass_minutes(arena, 30)
    assert (arena.status("cup"), set(times(arena).values())) == ("cancelled", {"void"})


def test_a_time_that_has_passed_is_refused_and_now_is_not(arena: Arena) -> None:
    with pytest.raises(BadInput, match=r"opens .*an instant to come: it is 2027"):
        cup(arena, bots=0, opens=instant_text(START_MS - 1))
    assert arena.referee.queries.sessions()["sessions"] == []
    cup(arena, bots=0, opens=at(0))
    arena.clock.pass_ms(1_000)
    arena.referee.sweep()
    assert arena.status("cup") == "open"


def test_times_are_moved_and_taken_away(arena: Arena) -> None:
    cup(arena, opens=at(10), starts=at(20), ends=at(90))
    arena.referee.change_session("cup", {"opens": None, "starts": at(40)}, "admin")
    assert times(arena) == {"starts": None, "ends": None}
    pass_minutes(arena, 30)
    assert arena.status("cup") == "created"
    with pytest.raises(BadInput, match="not before `starts`"):
        arena.referee.change_session("cup", {"ends": at(35)}, "admin")
    with pytest.raises(BadInput, match="an instant to come"):
        arena.referee.change_session("cup", {"starts": at(29)}, "admin")
    pass_minutes(arena, 10)
    assert arena.status("cup") == "running"
    arena.referee.change_session("cup", {"ends": at(80)}, "admin")
    with pytest.raises(Conflict, match=r"`starts` cannot be set any more: it is running"):
        arena.referee.change_session("cup", {"starts": at(50)}, "admin")
    pass_minutes(arena, 40)
    assert times(arena) == {"starts": "done", "ends": "done"}


def test_a_session_with_times_can_be_deleted(arena: Arena) -> None:
    cup(arena, bots=0, opens=at(10))
    arena.referee.delete_session("cup", "admin")
    assert arena.store.times("cup") == ()
    pass_minutes(arena, 20)


@pytest.mark.parametrize("deaf", [False, True])
def test_of_several_processes_one_obeys(deaf: bool) -> None:
    several = Several(3)
    here = several.members[0]
    cup(here, opens=at(10), starts=at(10), freezes=at(11), publishes=at(12))
    for arena in several.members:
        arena.line.deaf = deaf
    several.clock.pass_ms(10 * MINUTE)
    several.step()
    for _ in range(6):
        several.clock.pass_ms(30_000)
        several.step()
    names = ("session.open", "session.start", "results.freeze", "results.publish")
    assert [action for _, action, _ in audited(here, *names)] == list(names)
    assert audited(here, "session.time") == []
    for arena in several.members:
        assert set(times(arena).values()) == {"done"}
    assert {arena.status("cup") for arena in several.members} == {"running"}


def test_a_store_that_cannot_be_reached_only_puts_it_off() -> None:
    several = Several(1)
    (here,) = several.members
    cup(here, opens=at(10))
    several.clock.pass_ms(11 * MINUTE)
    here.line.cut = True
    several.step()
    here.line.cut = False
    several.pass_ms(2_000)
    assert (here.status("cup"), times(here)) == ("open", {"opens": "done"})
