"""kill -9 at any write, then another process: nothing accepted is lost, nothing is doubled."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.errors import Unavailable
from arena.queries.record_files import SESSION
from arena.records.verify import verify
from arena.store import open_store
from arena.store.memory import open_memory
from arena.store.port import EndHand, SetTableStatus, StepRow
from tests.referee.table import Arena, lowest

MEMBERS: dict[str, Any] = {"seats": 3, "slug": "cup", "schedule": {"rounds": 2}}


class Died(Exception):
    """The process was killed."""


class DyingStore:
    """A store in front of another that dies at its n-th write, before it or after it."""

    def __init__(self, store: Any, at: int, *, after: bool) -> None:
        self._store = store
        self._left = at
        self._after = after
        self.writes: list[tuple[Any, ...]] = []

    def write(self, *changes: Any) -> None:
        self.writes.append(changes)
        self._left -= 1
        if self._left < 0 or (self._left == 0 and not self._after):
            raise Died
        self._store.write(*changes)
        if self._left == 0:
            raise Died

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def play_on(arena: Arena) -> list[str]:
    """Play to the end; the turns whose answers were told to be accepted."""
    told = []
    while waiting := arena.waiting():
        bot, turn = waiting[0]
        arena.referee.answer(bot, turn["turn"], lowest(turn))
        told.append(turn["turn"])
    return told


def places(store: Any) -> list[str | None]:
    """The results of all hands, which must not depend on crashes; without times."""
    return [hand.result for hand in store.session_hands("cup", limit=1000)]


@cache
def uninterrupted() -> tuple[list[tuple[Any, ...]], list[str | None]]:
    """All writes of a session without a crash, and its results."""
    store = DyingStore(open_memory(), 10**9, after=False)
    arena = Arena(store)
    arena.session(**MEMBERS)
    play_on(arena)
    return store.writes, places(store)


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_write_loses_and_doubles_nothing(*, after: bool) -> None:
    writes, results = uninterrupted()
    special = [n for n, w in enumerate(writes, 1) if len(w) > 1 or not isinstance(w[0], StepRow)]
    points = sorted({n for n in special if n > 10} | set(range(11, len(writes), 23)))
    assert any(isinstance(change, EndHand) for n in points for change in writes[n - 1])
    assert any(isinstance(change, SetTableStatus) for n in points for change in writes[n - 1])
    for point in points:
        store = open_memory()
        arena = Arena(DyingStore(store, point, after=after))
        told: list[str] = []
        try:
            arena.session(**MEMBERS)
            while waiting := arena.waiting():
                bot, turn = waiting[0]
                arena.referee.answer(bot, turn["turn"], lowest(turn))
                told.append(turn["turn"])
        except Died:
            pass
        arena.store = store
        arena.restart(outage_ms=10_000)
        if arena.status("cup") in ("created", "open"):
            for bot in arena.bots.values():
                arena.referee.enter("cup", bot)
            arena.referee.set_session("cup", "start", "admin")
        told += play_on(arena)
        assert arena.status("cup") == "finished", point
        assert places(store) == results, point
        steps = [s for hand in store.session_hands("cup", limit=99) for s in store.steps(hand.id)]
        turns = [step.turn for step in steps if step.turn]
        assert len(turns) == len(set(turns)), point
        assert set(told) <= set(turns), point
        assert verify(arena.referee.queries.records("cup")).ok, point


@pytest.mark.slow
def test_a_session_survives_on_sqlite(tmp_path: Path) -> None:
    """Five processes, one after the other, on one file."""
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    arena = Arena(open_store(url))
    arena.session(**MEMBERS)
    for _ in range(4):
        arena.play(at_most=17)
        arena.store.close()
        arena.store = open_store(url)
        arena.restart(outage_ms=5_000)
    arena.play()
    assert arena.status("cup") == "finished"
    assert places(arena.store) == uninterrupted()[1]
    assert verify(arena.referee.queries.records("cup")).ok
    arena.store.close()


def test_a_restart_in_the_middle_of_a_hand_goes_on_where_the_log_ends(arena: Arena) -> None:
    arena.session()
    arena.play(at_most=13)
    before = arena.waiting()
    logs = arena.referee.hand_events(before[0][1]["hand"])
    arena.restart(outage_ms=1_000_000)
    after = arena.waiting()
    assert arena.referee.hand_events(before[0][1]["hand"]) == logs
    timely = ("server_time", "deadline")
    for (bot, turn), (same, again) in zip(before, after, strict=True):
        assert bot == same
        assert {k: v for k, v in turn.items() if k not in timely} == {
            k: v for k, v in again.items() if k not in timely
        }


def test_a_hand_whose_log_has_ended_without_a_result_is_settled(arena: Arena) -> None:
    """Cannot happen by a crash, since both are one write; a hand-made log may look so."""
    session = arena.session(hands_per_table=2)
    hand = arena.one()[1]["hand"]
    write = arena.store.write

    def only_steps(*changes: Any) -> None:
        write(*[change for change in changes if not isinstance(change, EndHand)])
        if any(isinstance(change, EndHand) for change in changes):
            raise Died

    arena.store.write = only_steps
    with pytest.raises(Died):
        arena.play()
    arena.store.write = write
    assert arena.store.hand(hand).status == "playing"
    arena.restart()
    assert arena.store.hand(hand).status == "finished"
    arena.play()
    assert arena.status(session) == "finished"


def test_a_store_that_fails_for_a_while_only_delays_the_next_hand(arena: Arena) -> None:
    session = arena.session(hands_per_table=2)
    write = arena.store.write

    def no_new_hands(*changes: Any) -> None:
        if any(isinstance(c, StepRow) and not c.turn for c in changes):
            raise Unavailable("the disk is full")
        write(*changes)

    arena.store.write = no_new_hands
    arena.play()
    assert arena.waiting() == []
    arena.store.write = write
    arena.referee.sweep()
    assert arena.waiting()
    arena.play()
    assert arena.status(session) == "finished"


def test_the_header_of_a_record_is_its_first_line(arena: Arena) -> None:
    arena.session(**MEMBERS)
    assert SESSION in next(iter(arena.referee.queries.records("cup")))
