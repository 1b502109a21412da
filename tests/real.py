"""The whole arena in one process: the real app on the real referee, and a clock that is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask.testing import FlaskClient

from arena.application import Referee
from arena.documents import Document
from arena.proofs.signatures import Signer
from arena.referee.metrics import Metrics
from arena.settings import Settings
from arena.store import Store
from arena.store.memory import open_memory
from arena.web.app import create_app
from tests.apps import made_once
from tests.referee.table import SEED, FakeClock


class Real:
    """An arena with an organiser and bots, asked by WSGI. No thread runs."""

    def __init__(
        self,
        store: Store | None = None,
        settings: Settings | None = None,
        *,
        signer: Signer | None = None,
    ) -> None:
        self.store = store or open_memory()
        self.clock = FakeClock()
        chosen = settings or Settings(requests_per_s=0)
        self.referee = Referee(
            self.store,
            clock=self.clock,
            settings=chosen,
            metrics=Metrics(self.seconds),
            signer=signer,
        )
        self.referee.start(threads=False)
        with made_once():
            self.app = create_app(self.referee, chosen, monotonic=self.seconds)
        self.organiser = self.client(self.referee.registry.create_admin("organiser"))
        self.anybody = self.client()
        self.bots: list[FlaskClient] = []
        self.ids: list[str] = []

    def seconds(self) -> float:
        """The clock as seconds."""
        return self.clock.ms / 1000

    def client(self, token: str | None = None) -> FlaskClient:
        """Somebody who asks, with a token or without."""
        client = self.app.test_client()
        if token is not None:
            client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        return client

    def session(
        self,
        bots: int = 4,
        *,
        names: str | tuple[str, ...] = "bot",
        chances: Mapping[int, str] = {},
        **members: Any,
    ) -> str:
        """A session with this many new bots, started; its id. names: how those begin, or all;
        chances: what bots give to chance (hex), by number from 0."""
        document = {
            "name": "Spring cup",
            "slug": "cup",
            "seats": bots,
            "hands_per_table": 2,
            "schedule": {"rounds": 1},
            "seed": SEED,
            **members,
        }
        made = self.organiser.post("/api/v1/sessions", json=document)
        assert made.status_code == 201, made.text
        session: str = made.json["session"] if made.json else ""
        self.organiser.post(f"/api/v1/sessions/{session}/open")
        numbered = [f"{names}-{number}" for number in range(1, bots + 1)]
        for name in numbered if isinstance(names, str) else names:
            registered = self.organiser.post("/api/v1/bots", json={"name": name}).json
            assert registered is not None
            self.bots.append(self.client(registered["token"]))
            self.ids.append(registered["bot"]["id"])
            chance = chances.get(len(self.bots) - 1)
            body = {} if chance is None else {"json": {"chance": chance}}
            entered = self.bots[-1].put(f"/api/v1/sessions/{session}/entry", **body)
            assert entered.status_code == 200, entered.text
        started = self.organiser.post(f"/api/v1/sessions/{session}/start")
        assert started.status_code == 200, started.text
        return session

    def waiting(self) -> list[tuple[int, Document]]:
        """Every open turn, with the number of its bot."""
        found = []
        open_turns = self.referee._context.signals.open_turns
        for number, bot in enumerate(self.bots):
            if not open_turns.of(self.ids[number]):
                continue
            told = bot.get("/api/v1/turns?max=64").json
            assert told is not None
            found += [(number, turn) for turn in told["turns"]]
        return found
