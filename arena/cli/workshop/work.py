"""`arena work`: plays blocks of a match that another machine counts."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial

import click

from arena.cli.remote import json_option, print_outcome

MOST_WORKERS = 256
PATIENCE_S = 60.0


@click.command(
    epilog="""Examples:

    arena work http://192.168.1.7:8700 --token TOKEN

    arena work http://127.0.0.1:8700 --workers 2 --once

Start it in a folder with the same bots: their code is compared, and another one is refused. It ends
with exit code 0 when the match is over.
"""
)
@click.argument("url", metavar="URL")
@click.option(
    "--token",
    envvar="ARENA_WORK_TOKEN",
    required=True,
    show_envvar=True,
    help="What arena match --serve-work has printed.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=None,
    help="Processes, each of which plays a block at a time.  [cores]",
)
@click.option("--once", is_flag=True, help="Leave after one block for each process.")
@click.option(
    "--patience",
    "patience_s",
    type=click.FloatRange(0),
    default=PATIENCE_S,
    show_default=True,
    metavar="S",
    help="For how long the host may not answer, in seconds.",
)
@json_option
def command(
    url: str, token: str, workers: int | None, once: bool, patience_s: float, as_json: bool
) -> None:
    """Play blocks of a match for `arena match --local --serve-work`, until it is over.

    URL is where that command listens. Only Python bots that are found here are played, each in a
    process of its own; nothing is run that comes from the host. But the host says which modules are
    imported, so work for hosts that you trust.
    """
    from arena.processes import leave
    from arena.work.worker import HostAddress, work

    sys.path.insert(0, os.getcwd())
    signal.signal(signal.SIGTERM, leave)
    count = (os.cpu_count() or 1) if workers is None else workers
    address = HostAddress(url, token, patience_s)
    played = work(address, workers=count, once=once, news=partial(click.echo, err=as_json))
    line = f"{'Done' if once else 'Over'}: {played} blocks were played."
    print_outcome({"blocks": played}, line, as_json=as_json)
