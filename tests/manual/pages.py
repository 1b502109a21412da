"""The pages of the manual as text: headings, tables, code blocks, and the places they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
RULES = ROOT / "arena" / "rules" / "RULES.md"
MANUAL = sorted((ROOT / "arena" / "manual").glob("*.md"))
DEPLOY = sorted((ROOT / "arena" / "deploy").glob("*.md"))
PAGES = [README, RULES, *MANUAL, *DEPLOY]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def headings(path: Path) -> list[str]:
    """The headings of a page; what begins alike in a code block is none."""
    return re.findall(r"^#+ (.+)$", FENCED.sub("", text(path)), re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in headings(path)}


def section(path: Path, heading: str) -> str:
    """What stands under a heading of the second level."""
    return text(path).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(part: str) -> list[list[str]]:
    """The cells of all tables in a part of a page, without the heads."""
    lines = re.findall(r"^\|(.*)\|$", part, re.MULTILINE)
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    rules = [n for n, row in enumerate(cells) if all(set(cell) <= {"-"} for cell in row)]
    heads = {place for n in rules for place in (n - 1, n)}
    return [row for n, row in enumerate(cells) if n not in heads]


def block(path: Path, name: str) -> str:
    """The code block of that name."""
    pattern = rf"^```\w+ {re.escape(name)}\n(.*?)^```"
    found = re.search(pattern, text(path), re.MULTILINE | re.DOTALL)
    assert found, f"{named(path)} has no block {name!r}"
    return found.group(1)


@cache
def functions(path: Path) -> frozenset[str]:
    """The functions of a module, and `Class::method` for those of its classes."""
    body = ast.parse(text(path)).body
    inner = [
        f"{node.name}::{each.name}"
        for node in body
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, ast.FunctionDef)
    ]
    return frozenset([*inner, *(node.name for node in body if isinstance(node, ast.FunctionDef))])


def docstrings(path: Path) -> Iterator[str]:
    """The docstrings of a module, those of its attributes too."""
    for node in ast.walk(ast.parse(text(path))):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
