"""Pictures: ratings with their 95 % intervals, as SVG.

Drawn here and not by a plotting library, so that a page needs none and the bytes are the same on
any machine. Colours follow the page (`currentColor`). It computes no rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from arena.tournament.components import ABOVE
from arena.tournament.ratings import ANCHOR_ELO
from arena.tournament.reporting.markup import printable, shortened, width_of
from arena.tournament.standings import RATED, Row, Standings

WIDTH, PLOT_LEAST = 720, 240
LINE, TOP, BOTTOM, EDGE = 22, 34, 40, 16
LETTER = 7.2
LONGEST_NAME = 32
STEPS = (10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000)
MOST_TICKS = 9


HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
    ' height="{height}" role="img" font-family="sans-serif" font-size="13" fill="currentColor"'
    ' stroke="none">'
)


class RatingBar(NamedTuple):
    """One bot in the picture. low, high: of its interval; None where there is no bound on a side.

    sure: False for bots with few blocks or that have left, drawn paler.
    """

    name: str
    elo: float
    low: float | None
    high: float | None
    sure: bool


def bars(standings: Standings) -> tuple[tuple[RatingBar, ...], ...]:
    """For each section with ratings its bots, in the order of the table."""
    sections = (
        tuple(rating_bar(row) for row in section.rows if row.elo is not None)
        for section in standings.sections
    )
    return tuple(section for section in sections if section)


def rating_bar(row: Row) -> RatingBar:
    """What is drawn of a bot that has a rating."""
    elo = row.elo or 0.0
    name = shortened(printable(row.name), LONGEST_NAME)
    sure = row.status == RATED
    if row.bound_elo is not None:
        above = row.bound == ABOVE
        low, high = (row.bound_elo, None) if above else (None, row.bound_elo)
        return RatingBar(name, elo, low, high, sure)
    error = row.error or 0.0
    return RatingBar(name, elo, elo - error, elo + error, sure)


class _Scale(NamedTuple):
    """From Elo to places on the page."""

    low: float
    high: float
    left: float

    def x(self, elo: float) -> float:
        """Where an Elo number is, in pixels from the left."""
        return self.left + (elo - self.low) / (self.high - self.low) * (WIDTH - EDGE - self.left)


def svg(standings: Standings, *, title: str = "") -> str:
    """The picture as an SVG document; groups that never met follow each other on one scale."""
    groups = bars(standings)
    bars_drawn = [bar for group in groups for bar in group]
    scale = _scale(bars_drawn)
    height = TOP + LINE * (len(bars_drawn) + max(0, len(groups) - 1)) + BOTTOM
    heading = printable(title or standings.facts.session) or "Ratings"
    lines = [
        HEAD.format(width=WIDTH, height=height),
        f"<title>{escape(heading)}: Elo with 95 % intervals</title>",
        f'<text x="{EDGE}" y="20" font-weight="bold">{escape(heading)}</text>',
        *_axis(scale, height),
    ]
    y = TOP + LINE / 2
    for group in groups:
        for bar in group:
            lines += _drawn(bar, scale, y)
            y += LINE
        y += LINE
    return "\n".join([*lines, "</svg>"]) + "\n"


def _scale(bars_drawn: Sequence[RatingBar]) -> _Scale:
    ends = [end for bar in bars_drawn for end in (bar.elo, bar.low, bar.high) if end is not None]
    low, high = min(ends, default=ANCHOR_ELO - 50), max(ends, default=ANCHOR_ELO + 50)
    margin = max(10.0, (high - low) * 0.03)
    widest = max((width_of(bar.name) for bar in bars_drawn), default=0)
    left = min(EDGE + widest * LETTER + 12, WIDTH - PLOT_LEAST)
    return _Scale(low - margin, high + margin, left)


def _axis(scale: _Scale, height: int) -> list[str]:
    """Upright lines at round numbers, with the numbers below; a stronger one at 1500."""
    bottom = height - BOTTOM
    lines = []
    for elo in ticks(scale.low, scale.high):
        x = number_text(scale.x(elo))
        strong = 0.6 if elo == ANCHOR_ELO else 0.18
        lines.append(
            f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}" stroke="currentColor"'
            f' stroke-opacity="{strong}"/>'
        )
        lines.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{elo:g}</text>')
    lines.append(f'<text x="{WIDTH - EDGE}" y="{height - 6}" text-anchor="end">Elo, 95 %</text>')
    return lines


def ticks(low: float, high: float, *, most: int = MOST_TICKS) -> list[float]:
    """Round numbers between two, not more than `most` (as long as there are no larger steps)."""
    step = next((s for s in STEPS if (high - low) / s <= most), STEPS[-1])
    first = int(-(-low // step)) * step
    return [float(elo) for elo in range(first, int(high) + 1, step)]


def _drawn(bar: RatingBar, scale: _Scale, y: float) -> list[str]:
    opacity = "" if bar.sure else ' opacity="0.6"'
    low = scale.low if bar.low is None else bar.low
    high = scale.high if bar.high is None else bar.high
    x1, x2, middle = (number_text(scale.x(elo)) for elo in (low, high, bar.elo))
    caps = [x for x, end in ((x1, bar.low), (x2, bar.high)) if end is not None]
    at = number_text(y)
    up, down = number_text(y - 4), number_text(y + 4)
    tag = number_text(scale.left - 8)
    parts = [
        f'<text x="{tag}" y="{number_text(y + 4.5)}" text-anchor="end">{escape(bar.name)}</text>',
        f'<line x1="{x1}" y1="{at}" x2="{x2}" y2="{at}" stroke="currentColor" stroke-width="2"/>',
        *(
            f'<line x1="{x}" y1="{up}" x2="{x}" y2="{down}" stroke="currentColor"'
            ' stroke-width="2"/>'
            for x in caps
        ),
        f'<circle cx="{middle}" cy="{at}" r="4"/>',
    ]
    return [f"<g{opacity}>", *parts, "</g>"]


def number_text(value: float) -> str:
    """A length to a tenth of a pixel, without noise."""
    return f"{round(value, 1) + 0.0:g}"
