"""Everything at once: slow, silent and quick bots, pauses, a withdrawal, real threads and time."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from arena.application import Referee
from arena.errors import ArenaError, Conflict, Gone, Unavailable
from arena.records.verify import verify
from arena.rules import EMPTY, evolve
from arena.settings import Settings
from arena.store import open_store
from tests.referee.table import Arena, lowest

CLOCK = {"move_ms": 20, "bank_ms": 0, "grace_ms": 2, "absent_after": 2}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_disorderly_session_ends_and_verifies(kind: str, tmp_path: Path) -> None:
    store = open_store("memory:" if kind == "memory" else f"sqlite:///{tmp_path / 'arena.db'}")
    referee = Referee(store, settings=Settings(heartbeat_ms=50))
    referee.start()
    document = {
        "name": "Disorder",
        "seats": 3,
        "hands_per_table": 4,
        "clock": CLOCK,
        "schedule": {"rounds": 3, "rounds_at_once": 3},
    }
    session = referee.create_session(document, "admin")["session"]
    referee.set_session(session, "open", "admin")
    bots = [referee.register(f"bot-{n}")[0]["id"] for n in range(9)]
    for bot in bots:
        referee.enter(session, bot)
    over = threading.Event()
    odd: list[Exception] = []
    told: set[str] = set()

    def play(bot: str, rng: random.Random) -> None:
        while not over.is_set():
            for turn in referee.turns(bot, wait_ms=50)["turns"]:
                if rng.random() < 0.02:
                    over.wait(0.03)
                try:
                    for _ in range(rng.choice((1, 1, 2))):
                        referee.answer(bot, turn["turn"], lowest(turn))
                        told.add(turn["turn"])
                except (Gone, Conflict):
                    pass
                except ArenaError as error:
                    odd.append(error)

    players = [
        threading.Thread(target=play, args=(bot, random.Random(n)))
        for n, bot in enumerate(bots[1:])
    ]
    for thread in players:
        thread.start()
    referee.set_session(session, "start", "admin")
    for action in ("pause", "resume"):
        over.wait(0.1)
        referee.set_session(session, action, "admin")
    referee.withdraw(session, bots[1], "admin")
    while referee.queries.session(session)["status"] != "finished":
        over.wait(0.02)
    over.set()
    for thread in players:
        thread.join()
    assert odd == []
    assert verify(referee.queries.records(session)).ok
    steps = [s for hand in store.session_hands(session, limit=999) for s in store.steps(hand.id)]
    turns = [step.turn for step in steps if step.turn]
    assert len(turns) == len(set(turns))
    assert told <= set(turns)
    referee.stop()
    store.close()


@pytest.mark.slow
def test_the_live_state_is_the_fold_of_the_log(arena: Arena) -> None:
    arena.session(ruleset="pagat+kakumei+hachi_giri+shibari")
    context = arena.referee._context
    for _ in range(40):
        arena.play(at_most=5)
        for hand in context.in_play.hands.values():
            again = Arena(arena.store, arena.clock).referee._context.in_play.find_hand(hand.id)
            assert again.log.state == hand.log.state == evolve(EMPTY, hand.log.events)
            assert set(again.turns) == set(hand.turns)
            assert [turn.id for turn in again.turns.values()] == [
                turn.id for turn in hand.turns.values()
            ]


def test_a_job_that_the_store_cannot_do_is_tried_again_by_the_sweeper() -> None:
    """With threads: the store refuses for a moment, and the session goes on by itself."""
    store = open_store("memory:")
    referee = Referee(store, settings=Settings(heartbeat_ms=20))
    referee.start()
    document = {"name": "Full", "seats": 3, "hands_per_table": 1, "schedule": {"rounds": 1}}
    session = referee.create_session(document, "admin")["session"]
    referee.set_session(session, "open", "admin")
    for n in range(3):
        referee.enter(session, referee.register(f"bot-{n}")[0]["id"])
    write, refused = store.write, threading.Event()

    def full(*changes: object) -> None:
        if any(type(change).__name__ == "TableRow" for change in changes) and not refused.is_set():
            refused.set()
            raise Unavailable("the disk is full")
        write(*changes)  # type: ignore[arg-type]

    store.write = full  # type: ignore[method-assign]
    referee.set_session(session, "start", "admin")
    while not referee.queries.tables(session)["tables"]:
        threading.Event().wait(0.01)
    assert refused.is_set()
    referee.stop()
