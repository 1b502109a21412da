"""The store: the log of every hand and all that surrounds it, kept durably.

`open_store(url)` gives a `Store`; the rows and changes are in `arena.store.port`. This package
may import `arena.errors` and nothing else of ours: it knows no rules, no clock and no HTTP.
"""

from __future__ import annotations

from arena.store.opening import open_store
from arena.store.port import Store

__all__ = ["Store", "open_store"]
