"""Verification: a record file checked offline, with nothing but the file itself.

    verifier = Verifier(key="4f1e...")            # the arena's public key, if it is known
    with open("cup.jsonl", "rb") as file:
        for finding in verifier.check(lines_of(file)):
            print(finding.line, finding.what)     # as they are found, in the order of the lines
    print(verifier.closing.proved, verifier.closing.unproved)

Per hand: the deal fits its commitment and, once the session's secret is known, follows from the key
of its round; every command, decided again, gives the recorded events; clocks, result and hashes
follow from the log (`tables`). Per session: the schedule is drawn again (`redrawing`), every table
has its line-up and, once it is over, all its hands (`completeness`), and the root over all heads is
that of the digest (`digest_checks`). What was not proved is said as plainly (`closing`).

A file may come from anybody: nothing in it may raise anything but `arena.errors`, and nothing in it
is believed. Memory does not grow with the number of hands, but for results where rounds are drawn
from them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import count
from typing import NamedTuple

from arena.records.chunks import (
    Chunk,
    ChunkChecker,
    ChunkResult,
    HeaderLine,
    Loose,
    in_chunks,
)
from arena.records.closing import Closing
from arena.records.digest_checks import Digest
from arena.records.findings import Finding
from arena.records.receipts import NONE, ReceiptFile
from arena.records.sessions import KnownBeside, SessionCheck

__all__ = ["Closing", "Digest", "Finding", "ReceiptFile", "Verification", "Verifier", "verify"]

AHEAD = 3
"""Chunks that may wait for each process, so that none is idle."""
RUNS = count(1)
CHECKERS: dict[str, ChunkChecker] = {}
"""Of the verification that this process works for."""


class Verification(NamedTuple):
    """What was checked. hands: with their logs. secret: was the secret known, so that deals could
    be recomputed? closing: what was proved, and what not. notes: what could not be checked of the
    schedule; what an older program has done otherwise.
    """

    hands: int
    findings: tuple[Finding, ...]
    secret: bool
    notes: tuple[str, ...] = ()
    closing: Closing = Closing()

    @property
    def ok(self) -> bool:
        """Was nothing found?"""
        return not self.findings


def verify(lines: Iterable[str | bytes]) -> Verification:
    """Check a record file, given as its lines, in this process."""
    verifier = Verifier()
    return verifier.report(tuple(verifier.check(lines)))


class Verifier:
    """The check of one record file.

    key: the public key that digest and header have to be signed with, hex. digests: of this session
    that were published earlier. roots: the same, of which no more is known than the root, hex.
    receipts: of bots. executors: processes that check tables, each an executor that makes one call
    after the other in one process; none: all is done in this one. watch: gets now and
    then how many lines are checked.
    """

    def __init__(
        self,
        *,
        key: str | None = None,
        digests: Sequence[Digest] = (),
        roots: Sequence[str] = (),
        receipts: ReceiptFile = NONE,
        executors: Sequence[Executor] = (),
        watch: Callable[[int], None] | None = None,
    ) -> None:
        self._wanted = KnownBeside(key, tuple(digests), tuple(roots), receipts)
        self._executors = executors
        self._watch = watch
        self._closings: list[tuple[str, Closing]] = []
        self._begun: set[tuple[str, str]] = set()
        self._secret = False
        self._notes: list[str] = []
        self.hands = 0

    @property
    def closing(self) -> Closing:
        """What was proved and what not; of several sessions each sentence with its session."""
        if len(self._closings) == 1:
            return self._closings[0][1]
        named = [(f"{name}: ", each) for name, each in self._closings]
        return Closing(
            tuple(start + what for start, each in named for what in each.proved),
            tuple(start + what for start, each in named for what in each.unproved),
        )

    def report(self, findings: tuple[Finding, ...]) -> Verification:
        """What was checked, once all findings are there."""
        return Verification(self.hands, findings, self._secret, tuple(self._notes), self.closing)

    def check(self, lines: Iterable[str | bytes]) -> Iterator[Finding]:
        """What is wrong, in the order of the lines. Everything else is known after the last."""
        session = SessionCheck(None, self._wanted)
        number = 0
        for item, result in self._results(in_chunks(map(_as_bytes, lines), self._wanted.receipts)):
            if isinstance(item, Loose):
                number = item.number
                session.spoiled()
                yield Finding(number, item.what)
            elif isinstance(item, HeaderLine):
                yield from (Finding(number, what) for what in self._end(session))
                number = item.number
                session = SessionCheck(item.line, self._wanted)
                yield from (Finding(number, what) for what in session.begin(self._begun))
            elif result is not None:
                if session.is_other(item):
                    yield from (Finding(number, what) for what in self._end(session))
                    session = SessionCheck(None, self._wanted)
                    yield from (
                        Finding(item.number, w) for w in session.begin_bare(item, self._begun)
                    )
                number = item.number + len(result.lines) - 1
                yield from session.chunk(item, result)
            if self._watch is not None:
                self._watch(number)
        yield from (Finding(number, what) for what in self._end(session))
        yield from (Finding(0, what) for what in self._left_over(number))

    def _end(self, session: SessionCheck) -> Iterator[str]:
        if session.is_empty:
            return
        yield from session.end()
        self.hands += session.hands
        self._secret = session.has_secret
        self._notes += session.notes
        self._closings.append((session.name, session.closing))

    def _left_over(self, number: int) -> Iterator[str]:
        if not number:
            yield "the file is empty"
        yield from self._wanted.left_over()

    def _results(
        self, items: Iterable[HeaderLine | Loose | Chunk]
    ) -> Iterator[tuple[HeaderLine | Loose | Chunk, ChunkResult | None]]:
        """The items in order, each chunk with what checking it has given."""
        if not self._executors:
            checker = ChunkChecker()
            for item in items:
                yield item, checker.check(item) if isinstance(item, Chunk) else None
            return
        yield from _in_processes(items, self._executors)


def _in_processes(
    items: Iterable[HeaderLine | Loose | Chunk], executors: Sequence[Executor]
) -> Iterator[tuple[HeaderLine | Loose | Chunk, ChunkResult | None]]:
    """The same, with all chunks of a table in one process and tables in whichever has least to do.

    Chunks are read ahead only as far as nobody waits.
    """
    run = f"{id(executors)}-{next(RUNS)}"
    waiting: deque[tuple[HeaderLine | Loose | Chunk, Future[ChunkResult] | None, int]] = deque()
    busy, opened, at = [0] * len(executors), [-1] * len(executors), 0

    def done() -> tuple[HeaderLine | Loose | Chunk, ChunkResult | None]:
        item, future, by = waiting.popleft()
        if future is None:
            return item, None
        result = future.result()
        busy[by] -= 1
        return item, result

    for item in items:
        if len(waiting) > AHEAD * len(executors) + AHEAD:
            yield done()
        if not isinstance(item, Chunk):
            waiting.append((item, None, 0))
            continue
        if item.first:
            at = busy.index(min(busy))
        while busy[at] >= AHEAD:
            yield done()
        sent = item if opened[at] != item.opening else item._replace(header=None)
        opened[at] = item.opening
        busy[at] += 1
        waiting.append((item._replace(lines=()), executors[at].submit(check_chunk, run, sent), at))
    while waiting:
        yield done()


def check_chunk(run: str, chunk: Chunk) -> ChunkResult:
    """Check a chunk in this process. run: the verification that it is of; a process works for one
    at a time."""
    if run not in CHECKERS:
        CHECKERS.clear()
        CHECKERS[run] = ChunkChecker()
    return CHECKERS[run].check(chunk)


def _as_bytes(line: str | bytes) -> bytes:
    return line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
