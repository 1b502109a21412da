"""What hostile requests cost the process that answers them, beside honest ones.

Each is put to a whole arena on a SQLite file, by WSGI and without sockets, and what is measured is
the CPU time of the process: of the whole request, and of its longest piece between two rests, which
is how long everybody else has to wait for it. Limits let all of them through, for what a request
costs is not what a client may ask for.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from arena.bench.abuse_accepted import accepted
from arena.bench.abuse_kinds import hostile
from arena.bench.abuse_target import RequestKind, Sent, Target, target

BUDGET_MS = 5.0
"""What a request may cost in one piece."""


class Cost(NamedTuple):
    """What a kind of request costs. group: honest, accepted or hostile. median_ms, worst_ms: CPU
    time; piece_ms: the median of the longest pieces."""

    name: str
    group: str
    status: int
    sent_bytes: int
    median_ms: float
    worst_ms: float
    piece_ms: float


def measure(*, repeat: int) -> list[Cost]:
    """All kinds of requests, honest ones first."""
    groups = {"honest": honest(), "accepted": accepted(), "hostile": hostile()}
    with target() as arena:
        return [
            _cost(arena, kind, group=group, repeat=repeat)
            for group, kinds in groups.items()
            for kind in kinds
        ]


def honest() -> Sequence[RequestKind]:
    """What bots do all the time."""
    return (
        RequestKind("poll", lambda arena: Sent("GET", "/api/v1/turns", token=arena.turn()[0])),
        RequestKind("answer, accepted", lambda arena: _answer(arena, {"choice": 0})),
        RequestKind("answer, refused", lambda arena: _answer(arena, {"choice": 99_999})),
    )


def _answer(arena: Target, body: dict[str, Any]) -> Sent:
    token, turn = arena.turn()
    path = f"/api/v1/turns/{turn['turn']}"
    return Sent("POST", path, token=token, body=orjson.dumps(body))


def _cost(arena: Target, kind: RequestKind, *, group: str, repeat: int) -> Cost:
    times, pieces = [], []
    arena.ask(kind.make(arena))  # what is created once is not counted
    for _ in range(repeat):
        sent = kind.make(arena)
        status, spent_ms = arena.ask(sent)
        times.append(spent_ms)
        pieces.append(max(arena.watch.pieces_ms))
    size = len(sent.body) + len(sent.query) + len(sent.path)
    median_ms = statistics.median(times)
    piece_ms = statistics.median(pieces)
    return Cost(kind.name, group, status, size, median_ms, max(times), piece_ms)
