"""Files of positions: what a bot should answer where, as TOML, read and checked with the engine."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import arena.game
from arena.asking import GivenTurn
from arena.cli.workshop.words import in_words
from arena.errors import ArenaError, BadInput
from arena.game import GameState, Position
from arena.rules import decide
from arena.rules.events import Event
from arena.wire import menu_entries
from arena.wire.short_answers import short_answer

SHIPPED = Path(arena.game.__file__).parent / "shipped"
HEAD = re.compile(r"\s*\[\[\s*position\s*\]\]")
KINDS = ("best", "avoid", "legal")
TEXTS = ("id", "title", "position", "theme", "why", "source")
NEEDED = ("id", "position")
PLACE = "place"
MEMBERS = (*TEXTS, *KINDS, PLACE)
Outcome = tuple[Event, ...]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A position with what is expected in it.

    kind: `best` (one of the answers has to be given), `avoid` (none of them may be) or `legal`
    (they are all that may be answered). outcomes: what follows from each; two answers that mean
    the same have the same. place: of which `best` is sure and all else is not, or `avoid` is not
    and all else is; None if nothing is claimed. where: file, line and id; menu, every: all that may
    be answered, in words, and what follows from each.
    """

    where: str

    id: str
    title: str
    theme: str
    why: str
    source: str
    ruleset: str
    position: Position
    place: int | None
    turn: GivenTurn
    kind: str
    answers: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    menu: tuple[str, ...]
    every: tuple[Outcome, ...]

    def passes(self, body: Mapping[str, Any]) -> bool:
        """Is this answer, which the rules allow, what is expected?"""
        _, outcome = self.turn.decided(body)
        return (outcome in self.outcomes) is not (self.kind == "avoid")


def read_file(path: Path) -> list[Exercise]:
    """The exercises of a file. Raises `BadInput`, with file, line and entry."""
    try:
        return read_exercises(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("file of positions", str(path), f"a text file ({error})") from error


def read_shipped() -> list[Exercise]:
    """The positions that come with the arena, by theme. Raises `BadInput` if they are not there."""
    files = sorted(SHIPPED.glob("*.toml"))
    if not files:
        raise BadInput("folder of positions", str(SHIPPED), "a whole installation of the arena")
    return [exercise for file in files for exercise in read_file(file)]


def read_exercises(text: str, name: str) -> list[Exercise]:
    """The exercises of a text; name: of its file, for errors."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput("file of positions", name, f"TOML ({error})") from error
    entries = document.get("position")
    if document.keys() - {"position"} or not isinstance(entries, list) or not entries:
        raise BadInput("file of positions", name, "[[position]] entries, one or more, only")
    lines = [n for n, line in enumerate(text.splitlines(), start=1) if HEAD.match(line)]
    lines += [1] * (len(entries) - len(lines))
    read: list[Exercise] = []
    for line, entry in zip(lines, entries, strict=False):
        where = f"{name}:{line}"
        exercise = _read(where, entry)
        if any(other.id == exercise.id for other in read):
            raise BadInput(f"{where}: id", exercise.id, "another one: it is taken")
        read.append(exercise)
    return read


def _read(where: str, entry: Any) -> Exercise:
    """One entry."""
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: position", entry, "a table")
    place = f"{where} ({entry.get('id', 'no id')})"
    unknown = sorted(entry.keys() - set(MEMBERS))
    if unknown:
        raise BadInput(f"{place}: member", unknown[0], "one of " + ", ".join(MEMBERS))
    for member in TEXTS:
        value = entry.get(member, None if member in NEEDED else "")
        if not isinstance(value, str) or (member in NEEDED and not value):
            raise BadInput(f"{place}: {member}", value, "text")
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise BadInput(f"{place}: answers", kinds, "exactly one of " + ", ".join(KINDS))
    _check_place(place, entry, kinds[0])
    try:
        return _exercise(place, entry, kinds[0])
    except ArenaError as error:
        raise BadInput(place, entry["position"], f"an entry that works: {error}") from error


def _check_place(where: str, entry: Mapping[str, Any], kind: str) -> None:
    """Raises `BadInput` for a claim that is no number, or stands where nothing can be claimed."""
    place = entry.get(PLACE)
    if PLACE in entry and (not isinstance(place, int) or isinstance(place, bool)):
        raise BadInput(f"{where}: {PLACE}", place, "a whole number, 1 for the best")
    if PLACE in entry and kind == "legal":
        raise BadInput(f"{where}: {PLACE}", place, "best or avoid beside it, not legal")


def _exercise(where: str, entry: Mapping[str, Any], kind: str) -> Exercise:
    """An entry whose members are there. Raises `BadInput` or `Refused`."""
    position = Position.parse(entry["position"])
    if position.asked < 0:
        raise BadInput("position", entry["position"], "a hand that is not over")
    turn = GivenTurn.of_position(position, Random(0))
    answers = entry[kind]
    if not isinstance(answers, list) or not answers:
        raise BadInput(kind, answers, "a list of answers, one or more")
    outcomes = tuple(_outcome(turn, kind, answer) for answer in answers)
    menu = GameState(turn.rules, turn.state).legal(turn.seat)
    names = tuple(map(in_words, menu_entries(menu)))
    every = tuple(tuple(decide(turn.rules, turn.state, answer)) for answer in menu)
    _check_against_all(kind, outcomes, names, every)
    texts = {member: entry.get(member, "") for member in TEXTS if member != "position"}
    return Exercise(
        **texts,
        where=where,
        ruleset=position.ruleset,
        position=position,
        place=entry.get(PLACE),
        turn=turn,
        kind=kind,
        answers=tuple(map(str, answers)),
        outcomes=outcomes,
        menu=names,
        every=every,
    )


def _outcome(turn: GivenTurn, kind: str, answer: Any) -> Outcome:
    """What follows from an answer of the file."""
    if not isinstance(answer, str | dict):
        raise BadInput(kind, answer, "answers as text or tables")
    body = answer if isinstance(answer, dict) else short_answer(answer)
    try:
        return turn.decided(body)[1]
    except ArenaError as error:
        raise BadInput(kind, answer, f"an answer that the rules allow ({error})") from error


def _check_against_all(
    kind: str, outcomes: Sequence[Outcome], names: Sequence[str], every: Sequence[Outcome]
) -> None:
    """Raises `BadInput` for `legal` that is not the engine's list, and where a bot could do nothing
    right, or nothing wrong."""
    missing = [name for name, each in zip(names, every, strict=True) if each not in outcomes]
    if kind == "legal" and missing:
        raise BadInput("legal", len(outcomes), f"all {len(every)} answers; {missing[0]} is missing")
    if kind != "legal" and not missing:
        raise BadInput(kind, len(outcomes), "not every answer that the rules allow")
