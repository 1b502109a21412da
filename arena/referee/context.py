"""What the parts of one process work with, by name: ports, what is in play, and signals.

A function takes what it needs: one of these things, or the smallest of the values below that has
them all. What only reads takes `Sources`, which has no signals; a function that moves hands on
reads, writes and rings: it takes the whole `Context`, which is a `Sources` too. All of it is put
together once, in `open_context`, and nothing is replaced later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.clock import Clock
from arena.identity.registry import Registry
from arena.identity.visits import Visits
from arena.proofs.signatures import Signer
from arena.referee.bell import Bell
from arena.referee.clock import ArenaClock
from arena.referee.computing import LongWork
from arena.referee.deadline_queue import DeadlineQueue
from arena.referee.in_play import InPlay
from arena.referee.jobs import JobQueue
from arena.referee.metrics import Metrics
from arena.referee.open_turns import OpenTurns, Presence
from arena.settings import Settings
from arena.store.port import Store


@dataclass(frozen=True, slots=True)
class Ports:
    """What lies outside of any game: the log, the time, the limits, what is counted, who is who and
    was here when, how what takes long is done, and with which key what is published is signed, if
    there is one."""

    store: Store
    clock: ArenaClock
    settings: Settings
    metrics: Metrics
    registry: Registry
    visits: Visits
    long_work: LongWork
    signer: Signer | None


@dataclass(frozen=True, slots=True)
class Signals:
    """By what one part sets others going: those who wait, what waits for bots, which of them are
    there, what falls due, and what is to be done next."""

    bell: Bell
    open_turns: OpenTurns
    presence: Presence
    deadlines: DeadlineQueue
    jobs: JobQueue


@dataclass(frozen=True, slots=True)
class Sources(Ports):
    """What queries read: the ports, and what is in play."""

    in_play: InPlay


@dataclass(frozen=True, slots=True)
class Context(Sources):
    """What live play and organisers work with: all of it, with the signals that follow a change."""

    signals: Signals


def open_context(
    store: Store,
    clock: Clock,
    settings: Settings,
    *,
    metrics: Metrics | None = None,
    rest: Callable[[float], None] | None = None,
    signer: Signer | None = None,
) -> Context:
    """The context of a process that has just begun, with nothing in play.

    rest: how what takes long lets others have their turns (see `Pacer`), where all are served by
    one thread; None where it need not.
    """
    arena_clock, registry = ArenaClock(clock), Registry(store, clock)
    in_play = InPlay(store, arena_clock, registry)
    share = settings.exports_share / 100
    return Context(
        store=store,
        clock=arena_clock,
        settings=settings,
        metrics=metrics or Metrics(),
        registry=registry,
        visits=Visits(store),
        long_work=LongWork(share, quiet=lambda: not in_play.hands, rest=rest),
        signer=signer,
        in_play=in_play,
        signals=Signals(Bell(), OpenTurns(), Presence(), DeadlineQueue(), JobQueue()),
    )
