"""Faults: what is broken, for how long, and how long it takes until turns are offered again.

Each kind strikes once when it is asked, waits until turns of all sessions concerned are with a bot
that asks for them, and mends what it broke before it returns.
"""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import NamedTuple

from arena.bench.cluster.postgres import PostgresServer
from arena.bench.cluster.referees import Balancer, Links, Referees
from arena.bench.cluster.witness import Witness
from arena.bench.recording_bots import API, wall_ms, where

ASK_S = 0.03
"""Between two questions whether there are turns again."""
ANSWER_S = 4.0
LIMIT_S = 60.0
"""After so long without turns a session counts as one that did not come back."""
DOWN_S = (0.2, 2.0)
"""For how long the database is gone, at least and at most."""


class Strike(NamedTuple):
    """A fault that was struck and mended, in wall time.

    sessions: which it concerned. offered_ms: when turns of each were offered again by another
    referee than the one that was struck, from the fault on (with the database: from when that was
    back); None: not within a minute. served: their home served them meanwhile, if it was asked
    directly.
    """

    what: str
    at_ms: int
    mended_ms: int
    sessions: tuple[str, ...]
    offered_ms: Mapping[str, int | None]
    served: bool = False


class FaultScene(NamedTuple):
    """What faults are struck at. tokens: of the bots of each session. links: where there are such.
    silence_s: how long a referee is stopped, or a network cut."""

    referees: Referees
    server: PostgresServer
    witness: Witness
    tokens: Mapping[str, Sequence[str]]
    links: Links | None
    silence_s: float
    random: Random

    @property
    def balancer(self) -> Balancer:
        """What sends requests to the referees."""
        return self.referees.balancer

    def busiest(self) -> tuple[str, tuple[str, ...]]:
        """The home of most sessions, and these; one at random where none is known."""
        homes = self.witness.homes()
        if not homes:
            return self.random.choice(self.referees.names), ()
        home, _ = Counter(homes.values()).most_common(1)[0]
        return home, tuple(sorted(name for name, its in homes.items() if its == home))


Fault = Callable[[FaultScene, int], Strike]
"""Strikes; the number says which time it is, from 1."""


def kill(scene: FaultScene, number: int) -> Strike:
    """End a home as a power cut would, and start it again when others have its sessions."""
    target, sessions = scene.busiest()
    scene.referees.kill(target)
    at_ms = wall_ms()
    offered_ms = offered(scene, sessions, since_ms=at_ms, but=target)
    scene.referees.start(target)
    return Strike(f"kill -9 of {target}", at_ms, wall_ms(), sessions, offered_ms)


def stop(scene: FaultScene, number: int) -> Strike:
    """Stop a home in the midst of what it does, and let it go on after a while."""
    target, sessions = scene.busiest()
    scene.referees.freeze(target)
    at_ms = wall_ms()
    try:
        offered_ms = offered(scene, sessions, since_ms=at_ms, but=target)
        _sleep_until(at_ms + 1_000 * scene.silence_s)
    finally:
        scene.referees.thaw(target)
    mended_ms = wall_ms()
    scene.referees.wait_ready(target)
    return Strike(f"SIGSTOP of {target}", at_ms, mended_ms, sessions, offered_ms)


def restart_database(scene: FaultScene, number: int) -> Strike:
    """Stop PostgreSQL, by turns in order ("fast") and at once ("immediate"), and start it again."""
    sessions = tuple(sorted(scene.witness.homes()))
    at_once = number % 2 == 0
    at_ms = wall_ms()
    scene.server.stop(crash=at_once)
    time.sleep(scene.random.uniform(*DOWN_S))
    mended_ms = wall_ms()
    scene.server.start()
    offered_ms = offered(scene, sessions, since_ms=wall_ms())
    what = f"PostgreSQL restarted ({'immediate' if at_once else 'fast'})"
    return Strike(what, at_ms, mended_ms, sessions, offered_ms)


def cut_database(scene: FaultScene, number: int) -> Strike:
    """Cut the network between a home and the database."""
    target, sessions = scene.busiest()
    assert scene.links is not None
    link = scene.links.to_database[target]
    link.cut()
    at_ms = wall_ms()
    try:
        offered_ms = offered(scene, sessions, since_ms=at_ms, but=target)
        _sleep_until(at_ms + 1_000 * scene.silence_s)
    finally:
        link.heal()
    mended_ms = wall_ms()
    scene.referees.wait_ready(target)
    return Strike(f"{target} cut off from the database", at_ms, mended_ms, sessions, offered_ms)


def cut_peers(scene: FaultScene, number: int) -> Strike:
    """Cut the network on which the others reach a home."""
    target, sessions = scene.busiest()
    assert scene.links is not None
    link = scene.links.to_peer[target]
    link.cut()
    at_ms = wall_ms()
    try:
        offered_ms = offered(scene, sessions, since_ms=at_ms, but=target)
        _sleep_until(at_ms + 1_000 * scene.silence_s)
    finally:
        link.heal()
    what = f"{target} cut off from its peers"
    return Strike(what, at_ms, wall_ms(), sessions, offered_ms, served=True)


def _sleep_until(at_ms: float) -> None:
    time.sleep(max(0.0, at_ms - wall_ms()) / 1_000)


def offered(
    scene: FaultScene, sessions: Sequence[str], *, since_ms: int, but: str | None = None
) -> dict[str, int | None]:
    """How long after an instant turns of some sessions are offered to their bots, which ask all
    referees by turns; but: not this one, which a balancer has noticed."""
    if not sessions:
        return {}
    names = [name for name in scene.referees.names if name != but]
    with ThreadPoolExecutor(len(sessions)) as pool:
        times = pool.map(lambda each: _offered(scene, each, names, since_ms=since_ms), sessions)
        return dict(zip(sessions, times, strict=True))


def _offered(scene: FaultScene, session: str, names: Sequence[str], *, since_ms: int) -> int | None:
    tokens = scene.tokens[session]
    asked = 0
    while wall_ms() < since_ms + 1_000 * LIMIT_S:
        url = scene.balancer.url(names[asked % len(names)])
        turns: list[str] = []
        with suppress(OSError, http.client.HTTPException, ValueError):  # it is asked again
            turns = _turns(url, tokens[asked % len(tokens)])
        if any(turn.startswith(f"{session}-r") for turn in turns):
            return wall_ms() - since_ms
        asked += 1
        time.sleep(ASK_S)
    return None


def _turns(url: str, token: str) -> list[str]:
    """The ids of the turns that a bot has now; none while the referee says "not now"."""
    connection = http.client.HTTPConnection(*where(url), timeout=ANSWER_S)
    try:
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("GET", f"{API}/turns?wait=0&max=64", headers=headers)
        response = connection.getresponse()
        document = json.loads(response.read())
    finally:
        connection.close()
    return [turn["turn"] for turn in document["turns"]] if response.status == 200 else []
