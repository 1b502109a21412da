"""Standings and reports as HTML tables: captions, scopes, row headers, names that do no harm."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from arena.tournament.history import by_round, history_of, point
from arena.tournament.reporting import html_tables
from arena.tournament.reporting.pictures import RatingBar
from arena.tournament.reporting.reports import cross_table
from arena.tournament.results import HandResult, settle
from arena.tournament.standings import Entrant, Standings, compile_standings
from tests.tournament.simulation import played
from tests.tournament.test_ratings import LADDER, TWELVE

HANDS = played(TWELVE, LADDER, seed=1, hands=5)
ODD = '<img src=x onerror="alert(1)">'
TABLES = (
    html_tables.leaders,
    html_tables.full,
    html_tables.crosstable,
    html_tables.superiority,
    html_tables.separations,
)


class Cells(HTMLParser):
    """The tags of a text, and the text of each cell of its body, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.within = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.within = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.within = False

    def handle_data(self, data: str) -> None:
        if self.within:
            self.rows[-1][-1] += data


def link(bot: str) -> str:
    return f"/bots/{bot}"


@pytest.fixture(scope="module")
def standings() -> Standings:
    return compile_standings(HANDS, [Entrant("bot03", name=ODD), Entrant("never")])


@pytest.mark.parametrize("table", TABLES)
def test_each_has_a_caption_scopes_and_a_header_in_each_row(
    table: html_tables.ReportTable, standings: Standings
) -> None:
    cells = Cells(table(standings, link))
    names = [name for name, _ in cells.tags]
    assert names.count("caption") == names.count("table") == 1
    scopes = [attributes.get("scope") for name, attributes in cells.tags if name == "th"]
    assert None not in scopes
    assert scopes.count("row") == names.count("tr") - 1
    assert not [1 for _, attributes in cells.tags if "style" in attributes]


@pytest.mark.parametrize("table", TABLES)
def test_names_are_escaped_isolated_and_lead_to_the_bots(
    table: html_tables.ReportTable, standings: Standings
) -> None:
    text = table(standings, link)
    assert "<img" not in text
    assert "<bdi>&lt;img" in text
    assert '<a href="/bots/bot03">' in text


def test_the_cross_table_has_the_cells_of_its_text(standings: Standings) -> None:
    rows = Cells(html_tables.crosstable(standings, link)).rows[1:]
    said = cross_table(standings, form="csv").splitlines()[1:]
    assert [row[2:] for row in rows] == [
        [cell or "–" if at == number else cell for at, cell in enumerate(line.split(",")[2:])]
        for number, line in enumerate(line.replace(", ", "; ") for line in said)
    ]


def test_bots_that_never_met_stand_in_tables_of_their_own() -> None:
    apart = [
        settle(pair, [1, 2], block=f"b{number}", pool="p")
        for number, pair in enumerate((["a", "b"], ["c", "d"]))
    ]
    text = html_tables.leaders(compile_standings(apart), link)
    assert text.count("<table>") == 2
    assert "Ranking 2 of 2: these bots never met those of the others" in text


def test_who_leads_has_place_range_rating_error_and_share(standings: Standings) -> None:
    (section,) = standings.sections
    best, last = section.rows[0], section.rows[-1]
    rows = Cells(html_tables.leaders(standings, link)).rows
    assert best.ranks is not None
    assert rows[1][0] == f"1 {best.ranks[0]}–{best.ranks[1]}"
    assert rows[1][2] == f"{best.elo:.0f} ±{best.error:.0f}"
    assert rows[1][4] == f"{100 * (best.ahead or 0):.0f} %"
    assert last.bot == "never"
    assert [cell.strip() for cell in rows[-1]] == ["–", "never", "–", "", "–", "0"]


def test_few_blocks_are_marked_and_bounds_have_no_error() -> None:
    hands: list[HandResult] = [
        settle(["a", "b"], [1, 2], block=f"b{number}", pool="p") for number in range(3)
    ]
    rows = Cells(html_tables.leaders(compile_standings(hands), link)).rows
    assert rows[1][2].startswith(">")
    assert "±" not in rows[1][2]


def test_an_interval_without_an_end_goes_to_the_edge() -> None:
    drawn = html_tables.interval(RatingBar("", 1500, 1400, None, sure=True), (1300, 1700))
    assert 'x="54"' in drawn
    assert 'width="146"' in drawn


def test_ratings_after_rounds_are_a_table_with_the_rounds_as_heads(standings: Standings) -> None:
    blocks = {hand.block: 1 + number % 2 for number, hand in enumerate(HANDS)}
    rounds = by_round(HANDS, blocks, complete=2)
    series = history_of(standings, 2, [point(rounds, 1), point(rounds, 2)])
    rows = Cells(html_tables.history(series, link)).rows
    assert rows[0] == ["Bot", "Round 1", "Round 2"]
    assert len(rows) == 14
    none = history_of(standings, 0, [])
    assert html_tables.history(none, link) == "<p>No round is complete yet.</p>\n"
