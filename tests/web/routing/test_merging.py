"""A bot that plays at two referees asks one of them, and is answered as if there were no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from werkzeug.test import TestResponse

from arena.documents import Document
from arena.errors import NotHome, Unavailable
from arena.web.api.limits import Buckets
from arena.web.routing import merged_request
from tests.web.routing.pair import Pair, Side

pytestmark = pytest.mark.slow
TURNS = "/api/v1/turns"
SOON_S = 60.0


@pytest.fixture
def both(two: Pair) -> Pair:
    """Two sessions with the same bots: `cup` at ash, `tea` at elm."""
    two.start("cup", two.ash)
    two.start("tea", two.elm, seed="7e" * 32)
    return two


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def document(reply: TestResponse) -> Document:
    """The JSON of an answer that is no error."""
    assert reply.status_code == 200, reply.text
    assert reply.json is not None
    return dict(reply.json)


def turns_of(answered: Document) -> list[str]:
    """The ids of the turns in a poll, or behind answers."""
    return sorted(turn["turn"] for turn in answered.get("turns", answered.get("next")))


def everything(two: Pair, number: int) -> list[str]:
    """All open turns of a bot, at both referees."""
    open_turns = [side.referee._context.signals.open_turns for side in (two.ash, two.elm)]
    return sorted(turn.id for each in open_turns for turn in each.of(two.ids[number]))


def until(what: Callable[[], bool]) -> None:
    """Wait until something is so."""
    limit_s = time.monotonic() + SOON_S
    while not what():
        assert time.monotonic() < limit_s
        threading.Event().wait(0.005)


def open_at_both(two: Pair) -> int:
    """Play until some bot has a turn at each of the two; its number."""
    for _ in range(200):
        numbers = {two.turn_at(side)[0] for side in (two.ash, two.elm)}
        if len(numbers) == 1:
            return numbers.pop()
        step(two, two.elm)
    raise AssertionError("no bot had a turn at both")


def step(two: Pair, side: Side) -> None:
    """Answer the next turn at a referee."""
    number, turn = two.turn_at(side)
    side.referee.answer(two.ids[number], turn, {"choice": 0})


def test_a_poll_has_the_turns_of_both_and_a_cursor_for_both(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    first = document(client.get(TURNS))
    assert turns_of(first) == everything(both, number)
    assert len(first["turns"]) == 2
    assert first["poll_after_ms"] == 0
    again = document(client.get(f"{TURNS}?after={first['cursor']}"))
    assert again["turns"] == []
    assert again["cursor"] == first["cursor"]
    assert again["poll_after_ms"] == 250
    assert turns_of(document(client.get(TURNS))) == turns_of(first), "without a cursor: all"


def test_a_cursor_is_good_at_any_referee(both: Pair) -> None:
    number = open_at_both(both)
    token = both.tokens[number]
    cursor = document(both.ash.client(token).get(TURNS))["cursor"]
    there = document(both.elm.client(token).get(f"{TURNS}?after={cursor}"))
    assert there["turns"] == []
    assert there["cursor"] % 4_096 == both.elm.homes.mark
    back = document(both.ash.client(token).get(f"{TURNS}?after={there['cursor']}"))
    assert back["turns"] == []


def test_the_cursor_of_a_home_is_good_when_there_is_a_second_one(two: Pair) -> None:
    two.start("cup", two.elm)
    number, _ = two.turn_at(two.elm)
    client = two.ash.client(two.tokens[number])
    alone = document(client.get(TURNS))
    assert len(alone["turns"]) == 1
    two.start("tea", two.ash)
    merged = document(client.get(f"{TURNS}?after={alone['cursor']}"))
    assert not set(turns_of(merged)) & set(turns_of(alone))


def test_the_cursor_of_two_homes_is_good_when_one_is_left(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    cursor = document(client.get(TURNS))["cursor"]
    del both.homes["cup"]
    left = document(client.get(f"{TURNS}?after={cursor}"))
    assert left["turns"] == []
    assert left["cursor"] % 4_096 == both.elm.homes.mark, "the home's own from now on"
    del both.homes["tea"]
    both.homes["cup"] = "ash"
    assert (
        document(both.elm.client(both.tokens[number]).get(f"{TURNS}?after={cursor}"))["turns"] == []
    )


def test_no_more_turns_come_than_were_asked_for(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    expected, got, cursor = everything(both, number), [], None
    for _ in range(2):
        polled = document(client.get(f"{TURNS}?max=1" + (f"&after={cursor}" if cursor else "")))
        assert len(polled["turns"]) == 1
        got += turns_of(polled)
        cursor = polled["cursor"]
    assert sorted(got) == expected


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_where_not_all_turns_have_room_each_home_has_its_chance(both: Pair, method: str) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    body = {"json": {"answers": []}} if method == "POST" else {}
    sessions: set[str] = set()
    for _ in range(100):  # each time it is one of the two
        polled = document(client.open(f"{TURNS}?max=1", method=method, **body))
        [turn] = polled["turns" if method == "GET" else "next"]
        sessions.add(turn["session"])
        if len(sessions) == 2:
            return
    raise AssertionError(f"only the turn of {sessions} came")


@pytest.mark.parametrize("where", ["ash", "elm"])
def test_who_waits_is_answered_with_what_comes_first_at_either(
    both: Pair, threads: ThreadPoolExecutor, where: str
) -> None:
    waiting: list[Future[TestResponse]] = []
    for token in both.tokens:
        client = both.ash.client(token)
        cursor = document(client.get(TURNS))["cursor"]
        after = f"&after={cursor}" if cursor else ""
        waiting.append(threads.submit(client.get, f"{TURNS}?wait=20{after}"))
    bells = [side.referee.bell for side in (both.ash, both.elm)]
    until(lambda: all(bell.waiting() >= 4 for bell in bells))
    side = both.ash if where == "ash" else both.elm
    step(both, side)
    number, turn = both.turn_at(side)
    assert turn in turns_of(document(waiting[number].result(SOON_S)))
    both.ash.referee.bell.stop()
    assert {other.result(SOON_S).status_code for other in waiting} == {200, 503}


def test_a_wait_goes_on_where_the_bot_is_by_now(both: Pair, threads: ThreadPoolExecutor) -> None:
    """Its session has moved while it waited at a home that does not answer any more."""
    playing, _ = both.turn_at(both.elm)
    number = (playing + 1) % 4
    topic, bell = f"bot:{both.ids[number]}", both.ash.referee.bell
    both.homes["cup"] = "elm"
    waits = threads.submit(both.ash.client(both.tokens[number]).get, f"{TURNS}?wait=20")
    until(lambda: len(both.elm.came) == 1 and bell.has_listener(topic))
    both.homes |= {"cup": "ash", "tea": "ash"}
    while not waits.done():
        bell.release(topic)
        if both.turn_at(both.ash)[0] != number:
            step(both, both.ash)
    assert document(waits.result(SOON_S))["turns"][0]["session"] == "cup"
    assert len(both.elm.came) == 1


def test_a_wait_ends_when_the_referee_stops(both: Pair, threads: ThreadPoolExecutor) -> None:
    both.homes["cup"] = "elm"
    waits = threads.submit(both.ash.client(both.tokens[0]).get, f"{TURNS}?wait=20&after=1")
    until(lambda: both.ash.referee.bell.waiting() == 1)
    both.ash.referee.bell.stop()
    reply = waits.result(SOON_S)
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "2")


def test_answers_of_a_batch_go_to_their_homes_and_come_back_in_order(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    polled = document(client.get(TURNS))
    answers = [{"turn": turn["turn"], "choice": 0} for turn in polled["turns"]]
    answers.insert(1, {"turn": "nonsense", "choice": 0})
    answered = document(client.post(f"{TURNS}?after={polled['cursor']}", json={"answers": answers}))
    results = answered["results"]
    assert [each["turn"] for each in results] == [each["turn"] for each in answers]
    assert [each["status"] for each in results] == [200, 404, 200]
    assert not set(turns_of(answered)) & set(turns_of(polled))


def test_a_batch_waits_for_the_next_turns_at_both(both: Pair, threads: ThreadPoolExecutor) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    polled = document(client.get(TURNS))
    body = {"answers": [{"turn": turn["turn"], "choice": 0} for turn in polled["turns"]]}
    path = f"{TURNS}?wait=20&after={polled['cursor']}"
    answering = threads.submit(client.post, path, json=body)
    while not answering.done():
        for side in (both.ash, both.elm):
            if both.turn_at(side)[0] != number:
                step(both, side)
    answered = document(answering.result(SOON_S))
    assert [each["status"] for each in answered["results"]] == [200, 200]
    assert answered["next"]
    assert not set(turns_of(answered)) & set(turns_of(polled))


def test_an_answer_alone_brings_the_next_turns_of_both(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    at_elm = next(turn for turn in everything(both, number) if turn.startswith("tea"))
    answered = document(client.post(f"{TURNS}/{at_elm}?wait=0", json={"choice": 0}))
    assert answered["accepted"] is True
    assert turns_of(answered) == everything(both, number)
    refused = client.post(f"{TURNS}/{at_elm}?wait=5", json={"choice": 99})
    assert refused.status_code in (400, 409)


def test_in_words_it_says_the_same(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    reply = client.get(f"{TURNS}?as=text")
    assert reply.content_type == "text/plain; charset=utf-8"
    for turn in everything(both, number):
        assert f"Turn {turn}\n" in reply.text
    cursor = document(client.get(TURNS))["cursor"]
    assert reply.text.endswith(f"with after={cursor} for newer turns only.\n")
    at_elm = next(turn for turn in everything(both, number) if turn.startswith("tea"))
    answered = client.post(f"{TURNS}/{at_elm}?wait=0&as=text", json={"choice": 0})
    assert answered.text.startswith("Accepted.\n\nTurn cup-")


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b'{"answers":[{"turn":"TURN","cards":"S3"}]}',
        b'{"answers":[{"turn":"TURN"},{"turn":5}]}',
        b'{"answers":[' + b",".join([b'{"turn":"TURN","choice":0}'] * 65) + b"]}",
    ],
)
def test_a_body_that_is_none_is_refused_by_one_home(both: Pair, body: bytes) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    at_elm = next(turn for turn in everything(both, number) if turn.startswith("tea"))
    sent = body.replace(b"TURN", at_elm.encode())
    reply = client.post(TURNS, data=sent, content_type="application/json")
    assert reply.status_code == 400
    assert reply.json is not None
    assert reply.json["code"] in ("bad_json", "invalid")
    if b"TURN" in body:
        assert both.elm.came[-1]["REQUEST_METHOD"] == "POST", "it counts where the turn is"
    wrong = client.post(TURNS, data=b'{"answers":[]}', content_type="text/plain")
    assert wrong.status_code == 415


def test_no_body_at_all_is_refused_as_where_there_is_one_home(both: Pair) -> None:
    number = open_at_both(both)
    for path in (TURNS, f"{TURNS}/{everything(both, number)[1]}?wait=0"):
        for media, code in (("application/json", "bad_json"), ("", "not_json")):
            client = both.ash.client(both.tokens[number])
            reply = client.post(path, data=b"", content_type=media)
            assert reply.json is not None
            assert reply.json["code"] == code


def test_a_home_that_is_gone_keeps_nobody_from_the_turns_of_the_other(both: Pair) -> None:
    number = open_at_both(both)
    both.elm.vanish()
    client = both.ash.client(both.tokens[number])
    polled = document(client.get(f"{TURNS}?wait=5"))
    assert [turn["session"] for turn in polled["turns"]] == ["cup"]
    until(lambda: both.ash.homes.lost == ["elm"])


def test_a_home_that_comes_back_is_asked_again_while_the_other_keeps_a_bot_waiting(
    both: Pair, threads: ThreadPoolExecutor
) -> None:
    number, turn = both.turn_at(both.elm)
    del both.ash.homes.addresses["elm"]
    client = both.ash.client(both.tokens[number])
    cursor = document(client.get(TURNS))["cursor"]
    waits = threads.submit(client.get, f"{TURNS}?wait=20" + (f"&after={cursor}" if cursor else ""))
    until(lambda: len(both.ash.homes.lost) > 1)
    assert both.elm.server is not None
    both.ash.homes.addresses["elm"] = f"http://127.0.0.1:{both.elm.server.server_port}"
    assert turn in turns_of(document(waits.result(SOON_S)))


def test_where_no_home_answers_clients_are_asked_to_come_back(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged_request, "MOVE_S", 0.01)
    both.homes |= {"cup": "elm", "tea": "elm", "third": "oak"}
    both.bots[both.ids[0]].add("third")
    both.elm.vanish()
    reply = both.ash.client(both.tokens[0]).get(f"{TURNS}?wait=20")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")


def test_answers_for_a_home_that_is_gone_are_to_be_sent_again(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged_request, "MOVE_S", 0.01)
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    at_ash, at_elm = everything(both, number)
    answers = [{"turn": at_elm, "choice": 0}, {"turn": at_ash, "choice": 0}]
    both.elm.vanish()
    answered = document(client.post(f"{TURNS}?wait=20", json={"answers": answers}))
    assert [each["status"] for each in answered["results"]] == [503, 200]
    assert answered["results"][0]["problem"]["code"] == "unavailable"
    assert answered["results"][0]["problem"]["retry_after_s"] == 1


class NoMore(Buckets):
    """Buckets in which nothing is left."""

    def take(self, key: str, *, units: float = 1.0, in_debt: bool = False) -> int:
        return 7


def test_what_one_home_refuses_hides_nothing_that_another_has_taken(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    at_ash, at_elm = everything(both, number)
    answers = [{"turn": at_elm, "choice": 0}, {"turn": at_ash, "choice": 0}]
    empty = NoMore(1, 1, monotonic=time.monotonic)
    monkeypatch.setattr(both.elm.services.buckets, "take", empty.take)
    answered = document(client.post(TURNS, json={"answers": answers}))
    refused, taken = answered["results"]
    assert (refused["turn"], refused["status"], taken["status"]) == (at_elm, 429, 200)
    assert refused["problem"]["code"] == "too_many_requests"
    assert refused["problem"]["retry_after_s"] == 7
    alone = client.post(TURNS, json={"answers": answers[:1]})
    assert (alone.status_code, alone.headers["Retry-After"]) == (429, "7"), "nothing was taken"
    again = document(client.post(TURNS, json={"answers": answers[1:]}))
    assert [each["status"] for each in again["results"]] == [200]


def test_an_answer_that_was_taken_is_said_to_be_where_nobody_knows_what_is_next(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged_request, "MOVE_S", 0.01)
    number = open_at_both(both)
    at_ash, _ = everything(both, number)
    client = both.ash.client(both.tokens[number])
    answer = both.ash.referee.answer

    def last(*given: Any) -> Any:
        done = answer(*given)
        both.homes |= {"cup": "oak", "tea": "elm"}  # it moves, and neither can be reached
        both.elm.vanish()
        return done

    monkeypatch.setattr(both.ash.referee, "answer", last)
    answered = document(client.post(f"{TURNS}/{at_ash}?wait=5", json={"choice": 0}))
    assert answered["accepted"] is True
    assert answered["next"] == []


@pytest.mark.parametrize("many", [True, False])
def test_an_answer_that_was_taken_is_said_to_be_where_nobody_can_read_where_its_bot_plays(
    both: Pair, monkeypatch: pytest.MonkeyPatch, *, many: bool
) -> None:
    """As when the database goes away just then."""
    number = open_at_both(both)
    at_ash, _ = everything(both, number)
    client = both.ash.client(both.tokens[number])
    name = "answer_many" if many else "answer"
    answer = getattr(both.ash.referee, name)

    def refuse(bot: str) -> tuple[str, ...]:
        raise Unavailable("the database: the connection was closed")

    def last(*given: Any) -> Any:
        done = answer(*given)
        monkeypatch.setattr(both.ash.homes, "homes_of_bot", refuse)
        return done

    monkeypatch.setattr(both.ash.referee, name, last)
    if many:
        body: Document = {"answers": [{"turn": at_ash, "choice": 0}]}
        [result] = document(client.post(TURNS, json=body))["results"]
        assert result["status"] == 200
    else:
        accepted = document(client.post(f"{TURNS}/{at_ash}?wait=5", json={"choice": 0}))
        assert accepted["accepted"] is True


def test_answers_follow_a_session_that_moves(both: Pair) -> None:
    number = open_at_both(both)
    client = both.ash.client(both.tokens[number])
    _, at_elm = everything(both, number)
    both.homes["tea"] = "ash"

    def back() -> None:
        both.homes["tea"] = "elm"

    both.ash.homes.on_move = back
    elsewhere: list[Any] = []
    referee = both.ash.referee
    answer_many = referee.answer_many

    def not_home(bot: str, answers: Any) -> list[Document]:
        elsewhere.extend(answers)
        return [{"turn": one["turn"], "status": 503, "error": NotHome("tea")} for one in answers]

    referee.answer_many = not_home  # type: ignore[method-assign,assignment]
    both.homes["third"] = "elm"
    both.bots[both.ids[number]].add("third")
    answered = document(client.post(TURNS, json={"answers": [{"turn": at_elm, "choice": 0}]}))
    referee.answer_many = answer_many  # type: ignore[method-assign]
    assert [each["status"] for each in answered["results"]] == [200]
    assert [each["turn"] for each in elsewhere] == [at_elm]


def test_a_refusal_of_the_caller_is_passed_back(both: Pair) -> None:
    token = both.ash.referee.rotate_token(both.ids[0])
    for each in (both.tokens[0], "dfa_nobody"):
        assert both.ash.client(each).get(TURNS).status_code == 401
    both.elm.referee.registry.load()
    assert both.elm.client(token).get(TURNS).status_code == 200
