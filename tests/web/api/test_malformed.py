"""Malformed answers to open turns cost what refused ones cost, however they are malformed."""

from __future__ import annotations

from io import BufferedReader, BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.web.server.heads import Head
from arena.web.server.request_bodies import Body
from tests.real import Real
from tests.web.fakes import FakeReferee

API = "/api/v1"
JSON = "application/json"
SPENT = "; the budget of 1 refused answers is spent, so the referee has answered"

MALFORMED: tuple[tuple[str, dict[str, Any], int, str], ...] = (
    ("no JSON", {"data": b"{", "content_type": JSON}, 400, "bad_json"),
    ("nothing", {"data": b"", "content_type": JSON}, 400, "bad_json"),
    ("no object", {"json": [1]}, 400, "bad_json"),
    ("too deep", {"data": b'{"a":' * 20 + b"1" + b"}" * 20, "content_type": JSON}, 400, "bad_json"),
    ("wrong", {"json": {"cards": "all of them"}}, 400, "invalid"),
    ("unknown", {"json": {"resign": True}}, 400, "invalid"),
    ("too long", {"data": b" " * 70_000, "content_type": JSON}, 413, "too_large"),
    ("no media", {"data": b'{"choice": 0}', "content_type": "text/plain"}, 415, "not_json"),
)


def ids(case: Any) -> str:
    return case if isinstance(case, str) else ""


def mover(real: Real, **clock: int) -> tuple[FlaskClient, dict[str, Any]]:
    """The first bot that has a turn, and the turn."""
    real.session(clock={"illegal_budget": 1, **clock})
    number, turn = real.waiting()[0]
    return real.bots[number], turn


@pytest.mark.parametrize(("_how", "body", "status", "code"), MALFORMED, ids=ids)
@pytest.mark.parametrize("many", [False, True])
def test_a_body_that_cannot_be_taken_counts_for_the_open_turn(
    _how: str, body: dict[str, Any], status: int, code: str, *, many: bool
) -> None:
    real = Real()
    bot, turn = mover(real)
    path = f"{API}/turns/{turn['turn']}"
    response = bot.post(f"{API}/turns" if many else path, **body)
    assert response.status_code == status
    assert response.json is not None
    assert response.json["code"] == code
    assert response.json["detail"].endswith(SPENT)
    assert response.json.get("turn_over", False) is not many
    late = bot.post(path, json={"choice": 0})
    assert late.status_code == 410
    assert "illegal" in late.json["detail"]  # type: ignore[index]


@pytest.mark.parametrize("many", [False, True])
def test_with_the_budget_spent_a_refusal_says_for_programs_that_the_turn_is_over(
    *, many: bool
) -> None:
    real = Real()
    bot, turn = mover(real, illegal_budget=2)
    answer = {"cards": [next(card for card in ("S3", "H3") if card not in turn["held"])]}
    path = f"{API}/turns" if many else f"{API}/turns/{turn['turn']}"
    body = {"answers": [{"turn": turn["turn"], **answer}]} if many else answer
    problems = [bot.post(path, json=body).json for _ in range(2)]
    first, last = [each["results"][0]["problem"] if many else each for each in problems]  # type: ignore[index]
    assert "turn_over" not in first
    assert last["turn_over"] is True
    assert "example" in first
    assert "example" not in last


def test_what_is_wrong_is_answered_as_before_while_there_is_budget_left() -> None:
    real = Real()
    bot, turn = mover(real, illegal_budget=2)
    path = f"{API}/turns/{turn['turn']}"
    result = bot.post(path, json={"resign": True}).json
    assert result is not None
    assert "spent" not in result["detail"]
    assert bot.post(path, json={"choice": 0}).status_code == 200


@pytest.mark.parametrize("many", [False, True])
def test_a_query_that_cannot_be_taken_beside_an_answer_counts_too(*, many: bool) -> None:
    real = Real()
    bot, turn = mover(real)
    path = f"{API}/turns/{turn['turn']}"
    response = bot.post(f"{API}/turns?wait=x" if many else f"{path}?wait=x", json={"choice": 0})
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["code"] == "invalid"
    assert response.json["detail"].endswith(SPENT)
    assert bot.post(path, json={"choice": 0}).status_code == 410


BAD_FRAMES = (
    b"zz\r\n",
    b"d\r\n" + b'{"choice": 0}' + b"XX0\r\n\r\n",
    b"1\r\n \r\n" * 300 + b"0\r\n\r\n",
    b"0\r\nno field\r\n\r\n",
)
BROKEN_OFF = (b"", b"d", b"d\r\n{", b"d\r\n" + b'{"choice": 0}' + b"\r", b"0\r\nX: y")


def chunked(data: bytes) -> dict[str, Any]:
    """A body in chunks, as the server hands it on; the client goes away after it."""
    file = BufferedReader(BytesIO(data))  # type: ignore[arg-type]
    head = Head({}, None, True, "")
    body = Body(file, head, here=True, asking=None, before_failure=lambda: None)
    overrides = {
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "HTTP_TRANSFER_ENCODING": "chunked",
    }
    return {"content_type": JSON, "environ_overrides": overrides}


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("frame", BAD_FRAMES)
def test_a_body_in_chunks_that_are_none_counts_for_the_open_turn(
    frame: bytes, *, many: bool
) -> None:
    real = Real()
    bot, turn = mover(real)
    path = f"{API}/turns/{turn['turn']}"
    response = bot.post(f"{API}/turns" if many else path, **chunked(frame))
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["detail"].endswith(SPENT)
    assert bot.post(path, json={"choice": 0}).status_code == 410


@pytest.mark.parametrize("frame", BROKEN_OFF)
def test_a_client_that_goes_away_within_its_body_is_charged_no_answer(frame: bytes) -> None:
    real = Real()
    bot, turn = mover(real)
    path = f"{API}/turns/{turn['turn']}"
    assert bot.post(path, **chunked(frame)).status_code == 400
    short = {"wsgi.input": BytesIO(b"{"), "CONTENT_LENGTH": "50"}
    assert bot.post(path, content_type=JSON, environ_overrides=short).status_code == 400
    assert bot.post(path, json={"choice": 0}).status_code == 200


@pytest.mark.parametrize("named", ["x.1.1", "nonsense", "cup-r01-t01-h001.9999.0"])
def test_turns_that_there_never_were_count_for_the_turn_sent_first(named: str) -> None:
    real = Real()
    bot, turn = mover(real)
    response = bot.post(f"{API}/turns", json={"answers": [{"turn": named, "choice": -1}]})
    assert response.json is not None
    assert response.json["detail"].endswith(SPENT)
    assert bot.post(f"{API}/turns/{turn['turn']}", json={"choice": 0}).status_code == 410


def test_of_many_answers_those_that_are_malformed_count_and_none_is_taken() -> None:
    real = Real()
    real.session(clock={"illegal_budget": 1})
    open_turns = real.referee._context.signals.open_turns
    number, turn = real.waiting()[0]
    bot = real.bots[number]
    other = {"turn": "cup-r01-t01-h001.9999.0", "pass": True}
    answers = [other, {"turn": turn["turn"], "choice": -1}]
    response = bot.post(f"{API}/turns", json={"answers": answers})
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["detail"].endswith(SPENT)
    assert open_turns.find(real.ids[number], turn["turn"]) is None


def test_a_good_answer_beside_a_malformed_one_costs_nothing_and_is_not_taken() -> None:
    real = Real()
    bot, closed = mover(real)
    number = real.bots.index(bot)
    bot.post(f"{API}/turns/{closed['turn']}", json={"choice": 0})
    while real.waiting()[0][0] != number:
        other, theirs = real.waiting()[0]
        real.bots[other].post(f"{API}/turns/{theirs['turn']}", json={"choice": 0})
    turn = real.waiting()[0][1]
    answers = [{"turn": turn["turn"], "choice": 0}, {"turn": closed["turn"], "choice": -1}]
    assert bot.post(f"{API}/turns", json={"answers": answers}).status_code == 400
    assert bot.post(f"{API}/turns/{turn['turn']}", json={"choice": 0}).status_code == 200


def test_nobody_can_spend_the_budget_of_another() -> None:
    real = Real()
    real.session(clock={"illegal_budget": 1})
    number, turn = real.waiting()[0]
    path = f"{API}/turns/{turn['turn']}"
    for each, bot in enumerate(real.bots):
        if each != number:
            assert bot.post(path, json={"resign": True}).status_code == 400
            wrong = {"answers": [{"turn": turn["turn"], "choice": -1}]}
            assert bot.post(f"{API}/turns", json=wrong).status_code == 400
    assert real.anybody.post(path, json={"resign": True}).status_code == 401
    assert real.organiser.post(path, json={"resign": True}).status_code in (400, 403)
    assert real.bots[number].post(path, json={"choice": 0}).status_code == 200


def test_a_malformed_answer_to_a_turn_that_is_closed_costs_nothing() -> None:
    real = Real()
    bot, turn = mover(real)
    path = f"{API}/turns/{turn['turn']}"
    assert bot.post(path, json={"choice": 0}).status_code == 200
    assert bot.post(path, json={"resign": True}).status_code == 400
    hand = real.referee._context.in_play.hands[turn["hand"]]
    assert hand.log.faults == []


def test_a_malformed_body_elsewhere_costs_no_turn_anything() -> None:
    real = Real()
    bot, turn = mover(real)
    assert bot.post(f"{API}/bots", json={"answers": 3}).status_code == 400
    assert bot.get(f"{API}/turns?wait=x").status_code == 400
    assert bot.post(f"{API}/turns/{turn['turn']}", json={"choice": 0}).status_code == 200


@pytest.mark.parametrize(
    ("answers", "turns"),
    [
        ([{"turn": "t1", "choice": -1}], ["t1"]),
        ([{"turn": "t1", "pass": True}, {"turn": "t2", "cards": ["X9"]}], ["t2"]),
        ([{"turn": "t1", "choice": -1}, {"turn": "t1", "pass": 3}], ["t1"]),
        ([{"turn": "t1"}], ["t1"]),
        ([{"turn": "t1", "pass": True}, 5], None),
        ([{"turn": 5, "pass": True}], None),
        ([{"choice": 0}], None),
        ("all", None),
        ({"0": {"turn": "t1", "choice": -1}}, None),
    ],
)
def test_which_turns_are_meant(
    answers: Any, turns: list[str] | None, alice: FlaskClient, referee: FakeReferee
) -> None:
    assert alice.post(f"{API}/turns", json={"answers": answers}).status_code == 400
    assert referee.unread == [("b-alice", turns)]


def test_unknown_members_beside_the_answers_count_for_the_turn_sent_first(
    alice: FlaskClient, referee: FakeReferee
) -> None:
    body = {"answers": [{"turn": "t1", "pass": True}], "sincerely": "alice"}
    assert alice.post(f"{API}/turns", json=body).status_code == 400
    assert referee.unread == [("b-alice", None)]


def test_a_spent_budget_is_mentioned_after_however_long_a_fault(
    alice: FlaskClient,
) -> None:
    result = alice.post(f"{API}/turns/spent", json={"x" * 5_000: 1, "y" * 5_000: 2}).json
    assert result is not None
    assert result["detail"].endswith("; the budget is spent")
    assert len(result["detail"]) <= 3_000


def test_malformed_answers_are_counted_for_the_metrics() -> None:
    real = Real()
    bot, turn = mover(real, illegal_budget=5)
    bot.post(f"{API}/turns/{turn['turn']}", json={"resign": True})
    bot.post(f"{API}/turns/nothing", json={"resign": True})
    assert 'arena_answers_total{outcome="malformed"} 2.0' in real.anybody.get("/metrics").text
    bot.post(f"{API}/turns/{turn['turn']}", json={"choice": 0})
    bot.post(f"{API}/turns/{turn['turn']}", json={"resign": True})
    assert 'arena_answers_total{outcome="malformed"} 2.0' in real.anybody.get("/metrics").text
