"""The side of `arena match` that lets workers play: it listens, and says how workers get there."""

from __future__ import annotations

import socket
from concurrent.futures import Executor
from ipaddress import ip_address

import click

from arena.cli.matching.request import Serving
from arena.match.local import Match, make_bot

WILDCARDS = ("0.0.0.0", "::")


def open_host(match: Match, serving: Serving) -> Executor:
    """Listen for workers, and say how they are started. Raises BadInput for bots that do not work,
    and where it cannot listen."""
    from arena.work.host import WorkHost  # takes a second to import, and is seldom needed

    for _, source in match.line_up(match.seats):
        make_bot(source)
    host = WorkHost(
        match,
        token=serving.token,
        host=serving.host,
        port=serving.port,
        news=lambda line: click.echo(line, err=True),
    )
    if not _is_loopback(serving.host):
        reach = f"other machines reach {serving.host}, unencrypted"
        warning = "whoever has the token can bring results of this match"
        click.echo(f"Warning: {reach}: {warning}", err=True)
    token = "$ARENA_WORK_TOKEN" if serving.chosen else serving.token
    click.echo(f"Workers:  arena work {_url(serving.host, host.port)} --token {token}", err=True)
    return host


def _url(host: str, port: int) -> str:
    """Where workers reach it; for all addresses of this machine by its name."""
    name = socket.gethostname() if host in WILDCARDS else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
