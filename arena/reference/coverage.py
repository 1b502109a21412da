"""Which statement or settled reading is played by whom: `arena rules coverage`.

A vector with moves or a list of legal plays plays what its `rests` names; one that only asks a
function for its answer does not. A test claims ids by a line ``rests: PG-33 OR-24`` in its
docstring, and plays them if its body, or a function of its file that it names, calls the engine.
Options declare by their `rests`, which proves nothing. Vectors and tests are in the folder of
tests, which an installed package lacks.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.documents import Document
from arena.reference.inventory import STATEMENTS
from arena.reference.readings import readings
from arena.rules.options import OPTIONS

PLAYED, DECLARED, NOBODY, TEXT = "played", "declared", "nobody", "text"
ENGINE = frozenset(
    {"after", "table", "Scene", "decide", "evolve", "legal", "beats", "see", "deal", "dealt"}
    | {"play", "play_out", "play_sitting", "play_table", "dealt_with", "lines_of", "whole_hand"}
)
"""Names that a test uses which plays: of the engine, or of what the tests share to call it."""

PLAYING = ("play", "legal")
"""Kinds of vectors that play."""

Claims = Mapping[str, tuple[str, ...]]
ID = re.compile(r"\b(?:PG|DX|FO|RU|AM|OR|C|XV)-\w+\b")
RESTS = re.compile(r"^\s*rests:((?:[\s,]+[A-Z]+-\w+)+)[\s.]*$", re.MULTILINE)


class Covered(NamedTuple):
    """A statement or reading and who claims it. vectors, tests: those that play; idle: those that
    do not."""

    id: str
    says: str
    rule: bool
    options: tuple[str, ...]
    vectors: tuple[str, ...]
    tests: tuple[str, ...]
    idle: tuple[str, ...]

    @property
    def status(self) -> str:
        """Played; only declared by an option or claimed by a test that plays nothing; claimed by
        nobody; or a text without a rule."""
        if not self.rule:
            return TEXT
        if self.vectors or self.tests:
            return PLAYED
        return DECLARED if self.options or self.idle else NOBODY

    def data(self) -> Document:
        """The same as plain data."""
        return {**self._asdict(), "status": self.status}


class Claimed(NamedTuple):
    """Id → vectors or tests (``file::function``) that name it: those that play, and the others."""

    playing: Claims
    idle: Claims


def coverage_table(tests: Path | None = None) -> list[Covered]:
    """Every statement and reading with its options and, with the folder of tests, who plays it."""
    options = claims_of_options()
    nobody = Claimed({}, {})
    vectors = claims_of_vectors(tests / "rules" / "vectors.jsonl") if tests else nobody
    functions = claims_of_tests(tests) if tests else nobody
    return [
        Covered(
            *statement,
            options.get(statement.id, ()),
            vectors.playing.get(statement.id, ()),
            functions.playing.get(statement.id, ()),
            (*vectors.idle.get(statement.id, ()), *functions.idle.get(statement.id, ())),
        )
        for statement in (*STATEMENTS.values(), *readings().values())
    ]


def not_played(table: Iterable[Covered]) -> list[str]:
    """The ids of a table that no vector and no test plays."""
    return [row.id for row in table if row.status in (DECLARED, NOBODY)]


def coverage_text(table: list[Covered], *, with_tests: bool) -> str:
    """The table in words: id, status, who; and at the end what is not played.

    Nothing is called not played as long as only the options were read.
    """
    lines = [_line(row, with_tests=with_tests) for row in table]
    if not with_tests:
        left = " ".join(r.id for r in table if r.status == NOBODY) or "none"
        end = f"without an option: {left} (--tests FOLDER looks for vectors and tests too)"
        return "\n".join([*lines, "", f"{len(lines)} statements and readings, {end}"]) + "\n"
    counts = ", ".join(
        f"{sum(row.status == status for row in table)} {words}"
        for status, words in ((PLAYED, "played"), (TEXT, "texts without a rule"))
    )
    left = " ".join(not_played(table)) or "none"
    end = f"{len(lines)} statements and readings: {counts}; not played: {left}"
    return "\n".join([*lines, "", end]) + "\n"


def _line(row: Covered, *, with_tests: bool) -> str:
    claims = [
        _shortened(row.vectors),
        ", ".join(row.tests),
        f"option {', '.join(row.options)}" if row.options else "",
        f"plays nothing: {', '.join(row.idle)}" if row.idle else "",
    ]
    nobody = "" if row.status == TEXT else "no option" if not with_tests else "NOBODY"
    status = row.status if with_tests or row.status == TEXT else ""
    who = "; ".join(filter(None, claims)) or nobody
    return f"{row.id:<8} {status:<9}{who:<60}  {row.says}".rstrip()


def claims_of_options() -> Claims:
    """Id → options whose `rests` name it."""
    return _gathered((id_, o.name) for o in OPTIONS.values() for id_ in o.rests)


def claims_of_vectors(path: Path) -> Claimed:
    """The claims of the vectors of a file; none where there is no file."""
    if not path.exists():
        return Claimed({}, {})
    lines = path.read_text(encoding="utf-8").splitlines()
    vectors = [json.loads(line) for line in lines if line.strip()]
    pairs = [(id_, v["id"], v["kind"] in PLAYING) for v in vectors for id_ in v["rests"]]
    return _parted(pairs)


def claims_of_tests(folder: Path) -> Claimed:
    """The claims of the tests of a folder and those below it."""
    found = [
        (id_, f"{path.name}::{name}", plays)
        for path in sorted(folder.rglob("test_*.py"))
        for name, rests, plays in _resting(path)
        for id_ in rests
    ]
    return _parted(found)


def _parted(found: Iterable[tuple[str, str, bool]]) -> Claimed:
    """Claims by id, in two parts: who plays, who does not."""
    pairs = list(found)
    return Claimed(
        _gathered((id_, name) for id_, name, plays in pairs if plays),
        _gathered((id_, name) for id_, name, plays in pairs if not plays),
    )


def _resting(path: Path) -> Iterator[tuple[str, list[str], bool]]:
    """The tests of a file that claim: name, ids of the docstring, and whether they play."""
    source = path.read_text(encoding="utf-8")
    if "rests:" not in source:
        return
    functions = {n.name: n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)}
    used = {name: set(_names(node)) for name, node in functions.items()}
    for name, node in functions.items():
        sources = RESTS.findall(ast.get_docstring(node) or "")
        if name.startswith("test_") and sources:
            yield name, ID.findall(" ".join(sources)), bool(_reached(name, used) & ENGINE)


def _names(node: ast.FunctionDef) -> Iterator[str]:
    """What a function's body names, as a name or behind a dot."""
    for part in (inner for statement in node.body for inner in ast.walk(statement)):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _reached(name: str, used: Mapping[str, set[str]]) -> set[str]:
    """All names that a function and the functions of its file that it names use."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        new = used[waiting.pop()] - reached
        reached |= new
        waiting += [other for other in new if other in used]
    return reached


def _gathered(pairs: Iterator[tuple[str, str]]) -> Claims:
    """Claims by id, in order and each once."""
    claims: dict[str, dict[str, None]] = defaultdict(dict)
    for id_, name in pairs:
        claims[id_][name] = None
    return {id_: tuple(names) for id_, names in claims.items()}


def _shortened(vectors: tuple[str, ...]) -> str:
    """The ids of some vectors, not more than three of them."""
    more = f" +{len(vectors) - 3}" if len(vectors) > 3 else ""
    return " ".join(vectors[:3]) + more
