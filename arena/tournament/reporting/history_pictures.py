"""Pictures of a history: for each bot its rating after each round, with the 95 % interval, as SVG.

One small chart for each bot, all to one scale: lines of many bots in one chart cannot be told
apart, least of all without colours. The picture stands by itself, also as an image in a page, so it
brings its two colours along, for light and for dark. It computes no rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from arena.tournament.components import ABOVE
from arena.tournament.history import BotPoint, History, Point
from arena.tournament.ratings import ANCHOR_ELO
from arena.tournament.reporting.markup import printable, shortened
from arena.tournament.reporting.pictures import number_text, ticks

MOST_CHARTS = 24
COLUMNS = 3
WIDTH, EDGE, TOP = 720, 16, 34
CHART_WIDTH, CHART_HEIGHT, GAP = 190, 66, 10
TAG, NAME, FOOT, LINE = 34, 16, 22, 16
LONGEST_NAME, NAME_WIDTH = 20, 150
MOST_LINES = 4
MARGIN = 0.04
WHAT = "Elo after each round"
NOTHING = "No round is complete yet, or the bots have not met."

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
    ' height="{height}" role="img" aria-labelledby="history-title history-text"'
    ' font-family="sans-serif" font-size="12" fill="currentColor" stroke="none">'
)
STYLE = "svg{color:#1a1a1a}@media(prefers-color-scheme:dark){svg{color:#e8e8e8}}"
"""The only style of a picture: what else is in one, browsers do not apply."""


class ChartMark(NamedTuple):
    """A rating in the picture; low, high: of its interval, None where there is no bound."""

    round: int
    elo: float
    low: float | None
    high: float | None


class Chart(NamedTuple):
    """What is drawn of one bot."""

    name: str
    marks: tuple[ChartMark, ...]


class _ChartScale(NamedTuple):
    low: float
    high: float
    rounds: int

    def x(self, round_: float) -> float:
        """Where a round is, in pixels from the left of a chart."""
        return (round_ - 1) / max(1, self.rounds - 1) * CHART_WIDTH

    def y(self, elo: float) -> float:
        """Where an Elo number is, in pixels from the top of a chart."""
        return (self.high - elo) / (self.high - self.low) * CHART_HEIGHT


def charts(history: History) -> tuple[Chart, ...]:
    """What can be drawn, in the order of the standings.

    A rating is drawn from the round on after which all bots of the bot's ranking that had played
    had met, if only by way of others: before that its number means something else.
    """
    by_bot = {bot: list(_marks(history.points, bot)) for bot in history.names}
    drawn = ((history.names[bot], marks) for bot, marks in by_bot.items() if marks)
    return tuple(Chart(shortened(printable(name), LONGEST_NAME), tuple(m)) for name, m in drawn)


def _marks(points: Sequence[Point], bot: str) -> Iterator[ChartMark]:
    final = {rating.bot: rating.group for rating in points[-1].ratings} if points else {}
    for point in points:
        ratings = {rating.bot: rating for rating in point.ratings}
        if bot not in ratings:
            continue
        group = {each.bot for each in point.ratings if each.group == ratings[bot].group}
        companions = {other for other in ratings if final.get(other) == final.get(bot)}
        if companions <= group:
            yield _mark(point.round, ratings[bot])


def _mark(round_: int, rating: BotPoint) -> ChartMark:
    if rating.bound_elo is not None:
        above = rating.bound == ABOVE
        low, high = (rating.bound_elo, None) if above else (None, rating.bound_elo)
        return ChartMark(round_, rating.elo, low, high)
    error = rating.error or 0.0
    return ChartMark(round_, rating.elo, rating.elo - error, rating.elo + error)


def history_svg(history: History, *, columns: int = COLUMNS) -> str:
    """The picture as an SVG document. columns: charts beside each other; 1 for a phone."""
    every = charts(history)
    drawn = every[:MOST_CHARTS]
    scale = _scale(drawn, history)
    rows = -(-len(drawn) // columns)
    width = _width(columns)
    foot = FOOT + (LINE if columns < COLUMNS else 0)
    height = TOP + rows * (NAME + CHART_HEIGHT + GAP) + foot
    heading = f"{printable(history.session) or 'Ratings'}: {WHAT}"
    shown = heading if columns == COLUMNS else WHAT
    lines = [
        HEAD.format(width=width, height=height),
        f'<title id="history-title">{escape(heading)}</title>',
        f'<desc id="history-text">{escape(_words(drawn, history))}</desc>',
        f"<style>{STYLE}</style>",
        f'<text x="{EDGE}" y="20" font-weight="bold">{escape(shown)}</text>',
    ]
    for at, chart in enumerate(drawn):
        left = EDGE + TAG + at % columns * (WIDTH - 2 * EDGE) / COLUMNS
        top = TOP + at // columns * (NAME + CHART_HEIGHT + GAP)
        lines.append(f'<g transform="translate({number_text(left)} {top})">')
        lines += [*_chart(chart, scale), "</g>"]
    lines += _foot(drawn, len(every) - len(drawn), scale, width=width, height=height)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _words(drawn: Sequence[Chart], history: History) -> str:
    """The picture for who does not see it: from where to where each bot went."""
    if not drawn:
        return NOTHING
    said = [
        f"{chart.name}: {chart.marks[0].elo:.0f} after round {chart.marks[0].round},"
        f" {chart.marks[-1].elo:.0f} after round {chart.marks[-1].round}"
        for chart in drawn
    ]
    return f"Ratings with 95 % intervals, {history.rounds} rounds complete. " + "; ".join(said)


def _scale(drawn: Iterable[Chart], history: History) -> _ChartScale:
    """Of all charts together. The first rounds have intervals that would dwarf all others: what
    is wider than the ratings by more than their own range is cut at the edge."""
    marks = [mark for chart in drawn for mark in chart.marks]
    elos = [mark.elo for mark in marks] or [ANCHOR_ELO - 50, ANCHOR_ELO + 50]
    room = max(50.0, (max(elos) - min(elos)) / 2)
    ends = [end for mark in marks for end in (mark.low, mark.high) if end is not None]
    low = max(min([*ends, *elos]), min(elos) - room)
    high = min(max([*ends, *elos]), max(elos) + room)
    margin = max(10.0, (high - low) * MARGIN)
    last = max((point.round for point in history.points), default=1)
    return _ChartScale(low - margin, high + margin, last)


def _chart(chart: Chart, scale: _ChartScale) -> Iterator[str]:
    # A picture in the picture is cut at its own edge, however wide the letters of a font are.
    yield f'<svg width="{NAME_WIDTH}" height="{NAME}">'
    yield f'<text y="11">{escape(chart.name)}</text></svg>'
    yield f'<text x="{CHART_WIDTH}" y="11" text-anchor="end">{chart.marks[-1].elo:.0f}</text>'
    yield f'<g transform="translate(0 {NAME})">'
    for elo in ticks(scale.low, scale.high, most=MOST_LINES):
        y = number_text(scale.y(elo))
        strong = 0.6 if elo == ANCHOR_ELO else 0.18
        yield (
            f'<line x1="0" y1="{y}" x2="{CHART_WIDTH}" y2="{y}" stroke="currentColor"'
            f' stroke-opacity="{strong}"/>'
        )
        at = number_text(scale.y(elo) + 3.5)
        yield f'<text x="-5" y="{at}" font-size="10" text-anchor="end">{elo:g}</text>'
    yield f'<polygon points="{_band(chart.marks, scale)}" opacity="0.22"/>'
    line = " ".join(_place(scale, mark.round, mark.elo) for mark in chart.marks)
    yield f'<polyline points="{line}" fill="none" stroke="currentColor" stroke-width="1.6"/>'
    last = chart.marks[-1]
    x, y = number_text(scale.x(last.round)), number_text(scale.y(last.elo))
    yield f'<circle cx="{x}" cy="{y}" r="2.6"/></g>'


def _band(marks: Sequence[ChartMark], scale: _ChartScale) -> str:
    """The intervals as one shape, there and back; what goes beyond the scale ends at its edge."""
    corners = [(float(mark.round), mark) for mark in marks]
    if len(marks) == 1:  # a shape has a width
        corners.append((marks[0].round + 0.05, marks[0]))
    upper = [(x, min(scale.high if m.high is None else m.high, scale.high)) for x, m in corners]
    lower = [(x, max(scale.low if m.low is None else m.low, scale.low)) for x, m in corners]
    return " ".join(_place(scale, *corner) for corner in (*upper, *lower[::-1]))


def _place(scale: _ChartScale, round_: float, elo: float) -> str:
    return f"{number_text(scale.x(round_))},{number_text(scale.y(elo))}"


def _width(columns: int) -> int:
    return 2 * EDGE + columns * (WIDTH - 2 * EDGE) // COLUMNS


def _foot(
    drawn: Sequence[Chart], left_out: int, scale: _ChartScale, *, width: int, height: int
) -> Iterator[str]:
    left = f"and {left_out} more bots, in the table" if left_out else ""
    right = f"rounds 1 to {scale.rounds}; band: 95 % interval" if drawn else NOTHING
    up = height - 8 if width == WIDTH else height - 8 - LINE
    yield f'<text x="{EDGE}" y="{up}">{left}</text>'
    yield f'<text x="{width - EDGE}" y="{height - 8}" text-anchor="end">{right}</text>'
