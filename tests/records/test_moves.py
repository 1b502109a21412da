"""Moves of record files: those of the hands that were played, and a clear word where they lie."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.bench.statistics import ground
from arena.bench.strategies import player
from arena.errors import BadInput
from arena.match.recording import record_lines
from arena.match.tables import TableSetup, play_table
from arena.records.pooling import Records
from arena.session.moves import hand_moves
from arena.tournament.alerts import alerts
from arena.tournament.moves import move_log
from arena.tournament.ratings import rate

BOTS = ("lowest", "saving-5", "random", "sense-50", "saving-8")
SETUP = TableSetup(
    ground("uecda", 5).rules, "b1", "p", BOTS, hands=4, seed=1, shuffles="b1", seats="b1"
)
PLAYED = play_table(SETUP, [player(bot, SETUP, seed=1) for bot in BOTS])
LINES = list(record_lines(SETUP, PLAYED, number=1))


def pool_of(lines, *, moves=True):
    records = Records(moves=moves)
    records.read(lines)
    (pool,) = records.pools()
    return pool


def test_the_moves_of_a_file_are_those_of_the_hands():
    expected = tuple(
        hand_moves(
            [event for step in hand.steps for event in step.events],
            [BOTS[at] for at in hand.seating],
        )
        for hand in PLAYED
    )
    assert pool_of(LINES).moves == expected
    assert sum(len(hand.gifts) for hand in expected) == 6


def test_they_are_read_only_if_they_are_asked_for():
    assert pool_of(LINES, moves=False).moves == ()


def test_the_order_of_lines_changes_nothing():
    assert pool_of(LINES[::-1]).moves == pool_of(LINES).moves


def test_in_a_season_moves_are_those_of_the_bot_that_stands_for_all():
    moves = pool_of(LINES).moves[0].renamed({"lowest": "one", "random": "other"})
    bots = {reaction.bot for reaction in moves.reactions}
    assert {"one", "other"} <= bots
    assert not {"lowest", "random"} & bots


def test_a_hand_without_a_log_has_no_moves():
    line = json.loads(LINES[0])
    del line["steps"]
    assert pool_of([json.dumps(line)]).moves == ()


def test_a_log_that_cannot_be_followed_is_refused_with_its_line():
    line = json.loads(LINES[1])
    line["steps"][0]["events"][0]["hands"] = [["S3"]]
    with pytest.raises(BadInput, match="line 2"):
        pool_of([LINES[0], json.dumps(line)])


def test_the_luck_of_a_deal_is_read_if_it_is_asked_for():
    records = Records(luck=True)
    records.read(LINES)
    (pool,) = records.pools()
    assert len(pool.dealt) == len(LINES)
    assert [hand.result for hand in pool.dealt] == list(pool.results)
    assert pool_of(LINES).dealt == ()


@pytest.mark.parametrize("seed", range(60))
def test_whatever_stands_in_a_log_raises_nothing_else(seed):
    chance = Random(seed)
    line = json.loads(LINES[chance.randrange(len(LINES))])
    values = (None, -1, 99, "x", [], {}, [[1]], True, 1e300, [["S3", 1]])
    for _ in range(4):
        event = chance.choice(chance.choice(line["steps"])["events"])
        event[chance.choice(sorted(event))] = chance.choice(values)
    try:
        luck = Records(luck=True)
        luck.read([json.dumps(line)])
        luck.pools()
    except BadInput:
        pass
    try:
        pool = pool_of([json.dumps(line)])
    except BadInput:
        return
    alerts(pool.results, rate(pool.results), moves=move_log(pool.moves))
