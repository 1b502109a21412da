"""Which core runs: the compiled one where it was made from these very sources, or pure Python.

Python itself would open a compiled module before it looks at the source, however old it is. So a
core of other sources, or one of which a part is missing, is passed over: its modules are found in
their sources. `ARENA_CORE=python` asks for that, `ARENA_CORE=compiled` says that nothing else will
do. `arena/__init__.py` settles it once, before any other module is there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from arena.compiled.modules import LIBRARY, MODULES, digest_of, file_of, library_of

VARIABLE = "ARENA_CORE"
COMPILED = "compiled"
PYTHON = "python"
BUILD = "ARENA_COMPILE=1 pip install -e ."
PACKAGE = Path(__file__).parent.parent


class Core(NamedTuple):
    """Which core it is, and why.

    name: `COMPILED` or `PYTHON`. unused: why a compiled core that is there does not run; "" where
    there is none, or it runs. wanted: the value of `ARENA_CORE`, or "". expected: what it should
    have been, where it cannot be had; or "".
    """

    name: str
    unused: str = ""
    wanted: str = ""
    expected: str = ""

    def __str__(self) -> str:
        if self.name == COMPILED:
            return "compiled core"
        return f"pure Python; {self.unused}" if self.unused else "pure Python"


class SourceFinder:
    """Finds modules of the arena in their sources, whatever lies beside these: a core of another
    version may have had modules that are not compiled today."""

    def __init__(self, package: Path) -> None:
        self._package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The source of one of our modules; None for a package, and for what is not ours."""
        source = file_of(self._package, name, ".py") if name.startswith("arena.") else None
        if source is None or not source.is_file():
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, source)


def choose(package: Path, wanted: str = "") -> Core:
    """The core that can run. package: the folder `arena`; wanted: the value of `ARENA_CORE`."""
    libraries = _libraries(package)
    unused = _unusable(package, libraries) if libraries else ""
    there = bool(libraries) and not unused
    if wanted == PYTHON:
        return Core(PYTHON, f"{VARIABLE}={PYTHON} passes over the compiled core" if there else "")
    if wanted not in ("", COMPILED):
        return Core(PYTHON, unused, wanted, f"{PYTHON} or {COMPILED}")
    if there:
        return Core(COMPILED)
    missing = unused or f"there is no compiled core; to build one: {BUILD}"
    return Core(PYTHON, unused, wanted, f"{PYTHON}, since {missing}" if wanted else "")


def _libraries(package: Path) -> dict[str, str]:
    """The libraries that this Python can open: their names without the suffix, and the suffix."""
    with os.scandir(package) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(LIBRARY)]
    return {
        name.removesuffix(suffix): suffix
        for name in names
        for suffix in EXTENSION_SUFFIXES
        if name == f"{name.partition('.')[0]}{suffix}"
    }


def _unusable(package: Path, libraries: dict[str, str]) -> str:
    """Why none of these is of any use, or ""."""
    suffix = libraries.get(library_of(digest_of(package)))
    if suffix is None:
        return f"the compiled core is of other sources, build it again: {BUILD}"
    if not all(file_of(package, module, suffix).exists() for module in MODULES):
        return f"the compiled core is not whole, build it again: {BUILD}"
    return ""


def settle() -> Core:
    """Choose, and see to it that Python imports what was chosen."""
    core = choose(PACKAGE, os.environ.get(VARIABLE, ""))
    if core.name == PYTHON and _libraries(PACKAGE):
        sys.meta_path.insert(0, SourceFinder(PACKAGE))
    return core


CORE = settle()
"""The core of this process."""
