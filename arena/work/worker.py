"""A worker: asks a host for blocks of its match, plays them, and brings back what came of them.

It plays in processes of its own, one for each block at a time, with its own copy of the bots. While
the host does not answer it tries again, for as long as its patience lasts. It may not listen
anywhere, and runs nothing that comes from the host: only bots that Python finds here.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future
from typing import NamedTuple

from arena.client.http import Client
from arena.client.problems import ArenaProblem, KitError
from arena.documents import Document
from arena.errors import BadInput
from arena.match.attempts import Failed, attempt, this_process
from arena.match.local import Block, Match, make_bot
from arena.match.match_identity import difference
from arena.match.workers import Workers
from arena.work.terms import (
    FAILED,
    LOST,
    PLAYED,
    identity_digest,
    read_match,
    work_identity,
    write_result,
)

WAIT_S = 20
MOST_RENEW_S = 30.0
UNKNOWN = 404
OVER = 410
TOO_LARGE = 413


class HostAddress(NamedTuple):
    """Where the host is. patience_s: for how long it may be silent."""

    url: str
    token: str
    patience_s: float

    def connect(self) -> Client:
        """A connection to it."""
        return Client(self.url, self.token, patience_s=self.patience_s)


class _Lease(NamedTuple):
    """A block that this worker has. renew_s: when the host wants to hear of it again."""

    id: str
    block: int
    renew_s: float


class _Work:
    """What the processes of a worker have in common. news: is called with a line."""

    def __init__(self, address: HostAddress, match: Match, news: Callable[[str], None]) -> None:
        self.address = address
        self.match = match
        self.digest = identity_digest(work_identity(match))
        self.news = news
        self.ended = threading.Event()
        self.error: Exception | None = None
        self.played = 0

    def end(self, error: Exception | None = None) -> None:
        """Nothing more is to be done; the first reason counts."""
        if not self.ended.is_set():
            self.error = error
            self.ended.set()


def work(
    address: HostAddress,
    *,
    workers: int,
    once: bool = False,
    news: Callable[[str], None] = lambda line: None,
) -> int:
    """Play blocks until the match is over; how many were played.

    workers: processes. once: each of them plays one block. news: is called with a line for whoever
    watches. Raises BadInput if this is no worker for that match, and what the kit raises for a host
    that is not there, or does not take the token.
    """
    shared = _Work(address, _match(address), news)
    pools = [Workers(1) for _ in range(workers)]
    slots = [
        threading.Thread(target=_Slot(shared, pool).run, kwargs={"once": once}, daemon=True)
        for pool in pools
    ]
    try:
        for thread in (
            *slots,
            threading.Thread(target=_end_with, args=(shared, slots), daemon=True),
        ):
            thread.start()
        shared.ended.wait()
    finally:
        shared.ended.set()
        for pool in pools:
            pool.shutdown()
    if shared.error is not None:
        raise shared.error
    return shared.played


def _match(address: HostAddress) -> Match:
    """The match of the host, if the same is played here."""
    with address.connect() as client:
        document = client.request("GET", "/work")
    match = read_match(document)
    for _, source in match.line_up(match.seats):
        make_bot(source)
    there = document.get("identity")
    differs = difference(there if isinstance(there, dict) else {}, work_identity(match))
    if differs is not None:
        member, theirs, ours = differs
        raise BadInput(f"{member} of this worker", ours, f"{theirs}, as at {address.url}")
    return match


def _end_with(shared: _Work, slots: list[threading.Thread]) -> None:
    """When all have ended, so has the work."""
    for slot in slots:
        slot.join()
    shared.end()


class _Slot:
    """One process of a worker, and two connections: one for work, one to say that it goes on."""

    def __init__(self, shared: _Work, pool: Workers) -> None:
        self._shared = shared
        self._pool = pool
        node = re.sub(r"[^\w.-]+", "-", platform.node(), flags=re.ASCII)[:40]
        self._name = f"{node}-{os.getpid()}-{secrets.token_hex(2)}"

    def run(self, *, once: bool) -> None:
        """At a thread's top: block after block, until there are no more."""
        shared = self._shared
        try:
            with shared.address.connect() as client, shared.address.connect() as second:
                while not shared.ended.is_set():
                    lease = self._lease(client)
                    if lease is not None:
                        self._play(lease, client, second)
                        if once:
                            return
        except ArenaProblem as problem:
            shared.end(None if problem.status == OVER else problem)
        except Exception as error:  # for the main thread to raise
            shared.end(error)

    def _lease(self, client: Client) -> _Lease | None:
        """The next block, if one was to be had in time."""
        body = {"worker": self._name, "identity": self._shared.digest, "wait_s": WAIT_S}
        answer = client.request("POST", "/work/lease", body=body, wait_s=WAIT_S)
        if answer.get("lease") is None:
            return None
        lease = _Lease(answer["lease"], answer.get("block", 0), answer.get("renew_s", 0))
        if not (isinstance(lease.id, str) and type(lease.block) is int and lease.block > 0):
            raise BadInput("lease of the host", answer, "an id and a block")
        if type(lease.renew_s) not in (int, float) or not 0 < lease.renew_s <= MOST_RENEW_S:
            raise BadInput("lease of the host: renew_s", lease.renew_s, f"up to {MOST_RENEW_S:g}")
        return lease

    def _play(self, lease: _Lease, client: Client, second: Client) -> None:
        """Play a block, and bring what came of it."""
        shared, began_s = self._shared, time.monotonic()
        future = self._pool.submit(attempt, shared.match, lease.block, tried=1, home=this_process())
        renewer = threading.Thread(target=self._renew, args=(lease, future, second), daemon=True)
        renewer.start()
        try:
            result = write_result(lease.block, future.result())
        except BrokenExecutor as error:
            result = {LOST: str(error)}
        except CancelledError:
            return
        if not shared.ended.is_set():
            self._bring(lease, result, client)
            took = f"{time.monotonic() - began_s:.1f} s"
            shared.news(f"block {lease.block}: {', '.join(result)} in {took}")
            renewer.join()

    def _bring(self, lease: _Lease, result: Document, client: Client) -> None:
        """Send what came of a block."""
        body = {"worker": self._name, "lease": lease.id}
        try:
            client.request("POST", "/work/result", body={**body, **result})
        except ArenaProblem as problem:
            if problem.status == UNKNOWN:  # the host was started anew
                return
            if problem.status != TOO_LARGE:
                raise
            detail = f"block {lease.block} is too long to be sent: {problem.detail}"
            client.request("POST", "/work/result", body={**body, FAILED: detail})
            return
        self._shared.played += PLAYED in result

    def _renew(self, lease: _Lease, future: Future[Block | Failed], client: Client) -> None:
        """At a thread's top: say that a block is still being played, until it is not."""
        body = {"worker": self._name, "lease": lease.id, "wait_s": lease.renew_s}
        try:
            while not future.done() and not self._shared.ended.is_set():
                answer = client.request("POST", "/work/renew", body=body, wait_s=lease.renew_s)
                if answer.get("open") is not True:
                    return
        except ArenaProblem as problem:
            if problem.status == OVER:
                self._shared.end()
        except KitError:
            return  # the result will be tried, and says what is wrong
