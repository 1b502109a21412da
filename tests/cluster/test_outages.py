"""A database that takes no writes for a while, or is away: nobody is charged, and all stay at home.

Here nothing happens by itself; `test_read_only` has a real database.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from arena.errors import Unavailable
from tests.cluster.memory import BEAT_MS, LEASE_MS, Member, Several
from tests.cluster.test_takeover import check_nobody_was_answered_for
from tests.referee.table import lowest

CLOCK: dict[str, Any] = {"move_ms": 1_000, "bank_ms": 0, "grace_ms": 0}


@pytest.fixture
def both() -> tuple[Several, Member, Member]:
    """Two referees, each of which plays a session of its own."""
    several = Several()
    here, there = several.members
    here.session(clock=CLOCK)
    here.first_lap()
    there.session(slug="league", clock=CLOCK)
    several.step()
    return several, here, there


def pass_ms(several: Several, ms: int) -> None:
    """Let time pass while each thread of each referee does what it can."""
    for _ in range(ms // BEAT_MS):
        several.clock.pass_ms(BEAT_MS)
        for member in several.members:
            cluster, sweeper = member.cluster, member.referee._sweeper
            for act in (cluster._beat, cluster._observe, cluster._deal, sweeper.sweep):
                with suppress(Unavailable):
                    act()


def test_sessions_stay_at_home_while_the_database_takes_no_writes(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    leases = several.store.leases()
    for member in several.members:
        member.line.barred = True
    pass_ms(several, 4 * LEASE_MS)
    here.line.barred = False
    pass_ms(several, BEAT_MS)
    there.line.barred = False
    pass_ms(several, 2 * BEAT_MS)
    assert several.store.leases() == leases
    check_nobody_was_answered_for(several)
