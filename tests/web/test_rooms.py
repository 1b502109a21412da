"""The modules of `arena/web` import one another in one direction only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "arena" / "web"


def module_name(path: Path) -> str:
    """``arena/web/api/limits.py`` is ``arena.web.api.limits``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Every module that a file could mean, wherever in it the import stands: also those that only
    a type checker reads. `from a import b` may mean `a` or `a.b`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph_of_imports() -> Mapping[str, set[str]]:
    """Each module of the web -> the modules of the web that it imports."""
    paths = {module_name(path): path for path in WEB.rglob("*.py")}
    return {name: {*imported(path)} & paths.keys() - {name} for name, path in paths.items()}


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """The modules of one circle of imports; [] if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_circle_of_imports() -> None:
    assert circle(graph_of_imports()) == []


def test_imports_for_type_checkers_count(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("if TYPE_CHECKING:\n    from arena.web.api import limits\n")
    assert "arena.web.api.limits" in set(imported(file))


@pytest.mark.parametrize("graph", [{"a": {"b"}, "b": {"a"}}, {"a": {"b"}, "b": {"c"}, "c": {"a"}}])
def test_a_circle_would_be_found(graph: dict[str, set[str]]) -> None:
    assert set(graph) <= set(circle(graph))
