"""The viewer's script in a browser: draws what the server draws, takes keys, says what happens."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from arena.rules.presets import PRESETS
from tests.browser import Scheme, violations, window
from tests.narration.golden import FOLDER
from tests.web.pages.recorded import LONG, app, golden_record, long_record
from tests.web.pages.test_moments import boards as whole_boards

OUTLINE = """
const outline = (root) => {
  const lines = [];
  const walk = (node, depth) => {
    if (node.nodeType === 3) {
      const text = node.data.replace(/\\s+/g, " ").trim();
      if (text) lines.push(depth + text);
      return;
    }
    const controls = 'nav[aria-label="Replay"], .scrub, .tools, .keys, [role=log], [role=alert]';
    if (node.matches(controls) || node.localName === "script") return;
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
SAME_PARTS = f"""
async (url) => {{
  {OUTLINE}
  const text = await (await fetch(url)).text();
  const served = new DOMParser().parseFromString(text, "text/html");
  const parts = [".log", ".felt", ".chips"].filter((part) => {{
    const [one, other] = [served, document].map((each) => outline(each.querySelector(part)));
    return one.join("\\n") !== other.join("\\n");
  }});
  return parts;
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


def now(page: Page) -> int:
    """The number of the event that is shown."""
    href = page.get_attribute("li.now a", "href") or ""
    return int(href.removeprefix("?at=").partition("&")[0])


def announced(page: Page) -> str:
    return page.locator("[role=alert]").inner_text()


def test_everything_can_be_reached_by_keys(browser: Browser, client: FlaskClient) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?seat=1")
        every, keyboard = ats(page), page.keyboard
        moments = client.get("/hands/pagat/moments?seat=1").get_json()["moments"]
        starts = [
            m["at"] for m, b in zip(moments[1:], moments, strict=False) if m["trick"] > b["trick"]
        ]
        notable = [m["at"] for m in moments if m["notable"]]
        assert now(page) == every[0]
        for key, expected in (
            ("ArrowRight", every[1]),
            ("ArrowLeft", every[0]),
            ("Shift+ArrowRight", starts[0]),
            ("Shift+ArrowRight", starts[1]),
            ("Shift+ArrowLeft", starts[0]),
            ("End", every[-1]),
            ("Home", every[0]),
            ("n", notable[0]),
            ("n", notable[1]),
            ("p", notable[0]),
        ):
            keyboard.press(key)
            assert now(page) == expected, key
        keyboard.press("g")
        keyboard.type("100")
        keyboard.press("Enter")
        assert now(page) == next(at for at in every if at >= 100)
        assert page.input_value(".scrub input") == str(every.index(now(page)))
        value = page.get_attribute(".scrub input", "aria-valuetext")
        moment = moments[every.index(now(page))]
        assert value == f"trick {moment['trick']}, {moment['text']}"
        page.wait_for_url(f"**/hands/pagat?at={now(page)}&seat=1")
        keyboard.press(">")
        assert page.input_value(".tools select") == "2"
        page.wait_for_url("**&speed=2")
        keyboard.press("f")
        assert page.locator(".seat.s bdi").inner_text() == "south"
        keyboard.press("?")
        assert page.locator(".keys dl").is_visible()
        page.uncheck(".keys input")
        before = now(page)
        keyboard.press("End")
        keyboard.press("n")
        assert now(page) == before
        page.reload()
        page.wait_for_selector(".scrub")
        keyboard.press("Home")
        assert now(page) == before


def test_keys_are_left_to_fields_to_the_browser_and_to_buttons(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?at=50")
        before, keyboard = now(page), page.keyboard
        for field in (".tools input", ".tools select", ".keys input"):
            page.locator(field).evaluate("(field) => field.focus()")
            for key in ("n", "p", "Home", "End", "l", "f", "?"):
                keyboard.press(key)
            assert now(page) == before, field
        page.locator(".scrub button").first.focus()
        for held in ("Control", "Alt", "Meta"):
            keyboard.press(f"{held}+n")
            assert now(page) == before, held
        assert announced(page) == ""
        toggle = page.locator(".scrub button:nth-of-type(3)")
        toggle.focus()
        keyboard.press("Space")
        assert toggle.get_attribute("aria-label") == "Pause"
        keyboard.press("Space")
        assert toggle.get_attribute("aria-label") == "Play"


def test_a_key_shows_and_hides_the_list_of_keys_and_another_slows_down(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat")
        for shown in (True, False):
            page.keyboard.press("?")
            assert page.locator(".keys dl").is_visible() == shown
        page.keyboard.press("<")
        assert page.input_value(".tools select") == "0.5"
        assert announced(page) == "speed 0.5"
        for _ in range(9):
            page.keyboard.press("<")
        assert announced(page) == "speed 0.25"


def test_the_keys_of_pages_lead_to_the_hands_beside(browser: Browser, client: FlaskClient) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?theme=dark&lang=ja&speed=4&at=50")
        page.keyboard.press("PageDown")
        page.wait_for_url("**/hands/school?lang=ja&theme=dark&speed=4")
        page.wait_for_selector(".scrub")
        page.keyboard.press("PageUp")
        page.wait_for_url("**/hands/house?lang=ja&theme=dark&speed=4")


def test_keys_say_how_things_stand(browser: Browser, client: FlaskClient) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/house?seat=1&at=76")
        document = client.get("/hands/house/moments?seat=1").get_json()
        boards = zip(document["moments"], whole_boards(document), strict=True)
        moment, board = next((m, b) for m, b in boards if m["at"] >= 76)
        assert len(board["in_force"]) > 1
        assert board["pile"]
        words = [document["cards"][name]["words"] for name in board["seats"][1]["cards"]]
        pile = ", ".join(document["cards"][name]["words"] for name in board["pile"])
        for key, expected in (
            ("l", moment["text"]),
            ("c", f"{pile}, by {board['owner']}"),
            ("h", f"east: {', '.join(words)}"),
            ("1", words[0]),
            ("9", words[8] if len(words) > 8 else "no card 9"),
            ("r", ", ".join(board["in_force"])),
        ):
            page.keyboard.press(key)
            assert announced(page) == expected, key
        page.keyboard.press("e")
        assert f"north: {board['seats'][0]['size']} card" in announced(page)
        page.keyboard.press("t")
        spent = sum(
            m["charged_ms"] or 0
            for m in document["moments"]
            if m["at"] <= moment["at"] and m["seat"] == 0
        )
        assert f"north: {spent / 1000:.1f} s" in announced(page)


def test_what_keys_say_is_marked_by_its_language(browser: Browser, client: FlaskClient) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?lang=ja")
        japanese = page.locator("[role=alert] [lang=ja]")
        page.keyboard.press("l")
        assert japanese.inner_text() == page.locator("li.now a").inner_text()
        for key, says in (("r", "the usual order"), ("c", "The table is empty.")):
            page.keyboard.press(key)
            assert announced(page) == says
            assert japanese.count() == 0


@pytest.mark.parametrize(("preset", "code"), [("tycoon_p5r", "en"), ("japan_league", "ja")])
def test_what_is_said_while_a_hand_plays_is_the_golden_text(
    preset: str, code: str, browser: Browser, client: FlaskClient
) -> None:
    golden = (FOLDER / f"{preset}.{code}.txt").read_text(encoding="utf-8").splitlines()
    with window(browser, client) as page:
        page.clock.install()
        open_hand(page, f"/hands/{preset}?detail=full&lang={code}&speed=8")
        page.evaluate(
            "window.heard = []; new MutationObserver((all) => all.forEach((each) => each.addedNodes"
            ".forEach((node) => heard.push(node.textContent))))"
            ".observe(document.querySelector('[role=log]'), {childList: true})"
        )
        page.keyboard.press("Space")
        page.clock.run_for(60_000)
        heard = page.evaluate("heard")
        assert page.get_attribute(".scrub button:nth-of-type(3)", "aria-label") == "Play"
        assert heard == [line for line in golden if line in set(heard)]
        assert len(heard) == len(ats(page)) - 1
        assert page.locator("[role=log] p").count() <= 20
        page.keyboard.press("ArrowLeft")
        page.clock.run_for(1_000)
        assert page.evaluate("heard.at(-1)") == f"back to: {heard[-2]}"


def test_the_way_back_leads_to_the_moment_before_and_then_away(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        page.goto("/host?of=about:blank")
        open_hand(page, "/hands/pagat?theme=dark")
        page.keyboard.press("ArrowRight")
        first = now(page)
        page.click(".log details:nth-of-type(3) summary")
        page.click(".log details:nth-of-type(3) li:nth-of-type(2) a")
        second = now(page)
        assert second > first
        page.go_back()
        page.wait_for_url(f"**?at={first}&theme=dark")
        expect(page.locator("li.now a")).to_have_attribute("href", f"?at={first}&theme=dark")
        page.go_back()
        page.wait_for_url("**/host*")


def test_who_has_no_script_goes_on_at_the_same_moment(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?seat=2&lang=ja")
        for _ in range(7):
            page.keyboard.press("ArrowRight")
        at = now(page)
        page.wait_for_url(f"**?at={at}&seat=2&lang=ja")
        address = page.url
        felt = page.locator(".felt").inner_text()
    with window(browser, client, script=False) as page:
        page.goto(address)
        assert now(page) == at
        assert page.locator(".felt").inner_text() == felt
        last = golden_events("pagat") - 1
        page.click("text=▶|")
        page.wait_for_url(f"**?at={last}&*")
        assert now(page) == last


def test_a_hand_that_is_played_goes_on_where_one_looks_at_its_end(
    browser: Browser, client: FlaskClient
) -> None:
    document = client.get("/hands/pagat/moments").get_json()
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat?steps=20")
        known = ats(page)
        more = [moment for moment in document["moments"] if moment["at"] > known[-3]]
        page.keyboard.press("End")
        send(page, more[:5], over=False)
        assert now(page) == ats(page)[-1] == more[4]["at"]
        assert ats(page) == [*known, more[2]["at"], more[3]["at"], more[4]["at"]]
        page.keyboard.press("ArrowLeft")
        stayed = now(page)
        send(page, more[5:8], over=False)
        assert now(page) == stayed
        assert page.locator(".news").inner_text() == "3 new events"
        send(page, more[5:], over=True)
        assert page.locator(".news").inner_text() == f"{len(more) - 5} new events"
        page.keyboard.press("End")
        assert now(page) == document["moments"][-1]["at"]
        assert not page.locator(".news").is_visible()
        assert page.evaluate(SAME_PARTS, f"/hands/pagat?at={now(page)}") == []


def test_what_a_stream_sends_twice_is_said_once(browser: Browser, client: FlaskClient) -> None:
    document = client.get("/hands/pagat/moments").get_json()
    with window(browser, client) as page:
        page.clock.install()
        open_hand(page, "/hands/pagat?steps=20")
        page.keyboard.press("End")
        known = ats(page)
        more = [moment for moment in document["moments"] if moment["at"] > known[-1]][:4]
        page.clock.run_for(2_000)
        for moments in (more[:3], more[:3], more[1:], more):
            send(page, moments, over=False)
        page.clock.run_for(2_000)
        heard = page.locator("[role=log] p").all_inner_texts()
        assert heard == [each["text"] for each in document["moments"][len(known) - 1 :]][:5]
        assert ats(page) == [*known, *(moment["at"] for moment in more)]


def test_without_its_moments_a_page_works_as_without_script(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        page.route("**/moments?*", lambda route: route.fulfill(status=403))
        page.goto("/hands/long")
        page.wait_for_selector("nav .notice")
        assert "The replay could not be loaded (403" in page.locator("nav .notice").inner_text()
        first = now(page)
        page.click('a[aria-label="One step on"]')
        page.wait_for_url("**?at=*")
        assert now(page) > first


def test_how_much_is_said_is_chosen_by_a_link_that_keeps_the_moment(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        open_hand(page, "/hands/pagat")
        page.click("[aria-label='To the next notable event']")
        at, usual = now(page), page.locator("li.now").inner_text()
        page.click("text=full")
        page.wait_for_url("**detail=full*")
        page.wait_for_selector(".scrub")
        assert now(page) == at
        assert page.locator("li.now").inner_text() != usual
        page.keyboard.press("l")
        assert announced(page) in page.locator("li.now").inner_text()


def test_a_hand_of_ten_thousand_events(browser: Browser, client: FlaskClient) -> None:
    last = len(long_record(LONG).events) - 1
    with window(browser, client) as page:
        open_hand(page, "/hands/long")
        page.keyboard.press("End")
        assert now(page) == last
        page.keyboard.press("ArrowLeft")
        assert now(page) == last - 2
        assert page.locator("li.now").count() == 1


def send(page: Page, moments: list[dict[str, Any]], *, over: bool) -> None:
    """A stream brings moments."""
    page.evaluate(
        "(detail) => document.querySelector('.viewer')"
        ".dispatchEvent(new CustomEvent('moments:append', {detail}))",
        {"moments": moments, "over": over},
    )


def test_a_page_that_embeds_a_hand_is_told_of_each_turn_and_of_the_end(
    browser: Browser, client: FlaskClient
) -> None:
    with window(browser, client) as page:
        page.goto("/host?of=/hands/pagat")
        page.evaluate("() => { window.heard = []; onmessage = (event) => heard.push(event.data); }")
        frame = page.frames[1]
        frame.wait_for_selector(".scrub")
        frame.press(".scrub input", "n")
        frame.press(".scrub input", "End")
        page.wait_for_function("heard.length === 2")
        turn, end = page.evaluate("heard")
    assert (turn["source"], turn["type"], turn["hand"]) == ("daifugo-arena", "turn", "pagat")
    assert (end["type"], end["at"]) == ("end", golden_events("pagat") - 1)
    assert set(end) == {"source", "type", "hand", "at", "trick", "text"}


def golden_events(preset: str) -> int:
    return len(golden_record(preset).events)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_at_every_width(
    scheme: Scheme, browser: Browser, client: FlaskClient
) -> None:
    for width in (320, 768, 1280):
        with window(browser, client, width=width, scheme=scheme) as page:
            open_hand(page, "/hands/tycoon_p5r?at=62")
            page.click(".keys summary")
            assert violations(page) == [], width
            sizes = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert sizes[0] <= sizes[1], width
