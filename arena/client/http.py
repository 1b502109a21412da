"""The arena's HTTP protocol as a Python object: one method for each endpoint.

It keeps one connection open, repeats what may be repeated while the referee restarts or is busy,
and turns every error answer into an `ArenaProblem`. It knows no cards and plays no game.

Everything but `register` may be repeated without harm: an answer's turn is its idempotency key.
"""

from __future__ import annotations

import logging
import os
import random
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import requests
import urllib3

from arena.client import retry
from arena.client.addresses import BASE_PATH, base_url
from arena.client.endpoints import (
    CONFLICT,
    RANDOM,
    ArenaRequest,
    Endpoints,
    as_chance,
    new_chance,
)
from arena.client.problems import ArenaProblem, ArenaUnreachable
from arena.client.replies import HEADERS, read_object, read_problem
from arena.documents import Document

LOG = logging.getLogger("arena.client")


class Client:
    """A connection to one arena, for one token, which no redirect takes anywhere else.

    `url`: the arena's address (`addresses.base_url`; without a scheme it is `https`, on this
    machine `http`); raises KitError for what is none.
    `patience_s`: for how long a request is tried again while the arena does not answer, or answers
    that it cannot now. `timeout_s`: how long one answer may take, on top of the `wait` asked for.
    Use it from one thread at a time; many bots in one process take a Client each.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience_s: float = 120.0,
        timeout_s: float = 15.0,
        backoff: retry.Backoff = retry.Backoff(),  # noqa: B008 - an immutable value
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.url = base_url(url)
        self.token = token
        self.patience_s = patience_s
        self.timeout_s = timeout_s
        self._backoff, self._sleep, self._clock, self._chance = backoff, sleep, clock, chance
        self._http = _http_session()
        self._http.auth = self._sign

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Who I am

    def register(
        self,
        name: str,
        code: str | None = None,
        *,
        owner: str | None = None,
        owner_token: str | None = None,
    ) -> Document:
        """Make a bot: {"bot": ..., "token": ...}. The arena gives the token only once.

        owner_token: the token of a bot, to make one more of the same owner. Without it no token
        is sent, also if this client has one.
        """
        before, self.token = self.token, owner_token
        try:
            document = self._ask(Endpoints.register(name, code, owner))
        except BaseException:
            self.token = before
            raise
        self.token = str(document["token"])
        return document

    def whoami(self) -> Document:
        return self._ask(Endpoints.whoami())

    # Sessions

    def sessions(self, state: str | None = None) -> list[Document]:
        """The sessions in a state (created, open, running, paused, finished, cancelled), or all."""
        document = self._ask(Endpoints.sessions(state))
        return list(document.get("sessions", ()))

    def session(self, session: str) -> Document:
        return self._ask(Endpoints.session(session))

    def enter(self, session: str, *, chance: bytes | str | None = RANDOM) -> Document:
        """Enter a session. Entering again changes nothing.

        chance: 32 bytes of this bot for the key of all deals, None for none. With `random` it gives
        fresh ones if the arena takes any: it does not where it has some of this bot, and once the
        session has started.
        """
        if chance != RANDOM:
            return self._ask(Endpoints.enter(session, as_chance(chance)))
        try:
            return self._ask(Endpoints.enter(session, new_chance()))
        except ArenaProblem as problem:
            if problem.status != CONFLICT:
                raise
            return self._ask(Endpoints.enter(session, None))

    def withdraw(self, session: str) -> Document:
        return self._ask(Endpoints.withdraw(session))

    def standings(
        self,
        session: str,
        *,
        format: str | None = None,  # noqa: A002 - the protocol's name
        layout: str | None = None,
        width: int | None = None,
    ) -> Any:
        """The standings as a document; as text if `format` is text, github, csv, html, latex ...

        For texts: `layout` full, concise, wide or points; `width` in columns of a terminal.
        """
        if format in (None, "json"):
            return self._ask(Endpoints.standings(session))
        return self._exchange(Endpoints.standings(session, format, layout, width)).text

    def text(self, path: str, *, query: Mapping[str, Any] | None = None) -> str:
        """What the arena answers to a GET, as text: a table, a picture ..."""
        return self._exchange(ArenaRequest("GET", path, query or {})).text

    def records(self, session: str) -> bytes:
        """The session's record file as JSON Lines: the hands that are public for this token."""
        return self._exchange(Endpoints.records(session)).content

    # Turns

    def turns(
        self,
        wait: float = 0,
        after: str | int | None = None,
        *,
        max: int | None = None,  # noqa: A002 - the protocol's name
        legal: bool = True,
    ) -> Document:
        """{"turns": [...], "poll_after_ms", "cursor"}: every turn that waits for this bot.

        `wait`: how many seconds (0..30) the arena may hold the request until there is one.
        `after`: a cursor; only turns newer than it. Without it every open turn comes again.
        """
        return self._ask(Endpoints.turns(wait, after, max, legal))

    def answer(self, turn: str, body: Mapping[str, Any], *, wait: float = 0) -> Document:
        """Answer one turn. Sent again it gets the same 200, with "replayed": true."""
        return self._ask(Endpoints.answer(turn, body, wait))

    def answer_many(
        self,
        answers: Mapping[str, Mapping[str, Any]] | Iterable[Mapping[str, Any]],
        wait: float = 0,
        *,
        after: str | int | None = None,
        max: int | None = None,  # noqa: A002 - the protocol's name
        legal: bool = True,
    ) -> Document:
        """Answer many turns and wait for the next ones, in one request.

        `answers`: {turn: answer}, or [{"turn": ..., "cards": [...]}, ...].
        -> {"results": [{"turn", "status", ...}], "next": [turns], "cursor", "poll_after_ms"}
        """
        return self._ask(Endpoints.answer_many(answers, wait, after, max, legal))

    def ledger(
        self,
        *,
        session: str | None = None,
        table: str | None = None,
        hand: str | None = None,
        bot: str | None = None,
    ) -> Iterator[Document]:
        """What each turn of this bot has cost it: offered, first fetched, answered, charged ...

        Of all its turns, or of those of one session, table or hand; asked for page by page.
        `bot`: another bot, for organisers.
        """
        after = None
        while True:
            page = self._ask(Endpoints.ledger(bot, session, table, hand, after))
            yield from page["entries"]
            after = page.get("next")
            if after is None:
                return

    def notices(self, *, after: int = 0, bot: str | None = None) -> Iterator[Document]:
        """What happened to this bot, oldest first, after the notice of a number.

        Asked for page by page. `bot`: another bot, for organisers.
        """
        while True:
            page = self._ask(Endpoints.notices(bot, after))
            yield from page["notices"]
            if page.get("next") is None:
                return
            after = page["next"]

    def hand_events(self, hand: str, *, after: int = 0, wait: float = 0) -> Document:
        """A hand's log as this bot may see it: {"events": [...], ...}, from number `after` on."""
        return self._ask(Endpoints.hand_events(hand, after, wait))

    # The plumbing

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        wait_s: float = 0,
        idempotent: bool = True,
    ) -> Document:
        """Any request of the protocol: the JSON object of the answer, or an exception."""
        return self._ask(ArenaRequest(method, path, query or {}, body, wait_s, idempotent))

    def _ask(self, request: ArenaRequest) -> Document:
        response = self._exchange(request)
        return read_object(response.content, status=response.status_code, url=self.url)

    def _exchange(self, request: ArenaRequest) -> requests.Response:
        """Send until there is an answer that is final, or patience is at its end."""
        attempts = retry.Attempts(
            self._backoff, patience_s=self.patience_s, clock=self._clock, chance=self._chance
        )
        while True:
            asked_s = None
            try:
                return self._send(request)
            except requests.RequestException as error:
                trouble: Exception = error
                again = _transient(error) and (request.idempotent or _never_sent(error))
            except ArenaProblem as problem:
                trouble, asked_s = problem, problem.retry_after_s
                again = retry.worth_repeating(problem.status, idempotent=request.idempotent)
            pause_s = attempts.pause_s(asked_s)
            if not again or pause_s is None:
                raise _for_bots(trouble, self.url) from trouble
            level = logging.WARNING if attempts.worth_saying else logging.DEBUG
            LOG.log(level, "%s; trying again in %.1f s", _for_bots(trouble, self.url), pause_s)
            self._sleep(pause_s)

    def _send(self, request: ArenaRequest) -> requests.Response:
        body = request.body
        content: dict[str, Any] = {"data": body} if isinstance(body, bytes) else {"json": body}
        response = self._http.request(
            request.method,
            self.url + BASE_PATH + request.path,
            params=request.asked,
            timeout=(self.timeout_s, request.wait_s + self.timeout_s),
            allow_redirects=False,
            **content,
        )
        if response.status_code < 300:
            return response
        raise read_problem(
            response.status_code, response.headers, response.content, title=response.reason
        )

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self.token:
            request.headers["Authorization"] = f"Bearer {self.token}"
        return request


def _http_session() -> requests.Session:
    """Where no proxy is configured, `trust_env` only costs time on each request: switched off."""
    http = requests.Session()
    http.headers.update(HEADERS)
    proxies = {scheme for scheme in urllib.request.getproxies() if scheme != "no"}
    if not proxies:
        http.trust_env = False
        http.verify = (
            os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE") or True
        )
    return http


def _transient(error: requests.RequestException) -> bool:
    return isinstance(
        error,
        (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
            requests.exceptions.ContentDecodingError,
        ),
    ) and not isinstance(error, requests.exceptions.SSLError)


def _never_sent(error: requests.RequestException) -> bool:
    """True if no connection came about: then even a registration may be tried again."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(reason, urllib3.exceptions.NewConnectionError)


def _for_bots(trouble: Exception, url: str) -> Exception:
    if isinstance(trouble, requests.RequestException):
        hint = "; if the arena has no TLS, write http:// in front of its address"
        without_tls = isinstance(trouble, requests.exceptions.SSLError)
        message = f"no answer from {url} ({_cause(trouble)})"
        return ArenaUnreachable(message + hint if without_tls else message)
    return trouble


def _cause(error: BaseException) -> str:
    """The innermost reason in one line: "Connection refused" instead of a screenful."""
    inner: Any = error
    while True:
        deeper = getattr(inner, "reason", None) or next(
            (arg for arg in getattr(inner, "args", ()) if isinstance(arg, BaseException)), None
        )
        if not isinstance(deeper, BaseException):
            break
        inner = deeper
    text = str(inner).rpartition(": ")[2]
    return text or type(inner).__name__
