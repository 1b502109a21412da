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
    table = {
        name: option.same_as(options) if option.same_as else options[name]
        for name, option in OPTIONS.items()
    }
    return _digest(table)


def is_fingerprint(text: str, options: Mapping[str, Any]) -> bool:
    """Is this the fingerprint of a full table, or the one by which older records know it?

    Before options had `same_as`, values that play alike had fingerprints of their own.
    """
    return text in (fingerprint(options), _digest(options))


def _digest(table: Mapping[str, Any]) -> str:
    """The digest of a table without the later options that are at their defaults."""
    lasting = {
        name: table[name]
        for name, option in OPTIONS.items()
        if not (option.later and table[name] == option.default)
    }
    return hashlib.sha256(canonical_json(lasting).encode()).hexdigest()
