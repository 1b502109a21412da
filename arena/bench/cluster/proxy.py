"""A TCP proxy on the loopback that can be cut, as a network is: for faults between two processes.

While it is cut it takes nothing and passes nothing on; connections stay open and silent, as they do
when a switch dies, and what was on its way goes on when the proxy is whole again. It may know
nothing of the arena.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

PIECE = 65_536
BACKLOG = 128


class Proxy:
    """Passes connections on to one place until it is closed. A thread for each direction.

    to: a host and port, or the path of a Unix socket; it need not be there yet.
    """

    def __init__(self, to: tuple[str, int] | Path) -> None:
        self._to = to
        self._whole = threading.Event()
        self._whole.set()
        self._closed = False
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        port: int = self._listener.getsockname()[1]
        return port

    def lead_to(self, to: tuple[str, int] | Path) -> None:
        """Pass connections that are opened from now on to another place."""
        self._to = to

    def cut(self) -> None:
        """Pass nothing on from now on."""
        self._whole.clear()

    def heal(self) -> None:
        """Go on where it was cut."""
        self._whole.set()

    def close(self) -> None:
        """Hang up on everybody."""
        self._closed = True
        self._whole.set()
        with suppress(OSError):  # wakes the thread that accepts
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[near], daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        """One connection: it reaches the other side once the proxy is whole."""
        self._whole.wait()
        try:
            far = self._connect()
        except OSError:
            near.close()
            return
        with near, far:
            with self._lock:
                self._open |= {near, far}
            back = threading.Thread(target=self._pass_on, args=[far, near], daemon=True)
            back.start()
            self._pass_on(near, far)
            back.join()
            with self._lock:
                self._open -= {near, far}

    def _connect(self) -> socket.socket:
        if isinstance(self._to, Path):
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(str(self._to))
            except OSError:
                far.close()
                raise
            return far
        far = socket.create_connection(self._to)
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return far

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        """One direction of a connection, until either side hangs up."""
        with suppress(OSError):
            while piece := source.recv(PIECE):
                self._whole.wait()
                target.sendall(piece)
        self._whole.wait()  # a hang-up does not get through a cut either
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
