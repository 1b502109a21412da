"""Every name that a ruleset may contain, with all that is known of it: presets, patches, options.

`arena rules list`, `show` and `find` read it; so does whoever asks for JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arena.documents import Document
from arena.rules.catalogue import Option, Patch
from arena.rules.options import FAMILY, OPTIONS
from arena.rules.patches import patch_names
from arena.rules.presets import PRESETS

PRESET, PATCH, OPTION = "preset", "patch", "option"
TEXT = "a text for people: it changes no play and no fingerprint"


class Entry(NamedTuple):
    """A preset, patch or option. name: of a patch with its prefix; family: of an option.

    kanji, reading, also: its names in Japanese and others; sets: what a preset or patch changes;
    values: an option's in words; text: an option that is only a word for people.
    """

    kind: str
    name: str
    says: str
    kanji: str = ""
    reading: str = ""
    also: tuple[str, ...] = ()
    sets: Mapping[str, Any] = {}
    family: str = ""
    values: str = ""
    default: Any = None
    rests: tuple[str, ...] = ()
    text: bool = False

    @property
    def title(self) -> str:
        """The name with its names in Japanese: ``go_tobi  5飛び, go-tobi``."""
        called = ", ".join(filter(None, (self.kanji, self.reading)))
        return f"{self.name}  {called}" if called else self.name

    @property
    def setting(self) -> str:
        """An option's values and default, or what a preset or patch changes, in one line."""
        if self.kind == OPTION:
            setting = f"{self.values}; default {written(self.default)}"
            return f"{setting}; {TEXT}" if self.text else setting
        return said(self.sets) or "the defaults"

    def data(self) -> Document:
        """The same as plain data, without what this kind of entry lacks."""
        data = {
            name: plain(value) for name, value in self._asdict().items() if value not in ("", ())
        }
        if not self.text:
            del data["text"]
        if self.kind == OPTION:
            return {name: value for name, value in data.items() if name != "sets"}
        return {name: value for name, value in data.items() if name != "default"}


def entries() -> Iterator[Entry]:
    """All of them: presets, patches, options in catalogue order."""
    for name, preset in PRESETS.items():
        yield Entry(PRESET, name, preset.says, sets=preset.options)
    for name, patch in patch_names():
        yield patch_entry(name, patch)
    for option in OPTIONS.values():
        yield option_entry(option)


def patch_entry(name: str, patch: Patch) -> Entry:
    """The entry of a patch, by its name with the prefix."""
    names = (patch.kanji, patch.reading, patch.also)
    return Entry(PATCH, name, patch.says, *names, sets=patch.options)


def option_entry(option: Option) -> Entry:
    """The entry of an option."""
    return Entry(
        OPTION,
        option.name,
        option.says,
        option.kanji,
        option.reading,
        option.also,
        family=FAMILY[option.name],
        values=option.values.text(),
        default=option.default,
        rests=option.rests,
        text=option.text,
    )


def said(differences: Mapping[str, Any]) -> str:
    """Some options and values in one line."""
    return ", ".join(f"{name} {written(value)}" for name, value in differences.items())


def written(value: Any) -> str:
    """A value as it is written in a document, words without quotes."""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value with lists for tuples."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
