"""A console: lines out, lines in, and cards as they are drawn there.

Plain is for screen readers and programs: no colour, no pictures, nothing that is drawn over. Else
suits are signs in four colours (`NO_COLOR` leaves the colours out). It knows no game.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

import click

from arena.cli.colours import coloured
from arena.client.cards import JOKER, SIGNS
from arena.tournament.reporting.markup import width_of

SUIT_COLOURS = {"S": "", "H": "red", "D": "bright_blue", "C": "green", "J": "magenta"}
GAP = "   "


class Console(NamedTuple):
    """Where a person reads and writes. plain: a sentence a line and nothing else; signs: may suits
    be signs; pace_s: the rest after what another player does."""

    plain: bool = True
    signs: bool = False
    pace_s: float = 0.0

    def line(self, text: str = "", colour: str = "") -> None:
        """A line of text, in a colour where there are colours."""
        click.echo(coloured(text, colour) if colour and not self.plain else text)

    def rest(self) -> None:
        """Wait until a person has read a line."""
        if self.pace_s:
            time.sleep(self.pace_s)

    def read(self, prompt: str) -> str | None:
        """A line that somebody typed; None at the end of the input."""
        if not sys.stdin.isatty():
            click.echo(prompt.rstrip())
            text = sys.stdin.readline()
            return text if text.endswith("\n") else text or None
        try:
            return input(prompt)
        except EOFError:
            click.echo()
            return None

    def cards(self, names: Iterable[str]) -> str:
        """Cards as they are drawn here, one beside the other."""
        return " ".join(map(self.card, names))

    def card(self, name: str) -> str:
        """A card: its notation, or a sign in the colour of its suit."""
        if self.plain:
            return name
        suit = SIGNS[name[0]] if self.signs and name != JOKER else name[0]
        text = JOKER if name == JOKER else suit + name[1].replace("T", "10")
        colour = SUIT_COLOURS[name[0]]
        return coloured(text, colour) if colour else text

    def columns(self, items: Iterable[str]) -> list[str]:
        """Short texts side by side, as many as a line of the terminal takes."""
        lines: list[str] = []
        width = 0
        for item in items:
            size = width_of(click.unstyle(item))
            if lines and width + len(GAP) + size <= terminal_columns():
                lines[-1] += GAP + item
                width += len(GAP) + size
            else:
                lines.append(item)
                width = size
        return lines


def terminal_columns() -> int:
    """The width of the terminal."""
    return shutil.get_terminal_size().columns


def console(*, plain: bool, pace_s: float | None = None) -> Console:
    """The console of this process: plain if asked for, or where the output is no terminal."""
    plain = plain or not sys.stdout.isatty() or os.environ.get("TERM") == "dumb"
    if plain:
        return Console(pace_s=pace_s or 0.0)
    return Console(plain=False, signs=_has_signs(), pace_s=0.5 if pace_s is None else pace_s)


def _has_signs() -> bool:
    """Can the output's encoding write the signs of the suits?"""
    try:
        "".join(SIGNS.values()).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
