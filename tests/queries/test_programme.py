"""What of a session is being played, and what comes next."""

from __future__ import annotations

import pytest

from arena.session.forecast import left_to_play_ms
from tests.real import Real
from tests.web.api.test_results import play

PATH = "/api/v1/sessions/cup/programme"


def read(real: Real) -> dict:  # type: ignore[type-arg]
    response = real.anybody.get(PATH)
    assert response.status_code == 200, response.text
    return dict(response.json or {})


@pytest.mark.slow
def test_the_tables_of_a_round_are_being_played_and_the_next_has_its_line_ups() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"rounds": 2}, hands_per_table=1)
    said = read(real)
    assert (said["round"], said["rounds"]) == (1, 2)
    assert [each["table"] for each in said["playing"]] == ["cup-r01-t01", "cup-r01-t02"]
    assert {each["hand"] for each in said["playing"]} == {1}
    names = [player["name"] for each in said["playing"] for player in each["players"]]
    assert sorted(names) == [f"bot-{number}" for number in range(1, 9)]
    assert said["next"]["round"] == 2
    coming = [player["name"] for each in said["next"]["tables"] for player in each["players"]]
    assert sorted(coming) == sorted(names)
    play(real)
    assert read(real)["playing"] == []
    assert read(real)["round"] is read(real)["next"] is None


def test_a_bot_that_has_left_is_not_named_for_a_round_to_come() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"rounds": 2})
    path = f"/api/v1/sessions/cup/entries/{real.ids[0]}/withdraw"
    assert real.organiser.post(path).status_code == 200
    players = [each for table in read(real)["next"]["tables"] for each in table["players"]]
    assert {"bot": None, "name": "house bot"} in players
    assert "bot-1" not in [each["name"] for each in players]


@pytest.mark.slow
def test_rounds_that_follow_from_results_have_no_tables_yet() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"kind": "swiss", "rounds": 4})
    said = read(real)
    while said["next"]["tables"] is not None:
        play(real, at_most=40)
        said = read(real)
    assert said["rounds"] == 4
    assert said["next"]["tables"] is None


def test_where_names_are_not_shown_it_has_none() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"rounds": 2}, board="pseudonymous")
    assert "bot-" not in real.anybody.get(PATH).text
    assert not [bot for bot in real.ids if bot in real.anybody.get(PATH).text]
    assert "bot-1" in real.organiser.get(PATH).text


def test_pauses_do_not_count_as_play_and_nobody_knows_how_long_they_last() -> None:
    real = Real()
    real.session(4, schedule={"rounds": 2})
    real.clock.pass_ms(20_000)
    assert read(real)["played_ms"] == 20_000
    real.organiser.post("/api/v1/sessions/cup/pause")
    real.clock.pass_ms(60_000)
    assert read(real)["played_ms"] is None
    real.organiser.post("/api/v1/sessions/cup/resume")
    real.clock.pass_ms(5_000)
    assert read(real)["played_ms"] == 25_000


@pytest.mark.parametrize("played_ms", [None, 9_999])
def test_nobody_knows_how_long_it_goes_on_before_it_has_been_played(played_ms: int | None) -> None:
    assert left_to_play_ms(played_ms, done=5, total=10) is None
    assert left_to_play_ms(20_000, done=0, total=10) is None


def test_it_goes_on_as_fast_as_until_now() -> None:
    assert left_to_play_ms(60_000, done=60, total=140) == 80_000
    assert left_to_play_ms(60_000, done=141, total=140) == 0
