"""Under which keys the store keeps where a session's clock stands, and that it is ending."""

from __future__ import annotations

from arena.store.port import Change, DropCounter, Store

PREFIXES = ("lag", "frozen", "ending", "stood")
"""lag: by how much its time is behind arena time; frozen: the session time of a pause; ending:
since when it ends; stood: the session time at which a referee gave it up, until the next one goes
on."""


def drop_counters(store: Store, session: str) -> list[Change]:
    """What takes those counters of a session away that are there."""
    keys = [f"{prefix}/{session}" for prefix in PREFIXES]
    return [DropCounter(key) for key in store.counters(keys)]
