"""Who is being waited for, and what is left of each bank: for staff, from what is in play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.web.api.validation import Schemas
from tests.apps import schemas as schemas_of
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.watchdog import Watchdog

PATH = "/api/v1/sessions/cup/clocks"
CLOCK = {"move_ms": 1_000, "bank_ms": 60_000}


@pytest.fixture
def real() -> Iterator[Real]:
    schemas: Schemas = schemas_of()
    watchdog, created = Watchdog(schemas), Real()
    watchdog.watch(created.app)
    created.session(8, seats=4, clock=CLOCK)
    yield created
    assert watchdog.complaints == []


def read(real: Real) -> dict[str, Any]:
    response = real.organiser.get(PATH)
    assert response.status_code == 200, response.text
    return dict(response.json or {})


def players(real: Real) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for table in read(real)["tables"] for each in table["players"]}


def test_each_table_in_play_has_its_players_and_one_is_waited_for(real: Real) -> None:
    said = read(real)
    assert (said["status"], said["bank_ms"]) == ("running", 60_000)
    assert [each["table"] for each in said["tables"]] == ["cup-r01-t01", "cup-r01-t02"]
    assert set(players(real)) == {f"bot-{number}" for number in range(1, 9)}
    waited = [each for each in players(real).values() if each["turn"]]
    assert len(waited) == 2


def test_time_runs_for_who_is_to_answer_and_is_taken_off_its_bank(real: Real) -> None:
    [(number, turn), *_] = real.waiting()
    name = f"bot-{number + 1}"
    before = players(real)[name]
    assert before["turn"]["turn"] == turn["turn"]
    assert before["turn"]["seen"]
    real.clock.pass_ms(1_500)
    after = players(real)[name]
    assert after["turn"]["waits_ms"] - before["turn"]["waits_ms"] == 1_500
    assert before["turn"]["left_ms"] - after["turn"]["left_ms"] == 1_500
    assert after["bank_ms"] < before["bank_ms"] == 60_000


def test_a_refused_answer_and_a_fault_are_counted(real: Real) -> None:
    [(number, turn), *_] = real.waiting()
    name, path = f"bot-{number + 1}", f"/api/v1/turns/{turn['turn']}"
    assert real.bots[number].post(path, json={"cards": ["JK", "JK"]}).status_code in (400, 422)
    assert players(real)[name]["turn"]["refused"] == 1
    for _ in range(200):
        real.clock.pass_ms(500)
        real.referee.sweep()
        if players(real)[name]["faults_in_a_row"]:
            break
    assert players(real)[name]["faults_in_a_row"] == 1


def test_there_is_nothing_where_nothing_is_played() -> None:
    real = Real()
    real.session(4)
    play(real)
    assert read(real)["tables"] == []


def test_staff_see_names_where_others_see_pseudonyms_and_others_see_none_of_it() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    assert set(players(real)) == {"bot-1", "bot-2", "bot-3", "bot-4"}
    assert real.anybody.get(PATH).status_code == 401
    assert real.bots[0].get(PATH).status_code == 403
    assert real.organiser.get("/api/v1/sessions/none/clocks").status_code == 404
