"""Who has won a table: by the last hand, or by the points of all; where the ruleset says so."""

from __future__ import annotations

from typing import Any

import pytest

from arena.documents import Document
from arena.session.results import overall_winners
from tests.referee.table import Arena


def table_of(arena: Arena) -> Document:
    (row,) = arena.referee.queries.tables("cup")["tables"]
    return arena.referee.queries.table(row["table"])


def played(**options: Any) -> Document:
    arena = Arena()
    arena.session(ruleset={"preset": "pagat", "options": options}, hands_per_table=3)
    assert table_of(arena)["overall_winner"] is None
    arena.play()
    return table_of(arena)


def test_the_winner_of_the_last_hand_has_won_the_table() -> None:
    """rests: DX-21, AM-77"""
    table = played(overall_winner="last_daifugo")
    assert table["overall_winner"] == [table["hands"][-1]["result"]["game"][0]]


def test_who_has_most_points_has_won_the_table() -> None:
    """rests: AM-78"""
    table = played(overall_winner="most_points", scoring="table", score_table=[5, 3, 1])
    points = [sum(p) for p in zip(*(h["result"]["points"] for h in table["hands"]), strict=True)]
    best = [player for player, total in enumerate(points) if total == max(points)]
    assert table["overall_winner"] == best


def test_nobody_is_named_where_the_ruleset_names_nobody() -> None:
    assert played()["overall_winner"] is None


def result(game: list[int], points: list[int]) -> Document:
    return {"game": game, "points": points}


@pytest.mark.parametrize(
    ("mode", "winners"), [("none", []), ("last_daifugo", [2]), ("most_points", [0, 2])]
)
def test_equal_points_share_the_win(mode: str, winners: list[int]) -> None:
    """rests: AM-78"""
    results = [result([0, 1, 2], [2, 0, 1]), result([2, 0, 1], [1, 0, 2])]
    assert overall_winners(mode, results) == winners


@pytest.mark.parametrize("mode", ["none", "last_daifugo", "most_points"])
def test_nobody_has_won_a_table_at_which_no_hand_was_played(mode: str) -> None:
    assert overall_winners(mode, []) == []
