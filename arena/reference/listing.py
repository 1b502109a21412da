"""What `arena rules list` and `arena rules show` say: presets, patches, options, differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.reference.document import FAMILIES, interactions, option_section, used
from arena.reference.entries import OPTION, PATCH, PRESET, Entry, entries, plain, written
from arena.rules import compile_ruleset, resolve
from arena.rules.nearest import nearest
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from arena.rules.short_form import short_form

RulesetSource = Mapping[str, Any] | str


class OptionSetting(NamedTuple):
    """One option of a ruleset; other: its value in the ruleset it is compared with."""

    option: str
    value: Any
    other: Any
    says: str


def settings(document: RulesetSource, *, diff: RulesetSource | None = None) -> list[OptionSetting]:
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
    """All presets, patches and options with names, values and defaults, in words."""
    by_kind = {kind: list(group) for kind, group in groupby(entries(), key=lambda e: e.kind)}
    lines = ["Presets (arena rules show NAME):", *_described(by_kind[PRESET], setting=False)]
    lines += ["", "Patches, laid over a preset (PRESET+PATCH+...); `local.` may be left out:"]
    lines += _described(by_kind[PATCH])
    for family, group in groupby(by_kind[OPTION], key=lambda e: e.family):
        lines += ["", f"Options (PRESET,OPTION=VALUE): {FAMILIES[family]}"]
        lines += _described(group)
    return "\n".join(lines) + "\n"


def rules_list_data() -> Document:
    """The same as plain data: lists of presets, patches and options."""
    by_kind = {kind: list(group) for kind, group in groupby(entries(), key=lambda e: e.kind)}
    return {
        name: [entry.data() for entry in by_kind[kind]]
        for name, kind in (("presets", PRESET), ("patches", PATCH), ("options", OPTION))
    }


def described(entry: Entry, *, setting: bool = True) -> list[str]:
    """An entry in two or three lines: names; sentence; values and default or what it changes."""
    lines = [f"  {entry.title}", f"      {entry.says}"]
    return [*lines, f"      {entry.setting}"] if setting else lines


def _described(some: Iterable[Entry], *, setting: bool = True) -> Iterator[str]:
    for entry in some:
        yield ""
        yield from described(entry, setting=setting)


def name_text(name: str) -> str:
    """An option with its example, or the patches of a name. Raises `BadInput`."""
    if name in OPTIONS:
        marks = str.maketrans("", "", "`")
        lines = [line.removeprefix("#### ") for line in option_section(OPTIONS[name])]
        return (
            "\n".join(line.translate(marks) for line in lines if line[:3] != "```").rstrip() + "\n"
        )
    return "\n".join(line for entry in _patches(name) for line in described(entry)) + "\n"


def name_data(name: str) -> Document | list[Document]:
    """An option, or a list of the patches of a name, as plain data. Raises `BadInput`."""
    if name not in OPTIONS:
        return [entry.data() for entry in _patches(name)]
    entry = next(entry for entry in entries() if (entry.kind, entry.name) == (OPTION, name))
    more = {"used_by": {where: plain(value) for where, value in used(name)}}
    schema = OPTIONS[name].values.schema()
    return {**entry.data(), "schema": schema, **more, "meets": list(interactions(name))}


def _patches(name: str) -> list[Entry]:
    """The patches of a name, with or without a prefix. Raises `BadInput` with the nearest names."""
    found = [
        entry
        for entry in entries()
        if entry.kind == PATCH and name in (entry.name, entry.name.partition(".")[2])
    ]
    if found:
        return found
    known = dict.fromkeys(entry.name.rpartition(".")[2] for entry in entries())
    near = nearest(name, known)
    guess = f", perhaps {' or '.join(near)}" if near else ""
    presets = f"presets are {', '.join(PRESETS)}"
    raise BadInput("name", name, f"a ruleset, option or patch{guess}; {presets}")


def rules_show(document: RulesetSource, *, diff: RulesetSource | None = None) -> str:
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


def rules_data(document: RulesetSource, *, diff: RulesetSource | None = None) -> Document:
    """The same as plain data."""
    rules = compile_ruleset(document)
    data: Document = {"fingerprint": rules.fingerprint, "options": plain(rules.options)}
    if diff is not None:
        chosen = settings(document, diff=diff)
        data["diff"] = {s.option: [plain(s.value), plain(s.other)] for s in chosen}
    return data


def name_of(document: RulesetSource) -> str:
    """A document in its short form."""
    return document if isinstance(document, str) else short_form(document)


def mark(setting: OptionSetting) -> str:
    """A star where the value is not the default."""
    return "  " if setting.value == OPTIONS[setting.option].default else "* "


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows with the columns under each other; the last column is not padded."""
    table = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]) - 1)]
    return [
        "  "
        + "  ".join([*(f"{c:<{w}}" for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in table
    ]
