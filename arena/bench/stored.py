"""Many stored sessions, copied from one: it is played, and its rows are copied under new names.

So a database of any size is there within minutes, with nothing in it that a referee would not have
written. Nothing is measured here.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from arena.application import Referee
from arena.session.names import hand_id, table_id
from arena.store import open_store
from arena.store.memory import open_memory
from arena.store.port import BotRow, EntryRow, HandRow, SessionRow, StepRow, TableRow
from arena.store.statements import WRITES

PATTERN = "pattern"
BOTS, ROUNDS, HANDS = 4, 2, 5
SESSION_HANDS = ROUNDS * HANDS
"""Ended hands of each stored session. Few, so that at all sizes there are more sessions than the
referee keeps in memory."""
TOGETHER = 100
"""Copies in one transaction."""


class StoredPattern(NamedTuple):
    """The rows of one ended session, in the order in which they must be written."""

    bots: tuple[BotRow, ...]
    session: SessionRow
    entries: tuple[EntryRow, ...]
    tables: tuple[TableRow, ...]
    hands: tuple[HandRow, ...]
    steps: tuple[StepRow, ...]


def played() -> StoredPattern:
    """One session, played at random to its end."""
    return _played(PATTERN, rounds=ROUNDS, hands=HANDS, bots=BOTS)


def _played(session: str, *, rounds: int, hands: int, bots: int) -> StoredPattern:
    with open_memory() as store:
        referee = Referee(store)
        referee.start(threads=False)
        play(referee, begin(referee, session, rounds=rounds, hands=hands, bots=bots), Random(1))
        row = store.session(session)
        assert row is not None
        ended = store.session_hands(session, limit=bots // BOTS * rounds * hands)
        return StoredPattern(
            store.bots(),
            row,
            store.entries(session),
            store.tables(session),
            ended,
            tuple(step for hand in ended for step in store.steps(hand.id)),
        )


def shortened(pattern: StoredPattern, steps: int) -> StoredPattern:
    """With only the first steps of each log."""
    logs = groupby(pattern.steps, key=lambda step: step.hand)
    return pattern._replace(steps=tuple(step for _, log in logs for step in islice(log, steps)))


def begin(
    referee: Referee, session: str, *, rounds: int, hands: int, bots: int = BOTS
) -> list[str]:
    """A session with new bots, started; the bots."""
    document = {
        "name": session,
        "slug": session,
        "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]},
        "hands_per_table": hands,
        "schedule": {"kind": "round_robin", "rounds": rounds},
        "clock": {"move_ms": 3_600_000},
        "seed": "00",
    }
    referee.create_session(document, "bench")
    registered = [referee.register(f"{session}-{n}", f"owner-{n}")[0]["id"] for n in range(bots)]
    for bot in registered:
        referee.add_bot(session, bot, "bench")
    referee.set_session(session, "start", "bench")
    return registered


def play(referee: Referee, bots: Sequence[str], random: Random, *, most: int | None = None) -> int:
    """Answer whatever waits, at random, until nothing does or so often; how often."""
    answered = 0
    while most is None or answered < most:
        open_turns = [(bot, turn) for bot in bots for turn in referee.turns(bot)["turns"]]
        if not open_turns:
            break
        for bot, turn in open_turns:
            referee.answer(bot, turn["turn"], {"choice": random.randrange(len(turn["legal"]))})
            answered += 1
    return answered


def fill(file: Path, pattern: StoredPattern, numbers: range) -> None:
    """Write copies of the pattern; they are on the disk in the end, and only then waited for."""
    url = f"sqlite:///{file.as_posix()}"
    with open_store(url) as store:
        if store.bot(pattern.bots[0].id) is None:
            store.write(*pattern.bots)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = off")
        for first in range(numbers.start, numbers.stop, TOGETHER):
            connection.execute("BEGIN")
            for number in range(first, min(first + TOGETHER, numbers.stop)):
                for rows in _copies(pattern, f"old-{number:06}"):
                    _write(connection, rows)
            connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("rb+") as written:
        os.fsync(written.fileno())


def _copies(pattern: StoredPattern, name: str) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of the pattern under another name."""

    def renamed(text: str) -> str:
        return name + text.removeprefix(PATTERN)

    created_ms = pattern.session.created_ms + int(name.removeprefix("old-"))
    yield [pattern.session._replace(id=name, created_ms=created_ms)]
    yield [entry._replace(session=name) for entry in pattern.entries]
    yield [row._replace(id=renamed(row.id), session=name) for row in pattern.tables]
    yield [row._replace(id=renamed(row.id), table=renamed(row.table)) for row in pattern.hands]
    yield [
        row._replace(hand=renamed(row.hand), turn=renamed(row.turn) if row.turn else "")
        for row in pattern.steps
    ]


WIDE_BOTS, WIDE_ROUNDS, WIDE_HANDS = 16, 5, 10
WIDE = WIDE_BOTS // BOTS * WIDE_ROUNDS * WIDE_HANDS
"""Hands of the pattern that one big session consists of."""


def fill_one(file: Path, session: str, hands: int) -> int:
    """Write one ended session with about `hands` hands, at least those of the pattern; how
    many.

    A session of sixteen bots is played at random and its rounds are copied, one after the other.
    """
    copies = max(1, round(hands / WIDE))
    pattern = _played(session, rounds=WIDE_ROUNDS, hands=WIDE_HANDS, bots=WIDE_BOTS)
    url = f"sqlite:///{file.as_posix()}"
    with open_store(url) as store:
        store.write(*pattern.bots)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = off")
        _write(connection, [_longer(pattern.session, copies)])
        _write(connection, pattern.entries)
        for copy in range(copies):
            connection.execute("BEGIN")
            for rows in _further(pattern, session, copy * WIDE_ROUNDS):
                _write(connection, rows)
            connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return copies * WIDE


def _longer(row: SessionRow, copies: int) -> SessionRow:
    """With a schedule that repeats its rounds."""
    schedule = orjson.loads(row.schedule or "null")
    schedule["rounds"] *= copies
    schedule["byes"] *= copies
    return row._replace(schedule=orjson.dumps(schedule).decode())


def _further(
    pattern: StoredPattern, session: str, rounds: int
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The tables of the pattern with all that was played there, a number of rounds later."""
    tables = {row.id: table_id(session, row.round + rounds, row.number) for row in pattern.tables}
    hands = {row.id: hand_id(tables[row.table], row.number) for row in pattern.hands}
    yield [row._replace(id=tables[row.id], round=row.round + rounds) for row in pattern.tables]
    yield [row._replace(id=hands[row.id], table=tables[row.table]) for row in pattern.hands]
    yield [
        row._replace(hand=hands[row.hand], turn=row.turn.replace(row.hand, hands[row.hand]))
        for row in pattern.steps
    ]


def _write(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    write = WRITES[type(rows[0])]
    connection.executemany(write.sql, map(write.parameters, rows))
