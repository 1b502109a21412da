"""Reports: cross-table, likelihood of superiority, and what would separate neighbours, as text.

Each follows the order of the standings it is given and adds no number of its own. Pure and
deterministic to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.tournament.ratings import Group
from arena.tournament.reporting.layouts import likelihood
from arena.tournament.reporting.markup import escaped, printable, safe_form, table
from arena.tournament.standings import Section, Standings
from arena.tournament.superiority import Separation, separations, superiority_matrix

Cell = Callable[[int, int], str]
"""What stands in the cell of two bots, given as indices into their group."""


def cross_table(standings: Standings, *, counts: bool = False, form: str = "plain") -> str:
    """How often the row's bot finished ahead of the column's: in per cent of the hands they
    shared (a tie is half), or with `counts` as "ahead/shared"."""

    def cells(group: Group) -> Cell:
        return lambda i, j: score_text(group, i, j, counts=counts)

    return _matrix(standings, cells, form=form)


def superiority_table(standings: Standings, *, form: str = "plain") -> str:
    """The probability in per cent that the row's bot is better than the column's."""

    def cells(group: Group) -> Cell:
        chances = superiority_matrix(group)
        return lambda i, j: likelihood(float(chances[i, j]))

    return _matrix(standings, cells, form=form)


def separation_table(standings: Standings, *, form: str = "plain") -> str:
    """For each bot and the next: gap and error in Elo, LOS, and the hands still missing."""
    heads = ("bot", "next", "gap", "+/-", "LOS", "verdict")
    right = (False, False, True, True, True, False)
    parts = []
    for section, group in groups_of(standings):
        names = {row.bot: row.name for row in section.rows}
        rows = [
            separation_cells(separation, names)
            for separation in section_separations(section, group)
        ]
        parts.append(_printed(rows, heads, right=right, form=form))
    return _joined(parts)


def section_separations(section: Section, group: Group) -> list[Separation]:
    """The separation of every bot of a section from the next, in the order of the rows."""
    rows = [row for row in section.rows if row.bot in group.bots]
    hands = {row.bot: row.hands for row in rows}
    return separations(group, [row.bot for row in rows], hands)


def separation_cells(separation: Separation, names: dict[str, str]) -> list[str]:
    """A line of the table: two bots, gap and error in whole Elo, the chance, the verdict."""
    chance = likelihood(separation.superiority)
    gap, error = str(round(separation.gap)), f"{separation.error:.0f}"
    return [
        names[separation.ahead],
        names[separation.behind],
        gap,
        error,
        chance,
        verdict_text(separation),
    ]


def verdict_text(separation: Separation) -> str:
    """What the gap between two bots means, in words."""
    if separation.tie:
        return "tie within 10"
    if separation.more_hands is None:
        return "no gap"
    return (
        f"about {_rough(separation.more_hands)} more hands"
        if separation.more_hands
        else "separated"
    )


def _rough(number: int) -> int:
    """The number to two digits: it is no more exact than that."""
    return int(float(f"{number:.1e}"))


def score_text(group: Group, i: int, j: int, *, counts: bool) -> str:
    """How often the i-th bot finished ahead of the j-th."""
    ahead = int(group.points[i, j]) / 2
    shared = ahead + int(group.points[j, i]) / 2
    if counts:
        return f"{ahead:g}/{shared:g}"
    return f"{100 * ahead / shared:.1f}" if shared else ""


def groups_of(standings: Standings) -> list[tuple[Section, Group]]:
    """Sections with ratings, each with its group; bots without a pair have none."""
    return list(zip(standings.sections, standings.ratings.groups, strict=False))


def _matrix(standings: Standings, cells: Callable[[Group], Cell], *, form: str) -> str:
    parts = []
    for section, group in groups_of(standings):
        rows = [row for row in section.rows if row.bot in group.bots]
        at = [group.bots.index(row.bot) for row in rows]
        cell = cells(group)
        body = [
            [str(number), row.name, *("" if i == j else cell(i, j) for j in at)]
            for number, (row, i) in enumerate(zip(rows, at, strict=True), 1)
        ]
        heads = ("#", "bot", *(str(number) for number in range(1, len(rows) + 1)))
        right = (True, False, *(True for _ in rows))
        parts.append(_printed(body, heads, right=right, form=form))
    return _joined(parts)


def _printed(
    rows: Sequence[Sequence[str]], heads: Sequence[str], *, right: Sequence[bool], form: str
) -> str:
    safe = safe_form(form)
    body = [
        [
            text if flush else escaped(printable(text), safe)
            for text, flush in zip(row, right, strict=True)
        ]
        for row in rows
    ]
    return table(body, heads, right=right, form=safe)


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
