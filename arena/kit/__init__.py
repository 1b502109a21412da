"""The kit for bots without the arena: what `arena.client` is made of, as one file and as a wheel.

    single_file()    `arena_client.py`: every line of it in one readable module
    wheel()          `daifugo-kit`: the package `arena_client`, which needs `requests` only

Both are made from the modules that are installed here, so they are of this version. The package
`arena_client` beside this module is what that name means where the whole arena is installed.
"""

from __future__ import annotations

from arena.kit.single_file import SINGLE_FILE, single_file
from arena.kit.wheel import WHEEL, wheel

__all__ = ["SINGLE_FILE", "WHEEL", "single_file", "wheel"]
