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
from urllib.parse import quote

import requests
import urllib3

from arena import __version__
from arena.client import retry
from arena.client.addresses import BASE_PATH, base_url
from arena.client.problems import ArenaProblem, ArenaUnreachable
from arena.documents import Document

LOG = logging.getLogger("arena.client")


def session_path(session: str, *more: str) -> str:
    """The path of a session, or of something below it."""
    return "/".join(["/sessions", *(quote(part, safe="") for part in (session, *more))])


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
        body = {"name": name, "code": code, "owner": owner}
        given = {key: value for key, value in body.items() if value is not None}
        before, self.token = self.token, owner_token
        try:
            document = self.request("POST", "/bots", body=given, idempotent=False)
        except BaseException:
            self.token = before
            raise
        self.token = str(document["token"])
        return document

    def whoami(self) -> Document:
        return self.request("GET", "/whoami")

    # Sessions

    def sessions(self, state: str | None = None) -> list[Document]:
        """The sessions in a state (created, open, running, paused, finished, cancelled), or all."""
        document = self.request("GET", "/sessions", query={"state": state})
        return list(document.get("sessions", ()))

    def session(self, session: str) -> Document:
        return self.request("GET", session_path(session))

    def enter(self, session: str) -> Document:
        """Enter a session. Entering again changes nothing."""
        return self.request("PUT", session_path(session, "entry"))

    def withdraw(self, session: str) -> Document:
        return self.request("DELETE", session_path(session, "entry"))

    def standings(
        self,
        session: str,
        *,
        format: str | None = None,  # noqa: A002 - the protocol's name
        layout: str | None = None,
        width: int | None = None,
    ) -> Any:
        """The standings as a document; as text if `format` is text, github, csv, html, latex ...

        For texts: `layout` full, concise or wide; `width` in columns of a terminal.
        """
        path = session_path(session, "standings")
        if format in (None, "json"):
            return self.request("GET", path)
        query = {"format": format, "layout": layout, "width": width}
        return self._exchange("GET", path, query=query).text

    def text(self, path: str, *, query: Mapping[str, Any] | None = None) -> str:
        """What the arena answers to a GET, as text: a table, a picture ..."""
        return self._exchange("GET", path, query=query).text

    def records(self, session: str) -> bytes:
        """The session's record file as JSON Lines: the hands that are public for this token."""
        return self._exchange("GET", session_path(session, "records")).content

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
        query = {"wait": _number(wait), "after": after, "max": max, "legal": None if legal else 0}
        return self.request("GET", "/turns", query=query, wait_s=wait)

    def answer(self, turn: str, body: Mapping[str, Any], *, wait: float = 0) -> Document:
        """Answer one turn. Sent again it gets the same 200, with "replayed": true."""
        path = f"/turns/{quote(turn, safe='')}"
        return self.request("POST", path, body=body, query={"wait": _number(wait)}, wait_s=wait)

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
        if isinstance(answers, Mapping):
            answers = [{"turn": turn, **answer} for turn, answer in answers.items()]
        query = {"wait": _number(wait), "after": after, "max": max, "legal": None if legal else 0}
        body = {"answers": [dict(answer) for answer in answers]}
        return self.request("POST", "/turns", body=body, query=query, wait_s=wait)

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
        path = "/turns/ledger" if bot is None else f"/bots/{quote(bot, safe='')}/ledger"
        query = {"session": session, "table": table, "hand": hand, "after": None, "limit": 500}
        while True:
            page = self.request("GET", path, query=query)
            yield from page["entries"]
            if page.get("next") is None:
                return
            query["after"] = page["next"]

    def notices(self, *, after: int = 0, bot: str | None = None) -> Iterator[Document]:
        """What happened to this bot, oldest first, after the notice of a number.

        Asked for page by page. `bot`: another bot, for organisers.
        """
        path = f"/bots/{quote(bot or 'me', safe='')}/notices"
        query = {"after": after or None, "limit": 500}
        while True:
            page = self.request("GET", path, query=query)
            yield from page["notices"]
            if page.get("next") is None:
                return
            query["after"] = page["next"]

    def hand_events(self, hand: str, *, after: int = 0, wait: float = 0) -> Document:
        """A hand's log as this bot may see it: {"events": [...], ...}, from number `after` on."""
        query = {"after": after or None, "wait": _number(wait)}
        path = f"/hands/{quote(hand, safe='')}/events"
        return self.request("GET", path, query=query, wait_s=wait)

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
        response = self._exchange(
            method, path, body=body, query=query, wait_s=wait_s, idempotent=idempotent
        )
        if not response.content:
            return {}
        try:
            document = response.json()
        except ValueError:
            document = None
        if not isinstance(document, dict):
            problem = {"detail": f"{self.url} did not answer with JSON: is it an arena?"}
            raise ArenaProblem(response.status_code, problem)
        return document

    def _exchange(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        wait_s: float = 0,
        idempotent: bool = True,
    ) -> requests.Response:
        """Send until there is an answer that is final, or patience is at its end."""
        attempt, failing_since = 0, None
        while True:
            try:
                return self._send(method, path, body=body, query=query, wait_s=wait_s)
            except requests.RequestException as error:
                trouble: Exception = error
                again = _transient(error) and (idempotent or _never_sent(error))
            except ArenaProblem as problem:
                trouble = problem
                again = retry.worth_repeating(problem.status, idempotent=idempotent)
            now = self._clock()
            failing_since = now if failing_since is None else failing_since
            pause_s = self._pause_s(attempt, trouble)
            if not again or now + pause_s - failing_since > self.patience_s:
                raise _for_bots(trouble, self.url) from trouble
            self._tell(trouble, pause_s, attempt=attempt)
            self._sleep(pause_s)
            attempt += 1

    def _send(
        self, method: str, path: str, *, body: Any, query: Mapping[str, Any] | None, wait_s: float
    ) -> requests.Response:
        given = {key: value for key, value in (query or {}).items() if value is not None}
        content: dict[str, Any] = {"data": body} if isinstance(body, bytes) else {"json": body}
        response = self._http.request(
            method,
            self.url + BASE_PATH + path,
            params=given,
            timeout=(self.timeout_s, wait_s + self.timeout_s),
            allow_redirects=False,
            **content,
        )
        if response.status_code < 300:
            return response
        raise _problem(response)

    def _pause_s(self, attempt: int, trouble: Exception) -> float:
        asked = trouble.retry_after_s if isinstance(trouble, ArenaProblem) else None
        return self._backoff.wait_s(attempt, chance=self._chance(), retry_after_s=asked)

    def _tell(self, trouble: Exception, pause_s: float, *, attempt: int) -> None:
        level = logging.WARNING if attempt in (2, 5) or attempt % 10 == 9 else logging.DEBUG
        LOG.log(level, "%s; trying again in %.1f s", _for_bots(trouble, self.url), pause_s)

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self.token:
            request.headers["Authorization"] = f"Bearer {self.token}"
        return request


def _number(seconds: float) -> float | None:
    """A wait as it is written in a query: nothing for 0, and no `.0` behind a whole number."""
    return int(seconds) if float(seconds).is_integer() and seconds else seconds or None


def _http_session() -> requests.Session:
    """Where no proxy is configured, `trust_env` only costs time on each request: switched off."""
    http = requests.Session()
    http.headers.update(
        {"Accept": "application/json", "User-Agent": f"daifugo-arena-kit/{__version__}"}
    )
    proxies = {scheme for scheme in urllib.request.getproxies() if scheme != "no"}
    if not proxies:
        http.trust_env = False
        http.verify = (
            os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE") or True
        )
    return http


def _problem(response: requests.Response) -> ArenaProblem:
    try:
        document = response.json()
    except ValueError:
        document = None
    if not isinstance(document, dict):
        document = {"title": response.reason, "detail": response.text[:200].strip()}
    if response.is_redirect:
        document = {"detail": f"the arena has moved to {response.headers.get('Location')}"}
    asked = response.headers.get("Retry-After") or document.get("retry_after_s")
    return ArenaProblem(response.status_code, document, retry_after_s=retry.read_retry_after(asked))


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
