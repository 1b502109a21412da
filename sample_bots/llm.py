"""Llm: a language model plays, behind any address that speaks OpenAI's chat completions.

    LLM_API_KEY=... python -m sample_bots.llm --url http://127.0.0.1:8000 --session spring-cup \\
        --model-url http://127.0.0.1:11434/v1 --model qwen3

The model gets each turn as text (`turn.text()`) and says in its last line what it plays. If that
cannot be read, it is told why and may think again, once. Whatever else happens (no answer in time,
an error, the budget spent) the bot plays the lowest cards, so it never keeps a table waiting. The
key is read from LLM_API_KEY and is neither printed nor taken from a flag. What to change first:

- `TASK` is all that the model knows of the game: tell it how to play well.
- It remembers nothing from turn to turn. `turn.history` is what has happened in this hand.
- Ask it only where it matters: with one legal play there is nothing to think about.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

import requests

from arena.client import Bot, KitError, Turn, run

TASK = """\
You play Daifugō, a climbing card game: get rid of your cards before the others. Each play has to
beat what lies on the table with as many cards of the same kind; if all others pass, the last player
leads anew. You are shown the situation and what you may answer. Think briefly. Then write a last
line with nothing in it but the number of your answer."""
AGAIN = "That could not be read: {}. Write a last line with nothing in it but a number of the list."
SHARE = 0.5  # of the time that is left for a turn, the most that the model gets
LEAST_S = 0.3  # with less time than this the model is not asked
MOST_BYTES = 200_000  # of a reply
CHARACTERS = 4  # in a token, where the reply does not say how many tokens it took


class NoReply(Exception):
    """The model did not answer, or may not be asked; says why, without any secret."""


class Model:
    """A model behind an address, and what is left of its budget. calls: requests; tokens: of
    questions and replies together; seconds: for one turn."""

    def __init__(self, url: str, name: str, *, calls: int, tokens: int, seconds: float) -> None:
        self.url, self.name = url.rstrip("/") + "/chat/completions", name
        self.calls, self.tokens, self.seconds = calls, tokens, seconds
        self.http = requests.Session()
        self.http.trust_env = False  # a .netrc would replace the key
        key = os.environ.get("LLM_API_KEY", "")
        if not key.isascii() or not key.isprintable():
            raise KitError("LLM_API_KEY has characters that no key has")
        self.http.headers.update({"Authorization": f"Bearer {key}"} if key else {})

    def reply(self, messages: list[dict[str, str]], until: float) -> str:
        """What it says to a conversation, by an instant of `time.monotonic`. Raises NoReply."""
        for is_last in (False, True):
            answer, text = self.ask(messages, until, again=not is_last)
            if answer == 200:
                return self.content(messages, text)
            pause_s = float(text or 1) if answer in (429, 500, 502, 503, 504) else None
            if is_last or pause_s is None or time.monotonic() + pause_s > until - LEAST_S:
                raise NoReply(f"the model answers {answer}")
            time.sleep(pause_s)
        raise AssertionError("not reached")

    def ask(self, messages: list[dict[str, str]], until: float, *, again: bool) -> tuple[int, str]:
        """One request: its status, and the body of a good answer or the seconds of Retry-After. A
        connection that breaks is tried once more if it may be."""
        if self.calls <= 0 or self.tokens <= 0:
            raise NoReply("the budget is spent")
        left_s = until - time.monotonic()
        if left_s < LEAST_S:
            raise NoReply("there is no time to ask")
        self.calls -= 1
        try:
            with self.http.post(
                self.url,
                json={"model": self.name, "messages": messages},
                timeout=left_s,
                stream=True,
                allow_redirects=False,
            ) as answer:
                if answer.status_code == 200:
                    return 200, read(answer, until)
                pause = answer.headers.get("Retry-After", "")
                return answer.status_code, pause if pause.isdecimal() else ""
        except requests.Timeout:
            raise NoReply("the model is too slow") from None
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            if again:
                return self.ask(messages, until, again=False)
            raise NoReply("the model cannot be reached") from None
        except requests.RequestException as error:
            raise NoReply(f"the model cannot be asked: {type(error).__name__}") from None

    def content(self, messages: list[dict[str, str]], text: str) -> str:
        """The words of a good answer, whose tokens are counted."""
        try:
            document = json.loads(text)
            said = str(document["choices"][0]["message"]["content"] or "")
            used = (document.get("usage") or {}).get("total_tokens")
        except (ValueError, LookupError, TypeError, AttributeError):
            said, used = "", None
        asked = sum(len(message["content"]) for message in messages)
        self.tokens -= used if type(used) is int and used > 0 else (asked + len(text)) // CHARACTERS
        return said


def read(answer: requests.Response, until: float) -> str:
    """The body of an answer, given up when the time is over."""
    body = bytearray()
    for part in answer.iter_content(1):  # as it comes: a larger part would be waited for
        body += part
        if time.monotonic() > until or len(body) > MOST_BYTES:
            raise NoReply("the model is too slow" if len(body) <= MOST_BYTES else "too long")
    return body.decode(errors="replace")


class Llm(Bot):
    """Asks a language model, and plays the lowest cards where it has no answer."""

    model: Model

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        add, known = parser.add_argument, os.environ.get
        add("--model-url", default=known("LLM_URL"), help="the API's address, with /v1 [LLM_URL]")
        add("--model", default=known("LLM_MODEL"), help="name of the model [LLM_MODEL]")
        add("--calls", type=int, default=500, help="the most requests to it [500]")
        add("--tokens", type=int, default=500_000, help="the most tokens of all [500000]")
        add("--seconds", type=float, default=20.0, help="the most for one turn [20]")

    def begin(self, flags: argparse.Namespace) -> None:
        if not flags.model_url or not flags.model:
            raise KitError("say which model: --model-url and --model, or LLM_URL and LLM_MODEL")
        if not flags.model_url.startswith(("http://", "https://")):
            raise KitError(f"--model-url is {flags.model_url!r}; expected http:// or https://")
        self.model = Model(
            flags.model_url,
            flags.model,
            calls=flags.calls,
            tokens=flags.tokens,
            seconds=flags.seconds,
        )
        self.rules: dict[str, str] = {}
        self.told = ""

    def on_session(self, session: Mapping[str, Any]) -> None:
        ruleset = session.get("ruleset") or {}
        said = {name: ruleset.get(name) for name in ("preset", "patches", "options")}
        self.rules[session["session"]] = json.dumps({name: v for name, v in said.items() if v})

    def play(self, turn: Turn) -> object:
        until = time.monotonic() + min(self.model.seconds, SHARE * turn.left_ms / 1000)
        task = f"{TASK}\nThe rules of this session: {self.rules.get(turn.session, '{}')}"
        messages = [{"role": "system", "content": task}, {"role": "user", "content": turn.text()}]
        try:
            said = self.model.reply(messages, until)
            answer, why = understood(turn, said)
            if answer is None:  # one more thought
                messages.append({"role": "assistant", "content": said[-2_000:]})
                messages.append({"role": "user", "content": AGAIN.format(why)})
                answer, why = understood(turn, self.model.reply(messages, until))
        except NoReply as error:
            answer, why = None, str(error)
        return self.lowest(turn, why) if answer is None else answer

    give = discard = ask = name = throw = accept = other = play

    def lowest(self, turn: Turn, why: str) -> object:
        """What is played without the model; says why if it is not the same again."""
        if why != self.told:
            self.told = why
            print(f"playing the lowest cards: {why}", file=sys.stderr)
        if turn.kind != "play":
            return getattr(Bot, turn.kind, Bot.other)(self, turn)
        return turn.fallback() if not turn.has_legal else turn.lowest() or turn.pass_()


def understood(turn: Turn, said: str) -> tuple[object, str]:
    """The answer in the last line of a reply; None, and why, if there is none."""
    lines = said.strip().splitlines() or [""]
    try:
        return turn.read(lines[-1]), ""
    except KitError as error:
        return None, str(error)


if __name__ == "__main__":
    run(Llm())
