"""Old sessions leave nothing behind, and take nothing along that belongs to others."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadInput
from arena.organising.retention import old_sessions, retire
from arena.records.verify import verify
from arena.referee.context import open_context
from arena.settings import Settings
from arena.store.port import NoteRow
from tests.cluster.memory import Several
from tests.referee.table import Arena
from tests.store.contents import counters

LATER = 2**60


def prune(several: Several, folder: Path) -> list[str]:
    """As the command does it, from a process of its own; the sessions that went."""
    context = open_context(several.members[0].store, several.clock, Settings())
    found = list(old_sessions(context, LATER))
    pauses = 0

    def pause() -> None:
        nonlocal pauses
        pauses += 1

    for old in found:
        retire(context, old, folder, pause=pause)
    assert pauses >= sum(old.hands + 1 for old in found)
    return [old.session for old in found]


def disturb(arena: Arena, session: str) -> None:
    """Everything that is noted beside a log: a pause, a refused answer, a bot on probation."""
    arena.referee.set_session(session, "pause", "admin")
    arena.referee.set_session(session, "resume", "admin")
    mine = [(bot, turn) for bot, turn in arena.waiting() if turn["session"] == session]
    bot, turn = mine[0]
    with pytest.raises(BadInput):
        arena.referee.answer(bot, turn["turn"], {"choice": 999})
    arena.referee._context.signals.presence.suspend(bot, turn["table"])
    arena.referee.turns(bot)


def test_an_old_session_takes_along_all_that_was_noted_for_it(tmp_path: Path) -> None:
    several = Several()
    here, there = several.members
    here.session(clock={"illegal_budget": 1})
    several.store.write(NoteRow("notify/cup", '{"url":"https://x.org/","secret":"","rounds":0}'))
    several.store.write(NoteRow("divisions/cup", "{}"))
    disturb(here, "cup")
    assert several.store.notices(next(iter(here.bots.values())))
    noted = set(counters(several.store))
    assert {key.partition("/")[0] for key in noted if "/" in key} == {
        "lag",
        "frozen",
        "seen",
        "faults",
    }
    here.referee.set_session("cup", "cancel", "admin")
    assert several.store.deliveries("cup")
    assert prune(several, tmp_path) == ["cup"]
    assert counters(several.store) == []
    assert several.store.note("notify/cup") is several.store.note("divisions/cup") is None
    assert several.store.deliveries("cup") == ()
    assert [several.store.notices(bot) for bot in here.bots.values()] == [()] * len(here.bots)
    assert verify((tmp_path / "cup.jsonl").read_text().splitlines()).ok
    assert there.referee.queries.sessions()["sessions"] == []


@pytest.mark.slow
def test_what_is_played_meanwhile_goes_on_and_keeps_what_is_its_own(tmp_path: Path) -> None:
    several = Several()
    here, there = several.members
    here.session()
    several.step()
    bots = list(here.bots)
    here.play()
    assert here.status("cup") == "finished"
    document = {"name": "Second", "slug": "second", "seats": 4, "schedule": {"rounds": 1}}
    here.referee.create_session(document, "admin")
    for bot in bots:
        here.referee.add_bot("second", bot, "admin")
    here.referee.set_session("second", "start", "admin")
    disturb(here, "second")
    noted = set(counters(several.store))
    assert prune(several, tmp_path) == ["cup"]
    assert set(counters(several.store)) == noted
    several.step()
    here.play()
    assert there.status("second") == "finished"
    assert verify(here.referee.queries.records("second")).ok
    assert {key.partition("/")[0] for key in counters(several.store)} == {"seen"}
