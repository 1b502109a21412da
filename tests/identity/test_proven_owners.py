"""Where deals repeat only bots with proven owners play: one person must not sit at two tables."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput, Conflict
from arena.store.memory import open_memory
from tests.identity.test_enrolment import School

COMMON: dict[str, Any] = {"deals": "common", "roster": {"bots_per_owner": 1}}
ROTATE: dict[str, Any] = {"deals": "rotate", "deals_may_repeat": True}
BOTH = pytest.mark.parametrize("shared", [ROTATE, COMMON], ids=["rotate", "common"])


def cup(school: School, shared: dict[str, Any]) -> None:
    document = {"name": "Cup", "slug": "cup", "seats": 3, **shared}
    school.referee.create_session(document, "b-anna")
    school.referee.set_session("cup", "open", "b-anna")


@BOTH
def test_such_a_session_is_refused_where_anybody_may_register(shared: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="expected fresh, as long as anybody may register"):
        cup(School("open"), shared)


@BOTH
def test_bots_that_came_with_nothing_do_not_get_in(shared: dict[str, Any]) -> None:
    store = open_memory()
    before = School("open", store=store)
    bot = before.enrol("old", "old")
    school = School("code", store=store)
    cup(school, shared)
    with pytest.raises(Conflict, match="the owner of 'old' is not proven"):
        school.referee.enter("cup", bot["id"])
    with pytest.raises(Conflict, match="not proven"):
        school.referee.add_bot("cup", "old", "b-anna")
    school.code("class", uses=3)
    twice = school.enrol("twice", code="class")  # one student may use the code of a class twice
    with pytest.raises(Conflict, match="the owner of 'twice' is not proven"):
        school.referee.enter("cup", twice["id"])
    for number in range(3):
        school.code(f"code-{number}", owner=f"owner-{number}")
        fresh = school.enrol(f"bot-{number}", code=f"code-{number}")
        school.referee.enter("cup", fresh["id"])
    assert school.referee.set_session("cup", "start", "b-anna")["status"] == "running"


@BOTH
def test_nor_do_they_start_if_they_were_in_already(shared: dict[str, Any]) -> None:
    store = open_memory()
    school = School("closed", store=store)
    cup(school, shared)
    for number in range(3):
        bot = school.enrol(f"bot-{number}", by="organiser")
        school.referee.enter("cup", bot["id"])
    old = store.bot(bot["id"])
    assert old is not None
    unproven = "UPDATE bots SET proven = FALSE WHERE id = ?"  # as an older program wrote it
    store._engine.rows(unproven, (old.id,))
    with pytest.raises(Conflict, match="the owner of 'bot-2' is not proven"):
        school.referee.set_session("cup", "start", "b-anna")
    assert school.referee.queries.session("cup")["status"] == "open"


@pytest.mark.parametrize("how", [{}, {"code": "class"}])
def test_with_fresh_deals_everybody_plays(how: dict[str, str]) -> None:
    school = School("open")
    school.code("class", uses=30)
    cup(school, {})
    for number in range(3):
        school.referee.enter("cup", school.enrol(f"bot-{number}", **how)["id"])
    assert school.referee.set_session("cup", "start", "b-anna")["status"] == "running"
