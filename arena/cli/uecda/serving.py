"""What the commands that listen have in common: a warning of strangers, and two ways to stop."""

from __future__ import annotations

import ipaddress
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from arena.cli.uecda.printing import ContestProgress
from arena.processes import leave


def warn_of_strangers(host: str) -> None:
    """Say who may come, where that is more than this machine."""
    if not ipaddress.ip_address(host.partition("%")[0]).is_loopback:
        text = f"Warning: {host} can be reached from outside, and the protocol knows no passwords."
        click.echo(text, err=True)


@contextmanager
def stoppable(stop: Callable[[], None], said: ContestProgress, *, after: str) -> Iterator[None]:
    """Ctrl-C asks for the end, and a second one forces it; so does SIGTERM. after: what is said."""

    def asked(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        said.line(after)
        stop()

    before: Any = signal.signal(signal.SIGINT, asked)
    before_term = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, before_term)
