"""What a contest says: who comes and goes, how far it is, and the table of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import click
from tabulate import tabulate

from arena.documents import Document

if TYPE_CHECKING:
    from arena.uecda.contest import Contest
    from arena.uecda.points import PointsLine

Finishes = Sequence[tuple[int, ...]]
"""The players of each hand, best to last."""
EVERY = 100
"""Elsewhere than on a terminal, so often it is said how far the session is."""


class ContestProgress(Protocol):
    """Where a contest's lines go while it is played."""

    def line(self, text: str) -> None:
        """A line that stays."""

    def hand(self, contest: Contest, finishes: Finishes) -> None:
        """A hand has been played."""

    def clear(self) -> None:
        """Nothing is going on any more."""


class PlainProgress:
    """Lines for a log: one for whoever comes or goes, and one for each hundred hands."""

    def line(self, text: str) -> None:
        """A line that stays."""
        click.echo(text, err=True)

    def hand(self, contest: Contest, finishes: Finishes) -> None:
        """A hand has been played."""
        if len(finishes) % EVERY == 0:
            self.line(_progress(contest, finishes))

    def clear(self) -> None:
        """Nothing is going on any more."""


class TerminalProgress:
    """The same on a terminal, where the last line is written over with every hand."""

    def __init__(self) -> None:
        self._shown = ""

    def line(self, text: str) -> None:
        """A line that stays; the one that is written over comes below it."""
        click.echo(f"\r\x1b[K{text}", err=True)
        click.echo(self._shown, nl=False, err=True)

    def hand(self, contest: Contest, finishes: Finishes) -> None:
        """A hand has been played."""
        self._shown = _progress(contest, finishes)
        click.echo(f"\r\x1b[K{self._shown}", nl=False, err=True)

    def clear(self) -> None:
        """Nothing is going on any more."""
        self._shown = ""
        click.echo("\r\x1b[K", nl=False, err=True)


def _lines(contest: Contest, finishes: Finishes) -> list[PointsLine]:
    from arena.uecda.points import points_table

    return points_table(finishes, contest.rules.table.points)


def _progress(contest: Contest, finishes: Finishes) -> str:
    points = ", ".join(
        f"{contest.players[line.player].name} {line.points}" for line in _lines(contest, finishes)
    )
    return f"hand {len(finishes)} of {contest.terms.hands}: {points}"


def lines(contest: Contest, finishes: Finishes) -> list[str]:
    """The table of points for people."""
    if not finishes:
        return ["No hand was played."]
    heads = ["rank", "name", "points", "a hand", "1st", "2nd", "3rd", "4th", "5th"]
    rows = []
    for line in _lines(contest, finishes):
        name = contest.players[line.player].name
        rows.append([line.rank, name, line.points, line.mean, *line.places])
    formats = ("", "", "d", ".2f", *["d"] * 5)
    table = tabulate(rows, headers=heads, tablefmt="simple", floatfmt=formats, disable_numparse=[1])
    played = f"{len(finishes)} of {contest.terms.hands} hands"
    return [played, *table.splitlines(), *_notes(contest)]


def _notes(contest: Contest) -> list[str]:
    """What else is worth knowing of the clients."""
    notes = []
    for player in contest.players:
        seat = player.seat
        if seat is None:
            notes.append(f"{player.name}: a house bot, {player.bot}")
            continue
        counts = ((seat.refused, "refused"), (seat.late, "late"), (seat.surplus, "not asked for"))
        parts = [f"{count} {what}" for count, what in counts if count]
        parts += ["gone before the end"] if seat.has_left_early else []
        if parts:
            notes.append(f"{player.name}: {', '.join(parts)}")
    return notes


def document(contest: Contest, finishes: Finishes) -> Document:
    """The table of points for programs."""
    return {
        "hands": len(finishes),
        "of": contest.terms.hands,
        "seed": contest.terms.seed,
        "players": [_player(contest, line) for line in _lines(contest, finishes)]
        if contest.players
        else [],
    }


def _player(contest: Contest, line: PointsLine) -> Document:
    player = contest.players[line.player]
    seat = player.seat
    return {
        "rank": line.rank,
        "name": player.name,
        "player": line.player,
        "points": line.points,
        "mean": round(line.mean, 4),
        "places": list(line.places),
        "bot": player.bot or None,
        "refused": seat.refused if seat else 0,
        "late": seat.late if seat else 0,
        "surplus": seat.surplus if seat else 0,
        "absent": bool(seat and seat.has_left_early),
    }
