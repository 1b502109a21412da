"""The vectors of positions hold, and are those that are written."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from arena.errors import BadInput
from arena.game import GameState, Position
from arena.wire import menu_entries
from tests.game.test_worlds import assert_ends
from tests.game.vectors import FILE, lines


def str_of(vector: dict[str, Any]) -> str:
    """Its ruleset, or the column where it is wrong."""
    return str(vector.get("column") or vector["position"].split()[1])


VECTORS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


GOOD = [given["position"] for given in VECTORS if "legal" in given]


def test_the_file_regenerates_to_itself() -> None:
    assert lines() == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("given", [v for v in VECTORS if "legal" in v], ids=str_of)
def test_a_good_one_comes_back_and_is_played_on(given: dict[str, Any]) -> None:
    position = Position.parse(given["position"])
    assert str(position) == given["position"]
    assert position.asked == given["asked"]
    assert menu_entries(position.legal()) == given["legal"]
    if "after" in given:
        state = GameState(position.rules, position.state)
        after = state.play(position.legal()[given["answer"]])
        said = Position.of_state(after.rules, after.state, ruleset=position.ruleset)
        assert str(said) == given["after"]


@pytest.mark.parametrize("given", [v for v in VECTORS if "column" in v], ids=str_of)
def test_a_bad_one_is_refused_where_it_says(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=rf"in column {given['column']}\b"):
        Position.parse(given["position"])


@pytest.mark.slow
def test_what_is_read_can_be_played_to_its_end() -> None:
    """Fields are left out, or taken from another position: what is not refused can be played."""
    random = Random(1)
    played = 0
    for _ in range(1200):
        with suppress(BadInput):
            position = Position.parse(changed(random))
            [world] = position.worlds(1, random)
            assert_ends(world, random)
            played += 1
    assert played > 100


def changed(random: Random) -> str:
    """A position of the vectors without one of its fields, or with one of another position."""
    version, ruleset, *fields = random.choice(GOOD).split(" ")
    if random.random() < 0.4:
        del fields[random.randrange(1, len(fields))]
    else:
        other = random.choice(random.choice(GOOD).split(" ")[2:])
        fields = [f for f in fields if f.partition("=")[0] != other.partition("=")[0]] + [other]
    return " ".join((version, ruleset, *fields))
