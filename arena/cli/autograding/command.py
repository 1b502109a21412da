"""`arena autograder`: make a bundle that grades bots, and run it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.cli.launching import confinement, sandbox_option
from arena.cli.remote import json_option, print_outcome
from arena.cli.rulesets import ruleset_option
from arena.tournament.sprt import BETTER

NOT_WON = 1


@click.group("autograder", epilog="Example:  arena autograder make --benchmark lowest")
def command() -> None:
    """Make and run autograders for Gradescope and GitHub Classroom."""


@command.command(
    epilog="""Examples:

    arena autograder make --benchmark lowest --benchmark heuristic

    arena autograder make --benchmark lowest --benchmark teacher.py --github template-repository
"""
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    required=True,
    help="A bot to beat: a sample bot's name, or a Python file.",
)
@click.option("--file", default="bot.py", show_default=True, help="The file that is submitted.")
@ruleset_option("pagat")
@click.option("--hands", default=200, show_default=True, help="Against each benchmark.")
@click.option("--hands-per-table", default=10, show_default=True, help="Hands in a row.")
@click.option("--budget", "budget_s", default=480, show_default=True, help="Seconds, for all.")
@click.option("--points", default=100.0, show_default=True, help="In all, shared equally.")
@click.option(
    "--partial",
    default=0.5,
    show_default=True,
    help="The share of a benchmark's points where no difference is shown.",
)
@click.option("--seed", default=1, show_default=True, help="The same deals for every submission.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("autograder.zip"),
    show_default=True,
    help="The zip for Gradescope.",
)
@click.option(
    "--github",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Write a workflow and its files into this template repository instead.",
)
@json_option
def make(
    benchmarks: tuple[str, ...],
    file: str,
    ruleset: Mapping[str, Any],
    hands: int,
    hands_per_table: int,
    budget_s: int,
    points: float,
    partial: float,
    seed: int,
    output: Path,
    github: Path | None,
    as_json: bool,
) -> None:
    """Write an autograder: a zip for Gradescope, or a workflow for GitHub Classroom.

    It plays a submission (a bot of the kit in one file) against benchmark bots, and gives all
    points of a benchmark where the submission is shown to be better at the 95 % level, none where
    it is shown to be worse. Submissions run under limits, and in a sandbox where the machine has
    one. The same submission plays the same deals and gets the same grade, unless it is chance or
    the clock that decides its moves.
    """
    from arena.cli.autograding.assignment import Assignment
    from arena.cli.autograding.bundle import GITHUB, bundle, write_template, write_zip

    files = [Path(each) for each in benchmarks if each.endswith(".py")]
    assignment = Assignment(
        benchmarks=tuple(Path(b).name if b.endswith(".py") else b for b in benchmarks),
        file=file,
        ruleset=dict(ruleset),
        hands=hands,
        hands_per_table=hands_per_table,
        budget_s=budget_s,
        points=points,
        partial=partial,
        seed=seed,
    )
    bundled = bundle(assignment, files)
    if github is not None:
        write_template(github, assignment, bundled)
        written = {"workflow": str(github / ".github/workflows/classroom.yml")}
        line = f"{written['workflow']} is written; its files are in {github / GITHUB}"
    else:
        count = write_zip(output, bundled)
        written = {"zip": str(output)}
        line = f"{output}: {count} files; upload it as the autograder of an assignment"
    print_outcome(written, line, as_json=as_json)


@command.command(
    epilog="""Example:

    arena autograder run --assignment assignment.json --submission . --results results.json
"""
)
@click.option(
    "--assignment",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What `arena autograder make` has written.",
)
@click.option(
    "--submission",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the submission.",
)
@click.option(
    "--results",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the results go, as Gradescope reads them.",
)
@click.option("--only", default=None, help="Only this benchmark.")
@click.option("--must-win", is_flag=True, help="Exit code 1 unless every benchmark is beaten.")
@sandbox_option
@json_option
def run(
    file: Path,
    submission: Path,
    results: Path,
    only: str | None,
    must_win: bool,
    sandbox: str,
    as_json: bool,
) -> None:
    """Grade a submission: play it against the benchmarks of an assignment."""
    from arena.cli.autograding.assignment import read_assignment
    from arena.cli.autograding.grading import grade, results_document

    assignment = read_assignment(file)
    assignment = assignment if only is None else assignment.only(only)
    apart = confinement(assignment.limits, sandbox).sandbox
    with tempfile.TemporaryDirectory() as scratch:
        graded = grade(assignment, submission, file.parent, scratch=Path(scratch), sandbox=apart)
    document = results_document(graded)
    results.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    lines = [f"{r.benchmark}: {r.score:g} of {r.points:g} points" for r in graded]
    print_outcome(document, *lines, as_json=as_json)
    if must_win and any(result.verdict != BETTER for result in graded):
        sys.exit(NOT_WON)
