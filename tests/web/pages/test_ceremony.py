"""The ceremony: step by step from the last place upwards, and nothing before its time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline, page
from tests.web.watchdog import Watchdog

pytestmark = pytest.mark.slow

CEREMONY = "/sessions/cup/ceremony"
API = "/api/v1/sessions/cup"


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """Five bots whose results were frozen after two of five rounds, and published at the end."""
    watchdog = Watchdog(schemas)
    created = Real()
    watchdog.watch(created.app)
    created.session(5, seats=4, schedule={"rounds": 5})
    play(created, at_most=420)
    created.organiser.post(f"{API}/freeze")
    play(created)
    closed = page(created.anybody, f"{CEREMONY}?step=3")
    assert "has not begun" in closed
    assert "bot-" not in closed
    created.organiser.post(f"{API}/publish")
    yield created
    assert watchdog.complaints == []


def headers(text: str) -> list[str]:
    """The bots in the rows of the tables, in order."""
    return [word for word in Outline(text).words if word.startswith("bot-")]


def final(real: Real) -> list[str]:
    (group,) = real.anybody.get(f"{API}/standings").get_json()["groups"]
    return [row["name"] for row in group["rows"]]


def test_it_leads_from_the_frozen_standings_to_the_last(real: Real) -> None:
    order = final(real)
    first = page(real.anybody, CEREMONY)
    assert "Who has won?" in first
    assert sorted(headers(first)) == sorted(order)
    assert page(real.anybody, f"{CEREMONY}?step=0") == first
    whole = page(real.anybody, f"{CEREMONY}?step=5")
    assert headers(whole)[1:] == order


def test_each_step_reveals_the_next_place_from_below(real: Real) -> None:
    order = final(real)
    for step in range(1, 6):
        outline = Outline(page(real.anybody, f"{CEREMONY}?step={step}"))
        named = [word for word in outline.words if word.startswith("bot-")]
        assert named[0] == order[-step]
        assert named[-step:] == order[-step:]
        assert len(outline.of("h1")) == 1
        links = {str(a.get("rel")): a["href"] for a in outline.of("a") if a.get("rel")}
        assert links["prev"] == f"?step={step - 1}"
        assert links.get("next") == (f"?step={step + 1}" if step < 5 else None)


def test_what_is_hidden_is_told_by_no_byte(real: Real) -> None:
    """Not the numbers at the end of those that are still hidden."""
    (group,) = real.anybody.get(f"{API}/standings").get_json()["groups"]
    best = group["rows"][0]
    for step in range(5):
        shown = page(real.anybody, f"{CEREMONY}?step={step}")
        assert f"{best['elo']:.0f} ±{best['elo_error']:.0f}" not in shown
    assert f"{best['elo']:.0f} ±{best['elo_error']:.0f}" in page(real.anybody, f"{CEREMONY}?step=5")


@pytest.mark.parametrize("step", ["6", "-1", "x", "99999999"])
def test_a_step_that_there_is_not_is_refused(step: str, real: Real) -> None:
    response = real.anybody.get(f"{CEREMONY}?step={step}")
    assert response.status_code == 400
    assert "step" in response.text


def test_it_is_linked_from_the_session_and_leads_to_the_bots(real: Real) -> None:
    session = Outline(page(real.anybody, "/sessions/cup"))
    assert CEREMONY in [a["href"] for a in session.of("a")]
    for link in Outline(page(real.anybody, f"{CEREMONY}?step=2")).of("a"):
        href = str(link["href"])
        if href.startswith("/sessions"):
            assert real.anybody.get(href).status_code == 200, href


def test_while_results_are_withheld_nothing_is_revealed() -> None:
    real = Real()
    real.session(4)
    assert "has not begun" in page(real.anybody, CEREMONY)
    play(real)
    assert "Who has won?" in page(real.anybody, CEREMONY)
    for decision in ("freeze", "embargo"):
        real.organiser.post(f"{API}/{decision}", json={} if decision == "embargo" else None)
        closed = page(real.anybody, f"{CEREMONY}?step=4")
        assert "has not begun" in closed
        assert "bot-" not in closed
        assert page(real.organiser, f"{CEREMONY}?step=4") == closed
        assert CEREMONY not in page(real.anybody)


def test_without_a_freeze_the_hidden_have_no_names() -> None:
    real = Real()
    real.session(4)
    play(real)
    first = page(real.anybody, CEREMONY)
    assert "4 bots are still hidden." in first
    assert "bot-" not in first
    assert len(headers(page(real.anybody, f"{CEREMONY}?step=1"))) == 2


def test_an_embargo_between_freeze_and_publication_loses_no_step() -> None:
    real = Real()
    real.session(4, schedule={"rounds": 3})
    play(real, at_most=230)
    real.organiser.post(f"{API}/freeze")
    (frozen,) = real.anybody.get(f"{API}/standings").get_json()["groups"]
    play(real)
    real.organiser.post(f"{API}/embargo", json={})
    real.organiser.post(f"{API}/publish")
    names = [row["name"] for row in frozen["rows"]]
    assert headers(page(real.anybody, CEREMONY)) == names


def test_under_pseudonyms_it_has_no_other_names() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    play(real)
    shown = page(real.anybody, f"{CEREMONY}?step=4")
    assert not [word for word in ("bot-", *real.ids) if word in shown]


def test_disqualified_bots_come_first_and_without_a_place() -> None:
    real = Real()
    real.session(5, seats=4, schedule={"rounds": 5})
    play(real)
    path = f"{API}/entries/{real.ids[1]}/disqualify"
    assert real.organiser.post(path).status_code == 200
    shown = page(real.anybody, f"{CEREMONY}?step=1")
    assert "Without a place" in shown
    assert headers(shown)[0] == "bot-2"
