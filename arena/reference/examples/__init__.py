"""One played example for each option, in files that mirror `arena/rules/options/`.

An option without one fails a test. `arena.reference.scenes` says how they are written and played.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from arena.reference.scenes import Example


def _gather() -> dict[str, Example]:
    """All examples by option, in the order of the files."""
    gathered: dict[str, Example] = {}
    for info in sorted(iter_modules(__path__), key=lambda i: i.name):
        gathered.update(import_module(f"{__name__}.{info.name}").EXAMPLES)
    return gathered


EXAMPLES = _gather()

__all__ = ["EXAMPLES"]
