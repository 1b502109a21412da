"""Colours on a terminal: errors red, warnings yellow, the next step green.

`click.echo` leaves colours out where the output is no terminal; `NO_COLOR` (no-color.org) leaves
them out everywhere. Nothing is said by colour alone.
"""

from __future__ import annotations

import os

import click

ERROR = "red"
WARNING = "yellow"
NEXT_STEP = "green"


def coloured(text: str, colour: str) -> str:
    """A text in a colour, unless `NO_COLOR` is set to anything but nothing."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour)
