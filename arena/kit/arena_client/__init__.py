"""The name of the kit without the arena, where the whole arena is installed: `arena.client`."""

from __future__ import annotations

from arena.client import *  # noqa: F403 - exactly what is in its __all__
from arena.client import __all__ as __all__
