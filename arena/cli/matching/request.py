"""What `arena match` is asked for, and how a match in progress is shown on a terminal."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click

from arena.cli.matching.report import line
from arena.errors import BadInput
from arena.tournament.sprt import Bounds, Sprt

LOOPBACK = "127.0.0.1"
MOST_PORT = 65_535
WORK_TOKEN = re.compile(r"[\w.~+/=-]{8,200}", re.ASCII)


class Serving(NamedTuple):
    """Where a host listens for workers, and what they have to send. chosen: was the token given,
    so that it need not be printed?"""

    host: str
    port: int
    token: str
    chosen: bool


def read_serving(address: str, token: str | None) -> Serving:
    """From `PORT` or `HOST:PORT`. token: None for a new one. Raises BadInput."""
    host, _, port = address.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) <= MOST_PORT):
        raise BadInput("--serve-work", address, f"PORT or HOST:PORT, port 0 to {MOST_PORT}")
    if token is not None and not WORK_TOKEN.fullmatch(token):
        raise BadInput("work token", "…", "8 to 200 letters, digits and . _ ~ + / = -")
    chosen = token or secrets.token_urlsafe(24)
    return Serving(host.strip("[]") or LOOPBACK, int(port), chosen, token is not None)


class MatchRequest(NamedTuple):
    """What is to be played. bots: A, B and the others; terms: members of a session's document.

    workers: processes, or tables at once, or blocks at once; 0: no processes. executor: the factory
    of what plays the blocks, None for workers; serving: where workers may ask for them. resume:
    where finished blocks are kept, if anywhere; record: where the hands go, if anywhere.
    """

    bots: tuple[str, str, tuple[str, ...]]
    terms: Mapping[str, Any]
    hands: int
    bounds: Bounds | None
    deals: str
    seed: int
    workers: int
    executor: str | None
    serving: Serving | None
    resume: Path | None
    record: BinaryIO | None


def show_progress(test: Sprt, bounds: Bounds | None) -> None:
    """The test on a terminal, on one line that is written over; elsewhere nothing."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{line(test, bounds)}", nl=False, err=True)
