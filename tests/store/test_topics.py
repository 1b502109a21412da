"""What a write tells other processes: a topic for each thing, in as few messages as they fit in."""

from __future__ import annotations

from arena.store.port import RevokeBot
from arena.store.topics import messages, read_message

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
