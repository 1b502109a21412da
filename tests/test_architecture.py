"""The shape of the house: imports point one way, the core is pure, modules stay small."""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from arena.rules import State

ROOT = Path(__file__).parent.parent
ARENA = ROOT / "arena"
MODULES = sorted(ARENA.rglob("*.py"))

MAY_IMPORT = {
    "compiled": set(),
    "errors": set(),
    "interruptions": set(),
    "statuses": set(),
    "version": set(),
    "documents": set(),
    "clock": set(),
    "pacing": set(),
    "settings": {"statuses", "errors"},
    "resources": {"errors"},
    "processes": {"application", "errors", "interruptions", "resources", "store"},
    "confinement": {"errors"},
    "rules": {"compiled", "errors"},
    "game": {"compiled", "errors", "rules"},
    "sitting": {"errors", "rules"},
    "text": {"documents"},
    "narration": {"errors", "rules", "text"},
    "manual": {"errors"},
    "reference": {"documents", "errors", "rules", "sitting", "wire"},
    "tournament": {"documents", "errors"},
    "wire": {"documents", "errors", "game", "rules", "text"},
    "client": {"documents", "statuses", "version", "wire", "rules", "text"},
    "kit": {"client"},
    "match": {
        "proofs",
        "documents",
        "statuses",
        *("client", "errors", "interruptions", "resources", "rules", "session", "sitting"),
        *("tournament", "version", "wire"),
    },
    "proofs": {"documents", "errors"},
    "session": {
        "documents",
        "statuses",
        *("errors", "proofs", "rules", "sitting", "tournament", "wire"),
    },
    "store": {"errors"},
    "notices": {"statuses", "clock", "documents", "errors", "session", "store"},
    "identity": {
        "proofs",
        "documents",
        "statuses",
        "clock",
        "errors",
        "pacing",
        "session",
        "settings",
        "store",
        "tournament",
    },
    "referee": {
        "proofs",
        "documents",
        "statuses",
        *("clock", "errors", "identity", "notices", "pacing", "rules", "session", "settings"),
        *("sitting", "store"),
        *("tournament", "wire"),
    },
    "queries": {
        "proofs",
        "documents",
        "statuses",
        *("clock", "errors", "identity", "notices", "pacing", "referee", "rules", "session"),
        *("store", "tournament", "wire"),
    },
    "organising": {
        "proofs",
        "documents",
        "statuses",
        "clock",
        *("errors", "identity", "notices", "queries", "referee", "rules", "session", "settings"),
        *("store", "tournament"),
    },
    "cluster": {
        *("clock", "documents", "errors", "identity", "organising", "referee", "session"),
        *("settings", "statuses", "store", "version"),
    },
    "application": {
        "cluster",
        "proofs",
        "documents",
        "statuses",
        *("clock", "errors", "identity", "notices", "organising", "pacing", "queries", "referee"),
        *("session", "settings", "store"),
    },
    "records": {
        "proofs",
        "documents",
        "statuses",
        "errors",
        "rules",
        "session",
        "sitting",
        "tournament",
        "wire",
    },
    "web": {
        "cluster",
        "proofs",
        "documents",
        "statuses",
        *("application", "errors", "identity", "organising", "pacing", "queries", "referee"),
        *("game", "kit", "manual", "narration", "reference", "text"),
        *("resources", "rules", "session", "settings", "store", "tournament", "wire"),
    },
    "envs": {"client", "errors", "match", "narration", "rules", "sitting"},
    "loopback": {"application", "documents", "errors", "settings", "store", "web"},
    "doctor": {
        *("application", "confinement", "documents", "errors", "interruptions", "loopback"),
        *("processes", "settings", "statuses", "tournament", "web", "wire"),
    },
    "bench": {
        "proofs",
        "documents",
        "statuses",
        *(
            "errors",
            "rules",
            "game",
            "tournament",
            "wire",
            "client",
            "envs",
            "match",
            "store",
            "application",
            "web",
        ),
        *("identity", "processes", "records", "resources", "session", "settings"),
    },
    "asking": {
        "documents",
        "statuses",
        *("application", "client", "clock", "errors", "game", "match", "processes", "referee"),
        *("rules", "session", "settings", "store", "web", "wire"),
    },
    "mock": {
        *("asking", "documents", "errors", "match", "processes", "rules", "session"),
        *("sitting", "wire"),
    },
    "uecda": {
        *("client", "documents", "errors", "game", "match", "rules", "session", "statuses"),
        *("tournament", "wire"),
    },
    "work": {
        *("client", "documents", "errors", "loopback", "match", "web"),
    },
    "cli": {
        "proofs",
        "text",
        "asking",
        "mock",
        "work",
        "documents",
        "statuses",
        *("confinement", "errors", "game", "settings", "rules", "sitting", "tournament", "wire"),
        "client",
        *(
            "application",
            "bench",
            "clock",
            "doctor",
            "identity",
            "kit",
            "processes",
            "match",
            "manual",
            "narration",
            "organising",
            "queries",
            "records",
        ),
        *("reference", "referee", "resources", "session", "store", "uecda", "web"),
    },
}

# Class names that stand in two modules or more, by how many. The list only shrinks.
DEFINED_AGAIN = {
    2: [
        *("Turn",),
    ],
}


@cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module, which several tests go through."""
    return tuple(ast.walk(syntax(path)))


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def room(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(ARENA).parts[0].removesuffix(".py")


def none_of(violations: Iterator[str]) -> None:
    """Fail with all of them, one a line."""
    found = list(violations)
    assert not found, "\n" + "\n".join(found)


def test_imports_point_one_way() -> None:
    none_of(
        f"{path.relative_to(ROOT)} may not import {name}"
        for path in MODULES
        if path != ARENA / "__init__.py"
        for name in imported(path)
        if name.startswith("arena.")
        and name.split(".")[1] not in {room(path), *MAY_IMPORT.get(room(path), ())}
    )


def test_the_api_knows_no_sockets_and_pages_only_the_api() -> None:
    for path in MODULES:
        below = {"api": ("server", "pages"), "server": ("pages",)}
        part = path.relative_to(ARENA).parts[1:2] if room(path) == "web" else ()
        for other in below.get("".join(part), ()):
            for name in imported(path):
                assert not name.startswith(f"arena.web.{other}"), f"{path} imports {name}"


def test_queries_have_no_effects() -> None:
    """They are given no signals and write nothing; only who follows a hand, or sits at a table, has
    to be woken."""
    none_of(
        f"{path.relative_to(ROOT)} names {what}"
        for path in MODULES
        if room(path) == "queries" and path.name not in ("hand_events.py", "seats.py")
        for node in nodes(path)
        if (what := getattr(node, "attr", getattr(node, "id", getattr(node, "name", ""))))
        in ("Context", "Signals", "open_context", "signals", "write", "note_player")
    )


def test_the_core_imports_the_standard_library_only() -> None:
    impure = {"time", "datetime", "random", "secrets", "os", "socket", "logging", "threading"}
    pure = {"arena", *sys.stdlib_module_names} - impure
    none_of(
        f"{path.relative_to(ROOT)} is of the pure core, but imports {name}"
        for path in MODULES
        if room(path) in ("rules", "game", "sitting", "errors", "text", "wire")
        for name in imported(path)
        if name.split(".")[0] not in pure
    )


def faults_of(path: Path) -> Iterator[str]:
    """What a module lacks or has too much of."""
    if not ast.get_docstring(syntax(path)):
        yield "has no docstring"
    if len(path.read_text(encoding="utf-8").splitlines()) > 500:
        yield "has more than 500 lines"


def test_modules_say_what_they_are_for_and_stay_small() -> None:
    none_of(f"{path.relative_to(ROOT)} {fault}" for path in MODULES for fault in faults_of(path))


def test_a_room_has_at_most_thirty_modules() -> None:
    sizes = Counter(path.parent.relative_to(ROOT) for path in MODULES)
    none_of(f"{room} has {size} modules" for room, size in sorted(sizes.items()) if size > 30)


def test_constants_have_no_leading_underscore() -> None:
    none_of(
        f"{path.relative_to(ROOT)}: {name}"
        for path in MODULES
        for name in re.findall(r"^(_[A-Z][A-Z0-9_]*)\b", path.read_text(encoding="utf-8"), re.M)
    )


def test_a_class_name_means_one_thing_over_the_whole_tree() -> None:
    everything = (node for path in MODULES for node in nodes(path))
    found = Counter(node.name for node in everything if isinstance(node, ast.ClassDef))
    known = {name: count for count, names in DEFINED_AGAIN.items() for name in names}
    again = {name: count for name, count in found.items() if count > 1}
    none_of(
        f"{name} is defined {again[name]} times: find another name"
        for name in sorted(again)
        if again[name] > known.get(name, 1)
    )
    none_of(
        f"{name} is defined {found[name]} times, no longer {known[name]}: shorten DEFINED_AGAIN"
        for name in sorted(known)
        if found[name] < known[name]
    )


def test_sample_bots_import_the_client_or_nothing_of_ours() -> None:
    none_of(
        f"{path.name} imports {name}"
        for path in (ROOT / "sample_bots").glob("*.py")
        for name in imported(path)
        if name.startswith("arena") and not name.startswith("arena.client")
    )


def test_nothing_but_the_fold_writes_to_a_state() -> None:
    """A state may be shared between threads, since nobody changes one that somebody else has."""
    fields = {field.name for field in dataclasses.fields(State)}
    none_of(
        f"{path.relative_to(ROOT)}:{node.lineno} writes {node.attr}"
        for path in MODULES
        if not path.match("rules/evolve.py") and not path.match("rules/state.py")
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store | ast.Del)
        and node.attr in fields
        and ast.unparse(node.value).split(".")[-1] in ("s", "state", "after", "new")
    )


def test_a_json_object_has_one_name() -> None:
    none_of(
        f"{path.relative_to(ROOT)} has a `Document` of its own: that of arena/documents.py is meant"
        for path in MODULES
        if path != ARENA / "documents.py"
        for node in syntax(path).body
        if isinstance(node, ast.Assign)
        and any(isinstance(name, ast.Name) and name.id == "Document" for name in node.targets)
    )
