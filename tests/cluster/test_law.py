"""The law of homes: whatever happens to referees, a session is that of one process.

Referees are killed and restarted, cut off, deaf, asleep; sessions are moved, drained, paused; bots
play at whoever is there. In the end each accepted answer is in the log once, no turn was answered
by the referee, no clock went back, and the log is the one of an undisturbed process.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput, Conflict, Unavailable
from arena.records.verify import verify
from arena.store.sql import SqlStore
from tests.cluster.memory import BEAT_MS, LEASE_MS, Member, Several
from tests.referee.table import Arena, lowest
from tests.store.contents import counters

MEMBERS: dict[str, Any] = {
    "seats": 3,
    "hands_per_table": 2,
    "schedule": {"rounds": 2},
    "clock": {"move_ms": 60_000},
}
Log = list[tuple[str, int, str, str]]


def log(store: SqlStore) -> Log:
    """All steps: the hand, its number, the turn, and what was done."""
    return [
        (row.id, step.seq, step.turn, step.command)
        for row in store.session_hands("cup", limit=99)
        for step in store.steps(row.id)
    ]


@cache
def log_of_one_process() -> Log:
    arena = Arena()
    arena.session(**MEMBERS)
    arena.play()
    return log(arena.store)  # type: ignore[arg-type]


class World:
    """Some referees, what happens to them, and what their bots were told."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.several = Several(3)
        self.several.members[0].session(**MEMBERS)
        self.several.step()
        self.accepted: list[str] = []

    @property
    def over(self) -> bool:
        row = self.several.store.session("cup")
        return row is not None and row.status == "finished"

    def live(self) -> None:
        """Something happens; then some referees that can make a step."""
        happens = self.random.choices(
            (
                *(self.pass_time, self.kill, self.kill_all, self.cut, self.deafen, self.sleep),
                self.organise,
            ),
            (24, 2, 1, 2, 4, 2, 6),
        )[0]
        happens(self.random.choice(self.several.members))
        for member in self.several.alive:
            if self.random.random() < 0.7:
                self.step(member)

    def step(self, member: Member) -> None:
        with suppress(Unavailable):  # it is tried again with the next step
            member.step()

    def pass_time(self, member: Member) -> None:
        self.several.clock.pass_ms(self.random.choice((0, 1, 30, BEAT_MS)))

    def kill(self, member: Member) -> None:
        self.several.restart(member)

    def kill_all(self, member: Member) -> None:
        for each in self.several.alive:
            each.kill()
        self.several.clock.pass_ms(self.random.choice((0, LEASE_MS, 600_000)))
        for each in tuple(self.several.members):
            self.several.restart(each)

    def cut(self, member: Member) -> None:
        member.line.cut = True
        if self.random.random() < 0.3:
            member.line.release()
        for _ in range(self.random.randrange(2 * LEASE_MS // BEAT_MS)):
            self.several.clock.pass_ms(BEAT_MS)
            for each in self.several.alive:
                self.step(each)
        member.line.cut = False

    def deafen(self, member: Member) -> None:
        member.line.deaf = not member.line.deaf

    def sleep(self, member: Member) -> None:
        """It stands still while the others go on; then it wakes up and is asked at once."""
        for _ in range(self.random.randrange(2 * LEASE_MS // BEAT_MS)):
            self.several.clock.pass_ms(BEAT_MS)
            for each in self.several.alive:
                if each is not member:
                    self.step(each)

    def organise(self, member: Member) -> None:
        """Something that organisers do, at any referee; it may be refused there."""
        other = self.random.choice(self.several.members)
        acts = (
            lambda: member.cluster.move("cup", other.name, "anna"),
            lambda: member.cluster.drain("anna"),
            lambda: member.cluster.undrain("anna"),
            lambda: member.referee.set_session("cup", "pause", "anna"),
            lambda: member.referee.set_session("cup", "resume", "anna"),
            lambda: member.referee.set_session("cup", "resume", "anna"),
        )
        with suppress(BadInput, Conflict, Unavailable):
            self.random.choice(acts)()

    def play(self) -> None:
        """A bot asks one referee, and answers there, or at another one."""
        asked, answered = self.random.choices(self.several.members, k=2)
        bots = list(asked.bots.values())
        waited_for = [bot for bot in bots if asked.referee._context.signals.open_turns.of(bot)]
        bot = self.random.choice(waited_for or bots)
        if self.random.random() < 0.8:
            answered = asked
        if not (asked.cluster.is_certain() and answered.cluster.is_certain()):
            return  # a request waits until they are
        with suppress(Unavailable):  # what was not accepted is sent again some time
            for turn in asked.referee.turns(bot)["turns"]:
                told = answered.referee.answer(bot, turn["turn"], lowest(turn))
                if not told["replayed"]:
                    self.accepted.append(turn["turn"])

    def check(self) -> None:
        """After the end."""
        store = self.several.store
        assert log(store) == log_of_one_process()
        assert sorted(self.accepted) == sorted(turn for _, _, turn, _ in log(store) if turn)
        for row in store.session_hands("cup", limit=99):
            metas = [orjson.loads(step.meta) for step in store.steps(row.id)]
            times = [meta["clock_ms"] for meta in metas]
            assert times == sorted(times)
            assert [meta["charged_ms"] for meta in metas if meta.get("cause")] == []
        assert store.leases() == ()
        assert {key.partition("/")[0] for key in counters(store)} <= {"seen"}
        for member in self.several.alive:
            member.step()
            in_play = member.referee._context.in_play
            assert (in_play.sessions, in_play.tables, in_play.hands) == ({}, {}, {})
            assert len(member.referee._context.signals.open_turns) == 0
            assert verify(member.referee.queries.records("cup", full=True)).ok


@pytest.mark.slow
@settings(max_examples=max(4, settings().max_examples // 25))
@given(st.integers(0, 2**32))
def test_whatever_happens_to_referees_the_session_is_that_of_one_process(seed: int) -> None:
    world = World(seed)
    for _ in range(20_000):
        if world.over:
            break
        world.live()
        for _ in range(3):
            world.play()
    else:
        raise AssertionError("the session does not end")
    world.check()
