"""The command line: `arena`.

Each command is a module of its own, loaded when it is called: `arena serve` has to make the process
gevent's before anything else is imported. Errors that somebody caused become one line and exit
code 2; nothing here prints a traceback for bad input.
"""

from __future__ import annotations

from arena.cli.main import main

__all__ = ["main"]
