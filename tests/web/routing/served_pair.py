"""A process with two referees, served as `arena serve` serves them: outer and internal servers.

Prints one line of JSON, and ends with its standard input. Streams send no heartbeat, so that only
who hangs up is noticed.
"""

from __future__ import annotations

from arena.web.server.patching import patch

patch()

import json  # noqa: E402
import sys  # noqa: E402

import gevent  # noqa: E402

from arena.web.server.http_server import ArenaServer  # noqa: E402
from arena.web.streams import channels  # noqa: E402
from tests.web.routing.pair import Pair  # noqa: E402


def main() -> None:
    """Serve until nobody writes any more."""
    channels.HEARTBEAT_S = 3_600.0
    two = Pair()
    sides = {"ash": two.ash, "elm": two.elm}
    urls = {}
    for name, side in sides.items():
        side.vanish()
        address = side.router.listen()
        for other in sides.values():
            other.homes.addresses[name] = address
        outer = ArenaServer(side.router.app, "127.0.0.1", 0)
        outer.start()
        urls[name] = outer.url
    two.start("cup", two.elm)
    playing, turn = two.turn_at(two.elm)
    told = {"urls": urls, "tokens": two.tokens, "playing": playing, "turn": turn}
    print(json.dumps(told), flush=True)
    gevent.get_hub().threadpool.apply(sys.stdin.read)
    two.close()


if __name__ == "__main__":
    main()
