"""The modules of the kit: `arena.client` and what it imports of ours, each after those it needs.

They are parsed and not run, and what they say is not changed here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

ROOT = "arena.client"
ASYNCHRONOUS = "arena.client.asynchronous"
"""The part of the kit that needs more than `requests`."""
PACKAGE = "arena"


class KitModule(NamedTuple):
    """A module. name: as the arena imports it."""

    name: str
    text: str
    tree: ast.Module

    @property
    def says(self) -> str:
        """The first line of its docstring."""
        return (ast.get_docstring(self.tree) or "").partition("\n")[0]


class Import(NamedTuple):
    """Something of ours that a module imports. module: where it comes from; name: what of it, empty
    for the module itself; known_as: its name here."""

    module: str
    name: str
    known_as: str


def sources(*more: str) -> tuple[KitModule, ...]:
    """All modules of the kit, each after those that it imports; and those of `more` packages."""
    ordered: dict[str, KitModule] = {}
    for name in (ROOT, *more):
        _add(name, ordered)
    return tuple(ordered.values())


def _add(name: str, ordered: dict[str, KitModule]) -> None:
    if name in ordered:
        return
    text = _file(name).read_text(encoding="utf-8")
    source = KitModule(name, text, ast.parse(text))
    for node in source.tree.body:
        for each in our_imports(node):
            _add(each.module, ordered)
    ordered[name] = source


def our_imports(node: ast.stmt) -> Iterator[Import]:
    """What a statement imports of ours; nothing if it is no such import."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
        for alias in node.names:
            inner, known_as = f"{node.module}.{alias.name}", alias.asname or alias.name
            if _file(inner).is_file():
                yield Import(inner, "", known_as)
            else:
                yield Import(str(node.module), alias.name, known_as)


def _file(name: str) -> Traversable:
    """Where the text of a module is; a file that does not exist if there is no such module."""
    *above, last = ("", *name.split(".")[1:])
    folder = files(PACKAGE).joinpath(*above)
    package = folder / last / "__init__.py"
    return package if package.is_file() else folder / f"{last}.py"
