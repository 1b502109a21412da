"""Requests as large as they are accepted, for the same measure as hostile ones.

The largest batch of answers, the longest lists, entering a session that a thousand bots have
entered, looking at it. The tables and bots for that are prepared when the first of them is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from arena.bench.abuse_crowd import CROWDED
from arena.bench.abuse_kinds import SESSIONS, TURNS
from arena.bench.abuse_target import RequestKind, Sent, Target


def accepted() -> Sequence[RequestKind]:
    """All of them."""
    return (
        RequestKind("64 answers, accepted", lambda arena: _batch(*arena.crowd.due())),
        RequestKind(
            "64 answers to hands that are over", lambda arena: _batch(*arena.crowd.played())
        ),
        RequestKind("a session with 1,000 finalists", _session),
        RequestKind("codes for 300 owners", _codes),
        RequestKind("the 1,000th entry", _entry),
        RequestKind("a session of 1,000 bots", lambda _: Sent("GET", f"{SESSIONS}/{CROWDED}")),
        RequestKind("an embargo on it", _embargo),
    )


def _batch(token: str, answers: Sequence[Any]) -> Sent:
    body = orjson.dumps({"answers": answers})
    return Sent("POST", TURNS, token=token, body=body, query="wait=0&max=64")


def _session(arena: Target) -> Sent:
    schedule = {"kind": "final", "finalists": arena.crowd.names}
    body = orjson.dumps({"name": "x" * 80, "schedule": schedule})
    return Sent("POST", SESSIONS, token=arena.organiser, body=body)


def _codes(arena: Target) -> Sent:
    body = orjson.dumps({"label": "x" * 80, "owners": arena.crowd.owners()})
    return Sent("POST", "/api/v1/codes", token=arena.organiser, body=body)


def _entry(arena: Target) -> Sent:
    path = f"{SESSIONS}/{CROWDED}/entries/{arena.crowd.absent()}"
    return Sent("PUT", path, token=arena.organiser)


def _embargo(arena: Target) -> Sent:
    body = orjson.dumps({"until": "2099-01-31T09:00:00Z"})
    return Sent("POST", f"{SESSIONS}/{CROWDED}/embargo", token=arena.organiser, body=body)
