"""Standings and reports as HTML tables for pages: captions, scopes, row headers, links to bots.

Tags and classes only, no style: how they look is for the page. Every name is escaped and isolated.
It adds no number: cells are those of the text reports. Pure; a big table is long work, which its
caller does beside others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from arena.tournament.history import History
from arena.tournament.ratings import Group
from arena.tournament.reporting.history_reports import cell_text, notes, some_points
from arena.tournament.reporting.layouts import COLUMNS, LAYOUTS, likelihood
from arena.tournament.reporting.markup import printable
from arena.tournament.reporting.notices import marks
from arena.tournament.reporting.pictures import RatingBar, number_text, rating_bar
from arena.tournament.reporting.reports import (
    groups_of,
    score_text,
    section_separations,
    verdict_text,
)
from arena.tournament.standings import Row, Section, Standings
from arena.tournament.superiority import superiority_matrix

Link = Callable[[str], str]
"""The address of a bot's page, by its id."""
ReportTable = Callable[[Standings, Link], str]
"""Standings, or what follows from them, as one or more tables."""
HEADS: Mapping[str, str] = {
    "#": "Place",
    "range": "Range of places",
    "bot": "Bot",
    "Elo": "Elo",
    "+/-": "±",
    "ahead%": "Ahead %",
    "place": "Mean place",
    "1st%": "First %",
    "last%": "Last %",
    "hands": "Hands",
    "blocks": "Blocks",
    "LOS>": "Better than next %",
    "points": "Points",
    "opp": "Opposition",
    "faults": "Faults",
    "forfeits": "Forfeits",
    "ms/move": "ms a move",
    "owner": "Owner",
    "division": "Division",
}
"""The columns of the layouts, in words."""
PICTURE_WIDTH, PICTURE_MARGIN = 200, 8
NOTHING = "–"


class Cell(NamedTuple):
    """What stands in a cell. html: written as it is; name: its class."""

    html: str
    name: str = ""


def table(
    caption: str, heads: Sequence[Cell], rows: Iterable[Sequence[Cell]], *, header: int = 0
) -> str:
    """A table. header: the number of the column whose cells are the headers of their rows."""
    head = "".join(_cell("th", each, ' scope="col"') for each in heads)
    body = (
        "".join(
            _cell("th", cell, ' scope="row"') if at == header else _cell("td", cell)
            for at, cell in enumerate(row)
        )
        for row in rows
    )
    lines = "\n".join(f"<tr>{row}</tr>" for row in body)
    return (
        f"<table><caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{lines}\n</tbody></table>\n"
    )


def _cell(tag: str, cell: Cell, more: str = "") -> str:
    name = f' class="{cell.name}"' if cell.name else ""
    return f"<{tag}{more}{name}>{cell.html}</{tag}>"


def bot_cell(bot: str, name: str, link: Link, behind: str = "") -> Cell:
    """A bot by its name, which leads to its page."""
    after = f" {escape(behind)}" if behind else ""
    href = escape(link(bot), quote=True)
    return Cell(f'<a href="{href}"><bdi>{escape(printable(name))}</bdi></a>{after}', "text")


def leaders(standings: Standings, link: Link) -> str:
    """Who leads: place, bot, rating with its interval as a picture, share of pairs, hands."""
    bars = [
        rating_bar(row)
        for section in standings.sections
        for row in section.rows
        if row.elo is not None
    ]
    scale = interval_scale(bars)
    heads = (
        Cell("Place", "text"),
        Cell("Bot", "text"),
        Cell("Elo"),
        Cell("95 %", "text mid"),
        Cell("Ahead", "mid"),
        Cell("Hands", "mid"),
    )
    return "".join(
        table(caption, heads, (_leader(row, link, scale) for row in section.rows), header=1)
        for caption, section in captioned(standings)
    )


def captioned(standings: Standings) -> Iterator[tuple[str, Section]]:
    """Each ranking with its caption."""
    sections = standings.sections
    for number, section in enumerate(sections, start=1):
        if len(sections) == 1:
            yield "Standings, best first", section
        else:
            yield (
                f"Ranking {number} of {len(sections)}: these bots never met those of the others",
                section,
            )


def _leader(row: Row, link: Link, scale: tuple[float, float]) -> tuple[Cell, ...]:
    ranks = COLUMNS["range"].text(row).replace("-", "–") if row.ranks else ""
    ahead = NOTHING if row.ahead is None else f"{100 * row.ahead:.0f} %"
    return (
        Cell(f"<b>{row.position or NOTHING}</b> <small>{ranks}</small>", "text rank"),
        bot_cell(row.bot, row.name, link, marks(row)),
        Cell(f"{_elo(row)} <small>{_error(row)}</small>"),
        Cell(interval(rating_bar(row), scale) if row.elo is not None else "", "text mid"),
        Cell(ahead, "mid"),
        Cell(str(row.hands), "mid"),
    )


def _error(row: Row) -> str:
    """The half-width of its interval, with the mark of few blocks."""
    text = COLUMNS["+/-"].text(row)
    few, number = ("~", text[1:]) if text.startswith("~") else ("", text)
    return f"{few}±{number}" if number not in ("", "-") else few


def _elo(row: Row) -> str:
    return NOTHING if row.elo is None else escape(COLUMNS["Elo"].text(row))


def interval_scale(bars: Sequence[RatingBar]) -> tuple[float, float]:
    """From which Elo to which the small pictures of a table go."""
    ends = [end for each in bars for end in (each.elo, each.low, each.high) if end is not None]
    return min(ends, default=1450.0), max(ends, default=1550.0)


def interval(drawn: RatingBar, scale: tuple[float, float]) -> str:
    """A rating with its interval as a small picture; its numbers stand beside it."""
    low, high = scale
    room = PICTURE_WIDTH - 2 * PICTURE_MARGIN

    def x(elo: float) -> float:
        return PICTURE_MARGIN + (elo - low) / max(1.0, high - low) * room

    left = 0.0 if drawn.low is None else x(drawn.low)
    right = float(PICTURE_WIDTH) if drawn.high is None else x(drawn.high)
    return (
        f'<svg class="int" viewBox="0 0 {PICTURE_WIDTH} 16" aria-hidden="true">'
        f'<path d="M0 8h{PICTURE_WIDTH}"/><rect x="{number_text(left)}" y="5" height="6" rx="3"'
        f' width="{number_text(right - left)}"/><circle cx="{number_text(x(drawn.elo))}" cy="8"'
        ' r="5"/></svg>'
    )


def full(standings: Standings, link: Link) -> str:
    """Every column that there is."""
    columns = [
        COLUMNS[head]
        for head in (*LAYOUTS["wide"], *(("division",) if standings.facts.divisions else ()))
    ]
    heads = [Cell(HEADS[each.head], "" if each.right else "text") for each in columns]
    at = [each.head for each in columns].index("bot")

    def cells(row: Row) -> Iterator[Cell]:
        for column in columns:
            if column.head == "bot":
                yield bot_cell(row.bot, row.name, link, marks(row))
            elif column.right:
                yield Cell(escape(column.text(row)))
            else:
                yield Cell(f"<bdi>{escape(printable(column.text(row)))}</bdi>", "text")

    return "".join(
        table(caption, heads, (tuple(cells(row)) for row in section.rows), header=at)
        for caption, section in captioned(standings)
    )


def crosstable(standings: Standings, link: Link) -> str:
    """How often the bot of the row finished ahead of that of the column."""

    def cells(group: Group) -> Callable[[int, int], str]:
        return lambda i, j: score_text(group, i, j, counts=False)

    return _matrix(standings, cells, link)


def superiority(standings: Standings, link: Link) -> str:
    """How likely the bot of the row is better than that of the column."""

    def cells(group: Group) -> Callable[[int, int], str]:
        chances = superiority_matrix(group)
        return lambda i, j: likelihood(float(chances[i, j]))

    return _matrix(standings, cells, link)


def _matrix(
    standings: Standings, cells: Callable[[Group], Callable[[int, int], str]], link: Link
) -> str:
    parts = []
    for section, group in groups_of(standings):
        rows = [row for row in section.rows if row.bot in group.bots]
        at = [group.bots.index(row.bot) for row in rows]
        text = cells(group)
        numbers = [str(number) for number in range(1, len(rows) + 1)]
        heads = [
            Cell("No."),
            Cell("Bot", "text"),
            *(
                Cell(f'<abbr title="{escape(printable(row.name), quote=True)}">{number}</abbr>')
                for number, row in zip(numbers, rows, strict=True)
            ),
        ]
        body = [
            (
                Cell(number),
                bot_cell(row.bot, row.name, link),
                *(Cell(NOTHING if i == j else escape(text(i, j))) for j in at),
            )
            for number, row, i in zip(numbers, rows, at, strict=True)
        ]
        parts.append(table("The columns are the bots by their numbers", heads, body, header=1))
    return "".join(parts)


def separations(standings: Standings, link: Link) -> str:
    """Each bot and the next: what is between them."""
    heads = (
        Cell("Bot", "text"),
        Cell("Next", "text"),
        Cell("Gap, Elo"),
        Cell("±"),
        Cell("Better %"),
        Cell("Verdict", "text"),
    )
    parts = []
    for section, group in groups_of(standings):
        names = {row.bot: row.name for row in section.rows}
        rows = [
            (
                bot_cell(each.ahead, names[each.ahead], link),
                bot_cell(each.behind, names[each.behind], link),
                Cell(str(round(each.gap))),
                Cell(f"{each.error:.0f}"),
                Cell(escape(likelihood(each.superiority))),
                Cell(verdict_text(each), "text"),
            )
            for each in section_separations(section, group)
        ]
        parts.append(table("Each bot and the next in the standings", heads, rows))
    return "".join(parts)


def history(series: History, link: Link) -> str:
    """The ratings after each round, with some of the rounds if there are many."""
    if not series.points:
        return "<p>No round is complete yet.</p>\n"
    some = some_points(series.points)
    ratings = [{rating.bot: rating for rating in point.ratings} for point in some]
    heads = [Cell("Bot", "text"), *(Cell(f"Round {point.round}") for point in some)]
    rows = [
        (
            bot_cell(bot, name, link),
            *(Cell(escape(cell_text(at_round.get(bot)))) for at_round in ratings),
        )
        for bot, name in series.names.items()
    ]
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in notes(series, some))
    return table("Elo after each round, ± 95 %", heads, rows) + lines
