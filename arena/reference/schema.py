"""The JSON Schema of a ruleset document, generated from the catalogue, the presets and the
patches."""

from __future__ import annotations

import json
from typing import Any

from arena.rules.catalogue import Option
from arena.rules.options import OPTIONS
from arena.rules.patches import PATCHES, patch_names, patches_of
from arena.rules.presets import PRESETS
from arena.rules.ruleset import DEFAULT_PRESET

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = "ruleset.schema.json"
MOST_PATCHES = 64
"""Of a ruleset document: more than any document has of its own."""


def ruleset_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of ``{"preset": ..., "patches": [...], "options": {...}}``.

    What it cannot express (which settings exclude each other) is refused when the ruleset is
    resolved.
    """
    return {
        "$schema": DIALECT,
        "$id": FILE,
        "title": "A ruleset",
        "description": "A named ruleset, variations laid over it in order, and single options.",
        "type": "object",
        "properties": {
            "preset": {
                "description": "A named ruleset.",
                "enum": list(PRESETS),
                "default": DEFAULT_PRESET,
            },
            "patches": {
                "description": "Variations, with or without the prefix of the preset's document.",
                "type": "array",
                "items": {"enum": [*_plain(), *_prefixed()]},
                "maxItems": MOST_PATCHES,
            },
            "options": {
                "description": "Single options; they win over preset and patches.",
                "type": "object",
                "properties": {name: _option(option) for name, option in OPTIONS.items()},
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
        "allOf": [_patches_of(preset) for preset in PRESETS],
    }


def ruleset_schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(ruleset_schema(), indent=2, ensure_ascii=False) + "\n"


def _plain() -> list[str]:
    """The names of all patches without a prefix, each once."""
    return sorted({name for patches in PATCHES.values() for name in patches})


def _prefixed() -> list[str]:
    """The names of all patches with their document's prefix."""
    return [name for name, _ in patch_names()]


def _option(option: Option) -> dict[str, Any]:
    """The schema of one option's value."""
    named = f"{option.kanji} ({option.reading}): " if option.kanji else ""
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    return {"description": named + option.says, **option.values.schema(), "default": default}


def _patches_of(preset: str) -> dict[str, Any]:
    """Without a prefix, a patch is one of the preset's own document, or a local one."""
    known = [*patches_of(PRESETS[preset].document), *_prefixed()]
    asked: dict[str, Any] = {"properties": {"preset": {"const": preset}}}
    if preset != DEFAULT_PRESET:
        asked["required"] = ["preset"]
    return {"if": asked, "then": {"properties": {"patches": {"items": {"enum": known}}}}}
