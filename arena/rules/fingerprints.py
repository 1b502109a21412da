"""Fingerprints of rulesets: equal for rulesets that play alike, whatever words they are written in.

A fingerprint is the SHA-256 of the canonical JSON of a table of options, each with the value that
its declaration calls the same (`Option.same_as`). Later options are in that table only where they
are off their default: so a ruleset keeps its fingerprint when the catalogue grows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from arena.rules.options import OPTIONS


def canonical_json(options: Mapping[str, Any]) -> str:
    """The canonical JSON of a table of options: sorted names, no spaces."""
    return json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(options: Mapping[str, Any]) -> str:
    """The fingerprint of a full table of options, in hex."""
    return hashlib.sha256(canonical_json(_in_effect(options)).encode()).hexdigest()


def _in_effect(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by which rulesets differ, each with the one of the values that play alike."""
    table = {
        name: option.same_as(options) if option.same_as else options[name]
        for name, option in OPTIONS.items()
    }
    return {n: v for n, v in table.items() if not (OPTIONS[n].later and v == OPTIONS[n].default)}
