"""Cross-table, likelihood of superiority and separations as plain data, for JSON.

They follow the order of the standings and hold the numbers that `reports` prints. Pure; rounded
like `documents`, so that any machine writes the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.documents import Document
from arena.tournament.ratings import Group
from arena.tournament.reporting.documents import percent, rounded
from arena.tournament.reporting.reports import groups_of, section_separations
from arena.tournament.standings import Section, Standings
from arena.tournament.superiority import Separation, superiority_matrix

Number = float | None


def cross_document(standings: Standings) -> Document:
    """How often the row's bot finished ahead of the column's, and how many hands they shared."""
    return _document(standings, _cross)


def _cross(section: Section, group: Group) -> Document:
    at = _order(section, group)

    def ahead(i: int, j: int) -> float:
        return int(group.points[i, j]) / 2

    def share(i: int, j: int) -> Number:
        shared = ahead(i, j) + ahead(j, i)
        return percent(ahead(i, j) / shared) if shared else None

    return {
        "ahead": _matrix(at, ahead),
        "shared": _matrix(at, lambda i, j: int(ahead(i, j) + ahead(j, i))),
        "ahead_percent": _matrix(at, share),
    }


def superiority_document(standings: Standings) -> Document:
    """How likely the row's bot is better than the column's."""
    return _document(standings, _superiority)


def _superiority(section: Section, group: Group) -> Document:
    chances = superiority_matrix(group)

    def chance(i: int, j: int) -> Number:
        return percent(float(chances[i, j]))

    return {"superiority_percent": _matrix(_order(section, group), chance)}


def separation_document(standings: Standings) -> Document:
    """Each bot and the next: their gap, and how many hands would separate them."""
    return _document(standings, _separations)


def _separations(section: Section, group: Group) -> Document:
    return {
        "pairs": [_separation(separation) for separation in section_separations(section, group)]
    }


def _separation(separation: Separation) -> Document:
    return {
        "ahead": separation.ahead,
        "behind": separation.behind,
        "gap_elo": rounded(separation.gap, 2),
        "error_elo": rounded(separation.error, 2),
        "superiority_percent": percent(separation.superiority),
        "more_hands": separation.more_hands,
        "verdict": verdict(separation),
    }


def verdict(separation: Separation) -> str:
    """One word: separated, tie (surely within 10 Elo), no_gap, or open."""
    if separation.tie:
        return "tie"
    if separation.more_hands is None:
        return "no_gap"
    return "open" if separation.more_hands else "separated"


def _document(standings: Standings, more: Callable[[Section, Group], Document]) -> Document:
    groups = [_group(section, group, more) for section, group in groups_of(standings)]
    return {"session": standings.facts.session, "groups": groups}


def _group(section: Section, group: Group, more: Callable[[Section, Group], Document]) -> Document:
    rows = [row for row in section.rows if row.bot in group.bots]
    bots = [{"bot": row.bot, "name": row.name} for row in rows]
    return {"bots": bots, **more(section, group)}


def _order(section: Section, group: Group) -> list[int]:
    return [group.bots.index(row.bot) for row in section.rows if row.bot in group.bots]


def _matrix(at: Sequence[int], cell: Callable[[int, int], Number]) -> list[list[Number]]:
    return [[None if i == j else cell(i, j) for j in at] for i in at]
