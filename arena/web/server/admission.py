"""How many connections a server takes: a ceiling in all, and one for each address.

Each connection costs a descriptor and some 25 KB. Without a ceiling whoever opens many takes the
descriptors that the database, the log and honest players need. This module may not touch a socket.
"""

from __future__ import annotations

from collections import Counter


class Admission:
    """Who is in. most: connections at a time; per_address: from one address, 0 for no limit."""

    def __init__(self, most: int, per_address: int = 0) -> None:
        self.most = most
        self.per_address = per_address
        self.inside = 0
        self._addresses: Counter[str] = Counter()

    def enter(self, address: str) -> str | None:
        """Take a connection in (None), or the reason why not: one sentence for the client."""
        if self.inside >= self.most:
            return "This arena has as many connections open as it can take."
        if self.per_address:
            if self._addresses[address] >= self.per_address:
                return f"Your address has {self.per_address} connections open, which is the limit."
            self._addresses[address] += 1
        self.inside += 1
        return None

    def leave(self, address: str) -> None:
        """A connection that was taken in has ended."""
        self.inside -= 1
        if self.per_address:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]
