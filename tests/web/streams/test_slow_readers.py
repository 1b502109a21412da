"""Readers on real sockets that take nothing: they cost nobody anything, and come back."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.shell import ROOT, environment
from tests.web.streams.impatient import HANDS
from tests.web.streams.reading import STREAM, Event, events_of

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process in /proc"),
]
TABLE = "cup-r01-t01"
FIRST = f"{TABLE}-h001.1"
WHOLE = f"{STREAM}?table={TABLE}&form=moments&detail=full"
SLOW = 40
SMALL_BYTES = 4_096
SOON_S = 60.0
GROWTH_BYTES = 10_000_000
"""By less than this the server may grow with slow readers; all that they asked for has more."""


class Impatient(NamedTuple):
    """A running server: its port, its process, and where its log is."""

    port: int
    pid: int
    log: Path

    @property
    def memory(self) -> int:
        """Bytes of memory that it has."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def ask(self, path: str, last: str = "") -> bytes:
        """The whole body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SOON_S)
        connection.request("GET", path, headers={"Last-Event-ID": last} if last else {})
        response = connection.getresponse()
        assert response.status == 200, response.read()
        body = response.read()
        connection.close()
        return body

    def streams(self) -> int:
        """How many streams are open."""
        found = re.search(rb"^arena_streams (\d+)", self.ask("/metrics"), re.MULTILINE)
        assert found is not None
        return int(found[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Impatient]:
    """A server that soon gives up who takes nothing."""
    log = tmp_path_factory.mktemp("impatient") / "log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.web.streams.impatient"],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, log.read_text(encoding="utf-8")
        yield Impatient(int(url.rpartition(":")[2]), process.pid, log)
        process.terminate()
        process.communicate(timeout=SOON_S)


def slow_reader(server: Impatient, last: str = FIRST) -> socket.socket:
    """One who asks for all hands of the table, and has room for little."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BYTES)
    sock.settimeout(SOON_S)
    sock.connect(("127.0.0.1", server.port))
    head = f"GET {WHOLE} HTTP/1.1\r\nHost: x\r\nLast-Event-ID: {last}\r\n\r\n"
    sock.sendall(head.encode())
    return sock


def rest_of(sock: socket.socket) -> list[Event]:
    """What a reader has got when it is cut off: the events that came whole."""
    got = bytearray()
    try:
        while piece := sock.recv(65_536):
            got += piece
    except ConnectionResetError:
        pass
    assert b" 200 OK" in got[:20]
    body, text = bytes(got.partition(b"\r\n\r\n")[2]), b""
    while size := re.match(rb"([0-9a-f]+)\r\n", body):
        text += body[size.end() : size.end() + int(size[1], 16)]
        body = body[size.end() + int(size[1], 16) + 2 :]
    return list(events_of(text.rpartition(b"\n\n")[0].decode() + "\n\n"))


def hands_in(events: Sequence[Event]) -> list[str]:
    """The hands that events are of, each once."""
    return list(dict.fromkeys(event.data["hand"] for event in events))


@pytest.fixture(scope="module")
def whole(server: Impatient) -> list[Event]:
    """All that there is to be read."""
    events = list(events_of(server.ask(WHOLE, FIRST).decode()))
    assert len(hands_in(events)) == HANDS
    return events


def test_slow_readers_hold_no_memory_and_nobody_up(server: Impatient, whole: list[Event]) -> None:
    size = len(json.dumps([event.data for event in whole]))
    assert size * SLOW > 2 * GROWTH_BYTES
    before = server.memory
    slow = [slow_reader(server) for _ in range(SLOW)]
    until_s = time.monotonic() + SOON_S
    while server.streams() < SLOW and "too slowly" not in server.log.read_text(encoding="utf-8"):
        assert time.monotonic() < until_s
    assert list(events_of(server.ask(WHOLE, FIRST).decode())) == whole
    assert server.memory - before < GROWTH_BYTES
    for sock in slow:
        sock.close()


def test_a_slow_reader_is_cut_off_and_comes_back_without_a_gap_or_a_double(
    server: Impatient, whole: list[Event]
) -> None:
    slow = slow_reader(server)
    until_s = time.monotonic() + SOON_S
    while server.streams():  # until it has been given up
        assert time.monotonic() < until_s
        time.sleep(0.1)
    assert "a client took its answer too slowly" in server.log.read_text(encoding="utf-8")
    got = rest_of(slow)
    slow.close()
    assert 0 < len(got) < len(whole)
    again = list(events_of(server.ask(WHOLE, got[-1].id).decode()))
    assert got + again == whole
