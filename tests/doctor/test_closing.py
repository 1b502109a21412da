"""A session that ends by itself while the doctor is about to end it is no fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.doctor.examination import SETTINGS
from arena.doctor.playing import ACTOR, close_session
from arena.errors import Conflict
from arena.loopback.host import LocalArena


@pytest.fixture
def arena() -> Iterator[LocalArena]:
    arena = LocalArena(SETTINGS)
    yield arena
    arena.close()


def created(arena: LocalArena) -> str:
    session: str = arena.referee.create_session({"name": "a session", "seats": 4}, ACTOR)["session"]
    return session


@pytest.mark.parametrize("action", ["cancel", "end"])
def test_a_session_that_is_over_already_may_be_closed(arena: LocalArena, action: str) -> None:
    session = created(arena)
    close_session(arena, session, "cancel")
    close_session(arena, session, action)
    assert arena.referee.queries.session(session, staff=True)["status"] == "cancelled"


def test_a_session_that_cannot_be_ended_yet_is_an_error(arena: LocalArena) -> None:
    with pytest.raises(Conflict, match="end needs a session that is running or paused"):
        close_session(arena, created(arena), "end")
