"""A cluster without another process, for the API and the commands; it notes what it was asked."""

from __future__ import annotations

from collections.abc import Iterable

from arena.documents import Document
from arena.errors import BadInput, NotFound
from tests.web.fakes import NOW


class FakeCluster:
    """Referees by name with their sessions; the first one is this. done: what was asked, by whom.
    leaving: how many sessions a referee that is drained still has at the first answers."""

    def __init__(self, sessions: dict[str, list[str]], *, leaving: Iterable[int] = ()) -> None:
        self.sessions = sessions
        self.name = next(iter(sessions))
        self.epochs = {each: 1 for played in sessions.values() for each in played}
        self.statuses = dict.fromkeys(sessions, "serving")
        self.leaving = list(leaving)
        self.done: list[tuple[str, ...]] = []

    def document(self, *, after: str = "", limit: int = 500) -> Document:
        homes = sorted((each, home) for home, played in self.sessions.items() for each in played)
        page = [(each, home) for each, home in homes if each > after]
        return {
            "referees": [self.referee(name) for name in sorted(self.sessions)],
            "sessions": [self.lease(each, home) for each, home in page[:limit]],
            "next": page[limit - 1][0] if len(page) > limit else None,
        }

    def lease(self, session: str, home: str) -> Document:
        return {"session": session, "home": home, "epoch": self.epochs[session]}

    def referee(self, name: str) -> Document:
        left = len(self.sessions[name])
        if self.statuses[name] == "draining" and self.leaving:
            left = self.leaving.pop(0)
        return {
            "name": name,
            "address": f"http://{name}:8701",
            "status": self.statuses[name],
            "detail": "nobody reaches it" if self.statuses[name] == "isolated" else "",
            "version": "0.1.0",
            "sessions": left,
            "turns": 4 * left,
            "started": NOW,
            "beat_age_ms": 120,
            "this": name == self.name,
        }

    def drain(self, actor: str) -> Document:
        self.done.append(("drain", actor))
        self.statuses[self.name] = "draining"
        other = next(name for name in self.sessions if name != self.name)
        self.sessions[other] += self.sessions[self.name]
        self.sessions[self.name] = []
        return self.referee(self.name)

    def undrain(self, actor: str) -> Document:
        self.done.append(("undrain", actor))
        self.statuses[self.name] = "serving"
        return self.referee(self.name)

    def move(self, session: str, to: str, actor: str) -> Document:
        if session not in self.sessions[self.name]:
            raise NotFound(session, f"no session {session!r} is played")
        if to not in self.sessions:
            raise BadInput("to", to, f"one of {', '.join(self.sessions)}")
        self.done.append(("move", session, to, actor))
        self.sessions[self.name].remove(session)
        self.sessions[to].append(session)
        self.epochs[session] += 1
        return self.lease(session, to)
