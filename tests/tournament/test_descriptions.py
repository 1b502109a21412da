"""A schedule in words and as plain data."""

from __future__ import annotations

import json

import pytest

from arena.tournament.pairing.descriptions import describe, meetings, schedule_document, tables_text
from arena.tournament.pairing.schedules import near_balanced, round_robin
from arena.tournament.pairing.swiss import swiss_start
from tests.tournament.test_layouts import agrees
from tests.tournament.test_schedules import owners


@pytest.mark.slow
def test_schedules_are_described_like_this():
    parts = [
        describe(round_robin(owners(30), 4, rounds=10, seed=1), hands=10),
        describe(round_robin(owners(12), 4, seed=1), hands=10),
        describe(round_robin(owners(36), 4, seed=1), hands=10),
        describe(round_robin(["a", "a", "b", "c", "d", "e"], 3, rounds=2, seed=1)),
        describe(swiss_start(owners(10), 4, rounds=5, seed=1, fill=True), more_rounds=2),
        tables_text(near_balanced(7, 3, rounds=2, seed=1)),
    ]
    assert agrees("schedules.txt", "\n".join(parts))


def test_pairs_of_one_owner_are_not_counted():
    names = ["a", "a", "b", "c"]
    schedule = near_balanced(4, 2, rounds=2, owners=names, seed=1)
    assert sum(meetings(schedule).values()) == 6
    assert sum(meetings(schedule, names).values()) == 5


def test_the_document_has_every_table():
    schedule = round_robin(owners(9), 4, rounds=3, seed=1)
    document = json.loads(json.dumps(schedule_document(schedule, hands=5)))
    assert [tuple(map(tuple, tables)) for tables in document["rounds"]] == list(schedule.rounds)
    assert document["hands"] == 5 * document["tables"]
    assert sum(int(met) * pairs for met, pairs in document["meetings"].items()) == 6 * len(
        schedule.tables
    )
