"""How cost grows with what is stored: the same things done beside more and more ended hands.

One session is played for real; its rows are copied under new names into a database file until that
holds so many ended hands. Beside them a fresh session is in play, and everything is measured on the
referee's own code in this process. Each figure is taken of several parts, a part the median of its
calls; CPU is also told in rounds of plain Python, measured around each part, so that a machine that
is slower for a while is not taken for growth.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from arena.bench.engine import baseline
from arena.referee.names import hand_id, table_id
from arena.referee.service import Referee
from arena.store import open_store
from arena.store.memory import MemoryStore
from arena.store.port import (
    BotRow,
    EntryRow,
    HandRow,
    SessionRow,
    StepRow,
    Store,
    TableRow,
)
from arena.store.statements import WRITES

Document = dict[str, Any]
PATTERN = "pattern"
BOTS, ROUNDS, HANDS = 4, 2, 5
SESSION_HANDS = ROUNDS * HANDS
"""Ended hands of each stored session. Few, so that at all sizes there are more sessions than the
referee keeps in memory."""
TOGETHER = 100
"""Copies in one transaction."""
PARTS = 5
QUICK = 60
SLOW = 3
ROUNDS_AROUND = 60
WARM = 40
"""Answers that are given before anything is measured."""


class Pattern(NamedTuple):
    """The rows of one ended session, in the order in which they must be written."""

    bots: tuple[BotRow, ...]
    session: SessionRow
    entries: tuple[EntryRow, ...]
    tables: tuple[TableRow, ...]
    hands: tuple[HandRow, ...]
    steps: tuple[StepRow, ...]


class Cost(NamedTuple):
    """What one thing costs beside so many stored hands.

    us: microseconds by the clock, in the quickest part. rounds: of CPU, in thousandths of a round
    of plain Python, in the middle part.
    """

    name: str
    us: float
    rounds: float


class Grown(NamedTuple):
    """All that was measured at one size."""

    hands: int
    steps: int
    database_bytes: int
    costs: tuple[Cost, ...]


def grow(sizes: Sequence[int], *, steps: int = 0, folder: Path | None = None) -> Iterator[Grown]:
    """Measure beside so many ended hands, one size after the other; the file is gone in the end.

    steps: how many of each hand's log are kept, 0 for all, so that more hands fit on a disk.
    folder: where the file lies meanwhile.
    """
    pattern = shortened(played(), steps) if steps else played()
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file = Path(name) / "growth.db"
        sessions = 0
        for size in sorted(sizes):
            wanted = max(1, round(size / SESSION_HANDS))
            fill(file, pattern, range(sessions, wanted))
            sessions = wanted
            costs = measure(file, sessions)
            stored = sum(part.stat().st_size for part in Path(name).glob("growth.db*"))
            hands = sessions * SESSION_HANDS
            yield Grown(hands, sessions * len(pattern.steps), stored, tuple(costs))


def played() -> Pattern:
    """One session, played at random to its end."""
    with MemoryStore() as store:
        referee = Referee(store)
        referee.start(threads=False)
        bots = _begin(referee, PATTERN, rounds=ROUNDS, hands=HANDS)
        _play(referee, bots, Random(1))
        session = store.session(PATTERN)
        assert session is not None
        hands = store.session_hands(PATTERN, limit=SESSION_HANDS)
        return Pattern(
            store.bots(),
            session,
            store.entries(PATTERN),
            store.tables(PATTERN),
            hands,
            tuple(step for hand in hands for step in store.steps(hand.id)),
        )


def shortened(pattern: Pattern, steps: int) -> Pattern:
    """With only the first steps of each log."""
    logs = groupby(pattern.steps, key=lambda step: step.hand)
    return pattern._replace(steps=tuple(step for _, log in logs for step in islice(log, steps)))


def _begin(referee: Referee, session: str, *, rounds: int, hands: int) -> list[str]:
    """A session with four new bots, started; the bots."""
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
    bots = [referee.register(f"{session}-{n}", f"owner-{n}")[0]["id"] for n in range(BOTS)]
    for bot in bots:
        referee.add_bot(session, bot, "bench")
    referee.set_session(session, "start", "bench")
    return bots


def _play(referee: Referee, bots: Sequence[str], random: Random, *, most: int | None = None) -> int:
    """Answer whatever waits, at random, until nothing does or so often; how often."""
    made = 0
    while most is None or made < most:
        found = [(bot, turn) for bot in bots for turn in referee.turns(bot)["turns"]]
        if not found:
            break
        for bot, turn in found:
            referee.answer(bot, turn["turn"], {"choice": random.randrange(len(turn["legal"]))})
            made += 1
    return made


def fill(file: Path, pattern: Pattern, numbers: range) -> None:
    """Write copies of the pattern, without waiting for the disk until the end."""
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
                    write = WRITES[type(rows[0])]
                    connection.executemany(write.sql, map(write.parameters, rows))
            connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copies(pattern: Pattern, name: str) -> Iterator[Sequence[tuple[Any, ...]]]:
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


def measure(file: Path, sessions: int) -> Iterator[Cost]:
    """Everything that is done beside the stored sessions, one after the other."""
    url = f"sqlite:///{file.as_posix()}"
    live, random = f"live-{sessions}", Random(sessions)
    with open_store(url) as store:
        referee = Referee(store)
        referee.start(threads=False)
        bots = _begin(referee, live, rounds=1, hands=1_000)
        _play(referee, bots, random, most=WARM)
    yield _cost("start", lambda: _start(url), SLOW)
    with open_store(url) as store:
        referee = Referee(store)
        referee.start(threads=False)
        yield from _in_play(referee, store, live, bots)
        yield from _stored(referee, store, Old(sessions, random))
        referee.set_session(live, "cancel", "bench")


def _start(url: str) -> None:
    with open_store(url) as store:
        Referee(store).start(threads=False)


def _in_play(referee: Referee, store: Store, live: str, bots: Sequence[str]) -> Iterator[Cost]:
    """What bots and lookers-on do with a session that is in play."""
    random = Random(1)
    busy, hand = next(
        (bot, turns[0]["hand"]) for bot in bots if (turns := referee.turns(bot)["turns"])
    )
    yield _cost("poll with a turn", lambda: referee.turns(busy))
    yield _cost("answer and four polls", lambda: _play(referee, bots, random, most=1))
    yield _cost("session in play", lambda: referee.session(live))
    yield _cost("ten sessions", lambda: referee.sessions(limit=10))
    yield _cost("open sessions", lambda: referee.sessions("open", limit=10))
    steps = iter(_spare_steps(store, hand))
    yield _cost("append", lambda: store.append(next(steps)))


def _spare_steps(store: Store, hand: str) -> Iterator[StepRow]:
    """Steps that fit nowhere: far behind the end of a log."""
    pattern = store.steps(hand)[-1]
    for number in range(PARTS * QUICK):
        yield pattern._replace(seq=100_000 + number, event_count=1)


class Old:
    """Names of stored sessions and hands, each time other ones."""

    def __init__(self, sessions: int, random: Random) -> None:
        self._sessions = sessions
        self._random = random

    def session(self) -> str:
        """Any session that is over."""
        return f"old-{self._random.randrange(self._sessions):06}"

    def hand(self) -> str:
        """Any ended hand."""
        round_, number = self._random.randint(1, ROUNDS), self._random.randint(1, HANDS)
        return hand_id(table_id(self.session(), round_, 1), number)


def _stored(referee: Referee, store: Store, old: Old) -> Iterator[Cost]:
    """What is asked about sessions that are over."""
    yield _cost("an old session", lambda: referee.session(old.session()))
    yield _cost("one's tables", lambda: referee.tables(old.session()))

    def fit() -> object:
        return Referee(store).compiled_standings(old.session())

    yield _cost("one's standings", fit, SLOW)
    yield _cost("an old hand", lambda: referee.hand(old.hand()))
    yield _cost("a hand's record", lambda: referee.record(old.hand()))
    player = f"{PATTERN}-0"
    yield _cost("a bot's ledger of one", lambda: referee.ledger(player, session=old.session()))


def _cost(name: str, work: Callable[[], object], calls: int | None = None) -> Cost:
    """What one call costs."""
    parts = [_part(work, calls or QUICK) for _ in range(PARTS)]
    rounds = statistics.median(rounds for _, rounds in parts)
    return Cost(name, min(us for us, _ in parts), 1000 * rounds)


def _part(work: Callable[[], object], calls: int) -> tuple[float, float]:
    """Medians of so many calls: microseconds by the clock, and of CPU in rounds."""
    by_clock, of_cpu = [], []
    before = baseline(ROUNDS_AROUND)
    for _ in range(calls):
        began, worked = time.perf_counter(), time.process_time()
        work()
        of_cpu.append(time.process_time() - worked)
        by_clock.append(time.perf_counter() - began)
    around = (before + baseline(ROUNDS_AROUND)) / 2
    return statistics.median(by_clock) * 1e6, statistics.median(of_cpu) * around
