"""The golden hands are what the engine plays today, and every option's example shows the option.

After a change that is meant, `python -m tests.rules.golden` writes them anew.
"""

from __future__ import annotations

import pytest

from arena.reference.examples import EXAMPLES
from arena.reference.scenes import ExampleHand, difference, lines_of
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from tests.rules import golden

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
