"""The log of turns that were answered for bots: a summary only of hands with more than one."""

from __future__ import annotations

import logging

import pytest

from tests.referee.table import Arena

ONE = "the referee answered for a bot"
WHOLE = "a hand in which the referee answered for a bot"


@pytest.mark.parametrize(("faults", "summaries"), [(1, 0), (2, 1)])
def test_a_hand_is_summed_up_if_a_bot_failed_more_than_once(
    arena: Arena, caplog: pytest.LogCaptureFixture, faults: int, summaries: int
) -> None:
    caplog.set_level(logging.DEBUG, logger="arena.referee")
    arena.session(hands_per_table=1, clock={"move_ms": 1_000, "bank_ms": 0})
    failing, _ = arena.one()
    failed = 0
    while waiting := arena.waiting():
        bot, turn = waiting[0]
        if bot == failing and failed < faults:
            arena.clock.pass_ms(5_000)
            failed += arena.referee.sweep()
        else:
            arena.referee.answer(bot, turn["turn"], {"choice": 0})
    said = [record.getMessage() for record in caplog.records]
    assert said.count(ONE) == faults == failed
    assert said.count(WHOLE) == summaries
