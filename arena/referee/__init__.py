"""The only layer that joins the rules and the world: time, chance, the log, waiting players."""

from __future__ import annotations

from arena.referee.registry import Identity
from arena.referee.service import Referee

__all__ = ["Identity", "Referee"]
