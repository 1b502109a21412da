"""A hand-written arena that speaks the bots' part of the protocol, over real HTTP, in a thread.

It knows no rules: turns are given to it as documents, an answer is legal if it is in `legal`.
`troubles` are answered before anything else, so that tests can make it fail as they like.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from arena.documents import Document


def turn(number: int = 1, **members: Any) -> Document:
    """A turn document; by default the lead with three cards."""
    hand = members.pop("hand", "cup-r01-t01-h001")
    plain: Document = {
        "turn": f"{hand}.{number}.2",
        "kind": "play",
        "session": "cup",
        "table": hand.rpartition("-")[0],
        "hand": hand,
        "hand_number": 1,
        "hands": 10,
        "seat": 2,
        "remaining_ms": 5_000,
        "bank_ms": 60_000,
        "held": ["S3", "D7", "JK"],
        "pile": None,
        "order": "normal",
        "pending_revolution": False,
        "lock": None,
        "players": [
            {"seat": seat, "bot": f"b-{seat}", "name": f"bot {seat}", "held": 3, "passed": False}
            for seat in range(4)
        ],
        "events": [],
        "legal": [{"cards": ["S3"]}, {"cards": ["D7"]}, {"cards": ["JK"]}],
        "legal_more": False,
    }
    return {**plain, **members}


def hand_log(hand: str) -> Document:
    """The only event in the log of a hand, whichever a test takes it for."""
    return {"event": "Ended", "type": "dealt", "hand": hand}


def answering(number: int = 1, **members: Any) -> Document:
    """A turn in which a 5 lies on the table."""
    pile = {"cards": ["H5"], "shape": "set", "size": 1, "rank": "5", "seat": 1}
    legal = [{"pass": True}, {"cards": ["D7"]}, {"cards": ["JK"]}]
    return turn(number, **{"pile": pile, "legal": legal, **members})


class Trouble(NamedTuple):
    """An answer out of turn. status 0: the connection is dropped without a word."""

    status: int
    document: Document | str = {}  # noqa: RUF012 - never written to
    headers: dict[str, str] = {}  # noqa: RUF012
    after: bool = False  # do what was asked before failing to say so


class Request(NamedTuple):
    method: str
    path: str
    query: dict[str, str]
    body: Any
    token: str | None


class FakeArena:
    """One session `cup` whose turns are those given, offered `at_once` at a time.

    malformed: how many of many answers were. points: does it say which? budget: of refusals.
    route: the way that it shows clients, as referees do that share work. cookies: what came.
    """

    def __init__(self, turns: list[Document] = (), *, at_once: int = 1) -> None:  # type: ignore[assignment]
        self.waiting = deque(turns)
        self.at_once = at_once
        self.open: dict[str, tuple[int, Document]] = {}
        self.answers: dict[str, Document] = {}
        self.thoughts: dict[str, int] = {}
        self.refusals: list[Document] = []
        self.refuse_always: set[str] = set()
        self.budget = 1000
        self.malformed = 0
        self.points = True
        self.requests: list[Request] = []
        self.troubles: deque[Trouble] = deque()
        self.tokens: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.entered: list[str] = []
        self.chances: dict[str, str] = {}
        self.status = "open"
        self.notices: list[Document] | None = None
        self.connections = 0
        self.route = ""
        self.cookies: list[str | None] = []
        self.numbers = 0
        self.bell = threading.Condition(threading.RLock())

    # What the tests look at

    def paths(self, method: str) -> list[str]:
        return [request.path for request in self.requests if request.method == method]

    # The endpoints

    def handle(self, request: Request) -> tuple[int, Document]:
        with self.bell:
            parts = request.path.removeprefix("/api/v1/").split("/")
            if request.path == "/api/v1/bots":
                return self.register(request)
            if request.method == "GET" and len(parts) == 2 and parts[0] == "bots":
                return self.show_bot(unquote(parts[1]))
            if request.token not in self.tokens:
                return 401, problem(401, "bad_token", "the token is not known")
            name = f"{request.method} {parts[0]} {len(parts)}"
            handlers = {
                "GET whoami 1": lambda: (200, {"id": "b-1", "name": self.tokens[request.token]}),
                "GET sessions 1": lambda: (200, {"sessions": self.sessions(request)}),
                "GET sessions 2": lambda: (200, self.session()),
                "PUT sessions 3": lambda: self.enter(request, parts[1]),
                "GET sessions 3": lambda: (200, {"rows": []}),
                "GET turns 1": lambda: (200, self.poll(request, "turns")),
                "GET turns 2": lambda: (200, self.ledger(request)),
                "GET bots 3": lambda: self.of_bot(request, parts[2]),
                "POST turns 1": lambda: self.answer_many(request),
                "POST turns 2": lambda: self.answer(unquote(parts[1]), request.body),
                "GET hands 3": lambda: (200, {"events": [hand_log(parts[1])]}),
            }
            return handlers[name]()

    def register(self, request: Request) -> tuple[int, Document]:
        name = request.body["name"]
        if request.token is not None and request.token not in self.tokens:
            return 401, problem(401, "bad_token", "the token is not known")
        if name in self.tokens.values():
            return 409, problem(409, "conflict", f"the name {name!r} is taken")
        owner = self.owners.get(str(request.token)) or request.body.get("owner", name)
        if request.token is None and owner in self.owners.values():
            return 409, problem(409, "conflict", f"the owner {owner!r} is somebody's already")
        token = f"dfa_{len(self.tokens)}"
        self.tokens[token], self.owners[token] = name, owner
        return 201, {"bot": {"id": "b-1", "name": name, "owner": owner}, "token": token}

    def show_bot(self, name: str) -> tuple[int, Document]:
        if name in self.tokens.values():
            return 200, {"id": "b-1", "name": name}
        return 404, problem(404, "not_found", f"there is no bot {name!r}")

    def session(self) -> Document:
        return {"session": "cup", "status": self.status, "options": {"hachi_giri": True}}

    def sessions(self, request: Request) -> list[Document]:
        return [self.session()] if request.query.get("state") in (None, self.status) else []

    def enter(self, request: Request, session: str = "cup") -> tuple[int, Document]:
        if session != "cup":
            return 404, problem(404, "not_found", f"there is no session {session!r}")
        if self.status != "open":
            return 409, problem(409, "conflict", f"the session is {self.status}")
        bot, given = self.tokens[str(request.token)], (request.body or {}).get("chance")
        if given and self.chances.setdefault(bot, given) != given:
            return 409, problem(409, "conflict", "other bytes for chance came before")
        self.entered.append(bot)
        self.status = "running"
        return 200, {"session": "cup", "chance_given": bot in self.chances}

    def poll(self, request: Request, member: str) -> Document:
        after = int(request.query.get("after", -1))
        deadline_s = min(float(request.query.get("wait", 0)), 0.3)
        self.bell.wait_for(lambda: self.visible(after) or self.status != "running", deadline_s)
        turns = self.visible(after)[: int(request.query.get("max", 32))]
        return {member: turns, "poll_after_ms": 0, "cursor": self.numbers}

    def ledger(self, request: Request) -> Document:
        """Three entries, two on a page."""
        after = int(request.query.get("after", 0))
        turns = [{"turn": str(number)} for number in range(after + 1, 4)]
        return {"entries": turns[:2], "next": turns[1]["turn"] if len(turns) > 2 else None}

    def of_bot(self, request: Request, what: str) -> tuple[int, Document]:
        """A ledger, or the notices, two on a page; None: an arena that knows of none."""
        if what == "ledger":
            return 200, self.ledger(request)
        if self.notices is None:
            return 404, problem(404, "no_route", "there is nothing here")
        after = int(request.query.get("after", 0))
        found = [each for each in self.notices if each["notice"] > after]
        more = found[1]["notice"] if len(found) > 2 else None
        return 200, {"notices": found[:2], "next": more, "last": len(self.notices)}

    def visible(self, after: int) -> list[Document]:
        while self.waiting and len(self.open) < self.at_once:
            self.numbers += 1
            document = self.waiting.popleft()
            self.open[document["turn"]] = (self.numbers, document)
        if not self.open and self.status == "running":
            self.status = "finished"
        return [document for number, document in self.open.values() if number > after]

    def answer(self, turn: str, body: Document) -> tuple[int, Document]:
        if "thought_ms" in body:
            self.thoughts[turn] = body["thought_ms"]
            body = {member: value for member, value in body.items() if member != "thought_ms"}
        if turn in self.answers:
            if self.answers[turn] == body:
                return 200, {"accepted": True, "replayed": True, "events": []}
            return 409, problem(409, "conflict", "answered otherwise")
        if turn not in self.open:
            return 410, problem(410, "too_late", "the referee has passed for you")
        legal = self.open[turn][1].get("legal", [])
        if turn in self.refuse_always or not (body in legal or body.get("choice") is not None):
            self.refusals.append(body)
            extra = {"reason": "too_low", "rule": "", "cards": body.get("cards", []), "turn": turn}
            example = legal[0] if legal else {"pass": True}
            if len(self.refusals) >= self.budget:
                self.expire(turn)
                extra["turn_over"] = True
            return 422, problem(422, "illegal", "too low", **extra, example=example)
        self.answers[turn] = body
        del self.open[turn]
        self.bell.notify_all()
        return 200, {"accepted": True, "replayed": False, "events": []}

    def expire(self, turn: str) -> None:
        """The referee answers for the bot."""
        with self.bell:
            self.open.pop(turn, None)
            self.bell.notify_all()

    def answer_many(self, request: Request) -> tuple[int, Document]:
        answers = request.body["answers"]
        bad = [n for n, one in enumerate(answers) if not isinstance(one.get("cards", []), list)]
        if bad:
            self.malformed += len(bad)
            pointers = [f"/answers/{number}/cards" if self.points else "" for number in bad]
            errors = [{"in": "body", "pointer": p, "message": "not a list"} for p in pointers]
            return 400, problem(400, "invalid", "the body does not fit", errors=errors)
        results = []
        for one in answers:
            body = {key: value for key, value in one.items() if key != "turn"}
            status, document = self.answer(one["turn"], body)
            document = document if status == 200 else {"problem": document}
            results.append({"turn": one["turn"], "status": status, **document})
        if any(result["status"] != 200 for result in results):
            request = request._replace(query={**request.query, "wait": "0"})
        return 200, {"results": results, **self.poll(request, "next")}


def problem(status: int, code: str, detail: str, **members: Any) -> Document:
    return {
        "type": f"/problems/{code}",
        "status": status,
        "code": code,
        "detail": detail,
        **members,
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    arena: FakeArena

    def setup(self) -> None:
        super().setup()
        self.arena.connections += 1

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(length)
        address = urlsplit(self.path)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
        body = json.loads(raw) if raw else None
        query = dict(parse_qsl(address.query))
        request = Request(self.command, address.path, query, body, token)
        self.arena.requests.append(request)
        self.arena.cookies.append(self.headers.get("Cookie"))
        trouble = self.arena.troubles.popleft() if self.arena.troubles else None
        if trouble is None or trouble.after:
            status, document = self.arena.handle(request)
        if trouble is None:
            self.send(status, document, {})
        elif trouble.status:
            self.send(trouble.status, trouble.document, trouble.headers)
        else:
            self.close_connection = True

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

    def send(self, status: int, document: Document | str, headers: dict[str, str]) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        if self.arena.route:
            cookie = f"arena_route={self.arena.route}; Path=/; HttpOnly; SameSite=Lax"
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def serving(arena: FakeArena, port: int = 0) -> Iterator[str]:
    """The arena's address while it is served on loopback."""
    handler = type("ArenaHandler", (Handler,), {"arena": arena})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
