"""The browser that other tests look at pages with: what it is given, and what it complains of."""

from __future__ import annotations

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from tests.browser import is_cut, violations, window
from tests.real import Real

POLICY = "default-src 'none'; script-src 'self'; connect-src *"


def app(body: str) -> Flask:
    """An app of one page, under a policy as the arena's."""
    made = Flask(__name__)

    @made.get("/")
    def page() -> tuple[str, dict[str, str]]:
        text = f'<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>{body}'
        return text, {"Content-Security-Policy": POLICY}

    return made


def test_a_page_of_the_arena_is_seen_as_the_app_sends_it(browser: Browser) -> None:
    real = Real()
    real.session()
    with window(browser, real.anybody, width=390) as page:
        page.goto("/sessions/cup")
        heading = page.get_by_role("heading", level=1)
        assert heading.inner_text().startswith("Spring cup")
        page.get_by_role("link", name="Manual", exact=True).click()
        expect(heading).to_have_text("Manual")


def test_axe_names_the_rule_and_the_element(browser: Browser) -> None:
    with window(browser, app("<button></button>").test_client()) as page:
        page.goto("/")
        assert any(line.startswith("button-name") and "button" in line for line in violations(page))
    with window(browser, app("<p>Nothing to see").test_client()) as page:
        page.goto("/")
        assert violations(page) == []


def test_a_page_wider_than_its_window_is_noticed(browser: Browser) -> None:
    with window(browser, app(f"<p>{'8' * 300}").test_client(), width=320) as page:
        page.goto("/")
        assert is_cut(page)


def test_a_script_that_the_policy_forbids_fails_the_test(browser: Browser) -> None:
    with (
        pytest.raises(AssertionError, match="Content Security Policy"),
        window(browser, app("<script>1</script>").test_client()) as page,
        page.expect_console_message(),
    ):
        page.goto("/")


def test_no_other_host_can_be_asked(browser: Browser) -> None:
    with window(browser, app("<p>Here").test_client()) as page:
        page.goto("/")
        with page.expect_event("requestfailed") as refused:
            page.evaluate("() => fetch('https://elsewhere.test/').catch(() => null)")
        assert refused.value.url == "https://elsewhere.test/"
