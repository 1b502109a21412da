"""Ports for servers that have to know theirs before they start, or keep it over a restart."""

from __future__ import annotations

import socket
from random import SystemRandom

FIRST, LAST = 20_000, 30_000
"""Below those that systems give to whoever asks for any port: nobody else comes upon them."""


def free_port() -> int:
    """A port of this machine that nobody listens on, and that nobody is given by chance."""
    while True:
        port = SystemRandom().randrange(FIRST, LAST)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
