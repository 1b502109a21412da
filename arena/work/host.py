"""The host of a match: an executor whose blocks are played by whoever asks for them over HTTP.

    GET  /api/v1/work         the match
    POST /api/v1/work/lease   a block to play, as soon as one waits
    POST /api/v1/work/renew   it is still being played; answered when that is worth knowing
    POST /api/v1/work/result  what came of it

Every request needs the token. A lease that is not renewed goes to somebody else, and every block
counts once. When the match is over, whoever asks gets 410. It may not play anything itself.
"""

from __future__ import annotations

import hmac
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any

import orjson

from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, Gone, Unavailable
from arena.loopback.messages import Request, Response
from arena.loopback.server import LoopbackServer, ServerBounds
from arena.match.attempts import attempt
from arena.match.local import Match
from arena.web.api.bodies import read_object
from arena.web.api.middleware import request_id
from arena.web.api.problems import MEDIA, Code, Problem, from_arena
from arena.work.leases import Leases
from arena.work.terms import (
    LOST,
    identity_digest,
    read_detail,
    read_result,
    work_identity,
    write_match,
)

PATH = "/api/v1/work"
LARGEST_BODY = 64 * 2**20
CONNECTIONS = 512
IDLE_S = 60.0
LEASE_S = 30.0
LONGEST_WAIT_S = 30
LINGER_S = 5.0
"""How long workers are given to learn that the match is over."""
BETWEEN_S = 2.0
"""A worker always asks for something. If it has not for so long it has left."""
DEPTH = 8
WORKER = re.compile(r"[\w.:-]{1,80}", re.ASCII)
JSON = "application/json"


class MatchOver(Gone):
    """The match is over, and worker has not heard of it yet."""

    def __init__(self, worker: str) -> None:
        super().__init__("match", "the match is over")
        self.worker = worker


class WorkHost(Executor):
    """Listens from its making until it is left. url: where.

    host, port: where to listen; 0 for a free port. token: what workers have to send. news: is
    called with a line for whoever watches. lease_s: for how long a worker may be silent, by `now`.
    linger_s: for how long it waits at the end for workers that have not heard of it.

    Raises BadInput where it cannot listen.
    """

    def __init__(
        self,
        match: Match,
        *,
        token: str,
        host: str,
        port: int,
        news: Callable[[str], None] = lambda line: None,
        lease_s: float = LEASE_S,
        linger_s: float = LINGER_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._match = match
        self._token = f"Bearer {token}".encode()
        self._news = news
        self._now = now
        self._linger_s = linger_s
        self._document = write_match(match)
        self._digest = identity_digest(work_identity(match))
        self._changed = threading.Condition()
        self._leases = Leases(lease_s)
        self._over = False
        self._interrupted = False
        self._workers: dict[str, float] = {}
        self._routes: Mapping[str, tuple[str, Callable[[Request], Document]]] = {
            PATH: ("GET", self._describe),
            f"{PATH}/lease": ("POST", self._lease),
            f"{PATH}/renew": ("POST", self._renew),
            f"{PATH}/result": ("POST", self._result),
        }
        bounds = ServerBounds(
            largest_body=LARGEST_BODY, connections=CONNECTIONS, idle_s=IDLE_S, admit=self._admit
        )
        try:
            self._server = LoopbackServer(self._respond, host=host, port=port, bounds=bounds)
        except OSError as error:
            expected = f"an address of this machine that is free ({error.strerror})"
            raise BadInput("--serve-work", f"{host}:{port}", expected) from error

    @property
    def url(self) -> str:
        """Where this machine reaches it."""
        return self._server.url

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._server.port

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Let a worker make an attempt at a block of the match, and at nothing else."""
        if fn is not attempt or args[:1] != (self._match,):
            raise TypeError("only blocks of its match can be leased")
        with self._changed:
            if self._over:
                raise RuntimeError("nothing can be submitted after the end")
            future = self._leases.add(args[1])
            self._changed.notify_all()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The match is over: tell the workers, then stop listening."""
        began_s = time.monotonic()
        with self._changed:
            self._over = True
            self._changed.notify_all()
            while wait and self._any_since(began_s - BETWEEN_S):
                left_s = began_s + self._linger_s - time.monotonic()
                if left_s <= 0:
                    break
                self._changed.wait(left_s)
        self._server.close()

    def _any_since(self, heard_s: float) -> bool:
        """Is there a worker that asks, or has asked since then, and has not heard of the end?"""
        return any(last_s > heard_s for last_s in self._workers.values())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Whoever interrupts a match may go on with it: then its workers wait for that."""
        if not isinstance(error, (KeyboardInterrupt, SystemExit)):
            self.shutdown()
            return
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()
        self._server.close()

    def wake_all(self) -> None:
        """Let whoever waits look at the clock."""
        with self._changed:
            self._changed.notify_all()

    # The way of a request

    def _admit(self, request: Request) -> None:
        """Raises Problem for a request that is not for us, before its body is read."""
        given = request.fields.get("HTTP_AUTHORIZATION", "").encode()
        if not given:
            raise Problem(Code.NO_TOKEN, "This needs the token that the host has printed.")
        if not hmac.compare_digest(given, self._token):
            raise Problem(Code.BAD_TOKEN, "This is not the token that the host has printed.")
        if request.path not in self._routes:
            raise Problem(Code.NO_ROUTE, "There is nothing at that path.")
        method, _ = self._routes[request.path]
        if request.method != method:
            detail = f"This path takes {method} only."
            raise Problem(Code.METHOD_NOT_ALLOWED, detail, headers={"Allow": method})
        kind = request.fields.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        if method == "POST" and kind != JSON:
            raise Problem(Code.NOT_JSON, f"The body must be {JSON}.")

    def _respond(self, request: Request) -> Response:
        _, answer = self._routes[request.path]
        try:
            return _response(200, JSON, answer(request))
        except MatchOver as over:
            return replace(_problem(from_arena(over)), sent=partial(self._forget, over.worker))
        except ArenaError as error:
            return _problem(from_arena(error))
        except Problem as problem:
            return _problem(problem)

    # What may be asked

    def _describe(self, request: Request) -> Document:
        return self._document

    def _lease(self, request: Request) -> Document:
        body = _read(request, {"worker", "identity", "wait_s"})
        worker, until_s = _worker(body), time.monotonic() + _wait_s(body)
        if body["identity"] != self._digest:
            self._news(f"worker {worker} is refused: it plays another match, or other bots")
            raise Conflict("match", "this host plays another match, or other code of its bots")
        with self._asking(worker):
            while True:
                self._check_going_on(worker)
                lease = self._leases.take(worker, self._now())
                if lease is not None:
                    renew_s = self._leases.lease_s / 3
                    return {"lease": lease.id, "block": lease.block.number, "renew_s": renew_s}
                if not self._waited(until_s):
                    return {"lease": None}

    def _renew(self, request: Request) -> Document:
        body = _read(request, {"worker", "lease", "wait_s"})
        worker, until_s = _worker(body), time.monotonic() + _wait_s(body)
        lease = str(body["lease"])
        with self._asking(worker):
            self._check_going_on(worker)
            self._leases.renew(lease, self._now())
            while self._leases.is_open(lease) and self._waited(until_s):
                self._check_going_on(worker)
            return {"open": self._leases.is_open(lease)}

    def _result(self, request: Request) -> Document:
        body = _read(request)
        worker, lease = _worker(body), str(body.get("lease"))
        with self._asking(worker):
            self._check_going_on(worker)
            block = self._leases.block(lease)
        if LOST in body:
            detail = f"worker {worker}: {read_detail(body[LOST], LOST)}"
            with self._changed:
                self._leases.lose(lease, detail)
                self._changed.notify_all()
            return {"counted": False}
        result = read_result(self._match, block.number, body)
        with self._changed:
            counted = self._leases.settle(lease, result)
            self._changed.notify_all()
        return {"counted": counted}

    @contextmanager
    def _asking(self, worker: str) -> Iterator[None]:
        """With the lock; meanwhile the worker is one that waits to hear of the end."""
        with self._changed:
            if worker not in self._workers and not self._over:
                self._news(f"worker {worker} has joined")
            self._workers[worker] = math.inf
            try:
                yield
            finally:
                if not self._over:
                    self._workers[worker] = time.monotonic()

    def _check_going_on(self, worker: str) -> None:
        """Raises MatchOver when the match is over, Unavailable when it may go on later."""
        if self._over:
            raise MatchOver(worker)
        if self._interrupted:
            raise Unavailable("the match has been interrupted")

    def _forget(self, worker: str) -> None:
        """A worker has heard of the end."""
        with self._changed:
            self._workers.pop(worker, None)
            self._changed.notify_all()

    def _waited(self, until_s: float) -> bool:
        """Wait until something has changed, or a lease ends; False if the time is over."""
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            return False
        end_s = self._leases.next_end_s()
        if end_s is not None:
            left_s = min(left_s, max(0.01, end_s - self._now()))
        self._changed.wait(left_s)
        self._leases.expire(self._now())
        return True


def _response(status: int, kind: str, document: Document) -> Response:
    return Response(status, (("Content-Type", kind),), orjson.dumps(document))


def _problem(problem: Problem) -> Response:
    return _response(problem.status, MEDIA, problem.document(request_id(None)))


def _read(request: Request, members: set[str] | None = None) -> Document:
    """The body of a request. members: those that it must have, and no others."""
    body = read_object(request.body, depth=DEPTH, most_values=LARGEST_BODY)
    if members is not None and body.keys() != members:
        raise BadInput("body", sorted(body), f"the members {', '.join(sorted(members))}")
    return body


def _worker(body: Document) -> str:
    worker = body.get("worker")
    if not isinstance(worker, str) or not WORKER.fullmatch(worker):
        raise BadInput("worker", worker, "1 to 80 letters, digits and . : _ -")
    return worker


def _wait_s(body: Document) -> float:
    wait_s = body["wait_s"]
    if type(wait_s) not in (int, float) or not 0 <= wait_s <= LONGEST_WAIT_S:
        raise BadInput("wait_s", wait_s, f"0 to {LONGEST_WAIT_S}")
    return float(wait_s)
