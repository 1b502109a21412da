"""Daifugō Arena: a bot tournament arena over HTTP for the climbing game Daifugō (大富豪).

The package holds the rules (pure), sittings and tournaments (pure), the wire format, the referee,
its stores, the web application, the Python kit for bots and the command line. Imports point one
way, which ``arena/manual/architecture.md`` shows.
"""

from __future__ import annotations

# First of all: it settles which files the modules of the core are imported from.
from arena.compiled.choice import CORE as CORE
from arena.version import __version__ as __version__
