"""Jobs of the runner that come too late: what they were for is not in play any more."""

from __future__ import annotations

from arena.referee import runner
from tests.referee.table import Arena


def test_a_job_for_a_session_that_is_not_in_play_does_nothing(arena: Arena) -> None:
    session = arena.session()
    arena.referee.set_session(session, "cancel", "admin")
    before = arena.store.session(session)
    runner.advance_session(arena.referee._context, session)
    runner.advance_session(arena.referee._context, "s-elsewhere")
    assert arena.store.session(session) == before
    assert arena.store.open_tables(session) == ()
