"""A database that takes no writes for a while, or is away: nobody is charged, and all stay at home.

Here nothing happens by itself; `test_read_only` has a real database.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from arena.errors import Damaged, NotHome, Unavailable
from arena.store.cluster_rows import MoveLease
from arena.store.port import Change
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


def test_whose_answer_could_not_be_written_has_time_to_send_it_again(
    both: tuple[Several, Member, Member],
) -> None:
    """Also if the outage is so short that no beat has met it."""
    several, here, _ = both
    bot, turn = here.one()
    several.pass_ms(2 * BEAT_MS)
    here.line.barred = True
    with pytest.raises(Unavailable):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    several.clock.pass_ms(700)
    here.line.barred = False
    several.step()
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    check_nobody_was_answered_for(several)


def test_whose_answer_of_a_batch_could_not_be_written_has_time_to_send_it_again(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, _ = both
    bot, turn = here.one()
    several.pass_ms(2 * BEAT_MS)
    here.line.barred = True
    [result] = here.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])
    assert isinstance(result["error"], Unavailable)
    several.clock.pass_ms(700)
    here.line.barred = False
    several.step()
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_what_is_damaged_for_one_hand_stops_no_clock(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, _ = both
    bot, turn = here.one()

    def submit(changes: tuple[Change, ...]) -> None:
        raise Damaged("the database: invalid page in block 7")

    monkeypatch.setattr(here.line, "submit", submit)
    with pytest.raises(Damaged):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    assert here.referee._context.clock.halted_ms is None


def test_a_session_that_is_lost_stops_no_clock(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    bot, turn = here.one()
    lease = several.store.lease("cup")
    assert lease is not None
    several.store.write(MoveLease("cup", there.name, lease.epoch + 1, here.name, lease.epoch))
    with pytest.raises(NotHome):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    assert here.referee._context.clock.halted_ms is None
