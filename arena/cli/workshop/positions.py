"""`arena positions`: a bot's answers in given positions, as a table and an exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli.launching import Confinement, confinement, sandbox_option
from arena.cli.remote import json_option, print_json
from arena.cli.workshop.asked import Asker, asked_bot
from arena.cli.workshop.words import in_words
from arena.confinement.limits import Limits
from arena.documents import Document
from arena.errors import BadInput

RIGHT, WRONG, REFUSED, SILENT = "right", "wrong", "refused", "no answer"
HEADS = ("id", "answer", "verdict", "ms")
MOST_TIMES = 1_000


@click.command(
    "positions",
    epilog="""Examples:

    arena positions --shipped "python bot.py"

    arena positions my-positions.toml mybot:MyBot --local --times 20

    arena positions my-positions.toml --check

Exit codes: 0 every answer is right, 1 not, 2 the command or the file is wrong.
""",
)
@click.argument("file", metavar="FILE", required=False)
@click.argument("bot", metavar="COMMAND", required=False)
@click.option("--shipped", is_flag=True, help="The arena's own positions, in the place of FILE.")
@click.option("--local", is_flag=True, help="COMMAND is module:Class, asked without HTTP.")
@click.option("--check", is_flag=True, help="Check the file, prove its places; needs no COMMAND.")
@click.option("--list", "listed", is_flag=True, help="List the positions; needs no COMMAND.")
@click.option("--theme", default=None, help="Only the positions of this theme.")
@click.option("--only", multiple=True, metavar="ID", help="Only this position; may be repeated.")
@click.option(
    "--times",
    type=click.IntRange(1, MOST_TIMES),
    default=1,
    show_default=True,
    help="Ask each so often, for bots with chance; every answer has to be right.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3_600),
    default=5.0,
    show_default=True,
    help="Time for one answer (not with --local).",
)
@sandbox_option
@json_option
def command(
    file: str | None,
    bot: str | None,
    shipped: bool,
    local: bool,
    check: bool,
    listed: bool,
    theme: str | None,
    only: tuple[str, ...],
    times: int,
    seconds: float,
    sandbox: str,
    as_json: bool,
) -> int:
    """Ask a bot in the positions of a file, and tell where its answer is not what is expected.

    COMMAND starts the bot as in a session, once for each ruleset of the file; it is asked one turn
    after another and cannot tell them from those of a session.
    """
    if shipped:
        file, bot = _without_file(file, bot)
    elif file is None:
        raise click.UsageError("name a FILE of positions, or give --shipped")
    exercises = _chosen(_read(file), theme, only)
    if check or listed:
        _tell_exercises(exercises, checked=check, as_json=as_json)
        return 0
    if bot is None:
        raise click.UsageError("name the COMMAND of a bot, or give --check or --list")
    chosen = Confinement(Limits()) if local else confinement(Limits(), sandbox)
    asking = Asking(bot, local, seconds, chosen, times)
    results = [result for group in _by_ruleset(exercises) for result in asking.results(group)]
    order = [exercise.id for exercise in exercises]
    results.sort(key=lambda result: order.index(result.exercise.id))
    _tell(results, as_json=as_json)
    return 0 if all(result.verdict == RIGHT for result in results) else 1


def _without_file(first: str | None, second: str | None) -> tuple[None, str | None]:
    """The words of a call with --shipped: the COMMAND only."""
    if second is not None:
        raise click.UsageError("give a FILE or --shipped, not both")
    return None, first


def _read(file: str | None) -> list[Any]:
    """The positions of a file; None: those that come with the arena."""
    from arena.cli.workshop.position_files import read_file, read_shipped

    return read_shipped() if file is None else read_file(Path(file))


class Judgement(NamedTuple):
    """What a bot answered in a position, the first time that it was not right, or the last time.

    said: its answer; why: of the verdict; ms: None without an answer.
    """

    exercise: Any
    said: str
    verdict: str
    why: str
    ms: float | None

    def document(self) -> Document:
        """As JSON."""
        exercise = self.exercise
        return {
            "id": exercise.id,
            "title": exercise.title,
            "theme": exercise.theme,
            exercise.kind: list(exercise.answers),
            "answer": self.said,
            "verdict": self.verdict,
            "why": self.why,
            "ms": None if self.ms is None else round(self.ms),
        }


class Asking(NamedTuple):
    """How bots are asked. chosen: under what they are started."""

    bot: str
    local: bool
    seconds: float
    chosen: Confinement
    times: int

    def results(self, exercises: Sequence[Any]) -> Iterator[Judgement]:
        """The results of positions of one ruleset; a bot that has ended is started again, if it
        has answered before. Raises `BotGone` if it never does."""
        from arena.asking import BotGone

        left, answered = list(exercises), False
        while left:
            with self._started(left[0].ruleset) as asker:
                try:
                    while left:
                        result = self._result(asker, left[0])
                        answered = True
                        yield result
                        del left[0]
                except BotGone as gone:
                    if not answered:
                        raise
                    yield Judgement(left[0], "", SILENT, str(gone), None)
                    del left[0]

    def _result(self, asker: Asker, exercise: Any) -> Judgement:
        """The first answer that is not right, or the last one."""
        for _ in range(self.times):
            result = _judged(exercise, asker.ask(exercise.turn))
            if result.verdict != RIGHT:
                break
        return result

    def _started(self, ruleset: str) -> AbstractContextManager[Asker]:
        """The bot in a session of a ruleset."""
        return asked_bot(self.bot, {"ruleset": ruleset}, self.seconds, self.chosen, self.local)


def _judged(exercise: Any, reply: Any) -> Judgement:
    """What a reply is worth."""
    if reply.refused:
        bad = reply.refused[0]
        said = "" if bad.body is None else in_words(bad.body)
        return Judgement(exercise, said, REFUSED, bad.why, reply.ms)
    if reply.body is None or reply.answer is None:
        return Judgement(exercise, "", SILENT, reply.trouble, None)
    right = exercise.passes(reply.body)
    said = _answered(exercise, reply)
    why = "" if right else exercise.why
    return Judgement(exercise, said, RIGHT if right else WRONG, why, reply.ms)


def _answered(exercise: Any, reply: Any) -> str:
    """An answer in few words, whatever form it was sent in."""
    choice = reply.body.get("choice")
    if choice is None:
        return in_words(reply.body)
    from arena.wire import legal_entries

    turn = exercise.turn
    return in_words(legal_entries(turn.rules, turn.state, turn.seat)[choice])


def _chosen(exercises: list[Any], theme: str | None, only: Sequence[str]) -> list[Any]:
    """Those that are asked for. Raises `BadInput` for a theme or an id that there is none of."""
    known = {exercise.id for exercise in exercises}
    for each in only:
        if each not in known:
            raise BadInput("--only", each, "the id of a position of the file")
    themes = sorted({exercise.theme for exercise in exercises if exercise.theme})
    if theme is not None and theme not in themes:
        raise BadInput("--theme", theme, f"one of {', '.join(themes) or 'none: no entry has one'}")
    chosen = [e for e in exercises if theme in (None, e.theme) and (not only or e.id in only)]
    if not chosen:
        raise BadInput("--only", ", ".join(only), f"positions of the theme {theme}")
    return chosen


def _by_ruleset(exercises: Sequence[Any]) -> list[list[Any]]:
    """In order, but those of one ruleset together."""
    groups: dict[str, list[Any]] = {}
    for exercise in exercises:
        groups.setdefault(exercise.ruleset, []).append(exercise)
    return list(groups.values())


def _tell_exercises(exercises: Sequence[Any], *, checked: bool, as_json: bool) -> None:
    """The positions of a file; checked: with what was proved of them."""
    from arena.cli.workshop.proofs import prove_all

    heads = ("id", "theme", "kind", "place", "title")
    rows = [(e.id, e.theme, e.kind, e.place, e.title) for e in exercises]
    documents = [dict(zip(heads, row, strict=True)) for row in rows]
    if not checked and not as_json:
        _table(heads, [tuple("" if cell is None else str(cell) for cell in row) for row in rows])
        return
    solutions = [proof.solution for proof in prove_all(exercises)] if checked else []
    for document, found in zip(documents, solutions, strict=False):
        if found is not None:
            document |= {"worlds": found.worlds, "steps": found.steps}
    if as_json:
        print_json(documents)
        return
    claims = [found for found in solutions if found is not None]
    places = "1 place" if len(claims) == 1 else f"{len(claims)} places"
    proved = f"; {places} proved by search" if claims else ""
    click.echo(f"{_many(len(rows))}, the engine agrees with every entry{proved}")


def _tell(results: Sequence[Judgement], *, as_json: bool) -> None:
    """What came out."""
    counts = Counter(result.verdict for result in results)
    if as_json:
        documents = [result.document() for result in results]
        print_json({"right": counts[RIGHT], "of": len(results), "positions": documents})
        return
    rows = [
        (r.exercise.id, r.said or "-", r.verdict, "-" if r.ms is None else f"{r.ms:.0f}")
        for r in results
    ]
    _table(HEADS, rows)
    for result in results:
        if result.verdict != RIGHT:
            expected = f"{result.exercise.kind} {', '.join(result.exercise.answers)}"
            title = f" ({result.exercise.title})" if result.exercise.title else ""
            why = f": {result.why}" if result.why else ""
            click.echo(f"{result.exercise.id}{title}: {expected}{why}")
    click.echo(f"{counts[RIGHT]} of {_many(len(results))} right")


def _many(number: int) -> str:
    return f"{number} position" if number == 1 else f"{number} positions"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns with two blanks between."""
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    for row in (heads, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
