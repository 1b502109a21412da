"""The bot that asks a language model, before a model that says and does what it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from arena.cli.demo import BOTS
from arena.cli.terminal.play import OPPONENTS
from arena.client import KitError, Turn
from arena.client.flags import parser
from arena.identity.casual import STRENGTHS
from sample_bots import llm
from sample_bots.llm import Llm
from tests.client.fake_arena import answering, turn

KEY = "sk-not-a-real-one"
LOWEST = {"cards": ["D7"]}
JOKER = {"cards": ["JK"]}


class Says(NamedTuple):
    """What the model does at one request. status 0: it hangs up; drip: a byte at a time."""

    text: str = ""
    status: int = 200
    retry_after: str = ""
    tokens: int = 0
    drip: bool = False
    body: bytes | None = None


class FakeModel:
    """A server of chat completions. asked: the conversations, keys: what it was shown."""

    def __init__(self, *script: Says) -> None:
        self.script = list(script)
        self.asked: list[list[dict[str, str]]] = []
        self.keys: list[str | None] = []

    def next(self, body: Any, key: str | None) -> Says:
        assert body["model"] == "small"
        self.asked.append(body["messages"])
        self.keys.append(key)
        return self.script.pop(0)


@contextmanager
def serving(model: FakeModel) -> Iterator[str]:
    """The address of a model, on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(model.next(body, self.headers.get("Authorization")))

        def answer(self, says: Says) -> None:
            self.close_connection = True
            if not says.status:
                return
            document: dict[str, Any] = {"choices": [{"message": {"content": says.text}}]}
            document |= {"usage": {"total_tokens": says.tokens}} if says.tokens else {}
            written = json.dumps(document).encode() if says.body is None else says.body
            self.send_response(says.status)
            if says.retry_after:
                self.send_header("Retry-After", says.retry_after)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            for part in [written] if not says.drip else [b"{", *([b" "] * len(written))]:
                try:
                    self.wfile.write(part)
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(0.05 if says.drip else 0)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def bot(url: str, *more: str) -> Llm:
    made, flags = Llm(), parser()
    made.add_flags(flags)
    made.begin(flags.parse_args(["--model-url", url, "--model", "small", *more]))
    return made


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", KEY)


def play(*script: Says, flags: tuple[str, ...] = (), **members: Any) -> tuple[object, FakeModel]:
    """The answer of the bot to a single five, with a model that follows a script to its end."""
    model = FakeModel(*script)
    with serving(model) as url:
        answer = bot(url, *flags).answer(Turn(answering(**members)))
    assert not model.script
    return answer, model


def test_the_last_line_of_a_good_reply_is_played() -> None:
    answer, model = play(Says("I hold a joker.\nLet me think.\n**2**\n"))
    assert answer == JOKER
    assert model.keys == [f"Bearer {KEY}"]
    [[task, shown]] = model.asked
    assert task["role"] == "system"
    assert shown["content"] == Turn(answering()).text()


def test_what_cannot_be_read_may_be_thought_over_once() -> None:
    answer, model = play(Says("I am not sure."), Says("the joker"))
    assert answer == JOKER
    *_, before, why = model.asked[1]
    assert before == {"role": "assistant", "content": "I am not sure."}
    assert "fits no answer; the answers are: 0. pass; 1. D7" in why["content"]


def test_after_the_second_time_the_lowest_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    answer, _ = play(Says("hm"), Says("99"))
    assert answer == LOWEST
    assert "playing the lowest cards: '99' fits no answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    "garbage", [b"", b"no JSON", b"[]", b'{"choices": []}', b'{"choices": [{"message": {}}]}']
)
def test_garbage_is_an_answer_that_cannot_be_read(garbage: bytes) -> None:
    assert play(Says(body=garbage), Says("2"))[0] == JOKER
    assert play(Says(body=garbage), Says(body=garbage))[0] == LOWEST


def test_who_is_asked_to_wait_waits_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(llm.time, "sleep", slept.append)
    assert play(Says(status=429, retry_after="3"), Says("2"))[0] == JOKER
    assert slept.count(3.0) == 1
    assert play(Says(status=500), Says("2"))[0] == JOKER
    assert slept.count(1.0) == 1


def test_no_turn_is_waited_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert play(Says(status=429, retry_after="3600"))[0] == LOWEST
    assert "the model answers 429" in capsys.readouterr().err


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_an_error_that_will_not_pass_is_not_tried_again(
    status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(Says(status=status, text=f"wrong key {KEY}"))[0] == LOWEST
    said = capsys.readouterr().err
    assert f"the model answers {status}" in said
    assert KEY not in said


def test_a_connection_that_is_cut_is_tried_once_more() -> None:
    assert play(Says(status=0), Says("2"))[0] == JOKER
    assert play(Says(status=0), Says(status=0))[0] == LOWEST


def test_a_model_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(FakeModel()) as url:
        pass
    assert bot(url).answer(Turn(answering())) == LOWEST
    assert "the model cannot be reached" in capsys.readouterr().err


@pytest.mark.slow
def test_a_slow_model_has_half_of_the_time_that_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    answer, model = play(Says("2", drip=True), remaining_ms=800, bank_ms=0)
    assert answer == LOWEST
    assert len(model.asked) == 1
    assert "the model is too slow" in capsys.readouterr().err


def test_without_time_nobody_is_asked() -> None:
    assert play(remaining_ms=300, bank_ms=0)[0] == LOWEST


def test_a_budget_of_calls_or_tokens_ends_the_asking(capsys: pytest.CaptureFixture[str]) -> None:
    for flags, script in (
        (("--calls", "1"), [Says("2")]),
        (("--tokens", "90"), [Says("2", tokens=100)]),
        (("--tokens", "90"), [Says("2")]),
    ):
        model = FakeModel(*script)
        with serving(model) as url:
            player = bot(url, *flags)
            answers = [player.answer(Turn(answering(n))) for n in (1, 2, 3)]
        assert answers == [JOKER, LOWEST, LOWEST]
        assert capsys.readouterr().err == "playing the lowest cards: the budget is spent\n"


def test_other_questions_are_asked_too_and_have_an_answer_without_it() -> None:
    throws = [{"throw": shape} for shape in ("rock", "paper", "scissors")]
    asked = {"kind": "throw", "pile": None, "must": {"rule": "janken"}, "legal": throws}
    assert play(Says("paper"), **asked)[0] == {"throw": "paper"}
    assert play(Says(status=404), **asked)[0] in throws


def test_where_nothing_is_listed_a_harmless_answer_is_left() -> None:
    assert play(Says("the seven of diamonds"), legal=None)[0] == LOWEST
    assert play(Says("?"), Says("?"), legal=None)[0] == {"pass": True}


def test_the_demo_and_the_browser_ask_no_model() -> None:
    assert "llm" not in {module for _, module in BOTS}
    assert not any("llm" in source for source in (*STRENGTHS.values(), *OPPONENTS.values()))


def test_it_knows_the_rules_of_the_session() -> None:
    model = FakeModel(Says("0"))
    with serving(model) as url:
        player = bot(url)
        ruleset = {"preset": "pagat", "patches": ["kakumei"], "resolved": {"jokers": 1}}
        player.on_session({"session": "cup", "ruleset": ruleset})
        player.answer(Turn(turn()))
    assert '{"preset": "pagat", "patches": ["kakumei"]}' in model.asked[0][0]["content"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "say which model: --model-url and --model"),
        (["--model-url", "localhost:1", "--model", "x"], "expected http:// or https://"),
    ],
)
def test_it_says_what_it_needs(
    flags: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLM_URL", "LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    made, known = Llm(), parser()
    made.add_flags(known)
    with pytest.raises(KitError, match=said):
        made.begin(known.parse_args(flags))
