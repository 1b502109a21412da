"""How cost grows with what is stored: the same things done beside more and more ended hands.

One session is played for real; its rows are copied under new names into a database file for each
size until that holds the number of ended hands. All files are brought to the disk before anything
is measured. Beside the ended hands a fresh session is in play in each file, and everything is
measured on the referee's own code in this process, in short parts: each measures all sizes one
after the other, so that a machine that is slower for a while is not taken for growth. CPU is also
given in rounds of plain Python, measured around each part.

What is stored is read warm, when the system has it in memory, and cold, after it was ordered to
forget it: then a read costs what the disk takes, which is given beside it, and a larger file has
more pages that are not yet there. Nothing may be concluded from the one about the other.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import NamedTuple

from arena.application import Referee
from arena.bench.engine import baseline
from arena.bench.stored import (
    HANDS,
    PATTERN,
    SESSION_HANDS,
    StoredPattern,
    begin,
    fill,
    play,
    played,
    shortened,
)
from arena.session.names import hand_id, table_id
from arena.store import open_store
from arena.store.port import StepRow, Store

PARTS = 28
QUICK = 15
SLOW = 1
ROUNDS_AROUND = 60
WARM = 40
"""Answers that are given before anything is measured."""
SAMPLE = 40
"""Old sessions that are read again and again; more than the referee keeps in memory."""
PAGE = 4096


class GrowthCost(NamedTuple):
    """What one thing costs beside a number of stored hands: medians of all parts.

    us: microseconds by the clock. rounds: of CPU, in thousandths of a round of plain Python. Both
    also as ratios to the first size, of each part to the same part there.
    """

    name: str
    us: float
    us_to_first: float
    rounds: float
    rounds_to_first: float


class SizeCosts(NamedTuple):
    """All that was measured at one size."""

    hands: int
    steps: int
    database_bytes: int
    costs: tuple[GrowthCost, ...]


class PartCost(NamedTuple):
    """One thing in one part at one size: medians of its calls."""

    us: float
    rounds: float


def grow(sizes: Sequence[int], *, steps: int = 0, folder: Path | None = None) -> list[SizeCosts]:
    """Measure beside each number of ended hands; the files are gone in the end.

    steps: how many of each hand's log are kept, 0 for all, so that more hands fit on a disk.
    folder: where the files lie meanwhile, one for each size.
    """
    pattern = shortened(played(), steps) if steps else played()
    with tempfile.TemporaryDirectory(dir=folder) as name, ExitStack() as stack:
        files = list(_files(Path(name), pattern, sorted(sizes)))
        places = [stack.enter_context(closing(GrowthFile(*each))) for each in files]
        parts = [_by_turns(places, number) for number in range(PARTS)]
        return [
            SizeCosts(
                place.sessions * SESSION_HANDS,
                place.sessions * len(pattern.steps),
                place.file.stat().st_size,
                tuple(_costs([(part[0], part[number]) for part in parts])),
            )
            for number, place in enumerate(places)
        ]


def _by_turns(places: Sequence[GrowthFile], number: int) -> list[dict[str, PartCost]]:
    """One part of all sizes; every other time the last one is measured first."""
    order = places if number % 2 == 0 else places[::-1]
    return [place.measure() for place in order][:: 1 if order is places else -1]


def _costs(
    parts: Sequence[tuple[dict[str, PartCost], dict[str, PartCost]]],
) -> Iterator[GrowthCost]:
    """The costs at one size. parts: what was measured at the first size, and at this one."""
    for name in parts[0][0]:
        pairs = [(first[name], here[name]) for first, here in parts]
        yield GrowthCost(
            name,
            statistics.median(here.us for _, here in pairs),
            statistics.median(here.us / first.us for first, here in pairs),
            statistics.median(here.rounds for _, here in pairs),
            statistics.median(here.rounds / first.rounds for first, here in pairs),
        )


def _files(
    folder: Path, pattern: StoredPattern, sizes: Sequence[int]
) -> Iterator[tuple[Path, int]]:
    """A file for each size, each begun as a copy of the one before, and its number of sessions."""
    before, stored = None, 0
    for size in sizes:
        sessions = max(1, round(size / SESSION_HANDS))
        file = folder / f"growth-{size}.db"
        if before is not None:
            shutil.copyfile(before, file)
        fill(file, pattern, range(stored, sessions))
        before, stored = file, sessions
        yield file, sessions


class MeasuredWork(NamedTuple):
    """Something to measure. before, after: what belongs to each call and is not measured. first:
    what is done once before the calls of a part."""

    name: str
    do: Callable[[], object]
    calls: int = QUICK
    before: Callable[[], object] = int
    after: Callable[[], object] = int
    first: Callable[[], object] = int


class GrowthFile:
    """A file with its stored sessions, and one session beside them that is in play."""

    def __init__(self, file: Path, sessions: int) -> None:
        self.file = file
        self.sessions = sessions
        self._url = f"sqlite:///{file.as_posix()}"
        self._random = Random(sessions)
        self._store = open_store(self._url)
        self._referee = Referee(self._store)
        self._referee.start(threads=False)
        self._bots = begin(self._referee, "live", rounds=1, hands=1_000)
        play(self._referee, self._bots, self._random, most=WARM)
        self._spare = iter(self._spare_steps())
        self._old = StoredSample(sessions, self._random)

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def measure(self) -> dict[str, PartCost]:
        """One part: everything that is measured, by name."""
        parts = {"start": _part(self._starting())}
        self._store = open_store(self._url)
        self._referee = Referee(self._store)
        self._referee.start(threads=False)
        for work in (*self._inplay(), *self._stored(), *self._cold()):
            parts[work.name] = _part(work)
        return parts

    def _starting(self) -> MeasuredWork:
        """A referee that is started anew on the file, which must be free for it."""
        self._store.close()

        def start() -> None:
            self._store = open_store(self._url)
            Referee(self._store).start(threads=False)

        return MeasuredWork("start", start, SLOW, after=lambda: self._store.close())

    def _inplay(self) -> Iterator[MeasuredWork]:
        """What bots and lookers-on do with a session that is in play, and what is written."""
        referee, store = self._referee, self._store
        busy = next(bot for bot in self._bots if referee.turns(bot)["turns"])
        yield MeasuredWork("poll with a turn", lambda: referee.turns(busy), first=self._checkpoint)
        yield MeasuredWork(
            "answer and four polls",
            lambda: play(referee, self._bots, self._random, most=1),
            first=self._checkpoint,
        )
        yield MeasuredWork("session in play", lambda: referee.queries.session("live"))
        yield MeasuredWork("ten sessions", lambda: referee.queries.sessions(limit=10))
        yield MeasuredWork("open sessions", lambda: referee.queries.sessions("open", limit=10))
        yield MeasuredWork("append", lambda: store.write(next(self._spare)), first=self._checkpoint)

        def write() -> None:
            for _ in range(QUICK):
                store.write(next(self._spare))

        yield MeasuredWork(
            f"checkpoint after {QUICK} appends", self._checkpoint, SLOW, before=write
        )

    def _stored(self) -> Iterator[MeasuredWork]:
        """What is asked about sessions that are over; the system has them in memory."""
        referee, old = self._referee, self._old
        for session, hand in old.all():
            referee.queries.session(session)
            referee.queries.record(hand)
        yield MeasuredWork("an old session", lambda: referee.queries.session(old.session()))
        yield MeasuredWork("one's tables", lambda: referee.queries.tables(old.session()))

        def fit() -> object:
            return Referee(self._store).queries.fit(old.session(), staff=True).standings

        yield MeasuredWork("one's standings", fit, SLOW)
        yield MeasuredWork("an old hand", lambda: referee.queries.hand(old.hand()))
        yield MeasuredWork("a hand's record", lambda: referee.queries.record(old.hand()))
        player = f"{PATTERN}-0"
        yield MeasuredWork(
            "a bot's ledger of one", lambda: referee.queries.ledger(player, session=old.session())
        )

    def _cold(self) -> Iterator[MeasuredWork]:
        """The same, and one page of the file, after the system dropped the file from memory."""
        if not hasattr(os, "posix_fadvise"):
            return
        fresh: list[Store] = []

        def forget() -> None:
            self._forget()
            fresh.append(open_store(self._url, readonly=True))
            fresh[0].session("nobody")  # the schema, which every process has read

        def close() -> None:
            fresh.pop().close()

        def cold(name: str, read: Callable[[], object]) -> MeasuredWork:
            return MeasuredWork(name, read, SLOW, before=forget, after=close)

        old, whole = self._old, self.file.stat().st_size // PAGE
        yield MeasuredWork("one page, cold", lambda: self._page(whole), SLOW, before=self._forget)
        yield cold("an old session, cold", lambda: fresh[0].session(old.anywhere()[0]))
        yield cold("a hand's log, cold", lambda: fresh[0].steps(old.anywhere()[1]))

    def _page(self, whole: int) -> None:
        with self.file.open("rb", buffering=0) as file:
            file.seek(self._random.randrange(whole) * PAGE)
            file.read(PAGE)

    def _forget(self) -> None:
        with self.file.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def _checkpoint(self) -> None:
        """Bring what was written into the file, so that nobody meets that in between."""
        with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = full")
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _spare_steps(self) -> Iterator[StepRow]:
        """Steps that are read by nobody: behind the end of the log of a voided hand."""
        begin(self._referee, "spare", rounds=1, hands=1)
        [hand] = self._store.session_hands("spare")
        pattern = self._store.steps(hand.id)[-1]
        self._referee.set_session("spare", "cancel", "bench")
        seq = 100_000
        while True:
            yield pattern._replace(seq=seq, event_count=1)
            seq += 1


class StoredSample:
    """Names of stored sessions and hands: some of them again and again, or any of all."""

    def __init__(self, sessions: int, random: Random) -> None:
        self._sessions = sessions
        self._random = random
        self._sample = random.sample(range(sessions), min(SAMPLE, sessions))
        self._asked = 0

    def session(self) -> str:
        """The next session of the sample."""
        return self._next()[0]

    def hand(self) -> str:
        """The next hand of the sample: one of each session, then another of each."""
        return self._next()[1]

    def all(self) -> Iterator[tuple[str, str]]:
        """Each hand of the sample once."""
        return (self._next() for _ in range(len(self._sample) * SESSION_HANDS))

    def anywhere(self) -> tuple[str, str]:
        """Any session that is over, and a hand of it."""
        number = self._random.randrange(SESSION_HANDS)
        return _named(self._random.randrange(self._sessions), number)

    def _next(self) -> tuple[str, str]:
        rank, place = divmod(self._asked, len(self._sample))
        self._asked += 1
        return _named(self._sample[place], rank % SESSION_HANDS)


def _named(session: int, hand: int) -> tuple[str, str]:
    """A stored session, and one of its hands by its number from 0."""
    name = f"old-{session:06}"
    round_, number = divmod(hand, HANDS)
    return name, hand_id(table_id(name, round_ + 1, 1), number + 1)


def _part(work: MeasuredWork) -> PartCost:
    """Medians of a number of calls: microseconds by the clock, and of CPU in rounds."""
    by_clock, of_cpu = [], []
    work.first()
    before = baseline(ROUNDS_AROUND)
    for _ in range(work.calls):
        work.before()
        began, worked = time.perf_counter(), time.process_time()
        work.do()
        of_cpu.append(time.process_time() - worked)
        by_clock.append(time.perf_counter() - began)
        work.after()
    around = (before + baseline(ROUNDS_AROUND)) / 2
    return PartCost(statistics.median(by_clock) * 1e6, 1e3 * statistics.median(of_cpu) * around)
