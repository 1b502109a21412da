"""`arena position`: show, legal and apply, for people and for programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.errors import BadInput, Refused
from arena.game import Position
from arena.rules import compile_ruleset
from tests.cli.test_rules import said
from tests.rules.dealing import dealt

MINE = "daifugo/1 pagat seat=0 move=0 held=S3S6STSAH3H6HTD5D6DKC8CJC2/14/13/13 dealer=3"
RULES = compile_ruleset("pagat")
WHOLE = str(Position.of_state(RULES, dealt(RULES, 5), ruleset="pagat"))


def data(*words: str) -> Any:
    return json.loads(said("position", *words, "--json").stdout)


def test_a_position_is_shown_for_people_or_as_a_turn() -> None:
    text = said("position", "show", MINE).stdout
    assert "asked    seat 0, play\n" in text
    assert "seat 1   14\n" in text
    document = data("show", MINE)
    assert document["position"] == MINE
    assert document["players"][1]["held"] == 14
    assert document["legal"] == data("legal", MINE)


def test_answers_are_listed_from_0_as_the_protocol_has_them() -> None:
    lines = said("position", "legal", MINE).stdout.splitlines()
    assert lines[0] == "  0  S3"
    assert "S3 H3" in lines[13]


def test_an_answer_is_given_as_cards_as_a_number_or_as_json() -> None:
    first = data("legal", WHOLE)[0]["cards"]
    after = said("position", "apply", WHOLE, "0").stdout.strip()
    assert said("position", "apply", WHOLE, "".join(first)).stdout.strip() == after
    assert said("position", "apply", WHOLE, json.dumps({"cards": first})).stdout.strip() == after
    assert data("apply", WHOLE, "0") == {"position": after, "places": None}
    passed = said("position", "apply", after, "pass").stdout.strip()
    assert "passed=" in passed


def test_a_hand_is_played_to_its_end_line_by_line() -> None:
    position, places = WHOLE, None
    while places is None:
        number = len(data("legal", position)) - 1
        position, places = data("apply", position, str(number)).values()
    assert sorted(places) == [0, 1, 2, 3]
    assert "nobody, the hand is over" in said("position", "show", position).stdout
    with pytest.raises(BadInput, match="a hand that is not over"):
        said("position", "apply", position, "pass")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("show", "x"), "position in column 1 is 'x'"),
        (("legal", MINE.replace("move=0", "move=1")), "a turn of seat 0"),
        (("apply", MINE, "S3"), "one in which everything is known"),
        (("apply", WHOLE, "S3S"), "answer is 'S3S'; expected pass, cards such as S4S5"),
        (("apply", WHOLE, "{"), "answer is '{'"),
        (("apply", WHOLE, "999"), "choice is 999"),
    ],
)
def test_bad_input_is_named(words: tuple[str, ...], expected: str) -> None:
    with pytest.raises(BadInput) as refused:
        said("position", *words)
    assert expected in str(refused.value)


def test_what_the_rules_refuse_is_refused_with_their_reason() -> None:
    with pytest.raises(Refused, match="the leader has to play"):
        said("position", "apply", WHOLE, "pass")


LEAD = (
    "daifugo/1 pagat,players=2,suits=S,jokers=0 seat=0 move=0 held=S3S2/1 "
    "gone=S4S8STSQS5S7S9SJSKSA dealer=1"
)


def test_it_says_which_place_each_answer_is_sure_of() -> None:
    assert said("position", "solve", LEAD).stdout == (
        "  0  place 2  S3\n  1  place 1  S2\n"
        "seat 0 is sure of place 1 of 2; 1 world, 7 steps of search\n"
    )
    assert data("solve", LEAD) == {
        "seat": 0,
        "place": 1,
        "worlds": 1,
        "steps": 7,
        "answers": [
            {"answer": {"cards": ["S3"]}, "place": 2},
            {"answer": {"cards": ["S2"]}, "place": 1},
        ],
    }
    with pytest.raises(BadInput, match="solved within 3 steps of search"):
        said("position", "solve", LEAD, "--steps", "3")
