"""Components: who can be placed among whom, as simple searches say."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.components import connected, stratify


def points_of(text, n):
    """Points of bots a, b, c ...: `ab` says that a was ahead of b, `a=b` that they tied."""
    points = np.zeros((n, n), dtype=np.int64)
    for word in text.split():
        first, last = ord(word[0]) - ord("a"), ord(word[-1]) - ord("a")
        points[first, last] += 1 if "=" in word else 2
        points[last, first] += 1 if "=" in word else 0
    return points


def bounds_of(text, n):
    return "".join(bound or "." for bound in stratify(points_of(text, n)).bounds)


def test_everybody_who_won_and_lost_in_a_circle_is_the_field():
    assert bounds_of("ab bc ca", 3) == "..."
    assert bounds_of("a=b b=c", 3) == "..."


def test_components_are_bounded_as_a_whole():
    assert bounds_of("ab bc ca cd de ed", 5) == "...<<"
    assert bounds_of("ab bc ca dc de ed", 5) == "...>>"
    assert bounds_of("ab bc ca da ce", 5) == "...><"


def test_a_chain_of_components_is_bounded_towards_the_field():
    assert bounds_of("ab bc ca de ef fa", 6) == "...>>>"
    assert bounds_of("ab bc ca ad de ef", 6) == "...<<<"


def test_who_never_met_the_field_is_bounded_by_whom_it_met():
    assert bounds_of("ab bc ca ad ed", 5) == "...<>"
    assert bounds_of("ab bc ca da de ef", 6) == "...><<"


def test_without_a_circle_there_is_no_field():
    strata = stratify(points_of("ab bc cd", 4))
    assert strata.bounds == (">", "", "", "<")
    assert strata.field.all()


def test_of_components_of_one_size_the_one_with_more_hands_is_the_field():
    assert bounds_of("ab ba cd dc cd ac", 4) == ">>.."
    assert bounds_of("ab ba ab cd dc ac", 4) == "..<<"
    assert bounds_of("ab ba cd dc ac", 4) == "..<<"


@given(st.integers(1, 7), st.randoms(use_true_random=False))
@settings(max_examples=min(80, settings().max_examples), deadline=None)
def test_components_equal_those_of_a_search_along_every_arrow(n, chance):
    arrows = {pair for pair in product(range(n), repeat=2) if chance.random() < 0.25}
    arrows = {(i, j) for i, j in arrows if i != j}
    points = np.zeros((n, n), dtype=np.int64)
    for i, j in arrows:
        points[i, j] = 2
    reach = {(i, i) for i in range(n)} | arrows
    for middle, i, j in product(range(n), repeat=3):
        if (i, middle) in reach and (middle, j) in reach:
            reach.add((i, j))
    strata = stratify(points)
    for i, j in product(range(n), repeat=2):
        same = (i, j) in reach and (j, i) in reach
        assert (strata.component[i] == strata.component[j]) == same
        assert strata.above[i, j] == ((i, j) in reach and not same)
    met = points + points.T > 0
    parts = connected(met)
    assert sorted(bot for part in parts for bot in part) == list(range(n))
    assert [len(part) for part in parts] == sorted((len(part) for part in parts), reverse=True)
