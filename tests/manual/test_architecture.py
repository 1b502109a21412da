"""The page on architecture: its tree, its arrows and its way of a move are those of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.manual.pages import PAGES, ROOT, block, functions, rows, section, text
from tests.test_architecture import MAY_IMPORT

ARENA = ROOT / "arena"
PAGE = ARENA / "manual" / "architecture.md"
TEST_ID = re.compile(r"tests/[\w/]+\.py::\w+")
FUNCTION = re.compile(r"(arena/[\w/]+\.py)::(\w+(?:::\w+)?)")


def pictured() -> Iterator[Path]:
    """The paths of the tree in the page: two blanks for each level."""
    above: list[str] = []
    for line in block(PAGE, "tree").splitlines():
        indent, name = re.findall(r"^( *)(\S+)", line)[0]
        above = [*above[: len(indent) // 2], name]
        yield ROOT.joinpath(*above)


def folders(place: Path) -> Iterator[Path]:
    """The folders below a place that have something in them."""
    for folder in place.rglob("*"):
        hidden = any(part.startswith((".", "__")) for part in folder.relative_to(place).parts)
        if folder.is_dir() and not hidden and any(folder.glob("*.*")):
            yield folder


def test_the_tree_has_every_folder_and_every_module_beside_them() -> None:
    shown = list(pictured())
    modules = [path for path in ARENA.glob("*.py") if path.name != "__init__.py"]
    assert len(set(shown)) == len(shown)
    missing = {ARENA, *folders(ARENA), *modules} - set(shown)
    assert missing == set()
    assert [place for place in shown if not place.exists()] == []


def test_the_arrows_are_those_that_are_tested() -> None:
    lines = [line.partition(":") for line in block(PAGE, "arrows").splitlines()]
    assert {room: set(names.split()) for room, _, names in lines} == MAY_IMPORT


def test_no_arrow_points_forward() -> None:
    order = [line.partition(":")[0] for line in block(PAGE, "arrows").splitlines()]
    forward = {
        (room, other)
        for room, others in MAY_IMPORT.items()
        for other in others
        if order.index(other) > order.index(room)
    }
    assert forward == set()


def test_the_way_of_a_move_names_functions_that_exist() -> None:
    assert len(rows(section(PAGE, "The way of a move"))) >= 12
    for page in PAGES:
        for module, name in FUNCTION.findall(text(page)):
            assert name in functions(ROOT / module), f"{module}::{name}"


def test_every_law_names_a_test() -> None:
    laws = rows(section(PAGE, "Laws"))
    assert len(laws) >= 15
    for law, tests in laws:
        assert law
        assert TEST_ID.search(tests), law
