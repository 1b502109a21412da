"""The golden hands are what the engine plays today, and every option's example shows the option.

After a change that is meant, `python -m tests.rules.golden` writes them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from arena.reference.examples import EXAMPLES
from arena.reference.scenes import (
    ExampleHand,
    ExampleTable,
    difference,
    lines_of,
    rules_of,
    steps_of,
)
from arena.rules import compile_ruleset, decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Asked, Event, Marked
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from tests.rules import golden
from tests.rules.table import table

NO_DIFFERENCE = {
    # Who still holds cards at the end ranks by their number, so both values name the same loser.
    "loser",
}


def kept(name: str) -> list[str]:
    """The lines of a golden hand."""
    return (golden.FOLDER / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", OPTIONS)
def test_the_transcript_of_an_option_is_the_golden_one(name: str) -> None:
    assert golden.option_text(name).splitlines() == kept(f"option-{name}.txt")


@pytest.mark.parametrize("name", PRESETS)
def test_the_transcript_of_a_preset_is_the_golden_one(name: str) -> None:
    assert golden.preset_text(name).splitlines() == kept(f"preset-{name}.txt")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_fires_in_its_example(name: str) -> None:
    assert name in EXAMPLES[name].options
    assert bool(difference(name, EXAMPLES[name])) == (name not in NO_DIFFERENCE)


def test_there_is_a_golden_hand_for_each_option_and_preset_and_nothing_else() -> None:
    names = {f"option-{name}.txt" for name in OPTIONS} | {f"preset-{name}.txt" for name in PRESETS}
    assert {path.name for path in golden.FOLDER.iterdir()} == names
    assert list(EXAMPLES) == list(OPTIONS)


def test_an_example_that_does_not_go_as_it_says_is_an_error() -> None:
    with pytest.raises(ValueError, match="too_low"):
        lines_of(ExampleHand({}, "A S9 S3 / B S8 S4", "A S9, B S8"))
    with pytest.raises(ValueError, match="accepted"):
        lines_of(ExampleHand({}, "A S9 S3 / B ST S4", "A S9, B ST refused"))


PLAYED = [name for name, example in EXAMPLES.items() if not isinstance(example, ExampleTable)]
NO_OPTIONS = {"", "janken", "exchange"}


@pytest.mark.parametrize("name", PLAYED)
def test_events_questions_and_marks_bear_the_names_of_options(name: str) -> None:
    example = EXAMPLES[name]
    assert not isinstance(example, ExampleTable)
    for step in steps_of(rules_of(example), example):
        assert_named(step.events)


@pytest.mark.parametrize(
    ("options", "hands", "laid", "play"),
    [
        ({"restrict": ["five_colour"]}, "A S5 S3 / B H4", "", "A S5"),
        ({"shibari": "kata"}, "A S5 S3 / B H4", "B S4", "A S5"),
        ({"ten_discard": "on_clear", "two_clears": True}, "A S2 S3 S4 / B H4", "A ST", "A S2"),
        ({"q_bomber": "one_each"}, "A SQ S3 S4 / B H4 H5", "", "A SQ"),
        ({"rob": ["nero"]}, "A SK HK DK S3 / B H4 H5", "", "A SK HK DK"),
    ],
)
def test_so_do_those_of_plays_that_no_example_shows(
    options: dict[str, Any], hands: str, laid: str, play: str
) -> None:
    scene = table(options, hands, laid)
    events = decide(scene.rules, scene.state, Play(0, parse(play.split()[1:])))
    assert any(isinstance(event, Asked | Marked) for event in events)
    assert_named(events)


def assert_named(events: Sequence[Event]) -> None:
    """Fail where an event, a question or a mark bears a name that nobody declares."""
    for event in events:
        assert getattr(event, "by", "") in OPTIONS.keys() | NO_OPTIONS
        if isinstance(event, Marked):
            assert event.scope in ("hand", "trick")
        if isinstance(event, Asked):
            asked = {question.rule for question in (*event.questions, *event.queue)}
            assert asked <= OPTIONS.keys() | NO_OPTIONS


AT_FIRST_OUT = {"hand_end": "first_out", "miyako_ochi": "drop", "kyo_ochi": "drop"}


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.same_as])
def test_what_a_value_is_the_same_as_is_a_value_of_its_option(name: str) -> None:
    """So that no fingerprint depends on a word that nobody can write."""
    option = OPTIONS[name]
    for preset in PRESETS:
        for players in range(2, 9):
            full = compile_ruleset({"preset": preset, "options": {"players": players}}).options
            for changed in (
                {},
                {"hand_end": "first_out", "miyako_ochi": "drop", "kyo_ochi": "drop"},
            ):
                same = option.same_as(full | changed) if option.same_as else None
                assert option.values.check(name, same) == same
