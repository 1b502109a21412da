"""A real database that is made read-only while sessions are in play, and writable again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from arena.application import Referee
from arena.errors import Unavailable
from arena.settings import Settings
from arena.store import Store, open_store
from arena.store.port import CounterRow
from tests.cli.shell import arena
from tests.cluster.memory import BEAT_MS, LEASE_MS
from tests.postgres import Server
from tests.referee.table import Arena, FakeClock, lowest
from tests.store.processes import soon

pytestmark = pytest.mark.server
CLOCK: dict[str, Any] = {"move_ms": 1_000, "bank_ms": 0, "grace_ms": 0}
SETTING = "default_transaction_read_only"
OURS = "FROM pg_stat_activity WHERE application_name LIKE 'daifugo-arena%'"


def writable(postgres: Server) -> str:
    """A URL whose connections can always write."""
    return f"{postgres.url()}%20-c{SETTING}%3Doff"


def reconnect(postgres: Server, change: str) -> None:
    """For all connections that are made from now on; those that there are, are cut."""
    postgres.execute(f"ALTER DATABASE postgres {change}", writable(postgres))
    postgres.execute(f"SELECT pg_terminate_backend(pid) {OURS}", writable(postgres))


def reload(postgres: Server, change: str) -> None:
    """For all connections, also those that there are: each reads it before its next statement."""
    postgres.execute(f"ALTER SYSTEM {change}", writable(postgres))
    postgres.execute("SELECT pg_reload_conf()", writable(postgres))


class Played(Arena):
    """A referee of a cluster on a real database, whose threads do not run."""

    def __init__(self, store: Store, clock: FakeClock, name: str) -> None:
        settings = Settings(registration="closed", cluster_name=name, lease_ms=LEASE_MS)
        self.store, self.clock, self.bots = store, clock, {}
        self.referee = Referee(store, clock=clock, settings=settings)
        self.referee.start(threads=False)

    def live(self) -> None:
        """What its threads would do."""
        cluster = self.referee.cluster
        assert cluster is not None
        acts = (cluster._beat, cluster._observe, cluster._deal, self.referee._sweeper.sweep)
        for act in acts:
            with suppress(Unavailable):
                act()
        with suppress(Unavailable):
            self.referee._workers.run_waiting()


@pytest.fixture
def both(postgres: Server) -> Iterator[tuple[Played, Played]]:
    url, clock = postgres.create(), FakeClock()
    with ExitStack() as stores:
        pair = [
            Played(stores.enter_context(open_store(url)), clock, f"read-only-{name}")
            for name in "ab"
        ]
        pair[1].bots = pair[0].bots
        yield pair[0], pair[1]
        for each in pair:
            each.referee.stop()


def pass_ms(both: tuple[Played, Played], ms: int) -> None:
    for _ in range(ms // BEAT_MS):
        both[0].clock.pass_ms(BEAT_MS)
        for each in both:
            each.live()


def switched(both: tuple[Played, Played], *, on: bool) -> bool:
    """Do the connections by which both write know it by now?"""
    return all(is_refused(each.store) == on for each in both)


def is_refused(store: Store) -> bool:
    try:
        store.write(CounterRow("ready", 1))
    except Unavailable:
        return True
    return False


@pytest.mark.parametrize("switch", [reconnect, reload])
def test_sessions_in_play_outlast_a_database_that_takes_no_writes(
    postgres: Server, both: tuple[Played, Played], switch: Callable[[Server, str], None]
) -> None:
    slugs = ("cup", "league")
    for each, slug in zip(both, slugs, strict=True):
        each.session(2, seats=2, slug=slug, clock=CLOCK)
    pass_ms(both, 2 * BEAT_MS)
    leases = both[0].store.leases()
    for _ in range(2):
        waiting = [each.one() for each in both]
        switch(postgres, f"SET {SETTING} = on")
        try:
            assert soon(lambda: switched(both, on=True))
            for each, (bot, turn) in zip(both, waiting, strict=True):
                with pytest.raises(Unavailable, match="takes no writes"):
                    each.referee.answer(bot, turn["turn"], lowest(turn))
            pass_ms(both, 3 * LEASE_MS)
            assert [each.one()[1]["turn"] for each in both] == [turn["turn"] for _, turn in waiting]
        finally:
            switch(postgres, f"RESET {SETTING}")
        assert soon(lambda: switched(both, on=False))
        pass_ms(both, BEAT_MS)
        assert both[0].store.leases() == leases
        for each, (bot, turn) in zip(both, waiting, strict=True):
            assert each.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    for each, slug in zip(both, slugs, strict=True):
        each.play()
        assert each.status(slug) == "finished"
        for hand in each.store.session_hands(slug, limit=9):
            steps = each.store.steps(hand.id)
            assert [s.turn for s in steps if s.turn and '"cause":null' not in s.meta] == []


def test_a_referee_does_not_start_on_a_database_that_takes_no_writes(postgres: Server) -> None:
    """One line and exit code 2, also if the database is up to date."""
    url = postgres.create()
    for _ in range(2):
        done = arena("serve", "--port", "0", "--database", f"{url}%20-c{SETTING}%3Don")
        assert (done.returncode, done.stdout) == (2, "")
        [line] = done.stderr.splitlines()
        assert line.startswith("arena: the database: it takes no writes, since it is read-only or")
        open_store(url).close()
