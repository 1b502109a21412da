"""``python -m arena.web [--host H] [--port P] [--database URL]``: a referee and its HTTP server.

The plain entry point, for service managers and for parents that start a referee as a process of
its own: the one line on standard output is the URL. Everything else goes to the log on standard
error. Patches before it imports.
"""

from __future__ import annotations

import sys

from arena.web.server.patching import patch


def main(arguments: list[str]) -> None:
    """Serve with the settings of the environment and of these arguments."""
    patch()
    import argparse
    import os

    # As `arena` does: small matrices are quicker on one thread, and sums come in one order.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from arena.errors import ArenaError
    from arena.settings import read_settings
    from arena.web.api.logs import configure
    from arena.web.command import run

    parser = argparse.ArgumentParser(prog="python -m arena.web", description=__doc__)
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--database")
    flags = vars(parser.parse_args(arguments))
    try:
        settings = read_settings(environ=os.environ, flags=flags)
        configure(settings)
        run(settings, on_ready=lambda url, _: print(url, flush=True))
    except ArenaError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
