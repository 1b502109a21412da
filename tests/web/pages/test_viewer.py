"""The viewer's script in a browser: draws what the server draws, takes keys, says what happens."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page

from arena.rules.presets import PRESETS
from tests.browser import window
from tests.web.pages.recorded import app

OUTLINE = """
const outline = (root) => {
  const lines = [];
  const walk = (node, depth) => {
    if (node.nodeType === 3) {
      const text = node.data.replace(/\\s+/g, " ").trim();
      if (text) lines.push(depth + text);
      return;
    }
    if (node.matches('nav[aria-label="Replay"], .scrub, .tools, .keys, [role=log], [role=alert]')) {
      return;
    }
    const attributes = [...node.attributes].map((each) => `${each.name}="${each.value}"`);
    lines.push(`${depth}<${node.localName} ${attributes.sort().join(" ")}>`);
    node.normalize();
    for (const child of node.childNodes) if (child.nodeType < 4) walk(child, depth + " ");
  };
  walk(root, "");
  return lines;
};
"""
DIFFERENCES = f"""
async (ats) => {{
  {OUTLINE}
  const found = [];
  const atOf = (a) => Number(new URLSearchParams(a.search).get("at"));
  for (const at of ats) {{
    [...document.querySelectorAll(".log li a")].find((a) => at === atOf(a)).click();
    const url = document.querySelector(".log li.now a").href;
    const text = await (await fetch(url)).text();
    const served = new DOMParser().parseFromString(text, "text/html");
    const one = outline(served.querySelector(".viewer"));
    const other = outline(document.querySelector(".viewer"));
    const place = one.findIndex((line, index) => line !== other[index]);
    if (one.length < 100) found.push([at, "nothing is drawn"]);
    if (place >= 0 || one.length !== other.length) {{
      found.push([at, one.slice(place, place + 2), other.slice(place, place + 2)]);
    }}
  }}
  return found;
}}
"""


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return app().test_client()


def open_hand(page: Page, address: str) -> None:
    """Go to a hand and wait for its script."""
    page.goto(address)
    page.wait_for_selector(".scrub")


def ats(page: Page) -> list[int]:
    """The numbers of all events that the list leads to."""
    found: list[int] = page.evaluate(
        "[...document.querySelectorAll('.log li a')]"
        ".map((each) => +new URLSearchParams(each.search).get('at'))"
    )
    return found


def differences(page: Page, every: int) -> list[Any]:
    """Where script and server draw a moment differently; from the end to the beginning."""
    all_ats = ats(page)
    found: list[Any] = page.evaluate(DIFFERENCES, [*all_ats[::-every], all_ats[0]])
    return found


def test_script_and_server_draw_the_same(browser: Browser, client: FlaskClient) -> None:
    with window(browser, client) as page:
        for preset in PRESETS:
            open_hand(page, f"/hands/{preset}")
            assert differences(page, 19) == [], preset
            open_hand(page, f"/hands/{preset}?seat=1&lang=ja&log=all&theme=dark")
            assert differences(page, 23) == [], preset
