"""What is made of a fit is made once, however many ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from arena.errors import BadInput, NotFound
from arena.queries.standings_snapshot import KEPT_TEXTS, StandingsSnapshot
from arena.tournament.standings import Entrant, compile_standings

T = TypeVar("T")
BOTS = [f"b-{number:03}" for number in range(KEPT_TEXTS + 10)]


class Counted:
    """A fit of bots that have not played, and how often something was computed for it."""

    def __init__(self) -> None:
        self.times = 0
        standings = compile_standings([], [Entrant(bot, name=f"{bot} it is") for bot in BOTS])
        self.fit = StandingsSnapshot(standings, results=(), hands=(), compute=self.compute)

    def compute(self, work: Callable[[], T]) -> T:
        self.times += 1
        return work()


def test_who_looks_at_all_bots_does_not_drive_out_the_tables_of_everybody() -> None:
    counted = Counted()
    first = counted.fit.html("leaders", "/sessions/cup")
    for bot in BOTS:
        assert counted.fit.profile(bot).row.bot == bot
    assert counted.times == 1 + len(BOTS)
    assert counted.fit.html("leaders", "/sessions/cup") is first
    assert counted.fit.profile(BOTS[-1]) is counted.fit.profile(f"{BOTS[-1]} it is")
    assert counted.times == 1 + len(BOTS)
    counted.fit.profile(BOTS[0])
    assert counted.times == 2 + len(BOTS)


def test_a_table_of_another_address_is_another_table() -> None:
    counted = Counted()
    one, other = (counted.fit.html("leaders", f"/sessions/{name}") for name in ("a", "b"))
    assert one.replace("/sessions/a/", "/sessions/b/") == other != one


def test_who_is_not_there_has_no_profile_and_nobody_is_a_pair() -> None:
    fit = Counted().fit
    with pytest.raises(NotFound, match="nobody"):
        fit.profile("nobody")
    with pytest.raises(NotFound):
        fit.pairing(BOTS[0], "nobody")
    with pytest.raises(BadInput):
        fit.pairing(BOTS[0], f"{BOTS[0]} it is")
