"""Statuses, kinds and modes: the schemas have the words of the enumerations, and no others."""

from __future__ import annotations

import sqlite3
from enum import StrEnum
from functools import reduce
from typing import Any

import orjson
import pytest

from arena import resources
from arena.rules.events import Cause
from arena.statuses import (
    ENTERABLE,
    IN_PLAY,
    OVER,
    PLAYERS,
    STAFF,
    BoardNames,
    BotKind,
    EntryStatus,
    HandStatus,
    HandVisibility,
    ResultsMode,
    SessionStatus,
    TableStatus,
)


def schema_at(name: str, path: str) -> Any:
    document = orjson.loads((resources.folder("schemas") / f"{name}.schema.json").read_bytes())
    return reduce(lambda part, member: part[member], path.split("/"), document)


@pytest.mark.parametrize(
    ("words", "name", "path"),
    [
        (SessionStatus, "session_view", "properties/status"),
        (SessionStatus, "sessions", "properties/sessions/items/properties/status"),
        (TableStatus, "table", "properties/status"),
        (TableStatus, "tables", "properties/tables/items/properties/status"),
        (HandStatus, "hand", "properties/status"),
        (HandStatus, "hand_record", "properties/status"),
        (HandStatus, "table", "properties/hands/items/properties/status"),
        (EntryStatus, "entry", "properties/status"),
        (EntryStatus, "session_view", "properties/entries/items/properties/status"),
        (BotKind, "bot", "properties/kind"),
        (Cause, "event", "properties/cause"),
        (Cause, "hand", "properties/result/properties/faults/items/properties/cause"),
        (ResultsMode, "session_view", "properties/publication/properties/results"),
        (HandVisibility, "session", "properties/visibility"),
        (BoardNames, "session", "properties/board"),
    ],
)
def test_a_schema_lists_all_words_of_an_enumeration(
    words: type[StrEnum], name: str, path: str
) -> None:
    assert schema_at(name, path)["enum"] == list(words)


def test_every_status_of_a_session_is_in_one_group() -> None:
    assert (*ENTERABLE, *IN_PLAY, *OVER) == tuple(SessionStatus)


def test_every_kind_of_bot_plays_or_is_staff() -> None:
    assert (*PLAYERS, *STAFF) == tuple(BotKind)


def test_a_member_is_written_as_its_word() -> None:
    assert orjson.dumps({"status": SessionStatus.OPEN}) == b'{"status":"open"}'
    with sqlite3.connect(":memory:") as database:
        row = database.execute("SELECT ?1, typeof(?1)", [SessionStatus.OPEN]).fetchone()
    assert row == ("open", "text")
    assert type(row[0]) is str
