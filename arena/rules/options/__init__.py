"""The catalogue: every option, gathered from the files of this folder.

A new file here, or a new `rule` in one, is all it takes to add an option. The order of the
catalogue is the order of the file names and, within a file, of the declarations; it does not
change play: the order of effects is that of their stages.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from arena.rules.catalogue import Option, Rule


def _gather() -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """All rules and the name of the family of each."""
    rules: list[Rule] = []
    families: list[str] = []
    for info in sorted(iter_modules(__path__), key=lambda i: i.name):
        module = import_module(f"{__name__}.{info.name}")
        declared = [value for value in vars(module).values() if isinstance(value, Rule)]
        rules += declared
        families += [info.name] * len(declared)
    return tuple(rules), tuple(families)


RULES, FAMILIES = _gather()
OPTIONS: dict[str, Option] = {option.name: option for rule in RULES for option in rule.options}
FAMILY: dict[str, str] = {
    option.name: family
    for rule, family in zip(RULES, FAMILIES, strict=True)
    for option in rule.options
}

__all__ = ["FAMILY", "OPTIONS", "RULES"]
