"""Bots for the crash harness: they decide by nothing but what they see, and keep a diary.

The same turn is answered in the same way in every run, whatever was lost, repeated or delayed in
between. A request is sent again until it is answered, as a careful bot does; every answer that was
accepted is noted. These bots know no rules: what they answer is an entry of the turn's `legal`.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

Document = dict[str, Any]
RETRY_S = 0.05
PATIENCE_S = 600.0
"""A machine under load may take long to start a referee, which may be killed again at once."""
SOCKET_S = 10.0
API = "/api/v1"
LATER = (429, 503)
ANSWERS = (200, 404, 409, 410, 422)


class Entry(NamedTuple):
    """A line of a diary: the answer that was accepted, and the events that were told for it."""

    answer: Document
    events: list[Document]


class Line:
    """One connection that is made anew as often as it takes. Not for several threads."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self._where = (parts.hostname or "", parts.port or 80)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None
        self.broken = 0

    def ask(self, method: str, path: str, body: Document | None = None) -> tuple[int, Document]:
        """Status and document; sent again while nobody answers, or with "not now".

        Raises TimeoutError when that takes too long.
        """
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                status, document = self._once(method, path, body)
            except (OSError, http.client.HTTPException, ValueError):
                self.broken += 1
                self.close()
            else:
                if status in ANSWERS:
                    return status, document
                if status not in LATER:
                    raise RuntimeError(f"{method} {path}: {status} {json.dumps(document)[:300]}")
            time.sleep(RETRY_S)
        raise TimeoutError(f"{method} {path}: no answer for {PATIENCE_S:.0f} s")

    def _once(self, method: str, path: str, body: Document | None) -> tuple[int, Document]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(*self._where, timeout=SOCKET_S)
        data = None if body is None else json.dumps(body)
        self._connection.request(method, API + path, data, self._headers)
        response = self._connection.getresponse()
        document: Document = json.loads(response.read())
        return response.status, document

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Diarist(threading.Thread):
    """A bot that plays a session to its end. pace: called before every answer.

    Every other bot answers many turns in one request. surprises: what was answered otherwise than
    with 200, which should be nothing.
    """

    def __init__(
        self, line: Line, session: str, number: int, *, pace: Callable[[int], None]
    ) -> None:
        super().__init__(daemon=True)
        self._line = line
        self._session = session
        self._batches = number % 2 == 1
        self._pace = pace
        self.diary: dict[str, Entry] = {}
        self.replayed = 0
        self.surprises: list[str] = []
        self.error: Exception | None = None

    @property
    def broken(self) -> int:
        """Requests that got no answer."""
        return self._line.broken

    def run(self) -> None:
        """Play until the session is over."""
        try:
            turns: list[Document] = []
            while turns or not self._is_over():
                _, told = self._line.ask("GET", "/turns?wait=1&max=16")
                turns = told["turns"]
                self._answer([(turn["turn"], decision(turn)) for turn in turns])
        except Exception as error:  # top of the thread: the harness asks for it
            self.error = error
        finally:
            self._line.close()

    def reread(self) -> list[str]:
        """Send every answer of the diary again; what is told otherwise than it was then."""
        wrong = []
        notes = list(self.diary.items())
        for at in range(0, len(notes), 32):
            some = notes[at : at + 32]
            answers = [{"turn": turn, **entry.answer} for turn, entry in some]
            _, told = self._line.ask("POST", "/turns?wait=0", {"answers": answers})
            for (turn, entry), result in zip(some, told["results"], strict=True):
                if result.get("events") != entry.events or not result["replayed"]:
                    wrong.append(f"{turn}: told {result}, in the diary {entry}")
        self._line.close()
        return wrong

    def _is_over(self) -> bool:
        _, session = self._line.ask("GET", f"/sessions/{self._session}")
        return session["status"] in ("finished", "cancelled")

    def _answer(self, decisions: list[tuple[str, Document]]) -> None:
        self._pace(len(decisions))
        if self._batches and decisions:
            answers = [{"turn": turn, **answer} for turn, answer in decisions]
            _, told = self._line.ask("POST", "/turns?wait=0", {"answers": answers})
            for (turn, answer), result in zip(decisions, told["results"], strict=True):
                self._note(turn, answer, result["status"], result)
        elif decisions:
            for turn, answer in decisions:
                status, told = self._line.ask("POST", f"/turns/{turn}", answer)
                self._note(turn, answer, status, told)

    def _note(self, turn: str, answer: Document, status: int, told: Document) -> None:
        if status == 200:
            self.replayed += told["replayed"]
            self.diary[turn] = Entry(answer, told["events"])
        else:
            self.surprises.append(f"{turn}: {status} {json.dumps(told)[:300]}")


def decision(turn: Document) -> Document:
    """The answer to a turn: an entry of its legal list, chosen by what the seat sees."""
    legal: list[Document] = turn["legal"]
    seen = json.dumps([turn["hand"], turn["seat"], turn["held"], legal], sort_keys=True)
    return legal[zlib.crc32(seen.encode()) % len(legal)]
