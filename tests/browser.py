"""A browser for the tests: Chromium from the system, driven by Playwright, and axe-core in it.

The program is that of the system (Debian: the package `chromium`). Where there is none, tests skip;
with TESTS_NEED_SERVERS set they fail instead, so that a test run in CI cannot leave them out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    Route,
    expect,
    sync_playwright,
)

NEEDED = "TESTS_NEED_SERVERS"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ORIGIN = "https://arena.test"
"""Where pages seem to come from that an app in this process answers; no such host exists."""
STREAM = "text/event-stream"
NOT_PASSED_ON = ("host", "accept-encoding")
PATIENCE_MS = 120_000
"""How long anything on a page is waited for: machines that do much besides are slow."""
Scheme = Literal["light", "dark"]
_axe = Axe()


def program() -> str:
    """The path of a browser; the test skips where there is none."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None and os.environ.get(NEEDED):
        pytest.fail(f"{NEEDED} is set, and none of these programs is there: {', '.join(PROGRAMS)}")
    if found is None:
        pytest.skip(f"needs a browser: one of the programs {', '.join(PROGRAMS)}")
    return found


@contextmanager
def start_browser() -> Iterator[Browser]:
    """A browser without a window, gone afterwards."""
    path = program()
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]  # Chromium has no sandbox for root.
        browser = playwright.chromium.launch(
            executable_path=path, args=arguments, timeout=PATIENCE_MS
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(
    browser: Browser,
    client: FlaskClient | None = None,
    *,
    width: int = 1280,
    scheme: Scheme = "light",
    script: bool = True,
    reduced_motion: bool = True,
) -> Iterator[Page]:
    """An empty page of a browser that knows nothing yet.

    client: of the app that answers all requests to `ORIGIN`, but for streams, which never come;
    without one, they go to the network.
    Whatever is asked of another host fails, as does a test after an error on the page.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        java_script_enabled=script,
        reduced_motion="reduce" if reduced_motion else "no-preference",
        base_url=ORIGIN if client is not None else None,
    )
    context.set_default_timeout(PATIENCE_MS)
    try:
        if client is not None:
            _answer(context, client)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.extend(_faults(message.type, message.text)))
        yield page
        assert errors == [], f"errors on the page: {errors}"
    finally:
        context.close()


def _faults(kind: str, text: str) -> Iterator[str]:
    """What a message on the console complains of: a policy that was hurt, not a status of 4xx."""
    if kind == "error" and "Failed to load resource" not in text:
        yield text


def _answer(context: BrowserContext, client: FlaskClient) -> None:
    """Let an app in this process answer whatever the pages ask."""

    def answer(route: Route, request: Request) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != ORIGIN:
            route.abort("blockedbyclient")
            return
        if request.headers.get("accept") == STREAM:
            route.abort("connectionfailed")  # It would never end; the page tries again and again.
            return
        reply = client.open(
            parts.path,
            method=request.method,
            base_url=ORIGIN,
            query_string=parts.query,
            # What a route gives to the browser is not decoded by it, so the body has to be plain.
            headers=[each for each in request.headers.items() if each[0] not in NOT_PASSED_ON],
            data=request.post_data_buffer,
        )
        route.fulfill(status=reply.status_code, headers=dict(reply.headers), body=reply.data)

    context.route("**/*", answer)


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds on a page, a line for each element: the rule, what it says, where.

    rules: only these; all of them if none is named.
    """
    options = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else None
    found = _axe.run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {each['help']}: {node['target']}"
        for each in found
        for node in each["nodes"]
    ]


def is_cut(page: Page) -> bool:
    """Whether the page is wider than its window, so that one has to scroll sideways."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )
