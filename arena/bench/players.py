"""Cheap players for `arena bench load`: one process, one thread, and for each bot one connection to
each referee that it asks.

They parse no more HTTP than they need and answer at random by `choice`, so that the server is what
is measured. Run as a program it reads its orders (one JSON object) and then a line `stop` from
standard input, and writes what it saw to standard output.

Modes: `single` asks with one request and answers with another; `wait` answers one turn and waits
for the next in the same request; `batch` does so with up to `most` turns at once; `idle` only
waits; `bare` posts to a route that does nothing. With a pace all bots together answer so often in a
second and think meanwhile, so that the server is not kept busy and what it takes to wake a bot is
no queue.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from arena.documents import Document
from arena.web.server.file_limits import raise_file_limit

MODES = ("single", "wait", "batch", "idle", "bare")
ROUTES = ("stay", "follow", "never")
"""To which referee a bot goes: always to its first one; to the one that answers name; or to another
one with each request, whatever they name."""
NAMED = re.compile(rb"\r\narena-route: *([^\r]+)", re.IGNORECASE)
SAMPLE_S = 0.05
WAIT_S = 25
PIECE = 262_144


class PlayerOrders(NamedTuple):
    """What the players are to do.

    urls: servers, which the bots share out. tokens: one for each bot. most: turns in one request.
    pace: decisions in a second, all bots together; 0 for as fast as they can. route: of ROUTES.
    names: what the servers are called, in the order of their URLs; for `follow`.
    """

    urls: Sequence[str]
    mode: str
    tokens: Sequence[str]
    most: int
    seed: int
    pace: float = 0.0
    route: str = "stay"
    names: Sequence[str] = ()


class PlayerFigures(NamedTuple):
    """What they saw. samples: (monotonic second, decisions until then). reached_s: for each turn
    that a waiting bot got, when (monotonic second) and the time since the answer before it was
    sent."""

    decisions: int
    requests: int
    cpu_s: float
    samples: list[tuple[float, int]]
    reached_s: list[tuple[float, float]]
    refused: int


Address = tuple[str, int]


class PlayerBot:
    """A bot: what it has received so far, and the head of its requests.

    It has one request under way at a time, on one of its connections: `sock`.
    """

    __slots__ = ("_bare_head", "_socks", "at", "buffer", "expected", "head", "polling", "route")

    def __init__(self, address: Address, token: str) -> None:
        self._socks: dict[Address, socket.socket] = {}
        self._bare_head = f" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n".encode()
        self.head = self._bare_head
        self.buffer = bytearray()
        self.expected = -1
        self.polling = False
        self.route = b""
        self.turn_to(address)

    @property
    def sock(self) -> socket.socket:
        """The connection that it uses now."""
        return self._socks[self.at]

    def turn_to(self, address: Address) -> bool:
        """Use a connection to this server; True if it is a new one."""
        self.at = address
        if address in self._socks:
            return False
        self._socks[address] = socket.create_connection(address)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def drop(self, idle: object) -> None:
        """Close a connection that is not the one in use."""
        for address, sock in tuple(self._socks.items()):
            if sock is idle:
                self._socks.pop(address).close()

    def ask(self, target: bytes, body: bytes | None = None) -> None:
        """Send a request; the body makes it a POST."""
        if body is None:
            self.sock.sendall(b"GET " + target + self.head + b"\r\n")
            return
        media = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self.sock.sendall(b"POST " + target + self.head + media + body)

    def receive(self) -> tuple[int, bytes] | None:
        """Take what has come; status and body once they are whole."""
        piece = self.sock.recv(PIECE)
        if not piece:
            raise ConnectionError("the server hung up")
        buffer = self.buffer
        buffer += piece
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        if self.expected < 0:
            head = bytes(buffer[:end]).lower()
            self.expected = end + 4 + int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            if b"\r\narena-route:" in head:
                self._keep_route(bytes(buffer[:end]))
        if len(buffer) < self.expected:
            return None
        status, body = int(buffer[9:12]), bytes(buffer[end + 4 : self.expected])
        del buffer[: self.expected]
        self.expected = -1
        return status, body

    def _keep_route(self, head: bytes) -> None:
        """Keep the route that an answer names and say so from now on, as a cookie does."""
        found = NAMED.search(head)
        if found is not None:
            self.route = found[1].strip()
            self.head = self._bare_head + b"Cookie: arena_route=" + self.route + b"\r\n"


class AnswerPace:
    """When the next answer is due: at random instants, `per_s` decisions in a second on average.

    Bots that had nothing to answer for a while do not make up for it.
    """

    LATE_S = 0.1

    def __init__(self, per_s: float, random: Random) -> None:
        self._per_s = per_s
        self._random = random
        self._due_s = 0.0

    def left_s(self, now_s: float) -> float:
        """How long to wait for the next answer, 0 if it is due."""
        return max(0.0, self._due_s - now_s)

    def spend(self, decisions: int, now_s: float) -> None:
        """Count decisions that are sent now."""
        earliest_s = max(self._due_s, now_s - self.LATE_S)
        self._due_s = earliest_s + decisions * self._random.expovariate(self._per_s)


class Players:
    """All bots of one process."""

    def __init__(self, orders: PlayerOrders) -> None:
        self._orders = orders
        self._random = Random(orders.seed)
        self._selector = selectors.DefaultSelector()
        self._samples: list[tuple[float, int]] = []
        self._sent: dict[str, tuple[float, str]] = {}
        self._pace = AnswerPace(orders.pace, self._random) if orders.pace else None
        self._thinking: deque[tuple[PlayerBot, Sequence[Document]]] = deque()
        self._reached: list[tuple[float, float]] = []
        self._decisions = self._requests = self._refused = 0
        most = 1 if orders.mode in ("single", "wait") else orders.most
        self._asking = b"/api/v1/turns?wait=%d&max=%d" % (WAIT_S, most)
        self._servers = [_address(url) for url in orders.urls]
        self._by_name = dict(zip(map(str.encode, orders.names), self._servers, strict=False))

    def play(self) -> PlayerFigures:
        """Play until stopped."""
        raise_file_limit()
        began = time.process_time()
        for number, token in enumerate(self._orders.tokens, self._orders.seed):
            bot = PlayerBot(self._servers[number % len(self._servers)], token)
            self._selector.register(bot.sock, selectors.EVENT_READ, bot)
            self._begin(bot)
        self._selector.register(stop_signals(), selectors.EVENT_READ, None)
        print("playing", flush=True)
        while self._turn_round():
            continue
        spent = time.process_time() - began
        counts = self._decisions, self._requests
        return PlayerFigures(*counts, spent, self._samples, self._reached, self._refused)

    def _turn_round(self) -> bool:
        """Serve every bot that has something; False when it is time to stop."""
        going_on = True
        for key, _ in self._selector.select(self._answer_due()):
            bot: PlayerBot | None = key.data
            if bot is None:
                going_on = False
            elif key.fileobj is not bot.sock:  # a server hangs up on what has been idle for long
                self._selector.unregister(key.fileobj)
                bot.drop(key.fileobj)
            elif (came := bot.receive()) is not None:
                self._requests += 1
                self._choose_referee(bot)
                self._go_on(bot, *came)
        now = time.monotonic()
        if not self._samples or now - self._samples[-1][0] >= SAMPLE_S:
            self._samples.append((now, self._decisions))
        return going_on

    def _choose_referee(self, bot: PlayerBot) -> None:
        """Where the bot's next request goes."""
        if self._orders.route == "stay":
            return
        if self._orders.route == "follow":
            address = self._by_name.get(bot.route, bot.at)
        else:
            address = self._servers[(self._servers.index(bot.at) + 1) % len(self._servers)]
        if bot.turn_to(address):
            self._selector.register(bot.sock, selectors.EVENT_READ, bot)

    def _answer_due(self) -> float:
        """Send what is due at this pace; how long to wait for what comes, in seconds."""
        while self._pace is not None and self._thinking:
            now_s = time.perf_counter()
            left_s = self._pace.left_s(now_s)
            if left_s:
                return min(SAMPLE_S, left_s)
            bot, turns = self._thinking.popleft()
            self._pace.spend(len(turns), now_s)
            self._answer(bot, turns)
        return SAMPLE_S

    def _begin(self, bot: PlayerBot) -> None:
        if self._orders.mode == "bare":
            bot.ask(b"/", b'{"choice":1}')
        else:
            bot.polling = True
            bot.ask(self._asking)

    def _go_on(self, bot: PlayerBot, status: int, body: bytes) -> None:
        if self._orders.mode in ("bare", "idle"):
            self._decisions += 1
            self._begin(bot)
            return
        document: Document = orjson.loads(body)
        if status != 200:
            self._refused += 1
            self._begin(bot)
            return
        self._count(bot, document)
        turns = document.get("turns") or document.get("next") or []
        if not turns:
            self._begin(bot)
        elif self._pace is None:
            self._answer(bot, turns)
        else:
            self._thinking.append((bot, turns))

    def _count(self, bot: PlayerBot, document: Document) -> None:
        """Decisions that were accepted; how long it took turns to get here."""
        results = document.get("results")
        if results is not None:
            self._decisions += sum(result["status"] == 200 for result in results)
        elif "accepted" in document:
            self._decisions += 1
        now = time.perf_counter()
        for turn in document.get("turns") or document.get("next") or ():
            sent = self._sent.get(turn["hand"])
            if sent is not None and sent[1] != turn["turn"]:
                del self._sent[turn["hand"]]
                if bot.polling:
                    self._reached.append((time.monotonic(), now - sent[0]))

    def _answer(self, bot: PlayerBot, turns: Sequence[Document]) -> None:
        now = time.perf_counter()
        chosen = [(turn, self._random.randrange(len(turn["legal"]))) for turn in turns]
        for turn, _ in chosen:
            self._sent[turn["hand"]] = (now, turn["turn"])
        if self._orders.mode == "batch":
            answers = [{"turn": turn["turn"], "choice": choice} for turn, choice in chosen]
            bot.polling = True
            bot.ask(self._asking, orjson.dumps({"answers": answers}))
            return
        turn, choice = chosen[0]
        target = b"/api/v1/turns/" + turn["turn"].encode()
        bot.polling = self._orders.mode == "wait"
        waits = b"?wait=%d&max=1" % WAIT_S if bot.polling else b""
        bot.ask(target + waits, b'{"choice":%d}' % choice)


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80


def stop_signals() -> socket.socket:
    """A socket that can be read once a line has come in on standard input.

    Windows waits for sockets only, so a thread stands between.
    """
    near, far = socket.socketpair()

    def pass_on() -> None:
        sys.stdin.readline()
        far.close()

    threading.Thread(target=pass_on, daemon=True).start()
    return near


def main() -> None:
    """Read the orders, play, report."""
    orders = PlayerOrders(**json.loads(sys.stdin.readline()))
    if orders.mode not in MODES:
        raise SystemExit(f"the mode must be one of {', '.join(MODES)}")
    if orders.route not in ROUTES:
        raise SystemExit(f"the route must be one of {', '.join(ROUTES)}")
    figures = Players(orders).play()
    sys.stdout.buffer.write(orjson.dumps(figures._asdict()) + b"\n")


if __name__ == "__main__":
    main()
