"""Pages that change while they are read, in a browser, from a real server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Request, expect

from tests.browser import window
from tests.cli.shell import ROOT
from tests.web.streams.served import SOON_S, Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(os.name != "posix", reason="a process of its own needs a POSIX system"),
]
HAND = "cup-r01-t01-h001"
SOON_MS = 1000 * SOON_S
PARTS = "() => [...document.querySelectorAll('[data-part]')].map((each) => each.innerHTML)"
AS_SERVED = """async () => {
  const text = await (await fetch(location.href)).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  return [...page.querySelectorAll("[data-part]")].map((each) => each.innerHTML);
}"""


@pytest.fixture(autouse=True)
def _our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An arena with a hand that has begun."""
    with Served(tmp_path) as started:
        yield started


def wait_for(page: Page, text: str, selector: str = "main") -> None:
    """Wait until something has a text."""
    page.locator(selector, has_text=text).first.wait_for(state="attached", timeout=SOON_MS)


def test_the_page_of_a_session_becomes_what_the_server_would_draw(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/sessions/cup")
        wait_for(page, "hand 1 of 2")
        before = page.evaluate("() => performance.timeOrigin")
        served.play(HAND)
        wait_for(page, "hand 2 of 2")
        wait_for(page, "1 of 2 hands")
        page.wait_for_function(f"async () => '' + ({PARTS})() === '' + await ({AS_SERVED})()")
        assert page.evaluate("() => performance.timeOrigin") == before  # it was not loaded again


def test_the_front_page_gets_a_session_that_begins_and_says_so(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(served.url)
        assert page.locator("[role=status]").inner_text() == "Being played now: Cup."
        served.ask("POST", "/sessions/cup/cancel")
        wait_for(page, "Nothing is being played now.", "[role=status]")
        wait_for(page, "Cup", "table caption:has-text('Over') ~ tbody")
        expect(page.locator("h2")).to_have_count(0)


def test_the_focus_stays_on_its_link_and_what_is_open_stays_open(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/sessions/cup")
        page.locator("summary", has_text="Check it yourself").click()
        table = page.locator('a[href="/tables/cup-r01-t01"]').first
        table.focus()
        served.play(HAND)
        wait_for(page, "hand 2 of 2")
        focused = "() => document.activeElement.getAttribute('href')"
        assert page.evaluate(focused) == "/tables/cup-r01-t01"
        expect(page.locator("details[open]")).to_have_count(1)


def test_what_would_take_the_link_away_that_has_the_focus_waits(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/sessions/cup")
        page.locator('a[href="/tables/cup-r01-t01"]').first.focus()
        served.ask("POST", "/sessions/cup/cancel")
        wait_for(page, "cancelled", ".pill")
        assert page.locator('a[href="/tables/cup-r01-t01"]').count() == 1
        page.locator(".brand").focus()
        page.locator('a[href="/tables/cup-r01-t01"]').wait_for(state="detached", timeout=SOON_MS)


def test_a_screen_reader_hears_of_a_pause_once_and_not_of_each_hand(
    served: Served, browser: Browser
) -> None:
    with window(browser) as page:
        page.goto(f"{served.url}/sessions/cup")
        page.evaluate(
            """() => {
              window.said = [];
              const status = document.querySelector("[role=status]");
              const say = () => window.said.push(status.textContent);
              const all = { characterData: true, childList: true, subtree: true };
              new MutationObserver(say).observe(status, all);
            }"""
        )
        served.play(HAND, 20)
        served.ask("POST", "/sessions/cup/pause")
        wait_for(page, "paused", ".pill")
        page.wait_for_function("() => window.said.length")
        assert len(page.evaluate("() => window.said")) == 1
        assert page.locator("[role=status]").count() == 1


def test_without_a_stream_to_be_had_the_page_is_asked_for_again(
    tmp_path: Path, browser: Browser
) -> None:
    with Served(tmp_path, {"ARENA_STREAMS": "0"}) as served, window(browser) as page:
        page.clock.install()
        page.goto(f"{served.url}/sessions/cup")
        served.ask("POST", "/sessions/cup/pause")
        asked: list[Request] = []
        page.on("request", lambda request: asked.append(request))
        for _ in range(round(20 * SOON_S)):  # the script may not have set its timer yet
            if f"{served.url}/sessions/cup" in [each.url for each in asked]:
                break
            page.clock.fast_forward(31_000)
            page.wait_for_timeout(50)
        wait_for(page, "paused", ".pill")


def test_without_script_a_page_is_as_it_was(served: Served, browser: Browser) -> None:
    with window(browser, script=False) as page:
        page.goto(f"{served.url}/sessions/cup")
        assert "hand 1 of 2" in page.locator("main").inner_text()
        served.play(HAND)
        served.wait_for_hands(over=1, playing=1)
        page.reload()
        expect(page.locator("main")).to_contain_text("hand 2 of 2")
