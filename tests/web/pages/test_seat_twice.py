"""A seat's page in a real browser, open twice, and after going back; without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import window
from tests.cli.shell import Served
from tests.web.pages.test_seat_script import MOST_TURNS, arena, sit_down

__all__ = ["arena"]

pytestmark = pytest.mark.server
ANSWERS = "[name=choice], [name=pass]"


def asked(page: Page, arena: Served) -> None:
    """Wait until the person is asked."""
    for _ in range(MOST_TURNS):
        page.goto(f"{arena.url}/seat")
        if page.locator("h1").text_content() == "Your turn":
            return
        page.wait_for_timeout(50)
    raise AssertionError("nobody asks")


def turn(page: Page) -> str:
    """The turn that the form of a page answers."""
    return str(page.locator("form.answer [name=turn]").get_attribute("value"))


def test_a_page_that_is_open_twice_takes_one_answer_to_a_turn(
    browser: Browser, arena: Served
) -> None:
    with window(browser, script=False) as first:
        sit_down(first, arena, "Ume", players="8")
        asked(first, arena)
        while first.locator(ANSWERS).count() < 2:  # the same answer twice would be taken twice
            first.locator(ANSWERS).first.click()
            asked(first, arena)
        second = first.context.new_page()
        second.goto(f"{arena.url}/seat")
        assert turn(second) == turn(first)
        first.locator(ANSWERS).first.click()
        second.locator(ANSWERS).last.click()
        assert "is over" in " ".join(second.locator(".notice").all_text_contents())


def test_who_goes_back_sees_how_things_stand_now(browser: Browser, arena: Served) -> None:
    with window(browser, script=False) as page:
        sit_down(page, arena, "Kei", players="2")
        asked(page, arena)
        before = turn(page)
        page.locator(ANSWERS).last.click()
        asked(page, arena)
        now = turn(page)
        page.go_back()
        assert now != before
        assert turn(page) == now
