"""Standings, further tables and pictures over HTTP, each in every form."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from arena.documents import Document
from arena.tournament.reporting.markup import FORMS
from arena.web.api.middleware import PICTURE_POLICY
from arena.web.api.validation import Schemas
from tests.real import Real
from tests.referee.table import lowest
from tests.web.conftest import with_token
from tests.web.fakes import BOB
from tests.web.watchdog import Watchdog

CUP = "/api/v1/sessions/cup"
VIEWS = ("standings", "crosstable", "superiority", "separations")
HISTORY = f"{CUP}/history"
MEMBERS = {"seats": 4, "schedule": {"rounds": 2}, "board": "pseudonymous"}


def play(real: Real, *, at_most: int = 100_000) -> None:
    """Answer what waits with the lowest cards."""
    answered = 0
    while answered < at_most and (waiting := real.waiting()):
        for number, turn in waiting:
            body = dict(lowest(turn))
            response = real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=body)
            assert response.status_code == 200, response.text
            answered += 1


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """A class of five that has played, with every response looked at."""
    watchdog = Watchdog(schemas)
    created = Real()
    watchdog.watch(created.app)
    created.session(5, **MEMBERS)
    play(created)
    yield created
    assert watchdog.complaints == []


def read(client: FlaskClient, path: str) -> Document:
    response = client.get(path)
    assert response.status_code == 200, response.text
    document: Document = response.json
    return document


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_each_view_comes_as_json_of_its_schema_and_in_every_form(view: str, real: Real) -> None:
    assert read(real.anybody, f"{CUP}/{view}")["groups"]
    for form in ("text", "markdown", *FORMS):
        response = real.anybody.get(f"{CUP}/{view}?format={form}")
        assert response.status_code == 200
        assert "bot-" not in response.text


def test_the_cross_table_has_hands_and_shares(real: Real) -> None:
    (group,) = read(real.anybody, f"{CUP}/crosstable")["groups"]
    count = len(group["bots"])
    for i in range(count):
        assert group["ahead"][i][i] is group["ahead_percent"][i][i] is None
        for j in set(range(count)) - {i}:
            shared = group["shared"][i][j]
            assert group["ahead"][i][j] + group["ahead"][j][i] == shared == group["shared"][j][i]
            if not shared:
                assert group["ahead_percent"][i][j] is None
    counted = real.anybody.get(f"{CUP}/crosstable?format=csv&counts=1").text
    assert "/" in counted
    assert counted != real.anybody.get(f"{CUP}/crosstable?format=csv").text


def test_of_two_bots_one_is_better_with_the_chance_that_the_other_is_not(real: Real) -> None:
    (group,) = read(real.anybody, f"{CUP}/superiority")["groups"]
    chances = group["superiority_percent"]
    assert chances[0][1] + chances[1][0] == pytest.approx(100, abs=0.02)


def test_separations_say_what_is_missing(real: Real) -> None:
    (group,) = read(real.anybody, f"{CUP}/separations")["groups"]
    assert len(group["pairs"]) == len(group["bots"]) - 1
    assert {pair["verdict"] for pair in group["pairs"]} <= {"separated", "open", "tie", "no_gap"}


def test_the_picture_is_svg_at_two_addresses(real: Real) -> None:
    one, other = (real.anybody.get(f"{CUP}/standings{end}") for end in (".svg", "?format=svg"))
    assert one.mimetype == other.mimetype == "image/svg+xml"
    assert one.data == other.data
    narrow = real.anybody.get(f"{HISTORY}.svg?narrow=1")
    assert float(ET.fromstring(narrow.text).get("width", "0")) < 300
    assert narrow.headers["Content-Security-Policy"] == one.headers["Content-Security-Policy"]
    assert ET.fromstring(one.text).get("role") == "img"
    assert "script" not in one.headers["Content-Security-Policy"]


@pytest.mark.slow
def test_the_history_comes_as_json_and_in_every_form(real: Real) -> None:
    assert [each["round"] for each in read(real.anybody, HISTORY)["rounds"]] == [1, 2]
    for form in ("text", "markdown", *FORMS):
        response = real.anybody.get(f"{HISTORY}?format={form}")
        assert response.status_code == 200
        assert "bot-" not in response.text
    assert "bot-1" in real.organiser.get(f"{HISTORY}?format=csv").text


def test_the_picture_of_the_history_brings_its_colours_and_nothing_else(real: Real) -> None:
    one, other = (real.anybody.get(f"{HISTORY}{end}") for end in (".svg", "?format=svg"))
    assert one.mimetype == other.mimetype == "image/svg+xml"
    assert one.data == other.data
    narrow = real.anybody.get(f"{HISTORY}.svg?narrow=1")
    assert float(ET.fromstring(narrow.text).get("width", "0")) < 300
    assert narrow.headers["Content-Security-Policy"] == one.headers["Content-Security-Policy"]
    assert ET.fromstring(one.text).get("role") == "img"
    assert one.headers["Content-Security-Policy"] == PICTURE_POLICY[1]


def test_versions_are_listed_by_name_and_none_where_names_are_not_shown(real: Real) -> None:
    assert read(real.anybody, f"{CUP}/versions") == {"session": "Spring cup", "lineages": []}
    assert "No bot is here" in real.organiser.get(f"{CUP}/versions?format=text").text


def test_alerts_are_for_organisers_and_are_no_verdicts(real: Real) -> None:
    assert real.anybody.get(f"{CUP}/alerts").status_code == 401
    assert real.bots[0].get(f"{CUP}/alerts").status_code == 403
    result = read(real.organiser, f"{CUP}/alerts")
    assert set(result["names"].values()) == {f"bot-{n}" for n in range(1, 6)}
    assert (result["moves_hands"], result["moves_hands_unread"]) == (4, 0)
    assert "moves" not in real.anybody.get(f"{CUP}/alerts").text
    text = real.organiser.get(f"{CUP}/alerts?format=github").text
    assert "These are alerts, not verdicts." in text


def test_a_bot_gets_its_own_pseudonym_and_staff_all_names(real: Real) -> None:
    own = {read(bot, f"{CUP}/standings")["own"] for bot in real.bots}
    (group,) = read(real.anybody, f"{CUP}/standings")["groups"]
    assert own == {row["name"] for row in group["rows"]}
    assert "own" not in read(real.anybody, f"{CUP}/standings")
    named = read(real.organiser, f"{CUP}/standings")
    assert "own" not in named
    assert {row["name"] for row in named["groups"][0]["rows"]} == {f"bot-{n}" for n in range(1, 6)}


def test_seats_choose_the_pool(anybody: FlaskClient, real: Real) -> None:
    assert read(real.anybody, f"{CUP}/standings?seats=4")["seats"] == 4
    assert real.anybody.get(f"{CUP}/standings?seats=3").status_code == 400
    assert real.anybody.get(f"{CUP}/standings?seats=9").status_code == 400


@pytest.mark.slow
@pytest.mark.parametrize("view", ["standings", "standings.svg", "crosstable", "records", "alerts"])
def test_what_is_embargoed_is_forbidden_to_all_but_organisers(view: str, schemas: Schemas) -> None:
    real = Real()
    watchdog = Watchdog(schemas)
    watchdog.watch(real.app)
    real.session(4)
    play(real)
    assert real.organiser.post(f"{CUP}/embargo", json={}).status_code == 200
    for client in (real.anybody, real.bots[0]):
        assert client.get(f"{CUP}/{view}").status_code in (401, 403)
    assert real.organiser.get(f"{CUP}/{view}").status_code == 200
    assert real.organiser.post(f"{CUP}/publish").status_code == 200
    assert view == "alerts" or real.anybody.get(f"{CUP}/{view}").status_code == 200
    assert watchdog.complaints == []


@pytest.mark.parametrize("path", ["standings", "crosstable", "superiority", "separations"])
def test_wrong_forms_and_sessions_are_refused(path: str, anybody: FlaskClient) -> None:
    assert anybody.get(f"{CUP}/{path}?format=pdf").status_code == 400
    assert anybody.get(f"/api/v1/sessions/none/{path}").status_code == 404
    assert anybody.get(f"{CUP}/{path}?seats=3").status_code == 400


def test_a_bot_on_a_board_with_names_gets_nothing_more(alice: FlaskClient, app: object) -> None:
    from flask import Flask

    assert isinstance(app, Flask)
    assert "own" not in read(alice, f"{CUP}/standings")
    assert read(with_token(app, BOB), f"{CUP}/standings")["own"] == "brave otter"


def test_organisers_hear_before_the_start_how_long_it_takes_and_how_exact_it_will_be(
    real: Real,
) -> None:
    """With hands of the like behind it; afterwards as the schedule has it."""
    assert real.bots[0].get(f"{CUP}/forecast").status_code == 403
    done = read(real.organiser, f"{CUP}/forecast")
    assert (done["bots"], done["seats"], done["rounds"]) == (5, 4, 2)
    assert done["speed"]["hands"] == done["hands"]
    body = {"name": "Next", "slug": "next", "seats": 4, "anchor": "nobody"}
    assert real.organiser.post("/api/v1/sessions", json=body).status_code == 201
    real.organiser.post("/api/v1/sessions/next/open")
    refused = real.organiser.get("/api/v1/sessions/next/forecast")
    assert refused.status_code == 400
    assert "at least the 4 bots of one table" in refused.json["detail"]
    for bot in real.bots[:4]:
        whoami = bot.get("/api/v1/whoami").json
        path = f"/api/v1/sessions/next/entries/{whoami['id']}"
        assert real.organiser.put(path).status_code == 200
    before = read(real.organiser, "/api/v1/sessions/next/forecast")
    assert (before["status"], before["bots"]) == ("open", 4)
    assert before["precision"]["error_elo"] > 0
    assert "The anchor nobody has not entered: the mean will be 1500." in before["warnings"]
