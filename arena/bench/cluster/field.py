"""The sessions of a campaign and their bots: the same ones with faults, and in peace.

Half of the sessions share eight bots, so that these bots' turns come from several referees; the
others have four of their own each. Every other bot follows the route that answers name, and every
other pair answers many turns in one request.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from arena.bench.cluster.lines import RoutedLine
from arena.bench.cluster.referees import Balancer
from arena.bench.killable import Delays, KillPace
from arena.bench.recording_bots import BotConnection, RecordingBot
from arena.client import Client
from arena.documents import Document

SHARED = 8
OWN = 4
A_HAND = 100
"""Decisions in a hand, about."""
LONGER = 1.6
"""By how much the sessions are longer than the faults should last."""
GRACE_MS = 150
ABSENT_AFTER = 3
PROBATION_MS = 300
HOLD_S = 4.0
"""How long a bot is held up in a call at the most. It may have turns at many tables, and needs time
for all of them."""


class FieldPlan(NamedTuple):
    """What is played. tables: of each session, all in play at once. faults: how many the sessions
    must outlast. a_fault: decisions that are due after each, over all sessions."""

    sessions: int
    tables: int
    faults: int
    a_fault: int
    move_ms: int
    seed: int

    @property
    def names(self) -> list[str]:
        """Of the sessions."""
        return [f"faults-{number}" for number in range(1, self.sessions + 1)]

    @property
    def hands(self) -> int:
        """At each table."""
        due = LONGER * self.faults * self.a_fault
        return max(1, math.ceil(due / (A_HAND * self.tables * self.sessions)))

    def teams(self) -> list[tuple[list[str], list[str]]]:
        """Sessions that share bots, with the names of these."""
        shared = self.names[: self.sessions // 2]
        own = self.names[len(shared) :]
        teams = [(shared, [f"shared-{n}" for n in range(SHARED)])] if shared else []
        return [*teams, *(([name], [f"{name}-{n}" for n in range(OWN)]) for name in own)]

    def document(self, session: str, bots: int) -> Document:
        """The document of one session."""
        rounds = self.tables * 4 // bots
        return {
            "name": session,
            "slug": session,
            "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]},
            "hands_per_table": self.hands,
            "schedule": {"kind": "round_robin", "rounds": rounds, "rounds_at_once": rounds},
            "clock": {
                "move_ms": self.move_ms,
                "bank_ms": 0,
                "grace_ms": GRACE_MS,
                "absent_after": ABSENT_AFTER,
                "probation_ms": PROBATION_MS,
            },
            "roster": {"max_bots": bots},
            "seed": f"{self.seed:02x}{self.names.index(session):02x}",
        }


class Paces(NamedTuple):
    """How the bots of each team are held up, so that all sessions last."""

    of_teams: Sequence[KillPace]

    def wait(self) -> None:
        """Until another answer is on its way, or it takes too long."""
        self.of_teams[0].wait()

    def struck(self) -> None:
        """One fault more is over."""
        for pace in self.of_teams:
            pace.killed()


class FaultField(NamedTuple):
    """Sessions that are created and entered. tokens: of the bots of each session. bots: not started
    yet."""

    sessions: Sequence[str]
    tokens: Mapping[str, Sequence[str]]
    bots: Sequence[RecordingBot]
    paces: Paces


def set_up(
    organiser: Client, balancer: Balancer, plan: FieldPlan, ended: threading.Event, *, faults: int
) -> FaultField:
    """Register bots, create sessions and enter them; faults: 0 for bots that are not held up."""
    tokens: dict[str, list[str]] = {}
    bots: list[RecordingBot] = []
    paces: list[KillPace] = []
    for sessions, names in plan.teams():
        share = math.ceil(plan.a_fault * len(sessions) / plan.sessions)
        pace = KillPace(faults, Delays(HOLD_S), a_kill=share)
        registered = [_register(organiser, name) for name in names]
        for session in sessions:
            _create(organiser, plan, session, registered)
            tokens[session] = [each["token"] for each in registered]
        paces.append(pace)
        for each in registered:
            bots.append(_bot(balancer, each, len(bots), sessions=sessions, pace=pace, ended=ended))
    return FaultField(plan.names, tokens, bots, Paces(paces))


def _register(organiser: Client, name: str) -> Document:
    body = {"name": name, "owner": f"owner-of-{name}"}
    registered: Document = organiser.request("POST", "/bots", body=body, idempotent=False)
    return registered


def _create(
    organiser: Client, plan: FieldPlan, session: str, registered: Sequence[Document]
) -> None:
    organiser.request("POST", "/sessions", body=plan.document(session, len(registered)))
    for each in registered:
        organiser.request("PUT", f"/sessions/{session}/entries/{each['bot']['id']}")


def _bot(
    balancer: Balancer,
    registered: Document,
    number: int,
    *,
    sessions: Sequence[str],
    pace: KillPace,
    ended: threading.Event,
) -> RecordingBot:
    names = balancer.names()
    first, follows = names[number % len(names)], number % 2 == 0

    def open_line(token: str, give_up: Callable[[], bool]) -> BotConnection:
        return RoutedLine(balancer, token, give_up=give_up, follows=follows, first=first)

    batches = number % 4 < 2
    return RecordingBot(open_line, registered, sessions, batches=batches, pace=pace, ended=ended)
