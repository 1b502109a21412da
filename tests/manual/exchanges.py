"""The exchanges that the manual shows: asked of a real referee, with fixed clock and seeds.

    python -m tests.manual.exchanges        writes them into the pages

A block `http NAME` of a page is the exchange of that name. Ids of bots are random, so they are
replaced by ids of the same form.
"""

from __future__ import annotations

import json
import random
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from flask.testing import FlaskClient

from arena.documents import Document
from arena.settings import Settings
from tests.manual.pages import ROOT
from tests.real import Real

MANUAL = ROOT / "arena" / "manual"
PAGES = (MANUAL / "protocol.md", MANUAL / "turns.md", MANUAL / "language-models.md")
BLOCK = re.compile(r"^```http (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 128
MOST = 3_000
ALL_KINDS = {
    "preset": "house",
    "options": {
        "exchange_pick": "asked",
        "janken_mode": "interactive",
        "first_lead": "janken",
        "jack_back_optional": True,
    },
}
PART = ("kind", "must", "held", "legal")
IDS = ("b-7q3mz2ka", "b-2xn5w6ra", "b-k4h7p3cd", "b-w9e6s2tu")


class Conversation:
    """An arena, and what was asked of it. choose: which answer the bots give."""

    def __init__(self, seed: int, settings: Settings | None = None, **members: Any) -> None:
        self.real = Real(settings=settings)
        self.random = random.Random(seed)
        self.real.session(4, **members)

    def ask(
        self,
        client: FlaskClient,
        method: str,
        path: str,
        body: object = None,
        *,
        only: tuple[str, ...] = (),
    ) -> str:
        """An exchange as text. only: members of the first turn that are shown, if not all."""
        headers = {"X-Request-Id": "4f1d0c7a92b3"}
        answer = client.open(path, method=method, json=body, headers=headers)
        is_text = answer.mimetype == "text/plain"
        document = None if is_text else json.loads(answer.text)
        if document is not None and only:
            document = {"turns": [{name: document["turns"][0][name] for name in only}]}
        lines = [f"{method} {path}"]
        if body is not None:
            lines.append(_folded(body))
        retry = answer.headers.get("Retry-After")
        lines += ["", f"{answer.status_code}" + (f"  Retry-After: {retry}" if retry else "")]
        shown = answer.text.rstrip() if is_text else _folded(document)
        return self._named("\n".join([*lines, shown, ""]))

    def _named(self, text: str) -> str:
        for found, shown in zip(self.real.ids, IDS, strict=False):
            text = text.replace(found, shown)
        return text

    def until(self, wanted: Callable[[Document], bool]) -> tuple[FlaskClient, Document]:
        """Play at random up to a turn that is wanted."""
        for _ in range(MOST):
            waiting = self.real.waiting()
            if not waiting:
                break
            for number, turn in waiting:
                if wanted(turn):
                    return self.real.bots[number], turn
            number, turn = waiting[0]
            choice = {"choice": self.random.randrange(len(turn["legal"]))}
            path = f"/api/v1/turns/{turn['turn']}"
            assert self.real.bots[number].post(path, json=choice).status_code == 200
        raise AssertionError("no such turn")


def _folded(document: object) -> str:
    """JSON in lines that are not too long, broken between values only."""
    whole = json.dumps(document, ensure_ascii=False)
    kept = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: found.group().replace(" ", "\0"), whole)
    kept = kept.replace('": ', '":\0')
    lines = textwrap.wrap(kept, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def exchanges() -> dict[str, str]:
    """All exchanges by their names."""
    return dict([*_life(), *_limits(), *_kinds()])


def _life() -> Iterator[tuple[str, str]]:
    """A turn, its answer, what is refused, what is sent again, what comes too late."""
    talk = Conversation(1, ruleset={"preset": "pagat"}, hands_per_table=3)

    def small(turn: Document) -> bool:
        return len(turn["held"]) <= 4 and len(turn["legal"]) > 2 and turn["pile"] is not None

    bot, turn = talk.until(small)
    other = next(client for client in talk.real.bots if client is not bot)
    path = f"/api/v1/turns/{turn['turn']}"
    card = next(entry for entry in turn["legal"] if "cards" in entry)
    pass_ = {"pass": True}
    yield "play", talk.ask(bot, "GET", "/api/v1/turns?wait=25")
    yield "text", talk.ask(bot, "GET", "/api/v1/turns?as=text")
    yield "unclear", talk.ask(bot, "POST", path, {"text": "clubs"})
    yield "refused", talk.ask(bot, "POST", path, {"cards": [turn["held"][0], turn["held"][1]]})
    yield "malformed", talk.ask(bot, "POST", path, {"card": "S4"})
    yield "not-yours", talk.ask(other, "POST", path, pass_)
    yield "accepted", talk.ask(bot, "POST", path, card)
    said = {"text": "ten of spades"}
    yield "text-again", talk.ask(bot, "POST", f"{path}?as=text", said)
    yield "replayed", talk.ask(bot, "POST", path, card)
    yield "conflict", talk.ask(bot, "POST", path, pass_)
    many = [{"turn": turn["turn"], **card}, {"turn": "cup-r01-t01-h009.1.0", **pass_}]
    yield "batch", talk.ask(bot, "POST", "/api/v1/turns?wait=25", {"answers": many})
    yield "no-token", talk.ask(talk.real.anybody, "GET", "/api/v1/turns")
    last = int(turn["turn"].split(".")[1]) - 2
    yield "events", talk.ask(bot, "GET", f"/api/v1/hands/{turn['hand']}/events?after={last}")
    bot, turn = talk.until(lambda turn: len(turn["held"]) <= 3)
    talk.real.clock.pass_ms(70_000)
    talk.real.referee.sweep()
    yield "too-late", talk.ask(bot, "POST", f"/api/v1/turns/{turn['turn']}", {"choice": 0})


def _limits() -> Iterator[tuple[str, str]]:
    settings = Settings(requests_per_s=1, request_burst=30)
    talk = Conversation(1, settings, ruleset={"preset": "pagat"})
    bot = talk.real.bots[0]
    while bot.get("/api/v1/whoami").status_code == 200:
        pass
    yield "too-many", talk.ask(bot, "GET", "/api/v1/whoami")


def _kinds() -> Iterator[tuple[str, str]]:
    """A question of each kind but `play`, and an answer to it."""
    wanted: Mapping[str, Callable[[Document], bool]] = {
        "throw": lambda turn: True,
        "accept": lambda turn: True,
        "name": lambda turn: turn["must"]["max"] == 1,
        "discard": lambda turn: len(turn["legal"]) <= 6,
        "give": lambda turn: 3 <= len(turn["legal"]) <= 6,
        "ask": lambda turn: turn["must"]["max"] == 2,
    }
    for kind, fits in wanted.items():
        talk = Conversation(3, ruleset=ALL_KINDS, hands_per_table=6)
        bot, turn = talk.until(partial(_is_of, kind, fits))
        path, shown, answer = "/api/v1/turns?max=1", PART, turn["legal"][len(turn["legal"]) // 2]
        if kind == "ask":  # there are a hundred answers
            path, shown, answer = f"{path}&legal=0", PART[:3], {"ask": ["2", "JK"]}
        yield kind, talk.ask(bot, "GET", path, only=shown)
        yield f"{kind}-answer", talk.ask(bot, "POST", f"/api/v1/turns/{turn['turn']}", answer)


def _is_of(kind: str, fits: Callable[[Document], bool], turn: Document) -> bool:
    return turn["kind"] == kind and fits(turn)


def main() -> None:
    """Write all exchanges into their pages."""
    made = exchanges()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = BLOCK.sub(lambda found: f"```http {found[1]}\n{made[found[1]]}```", text)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
