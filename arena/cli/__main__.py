"""``python -m arena.cli``: the same as the command `arena`."""

from __future__ import annotations

from arena.cli.main import main

main()
