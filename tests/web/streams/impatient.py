"""A server for tests of slow readers: a table that has been played, and little patience.

    python -m tests.web.streams.impatient

It says its URL on one line; its log goes to standard error.
"""

from __future__ import annotations

from arena.web.server.patching import patch

PATIENCE_S = 1.0
HANDS = 24


def main() -> None:
    """Play a table, then serve it."""
    patch()

    from arena.settings import Settings
    from arena.web.api.logs import configure
    from arena.web.server import connections
    from arena.web.server.http_server import serve
    from tests.real import Real
    from tests.web.api.test_results import play

    settings = Settings(
        requests_per_s=0,
        anonymous_per_s=10_000,
        anonymous_burst=10_000,
        log_level="info",
        streams_per_address=0,
    )
    real = Real(settings=settings)
    real.session(4, hands_per_table=HANDS)
    play(real)
    configure(settings)
    connections.SEND_S = PATIENCE_S
    connections.LEAST_BYTES_PER_S = 10_000_000
    serve(
        real.app,
        "127.0.0.1",
        0,
        on_start=lambda: None,
        on_ready=lambda url: print(url, flush=True),
        on_stop=real.referee.bell.stop,
        drain_s=1.0,
    )


if __name__ == "__main__":
    main()
