"""What readers ask their system for: less motion, more contrast, paper."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page

from tests.browser import Scheme, window
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.recorded import app


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return app().test_client()


@pytest.fixture(scope="module")
def real() -> Real:
    """Four bots that have played."""
    created = Real()
    created.session(4)
    play(created)
    return created


@pytest.mark.parametrize(("less_motion", "offers"), [(False, "Pause"), (True, "Play")])
def test_a_hand_plays_by_itself_but_for_who_wants_less_motion(
    less_motion: bool, offers: str, browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client, reduced_motion=less_motion) as page:
        page.clock.install()
        page.goto("/hands/pagat?play=1")
        page.wait_for_selector(".scrub")
        assert page.get_attribute(".scrub button:nth-of-type(3)", "aria-label") == offers
        page.clock.run_for(2_500)
        moved = page.locator(".scrub input").input_value() != "0"
        assert moved == (not less_motion)


def colour(page: Page, selector: str, name: str = "color") -> str:
    """A colour of an element, as the browser draws it."""
    found: str = page.eval_on_selector(
        selector, "(element, name) => getComputedStyle(element)[name]", name
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_who_wants_more_contrast_gets_it(scheme: Scheme, browser: Browser, real: Real) -> None:
    with window(browser, real.anybody, scheme=scheme) as page:
        page.goto("/sessions/cup")
        assert colour(page, ".kicker") != colour(page, "body")
        page.emulate_media(color_scheme=scheme, contrast="more")
        assert colour(page, ".kicker") == colour(page, "body")
        assert colour(page, ".panel", "borderTopColor") == colour(page, "body")


def test_on_paper_are_the_standings_alone_dark_on_white(browser: Browser, real: Real) -> None:
    with window(browser, real.anybody, scheme="dark") as page:
        page.goto("/sessions/cup")
        page.emulate_media(color_scheme="dark", media="print")
        assert colour(page, "body", "backgroundColor") == "rgb(255, 255, 255)"
        assert colour(page, "body") == "rgb(31, 29, 26)"
        assert page.locator("h1").is_visible()
        assert page.locator(".stand table").is_visible()
        for left_out in ("header", "footer", ".side", ".choices", ".more"):
            assert not page.locator(left_out).first.is_visible(), left_out
