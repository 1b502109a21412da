"""A small bot with a fault that a flag chooses, for tests of the doctor: `--fault NAME`.

Standard library only, so that it starts quickly. Without a fault it is a proper bot.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import sys
import time
from typing import Any
from urllib.parse import urlsplit

API = "/api/v1"


class FaultyBot:
    """Plays one session. fault: what it does wrong; "" for nothing."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.address = urlsplit(os.environ["ARENA_URL"]).netloc
        self.session = os.environ["ARENA_SESSION"]
        self.token = os.environ.get("ARENA_TOKEN", "")
        self.link: http.client.HTTPConnection | None = None
        self.cursor: int | None = None
        self.table: str | None = None
        self.answers = 0
        self.late = 0

    def is_at(self, fault: str) -> bool:
        return self.fault == fault

    # Requests

    def send(self, method: str, path: str, body: Any = None, **head: str) -> tuple[int, Any]:
        """One request; again while the arena is busy, or the connection was closed."""
        for _ in range(20):
            try:
                status, fields, content = self.send_once(method, path, body, head)
            except (OSError, http.client.HTTPException):
                if self.is_at("never-reconnects"):
                    raise
                self.link = None
                time.sleep(0.02)
                continue
            if status not in (429, 503):
                return status, content
            if self.is_at(f"gives-up-{status}"):
                sys.exit(1)
            if not self.is_at("ignores-retry-after"):
                time.sleep(float(fields["Retry-After"]))
        sys.exit("no answer")

    def send_once(
        self, method: str, path: str, body: Any, head: dict[str, str]
    ) -> tuple[int, Any, Any]:
        if self.link is None:
            self.link = http.client.HTTPConnection(self.address, timeout=40.0)
        fields = {"Content-Type": "application/json", **head}
        if self.token and not (self.is_at("no-token") and "/turns" in path):
            fields["Authorization"] = f"Bearer {self.token}"
        if self.is_at("token-in-address"):
            path += f"{'&' if '?' in path else '?'}token={self.token}"
        content = None if body is None else json.dumps(body).encode()
        self.link.request(method, API + path, content, fields)
        answer = self.link.getresponse()
        if self.is_at("reads-once"):
            raw = answer.read1(65_536)
            answer.read()
        else:
            raw = answer.read()
        return answer.status, answer.headers, json.loads(raw)

    # A life

    def run(self) -> None:
        if not self.token:
            self.register()
        if not self.is_at("never-enters"):
            self.send("PUT", f"/sessions/{self.session}/entry")
        while self.play():
            pass
        if self.is_at("never-ends"):
            time.sleep(60)
        sys.exit(3 if self.is_at("ends-badly") else 0)

    def register(self) -> None:
        body = {"name": os.environ["ARENA_NAME"], "code": os.environ["ARENA_CODE"]}
        if self.is_at("forgets-code"):
            del body["code"]
        told = self.send("POST", "/bots", body)[1]
        self.token = told["token"] + ("x" if self.is_at("garbles-token") else "")

    def play(self) -> bool:
        """One poll and its answers. False if the session is over."""
        wait = 0 if self.is_at("busy-loop") else 25
        path = f"/turns?wait={wait}"
        if self.fault in ("old-cursor", "skips-turns"):
            path += f"&after={self.cursor or 0}"
        if self.is_at("unknown-parameter"):
            path += "&patience=3"
        status, told = self.send("GET", path)
        if status != 200:
            if self.is_at("unknown-parameter"):
                told = self.send("GET", "/turns?wait=25")[1]
            else:
                sys.exit(f"{status}: {told['detail']}")
        if self.is_at("strict-members") and told.keys() != {"turns", "poll_after_ms", "cursor"}:
            sys.exit("unknown members")
        if self.cursor is None or self.is_at("skips-turns"):
            self.cursor = told["cursor"]
        for turn in told["turns"]:
            if self.is_at("one-table") and self.table not in (None, turn["table"]):
                continue
            self.table = turn["table"]
            self.turn(turn)
        if told["turns"]:
            return True
        status = self.send("GET", f"/sessions/{self.session}")[1]["status"]
        return status not in ("finished", "cancelled")

    def turn(self, turn: Any) -> None:
        answer = self.answer(turn)
        if answer is None:
            return
        began_s = time.monotonic()
        status, told = self.send("POST", f"/turns/{turn['turn']}", answer)
        self.answers += status == 200
        self.late = self.late + 1 if time.monotonic() - began_s > 0.1 else 0
        if self.is_at("impatient") and self.late == 3:  # once, and the machine is busy
            sys.exit("the arena is too slow")
        if status != 200 and self.is_at(f"crashes-at-{status}"):
            sys.exit(told["detail"])
        if self.is_at("hangs-at-409") and status == 409:
            time.sleep(60)
        if self.is_at("answers-twice") and status == 200:
            self.send("POST", f"/turns/{turn['turn']}", answer)
        if told.get("replayed") and self.is_at("crashes-at-replay"):
            sys.exit("replayed")

    def answer(self, turn: Any) -> Any:
        """The first play that is listed, else whatever is."""
        held, legal = turn["held"], turn.get("legal", [])
        if self.is_at(f"crashes-at-{turn['kind']}"):
            sys.exit(turn["kind"])
        if turn["kind"] != "play" and self.is_at("only-plays"):
            return {"pass": True}
        if self.is_at("silent"):
            return self.wait(0.02)
        if self.is_at("late-by-1-ms"):
            self.wait((turn["remaining_ms"] + turn["bank_ms"] + 1) / 1000)
        if self.is_at("one-joker") and held.count("JK") > 1:
            sys.exit("two jokers?")
        if self.is_at("one-pack") and len(set(held)) < len(held) - held.count("JK") + (
            "JK" in held
        ):
            sys.exit("the same card twice?")
        if self.is_at("four-seats") and len(turn["players"]) != 4:
            sys.exit("four players, or none")
        if self.is_at("whole-list") and turn.get("legal_more"):
            sys.exit("where is the rest?")
        if self.is_at("illegal") and turn["kind"] == "play":
            return {"cards": ["S3", "H5"]}
        if self.is_at("garbage"):
            return {"resign": True}
        if self.is_at("joker-roles"):
            spoilt = [e for e in legal if e.get("as")]
            if spoilt:
                return {**spoilt[0], "as": ["JK"]}
        plays = [entry for entry in legal if entry.get("cards")]
        return (plays or legal or [self.unlisted(turn)])[0]

    def unlisted(self, turn: Any) -> Any:
        """Where nothing is listed: a pass, or the first card to lead with."""
        return {"cards": turn["held"][:1]} if turn["pile"] is None else {"pass": True}

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def main() -> None:
    flags = argparse.ArgumentParser()
    flags.add_argument("--fault", default="")
    fault = flags.parse_args().fault
    if fault == "ignores-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if fault == "sends-nothing":
        print("hello \x1b[31m\x07 garbage")
        time.sleep(60)
    if fault == "ends-at-once":
        sys.exit("no bot today")
    bot = FaultyBot(fault)
    if fault == "withdraws":
        signal.signal(
            signal.SIGTERM,
            lambda *_: (
                setattr(bot, "link", None),
                bot.send("DELETE", f"/sessions/{bot.session}/entry"),
                sys.exit(0),
            ),
        )
    bot.run()


if __name__ == "__main__":
    main()
