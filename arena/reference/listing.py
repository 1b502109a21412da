"""What `arena rules list` and `arena rules show` say: presets, patches, options, differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.rules import compile_ruleset, resolve
from arena.rules.options import FAMILY, OPTIONS
from arena.rules.presets import PATCHES, PRESETS
from arena.wire.values import Json

Document = Mapping[str, Any] | str


class OptionSetting(NamedTuple):
    """One option of a ruleset; other: its value in the ruleset it is compared with."""

    option: str
    value: Any
    other: Any
    says: str


def settings(document: Document, *, diff: Document | None = None) -> list[OptionSetting]:
    """The options of a ruleset in catalogue order; with `diff`, those that differ from another.

    Without `diff` the other value is the default. Raises `BadInput` for what is no ruleset.
    """
    table = resolve(document)
    other = {n: o.default for n, o in OPTIONS.items()} if diff is None else resolve(diff)
    return [
        OptionSetting(name, value, other[name], OPTIONS[name].says)
        for name, value in table.items()
        if diff is None or value != other[name]
    ]


def rules_list() -> str:
    """All presets with their patches, and all options by family, in words."""
    lines = ["Presets (arena rules show NAME):", ""]
    for name, preset in PRESETS.items():
        lines += [f"  {name:<14} {preset.says}"]
    lines += ["", "Patches, laid over a preset (NAME+PATCH+...):", ""]
    lines += _table([(name, differences) for name, differences in patch_list()])
    lines += ["", "Options:", ""]
    rows = [(name, FAMILY[name], option.says) for name, option in OPTIONS.items()]
    return "\n".join([*lines, *_table(rows)]) + "\n"


def patch_list() -> list[tuple[str, str]]:
    """All patches with the prefix of their document, and what they change."""
    return [
        (f"{document}.{name}", said(differences))
        for document, patches in PATCHES.items()
        for name, differences in patches.items()
    ]


def rules_show(document: Document, *, diff: Document | None = None) -> str:
    """A ruleset in words: every option, those off the default marked *; or its differences."""
    rules = compile_ruleset(document)
    chosen = settings(document, diff=diff)
    lines = [f"ruleset: {name_of(document)}", f"fingerprint: {rules.fingerprint}", ""]
    if diff is None:
        head = [("option", "value", "")]
        rows = [(mark(s) + s.option, written(s.value), s.says) for s in chosen]
        return "\n".join([*lines, *_table([*head, *rows]), "", "* off the default"]) + "\n"
    if not chosen:
        return "\n".join([*lines, f"no difference from {name_of(diff)}"]) + "\n"
    head = [("option", name_of(document), name_of(diff))]
    rows = [(s.option, written(s.value), written(s.other)) for s in chosen]
    return "\n".join([*lines, *_table([*head, *rows])]) + "\n"


def rules_data(document: Document, *, diff: Document | None = None) -> Json:
    """The same as plain data."""
    rules = compile_ruleset(document)
    data: Json = {"fingerprint": rules.fingerprint, "options": _plain(rules.options)}
    if diff is not None:
        chosen = settings(document, diff=diff)
        data["diff"] = {s.option: [_plain(s.value), _plain(s.other)] for s in chosen}
    return data


def name_of(document: Document) -> str:
    """A document in short: ``pagat+kakumei`` and the options that are given one by one."""
    if isinstance(document, str):
        return document
    name = "+".join([document.get("preset") or "pagat", *(document.get("patches") or [])])
    options = document.get("options") or {}
    return f"{name} with {said(options)}" if options else name


def mark(setting: OptionSetting) -> str:
    """A star where the value is not the default."""
    return "  " if setting.value == OPTIONS[setting.option].default else "* "


def said(differences: Mapping[str, Any]) -> str:
    """Some options and values in one line."""
    return ", ".join(f"{name} {written(value)}" for name, value in differences.items())


def written(value: Any) -> str:
    """A value as it is written in a document, words without quotes."""
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A value with lists for tuples."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows with the columns under each other; the last column is not padded."""
    table = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]) - 1)]
    return [
        "  "
        + "  ".join([*(f"{c:<{w}}" for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in table
    ]
