"""Long-polls: level-triggered, released by newer ones, woken after the commit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.application import Referee
from arena.errors import NotFound, Unavailable
from arena.records.verify import verify
from arena.referee.long_poll import patience_ms
from arena.settings import Settings
from arena.store import open_store
from tests.referee.table import Arena, lowest


class Waiting:
    """A call in a thread, and what became of it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.told: Any = None
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(call,))
        self._thread.start()

    def _run(self, call: Callable[[], Any]) -> None:
        try:
            self.told = call()
        except Unavailable as error:
            self.error = error

    def join(self) -> Any:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.told


def until_waiting(referee: Referee, count: int) -> None:
    """Let the threads come to their waits."""
    while referee.health()["waiting"] < count:
        threading.Event().wait(0.001)


def idle_bot(arena: Arena) -> str:
    """A bot whose turn it is not."""
    busy = {bot for bot, _ in arena.waiting()}
    return next(bot for bot in arena.bots.values() if bot not in busy)


def test_a_poll_without_wait_answers_at_once(arena: Arena) -> None:
    session = arena.session()
    bot = idle_bot(arena)
    assert arena.referee.turns(bot) == {"turns": [], "poll_after_ms": 250, "cursor": None}
    arena.play()
    assert arena.status(session) == "finished"
    assert arena.referee.turns(next(iter(arena.bots.values())))["poll_after_ms"] > 0


def test_without_a_cursor_every_open_turn_is_told_again(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    again = arena.referee.turns(bot)["turns"][0]
    assert again == turn


def test_with_a_cursor_only_newer_turns_are_told(arena: Arena) -> None:
    arena.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    bot = max(arena.bots.values(), key=lambda each: len(arena.referee.turns(each)["turns"]))
    page = arena.referee.turns(bot, limit=1)
    rest = arena.referee.turns(bot, page["cursor"])
    assert page["turns"][0]["turn"] not in {turn["turn"] for turn in rest["turns"]}
    assert len(rest["turns"]) + 1 == len(arena.referee.turns(bot)["turns"])
    none = arena.referee.turns(bot, rest["cursor"])
    assert none["turns"] == []
    assert none["cursor"] == rest["cursor"]


def test_a_cursor_from_before_a_restart_hides_nothing(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    cursor = arena.referee.turns(bot)["cursor"]
    arena.restart(outage_ms=1)
    assert arena.referee.turns(bot, cursor)["turns"][0]["turn"] == turn["turn"]


def test_a_waiting_poll_is_woken_by_its_turn(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    idle = [each for each in arena.bots.values() if each != bot]
    polls = {
        each: Waiting(lambda b=each: arena.referee.turns(b, 0, wait_ms=30_000)) for each in idle
    }
    until_waiting(arena.referee, 3)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    next_bot, next_turn = arena.one()
    assert polls.pop(next_bot).join()["turns"][0]["turn"] == next_turn["turn"]
    assert all(poll.told is None for poll in polls.values())
    arena.referee.stop()
    for poll in polls.values():
        poll.join()


def test_a_newer_poll_of_the_same_cursor_releases_the_older_at_once(arena: Arena) -> None:
    arena.session()
    bot = idle_bot(arena)
    older = Waiting(lambda: arena.referee.turns(bot, wait_ms=30_000))
    until_waiting(arena.referee, 1)
    other_cursor = Waiting(lambda: arena.referee.turns(bot, 5, wait_ms=30_000))
    until_waiting(arena.referee, 2)
    arena.referee.turns(bot)
    assert older.join()["turns"] == []
    assert other_cursor.told is None
    arena.referee.stop()
    other_cursor.join()


def test_a_lost_bell_costs_no_more_than_the_poll_itself(arena: Arena) -> None:
    arena.session()
    context = arena.referee._context
    context.signals.bell.ring = lambda topic: None
    bot, turn = arena.one()
    poll = Waiting(lambda: arena.referee.turns(bot, wait_ms=30_000))
    assert poll.join()["turns"][0]["turn"] == turn["turn"]
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert arena.waiting()


def test_a_stopping_referee_releases_its_waiters_and_takes_nothing_more(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    poll = Waiting(lambda: arena.referee.turns(idle_bot(arena), wait_ms=30_000))
    looking = Waiting(lambda: arena.referee.hand_events(turn["hand"], None, 999, wait_ms=30_000))
    until_waiting(arena.referee, 2)
    arena.referee.stop()
    arena.referee.stop()
    poll.join()
    looking.join()
    assert isinstance(poll.error, Unavailable)
    assert isinstance(looking.error, Unavailable)
    with pytest.raises(Unavailable):
        arena.referee.turns(bot)
    with pytest.raises(Unavailable):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})
    assert not arena.referee.health()["ready"]


def test_a_stop_is_no_outage(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(300)
    _, before = arena.one()
    arena.referee.stop()
    arena.restart(outage_ms=60_000)
    _, after = arena.one()
    assert after["remaining_ms"] == before["remaining_ms"]


def test_a_hand_is_followed_event_by_event(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    start = arena.referee.hand_events(turn["hand"])
    follower = Waiting(
        lambda: arena.referee.hand_events(turn["hand"], None, start["next"], wait_ms=30_000)
    )
    until_waiting(arena.referee, 1)
    told = arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert follower.join()["events"][0] == told["events"][0]
    assert not follower.told["over"]
    with pytest.raises(NotFound):
        arena.referee.hand_events("nothing")


def test_the_log_of_an_ended_hand_is_complete_and_over(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    hand = arena.one()[1]["hand"]
    arena.play()
    for restart in (False, True):
        if restart:
            arena.restart()
        log = arena.referee.hand_events(hand, wait_ms=30_000)
        assert log["over"]
        assert log["events"][-1]["type"] == "ended"
        assert log["next"] == len(log["events"])
    assert arena.status(session) == "finished"


def test_those_who_begin_to_wait_together_do_not_come_back_together(arena: Arena) -> None:
    context = arena.referee._context
    waits = {patience_ms(context.settings, 25_000) for _ in range(200)}
    assert len(waits) > 100
    assert 20_000 < min(waits) <= max(waits) <= 25_000
    assert (
        max(patience_ms(context.settings, 10**9) for _ in range(200))
        <= context.settings.max_wait_ms
    )
    assert [patience_ms(context.settings, ms) for ms in (0, 1, 1_000, 4_999)] == [
        0,
        1,
        1_000,
        4_999,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_referee_with_threads_plays_a_session_over_long_polls(kind: str, tmp_path: Path) -> None:
    """Real clock, sweeper and workers; one thread for each bot, answer-and-wait."""
    store = open_store("memory:" if kind == "memory" else f"sqlite:///{tmp_path / 'arena.db'}")
    referee = Referee(store, settings=Settings())
    referee.start()
    document = {"name": "Threads", "seats": 4, "hands_per_table": 3, "schedule": {"rounds": 2}}
    session = referee.create_session(document, "admin")["session"]
    referee.set_session(session, "open", "admin")
    bots = [referee.register(f"bot-{n}")[0]["id"] for n in range(8)]
    for bot in bots:
        referee.enter(session, bot)
    over = threading.Event()

    def play(bot: str) -> None:
        while not over.is_set():
            for turn in referee.turns(bot, wait_ms=200)["turns"]:
                referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])

    threads = [threading.Thread(target=play, args=(bot,)) for bot in bots]
    for thread in threads:
        thread.start()
    referee.set_session(session, "start", "admin")
    while referee.queries.session(session)["status"] != "finished":
        threading.Event().wait(0.02)
    over.set()
    for thread in threads:
        thread.join()
    progress = referee.queries.session(session)["progress"]
    assert progress["hands_finished"] == 12
    assert referee.health()["ready"]
    assert verify(referee.queries.records(session)).ok
    referee.stop()
    store.close()
