"""The match of Python classes: in processes of this machine, in this one, or wherever an executor
plays."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import NamedTuple

import click

from arena.cli.matching.hosting import open_host
from arena.cli.matching.report import MatchOutcome
from arena.cli.matching.request import MatchRequest, show_progress
from arena.match.conduct import Conduct, together
from arena.match.documents import MOVE_MS
from arena.match.executors import Renewed, find_factory
from arena.match.journal import MatchJournal, open_journal
from arena.match.local import Block, Match, MatchTerms, make_bot
from arena.match.match_identity import identity
from arena.match.matches import play_match
from arena.match.workers import Inline, Workers
from arena.processes import leave
from arena.tournament.sprt import Sprt


class _Executing(NamedTuple):
    """What plays the blocks, and how many are under way at a time."""

    executor: Executor
    window: int


class _Progress:
    """What is kept of the blocks while a match goes on: conduct, records, losses, the journal."""

    def __init__(self, asked: MatchRequest, journal: MatchJournal | None) -> None:
        self._asked = asked
        self._journal = journal
        self._counted = 0
        self.conduct: dict[str, Conduct] = {}
        self.losses: list[str] = []

    def count(self, test: Sprt, block: Block) -> None:
        """One more block has been counted."""
        self._counted += 1
        if self._journal is not None and self._counted > self._journal.kept:
            self._journal.append(block)
        self.conduct = together(self.conduct, block.conduct)
        if self._asked.record is not None:
            self._asked.record.writelines(each.encode() for each in block.records)
        show_progress(test, self._asked.bounds)

    def lose(self, number: int, loss: BaseException) -> None:
        """A block has been lost, and will be played again."""
        self.losses.append(f"block {number}, {type(loss).__name__}: {loss}")

    def note(self) -> None:
        """Say what was lost on the way."""
        if self.losses:
            note = f"played again, since lost: {len(self.losses)}; the first: {self.losses[0]}"
            click.echo(f"Note: blocks {note}", err=True)


def play_local(asked: MatchRequest) -> MatchOutcome:
    """Play a match to its verdict. Raises BadInput, and Unavailable for bots that do not survive
    it."""
    sys.path.insert(0, os.getcwd())
    signal.signal(signal.SIGTERM, leave)
    terms = MatchTerms(**asked.terms, deals=asked.deals, seed=asked.seed)
    match = Match(*asked.bots, terms, record=asked.record is not None)
    with _executing(asked, match) as executing, _journal(asked, match) as journal:
        progress = _Progress(asked, journal)
        test = play_match(
            match,
            executing.executor,
            hands=asked.hands,
            bounds=asked.bounds,
            window=executing.window,
            watch=progress.count,
            before=() if journal is None else journal.blocks(match),
            lost=progress.lose,
        )
    progress.note()
    return MatchOutcome(
        *asked.bots[:2],
        match.others_at_table,
        test,
        asked.bounds,
        progress.conduct,
        move_ms=MOVE_MS,
        hands_per_block=match.hands_per_block,
    )


@contextmanager
def _journal(asked: MatchRequest, match: Match) -> Iterator[MatchJournal | None]:
    """The journal of a match that keeps one."""
    if asked.resume is None:
        yield None
        return
    for _, source in match.line_up(match.seats):
        make_bot(source)  # whose code is digested has to be there
    bounds = None if asked.bounds is None else list(asked.bounds)
    head = {**identity(match), "hands": asked.hands, "sprt": bounds}
    with open_journal(asked.resume, head) as journal:
        if journal.kept:
            click.echo(f"Note: {journal.kept} blocks are in {asked.resume}", err=True)
        yield journal


@contextmanager
def _executing(asked: MatchRequest, match: Match) -> Iterator[_Executing]:
    """What plays: an executor that was named, workers that ask, processes of this machine, or this
    one."""
    if asked.executor is not None:
        executor: Executor = Renewed(find_factory(asked.executor), name=asked.executor)
        window = asked.workers
    elif asked.serving is not None:
        executor, window = open_host(match, asked.serving), asked.workers
    else:
        executor = Workers(asked.workers) if asked.workers else Inline()
        window = 2 * asked.workers or 1
    with executor:
        yield _Executing(executor, window)
