#!/usr/bin/env python3
"""A bot for Daifugō Arena in Python, with the standard library alone.

    python3 bot.py --url http://127.0.0.1:8000 --session spring-cup --name me

What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
Write your own strategy into `choose`; the rest keeps to the protocol.
"""

import http.client
import json
import os
import re
import signal
import sys
import time
from urllib.parse import urlsplit


def choose(turn):
    """The number of an answer in `turn["legal"]`. This is the place for your own ideas.

    Here: low cards, many at once; sets are not broken, jokers are kept.
    """
    legal = turn.get("legal") or []

    def strength(card):
        if card == "JK":
            return 50
        rank = "3456789TJQKA2".index(card[1])
        return rank if turn["order"] == "normal" else 12 - rank  # a revolution: the 3 is high

    def cost(number):
        own = [strength(card) for card in legal[number]["cards"]]
        left = sum(strength(card) in own for card in turn["held"]) - len(own)
        return sum(own) / len(own) - len(own) + 4 * left

    with_cards = [number for number, entry in enumerate(legal) if entry.get("cards")]
    return min(with_cards, key=cost, default=0)  # 0: something else is asked, or nothing is listed


def setting(name, default=None):
    """`--name VALUE` of the command line, or ARENA_NAME of the environment."""
    flag = f"--{name}"
    if flag in sys.argv[1:-1]:
        return sys.argv[sys.argv.index(flag) + 1]
    return os.environ.get(f"ARENA_{name.upper()}") or default


def tell(text):
    print(f"bot: {text}", file=sys.stderr)


def stop(text, code=1):
    tell(text)
    sys.exit(code)


class Arena:
    """The arena at an address: one connection that is kept, and asked again when it breaks."""

    def __init__(self, url):
        parts = urlsplit(url)
        https = parts.scheme == "https"
        kind = http.client.HTTPSConnection if https else http.client.HTTPConnection
        self.url, self.base = url, parts.path.rstrip("/") + "/api/v1"
        self.connection = kind(parts.netloc, timeout=60)
        self.headers = {"Content-Type": "application/json"}

    def ask(self, method, path, body=None):
        """One request -> status and document. The same again, after a while, if there is no answer
        or the arena asks for patience; no answer counts twice, however often it is sent."""
        for attempt in range(1, 23):  # two minutes in all
            pause = attempt / 2
            try:
                self.connection.request(
                    method, self.base + path, body and json.dumps(body), self.headers
                )
                reply = self.connection.getresponse()
                status, document = reply.status, json.loads(reply.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.connection.close()
                tell(f"{method} {path}: {error!r}; again in {pause} s")
            else:
                if status == 401:
                    stop(f"the token is refused: {document.get('detail')}")
                if status not in (429, 500, 502, 503, 504):
                    return status, document
                wanted = reply.headers.get("Retry-After", "")
                pause = float(wanted) if re.fullmatch(r"[0-9.]+", wanted) else pause
                tell(f"{method} {path}: {status} {document.get('detail')}; again in {pause} s")
            time.sleep(pause)
        return stop(f"no answer from {self.url}")

    def sign_in(self, name):
        """Use the token that is given or was kept; else register, and keep the new one."""
        kept = re.sub(r"[^A-Za-z0-9.-]", "_", f"{name}@{self.url.split('//')[-1]}") + ".token"
        token = setting("token")
        if not token and os.path.exists(kept):
            with open(kept) as file:
                token = file.read().strip()
        if not token:
            asked = {"name": name, "code": setting("code")}
            status, document = self.ask("POST", "/bots", {k: v for k, v in asked.items() if v})
            if status != 201:
                stop(f"not registered: {document.get('detail')}")
            token = document["token"]
            with open(os.open(kept, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                file.write(token)
        self.headers["Authorization"] = f"Bearer {token}"


def play(arena, session):
    """Answer turns until the session is over."""
    status, entry = arena.ask("PUT", f"/sessions/{session}/entry")
    if status not in (200, 201, 409):  # 409: it runs already, and may have this bot
        stop(f"not entered: {entry.get('detail')}")
    turns, cursor = [], None
    while True:
        after = "" if cursor is None else f"&after={cursor}"
        if turns:
            turn = turns.pop(0)
            # The last answer waits for the next turns, which saves a request for each move.
            path = f"/turns/{turn['turn']}" + ("" if turns else f"?wait=25{after}")
            status, got = arena.ask("POST", path, {"choice": choose(turn)})
            if status in (400, 422) and "example" in got:
                tell(f"refused: {got.get('detail')}")
                status, got = arena.ask("POST", path, got["example"])
            if status != 200:  # too late, for one
                tell(f"{path}: {got.get('detail')}")
            turns += got.get("next") or []
        else:
            _, got = arena.ask("GET", f"/turns?wait=25{after}")
            turns = got.get("turns") or []
        cursor = got.get("cursor", cursor)
        if not turns:
            _, view = arena.ask("GET", f"/sessions/{session}")
            if view.get("status") in ("finished", "cancelled"):
                return
            time.sleep(got.get("poll_after_ms", 1000) / 1000)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    if not setting("session"):
        stop("usage: bot.py --url URL --session SESSION --name NAME [--code CODE]", code=2)
    arena = Arena(setting("url", "http://127.0.0.1:8000").rstrip("/"))
    arena.sign_in(setting("name", "python-starter"))
    play(arena, setting("session"))
