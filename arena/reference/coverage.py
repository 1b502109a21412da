"""Which option, vector or test claims which statement of the inventory: `arena rules coverage`.

Options claim by their `rests`, vectors by theirs, a test by a line ``rests: PG-33 PG-36`` in its
docstring. Vectors and tests are in the folder of tests, which an installed package lacks.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.reference.inventory import STATEMENTS
from arena.rules.options import OPTIONS

Claims = Mapping[str, tuple[str, ...]]
_ID = re.compile(r"\b(?:PG|DX|FO|RU)-\d+\b")
_RESTS = re.compile(r"^\s*rests:((?:\s+[A-Z]+-\w+)+)\s*$", re.MULTILINE)


class Covered(NamedTuple):
    """A statement and who claims it."""

    id: str
    says: str
    rule: bool
    options: tuple[str, ...]
    vectors: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def claimed(self) -> bool:
        """Does anybody claim it, or is it a text without a rule?"""
        return not self.rule or bool(self.options or self.vectors or self.tests)


def coverage_table(tests: Path | None = None) -> list[Covered]:
    """Every statement with its options and, with the folder of tests, its vectors and tests."""
    options = claims_of_options()
    vectors = claims_of_vectors(tests / "rules" / "vectors.jsonl") if tests else {}
    functions = claims_of_tests(tests) if tests else {}
    return [
        Covered(s.id, s.says, s.rule, *(c.get(s.id, ()) for c in (options, vectors, functions)))
        for s in STATEMENTS.values()
    ]


def coverage_text(tests: Path | None = None) -> str:
    """The table in words: statement, options, vectors, tests.

    No statement counts as unclaimed as long as only the options were read.
    """
    table = coverage_table(tests)
    nobody = "(no option)" if tests is None else "UNCLAIMED"
    lines = []
    for row in table:
        claims = [", ".join(row.options), _shortened(row.vectors), ", ".join(row.tests)]
        claimed = "; ".join(filter(None, claims)) or (nobody if row.rule else "(text)")
        lines.append(f"{row.id:<7} {claimed:<60}  {row.says}")
    left = " ".join(row.id for row in table if not row.claimed) or "none"
    end = f"unclaimed: {left}"
    if tests is None:
        end = f"without an option: {left} (--tests FOLDER looks for vectors and tests too)"
    return "\n".join([*lines, "", f"{len(lines)} statements, {end}"]) + "\n"


def claims_of_options() -> Claims:
    """Statement → options whose `rests` name it."""
    return _gathered((id_, o.name) for o in OPTIONS.values() for id_ in o.rests)


def claims_of_vectors(path: Path) -> Claims:
    """Statement → ids of the vectors of a file that rest on it; none where there is no file."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    vectors = [json.loads(line) for line in lines if line.strip()]
    return _gathered((id_, v["id"]) for v in vectors for id_ in v["rests"])


def claims_of_tests(folder: Path) -> Claims:
    """Statement → tests (``file::function``) whose docstring has a line ``rests: ...`` with it."""
    return _gathered(
        (id_, f"{path.name}::{name}")
        for path in sorted(folder.rglob("test_*.py"))
        for name, rests in _resting(path)
        for id_ in rests
    )


def _resting(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The test functions of a file with the ids of their docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            sources = _RESTS.findall(ast.get_docstring(node) or "")
            yield node.name, _ID.findall(" ".join(sources))


def _gathered(pairs: Iterator[tuple[str, str]]) -> Claims:
    """Claims by statement, in order and each once."""
    claims: dict[str, dict[str, None]] = defaultdict(dict)
    for id_, name in pairs:
        claims[id_][name] = None
    return {id_: tuple(names) for id_, names in claims.items()}


def _shortened(vectors: tuple[str, ...]) -> str:
    """The ids of some vectors, not more than three of them."""
    more = f" +{len(vectors) - 3}" if len(vectors) > 3 else ""
    return " ".join(vectors[:3]) + more
