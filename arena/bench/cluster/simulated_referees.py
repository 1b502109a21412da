"""``python -m arena.bench.cluster.simulated_referees FILE``: many referees that play nothing.

Reads its orders, one JSON object, and forks a process for each referee, which costs less than
starting one. Each is a whole referee but for its HTTP: with its own connections, beats, leases,
notifications and take-overs. Now and then it gives a session to another one, and asks where bots
play. A line with name and process id is written for each.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.application import Referee
from arena.errors import ArenaError
from arena.settings import Settings
from arena.store import open_store

ADDRESS = "http://127.0.0.1:9"
"""Nobody listens there: nobody asks."""
NICE = 0.5
"""Between two looks at what is due, in seconds."""


class Orders(NamedTuple):
    """What the referees are to do. moves_per_s, routes_per_s: of each, sessions given away and bots
    asked for. settled_file: they do it while that is there."""

    database: str
    names: Sequence[str]
    lease_ms: int
    bots: Sequence[str]
    moves_per_s: float
    routes_per_s: float
    settled_file: str


def main() -> None:
    """Fork one after the other, and wait until all have ended."""
    orders = Orders(**json.loads(Path(sys.argv[1]).read_text()))
    for name in orders.names:
        print(f"{name} {_fork(orders, name)}", flush=True)
    for _ in orders.names:
        os.wait()


def _fork(orders: Orders, name: str) -> int:
    """A process of a referee that has joined the others."""
    near, far = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(near)
        try:
            serve(orders, name, joined=far)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)  # it only ends when it is killed
    os.close(far)
    with os.fdopen(near, "rb") as pipe:
        if not pipe.read(1):
            raise SystemExit(f"{name} did not join")
    return pid


def serve(orders: Orders, name: str, *, joined: int) -> None:
    """One referee, for as long as it lives. joined: is written to when it has joined."""
    settings = Settings(
        database=orders.database, cluster_name=name, lease_ms=orders.lease_ms, port=1
    )
    referee = Referee(open_store(orders.database, verify_log=False), settings=settings)
    assert referee.cluster is not None
    referee.cluster.listen(ADDRESS)
    referee.start()
    os.write(joined, b".")
    os.close(joined)
    chance = random.Random(name)
    last_s = time.monotonic()
    while True:
        time.sleep(chance.uniform(0, 2 * NICE))
        since_s, last_s = time.monotonic() - last_s, time.monotonic()
        if os.path.exists(orders.settled_file):
            for _ in range(_times(orders.routes_per_s * since_s, chance)):
                referee.cluster.homes_of_bot(chance.choice(orders.bots))
            for _ in range(_times(orders.moves_per_s * since_s, chance)):
                _move(referee, orders, chance)


def _times(expected: float, chance: random.Random) -> int:
    """A whole number that is as much on average."""
    return int(expected) + (chance.random() < expected % 1)


def _move(referee: Referee, orders: Orders, chance: random.Random) -> None:
    """Give a session to another referee, if there is one to give and one to take it."""
    cluster = referee.cluster
    assert cluster is not None
    document = cluster.document(limit=1_000_000)
    own = [each["session"] for each in document["sessions"] if each["home"] == cluster.name]
    other = chance.choice([name for name in orders.names if name != cluster.name])
    if own:
        try:
            cluster.move(chance.choice(own), other, "simulation")
        except ArenaError as error:  # it has died, or moves itself
            print(f"{cluster.name}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
