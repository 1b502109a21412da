"""Ratings after each round: each point a fit of its own, as table, data and picture."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.history import (
    MOST_POINTS,
    History,
    RoundResults,
    by_round,
    charted,
    history_of,
    point,
)
from arena.tournament.ratings import rate
from arena.tournament.reporting.history_pictures import MOST_CHARTS, charts, history_svg
from arena.tournament.reporting.history_reports import HEADS, history_document, history_text
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant, compile_standings
from tests.tournament.simulation import hand
from tests.tournament.test_layouts import agrees

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {"a": "=A", "b": "<b>", "c": "茶", "d": "dora"}


def won(block: str, *bots: str) -> HandResult:
    return hand(*bots, block=block)


ROUNDS = (
    RoundResults(1, (won("1", "a", "b"), won("1", "b", "a"), won("2", "c", "d"))),
    RoundResults(2, (won("3", "a", "c"), won("4", "d", "b"), won("4", "b", "d"))),
    RoundResults(4, (won("5", "c", "a"), won("6", "b", "d"))),
)


def series(rounds: tuple[RoundResults, ...] = ROUNDS, complete: int = 4) -> History:
    results = [result for each in rounds for result in each.results]
    entrants = [Entrant(bot, name) for bot, name in NAMES.items()]
    points = [point(rounds, each.round) for each in rounds]
    return history_of(compile_standings(results, entrants), complete, points)


def test_a_point_is_the_fit_of_all_hands_up_to_its_round() -> None:
    results = [result for each in ROUNDS[:2] for result in each.results]
    (group,) = rate(results).groups
    after = point(ROUNDS, 2)
    assert (after.round, after.hands, after.blocks) == (2, 6, 4)
    elo = dict(zip(group.bots, group.elo.tolist(), strict=True))
    assert {rating.bot: rating.elo for rating in after.ratings} == elo
    assert [rating.elo for rating in after.ratings] == sorted(elo.values(), reverse=True)


def test_bots_that_have_not_met_yet_are_in_rankings_of_their_own() -> None:
    first, second = point(ROUNDS, 1), point(ROUNDS, 2)
    assert {rating.bot: rating.group for rating in first.ratings} == {
        "a": 1,
        "b": 1,
        "c": 2,
        "d": 2,
    }
    assert {rating.group for rating in second.ratings} == {1}


def test_who_was_always_ahead_has_a_bound_instead_of_an_error() -> None:
    (ahead,) = [rating for rating in point(ROUNDS, 1).ratings if rating.bot == "c"]
    assert (ahead.bound, ahead.error) == (">", None)
    assert ahead.bound_elo is not None
    assert ahead.bound_elo < ahead.elo


def test_the_anchor_is_at_1500_from_the_round_on_in_which_it_can_carry_the_scale() -> None:
    rounds = tuple(
        RoundResults(number, (won(f"{number}", "a", "b"), won(f"{number}", "b", "a")))
        for number in range(1, 12)
    )
    early, late = (point(rounds, number, anchor="a") for number in (9, 10))
    assert [rating.anchor for rating in early.ratings] == [False, False]
    assert {r.bot: round(r.elo) for r in late.ratings if r.anchor} == {"a": 1500}
    assert point(rounds, 3, anchor="nobody").ratings  # an anchor that has not played yet


def test_results_are_sorted_into_rounds_and_those_of_other_rounds_left_out() -> None:
    results = [won("t3", "a", "b"), won("t1", "a", "b"), won("t2", "b", "a")]
    rounds = by_round(results, {"t1": 1, "t2": 2, "t3": 3}, complete=2)
    assert rounds == (RoundResults(1, (results[1],)), RoundResults(2, (results[2],)))


@given(st.integers(0, 2_000))
def test_points_are_not_too_many_and_stay_until_rounds_have_doubled(count: int) -> None:
    rounds = charted(range(1, count + 1))
    assert len(rounds) <= MOST_POINTS + 1
    assert rounds[-1:] == ((count,) if count else ())
    assert count > MOST_POINTS or rounds == tuple(range(1, count + 1))
    kept = set(charted(range(1, count + 2))[:-1])
    assert kept <= set(rounds) or count % MOST_POINTS == 0


def test_json_has_every_point() -> None:
    document = history_document(series())
    assert document["rounds_complete"] == 4
    assert document["names"] == NAMES
    rounds = document["rounds"]
    assert isinstance(rounds, list)
    assert [each["round"] for each in rounds] == [1, 2, 4]
    assert [len(each["ratings"]) for each in rounds] == [4, 4, 4]


def test_csv_has_one_line_for_each_bot_and_round_and_runs_no_formula() -> None:
    read = list(csv.DictReader(io.StringIO(history_text(series(), form="csv"))))
    assert tuple(read[0]) == HEADS
    assert [line["round"] for line in read] == ["1"] * 4 + ["2"] * 4 + ["4"] * 4
    assert {line["name"] for line in read} == {"'=A", "<b>", "茶", "dora"}
    assert history_text(series((), 0), form="csv").strip() == ",".join(HEADS)


def test_the_table_looks_like_this() -> None:
    assert agrees("history.txt", history_text(series()))


@pytest.mark.slow
def test_of_many_rounds_the_table_has_some_and_says_so() -> None:
    rounds = tuple(
        RoundResults(number, (won(f"{number}", "a", "b"), won(f"{number}", "b", "a")))
        for number in range(1, 26)
    )
    points = [point(rounds, each.round) for each in rounds]
    results = [result for each in rounds for result in each.results]
    text = history_text(history_of(compile_standings(results), 25, points))
    assert text.split()[1:10] == ["r1", "r4", "r7", "r10", "r13", "r16", "r19", "r22", "r25"]
    assert "further rounds: csv, JSON" in text


@pytest.mark.parametrize("form", ["plain", "github", "html", "latex"])
def test_before_a_round_is_complete_there_is_a_sentence(form: str) -> None:
    assert "No round is complete yet." in history_text(series((), 0), form=form)


def test_the_picture_looks_like_this() -> None:
    assert agrees("history.svg", history_svg(series()))


def test_the_picture_has_a_title_and_words_and_draws_only_what_can_be_compared() -> None:
    drawn = charts(series())
    assert [chart.name for chart in drawn] == [NAMES[bot] for bot in series().names]
    assert {mark.round for chart in drawn for mark in chart.marks} == {2, 4}
    picture = ET.fromstring(history_svg(series()))
    assert picture.get("role") == "img"
    title, words = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert title is not None
    assert words is not None
    assert picture.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"
    assert "dora: " in str(words.text)
    assert "<b>" in str(words.text)


def test_a_wide_name_ends_where_its_rating_begins() -> None:
    bots = ["W" * 32, "b"]
    results = (won("t", *bots),)
    rounds = (RoundResults(1, results),)
    history = history_of(compile_standings(results), 1, [point(rounds, 1)])
    picture = ET.fromstring(history_svg(history))
    for chart in picture.findall(f"{SVG}g"):
        name, rating = chart.find(f"{SVG}svg"), chart.find(f"{SVG}text")
        assert name is not None
        assert rating is not None
        digits = 8 * len(str(rating.text))
        assert float(name.get("width", "inf")) <= float(rating.get("x", "0")) - digits


def test_a_picture_of_nothing_says_so() -> None:
    assert "No round is complete yet" in history_svg(series((), 0))


def test_of_many_bots_the_first_are_drawn() -> None:
    bots = [f"bot-{number}" for number in range(40)]
    results = tuple(won(f"{number}", *order) for number, order in enumerate((bots, bots[::-1])))
    rounds = (RoundResults(1, results),)
    history = history_of(compile_standings(results), 1, [point(rounds, 1)])
    picture = history_svg(history)
    assert len(list(ET.fromstring(picture).iter(f"{SVG}polyline"))) == MOST_CHARTS
    assert "and 16 more bots" in picture
    assert len(picture) < 40_000


def test_pseudonyms_take_the_place_of_ids_and_names() -> None:
    history = series().disguised(
        {"a": "brave fox", "b": "calm owl", "c": "shy elk", "d": "old yak"}
    )
    text = str(history_document(history)) + history_text(history) + history_svg(history)
    assert "brave fox" in text
    assert "dora" not in text
    assert {r.bot for p in history.points for r in p.ratings} == set(history.names)
