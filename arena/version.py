"""The version of the arena, and of the kit that is made from it."""

from __future__ import annotations

__version__ = "0.1.0"
