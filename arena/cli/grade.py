"""`arena grade`: grades for a class, from record files, by a statistical pass rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.rate import read_files, season_option
from arena.cli.remote import json_option
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.records.pooling import Pool
    from arena.tournament.grading import Grade, Points
    from arena.tournament.ratings import Ratings
    from arena.tournament.standings import Entrant

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")
"""Gradescope's words for who sees a result, and when."""


@click.command(
    epilog="""Examples:

    arena grade cup.jsonl

    arena grade cup.jsonl --benchmark heuristic --csv grades.csv

    arena grade cup.jsonl --division students

    arena grade cup.jsonl --benchmark lowest --points 5,2,0 --benchmark heuristic --points 10,5,0

    arena grade cup.jsonl --benchmark heuristic --gradescope results/

    arena grade cup.jsonl --benchmark heuristic --student alice --gradescope results.json
"""
)
@click.argument(
    "files",
    metavar="RECORDS...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    help="A bot to beat.  [the benchmarks of the session's document]",
)
@click.option(
    "--confidence", default=95.0, show_default=True, help="Of the two-sided interval, in per cent."
)
@click.option(
    "--points",
    "points",
    multiple=True,
    metavar="A,N,B",
    help="For ahead, not separated, behind; once, or once for each benchmark.  [1,0,0]",
)
@season_option
@click.option("--division", metavar="ID", help="Only the bots of a division of the session.")
@click.option("--student", "students", multiple=True, help="Only this owner or bot.")
@click.option("--format", "form", default="plain", show_default=True, help="As in standings.")
@click.option("--csv", "csv", type=click.Path(dir_okay=False, path_type=Path), help="A csv file.")
@click.option(
    "--gradescope",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE.json",
    help="Gradescope's results.json: DIR/student/results.json, or FILE.json for one --student.",
)
@click.option(
    "--visibility",
    type=click.Choice(VISIBILITIES),
    default="visible",
    show_default=True,
    help="Who sees the results in Gradescope, and when.",
)
@click.option("--leaderboard", is_flag=True, help="Elo on Gradescope's leaderboard.")
@json_option
def command(
    files: tuple[Path, ...],
    benchmarks: tuple[str, ...],
    confidence: float,
    points: tuple[str, ...],
    season: bool,
    division: str | None,
    students: tuple[str, ...],
    form: str,
    csv: Path | None,
    gradescope: Path | None,
    visibility: str,
    leaderboard: bool,
    as_json: bool,
) -> None:
    """Grade students' bots against benchmark bots.

    A bot is ahead of a benchmark if the interval of their difference lies above 0, behind if below;
    else they are not separated, and about how many hands are missing is printed. The intervals are
    those of the ratings: clustered by block. A fault counts as the last place. Fix the number of
    hands beforehand: whoever grades again until it says "ahead" passes by luck. An owner with
    several bots is graded by the best, at a confidence that is stricter for each.

    Results are taken as they are recorded; `arena verify` checks them.
    """
    from arena.tournament.grading import grades

    pool = _only(read_files(files, season=season))
    ratings, named = _rated(pool), _benchmarks(pool, benchmarks)
    graded = grades(
        ratings,
        _graded(pool, division, named),
        named,
        points=[read_points(text) for text in points] or [read_points("1,0,0")],
        confidence=confidence / 100,
        students=students,
    )
    try:
        _write(graded, ratings if leaderboard else None, csv, gradescope, visibility=visibility)
    except OSError as error:
        raise BadInput(
            "file", str(error.filename), f"one to write to ({error.strerror})"
        ) from error
    _print(graded, confidence, form=form, as_json=as_json)


def read_points(text: str) -> Points:
    """The points of `10,5,0`. Raises BadInput."""
    from arena.tournament.grading import Points, check_points

    try:
        ahead, not_separated, behind = (float(part) for part in text.split(","))
    except ValueError as error:
        expected = "three numbers: for ahead, not separated, behind; such as 10,5,0"
        raise BadInput("points", text, expected) from error
    return check_points(Points(ahead, not_separated, behind))


def _only(pools: tuple[Pool, ...]) -> Pool:
    if len(pools) > 1 or not pools[0].results:
        named = ", ".join(pool.name for pool in pools)
        raise BadInput("files", named, "records of one ruleset and table size, with hands")
    return pools[0]


def _benchmarks(pool: Pool, given: tuple[str, ...]) -> tuple[str, ...]:
    """The bots to beat: those that were given, else those of the session's document."""
    named = given or pool.benchmarks
    if not named:
        expected = "a bot to beat, since the session's document names no benchmarks"
        raise BadInput("--benchmark", None, expected)
    return named


def _graded(pool: Pool, division: str | None, benchmarks: tuple[str, ...]) -> list[Entrant]:
    """The bots that are graded: of a division, if one is given, and the benchmarks. Raises
    `BadInput`."""
    ids = dict(pool.facts.divisions)
    if division is None:
        return list(pool.entrants)
    if division not in ids:
        expected = f"one of {', '.join(ids)}" if ids else "none: the session has no divisions"
        raise BadInput("--division", division, expected)
    return [
        each
        for each in pool.entrants
        if each.division == division or not {each.bot, each.name}.isdisjoint(benchmarks)
    ]


def _rated(pool: Pool) -> Ratings:
    from arena.tournament.ratings import rate

    return rate(pool.results, roster=[entrant.bot for entrant in pool.entrants])


def _write(
    graded: tuple[Grade, ...],
    leaderboard: Ratings | None,
    csv: Path | None,
    gradescope: Path | None,
    *,
    visibility: str,
) -> None:
    from arena.tournament.reporting.grade_reports import grades_csv, gradescope_document

    if gradescope is not None and gradescope.suffix == ".json" and len(graded) != 1:
        expected = f"a folder, for {len(graded)} students (or one --student)"
        raise BadInput("gradescope", str(gradescope), expected)
    if csv is not None:
        csv.write_text(grades_csv(graded), encoding="utf-8", newline="")
    if gradescope is None:
        return
    for grade, file in zip(graded, _result_files(gradescope, graded), strict=True):
        document = gradescope_document(grade, visibility=visibility, leaderboard=leaderboard)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_json(document) + "\n", encoding="utf-8")


def _result_files(target: Path, graded: tuple[Grade, ...]) -> list[Path]:
    """Where each student's results go; a folder's name is the student's, made safe and unique."""
    if target.suffix == ".json":
        return [target]
    files: list[Path] = []
    taken: set[str] = set()
    for grade in graded:
        name = plain = folder_name(grade.student)
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        files.append(target / name / "results.json")
    return files


def folder_name(text: str) -> str:
    """A name that is a file's on any system: letters, digits and a few marks, the rest as `_`."""
    safe = "".join(c if c.isalnum() or c in "-_@.+" else "_" for c in text)
    return safe.strip(".") or "_"


def _print(graded: tuple[Grade, ...], confidence: float, *, form: str, as_json: bool) -> None:
    from arena.tournament.reporting.grade_reports import grades_document, grades_table, notices

    if as_json:
        document: dict[str, Any] = {"confidence_percent": confidence, **grades_document(graded)}
        click.echo(_json(document))
        return
    click.echo(grades_table(graded, form=form), nl=False)
    if form == "plain":
        click.echo("\n" + "\n".join(notices(graded)))


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)
