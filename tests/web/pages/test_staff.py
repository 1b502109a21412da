"""The staff view: a token pasted once, kept in the tab, sent as a header; what it shows is text."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Request, expect

from arena.store.port import BotRow
from arena.web.pages.assets import STAFF
from tests.browser import Scheme, is_cut, violations, window
from tests.real import Real

HOSTILE = '<img src=x onerror="document.title=1">'


def token_of(client: FlaskClient) -> str:
    return str(client.environ_base["HTTP_AUTHORIZATION"]).partition(" ")[2]


@pytest.fixture(scope="module")
def real() -> Real:
    created = Real()
    created.session(4)
    bot = "b-hostile"
    created.store.write(BotRow(bot, HOSTILE, HOSTILE, "h" * 64, 1, False, "bot"))
    created.organiser.post("/api/v1/sessions", json={"name": HOSTILE, "slug": "two"})
    assert created.organiser.put(f"/api/v1/sessions/two/entries/{bot}").status_code == 200
    return created


def enter(page: Page, token: str) -> None:
    page.goto("/staff")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Use it").click()


def test_the_page_holds_nothing_and_is_the_same_for_everybody(real: Real) -> None:
    pages = {client.get("/staff").data for client in (real.anybody, real.organiser, real.bots[0])}
    assert len(pages) == 1
    assert b"bot-1" not in pages.pop()


def test_without_script_it_names_the_commands(real: Real, browser: Browser) -> None:
    with window(browser, real.anybody, script=False) as page:
        page.goto("/staff")
        for command in ("session bots", "session status", "session alerts", "session audit"):
            assert page.get_by_text(f"arena {command}").is_visible()
        assert not page.locator("#token").is_visible()


def test_what_staff_wants_to_see_is_there_and_changes_by_itself(
    real: Real, browser: Browser
) -> None:
    asked: list[Request] = []
    token = token_of(real.organiser)
    with window(browser, real.anybody) as page:
        page.on("request", lambda request: asked.append(request))
        enter(page, token)
        page.select_option("#session", "cup")
        for name in ("Who is there", "Clocks and faults", "Alerts", "Audit"):
            expect(page.get_by_role("heading", name=name)).to_be_visible()
        page.get_by_role("region", name="Who is there").get_by_text("bot-1").first.wait_for()
        clocks = page.get_by_role("region", name="Clocks and faults")
        clocks.get_by_text("cup-r01-t01").first.wait_for()
        page.get_by_role("region", name="Audit").get_by_text("organiser").first.wait_for()
        real.clock.pass_ms(2_500)
        clocks.get_by_text(re.compile(r"^2\.\d s$")).first.wait_for()
        page.reload()  # in the same tab the token is still there
        page.get_by_text("organiser, organiser").wait_for()
        expect(page.locator("#session")).to_have_value("cup")
        assert page.evaluate("document.cookie") == ""
        assert page.evaluate("localStorage.length") == 0
        page.get_by_role("button", name="Forget the token").click()
        expect(page.get_by_label("Token")).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 0
        assert "bot-1" not in page.content()
    calls = [each for each in asked if "/api/" in each.url]
    assert calls
    assert {each.method for each in calls} == {"GET"}
    assert {each.headers["authorization"] for each in calls} == {f"Bearer {token}"}
    assert not any(token in each.url for each in asked)


def test_a_token_that_is_not_good_for_it_is_said_and_forgotten(
    real: Real, browser: Browser
) -> None:
    lost = real.referee.registry.create_admin("leaving")
    with window(browser, real.anybody) as page:
        for token, says in (
            ("dfa_nobody", "not known here"),
            (token_of(real.bots[0]), "token of a bot"),
            ("two words", "no token"),
        ):
            enter(page, token)
            page.get_by_role("status").get_by_text(says).wait_for()
            assert page.evaluate("sessionStorage.length") == 0
        enter(page, lost)
        page.get_by_role("heading", name="Audit").wait_for()
        path = "/api/v1/organisers/leaving/revoke"
        assert real.organiser.post(path).status_code == 200
        page.get_by_role("status").get_by_text("or no longer").wait_for()
        assert page.evaluate("sessionStorage.length") == 0


def test_names_are_text_whatever_they_say(real: Real, browser: Browser) -> None:
    with window(browser, real.anybody) as page:
        enter(page, token_of(real.organiser))
        page.get_by_text("organiser, organiser").wait_for()
        page.select_option("#session", "two")
        page.get_by_role("region", name="Who is there").get_by_text(HOSTILE).first.wait_for()
        assert page.locator("#panels img, #session img").count() == 0
        assert page.title().startswith("Staff")
    assert not re.search(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", STAFF.body
    )


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_view_is_sound_and_fits(
    width: int, scheme: Scheme, real: Real, browser: Browser
) -> None:
    with window(browser, real.anybody, width=width, scheme=scheme) as page:
        page.goto("/staff")
        page.get_by_label("Token").wait_for()
        assert violations(page) == []
        enter(page, token_of(real.organiser))
        page.select_option("#session", "cup")
        page.get_by_role("region", name="Clocks and faults").get_by_text("bot-1").first.wait_for()
        assert violations(page) == []
        assert not is_cut(page)
