"""The pages of an arena of one's own: their address is always said, and opened on a desktop."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def watch_option(command: F) -> F:
    """The options `--watch` and `--open`."""
    command = open_option(command)
    return click.option("--watch", is_flag=True, help="Print the address of its pages.")(command)


def open_option(command: F) -> F:
    """The option `--open`."""
    return click.option(
        "--open/--no-open",
        "opens",
        default=True,
        show_default="on a desktop",
        help="Open the address in a browser as well.",
    )(command)


def show_address(url: str, *, opens: bool) -> None:
    """Say where the pages are, beside the output; open them if there is a desktop."""
    click.echo(f"Watch     {url}", err=True)
    if opens and has_desktop():
        webbrowser.open(url)


def has_desktop() -> bool:
    """May a browser be opened here? Not over SSH, and not one that would take the terminal."""
    if os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def stay(url: str) -> None:
    """Wait for Ctrl-C, so that the pages can be looked at."""
    try:
        click.echo(f"The pages stay at {url} until Ctrl-C.", err=True)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        click.echo(err=True)
