"""Requests that are much work are done in pieces, and nobody is kept waiting meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from arena import pacing
from arena.application import Referee
from arena.errors import Conflict
from arena.identity.registry import Registry
from arena.session.schedule_config import read_schedule_config
from arena.store.memory import MemoryEngine
from arena.store.sql import SqlStore
from tests.referee.table import CLOSED, Arena, FakeClock


class Rests:
    """Counts rests, and looks around in each of them."""

    def __init__(self) -> None:
        self.count = 0
        self.look: Callable[[], object] = lambda: None

    def __call__(self, seconds: float) -> None:
        self.count += 1
        self.look()


class Writes(SqlStore):
    """Counts writes."""

    def __init__(self) -> None:
        super().__init__(MemoryEngine())
        self.count = 0

    def write(self, *changes: Any) -> None:
        self.count += 1
        super().write(*changes)


class Served(Arena):
    """An arena that does everything in the shortest pieces there can be."""

    def __init__(self) -> None:
        super().__init__(Writes(), FakeClock())
        self.rests = Rests()
        self.referee = Referee(
            self.store, clock=self.clock, settings=CLOSED, paced=True, rest=self.rests
        )
        self.referee.start(threads=False)

    @property
    def writes(self) -> int:
        assert isinstance(self.store, Writes)
        return self.store.count


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setattr(pacing, "LONGEST_S", 0.0)
    return Served()


def many_tables(arena: Arena) -> tuple[str, list[dict[str, Any]]]:
    """A bot for which several tables wait, and its answers."""
    arena.session(4, schedule={"rounds": 8, "rounds_at_once": 8})
    waiting = {bot: arena.referee.turns(bot)["turns"] for bot in arena.bots.values()}
    bot = max(waiting, key=lambda each: len(waiting[each]))
    answers = [{"turn": turn["turn"], "choice": 0} for turn in waiting[bot]]
    assert len(answers) > 1
    return bot, answers


def test_a_batch_that_takes_long_rests_between_its_hands_and_never_within_one(
    served: Served,
) -> None:
    bot, answers = many_tables(served)
    hands = tuple(served.referee._context.in_play.hands.values())
    held: list[str] = []
    served.rests.look = lambda: held.extend(each.id for each in hands if each.lock.locked())
    before, rests = served.writes, served.rests.count
    results = served.referee.answer_many(bot, answers)
    assert [result["turn"] for result in results] == [answer["turn"] for answer in answers]
    assert {result["status"] for result in results} == {200}
    assert served.writes - before == len(answers)
    assert served.rests.count - rests == 2 * len(answers)
    assert held == []


def test_a_batch_that_is_quick_is_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "LONGEST_S", 1e9)
    served = Served()
    bot, answers = many_tables(served)
    before = served.writes
    served.referee.answer_many(bot, answers)
    assert served.writes - before == 1


def test_all_answers_of_a_batch_arrived_when_the_first_did(served: Served) -> None:
    bot, answers = many_tables(served)
    served.rests.look = lambda: served.clock.pass_ms(4_000)
    results = served.referee.answer_many(bot, answers)
    assert {result["status"] for result in results} == {200}


def test_two_answers_to_one_turn_are_taken_in_their_order(served: Served) -> None:
    bot, answers = many_tables(served)
    again = [*answers, *({**answer, "choice": 1} for answer in answers)]
    results = served.referee.answer_many(bot, again)
    assert {result["status"] for result in results[: len(answers)]} == {200}
    assert {type(result["error"]) for result in results[len(answers) :]} == {Conflict}


def test_a_schedule_is_drawn_while_nobody_has_to_wait_for_a_lock(arena: Arena) -> None:
    session = arena.session(4, start=False)
    home = arena.referee._context
    taken: list[bool] = []

    def take() -> None:
        for lock in (home.in_play.changing, home.in_play.session(session).lock):
            taken.append(lock.acquire(blocking=False))
            lock.release()

    def draw(work: Callable[[], Any]) -> Any:
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        return work()

    home.long_work.drawing = draw  # type: ignore[assignment]
    assert arena.referee.set_session(session, "start", "admin")["status"] == "running"
    assert taken == [True] * 4


def test_who_enters_while_the_schedule_is_drawn_plays_as_well(arena: Arena) -> None:
    session = arena.session(4, start=False)
    [late] = arena.enrol(1)
    drawn: list[object] = []

    def draw(work: Callable[[], Any]) -> Any:
        if not drawn:
            arena.referee.enter(session, late)
        drawn.append(work())
        return drawn[-1]

    arena.referee._context.long_work.drawing = draw  # type: ignore[assignment]
    arena.referee.set_session(session, "start", "admin")
    schedule = arena.referee._context.in_play.session(session)
    assert late in schedule.roster
    assert len(drawn) == 4


def test_a_session_that_is_never_the_same_twice_is_not_started(arena: Arena) -> None:
    session = arena.session(4, start=False)
    others = iter(arena.enrol(20))

    def draw(work: Callable[[], Any]) -> Any:
        arena.referee.enter(session, next(others))
        return work()

    arena.referee._context.long_work.drawing = draw  # type: ignore[assignment]
    with pytest.raises(Conflict, match="close the session first"):
        arena.referee.set_session(session, "start", "admin")
    assert arena.referee.queries.session(session)["status"] == "open"


def test_a_session_that_was_cancelled_while_it_was_drawn_is_not_started(arena: Arena) -> None:
    session = arena.session(4, start=False)

    def draw(work: Callable[[], Any]) -> Any:
        arena.referee.set_session(session, "cancel", "admin")
        return work()

    arena.referee._context.long_work.drawing = draw  # type: ignore[assignment]
    with pytest.raises(Conflict, match="it is cancelled"):
        arena.referee.set_session(session, "start", "admin")


def rows_read(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> int:
    """How many bots are looked up one by one."""
    asked: list[str] = []
    row = Registry.row
    with monkeypatch.context() as patch:
        patch.setattr(Registry, "row", lambda self, bot: asked.append(bot) or row(self, bot))
        work()
    return len(asked)


def test_entering_a_full_session_looks_up_no_more_bots_than_entering_an_empty_one(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = arena.session(2, start=False)
    early, *others, late = arena.enrol(30)
    few = rows_read(monkeypatch, lambda: arena.referee.enter(session, early))
    for bot in others:
        arena.referee.enter(session, bot)
    assert rows_read(monkeypatch, lambda: arena.referee.enter(session, late)) == few


def test_the_second_look_at_a_session_looks_up_no_bots(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = arena.session(30, start=False)
    seen = [arena.referee.queries.session(session)]
    assert rows_read(monkeypatch, lambda: seen.append(arena.referee.queries.session(session))) == 0
    assert seen[0] == seen[1]


def test_the_hands_of_a_session_that_is_over_are_counted_once_in_a_while(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = arena.session(4)
    counted: list[str] = []
    count = arena.store.hand_counts
    monkeypatch.setattr(
        arena.store, "hand_counts", lambda name: counted.append(name) or count(name)
    )
    assert arena.referee.queries.session(session)["progress"]["hands_finished"] == 0
    arena.play()
    before = len(counted)
    ended = [arena.referee.queries.session(session) for _ in range(3)]
    assert [each["progress"]["hands_finished"] for each in ended] == [2] * 3
    assert len(counted) == before + 1


def test_whoever_lists_tables_or_hands_rests_after_each(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "PIECE_S", 0.0)
    session = served.session(4, hands_per_table=1, schedule={"rounds": 6, "rounds_at_once": 6})
    rests = served.rests.count
    listed = served.referee.queries.tables(session)["tables"]
    assert len(listed) == 6
    assert served.rests.count - rests >= 6
    rests = served.rests.count
    assert len(served.referee.queries.table(listed[0]["table"])["hands"]) == 1
    assert served.rests.count > rests


class Name(str):
    """A name that counts with how many others it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_list_of_a_thousand_names_is_gone_through_once() -> None:
    names = [Name(f"bot-{number}") for number in range(1_000)]
    found = read_schedule_config({"kind": "final", "finalists": names})
    assert found.finalists == tuple(names)
    assert Name.compared <= 2_000
