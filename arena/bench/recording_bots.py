"""Bots for the crash harness: they decide by nothing but what they see, and keep a diary.

The same turn is answered in the same way in every run, whatever was lost, repeated or delayed in
between. A request is sent again until it is answered, as a careful bot does; every answer that was
accepted is noted, and when what was received, sent and answered. These bots know no rules: what
they answer is an entry of the turn's `legal`.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from arena.documents import Document
from arena.statuses import OVER

RETRY_S = 0.05
REREAD_S = 60.0
"""How long the answers may take that are sent once more in the end."""
AGAIN = 3
SOCKET_S = 10.0
API = "/api/v1"
LATER = (429, 503)
ANSWERS = (200, 404, 409, 410, 422)
ENDED = "the run was ended"
"""Why a bot stopped that would have gone on."""


class DiaryEntry(NamedTuple):
    """A line of a diary: the answer that was accepted, and the events that came with it."""

    answer: Document
    events: list[Document]


class Poll(NamedTuple):
    """A poll that was answered, in wall time, and the turns that it returned."""

    sent_ms: int
    answered_ms: int
    turns: frozenset[str]


class Diary(NamedTuple):
    """What a bot has noted, by turn, in wall time.

    accepted: answers that the referee accepted. refused: its answer instead, with the
    status. seen_ms: when a poll returned a turn first. sent_ms: when an answer was sent first.
    why: what ended the bot before the session did, None if nothing did. broken: requests that got
    no answer.
    """

    bot: str
    accepted: Mapping[str, DiaryEntry]
    refused: Mapping[str, tuple[int, Document]]
    seen_ms: Mapping[str, int]
    sent_ms: Mapping[str, int]
    polls: tuple[Poll, ...]
    replayed: int
    broken: int
    why: str | None


class Stopped(Exception):
    """The harness has ended the run. Never leaves this package."""


class BotConnection:
    """One connection that is opened anew as often as it takes. Not for several threads.

    give_up: asked before each try; Stopped is raised when it says so. patience_s: for how long an
    answer is waited for.
    """

    def __init__(
        self, url: str, token: str, *, give_up: Callable[[], bool], patience_s: float = SOCKET_S
    ) -> None:
        self._where = where(url)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._patience_s = patience_s
        self._connection: http.client.HTTPConnection | None = None
        self._give_up = give_up
        self.broken = 0

    def ask(self, method: str, path: str, body: Document | None = None) -> tuple[int, Document]:
        """Status and document; sent again while nobody answers, or with "not now"."""
        while not self._give_up():
            try:
                status, document = self._once(method, path, body)
            except (OSError, http.client.HTTPException, ValueError):
                self.broken += 1
                self._failed()
            else:
                if status in ANSWERS:
                    return status, document
                if status not in LATER:
                    raise RuntimeError(f"{method} {path}: {status} {json.dumps(document)[:300]}")
            time.sleep(RETRY_S)
        raise Stopped

    def _once(self, method: str, path: str, body: Document | None) -> tuple[int, Document]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(*self._where, timeout=self._patience_s)
        data = None if body is None else json.dumps(body)
        self._connection.request(method, API + path, data, self._headers)
        response = self._connection.getresponse()
        document: Document = json.loads(response.read())
        self._answered(response)
        return response.status, document

    def _answered(self, response: http.client.HTTPResponse) -> None:
        """An answer has come whole."""

    def _failed(self) -> None:
        """None has come, or not whole."""
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


OpenLine = Callable[[str, Callable[[], bool]], BotConnection]
"""Makes a connection for a token; and when it gives up."""


class RecordingBot(threading.Thread):
    """A bot that plays sessions to their end, or until `ended`. pace: called before every answer.

    open_line: how it reaches the arena. batches: it answers many turns in one request.
    """

    def __init__(
        self,
        open_line: OpenLine,
        registered: Document,
        sessions: Sequence[str],
        *,
        batches: bool,
        pace: Callable[[int], None],
        ended: threading.Event,
    ) -> None:
        super().__init__(daemon=True)
        self._open_line = open_line
        self._token, self._bot = registered["token"], registered["bot"]["id"]
        self._line = open_line(self._token, ended.is_set)
        self._left = list(sessions)
        self._batches = batches
        self._pace = pace
        self._accepted: dict[str, DiaryEntry] = {}
        self._refused: dict[str, tuple[int, Document]] = {}
        self._seen_ms: dict[str, int] = {}
        self._sent_ms: dict[str, int] = {}
        self._polls: list[Poll] = []
        self._replayed = 0
        self._why: str | None = None

    def run(self) -> None:
        """Play until the sessions are over."""
        try:
            turns: list[Document] = []
            while turns or not self._is_over():
                turns = self._poll()
                self._answer([(turn["turn"], decision(turn)) for turn in turns])
        except Stopped:
            self._why = ENDED
        except Exception as error:  # top of the thread: the harness asks for it
            self._why = repr(error)
        finally:
            self._line.close()

    def diary(self) -> Diary:
        """What it has noted, once it has ended."""
        return Diary(
            self._bot,
            self._accepted,
            self._refused,
            self._seen_ms,
            self._sent_ms,
            tuple(self._polls),
            self._replayed,
            self._line.broken,
            "it is still alive" if self.is_alive() else self._why,
        )

    def reread(self) -> list[str]:
        """Send every answer of the diary again; what is answered otherwise than it was then."""
        until = time.monotonic() + REREAD_S
        line = self._open_line(self._token, lambda: time.monotonic() > until)
        wrong = []
        notes = list(self._accepted.items())
        for at in range(0, len(notes), 32):
            some = notes[at : at + 32]
            for (turn, entry), result in zip(some, self._again(line, some), strict=True):
                if result.get("events") != entry.events or not result["replayed"]:
                    wrong.append(f"{turn}: told {result}, in the diary {entry}")
        line.close()
        return wrong

    def _again(self, line: BotConnection, some: Sequence[tuple[str, DiaryEntry]]) -> list[Document]:
        """Send answers once more; again, where it is "not now" for one of them."""
        answers = [{"turn": turn, **entry.answer} for turn, entry in some]
        for _ in range(AGAIN):
            _, answered = line.ask("POST", "/turns?wait=0", {"answers": answers})
            results: list[Document] = answered["results"]
            if not any(result["status"] in LATER for result in results):
                break
            time.sleep(1.0)
        return results

    def _is_over(self) -> bool:
        """Are all its sessions over? One that is not stands for those behind it."""
        while self._left:
            _, session = self._line.ask("GET", f"/sessions/{self._left[0]}")
            if session["status"] not in OVER:
                return False
            self._left.pop(0)
        return True

    def _poll(self) -> list[Document]:
        sent_ms = wall_ms()
        _, answered = self._line.ask("GET", "/turns?wait=1&max=64")
        turns: list[Document] = answered["turns"]
        poll = Poll(sent_ms, wall_ms(), frozenset(turn["turn"] for turn in turns))
        self._polls.append(poll)
        for turn in poll.turns:
            self._seen_ms.setdefault(turn, poll.answered_ms)
        return turns

    def _answer(self, decisions: list[tuple[str, Document]]) -> None:
        self._pace(len(decisions))
        if self._batches and decisions:
            self._sending(turn for turn, _ in decisions)
            while decisions := self._answer_batch(decisions):
                time.sleep(RETRY_S)
        else:
            for turn, answer in decisions:
                self._sending([turn])
                status, answered = self._line.ask("POST", f"/turns/{turn}", answer)
                self._note(turn, answer, status, answered)

    def _answer_batch(self, decisions: list[tuple[str, Document]]) -> list[tuple[str, Document]]:
        """Answer in one request; those for which it is "not now", and which may be in the log."""
        answers = [{"turn": turn, **answer} for turn, answer in decisions]
        _, answered = self._line.ask("POST", "/turns?wait=0", {"answers": answers})
        again = []
        for (turn, answer), result in zip(decisions, answered["results"], strict=True):
            if result["status"] in LATER:
                again.append((turn, answer))
            else:
                self._note(turn, answer, result["status"], result)
        return again

    def _sending(self, turns: Iterable[str]) -> None:
        now_ms = wall_ms()
        for turn in turns:
            self._sent_ms.setdefault(turn, now_ms)

    def _note(self, turn: str, answer: Document, status: int, answered: Document) -> None:
        if status == 200:
            self._replayed += answered["replayed"]
            self._accepted[turn] = DiaryEntry(answer, answered["events"])
        else:
            self._refused[turn] = (status, answered)


def where(url: str) -> tuple[str, int]:
    """Host and port."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80


def wall_ms() -> int:
    """Milliseconds since 1970 by this machine's clock, which is the referee's too."""
    return time.time_ns() // 1_000_000


def decision(turn: Document) -> Document:
    """The answer to a turn: an entry of its legal list, chosen by what the seat sees."""
    legal: list[Document] = turn["legal"]
    situation = json.dumps([turn["hand"], turn["seat"], turn["held"], legal], sort_keys=True)
    return legal[zlib.crc32(situation.encode()) % len(legal)]
