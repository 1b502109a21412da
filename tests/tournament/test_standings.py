"""Rows stand in the right order, with the right flags."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from arena.errors import BadInput
from arena.tournament.reporting.documents import standings_document
from arena.tournament.results import HandResult, forfeit
from arena.tournament.standings import Entrant, Facts, compile_standings
from tests.tournament.cup import ENTRANTS, FACTS, STANDINGS, hands
from tests.tournament.simulation import hand

ROWS = {row.bot: row for section in STANDINGS.sections for row in section.rows}


def order(standings):
    return [row.bot for section in standings.sections for row in section.rows]


def row_of(standings, bot):
    return next(row for section in standings.sections for row in section.rows if row.bot == bot)


def twice(*orders):
    """Each order in a block of its own, twice, so that everybody has blocks enough."""
    return [
        hand(*bots, block=f"{lap}/{number}")
        for lap in range(2)
        for number, bots in enumerate(orders)
    ]


def test_rated_bots_come_first_then_provisional_withdrawn_and_unrated_ones():
    statuses = [row.status for section in STANDINGS.sections for row in section.rows]
    assert statuses == sorted(statuses, key=["rated", "provisional", "withdrawn", "unrated"].index)
    assert set(statuses) == {"rated", "provisional", "withdrawn", "unrated"}


def test_the_rated_stand_in_the_order_of_their_elo():
    elos = [row.elo for row in STANDINGS.sections[0].rows if row.status == "rated"]
    assert elos == sorted(elos, reverse=True)


def test_only_the_ranked_have_a_position_and_only_the_rated_a_range():
    ranked = [row.position for row in ROWS.values() if row.position is not None]
    assert ranked == list(range(1, len(ranked) + 1))
    for row in ROWS.values():
        assert (row.ranks is not None) == (row.status == "rated")
        assert (row.position is not None) == (row.status in ("rated", "provisional"))


def test_a_bot_that_withdrew_after_half_of_its_hands_stays_ranked():
    assert (ROWS["b5"].withdrawn, ROWS["b5"].status) == (True, "rated")
    assert (ROWS["gone"].withdrawn, ROWS["gone"].status) == (True, "withdrawn")


def test_without_the_number_of_hands_due_a_withdrawn_bot_is_unranked():
    found = compile_standings([hand("a", "b")], [Entrant("a", withdrawn=True)])
    assert row_of(found, "a").status == "withdrawn"


def test_an_always_ahead_bot_has_a_bound_instead_of_an_error():
    ace = ROWS["b7"]
    assert (ace.bound, ace.error, ace.first) == (">", None, 1.0)
    assert ace.bound_elo < ace.elo


def test_faults_put_a_bot_last_and_are_counted():
    assert ROWS["b3"].faults > 0
    assert ROWS["b2"].faults == 0


def test_the_next_row_is_what_superiority_is_about():
    rows = STANDINGS.sections[0].rows
    for row, below in pairwise(rows):
        assert (row.superiority is None) == (row.status != below.status)
        assert row.superiority is None or row.superiority >= 0.5


def test_nobody_is_compared_with_a_bot_that_has_no_rating():
    assert ROWS["absent"].superiority is None
    assert [row.superiority for row in STANDINGS.sections[0].rows][-2:] == [None, None]


def test_shuffling_hands_and_entrants_changes_nothing():
    shuffled, entrants = hands(), list(ENTRANTS)
    Random(1).shuffle(shuffled)
    Random(2).shuffle(entrants)
    again = compile_standings(shuffled, entrants, facts=FACTS, anchor="b2", anchor_blocks=5)
    assert again.sections == STANDINGS.sections
    assert standings_document(again) == standings_document(STANDINGS)


def test_ties_go_to_the_head_to_head_among_the_tied():
    # Four bots with five points of ten each; b beat a when they met.
    games = [("b", "a"), ("a", "c"), ("c", "d"), ("d", "b")]
    found = compile_standings(twice(*games, *games[::-1]))
    assert [row.elo for row in found.sections[0].rows] == pytest.approx([1500] * 4)
    only_two = compile_standings(
        twice(("b", "a", "c"), ("c", "a", "b"), ("a", "c", "b"), ("b", "c", "a"))
    )
    assert [row.ahead for row in only_two.sections[0].rows] == pytest.approx([0.5] * 3)


def equal_bots(**first):
    """Two bots in perfect balance, the second with nothing to its credit."""
    entrants = [Entrant("a", name="zz"), Entrant("b", name="aa", **first)]
    return compile_standings(twice(("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")), entrants)


def test_the_last_ties_go_to_the_earlier_entry_then_to_the_name():
    assert order(equal_bots(entry=-1)) == ["b", "a"]
    assert order(equal_bots(entry=1)) == ["a", "b"]
    assert order(equal_bots()) == ["b", "a"]


def test_of_equals_the_one_with_fewer_faults_comes_first():
    games = twice(("a", "b"), ("b", "a"), ("a", "b"), ("b", "a"))
    games[0] = games[0]._replace(faults=("b",))
    found = compile_standings(games, [Entrant("a", entry=9), Entrant("b", entry=0)])
    assert order(found) == ["a", "b"]


def test_of_equals_the_one_that_is_first_more_often_comes_first():
    bold = [("a", "b", "c", "d"), ("d", "c", "b", "a")]
    found = compile_standings(twice(*bold, *bold), [Entrant("b", entry=-1)])
    rows = found.sections[0].rows
    assert [row.elo for row in rows] == pytest.approx([1500] * 4)
    assert {row.bot for row in rows[:2]} == {"a", "d"}


def test_bots_that_never_met_stand_in_separate_tables_with_a_warning():
    found = compile_standings([hand("a", "b"), hand("p", "q", "r")], [Entrant("idle")])
    sections = [[row.bot for row in section.rows] for section in found.sections]
    assert sections == [["p", "q", "r"], ["a", "b"], ["idle"]]
    assert any("never met" in warning for warning in found.warnings)
    assert [section.rows[0].position for section in found.sections] == [1, 1, None]


def test_zero_hands_and_a_single_bot_are_shown_without_numbers():
    for entrants in ([], [Entrant("solo")]):
        found = compile_standings([], entrants)
        assert order(found) == [entrant.bot for entrant in entrants]
        assert found.warnings == ("No hand has been finished: there is nothing to rate.",)
    assert row_of(found, "solo")[7:17] == (None, None, None, None, "", None, None, None, None, None)


def test_a_session_of_forfeits_gives_everybody_a_flag():
    results = [forfeit("abc", ("c",), block=f"b{i}", pool="p") for i in range(6)]
    rows = compile_standings(results).sections[0].rows
    assert {row.bot: row.bound for row in rows} == {"a": ">", "b": ">", "c": "<"}
    assert [row_of(compile_standings(results), bot).forfeits for bot in "abc"] == [0, 0, 6]
    assert (rows[0].place, rows[-1].place) == (None, 3.0)


def test_a_single_block_is_called_too_hopeful():
    found = compile_standings([hand("a", "b"), hand("b", "a")])
    assert any("too hopeful" in warning for warning in found.warnings)
    assert all(row.status == "provisional" for row in found.sections[0].rows)


def test_an_anchor_that_cannot_carry_the_scale_is_told():
    found = compile_standings([hand("a", "b"), hand("b", "a")], anchor="a")
    assert any(warning.startswith("a cannot carry the scale") for warning in found.warnings)
    assert not any(row.anchor for row in found.sections[0].rows)


def test_a_warning_calls_the_anchor_by_its_name_and_not_by_its_id():
    people = [Entrant("b-1", name="alice"), Entrant("b-2", name="bob")]
    found = compile_standings([hand("b-1", "b-2"), hand("b-2", "b-1")], people, anchor="b-1")
    assert any(warning.startswith("alice cannot carry the scale") for warning in found.warnings)
    assert not any("b-1" in warning for warning in found.warnings)


def test_opposition_is_the_mean_of_those_it_met():
    found = compile_standings(twice(("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")))
    elo = {row.bot: row.elo for row in found.sections[0].rows}
    assert row_of(found, "b").opposition == pytest.approx((elo["a"] + elo["c"]) / 2)
    assert row_of(found, "a").opposition == pytest.approx(elo["b"])


def test_the_mean_place_shares_tied_places():
    found = compile_standings([HandResult("b", "p", ("a", "b", "c"), (1, 2, 2))])
    assert {row.bot: row.place for row in found.sections[0].rows} == {"a": 1.0, "b": 2.5, "c": 2.5}


def test_an_entrant_twice_or_mixed_pools_are_refused():
    with pytest.raises(BadInput, match="pools"):
        compile_standings([hand("a", "b", pool="x"), hand("a", "b", pool="y")])
    with pytest.raises(BadInput, match="entrant"):
        compile_standings([], [Entrant("a"), Entrant("a", name="again")])


def test_facts_may_all_be_left_out():
    assert compile_standings([hand("a", "b")]).facts == Facts()
