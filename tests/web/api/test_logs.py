"""The log: one line for each thing, who and what it was about, and never a secret."""

from __future__ import annotations

import io
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from arena.queries.queries import Queries
from arena.settings import Settings
from arena.store.memory import open_memory
from arena.web.api.fast_flask import Answer
from arena.web.api.logs import LineFormatter, configure
from tests.real import Real
from tests.store.contents import everything
from tests.web.watchdog import as_response

SECRET = re.compile(r"dfa[a-z]*_[A-Za-z0-9_-]{8,}")
API = "/api/v1"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged, as JSON lines; the loggers are afterwards as they were."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    configure(Settings(log_level="debug", log_format="json"), stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def record(message: str, **fields: object) -> logging.LogRecord:
    created = logging.LogRecord("arena.x", logging.INFO, __file__, 1, message, None, None)
    created.created, created.msecs = 1_800_000_000.25, 250.0
    created.fields = fields
    return created


def test_text_is_key_and_value() -> None:
    line = LineFormatter("text").format(record("sweep", hand="h1", ms=1.5, why="too late", x='a"='))
    assert line == (
        '2027-01-15T08:00:00.250Z INFO arena.x sweep hand=h1 ms=1.5 why="too late" x="a\\"="'
    )


def test_json_is_one_object_a_line() -> None:
    line = json.loads(LineFormatter("json").format(record("sweep\nover", hand="h1")))
    assert line == {
        "at": "2027-01-15T08:00:00.250Z",
        "level": "info",
        "logger": "arena.x",
        "message": "sweep\nover",
        "hand": "h1",
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("end", ["\n", "\r", "\x1b[2J", "\u2028", "\x85", "\u202e"])
def test_nothing_that_is_logged_begins_a_line_or_turns_the_text(form: str, end: str) -> None:
    line = LineFormatter(form).format(record(f"a{end}b", name=f"c{end}d"))
    assert len(line.splitlines()) == 1 or form == "json"
    assert "\n" not in line
    assert form == "json" or end not in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_tokens_are_blotted_out_wherever_they_are(form: str) -> None:
    token = "dfa_" + "k" * 43
    formatter = LineFormatter(form)
    assert token not in formatter.format(record(f"it was {token}", token=token))
    try:
        raise ValueError(token)
    except ValueError as error:
        broken = record("failed")
        broken.exc_info = (ValueError, error, error.__traceback__)
    line = formatter.format(broken)
    assert "ValueError" in line
    assert token not in line


def test_a_request_is_logged_with_its_id_its_bot_its_table_and_its_hand(log: io.StringIO) -> None:
    real = Real(settings=Settings(requests_per_s=0, access_log=True))
    real.session()
    [(number, turn)] = real.waiting()
    path = f"{API}/turns/{turn['turn']}"
    answer = {"cards": [turn["held"][0]]}
    real.bots[number].post(path, json=answer, headers={"X-Request-Id": "r-1"})
    [line] = [line for line in lines(log) if line.get("request") == "r-1"]
    assert line["message"] == "request"
    assert line["bot"] == real.ids[number]
    assert (line["table"], line["hand"]) == (turn["table"], turn["hand"])
    assert (line["turn"], line["status"], line["method"]) == (turn["turn"], 200, "POST")


def test_an_answer_by_the_referee_is_logged_with_its_cause(log: io.StringIO) -> None:
    real = Real()
    real.session(clock={"move_ms": 1_000, "bank_ms": 0})
    [(number, turn)] = real.waiting()
    real.clock.pass_ms(5_000)
    real.referee.sweep()
    [line] = [line for line in lines(log) if line["logger"] == "arena.referee"][:1]
    assert line["cause"] == "timeout"
    assert (line["bot"], line["hand"], line["table"]) == (
        real.ids[number],
        turn["hand"],
        turn["table"],
    )


def test_a_bot_that_has_gone_is_logged_twice_a_hand_and_not_at_every_turn(
    log: io.StringIO,
) -> None:
    real = Real()
    real.session(hands_per_table=1, clock={"move_ms": 1_000, "bank_ms": 0})
    while real.waiting():
        real.clock.pass_ms(5_000)
        real.referee.sweep()
    ours = [line for line in lines(log) if line["logger"] == "arena.referee"]
    result = [line for line in ours if line["level"] == "info"]
    turns = [line for line in ours if line["message"] == "the referee answered for a bot"]
    first = [line["bot"] for line in result if "cause" in line]
    whole = {line["bot"]: line for line in result if "cause" not in line}
    assert sorted(first) == sorted(whole) == sorted(set(real.ids[:4]))
    assert len(turns) > 20
    for bot, line in whole.items():
        own = [turn["cause"] for turn in turns if turn["bot"] == bot]
        assert {cause: line[cause] for cause in own} == dict(Counter(own))
        assert line["hand"] == turns[0]["hand"]


def test_a_fault_of_ours_is_logged_with_the_request_that_met_it(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Real()
    monkeypatch.setattr(Queries, "sessions", lambda *a, **k: 1 / 0)
    assert real.anybody.get(f"{API}/sessions", headers={"X-Request-Id": "r-2"}).status_code == 500
    [line] = [line for line in lines(log) if "trace" in line]
    assert line["request"] == "r-2"
    assert "ZeroDivisionError" in line["trace"]


@pytest.mark.slow
def test_a_whole_session_leaves_no_secret_in_log_records_answers_or_store(log: io.StringIO) -> None:
    """Everything that was written anywhere, looked through for every secret that was given out."""
    store = open_memory()
    real = Real(store, settings=Settings(requests_per_s=0, access_log=True))
    given: set[str] = set()
    answers: list[str] = []
    real.app.after_request(lambda response: keep(response, given, answers))
    token = str(real.organiser.environ_base["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")
    given.add(token)
    real.session(hands_per_table=1)
    created = real.organiser.post(f"{API}/codes", json={"label": "class"}).json
    assert created is not None
    real.anybody.post(f"{API}/bots", json={"name": "late", "code": created["code"]})
    real.anybody.post(f"{API}/bots", json={"name": "x", "code": "dfacode_" + "w" * 43})
    real.bots[0].post(f"{API}/whoami/token")
    wrong = f"dfa_{'w' * 43}"
    for path in (f"{API}/turns?token={wrong}", f"{API}/hands/{wrong}", f"/{wrong}"):
        real.client(wrong).get(path)
        real.anybody.get(path)
    while waiting := real.waiting():
        for number, turn in waiting:
            real.bots[number].post(f"{API}/turns/{turn['turn']}", json={"choice": 0})
        real.clock.pass_ms(10)
        if real.bots[0].get(f"{API}/turns").status_code == 401:  # its token was rotated
            real.clock.pass_ms(90_000)
            real.referee.sweep()
    records = real.organiser.get(f"{API}/sessions/cup/records").text
    logged = log.getvalue()
    assert len(given) >= 6
    assert len(lines(log)) > 100
    for secret in {*given, wrong, store.session("cup").secret.hex()}:  # type: ignore[union-attr]
        assert secret not in logged
    kept = everything(store)
    for secret in given:
        assert secret not in records
        assert secret not in kept
        assert all(secret not in answer for answer in answers)
    assert not SECRET.search(logged)


def keep(answer: Answer, given: set[str], answers: list[str]) -> Answer:
    """Note what was answered; tokens and codes are shown only in the answer that creates them."""
    response = as_response(answer)
    text = response.get_data(as_text=True) if not response.is_streamed else ""
    document = json.loads(text) if response.mimetype == "application/json" else {}
    shown = {document.get("token"), document.get("code")} - {None}
    if response.status_code in (200, 201) and any(SECRET.fullmatch(str(one)) for one in shown):
        given |= {str(one) for one in shown}
    else:
        answers.append(f"{response.headers} {text}")
    return answer
