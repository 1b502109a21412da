"""A submission graded: it plays each benchmark; the result is written as Gradescope reads it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from arena import wire
from arena.cli.autograding.assignment import Assignment, command_of
from arena.cli.launching import Confinement
from arena.cli.matching.duel import FIRST, Duel, play_duel
from arena.cli.matching.report import MatchOutcome, conclusion, line, notes
from arena.cli.mistakes import Mistakes, mistakes_of
from arena.errors import ArenaError
from arena.rules.evolve import evolve
from arena.rules.state import EMPTY
from arena.rules.transcript import Voice, hand_lines, transcript
from arena.tournament import sprt
from arena.tournament.sprt import Sprt

LAST_LINES = 15
TABLES_AT_ONCE = 4
YOU = "you"


class Replay(NamedTuple):
    """A hand of the submission in words. place: of the submission in it, from 1."""

    hand: str
    place: int
    seats: int
    lines: tuple[str, ...]


class BenchmarkResult(NamedTuple):
    """What came of playing one benchmark.

    words: for the student, line by line; verdict: a word of `sprt`, "" if it could not be played.
    replays: the submission's best and worst hands.
    """

    benchmark: str
    verdict: str
    score: float
    points: float
    words: tuple[str, ...]
    replays: tuple[Replay, ...]


class _OutOfTime(Exception):
    """The budget of time is used up."""


def grade(
    assignment: Assignment,
    submission: Path,
    bundle: Path,
    *,
    scratch: Path,
    sandbox: bool,
    clock: Callable[[], float] = time.monotonic,
) -> list[BenchmarkResult]:
    """Play a submission against every benchmark.

    submission: its folder; bundle: that of the assignment; scratch: an empty one for databases and
    logs; clock: seconds. What is left of the budget is shared by the benchmarks that are left.
    """
    ends = clock() + assignment.budget_s
    results = []
    for number, benchmark in enumerate(assignment.benchmarks):
        left = len(assignment.benchmarks) - number
        until = clock() + (ends - clock()) / left
        folder = scratch / f"{number + 1}"
        folder.mkdir()
        alone = assignment.only(benchmark)
        results.append(
            _against(alone, submission, bundle, folder, sandbox=sandbox, clock=clock, until=until)
        )
    return results


def _against(
    assignment: Assignment,
    submission: Path,
    bundle: Path,
    folder: Path,
    *,
    sandbox: bool,
    clock: Callable[[], float],
    until: float,
) -> BenchmarkResult:
    """Play one benchmark, until an instant at most."""
    (benchmark,) = assignment.benchmarks
    if not (submission / assignment.file).is_file():
        there = ", ".join(sorted(each.name for each in submission.iterdir())[:20]) or "nothing"
        return _failed(assignment, [f"There is no file {assignment.file}; there is: {there}."])
    latest: list[Sprt] = []

    def watch(test: Sprt) -> None:
        latest[:] = [test]
        if clock() > until:
            raise _OutOfTime

    other = command_of(benchmark, bundle)
    duel = Duel(
        f"python {assignment.file}",
        other,
        (other,),
        {
            "ruleset": assignment.ruleset,
            "hands_per_table": assignment.hands_per_table,
            "seed": f"{assignment.seed % 2**64:016x}",
        },
        hands=assignment.hands,
        bounds=None,
        at_once=TABLES_AT_ONCE,
        chosen=Confinement(assignment.limits, sandbox),
        cwd=submission,
    )
    log = folder / f"bot-{FIRST}.log"
    record = io.BytesIO()
    try:
        outcome = play_duel(duel, folder, live=watch, record=record)
    except _OutOfTime:
        return _judged(assignment, latest[0], _out_of_time(latest[0], assignment), ())
    except ArenaError as error:
        return _failed(assignment, [f"It could not be played: {error}", *_end_of(log)])
    (folder / "records.jsonl").write_bytes(record.getvalue())
    mistakes = mistakes_of(folder / "records.jsonl", {FIRST: log}).get(FIRST)
    words = list(_words(outcome, benchmark, mistakes, log))
    replays = best_and_worst(record.getvalue().splitlines()[1:], benchmark)
    return _judged(assignment, outcome.test, words, replays)


def _judged(
    assignment: Assignment, test: Sprt, words: Sequence[str], replays: Sequence[Replay]
) -> BenchmarkResult:
    """The score of a match that was played."""
    (benchmark,) = assignment.benchmarks
    verdict = sprt.fixed_verdict(test)
    share = {sprt.BETTER: 1.0, sprt.WORSE: 0.0}.get(verdict, assignment.partial)
    points = assignment.points
    score = round(share * points, 2)
    return BenchmarkResult(benchmark, verdict, score, points, tuple(words), tuple(replays))


def _failed(assignment: Assignment, words: Sequence[str]) -> BenchmarkResult:
    (benchmark,) = assignment.benchmarks
    return BenchmarkResult(benchmark, "", 0.0, assignment.points, tuple(words), ())


def _out_of_time(test: Sprt, assignment: Assignment) -> list[str]:
    played = f"{test.meetings} of {assignment.hands} hands"
    return [
        line(test, None),
        f"The time was used up after {played}, and the verdict is on those. Think faster: the same",
        "submission may come further on a quicker machine.",
    ]


def _words(
    outcome: MatchOutcome, benchmark: str, mistakes: Mistakes | None, log: Path
) -> Iterator[str]:
    """What a student reads of a match."""
    yield f"You are A, {benchmark} is B; the other seats are {benchmark}'s too."
    yield line(outcome.test, outcome.bounds)
    yield conclusion(outcome)
    yield from (note for note in notes(outcome) if not note.startswith("B"))
    if mistakes:
        yield f"{str(mistakes).partition('; see ')[0]}. The end of your bot's log:"
        yield from _end_of(log)


def _end_of(log: Path) -> list[str]:
    """The last lines of a bot's log."""
    if not log.exists():
        return []
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"    {each[:300]}" for each in lines[-LAST_LINES:]]


def best_and_worst(lines: Sequence[bytes], benchmark: str) -> list[Replay]:
    """The hands in which the submission finished first or earliest, and last or latest; of equals
    the first. lines: the hands of a record file."""
    hands = [orjson.loads(each) for each in lines]
    placed = [(_place(hand), hand) for hand in hands if hand["steps"]]
    if not placed:
        return []
    chosen = [min(placed, key=_by_place), max(placed, key=_by_place)]
    return [_replay(hand, place, benchmark) for place, hand in chosen]


def _by_place(placed: tuple[int, Any]) -> int:
    return placed[0]


def _place(hand: dict[str, Any]) -> int:
    """The place of the submission, from 1."""
    places: list[int] = hand["result"]["places"]
    return places.index(hand["players"].index(FIRST)) + 1


def _replay(hand: dict[str, Any], place: int, benchmark: str) -> Replay:
    """A hand of a record in words."""
    called = {FIRST: YOU}
    names = [called.get(hand["players"][p], f"{benchmark}-{p}") for p in hand["seating"]]
    steps = [[wire.read_event(event) for event in step["events"]] for step in hand["steps"]]
    dealt = evolve(EMPTY, steps[0])
    lines = [*hand_lines(Voice(names), dealt), "", *transcript(steps[1:], dealt, names=names)]
    return Replay(hand["hand"], place, len(names), tuple(lines))


def results_document(results: Sequence[BenchmarkResult]) -> dict[str, Any]:
    """What Gradescope reads as ``results.json``: a test for each benchmark, and two replays.

    Members as in its documentation (gradescope-autograders.readthedocs.io, "Output format").
    """
    return {
        "score": round(sum(result.score for result in results), 2),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output_format": "text",
        "output": "\n".join(_replays_in_words(results)),
        "tests": [
            {
                "name": f"Against {result.benchmark}",
                "score": result.score,
                "max_score": round(result.points, 2),
                "status": "passed" if result.verdict == sprt.BETTER else "failed",
                "output_format": "text",
                "output": "\n".join(result.words),
            }
            for result in results
        ],
        "extra_data": {"verdicts": {r.benchmark: r.verdict or "not played" for r in results}},
    }


def _replays_in_words(results: Sequence[BenchmarkResult]) -> Iterator[str]:
    """The best and the worst hand of all of them."""
    replays = [replay for result in results for replay in result.replays]
    if not replays:
        yield "There is no hand to look at."
        return
    best = min(replays, key=lambda replay: replay.place)
    worst = max(replays, key=lambda replay: replay.place)
    for head, replay in (("Your best hand", best), ("Your worst hand", worst)):
        yield f"{head}: {replay.hand}, place {replay.place} of {replay.seats}"
        yield from (f"    {each}".rstrip() for each in replay.lines)
        yield ""
