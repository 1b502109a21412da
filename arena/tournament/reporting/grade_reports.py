"""Grade reports: grades as a table, as csv, as JSON and as Gradescope's `results.json`.

Numbers are rounded here, far above the noise of floating point, so that any machine writes the same
bytes. It decides nothing and opens no file.

Gradescope's format is that of its autograder documentation, section "Output format" of
https://gradescope-autograders.readthedocs.io/en/latest/specs/: an object with `tests`, each with
`score`, `max_score`, `status` (passed or failed), `name`, `number`, `output`, `tags` and
`extra_data`; beside them `output`, `visibility`, `extra_data` and, if wanted, `leaderboard`, a list
of `name` and `value`. Text is marked as `text`, so that no name is taken for markup. There is no
`score` at the top, which would override the sum over the tests, and no `visibility` in a test,
which would override the one at the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.tournament.grading import AHEAD, Comparison, Grade, Mark
from arena.tournament.ratings import Ratings
from arena.tournament.reporting.documents import Value, percent, rounded
from arena.tournament.reporting.layouts import likelihood
from arena.tournament.reporting.markup import CSV, csv_text, escaped, printable, safe_form, table

NOTHING = "-"
HEADS = ("student", "bot", "benchmark", "verdict", "points")
NUMBERS = ("gap", "+/-", "LOS", "hands", "faults", "missing")


def grades_table(grades: Sequence[Grade], *, form: str = "plain") -> str:
    """The grades as a table that ends with a newline: a row per student and benchmark.

    `missing`: about how many hands each of the two would still have to play for a decision.
    """
    safe = safe_form(form)
    heads = (*HEADS[:4], *NUMBERS, HEADS[4])
    rows = [
        [*(escaped(printable(text), safe) for text in _texts(grade, mark)), *_numbers(mark)]
        for grade in grades
        for mark in grade.marks
    ]
    right = [False] * 4 + [True] * (len(heads) - 4)
    return table(rows, heads, right=right, form=safe) + "\n" if rows else ""


def notices(grades: Sequence[Grade]) -> list[str]:
    """The lines below the table: how sure a verdict is, and what is odd with whom."""
    confidences = {mark.best.confidence for grade in grades for mark in grade.marks}
    lines = [
        f"ahead, behind: the {_percentage(confidence)} interval of the gap, clustered by block, "
        f"leaves out 0"
        for confidence in sorted(confidences)[-1:]
    ]
    if len(confidences) > 1:
        lines.append("owners with several bots: graded by the best, each at a stricter confidence")
    for grade in grades:
        for mark in grade.marks:
            if mark.best.note:
                notice = f"{grade.student}, {mark.best.name} - {mark.benchmark}: {mark.best.note}"
                lines.append(printable(notice))
    return lines


def grades_csv(grades: Sequence[Grade]) -> str:
    """A record per student, benchmark and bot; `counts` marks the bot that the points are for.

    Text that a spreadsheet would run as a formula has an apostrophe in front.
    """
    documents = [
        {
            "student": grade.student,
            "benchmark": mark.benchmark,
            "counts": number == 0,
            "points": rounded(mark.points, 4) if number == 0 else None,
            "max_points": rounded(mark.most, 4) if number == 0 else None,
            **comparison_document(comparison),
        }
        for grade in grades
        for mark in grade.marks
        for number, comparison in enumerate(mark.comparisons)
    ]
    heads = list(documents[0]) if documents else []
    return csv_text([heads, *([_csv_value(value) for value in d.values()] for d in documents)])


def grades_document(grades: Sequence[Grade]) -> dict[str, object]:
    """The grades as one JSON object."""
    return {"students": [_grade_document(grade) for grade in grades]}


def gradescope_document(
    grade: Grade, *, visibility: str = "visible", leaderboard: Ratings | None = None
) -> dict[str, object]:
    """A student's `results.json`: a test for each benchmark, passed if it is ahead.

    `visibility`: visible, hidden, after_due_date or after_published. `leaderboard`: the ratings, to
    put the Elo of the student's best bot on Gradescope's leaderboard, which the whole class sees.
    """
    document: dict[str, object] = {
        "output": "\n".join(_summary(grade)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility,
        "tests": [_test(mark, number) for number, mark in enumerate(grade.marks, 1)],
        "extra_data": {"student": grade.student},
    }
    elo = None if leaderboard is None else _best_elo(grade, leaderboard)
    if elo is not None:
        document["leaderboard"] = [{"name": "Elo", "value": elo}]
    return document


def comparison_document(comparison: Comparison) -> dict[str, Value]:
    """One comparison as a flat JSON object."""
    return {
        "bot": comparison.bot,
        "name": comparison.name,
        "verdict": comparison.verdict,
        "gap_elo": rounded(comparison.gap, 2),
        "gap_low": rounded(comparison.low, 2),
        "gap_high": rounded(comparison.high, 2),
        "gap_error": rounded(comparison.error, 2),
        "confidence_percent": percent(comparison.confidence),
        "superiority_percent": percent(comparison.superiority),
        "hands": comparison.hands,
        "blocks": comparison.blocks,
        "faults": comparison.faults,
        "forfeits": comparison.forfeits,
        "more_hands": comparison.more_hands,
        "note": comparison.note,
    }


def _grade_document(grade: Grade) -> dict[str, object]:
    return {
        "student": grade.student,
        "points": rounded(grade.points, 4),
        "max_points": rounded(grade.most, 4),
        "benchmarks": [
            {
                "benchmark": mark.benchmark,
                "verdict": mark.best.verdict,
                "points": rounded(mark.points, 4),
                "max_points": rounded(mark.most, 4),
                "bots": [comparison_document(comparison) for comparison in mark.comparisons],
            }
            for mark in grade.marks
        ],
    }


def _test(mark: Mark, number: int) -> dict[str, object]:
    best = mark.best
    return {
        "name": f"{printable(best.name)} against {printable(mark.benchmark)}",
        "name_format": "text",
        "number": str(number),
        "score": rounded(mark.points, 4),
        "max_score": rounded(mark.most, 4),
        "status": "passed" if best.verdict == AHEAD else "failed",
        "output": "\n".join(_sentence(comparison) for comparison in mark.comparisons),
        "output_format": "text",
        "tags": [best.verdict],
        "extra_data": {
            "bots": [comparison_document(comparison) for comparison in mark.comparisons]
        },
    }


def _summary(grade: Grade) -> Iterable[str]:
    for mark in grade.marks:
        yield f"{printable(mark.benchmark)}: {mark.best.verdict}, {mark.points:g} of {mark.most:g}"
    best = min(comparison.confidence for mark in grade.marks for comparison in mark.comparisons)
    yield f"Ahead means: the {_percentage(best)} interval of the difference is above 0."
    if any(len(mark.comparisons) > 1 for mark in grade.marks):
        yield "The best bot counts, at a confidence that is stricter the more bots there are."


def _sentence(comparison: Comparison) -> str:
    """A comparison in words."""
    if comparison.gap is None:
        return f"{printable(comparison.name)}: {comparison.verdict} ({comparison.note})."
    gap = f"gap {_gap(comparison)}{_plus_minus(comparison)}"
    parts = [
        f"{printable(comparison.name)}: {comparison.verdict}, {gap} Elo",
        f"{comparison.hands} hands in {comparison.blocks} blocks",
        f"{comparison.faults} with a fault"
        + (f", {comparison.forfeits} forfeited" * bool(comparison.forfeits)),
    ]
    if comparison.superiority is not None:
        parts.append(f"better with {likelihood(comparison.superiority)} %")
    if comparison.more_hands:
        parts.append(f"about {_rough(comparison.more_hands)} more hands would decide")
    return "; ".join(parts) + (f" ({comparison.note})." if comparison.note else ".")


def _texts(grade: Grade, mark: Mark) -> tuple[str, ...]:
    return grade.student, mark.best.name, mark.benchmark, mark.best.verdict


def _numbers(mark: Mark) -> list[str]:
    best = mark.best
    missing = NOTHING if best.more_hands is None else str(_rough(best.more_hands))
    return [
        _gap(best),
        NOTHING if best.error is None else f"{best.error:.0f}",
        NOTHING if best.superiority is None else likelihood(best.superiority),
        str(best.hands),
        str(best.faults),
        missing,
        f"{mark.points:g}/{mark.most:g}",
    ]


def _gap(comparison: Comparison) -> str:
    """The gap, or its one bound, without minus zero."""
    if comparison.gap is None:
        return NOTHING
    if comparison.error is not None:
        return f"{round(comparison.gap) + 0:d}"
    if comparison.low is not None:
        return f">{round(comparison.low):d}"
    return NOTHING if comparison.high is None else f"<{round(comparison.high):d}"


def _plus_minus(comparison: Comparison) -> str:
    return "" if comparison.error is None else f" ± {comparison.error:.0f}"


def _rough(number: int) -> int:
    """The number to two digits: it is no more exact than that."""
    return int(float(f"{number:.1e}"))


def _percentage(share: float) -> str:
    return f"{100 * share:.6g} %"


def _best_elo(grade: Grade, ratings: Ratings) -> int | None:
    mine = {comparison.bot for mark in grade.marks for comparison in mark.comparisons}
    rated = [
        float(group.bound_elo[at] if group.bounds[at] else group.elo[at])
        for group in ratings.groups
        for at, bot in enumerate(group.bots)
        if bot in mine
    ]
    return round(max(rated)) if rated else None


def _csv_value(value: Value) -> str:
    if isinstance(value, str):
        return escaped(printable(value), CSV)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
