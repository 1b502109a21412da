"""Standings as text: golden tables, every form, names that would do harm.

To accept new tables on purpose: UPDATE_GOLDEN=1 python -m pytest tests/tournament/test_layouts.py
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tabulate import tabulate_formats
from wcwidth import wcswidth

from arena.errors import BadInput
from arena.tournament.reporting.layouts import LAYOUTS, by_points, render
from arena.tournament.reporting.markup import (
    FORMS,
    WIDTHLESS,
    escaped,
    printable,
    safe_form,
    shortened,
    table,
)
from arena.tournament.reporting.reports import (
    cross_table,
    separation_cells,
    separation_table,
    superiority_table,
)
from arena.tournament.standings import Entrant, Facts, compile_standings
from arena.tournament.superiority import Separation
from tests.tournament.cup import STANDINGS
from tests.tournament.simulation import hand

GOLDEN = Path(__file__).parent / "golden"


def agrees(name, text):
    """The text equals the golden file of that name."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    return text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_plain_tables_look_like_this(layout, width):
    assert agrees(f"{layout}_{width}.txt", render(STANDINGS, layout=layout, width=width))


def with_points(points, **more):
    """A row with so many points, that is otherwise like any other."""
    row = STANDINGS.sections[0].rows[0]
    return row._replace(name=f"p{points}", points=points, hands=40, disqualified=False, **more)


def test_a_table_of_points_is_in_their_order_and_equal_points_share_a_rank():
    rows = [with_points(points) for points in (90.0, 120.0, None, 150.0, 120.0)]
    rows.append(with_points(180.0)._replace(name="out", disqualified=True))
    section = STANDINGS.sections[0]._replace(rows=tuple(rows))
    table = replace(STANDINGS, sections=(section,))
    ordered = by_points(table).sections[0].rows
    assert [(row.position, row.name) for row in ordered[:4]] == [
        *[(1, "p150.0"), (2, "p120.0"), (2, "p120.0"), (4, "p90.0")]
    ]
    assert [row.position for row in ordered[4:]] == [None, None]
    records = list(csv.DictReader(io.StringIO(render(table, layout="points", form="csv"))))
    assert [record["points"] for record in records[:4]] == ["150.0", "120.0", "120.0", "90.0"]
    text = render(table, layout="points", width=60)
    assert "points" in text
    assert "3.75" in text  # of 150 points in 40 hands
    assert "Elo" not in text


@pytest.mark.parametrize(("form", "ending"), [("github", "md"), ("html", "html"), ("latex", "tex")])
def test_other_forms_look_like_this(form, ending):
    assert agrees(f"concise.{ending}", render(STANDINGS, layout="concise", form=form))


def test_csv_looks_like_this():
    assert agrees("wide.csv", render(STANDINGS, layout="wide", form="csv"))


@pytest.mark.parametrize(
    ("name", "report"),
    [("cross", cross_table), ("los", superiority_table), ("separation", separation_table)],
)
def test_reports_look_like_this(name, report):
    assert agrees(f"{name}.txt", report(STANDINGS))


def test_the_cross_table_can_count():
    assert agrees("cross_counts.md", cross_table(STANDINGS, counts=True, form="github"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize("layout", ["full", "concise"])
@pytest.mark.parametrize("form", ["plain", "simple", "github", "fancy_grid"])
def test_a_table_keeps_within_its_width(form, layout, width):
    text = render(STANDINGS, layout=layout, form=form, width=width)
    table_lines = [line for line in text.splitlines() if "貧民" in line]
    assert table_lines
    assert all(wcswidth(line) <= width for line in table_lines)


def test_columns_of_japanese_names_are_aligned():
    lines = render(STANDINGS, form="fancy_grid").splitlines()
    table = [line for line in lines if line and line[0] in "╒╞├╘│"]
    assert len({wcswidth(line) for line in table}) == 1


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_every_bot_in_every_layout(form, layout):
    text = render(STANDINGS, layout=layout, form=form)
    assert all(name in text for name in ("貧民の星", "革命家", "無敵ボット", "来なかった"))
    assert text.endswith("\n")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_every_report(form):
    for report in (cross_table, superiority_table, separation_table):
        assert "ジョーカー使い" in report(STANDINGS, form=form)


def test_forms_are_csv_and_those_of_tabulate():
    assert set(FORMS) == {"csv", *tabulate_formats}
    assert set(WIDTHLESS) <= set(FORMS)


def test_csv_reads_back_whole():
    rows = list(csv.DictReader(io.StringIO(render(STANDINGS, layout="wide", form="csv"))))
    assert len(rows) == 12
    by_bot = {row["bot"]: row for row in rows}
    assert by_bot["b1"]["name"] == "carol|pipes"
    assert by_bot["b4"]["name"] == "'=SUM(A1:A9)"
    assert by_bot["b7"]["bound"] == "lower"
    assert by_bot["absent"]["elo"] == ""
    assert by_bot["b2"]["anchor"] == "true"


NASTY = Entrant("n", name='a,"b"\n<script>|\x1b[31m`x`\\[l](u)\u202e\x01 ')


@pytest.mark.parametrize(
    ("form", "never"),
    [
        ("html", "<script>"),
        ("unsafehtml", "<script>"),
        ("github", "<script>"),
        ("mediawiki", "<script>"),
        ("textile", "<script>"),
        ("plain", "\x1b"),
        ("csv", "\x1b"),
        ("tsv", "\u202e"),
        ("latex_raw", "\\["),
    ],
)
def test_names_cannot_slip_in_markup(form, never):
    found = compile_standings([hand("n", "m")], [NASTY], facts=Facts(session=NASTY.name))
    assert never not in render(found, form=form)


@pytest.mark.parametrize("form", ["plain", "github", "jira", "orgtbl", "psql"])
def test_a_name_stays_in_its_row(form):
    plain = compile_standings([hand("n", "m")], [Entrant("n", name="ordinary")])
    nasty = compile_standings([hand("n", "m")], [NASTY])
    assert len(render(nasty, form=form).splitlines()) == len(render(plain, form=form).splitlines())


def test_names_are_shortened_by_columns_not_characters():
    assert shortened("大富豪たろう", 12) == "大富豪たろう"
    assert shortened("大富豪たろう", 8) == "大富豪…"
    assert shortened("大富豪たろう", 7) == "大富豪…"
    assert shortened("abc", 2) == "a…"
    assert printable("a\x00b\u2028c") == "a\ufffdb\ufffdc"


def test_a_long_name_is_cut_only_where_width_is_short():
    assert "大富豪たろう・八切りの達人三世 *" in render(STANDINGS, layout="full")
    assert "… *" in render(STANDINGS, layout="full", width=80)


def test_columns_that_are_left_out_are_named():
    assert "left out for want of width: last%" in render(STANDINGS, width=80)
    assert "left out" not in render(STANDINGS, width=110)


def test_what_is_not_known_is_not_said():
    text = render(compile_standings([hand("a", "b"), hand("b", "a")]))
    assert text.splitlines()[0] == "2 hands in 1 block"
    assert "seats" not in text
    assert "None" not in text


def test_an_empty_session_is_a_line_and_a_warning():
    assert render(compile_standings([])) == (
        "0 hands in 0 blocks\n"
        "Bradley-Terry on finished-ahead pairs; mean = 1500\n\n"
        "Warning: No hand has been finished: there is nothing to rate.\n"
    )
    assert render(compile_standings([]), form="csv").count("\n") == 1


@pytest.mark.parametrize(("layout", "form"), [("fancy", "plain"), ("full", "word")])
def test_unknown_layouts_and_forms_are_refused(layout, form):
    with pytest.raises(BadInput, match="expected one of"):
        render(STANDINGS, layout=layout, form=form)


HEBREW, ARABIC = "שלום 12", "مرحبا"


@pytest.mark.parametrize("form", ["plain", "github", "html", "fancy_grid", "mediawiki"])
def test_a_name_from_right_to_left_turns_nothing_beside_it_round(form):
    found = compile_standings([hand("n", "m")], [Entrant("n", name=HEBREW), Entrant("m", ARABIC)])
    for text in (render(found, form=form), cross_table(found, form=form)):
        assert f"\u2068{HEBREW}\u2069" in text
        assert f"\u2068{ARABIC}\u2069" in text


FORMULAS = ("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "＝1", "＋1", "－1", "＠1")


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(form, text):
    assert escaped(text, form) == "'" + text


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_text_that_no_spreadsheet_runs_stays_as_it_is(form):
    for text in ("alice", "a=b", "1-1", "'", "", "大富豪"):
        assert escaped(text, form) == text


def test_a_quote_does_not_hide_a_formula_or_swallow_what_follows():
    assert escaped('"=1+1"', "tsv") == '\'"=1+1"'
    assert escaped('"=1+1"', "csv") == '"=1+1"'  # which is quoted again as a whole


def spreadsheet(text):
    """The cells of tsv as a spreadsheet takes them."""
    return [[cell.strip() for cell in line.split("\t")] for line in text.splitlines() if line]


@pytest.mark.parametrize("report", [render, cross_table, superiority_table, separation_table])
def test_no_text_of_a_tsv_table_is_a_formula(report):
    bots = [Entrant("n", name="=1+1", owner="@me"), Entrant("m", name="-2", owner="+3")]
    found = compile_standings([hand("n", "m")], bots)
    cells = [cell for row in spreadsheet(report(found, form="tsv")) for cell in row]
    for name in ("'=1+1", "'-2"):
        assert any(cell.startswith(name) for cell in cells)
    for cell in cells:
        assert not cell.startswith(("=", "@", "+")), cell


def test_numbers_of_a_tsv_table_stay_numbers():
    rows = [["=1", "-12.5"], ["x", "+3"]]
    text = table(
        [[escaped(name, "tsv"), number] for name, number in rows],
        ("bot", "+/-"),
        right=(False, True),
        form="tsv",
    )
    assert spreadsheet(text) == [["bot", "'+/-"], ["'=1", "-12.5"], ["x", "+3"]]


@pytest.mark.parametrize("form", ["csv", "tsv", "latex"])
def test_what_programs_read_has_no_marks_of_direction(form):
    text = render(compile_standings([hand("n", "m")], [Entrant("n", name=HEBREW)]), form=form)
    assert HEBREW in text
    assert "\u2068" not in text


def test_columns_beside_names_from_right_to_left_are_aligned():
    found = compile_standings([hand("n", "m")], [Entrant("n", name=HEBREW), Entrant("m", "plain")])
    lines = render(found, form="fancy_grid").splitlines()
    assert len({wcswidth(line) for line in lines if line and line[0] in "╒╞├╘│"}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_name_of_200_characters_is_shown_whole_where_there_is_room_and_cut_where_not(form):
    for name in ("x" * 200, "大" * 200):
        found = compile_standings([hand("n", "m")], [Entrant("n", name=name)])
        assert name in render(found, form=form)
        cut = render(found, form=form, width=80)
        table = [line for line in cut.splitlines() if name[:3] in line]
        assert table
        assert safe_form(form) in WIDTHLESS or max(map(wcswidth, table)) <= 80


def test_a_gap_that_is_as_good_as_none_has_no_sign() -> None:
    separation = Separation("a", "b", -0.3, 20.0, 0.5, None, tie=False)
    assert separation_cells(separation, {"a": "A", "b": "B"})[2:4] == ["0", "20"]
