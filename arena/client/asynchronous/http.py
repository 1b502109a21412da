"""The arena's HTTP protocol for programs with an event loop: `arena.client.Client`, awaited."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import ssl
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

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
from arena.client.problems import ArenaProblem, ArenaUnreachable, KitError
from arena.client.replies import HEADERS, read_object, read_problem
from arena.documents import Document

try:
    import aiohttp
except ImportError:
    raise KitError(
        "the asynchronous client needs aiohttp: pip install 'daifugo-arena[async]'"
        " (with the light kit: 'daifugo-kit[async]')"
    ) from None

LOG = logging.getLogger("arena.client")


class ArenaReply(NamedTuple):
    """An answer that is no error."""

    status: int
    content: bytes


class AsyncClient:
    """A connection to one arena, for one token. Any number of its methods may wait at a time.

    Arguments, repetitions and errors are those of `arena.client.Client`. To be used within `async
    with`, or closed.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience_s: float = 120.0,
        timeout_s: float = 15.0,
        backoff: retry.Backoff = retry.Backoff(),  # noqa: B008 - an immutable value
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.url = base_url(url)
        self.token = token
        self.patience_s = patience_s
        self.timeout_s = timeout_s
        self._backoff, self._sleep, self._clock, self._chance = backoff, sleep, clock, chance
        self._proxy = _proxy(self.url)
        self._http: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Who I am

    async def register(
        self,
        name: str,
        code: str | None = None,
        *,
        owner: str | None = None,
        owner_token: str | None = None,
    ) -> Document:
        """Make a bot: {"bot": ..., "token": ...}; from then on this client is that bot."""
        request = Endpoints.register(name, code, owner)
        document = await self._ask(request, token=owner_token)
        self.token = str(document["token"])
        return document

    async def whoami(self) -> Document:
        return await self.ask(Endpoints.whoami())

    # Sessions

    async def sessions(self, state: str | None = None) -> list[Document]:
        """The sessions in a state (created, open, running, paused, finished, cancelled), or all."""
        return list((await self.ask(Endpoints.sessions(state))).get("sessions", ()))

    async def session(self, session: str) -> Document:
        return await self.ask(Endpoints.session(session))

    async def enter(self, session: str, *, chance: bytes | str | None = RANDOM) -> Document:
        """Enter a session. Entering again changes nothing. chance: as in `Client.enter`."""
        if chance != RANDOM:
            return await self.ask(Endpoints.enter(session, as_chance(chance)))
        try:
            return await self.ask(Endpoints.enter(session, new_chance()))
        except ArenaProblem as problem:
            if problem.status != CONFLICT:
                raise
            return await self.ask(Endpoints.enter(session, None))

    async def withdraw(self, session: str) -> Document:
        return await self.ask(Endpoints.withdraw(session))

    async def standings(
        self,
        session: str,
        *,
        format: str | None = None,  # noqa: A002 - the protocol's name
        layout: str | None = None,
        width: int | None = None,
    ) -> Any:
        """The standings as a document; as text if `format` is text, github, csv, html, latex ..."""
        if format in (None, "json"):
            return await self.ask(Endpoints.standings(session))
        reply = await self._exchange(
            Endpoints.standings(session, format, layout, width), self.token
        )
        return reply.content.decode()

    async def records(self, session: str) -> bytes:
        """The session's record file as JSON Lines: the hands that are public for this token."""
        return (await self._exchange(Endpoints.records(session), self.token)).content

    # Turns

    async def turns(
        self,
        wait: float = 0,
        after: str | int | None = None,
        *,
        max: int | None = None,  # noqa: A002 - the protocol's name
        legal: bool = True,
    ) -> Document:
        """{"turns": [...], "poll_after_ms", "cursor"}: every turn that waits for this bot.

        `wait`: how many seconds (0..30) the arena may hold the request until there is one. A
        newer poll of the same bot ends an older one. `after`: a cursor; only turns newer than it.
        """
        return await self.ask(Endpoints.turns(wait, after, max, legal))

    async def answer(self, turn: str, body: Mapping[str, Any], *, wait: float = 0) -> Document:
        """Answer one turn. Sent again it gets the same 200, with "replayed": true."""
        return await self.ask(Endpoints.answer(turn, body, wait))

    async def answer_many(
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
        return await self.ask(Endpoints.answer_many(answers, wait, after, max, legal))

    async def ledger(
        self,
        *,
        session: str | None = None,
        table: str | None = None,
        hand: str | None = None,
        bot: str | None = None,
    ) -> AsyncIterator[Document]:
        """What each turn of this bot has cost it; asked for page by page."""
        after = None
        while True:
            page = await self.ask(Endpoints.ledger(bot, session, table, hand, after))
            for entry in page["entries"]:
                yield entry
            after = page.get("next")
            if after is None:
                return

    async def notices(self, *, after: int = 0, bot: str | None = None) -> AsyncIterator[Document]:
        """What happened to this bot, oldest first, after the notice of a number."""
        while True:
            page = await self.ask(Endpoints.notices(bot, after))
            for notice in page["notices"]:
                yield notice
            if page.get("next") is None:
                return
            after = page["next"]

    async def hand_events(self, hand: str, *, after: int = 0, wait: float = 0) -> Document:
        """A hand's log as this bot may see it: {"events": [...], ...}, from number `after` on."""
        return await self.ask(Endpoints.hand_events(hand, after, wait))

    # The plumbing

    async def ask(self, request: ArenaRequest) -> Document:
        """Any request of the protocol: the JSON object of the answer, or an exception."""
        return await self._ask(request, token=self.token)

    async def _ask(self, request: ArenaRequest, *, token: str | None) -> Document:
        reply = await self._exchange(request, token)
        return read_object(reply.content, status=reply.status, url=self.url)

    async def _exchange(self, request: ArenaRequest, token: str | None) -> ArenaReply:
        """Send until there is an answer that is final, or patience is at its end."""
        attempts = retry.Attempts(
            self._backoff, patience_s=self.patience_s, clock=self._clock, chance=self._chance
        )
        while True:
            asked_s = None
            try:
                return await self._send(request, token)
            except (aiohttp.ClientError, TimeoutError) as error:
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
            await self._sleep(pause_s)

    async def _send(self, request: ArenaRequest, token: str | None) -> ArenaReply:
        body = request.body
        content: dict[str, Any] = {"data": body} if isinstance(body, bytes) else {"json": body}
        longest_s = request.wait_s + self.timeout_s
        sending = self._connected().request(
            request.method,
            self.url + BASE_PATH + request.path,
            params=request.asked,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=aiohttp.ClientTimeout(sock_connect=self.timeout_s, sock_read=longest_s),
            allow_redirects=False,
            proxy=self._proxy,
            **(content if body is not None else {}),
        )
        async with sending as response:
            received = await response.read()
            if response.status < 300:
                return ArenaReply(response.status, received)
            raise read_problem(response.status, response.headers, received, title=response.reason)

    def _connected(self) -> aiohttp.ClientSession:
        """Made at the first request: it belongs to the loop that runs then."""
        if self._http is None:
            connector = aiohttp.TCPConnector(limit=0, ssl=_tls())
            cookies = aiohttp.CookieJar(unsafe=True)  # also where it has no name
            self._http = aiohttp.ClientSession(
                connector=connector, headers=HEADERS, cookie_jar=cookies
            )
        return self._http


def _tls() -> ssl.SSLContext:
    """The authorities that `requests` would trust too, where the environment names some."""
    return ssl.create_default_context(cafile=os.environ.get("REQUESTS_CA_BUNDLE"))


def _proxy(url: str) -> str | None:
    """The proxy for an arena, as the environment or the system names it."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def _transient(error: Exception) -> bool:
    """Is it worth trying again after this?"""
    return isinstance(
        error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError | TimeoutError
    ) and not isinstance(error, aiohttp.ClientSSLError)


def _never_sent(error: Exception) -> bool:
    return isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def _for_bots(trouble: Exception, url: str) -> Exception:
    if isinstance(trouble, ArenaProblem):
        return trouble
    message = f"no answer from {url} ({_cause(trouble)})"
    if isinstance(trouble, aiohttp.ClientSSLError):
        message += "; if the arena has no TLS, write http:// in front of its address"
    return ArenaUnreachable(message)


def _cause(error: Exception) -> str:
    """The reason in a few words: "Connection refused" and the like."""
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(inner, TimeoutError):
        return "timed out"
    if isinstance(inner, OSError) and inner.strerror and inner.errno:
        return os.strerror(inner.errno) if inner.errno > 0 else inner.strerror
    return str(inner) or type(inner).__name__
