"""Ratings as a picture: always the same bytes, well-formed whatever bots are called."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from arena.cli.plots import write_plot
from arena.errors import BadInput, Unavailable
from arena.tournament.reporting.pictures import WIDTH, bars, svg, ticks
from arena.tournament.standings import Entrant, compile_standings
from tests.tournament.cup import STANDINGS
from tests.tournament.simulation import hand
from tests.tournament.test_layouts import agrees

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_the_picture_looks_like_this():
    assert agrees("ratings.svg", svg(STANDINGS))


def test_every_rated_bot_has_its_bar_in_the_order_of_the_table():
    rated = [row.name for row in STANDINGS.sections[0].rows if row.elo is not None]
    assert [bar.name for bar in bars(STANDINGS)[0]] == rated
    assert [text for text in texts(svg(STANDINGS)) if text in rated] == rated


def test_all_lines_lie_on_the_page():
    for line in ET.fromstring(svg(STANDINGS)).iter(f"{SVG}line"):
        assert all(0 <= float(line.get(end)) <= WIDTH for end in ("x1", "x2"))


def test_a_bot_that_was_always_ahead_has_no_upper_end():
    (ace,) = [bar for bar in bars(STANDINGS)[0] if bar.name == "無敵ボット"]
    assert ace.high is None
    assert ace.low < ace.elo


def test_names_cannot_slip_anything_into_the_picture():
    names = ("<script>alert(1)</script>", '" onload="x', "a\x1b[0m&b", "x" * 200)
    hands = [hand(*"abcd", block="1"), hand(*"dcba", block="2")]
    entrants = [Entrant(bot, name) for bot, name in zip("abcd", names, strict=True)]
    picture = svg(compile_standings(hands, entrants), title="</title><b>")
    assert "<script>" not in picture
    assert "\x1b" not in picture
    assert max(len(text) for text in texts(picture)) <= 33


def test_without_ratings_there_is_an_empty_picture():
    assert texts(svg(compile_standings([])))[0] == "Ratings"


def test_groups_that_never_met_are_both_in_the_picture():
    hands = [hand("a", "b", block="1"), hand("b", "a", block="2"), hand("p", "q", block="3")]
    assert [len(group) for group in bars(compile_standings(hands))] == [2, 2]


@pytest.mark.parametrize(
    ("low", "high", "first", "step"),
    [(1404, 1612, 1425, 25), (0, 3000, 0, 500), (1490, 1510, 1490, 10), (-30, 44, -30, 10)],
)
def test_ticks_are_few_and_round(low, high, first, step):
    found = ticks(low, high)
    assert found[0] == first
    assert found[1] - found[0] == step
    assert len(found) <= 10


def test_pictures_are_written_as_svg(tmp_path):
    write_plot(STANDINGS, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == svg(STANDINGS)


@pytest.mark.slow
def test_pictures_are_written_as_png_where_matplotlib_is(tmp_path):
    pytest.importorskip("matplotlib")
    write_plot(STANDINGS, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_other_files_and_folders_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"\.svg or \.png"):
        write_plot(STANDINGS, tmp_path / "a.gif")
    with pytest.raises(Unavailable, match="cannot be written"):
        write_plot(STANDINGS, tmp_path / "no" / "a.svg")
