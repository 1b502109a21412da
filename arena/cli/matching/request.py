"""What `arena match` is asked for, and how a match in progress is shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click

from arena.cli.matching.report import line
from arena.tournament.sprt import Bounds, Sprt


class MatchRequest(NamedTuple):
    """What is to be played. bots: A, B and the others; terms: members of a session's document.

    workers: processes, or tables at once, or blocks at once; 0: no processes. executor: the factory
    of what plays the blocks, None for workers. resume: where finished blocks are kept, if anywhere;
    record: where the hands go, if anywhere.
    """

    bots: tuple[str, str, tuple[str, ...]]
    terms: Mapping[str, Any]
    hands: int
    bounds: Bounds | None
    deals: str
    seed: int
    workers: int
    executor: str | None
    resume: Path | None
    record: BinaryIO | None


def show_progress(test: Sprt, bounds: Bounds | None) -> None:
    """The test on a terminal, on one line that is written over; elsewhere nothing."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{line(test, bounds)}", nl=False, err=True)
