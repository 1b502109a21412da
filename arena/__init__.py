"""Daifugō Arena: a bot tournament arena over HTTP for the climbing game Daifugō (大富豪).

The package holds the rules (pure), sittings and tournaments (pure), the wire format, the referee,
its stores, the web application, the Python kit for bots and the command line. Imports point one
way, which ``arena/manual/architecture.md`` shows.
"""

from __future__ import annotations

__version__ = "0.1.0"
