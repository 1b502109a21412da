"""The numbered list of what may be answered."""

from __future__ import annotations

import pytest

from arena.cli.terminal.choices import Choices
from arena.cli.terminal.console import Console
from arena.cli.terminal.typed import read_typed
from arena.narration.sentences import LANGUAGES
from arena.reference.scenes import read_move, with_hands
from arena.rules import compile_ruleset, decide, evolve, legal
from arena.rules.state import State

PAGAT = compile_ruleset("pagat,players=2")


def choices(state: State, *, seat: int = 0, order: str = "normal") -> Choices:
    return Choices(legal(PAGAT, state, seat), LANGUAGES["en"], order)


def listed(found: Choices, capsys: pytest.CaptureFixture[str], *, most: int = 99) -> list[str]:
    found.show(Console(), most=most)
    return [line.partition(",")[0] for line in capsys.readouterr().out.splitlines()]


def test_few_cards_come_before_many_and_weak_ones_before_strong_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = with_hands(PAGAT, "A SA H3 C3 D9 / B H5")
    assert listed(choices(state), capsys)[1:] == [
        *("1: H3", "2: C3", "3: D9", "4: SA", "5: H3 C3"),
    ]
    assert listed(choices(state, order="reversed"), capsys)[1:] == [
        *("1: SA", "2: D9", "3: H3", "4: C3", "5: H3 C3"),
    ]
    assert listed(choices(state), capsys, most=2)[1:] == [
        *("1: H3", "2: C3", "And 3 more: type moves."),
    ]


def test_a_number_is_the_answer_that_stands_there() -> None:
    state = with_hands(PAGAT, "A SA H3 C3 D9 / B H5")
    found = choices(state)
    assert found.answer(4) == read_move("A SA")
    assert found.readings(read_typed("3c 3h", "play")) == [5]
    assert found.enter is None


def test_enter_alone_passes_or_takes_the_only_answer(capsys: pytest.CaptureFixture[str]) -> None:
    only = with_hands(PAGAT, "A SA / B H5")
    assert listed(choices(only), capsys)[1:] == ["1: SA", "Enter alone takes the only answer."]
    assert choices(only).enter == read_move("A SA")
    led = with_hands(PAGAT, "A H5 H6 / B SA S4")
    answering = evolve(led, decide(PAGAT, led, read_move("A H5")))
    assert choices(answering, seat=1).enter == read_move("B pass")
