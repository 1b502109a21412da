"""Findings: what verification says is wrong, and where. Plain values; nothing is decided here."""

from __future__ import annotations

from typing import NamedTuple

from arena.errors import ArenaError

LONGEST = 300


class Finding(NamedTuple):
    """Something that is wrong. line: from 1, 0 for the file as a whole."""

    line: int
    what: str


def in_short(error: ArenaError) -> str:
    """What an error says, cut so that a line can show it."""
    return str(error)[:LONGEST]
