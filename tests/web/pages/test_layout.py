"""Pages as they are drawn: nothing is cut or covered, whatever bots are called."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from arena.settings import Settings
from tests.browser import is_cut, window
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import PATCHES

NAMES = ("W" * 32, "大貧民ボット次郎三郎", "روبوت ذكي جدا", "a bot with a name of some words")
HAND = "/hands/cup-r01-t01-h001?at=5"
COVERED = """
() => [...document.querySelectorAll(".seat .card + .card")].flatMap((card) => {
  const text = document.createRange();
  text.selectNodeContents(card.previousElementSibling.firstElementChild);
  const [rank, next] = [text.getBoundingClientRect(), card.getBoundingClientRect()];
  const covered = next.top <= rank.top && rank.right > next.left + 1;
  return covered ? [`${text} by ${rank.right - next.left} px`] : [];
})
"""
TOO_WIDE = """
() => [...document.querySelectorAll("main *")].filter((each) => {
  const inside = each.closest(".wide, .hidden, caption, svg");
  return !inside && each.scrollWidth > each.clientWidth && each.clientWidth > 0;
}).map((each) => each.outerHTML.slice(0, 100))
"""


@pytest.fixture(scope="module")
def real() -> Real:
    """Four bots with difficult names that have played two hands."""
    created = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    created.session(4, names=NAMES, ruleset=PATCHES, schedule={"rounds": 2})
    play(created, at_most=300)
    return created


def test_long_names_make_no_page_wider_than_its_window(real: Real, browser: Browser) -> None:
    a, b = real.ids[:2]
    for path in (
        "/",
        HAND,
        "/tables/cup-r01-t01",
        "/sessions/cup",
        "/sessions/cup/tables",
        f"/sessions/cup/bots/{a}",
        f"/sessions/cup/pairs/{a}/{b}",
    ):
        with window(browser, real.anybody, width=320) as page:
            page.goto(path)
            for width in (320, 390, 768, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert not is_cut(page), (path, width)
                assert page.evaluate(TOO_WIDE) == [], (path, width)


def test_no_rank_of_a_card_is_covered_by_the_next_card(real: Real, browser: Browser) -> None:
    with window(browser, real.anybody) as page:
        page.goto(HAND)
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.locator(".seat .card", has_text="10").count() == 4
            assert page.evaluate(COVERED) == []


def lefts(page: Page, selector: str) -> list[float]:
    """Where the boxes of elements begin, in pixels from the left."""
    found: list[float] = page.eval_on_selector_all(
        selector, "(all) => all.map((each) => each.getBoundingClientRect().left)"
    )
    return found


def tops(page: Page, selector: str) -> list[float]:
    """Where the boxes of elements begin, in pixels from the top."""
    found: list[float] = page.eval_on_selector_all(
        selector, "(all) => all.map((each) => each.getBoundingClientRect().top)"
    )
    return found


def test_the_numbers_at_the_head_of_a_page_stand_side_by_side(real: Real, browser: Browser) -> None:
    with window(browser, real.anybody) as page:
        page.goto(f"/sessions/cup/bots/{real.ids[0]}")
        assert len(tops(page, ".facts li")) == 5
        assert len(set(tops(page, ".facts li"))) == 1


@pytest.mark.parametrize("width", [390, 1280, 1920, 2560])
def test_head_body_and_foot_begin_at_one_edge(width: int, real: Real, browser: Browser) -> None:
    with window(browser, real.anybody, width=width) as page:
        page.goto("/sessions/cup")
        assert len(set(lefts(page, ".brand, h1, footer p"))) == 1
