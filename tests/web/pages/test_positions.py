"""The position of a recorded hand at each of its moments, for the viewer's "Copy position"."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from arena.game import Position
from arena.web.pages.assets import VIEWER
from tests.browser import window
from tests.real import Real
from tests.web.pages.test_hands import HAND, events
from tests.web.pages.test_hands import real as real
from tests.web.pages.test_views import Outline, page

COPIED = "void (navigator.clipboard.writeText = async (text) => { window.copied = text; })"
"""What the clipboard of a browser is given, without asking it for leave."""


def line(real: Real, query: str, status: int = 200) -> str:
    response = real.anybody.get(f"{HAND}/position?{query}")
    assert response.status_code == status, response.text
    return response.text


def test_it_is_whole_or_what_a_seat_knew_at_every_moment(real: Real) -> None:
    moments = real.anybody.get(f"{HAND}/moments").get_json()["moments"]
    for moment in moments[::7]:
        whole = Position.parse(line(real, f"at={moment['at']}"))
        assert whole.seat is None
        for seat in range(4):
            own = Position.parse(line(real, f"seat={seat}&at={moment['at']}"))
            assert own.seat == seat
            assert own.counts == whole.counts
            assert own.state.held[seat] == whole.state.held[seat]


def test_without_a_moment_it_is_the_end(real: Real) -> None:
    end = Position.parse(line(real, ""))
    assert sorted(end.state.places) == [0, 1, 2, 3]
    assert line(real, "") == line(real, f"at={len(events(real.anybody)) - 1}")


def test_the_viewer_is_given_its_address_for_what_is_looked_at(real: Real) -> None:
    def address(query: str) -> object:
        divs = Outline(page(real.anybody, f"{HAND}{query}")).of("div")
        [viewer] = [each for each in divs if each.get("class") == "viewer"]
        return viewer.get("data-position")

    assert address("") == f"{HAND}/position?at="
    assert address("?seat=2") == f"{HAND}/position?seat=2&at="
    assert address("?watch=1") is None, "a spectator's knowledge is no position"
    assert b'"Copy position"' in VIEWER.body


def test_the_button_copies_the_moment_that_is_shown(browser: Browser, real: Real) -> None:
    with window(browser, real.anybody) as page:
        page.goto(f"{HAND}?seat=1&at=40")
        page.evaluate(COPIED)
        page.get_by_role("button", name="Copy position").click()
        page.get_by_text("The position is copied.").wait_for(state="attached")
        assert page.evaluate("window.copied") == line(real, "seat=1&at=40").strip()


@pytest.mark.parametrize("query", ["seat=4", "at=9999", "at=-1", "seat=x"])
def test_what_the_hand_has_not_is_refused_by_name(real: Real, query: str) -> None:
    assert query.partition("=")[0] in line(real, query, status=400)


def test_a_hand_that_is_being_played_has_none() -> None:
    running = Real()
    running.session(4)
    for path in ("/hands/cup-r01-t01-h001/position", "/hands/cup-r01-t01-h001/position?seat=0"):
        assert running.anybody.get(path).status_code == 403
    assert running.anybody.get("/hands/nothing/position").status_code == 404
