"""An arena in this process that is followed over its own WSGI app, while its bots play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from arena.client.problems import ArenaProblem
from arena.documents import Document
from tests.real import Real

API = "/api/v1"


def answer_one(real: Real, random: Random) -> bool:
    """Let one bot answer one turn; False if none waits."""
    for number, turn in real.waiting():
        answer = random.choice(turn["legal"])
        sent = real.bots[number].post(f"{API}/turns/{turn['turn']}", json=answer)
        assert sent.status_code == 200, sent.text
        return True
    return False


class Watcher:
    """What a follower needs of a client, asked of an arena in this process. moves: how often bots
    answer before the log of a hand is asked for; trouble: called before each request."""

    url = "http://arena"

    def __init__(
        self, real: Real, *, moves: int = 0, trouble: Callable[[str], None] = lambda path: None
    ) -> None:
        self.real = real
        self.moves = moves
        self.trouble = trouble
        self.random = Random(1)

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None
    ) -> Document:
        """A request; bad answers are raised as the real client raises them."""
        self.trouble(path)
        given = {key: value for key, value in (query or {}).items() if value is not None}
        got = self.real.anybody.open(f"{API}{path}", method=method, query_string=given)
        if got.status_code != 200:
            raise ArenaProblem(got.status_code, got.json or {})
        assert got.json is not None
        return dict(got.json)

    def sessions(self, state: str) -> list[Document]:
        """Sessions in a state."""
        return list(self.request("GET", "/sessions", query={"state": state})["sessions"])

    def session(self, name: str) -> Document:
        """A session."""
        return self.request("GET", f"/sessions/{name}")

    def hand_events(self, hand: str, *, after: int = 0, wait: float = 0) -> Document:
        """The log of a hand, after the bots have answered some turns."""
        if after:
            for _ in range(self.moves):
                answer_one(self.real, self.random)
        return self.request("GET", f"/hands/{hand}/events", query={"after": after or None})
