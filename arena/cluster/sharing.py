"""Who takes what: the same answer for all referees that see the same things. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import NamedTuple


class Candidate(NamedTuple):
    """A referee that takes sessions, and how many it has."""

    name: str
    sessions: int


def heir(session: str, candidates: Collection[str]) -> str | None:
    """Which of the candidates takes over a session whose home has died; None if there are none.

    By rendezvous hashing (Thaler and Ravishankar 1998), so that the sessions of one home are spread
    over all others, and a candidate more or less changes little.
    """
    return max(candidates, key=lambda name: (_weight(session, name), name), default=None)


def _weight(session: str, name: str) -> bytes:
    return blake2b(f"{name}\n{session}".encode(), digest_size=8).digest()


def least_busy(candidates: Sequence[Candidate]) -> str | None:
    """The candidate with the fewest sessions; by name among several."""
    return min(candidates, key=lambda each: (each.sessions, each.name)).name if candidates else None


def surplus(own: str, candidates: Sequence[Candidate]) -> int:
    """How many sessions a referee should hand to the least busy one: none unless it is the busiest,
    and has more than twice as many and one; then a quarter of what is between them, at least one.
    """
    if not candidates:
        return 0
    most = max(candidates, key=lambda each: (each.sessions, each.name))
    fewest = min(each.sessions for each in candidates)
    if most.name != own or most.sessions <= 2 * fewest + 1:
        return 0
    return max(1, (most.sessions - fewest) // 4)
