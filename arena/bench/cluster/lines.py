"""Connections of recording bots to several referees, through what a balancer knows."""

from __future__ import annotations

import http.client
from collections.abc import Callable

from arena.bench.cluster.referees import Balancer
from arena.bench.recording_bots import BotConnection, where
from arena.documents import Document

PATIENCE_S = 4.0
"""How long a bot waits for an answer, on top of nothing: polls of recording bots wait 1 s."""
ROUTE = "Arena-Route"


class RoutedLine(BotConnection):
    """Kept-alive connections to referees; a request that fails is sent again to the next one.

    follows: each request goes to the referee that the last answer named, with its cookie; else to
    another one each time, without. first: of the referees.
    """

    def __init__(
        self,
        balancer: Balancer,
        token: str,
        *,
        give_up: Callable[[], bool],
        follows: bool,
        first: str,
    ) -> None:
        super().__init__(balancer.url(first), token, give_up=give_up, patience_s=PATIENCE_S)
        self._balancer = balancer
        self._follows = follows
        self._at = self._route = first
        self._kept: dict[tuple[str, int], http.client.HTTPConnection] = {}

    def _once(self, method: str, path: str, body: Document | None) -> tuple[int, Document]:
        pick, after = self._balancer.pick, self._balancer.after
        self._turn_to(pick(self._route) if self._follows else after(self._at))
        return super()._once(method, path, body)

    def _turn_to(self, name: str) -> None:
        """Use the connection to this referee."""
        if self._connection is not None:
            self._kept[self._where] = self._connection
        self._at, self._where = name, where(self._balancer.url(name))
        self._connection = self._kept.pop(self._where, None)

    def _answered(self, response: http.client.HTTPResponse) -> None:
        route = response.headers.get(ROUTE)
        if self._follows and route:
            self._route = route
            self._headers["Cookie"] = f"arena_route={route}"

    def _failed(self) -> None:
        self._balancer.failed(self._at)
        super().close()  # this connection only

    def close(self) -> None:
        """Hang up on all of them."""
        super().close()
        for connection in self._kept.values():
            connection.close()
        self._kept.clear()
