"""Referees that share a database, as processes that can be killed, stopped and started again; and
what a balancer in front of them knows."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
import urllib.error
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.bench.cluster.proxy import Proxy
from arena.bench.watching import get
from arena.errors import Unavailable
from arena.processes import REFEREE, Processes, start_referee

OUT_S = 2.0
"""For so long a balancer sends nothing to a referee that did not answer."""
READY_S = 60.0
LOOK_S = 0.05


class Balancer:
    """Where the referees are, by name, and which of them did not answer of late."""

    def __init__(self) -> None:
        self._urls: dict[str, str] = {}
        self._out_until_s: dict[str, float] = {}
        self._lock = threading.Lock()

    def put(self, name: str, url: str) -> None:
        """A referee listens there now."""
        with self._lock:
            self._urls[name] = url
            self._out_until_s.pop(name, None)

    def names(self) -> list[str]:
        """All that were ever there, in order."""
        with self._lock:
            return sorted(self._urls)

    def failed(self, name: str) -> None:
        """A referee did not answer."""
        with self._lock:
            self._out_until_s[name] = time.monotonic() + OUT_S

    def url(self, name: str) -> str:
        """Where a referee listens, or did."""
        with self._lock:
            return self._urls[name]

    def pick(self, wanted: str) -> str:
        """This referee if it answers, else the next one that does; this one if none does."""
        with self._lock:
            names, now_s = sorted(self._urls), time.monotonic()
            first = names.index(wanted) if wanted in names else 0
            order = [*names[first:], *names[:first]]
            well = (name for name in order if self._out_until_s.get(name, 0.0) <= now_s)
            return next(well, order[0])

    def after(self, name: str) -> str:
        """The one that comes after this."""
        names = self.names()
        return self.pick(names[(names.index(name) + 1) % len(names)])


class RefereeLaunch(NamedTuple):
    """How one referee is started. program: what takes the flags of `arena.web`."""

    database: str
    environ: Mapping[str, str]
    program: Sequence[str] = REFEREE


class Referees:
    """The referees of a cluster by name, none of them started yet; known to a balancer when they
    are."""

    def __init__(self, processes: Processes, launches: Mapping[str, RefereeLaunch]) -> None:
        self.balancer = Balancer()
        self._processes = processes
        self._launches = launches

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._launches)

    def start(self, name: str) -> None:
        """Start one and wait until it listens. Raises Unavailable."""
        launch = self._launches[name]
        environ = {**launch.environ, "ARENA_CLUSTER_NAME": name}
        program = launch.program
        url = start_referee(
            self._processes, launch.database, name=name, environ=environ, program=program
        )
        self.balancer.put(name, url)

    def kill(self, name: str) -> None:
        """End one as a power cut would."""
        self._processes.kill(name)

    def freeze(self, name: str) -> None:
        """Stop one in the midst of what it does."""
        os.kill(self._processes.pid(name), signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let one go on that was stopped."""
        os.kill(self._processes.pid(name), signal.SIGCONT)

    def wait_ready(self, name: str) -> None:
        """Wait until one says that it serves. Raises Unavailable if it does not."""
        until_s = time.monotonic() + READY_S
        while not _is_ready(self.balancer.url(name)):
            if time.monotonic() > until_s:
                words = self._processes.last_words(name)
                raise Unavailable(f"{name} does not serve after {READY_S:g} s: {words}")
            time.sleep(LOOK_S)


def _is_ready(url: str) -> bool:
    try:
        get(url, "/readyz")
    except (OSError, urllib.error.URLError):
        return False
    return True


class Links(NamedTuple):
    """Proxies that can be cut, by referee: between it and the database, and between its peers and
    it. ports: where its internal listeners are."""

    to_database: Mapping[str, Proxy]
    to_peer: Mapping[str, Proxy]
    ports: Mapping[str, int]


@contextmanager
def linked(names: Sequence[str], database: Path) -> Iterator[Links]:
    """Proxies for all referees while this lasts. database: the socket of PostgreSQL."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in names}
        yield Links(
            {name: stack.enter_context(Proxy(database)) for name in names},
            {name: stack.enter_context(Proxy(("127.0.0.1", ports[name]))) for name in names},
            ports,
        )


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
