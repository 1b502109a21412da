"""Turns in words and answers in words, over HTTP, with a real referee."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

from arena.client import Turn
from arena.documents import Document
from arena.settings import Settings
from arena.text.describing import NOTHING, turn_in_words
from tests.real import Real


def waiting(**members: Any) -> tuple[FlaskClient, Document, Real]:
    """A bot that has to lead, and its turn."""
    real = Real(settings=Settings(requests_per_s=0))
    real.session(4, ruleset={"preset": "pagat"}, **members)
    [(number, turn)] = real.waiting()
    return real.bots[number], turn, real


def test_a_poll_in_words_says_what_the_document_says() -> None:
    bot, turn, _ = waiting()
    reply = bot.get("/api/v1/turns?as=text")
    assert reply.content_type == "text/plain; charset=utf-8"
    assert reply.text.startswith(turn_in_words(turn))
    assert Turn(turn).text() == turn_in_words(turn)
    told = bot.get("/api/v1/turns").json
    assert told is not None
    assert reply.text.endswith(f"with after={told['cursor']} for newer turns only.\n")


def test_nothing_waits() -> None:
    bot, _, real = waiting()
    other = next(each for each in real.bots if each is not bot)
    assert other.get("/api/v1/turns?as=text").text.startswith(NOTHING)


def test_a_whole_hand_is_played_with_text_alone() -> None:
    real = Real(settings=Settings(requests_per_s=0))
    real.session(4, hands_per_table=1)
    answered = 0
    while waiting := real.waiting():
        for number, turn in waiting:
            last = turn_in_words(turn).splitlines()[-2]
            said = last.partition(": ")[2] or last.partition(". ")[2]
            path = f"/api/v1/turns/{turn['turn']}?as=text&wait=0"
            reply = real.bots[number].post(path, json={"text": said})
            assert reply.status_code == 200, reply.text
            assert reply.text.startswith("Accepted.\n")
            answered += 1
    assert answered > 20


def test_an_answer_in_words_is_that_entry_and_the_same_again_is_a_replay() -> None:
    bot, turn, _ = waiting()
    entry = turn["legal"][0]
    path = f"/api/v1/turns/{turn['turn']}"
    first = bot.post(path, json={"text": " ".join(entry["cards"]).lower()}).json
    assert first is not None
    assert first["events"][0]["cards"] == entry["cards"]
    again = bot.post(f"{path}?as=text", json={"text": "0"})
    assert again.text == "Accepted before; nothing was done.\n"
    assert bot.post(path, json={"text": "1"}).status_code == 409


def test_what_is_unclear_is_refused_as_any_illegal_answer_and_costs_as_much() -> None:
    bot, turn, _ = waiting(clock={"illegal_budget": 3})
    path = f"/api/v1/turns/{turn['turn']}"
    for text, said in (("clubs and kings", "fits no answer"), ("100000", "fits no answer")):
        refused = bot.post(path, json={"text": text})
        problem = refused.json
        assert problem is not None
        assert (refused.status_code, problem["code"]) == (422, "illegal")
        assert problem["reason"] == "unclear"
        assert said in problem["detail"]
        assert "0. " in problem["detail"]
        assert problem["example"] in turn["legal"]
    spent = bot.post(path, json={"text": "x"}).json
    assert spent is not None
    assert "the budget of 3 refused answers is spent" in spent["detail"]
    assert spent["turn_over"] is True


def test_a_text_is_no_number_and_not_long() -> None:
    bot, turn, _ = waiting()
    path = f"/api/v1/turns/{turn['turn']}"
    for text in (3, "", "4" * 401, ["S4"]):
        assert bot.post(path, json={"text": text}).status_code == 400
    assert bot.post(path, json={"text": "S4", "choice": 0}).status_code == 400


def test_of_many_answers_some_may_be_in_words() -> None:
    bot, turn, _ = waiting()
    unclear = {"turn": turn["turn"], "text": "?"}
    said = {"turn": turn["turn"], "text": "0"}
    results = bot.post("/api/v1/turns", json={"answers": [unclear, said]}).json
    assert results is not None
    assert [each["status"] for each in results["results"]] == [422, 200]


def test_where_nothing_is_listed_each_card_is_named_and_nothing_is_told() -> None:
    bot, turn, _ = waiting(legal=False)
    path = f"/api/v1/turns/{turn['turn']}"
    assert "does not list what is legal" in bot.get("/api/v1/turns?as=text").text
    unclear = bot.post(path, json={"text": "0"}).json
    assert unclear is not None
    assert unclear["reason"] == "unclear"
    assert "name each card" in unclear["detail"]
    assert bot.post(path, json={"text": turn["held"][0]}).status_code == 200


def test_other_forms_are_refused_and_problems_are_json() -> None:
    bot, _, _ = waiting()
    for wrong in ("html", "Text", ""):
        assert bot.get(f"/api/v1/turns?as={wrong}").status_code == 400
    refused = bot.get("/api/v1/turns?as=text&wiat=3")
    assert refused.content_type == "application/problem+json"


def test_the_rules_of_a_session_in_words() -> None:
    ruleset = {"preset": "pagat", "patches": ["kakumei"], "options": {"jokers": 2}}
    real = Real(settings=Settings(requests_per_s=0))
    real.session(4, ruleset=ruleset)
    reply = real.anybody.get("/api/v1/sessions/cup?as=text")
    assert reply.content_type == "text/plain; charset=utf-8"
    name, short, game, *options = reply.text.splitlines()
    assert name == "Spring cup (cup): running."
    assert short == "Ruleset: pagat+kakumei,jokers=2"
    assert game.startswith("Daifugō: get rid of your cards before the others.")
    assert any(line.startswith("- kakumei = true (kakumei): Four of a kind") for line in options)
    assert any(line.startswith("- jokers = 2 ") for line in options)
    assert not any(line.startswith("- hachi_giri = ") for line in options)
    assert real.anybody.get("/api/v1/sessions/none?as=text").status_code == 404
