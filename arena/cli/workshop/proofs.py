"""What a file of positions claims of places, proved by search. It asks no bot."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import click

from arena.cli.workshop.position_files import Exercise
from arena.errors import BadInput
from arena.game import Solution


class ProvedExercise(NamedTuple):
    """An entry that holds. place: what it claims, None if nothing; solution: of the search."""

    exercise: Exercise
    solution: Solution | None


def prove_all(exercises: Sequence[Exercise]) -> list[ProvedExercise]:
    """Prove what each entry claims. Raises `BadInput` for the first that is not so.

    Shows on a terminal how far it is.
    """
    with _progress(exercises) as shown:
        return [prove(exercise) for exercise in shown]


def prove(exercise: Exercise) -> ProvedExercise:
    """Prove what an entry claims: `best` has all answers that are sure of the place, and no other;
    `avoid` all that are not. Raises `BadInput` if that is not so, and as the search does."""
    if exercise.place is None:
        return ProvedExercise(exercise, None)
    try:
        solution = exercise.position.solve(place=exercise.place)
    except BadInput as error:
        raise BadInput(f"{exercise.where}: {error.thing}", error.value, error.expected) from error
    wanted = exercise.kind == "best"
    listed = [outcome in exercise.outcomes for outcome in exercise.every]
    should = [(place <= exercise.place) is wanted for place in solution.places]
    if listed != should:
        names = [name for name, each in zip(exercise.menu, should, strict=True) if each]
        sure = "sure" if wanted else "not sure"
        expected = f"the answers that are {sure} of place {exercise.place}: "
        expected += ", ".join(names) or "there is none"
        given = ", ".join(exercise.answers)
        raise BadInput(f"{exercise.where}: {exercise.kind}", given, expected)
    return ProvedExercise(exercise, solution)


def _progress(exercises: Sequence[Exercise]) -> Any:
    """The entries one after another, with a bar on a terminal."""
    if not sys.stderr.isatty():
        return nullcontext(exercises)
    return click.progressbar(exercises, label="proving", show_pos=True, file=sys.stderr)
