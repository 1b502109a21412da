"""Canonical JSON: the bytes of a document that are hashed and signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson


def canonical(document: Mapping[str, Any]) -> bytes:
    """A document without fractions, whose names are ASCII, as RFC 8785 writes it: UTF-8, no spaces,
    members sorted by name."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
