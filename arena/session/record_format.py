"""The names of the lines of a record file: what writes one and what reads one agree on them."""

from __future__ import annotations

from types import MappingProxyType

HAND = "daifugo-arena/hand/1"
"""A line with a hand that has ended, and its whole log."""
SESSION = "daifugo-arena/session/1"
"""The first line of a file, or of each session in it."""
CASUAL = MappingProxyType({"rated": False})
"""What the line of a hand has besides, if it was played casually and so is never rated."""
