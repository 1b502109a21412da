"""The asynchronous kit under the name that it has without the arena."""

from __future__ import annotations

from arena.client.asynchronous import *  # noqa: F403 - exactly what is in its __all__
from arena.client.asynchronous import __all__ as __all__
