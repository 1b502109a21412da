"""Notices over HTTP: an owner learns what happened to its bot, and nobody else does."""

from __future__ import annotations

from typing import Any

import pytest

from arena.documents import Document
from arena.settings import Settings
from arena.store.memory import open_memory
from tests.real import Real
from tests.referee.table import lowest


@pytest.fixture
def real() -> Real:
    return Real()


def notices(real: Real, number: int = 0, **query: Any) -> list[Document]:
    response = real.bots[number].get("/api/v1/bots/me/notices", query_string=query)
    assert response.status_code == 200, response.text
    assert response.json is not None
    found: list[Document] = response.json["notices"]
    return found


def kinds(real: Real, number: int = 0) -> list[str]:
    return [each["kind"] for each in notices(real, number)]


def play_to_the_end(real: Real) -> None:
    while waiting := real.waiting():
        for number, turn in waiting:
            answer = real.bots[number].post(
                f"/api/v1/turns/{turn['turn']}", json=dict(lowest(turn))
            )
            assert answer.status_code == 200, answer.text


def let_a_turn_pass(real: Real) -> None:
    real.clock.pass_ms(70_000)
    real.referee.sweep()


def test_a_bot_is_told_of_its_session_from_start_to_place(real: Real) -> None:
    session = real.session()
    play_to_the_end(real)
    told = notices(real)
    assert [each["kind"] for each in told] == ["session_started", "next_table", "session_ended"]
    assert [each["notice"] for each in told] == [1, 2, 3]
    assert {each["session"] for each in told} == {session}
    assert told[1]["data"]["table"] == "cup-r01-t01"
    assert sorted(told[1]["data"]["players"]) == ["bot-1", "bot-2", "bot-3", "bot-4"]
    standings = real.anybody.get(f"/api/v1/sessions/{session}/standings").json
    assert standings is not None
    row = next(row for row in standings["groups"][0]["rows"] if row["bot"] == real.ids[0])
    assert told[2]["data"] == {"place": row["position"], "of": 4}
    assert told[2]["text"] == f"Session cup has ended: place {row['position']} of 4."


def test_the_place_is_not_told_while_results_are_withheld(real: Real) -> None:
    session = real.session()
    play_to_the_end(real)
    assert real.organiser.post(f"/api/v1/sessions/{session}/embargo", json={}).status_code == 200
    last = notices(real)[-1]
    assert last["data"] == {"place": None, "of": None}
    assert last["text"] == "Session cup has ended."


def test_of_many_faults_the_first_the_tenth_and_the_hundredth_are_told(real: Real) -> None:
    real.session(hands_per_table=40, clock={"absent_after": 1000})
    for _ in range(130):
        let_a_turn_pass(real)
    faults = [
        each for number in range(4) for each in notices(real, number) if each["kind"] == "fault"
    ]
    counts = [each["data"]["count"] for each in faults]
    assert counts.count(1) == 4
    assert set(counts) == {1, 10}
    assert len(faults) == 8
    first = faults[0]
    assert first["data"]["cause"] == "timeout"
    assert first["data"]["turn"].startswith(first["data"]["hand"])
    assert "no answer came in time" in first["text"]


def test_refused_answers_and_absence_are_told_apart(real: Real) -> None:
    real.session(clock={"illegal_budget": 1, "absent_after": 1, "probation_ms": 0})
    number, turn = real.waiting()[0]
    refused = real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json={"choice": 999})
    assert refused.status_code == 400
    mine = notices(real, number)[-1]
    assert (mine["kind"], mine["data"]["cause"]) == ("fault", "illegal")
    while "absent" not in kinds(real, number):
        let_a_turn_pass(real)
    absent = next(each for each in notices(real, number) if each["kind"] == "absent")
    assert (absent["data"]["cause"], absent["data"]["count"]) == ("absent", 1)
    assert "the bot was not there" in absent["text"]


def test_counts_go_on_after_a_restart(real: Real) -> None:
    real.session(hands_per_table=40, clock={"absent_after": 1000})
    for _ in range(20):
        let_a_turn_pass(real)
    again = Real(real.store, Settings(requests_per_s=0))
    again.clock.ms = real.clock.ms
    again.bots, again.ids = real.bots, real.ids
    for _ in range(40):
        let_a_turn_pass(again)
    for bot in real.ids:
        told = again.referee.queries.notices(bot)["notices"]
        faults = [each["data"]["count"] for each in told if each["kind"] == "fault"]
        assert faults == [1, 10]


def test_a_bot_is_told_why_it_was_taken_out_and_by_whom(real: Real) -> None:
    session = real.session()
    entry = f"/api/v1/sessions/{session}/entries/{real.ids[0]}"
    real.organiser.post(f"{entry}/disqualify", json={"reason": "copied code"})
    real.bots[1].delete(f"/api/v1/sessions/{session}/entry")
    out, left = notices(real)[-1], notices(real, 1)[-1]
    assert out["kind"] == "disqualified"
    assert out["data"] == {"by": "organiser", "reason": "copied code"}
    assert out["text"].endswith("disqualified the bot in session cup: copied code.")
    assert (left["kind"], left["data"]) == ("withdrawn", {"by": "bot", "reason": None})
    real.organiser.post(f"/api/v1/sessions/{session}/cancel", json={"reason": "power cut"})
    assert notices(real, 2)[-1]["text"] == "Session cup was cancelled: power cut."
    assert kinds(real)[-1] == "disqualified"


def test_notices_come_in_pages_and_say_which_is_the_newest(real: Real) -> None:
    real.session()
    page = real.bots[0].get("/api/v1/bots/me/notices?limit=1").json
    assert page is not None
    assert (page["next"], page["last"], len(page["notices"])) == (1, 2, 1)
    rest = real.bots[0].get("/api/v1/bots/me/notices?after=1").json
    assert rest is not None
    assert (rest["next"], [each["notice"] for each in rest["notices"]]) == (None, [2])
    empty = real.bots[0].get("/api/v1/bots/me/notices?after=2").json
    assert empty == {"notices": [], "next": None, "last": 2}


@pytest.mark.slow
def test_a_page_ends_after_a_few_sessions_that_have_ended(real: Real) -> None:
    real.session()
    for number in range(2, 8):
        play_to_the_end(real)
        document = {"name": "Cup", "slug": f"cup-{number}", "seats": 4, "hands_per_table": 1}
        made = real.organiser.post("/api/v1/sessions", json={**document, "schedule": {"rounds": 1}})
        assert made.status_code == 201
        for bot in real.ids:
            real.organiser.put(f"/api/v1/sessions/cup-{number}/entries/{bot}")
        real.organiser.post(f"/api/v1/sessions/cup-{number}/start")
    play_to_the_end(real)
    found, after = [], 0
    while True:
        page = real.bots[0].get(f"/api/v1/bots/me/notices?after={after}").json
        assert page is not None
        found.append([each["kind"] for each in page["notices"]].count("session_ended"))
        if page["next"] is None:
            break
        after = page["next"]
    assert found == [4, 3]


def test_only_the_bot_and_the_staff_read_them(real: Real) -> None:
    real.session()
    mine = f"/api/v1/bots/{real.ids[0]}/notices"
    own = real.bots[0].get(mine)
    assert own.status_code == 200
    assert real.bots[0].get("/api/v1/bots/bot-1/notices").json == own.json
    assert real.organiser.get(mine).json == own.json
    assert real.bots[1].get(mine).status_code == 403
    assert real.bots[1].get("/api/v1/bots/nobody/notices").status_code == 403
    assert real.anybody.get(mine).status_code == 401
    assert real.organiser.get("/api/v1/bots/nobody/notices").status_code == 404


def test_players_of_the_next_table_are_told_by_pseudonym_where_names_are_hidden(real: Real) -> None:
    real.session(board="pseudonymous")
    players = notices(real)[1]["data"]["players"]
    assert len(players) == 4
    assert not {"bot-1", "bot-2", "bot-3", "bot-4"} & set(players)


@pytest.mark.slow
def test_a_session_tells_reasons_to_everybody_only_if_it_says_so() -> None:
    for published in (False, True):
        real = Real(open_memory())
        session = real.session(publish_reasons=published)
        where = f"/api/v1/sessions/{session}"
        real.organiser.post(
            f"{where}/entries/{real.ids[0]}/disqualify", json={"reason": "copied code"}
        )
        play_to_the_end(real)
        for reader, sees in ((real.organiser, True), (real.anybody, published)):
            view = reader.get(where).json
            standings = reader.get(f"{where}/standings").json
            text = reader.get(f"{where}/standings?format=text").text
            assert view is not None
            assert standings is not None
            assert view["entries"][0].get("reason") == ("copied code" if sees else None)
            assert ("reasons" in standings) == published
            assert ("‡ bot-1: copied code" in text) == published
        page = real.anybody.get(f"/sessions/{session}").text
        assert ("copied code" in page) == published


def test_why_a_session_was_cancelled_is_told_likewise() -> None:
    for published in (False, True):
        real = Real(open_memory())
        session = real.session(publish_reasons=published)
        where = f"/api/v1/sessions/{session}"
        real.organiser.post(f"{where}/cancel", json={"reason": "power cut"})
        for reader, sees in ((real.organiser, True), (real.anybody, published)):
            view = reader.get(where).json
            assert view is not None
            assert view["reason"] == ("power cut" if sees else None)
        assert ("power cut" in real.anybody.get(f"/sessions/{session}").text) == published
