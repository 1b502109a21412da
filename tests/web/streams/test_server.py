"""Streams of a real server: killed, stopped, full; and followed by a browser."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import window
from tests.cli.shell import ROOT
from tests.web.pages.test_viewer import SAME_PARTS
from tests.web.streams.served import SOON_S, Served, Spectator

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system"),
]
HAND = "cup-r01-t01-h001"
NEXT = "cup-r01-t01-h002"


@pytest.fixture(autouse=True)
def _our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An arena with a hand that has begun."""
    with Served(tmp_path) as started:
        yield started


def test_who_follows_goes_on_without_a_gap_or_a_double_after_a_kill(served: Served) -> None:
    spectator = Spectator(served.port, f"hand={HAND}")
    spectator.start()
    assert spectator.connected.wait(SOON_S)
    for _ in range(2):
        served.play(HAND, 12, pause_s=0.03)
        os.kill(served.pid, signal.SIGKILL)
        served.wait()
        served.start()
    served.play(HAND)
    spectator.join(SOON_S)
    assert not spectator.is_alive()
    assert spectator.breaks >= 2
    log: list[object] = []
    for event in spectator.events:
        if event.event == "events":
            assert event.data["after"] == len(log)
            log += event.data["events"]
    assert len(log) == len(served.events(HAND)) > 50
    assert log[5:] == served.events(HAND)[5:]  # the cards of the deal are shown when it is over
    assert [event.event for event in spectator.events[-2:]] == ["over", "next"]


def test_a_server_that_is_stopped_ends_its_streams_and_itself(served: Served) -> None:
    spectators = [Spectator(served.port, f"hand={HAND}") for _ in range(5)]
    for spectator in spectators:
        spectator.start()
        assert spectator.connected.wait(SOON_S)
    os.kill(served.pid, signal.SIGTERM)
    served.wait()
    served.start()
    served.play(HAND)
    for spectator in spectators:
        spectator.join(SOON_S)
        assert not spectator.is_alive()
    assert len({len(spectator.events) for spectator in spectators}) == 1


def finished(page: Page) -> None:
    """Wait until the page says that the hand is over, and what comes next."""
    page.wait_for_selector(f'#live a[href="/hands/{NEXT}"]')


def assert_is_what_everybody_saw(page: Page) -> None:
    """What is drawn is what the server draws of the hand that is over, as everybody saw it."""
    at = page.locator("li.now a").get_attribute("href").split("at=")[1].split("&")[0]  # type: ignore[union-attr]
    assert page.evaluate(SAME_PARTS, f"/hands/{HAND}?watch=1&at={at}") == []
    assert page.locator(".log ol li").last.inner_text().count("The hand ends") == 1


def test_a_browser_follows_a_hand_to_its_end_through_a_kill(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/hands/{HAND}")
        page.wait_for_selector(".scrub")
        expect(page.locator("#live")).to_contain_text("what happens appears here")
        count = page.locator(".log ol li").count()
        served.play(HAND, 10)
        page.locator(".log ol li").nth(count + 7).wait_for(state="attached")
        os.kill(served.pid, signal.SIGKILL)
        served.wait()
        served.start()
        served.play(HAND, 5)
        page.keyboard.press("Home")  # who has stepped back stays there
        first = page.locator("li.now").inner_text()
        served.play(HAND)
        finished(page)
        assert page.locator("li.now").inner_text() == first
        assert "new events" in page.locator(".news").inner_text()
        page.keyboard.press("End")
        assert_is_what_everybody_saw(page)
        page.click("#live a:first-of-type")
        page.wait_for_selector("text=all cards shown")


def test_without_a_stream_to_be_had_a_browser_follows_by_long_polls(
    tmp_path: Path, browser: Browser
) -> None:
    with (
        Served(tmp_path, {"ARENA_STREAMS": "0"}) as served,
        window(browser) as page,
    ):
        page.goto(f"{served.url}/hands/{HAND}")
        page.wait_for_selector(".scrub")
        served.play(HAND)
        finished(page)
        assert_is_what_everybody_saw(page)


def test_the_page_of_a_table_leads_to_the_hand_that_is_played(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/tables/cup-r01-t01")
        expect(page.locator("#live .btn")).to_have_text("Hand 1 is being played")
        served.play(HAND)
        page.wait_for_selector(f'#live a[href="/hands/{NEXT}"]')
        assert (
            page.locator("#live").inner_text() == "Hand 2 is being played · Reload the list below"
        )
        served.play(NEXT)
        page.wait_for_selector("text=The last hand is over.")


def test_without_script_the_page_stays_as_it_is_and_has_a_link_to_reload(
    served: Served, browser: Browser
) -> None:
    with window(browser, script=False) as page:
        page.goto(f"{served.url}/hands/{HAND}")
        before = page.locator(".log ol li").count()
        served.play(HAND, 6)
        page.click("text=Reload")
        expect(page.locator(".log ol li")).to_have_count(before + 6)
