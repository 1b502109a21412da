"""`/metrics`: what happened is what is counted, under a closed set of names."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from arena.settings import Settings
from tests.real import Real

API = "/api/v1"


def metrics(real: Real) -> dict[str, float]:
    """Every sample by its name and labels."""
    response = real.anybody.get("/metrics")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        " ".join(
            [sample.name, *(f"{k}={v}" for k, v in sorted(sample.labels.items()))]
        ): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_turns_answers_and_hands_are_counted() -> None:
    real = Real()
    real.session(hands_per_table=1)
    before = metrics(real)
    assert before["arena_turns_opened_total"] == 1
    assert not [name for name in before if "_created" in name], "no instant of a start is told"
    assert before["arena_hands"] == before["arena_tables"] == before["arena_sessions"] == 1
    assert before["arena_turns_waiting"] == 1
    assert before["arena_waiters"] == before["arena_jobs_queue"] == before["arena_store_queue"] == 0
    answered = 0
    while waiting := real.waiting():
        for number, turn in waiting:
            path, answer = f"{API}/turns/{turn['turn']}", {"choice": 0}
            assert real.bots[number].post(path, json=answer).status_code == 200
            answered += 1
    after = metrics(real)
    assert after["arena_answers_total outcome=accepted"] == answered
    assert after["arena_turns_answered_total"] == answered
    assert after["arena_turns_opened_total"] == answered
    assert after["arena_answer_seconds_count lane=single"] == answered
    assert after["arena_hands_ended_total"] == 1
    assert after["arena_hands"] == after["arena_sessions"] == after["arena_turns_waiting"] == 0


def test_what_goes_wrong_is_counted_by_its_outcome_and_cause() -> None:
    real = Real()
    real.session(clock={"move_ms": 1_000, "bank_ms": 0})
    [(number, turn)] = real.waiting()
    bot, path = real.bots[number], f"{API}/turns/{turn['turn']}"
    other = real.bots[(number + 1) % 4]
    card = turn["held"][0]
    bot.post(path, json={"cards": [card, card]})
    bot.post(path, json={"choice": 999})
    other.post(path, json={"pass": True})
    bot.post(path, json={"cards": [card]})
    bot.post(path, json={"cards": [card]})
    bot.post(path, json={"cards": [turn["held"][1]]})
    bot.post(f"{API}/turns", json={"answers": [{"turn": "no", "pass": True}]})
    real.clock.pass_ms(5_000)
    real.referee.sweep()
    found = metrics(real)
    outcomes = ("illegal", "bad_value", "forbidden", "accepted", "replayed", "conflict")
    for outcome in (*outcomes, "not_found"):
        assert found[f"arena_answers_total outcome={outcome}"] == 1, outcome
    assert found["arena_turns_expired_total cause=timeout"] == 1
    assert found["arena_turns_expired_total cause=absent"] == 0
    assert found["arena_http_requests_total endpoint=answer_turn status=422"] >= 1


@pytest.mark.slow
def test_names_and_labels_do_not_grow_with_what_is_asked() -> None:
    real = Real(settings=Settings(requests_per_s=0))
    real.anybody.get("/metrics")
    real.anybody.get("/nowhere/0")
    metrics(real)
    before = set(metrics(real))
    for number in range(50):
        real.anybody.get(f"/nowhere/{number}")
        real.anybody.open("/nowhere", method=f"ODD{number}")
    after = metrics(real)
    assert set(after) == before
    assert after["arena_http_requests_total endpoint=nowhere status=404"] == 101


def test_no_bot_and_no_token_is_named() -> None:
    real = Real()
    session = real.session()
    real.waiting()
    text = real.anybody.get("/metrics").text
    assert session not in text
    assert all(bot not in text for bot in [*real.ids, "bot-1", "dfa"])
