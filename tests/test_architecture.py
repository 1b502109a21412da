"""The shape of the house: imports point one way, the core is pure, modules stay small."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ARENA = ROOT / "arena"
MODULES = sorted(ARENA.rglob("*.py"))

MAY_IMPORT = {
    "errors": set(),
    "clock": set(),
    "pacing": set(),
    "settings": {"errors"},
    "resources": {"errors"},
    "processes": {"application", "errors", "resources", "store"},
    "rules": {"errors"},
    "sitting": {"errors", "rules"},
    "reference": {"errors", "rules", "sitting", "wire"},
    "tournament": {"errors"},
    "wire": {"errors", "rules"},
    "client": {"wire", "rules"},
    "match": {"errors", "resources", "rules", "sitting", "wire", "tournament", "client"},
    "session": {"errors", "rules", "sitting", "tournament", "wire"},
    "store": {"errors"},
    "identity": {"clock", "errors", "pacing", "session", "settings", "store", "tournament"},
    "referee": {
        *("clock", "errors", "identity", "pacing", "rules", "session", "settings", "sitting"),
        "store",
        *("tournament", "wire"),
    },
    "queries": {
        *("clock", "errors", "identity", "pacing", "referee", "rules", "session", "store"),
        *("tournament", "wire"),
    },
    "organising": {
        "clock",
        *("errors", "identity", "queries", "referee", "rules", "session", "store", "tournament"),
    },
    "application": {
        *("clock", "errors", "identity", "organising", "pacing", "queries", "referee"),
        *("session", "settings", "store"),
    },
    "records": {"errors", "rules", "session", "sitting", "tournament", "wire"},
    "web": {
        *("application", "errors", "identity", "organising", "pacing", "queries", "referee"),
        "reference",
        *("resources", "rules", "session", "settings", "store", "tournament", "wire"),
    },
    "bench": {
        *(
            "errors",
            "rules",
            "tournament",
            "wire",
            "client",
            "match",
            "store",
            "application",
            "web",
        ),
        *("identity", "processes", "records", "resources", "session"),
    },
    "cli": {
        *("errors", "settings", "rules", "sitting", "tournament", "wire", "client"),
        *(
            "application",
            "bench",
            "clock",
            "identity",
            "processes",
            "match",
            "organising",
            "queries",
            "records",
        ),
        *("reference", "referee", "resources", "session", "store", "web"),
    },
}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def room(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(ARENA).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    if path == ARENA / "__init__.py":
        return
    own = room(path)
    for name in imported(path):
        if name.startswith("arena."):
            other = name.split(".")[1]
            assert other == own or other in MAY_IMPORT[own], f"{own} may not import {name}"


def test_the_api_knows_no_sockets_and_pages_only_the_api() -> None:
    for path in MODULES:
        below = {"api": ("server", "pages"), "server": ("pages",)}
        part = path.relative_to(ARENA).parts[1:2] if room(path) == "web" else ()
        for other in below.get("".join(part), ()):
            for name in imported(path):
                assert not name.startswith(f"arena.web.{other}"), f"{path} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_imports_the_standard_library_only(path: Path) -> None:
    if room(path) not in ("rules", "sitting", "errors", "wire"):
        return
    impure = {"time", "datetime", "random", "secrets", "os", "socket", "logging", "threading"}
    for name in imported(path):
        top = name.split(".")[0]
        assert top == "arena" or top in sys.stdlib_module_names, f"imports {name}"
        assert top not in impure, f"the core is pure, but imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_say_what_they_are_for_and_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 500, "more than 500 lines"


def test_sample_bots_import_the_client_or_nothing_of_ours() -> None:
    for path in (ROOT / "sample_bots").glob("*.py"):
        for name in imported(path):
            assert not name.startswith("arena") or name.startswith("arena.client"), path.name
