"""Which referees have died, by what is observed of them. No clock, no database, no threads.

A referee counts its beats in its row, and holds a lock of its name as long as its connection to the
database is open. Who observes compares counts, never clocks: a count that has not grown for long
belongs to a referee that has died, stands still or cannot reach the database, and its sessions are
to be taken over. With the lock gone as well, half of that is enough: the process was killed.

An observer that did not observe for a while, since it stood still, counts all silence anew: it may
be the first to look after the database was away. One that knows that it was (`interrupted`) gives
everybody some time to come back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

GRACE = 3
"""How many times as long it waits after the database was away."""


class Sign(NamedTuple):
    """A sign of life: which run of a referee, and how often it has beaten. stopped: it has ended in
    order."""

    incarnation: str
    beats: int
    stopped: bool


class FailureDetector:
    """lease_ms: how long a referee may be silent."""

    def __init__(self, lease_ms: int) -> None:
        self._lease_ms = lease_ms
        self._last_ms: int | None = None
        self._patient_until_ms = 0
        self._since: dict[str, tuple[Sign, int]] = {}

    def observe(
        self, at_ms: int, signs: Mapping[str, Sign], locked: Collection[str]
    ) -> frozenset[str]:
        """The names of those that are dead now.

        at_ms: by a clock that only goes forward. signs: the last ones of all referees but the
        observer itself. locked: names whose locks are held.
        """
        last_ms, self._last_ms = self._last_ms, at_ms
        if last_ms is not None and at_ms - last_ms > self._lease_ms // 2:
            self._since.clear()
        self._since = {name: self._seen(name, sign, at_ms=at_ms) for name, sign in signs.items()}
        return frozenset(
            name for name in signs if self._is_dead(name, at_ms, is_locked=name in locked)
        )

    def interrupted(self, at_ms: int) -> None:
        """Nothing can be observed now, or it means nothing: the observer itself cannot beat."""
        self._last_ms = at_ms
        self._patient_until_ms = at_ms + GRACE * self._lease_ms

    def silent_ms(self, name: str) -> int:
        """For how long a referee had not been observed to beat, when it was observed last."""
        if name not in self._since or self._last_ms is None:
            return 0
        return self._last_ms - self._since[name][1]

    def _seen(self, name: str, sign: Sign, *, at_ms: int) -> tuple[Sign, int]:
        before = self._since.get(name)
        return before if before is not None and before[0] == sign else (sign, at_ms)

    def _is_dead(self, name: str, at_ms: int, *, is_locked: bool) -> bool:
        sign, since_ms = self._since[name]
        if sign.stopped:
            return True
        if at_ms < self._patient_until_ms:
            return False
        silent_ms = at_ms - since_ms
        return silent_ms >= (self._lease_ms if is_locked else self._lease_ms // 2)
