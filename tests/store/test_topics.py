"""What a write tells other processes: a topic for each thing, in as few messages as they fit in."""

from __future__ import annotations

import pytest

from arena.store.cluster_rows import (
    Beat,
    CheckLease,
    DropLease,
    DropReferee,
    LeaseRow,
    MoveLease,
    SetRefereeStatus,
)
from arena.store.port import (
    Change,
    CounterRow,
    DropBot,
    DropSession,
    EndHand,
    RestoreBot,
    RevokeBot,
    RevokeOrganiser,
    SetDocument,
    SetEntryStatus,
    SetName,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
)
from arena.store.topics import messages, read_message, topic
from tests.store.rows import ALICE, ALICE_IN_CUP, CUP, DEAL, EAST, HAND, TABLE

LONGEST = 7_999
"""Bytes that PostgreSQL takes in one notification."""


def test_many_topics_are_parted_into_messages_that_postgresql_takes() -> None:
    bots = [f"b-{number}" for number in range(5_000)]
    sent = messages(RevokeBot(bot) for bot in bots)
    assert [topic for message in sent for topic in read_message(message)] == [
        f"bot {bot}" for bot in bots
    ]
    assert LONGEST - 200 < max(len(message.encode()) for message in sent) <= LONGEST


def test_a_topic_is_told_once() -> None:
    assert messages([RevokeBot("b-1"), RevokeBot("b-2"), RevokeBot("b-1")]) == ("bot b-1\nbot b-2",)


@pytest.mark.parametrize(
    ("about", "changes"),
    [
        (
            "session spring-cup",
            [
                ALICE_IN_CUP,
                SetEntryStatus(CUP.id, ALICE.id, "withdrawn", "entered"),
                SetSessionStatus(CUP.id, "running", "open"),
                SetDocument(CUP.id, "{}", "{}", "open"),
                DropSession(CUP.id),
            ],
        ),
        (
            "bot b-aaaaaaaa",
            [
                ALICE,
                SetName(ALICE.id, "al", "al", "alice"),
                SetToken(ALICE.id, "h"),
                RevokeBot(ALICE.id),
                RevokeOrganiser(ALICE.id),
                RestoreBot(ALICE.id, "h"),
                DropBot(ALICE.id),
            ],
        ),
        (
            "lease spring-cup",
            [
                LeaseRow(CUP.id, "east", 1),
                MoveLease(CUP.id, "west", 2, "east", 1),
                DropLease(CUP.id, "west", 2),
            ],
        ),
        (
            "referee east",
            [EAST, SetRefereeStatus("east", "1f", "draining", ""), DropReferee("east", "1f")],
        ),
    ],
)
def test_sessions_bots_leases_and_referees_are_heard_of(about: str, changes: list[Change]) -> None:
    assert {topic(change) for change in changes} == {about}


@pytest.mark.parametrize(
    "change",
    [
        TABLE,
        HAND,
        DEAL,
        SetTableStatus(TABLE.id, "finished", "playing"),
        EndHand(HAND.id, "finished", "{}", 1),
        SetSchedule(CUP.id, "{}"),
        Beat("east", "1f", 1, 2, 3, 4),
        CheckLease(CUP.id, "east", 1),
        CounterRow("alive", 1),
    ],
    ids=lambda change: type(change).__name__,
)
def test_play_is_nobody_else_s_business(change: Change) -> None:
    assert topic(change) is None
    assert messages([change]) == ()
