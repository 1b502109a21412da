"""What a person types, read."""

from __future__ import annotations

import pytest

from arena.cli.terminal.typed import Typed, is_quit, read_typed
from arena.errors import BadInput


@pytest.mark.parametrize(
    ("text", "kind", "body"),
    [
        ("S4 H4", "play", {"cards": ["S4", "H4"]}),
        ("play s4, 4h", "play", {"cards": ["S4", "H4"]}),
        ("♠10 joker", "play", {"cards": ["ST", "JK"]}),
        ("S4 S5 JK as S6", "play", {"cards": ["S4", "S5", "JK"], "as": ["S6"]}),
        ("Ｓ４", "play", {"cards": ["S4"]}),
        ("PASS", "play", {"pass": True}),
        ("パス", "play", {"pass": True}),
        ("give HA D2", "give", {"cards": ["HA", "D2"]}),
        ("discard nothing", "discard", {"cards": []}),
        ("pass", "give", {"cards": []}),
        ("name 3", "name", {"name": ["3"]}),
        ("10 q", "name", {"name": ["T", "Q"]}),
        ("ask A JK", "ask", {"ask": ["A", "JK"]}),
        ("ask nothing", "ask", {"ask": []}),
        ("Rock", "throw", {"throw": "rock"}),
        ("グー", "throw", {"throw": "rock"}),
        ("yes", "accept", {"accept": True}),
        ("断る", "accept", {"accept": False}),
    ],
)
def test_an_answer_in_many_ways_of_writing(text: str, kind: str, body: object) -> None:
    assert read_typed(text, kind) == Typed(body=body)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["play", "name", "ask", "throw"])
def test_a_number_alone_is_one_of_the_list_and_words_are_for_the_program(kind: str) -> None:
    assert read_typed(" 12 ", kind) == Typed(number=12)
    assert read_typed("", kind) == Typed()
    assert read_typed("?", kind) == Typed(word="help")
    assert read_typed("LAST 20", kind) == Typed(word="last", more="20")
    assert read_typed("終了", kind) == Typed(word="quit")


@pytest.mark.parametrize("text", ["quit", " Q ", "exit", "終了"])
def test_who_wants_to_leave_says_so_in_many_ways(text: str) -> None:
    assert is_quit(text)
    assert not any(map(is_quit, ("", "pass", "quite")))


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("xx", "play", "card is 'xx'"),
        ("s4h4", "play", "card is 's4h4'"),
        ("yes", "play", "card is 'yes'"),
        ("nothing", "play", "answer is 'nothing'; expected cards such as S4 H4, or pass"),
        ("play", "play", "answer is 'nothing'"),
        ("as S4", "play", "answer is 'as s4'"),
        ("nothing", "name", "expected ranks such as T Q"),
        ("S4", "throw", "answer is 's4'; expected rock, paper or scissors"),
        ("pass", "accept", "answer is 'pass'; expected yes or no"),
        ("name jk", "name", "rank is 'jk'; expected 3 to 9"),
        ("\x1b[2J", "play", "card is"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, kind: str, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_typed(text, kind)
    assert why in str(refused.value)
    assert "\x1b" not in str(refused.value)
