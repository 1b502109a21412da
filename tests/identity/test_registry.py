"""Who is known from memory, and who is looked for in the store."""

from __future__ import annotations

from typing import Any

import pytest

from arena.application import Referee
from arena.identity.registry import Registry
from arena.settings import Settings
from arena.store import Store
from arena.store.memory import open_memory
from tests.cluster.memory import Several
from tests.referee.table import Arena, FakeClock

GARBAGE = "dfa_" + "x" * 43


class CountingStore:
    """A store that counts the looks for bots."""

    def __init__(self, store: Store, *, shared: bool = False) -> None:
        self._store = store
        self.shared = shared
        self.looks = 0

    def __getattr__(self, name: str) -> Any:
        if name in ("bot", "bot_by_token", "bot_by_name", "bots"):
            self.looks += 1
        return getattr(self._store, name)


def started(store: Any) -> Referee:
    referee = Referee(store, clock=FakeClock(), settings=Settings())
    referee.start(threads=False)
    return referee


def test_a_token_that_was_good_at_the_start_never_costs_a_look_into_the_store() -> None:
    memory = open_memory()
    before = started(memory)
    bot, token = before.register("alice")
    admin = before.registry.create_admin("anna")
    store = CountingStore(memory)
    referee = started(store)
    store.looks = 0
    for _ in range(10):
        found = referee.registry.known(token)
        assert found is not None
        assert (found.id, found.kind) == (bot["id"], "bot")
        organiser = referee.registry.identify(admin)
        assert organiser is not None
        assert "admin" in organiser.scopes
    assert store.looks == 0


@pytest.mark.parametrize("shared", [False, True])
def test_garbage_is_refused_from_memory(shared: bool) -> None:
    store = CountingStore(open_memory(), shared=shared)
    registry = Registry(store, FakeClock())  # type: ignore[arg-type]
    registry.create_admin("anna")
    registry.load()
    store.looks = 0
    assert [registry.known(token) for token in (GARBAGE, "", "x" * 60_000)] == [None] * 3
    assert store.looks == 0
    assert registry.identify(GARBAGE) is None
    assert store.looks == (1 if shared else 0)
    assert registry.identify("x" * 60_000) is None
    assert store.looks == (1 if shared else 0)


def test_tokens_that_change_are_known_as_they_are_now() -> None:
    referee = Arena().referee
    bot, old = referee.register("alice")
    new = referee.rotate_token(bot["id"])
    assert (referee.registry.known(old), getattr(referee.registry.known(new), "id", None)) == (
        None,
        bot["id"],
    )
    newer = referee.rotate_token(bot["id"])
    assert (referee.registry.known(new), getattr(referee.registry.known(newer), "id", None)) == (
        None,
        bot["id"],
    )
    referee.revoke(bot["id"], "anna")
    assert [referee.registry.known(token) for token in (old, new, newer)] == [None] * 3


def test_house_bots_have_no_token_that_is_good() -> None:
    arena = Arena()
    house = arena.referee._context.registry.house(1)
    arena.restart()
    known = arena.referee._context.registry
    assert house.token_hash not in known._known


def test_a_bot_that_was_made_elsewhere_is_known_here_from_the_news() -> None:
    several = Several()
    here, there = several.members
    _, token = there.referee.register("alice")
    several.step()
    assert here.referee.registry.known(token) is not None


def test_a_bot_of_which_no_news_came_is_looked_for() -> None:
    several = Several()
    here, there = several.members
    here.line.deaf = True
    _, token = there.referee.register("alice")
    assert here.referee.registry.known(token) is None
    assert here.referee.registry.identify(token) is not None
    assert here.referee.registry.known(token) is not None
