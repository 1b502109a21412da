"""The files that come with the arena and are no code of it: schemas and sample bots.

In a checkout they are folders beside `arena/`, in a wheel they are inside it (see `package-dir` in
pyproject.toml). They are found by file, next to this one: no folder or module of the same name that
Python comes across first, such as one in the working directory, can take their place.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from arena.errors import BadInput

SCHEMAS = "schemas"
SAMPLE_BOTS = "sample_bots"
HERE = Path(__file__).resolve().parent
LOADING = threading.RLock()
"""Held while a module of ours runs for the first time: other threads must not get half of it."""


def folder(name: str, *, package: Path = HERE) -> Path:
    """The folder `schemas` or `sample_bots` of this arena.

    package: the folder of the package `arena`. Inside it comes first: what lies beside an
    installed package may be anybody's. Raises BadInput if there is none.
    """
    for place in (package / name, package.parent / name):
        if place.is_dir():
            return place
    raise BadInput(f"folder {name} of the arena", str(package / name), "a whole installation")


def sample_bot(module: str) -> Path | None:
    """The file of a bot by the name of its module, `sample_bots.lowest`; None if it is not ours.

    Raises BadInput if this installation has no sample bots at all.
    """
    package, _, name = module.partition(".")
    if package != SAMPLE_BOTS or not name.isidentifier() or name.startswith("_"):
        return None
    file = folder(SAMPLE_BOTS) / f"{name}.py"
    return file if file.is_file() else None


def load_module(name: str) -> ModuleType:
    """The module of a bot: ours by its file if it is one of `sample_bots`, else by its name.

    Raises whatever the module raises, and ImportError if there is none.
    """
    file, own = sample_bot(name), f"{__package__}.{name}"
    if file is None:
        return import_module(name)
    with LOADING:
        return sys.modules[own] if own in sys.modules else _loaded(own, file)


def _loaded(own: str, file: Path) -> ModuleType:
    """The module in a file, run for the first time."""
    spec = spec_from_file_location(own, file)
    assert spec is not None  # a file that ends with .py always has one
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[own] = module  # before it runs, as `import` does, for what looks itself up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[own]
        raise
    return module
