"""What is kept of where bots play is never older than what was said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from arena.cluster.entrants import Entrants
from arena.cluster.leases import SessionLeases
from arena.store.port import Store

HOMES = {"cup": "ash", "tea": "elm"}


class Reading:
    """A store in which something happens while it is being read."""

    def __init__(self) -> None:
        self.sessions = ["cup"]
        self.meanwhile: Callable[[], None] = lambda: None
        self.reads = 0

    def leased_sessions(self, bot: str) -> list[str]:
        self.reads += 1
        read = list(self.sessions)
        self.meanwhile()
        return read


def entrants_of(store: Reading) -> Entrants:
    leases: Any = type("Leases", (), {"home": staticmethod(HOMES.get)})
    return Entrants(cast(Store, store), cast(SessionLeases, leases))


def test_what_changes_while_it_is_read_is_read_again() -> None:
    store = Reading()
    entrants = entrants_of(store)

    def starts() -> None:
        store.meanwhile = lambda: None
        store.sessions.append("tea")
        entrants.forget(["bot"])

    store.meanwhile = starts
    assert entrants.homes("bot") == ("ash", "elm")
    assert entrants.homes("bot") == ("ash", "elm")
    assert store.reads == 2


def test_what_changes_all_the_time_is_not_kept_and_keeps_nobody_for_ever() -> None:
    store = Reading()
    entrants = entrants_of(store)
    store.meanwhile = entrants.forget
    assert entrants.homes("bot") == ("ash",)
    store.meanwhile = lambda: None
    reads = store.reads
    assert entrants.homes("bot") == ("ash",)
    assert store.reads == reads + 1
