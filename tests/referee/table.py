"""A referee at hand: a fake clock, a memory store, bots that answer at once, no threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.application import Referee
from arena.documents import Document
from arena.settings import Settings
from arena.store import Store
from arena.store.memory import open_memory

Answerer = Callable[[Document], Mapping[str, Any]]
START_MS = 1_800_000_000_000
SEED = "00" * 31 + "07"
CLOSED = Settings(registration="closed")
"""Bots are registered by whoever runs the process, so that all owners are proven."""


class FakeClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def pass_ms(self, ms: int) -> None:
        self.ms += ms


def first(turn: Document) -> Mapping[str, Any]:
    """The first legal answer: a pass where it is allowed."""
    return {"choice": 0}


def lowest(turn: Document) -> Mapping[str, Any]:
    """The lowest cards; a pass only if nothing else is legal."""
    entries = turn["legal"]
    return next((entry for entry in entries if "pass" not in entry), entries[0])


class Arena:
    """One referee with its clock and store, and some bots by name."""

    def __init__(self, store: Store | None = None, clock: FakeClock | None = None) -> None:
        self.store = store or open_memory()
        self.clock = clock or FakeClock()
        self.referee = Referee(self.store, clock=self.clock, settings=CLOSED)
        self.referee.start(threads=False)
        self.bots: dict[str, str] = {}

    def restart(self, *, outage_ms: int = 0) -> None:
        """Another process takes over where this one was, `outage_ms` later."""
        self.clock.pass_ms(outage_ms)
        self.referee = Referee(self.store, clock=self.clock, settings=CLOSED)
        self.referee.start(threads=False)

    def enrol(self, count: int, *, owner: str | None = None) -> list[str]:
        """New bots; their ids."""
        ids = []
        for number in range(len(self.bots) + 1, len(self.bots) + count + 1):
            bot, _ = self.referee.register(f"bot-{number}", owner)
            self.bots[bot["name"]] = bot["id"]
            ids.append(bot["id"])
        return ids

    def session(self, bots: int = 4, *, start: bool = True, **members: Any) -> str:
        """A session that has been started, or only opened, with so many new bots; its id."""
        document = {
            "name": "Spring cup",
            "slug": "cup",
            "seats": 4,
            "hands_per_table": 2,
            "schedule": {"rounds": 1},
            "seed": SEED,
            **members,
        }
        session = self.referee.create_session(document, "admin")["session"]
        self.referee.set_session(session, "open", "admin")
        for bot in self.enrol(bots):
            self.referee.enter(session, bot)
        if start:
            self.referee.set_session(session, "start", "admin")
        return session

    def waiting(self) -> list[tuple[str, Document]]:
        """Every open turn that is offered, with its bot."""
        return [
            (bot, turn)
            for bot in self.bots.values()
            for turn in self.referee.turns(bot, limit=64)["turns"]
        ]

    def one(self) -> tuple[str, Document]:
        """The first open turn, with its bot."""
        return self.waiting()[0]

    def play(self, answerer: Answerer = lowest, *, at_most: int = 100_000) -> int:
        """Answer whatever waits until nothing does, or so often; the number of answers."""
        answered = 0
        while answered < at_most and (waiting := self.waiting()):
            for bot, turn in waiting[: at_most - answered]:
                self.referee.answer(bot, turn["turn"], answerer(turn))
                answered += 1
        return answered

    def first_lap(self) -> None:
        """Play until everybody has answered once, so that every seat has the whole of its bank."""
        silent = set(self.bots.values())
        while silent:
            bot, turn = self.one()
            self.referee.answer(bot, turn["turn"], lowest(turn))
            silent.discard(bot)

    def status(self, session: str) -> str:
        status: str = self.referee.queries.session(session)["status"]
        return status

    def log(self, hand: str) -> list[tuple[int, str]]:
        """(seq, turn) of every step of a hand."""
        return [(step.seq, step.turn) for step in self.store.steps(hand)]
