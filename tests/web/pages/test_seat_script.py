"""A person plays in a real browser: by keyboard alone, by ear alone, with the script gone midway.

A real server, with the program of the house bots beside it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import is_cut, violations, window
from tests.cli.shell import PATIENCE_S, Served, served

pytestmark = pytest.mark.server

MOST_TURNS = 200
TURNS_WITH_ALL_KEYS = 3
"""Listening takes time; from then on only what may be played is asked for."""
LOOK_AGAIN_MS = 100
OPTION = re.compile(r"\d+: ([^;]+?)(?=[;.])")


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    config = tmp_path_factory.mktemp("arena") / "arena.toml"
    config.write_text("requests_per_s = 0\nanonymous_per_s = 0\n", encoding="utf-8")
    with served("memory:", more=("--house-bots", "--config", str(config))) as running:
        until = time.monotonic() + PATIENCE_S
        while b"Sit down" not in urlopen(f"{running.url}/seat", timeout=PATIENCE_S).read():
            assert time.monotonic() < until, "the house bots do not come"
            time.sleep(0.2)
        yield running


def sit_down(page: Page, arena: Served, name: str = "Ann", **chosen: str) -> None:
    """Fill in the form of a new table: small, and without a clock, for machines are slow."""
    page.goto(f"{arena.url}/seat")
    page.get_by_label("Your name").fill(name)
    usual = {"players": "2", "hands": "1", "strength": "lowest", "clock": "none"}
    for field, value in {**usual, **chosen}.items():
        page.locator(f"[name={field}]").select_option(value)
    page.get_by_role("button", name="Sit down").click()
    page.locator("#seat").wait_for()


def settled(page: Page) -> str:
    """Wait for the script, and until the person is asked or the table is over; which of both."""
    page.wait_for_selector("#said", state="attached")
    state(page, re.compile("turn|over"))
    return str(page.locator("#seat").get_attribute("data-state"))


def state(page: Page, wanted: str | re.Pattern[str]) -> None:
    """Wait until the page is in this state."""
    expect(page.locator("#seat")).to_have_attribute("data-state", wanted)


def moved_on(page: Page, name: str, before: str) -> None:
    """Wait until the page says something else of itself."""
    expect(page.locator("#seat")).not_to_have_attribute(name, before)


def focused(page: Page) -> str:
    """What has the focus: its name or text."""
    script = "(e => e.name || e.textContent)(document.activeElement)"
    return str(page.evaluate(script)).strip()


def tab_to(page: Page, wanted: str) -> None:
    """Go there with the Tab key, as somebody without a mouse does."""
    for _ in range(80):
        if focused(page) == wanted:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {wanted}")


def test_a_whole_hand_is_played_by_keyboard_alone(browser: Browser, arena: Served) -> None:
    with window(browser) as page:
        page.goto(f"{arena.url}/seat")
        tab_to(page, "name")
        page.keyboard.type("Kei")
        tab_to(page, "players")
        page.keyboard.type("6")
        tab_to(page, "hands")
        page.keyboard.press("Home")
        tab_to(page, "clock")
        page.keyboard.press("End")
        tab_to(page, "Sit down")
        page.keyboard.press("Enter")
        ways = 0
        for number in range(MOST_TURNS):
            if settled(page) == "over":
                break
            mark = page.locator("#seat").get_attribute("data-mark") or ""
            plays = page.locator("[name=kind]").input_value() == "play"
            if plays and (number % 2 or not ways):  # some turns of a deal leave nothing but to pass
                ways += play_cards(page)
            else:
                page.keyboard.press("ArrowDown")
                page.keyboard.press("Enter")
            moved_on(page, "data-mark", mark)
        expect(page.locator("h1")).to_have_text("The table is over")
        assert ways > 0
        tab_to(page, "watch it again")
        page.keyboard.press("Enter")
        page.wait_for_url("**/hands/**")


def play_cards(page: Page) -> int:
    """Choose cards by their numbers until they are an answer, and play them with Space."""
    answers = page.eval_on_selector_all(
        "[data-cards]", "all => all.map(each => each.dataset.cards.split(' '))"
    )
    held = page.eval_on_selector_all("[name=card]", "all => all.map(each => each.value)")
    reachable = [cards for cards in answers if all(held.index(card) < 9 for card in cards)]
    if not reachable:
        page.keyboard.press("p")
        return 0
    for card in reachable[0]:
        page.keyboard.press(str(held.index(card) + 1))
    open_now = page.eval_on_selector_all(
        "[name=card]:enabled:not(:checked)", "all => all.map(each => each.value)"
    )
    assert page.locator(".answer[data-more]").count() == 0
    longer = [cards for cards in answers if set(reachable[0]) < set(cards)]
    expected = {card for cards in longer for card in cards} - set(reachable[0])
    assert set(open_now) == expected, (reachable[0], answers, held)
    page.locator("h1").focus()
    page.keyboard.press("Space")
    return 1


LISTEN = """() => {
    const region = document.querySelector("#said");
    window.heard = [...region.children].map(each => each.textContent);
    window.count = 0;
    new MutationObserver(changes => changes.forEach(change =>
        change.addedNodes.forEach(each => (window.count++, window.heard.push(each.textContent)))
    )).observe(region, {childList: true});
}"""
"""What is added to a live region is heard, as by a screen reader."""
SILENCE = """() => new Promise(done => {
    const listen = heard => setTimeout(() => heard === count ? done() : listen(count), 200);
    listen(-1);
})"""
"""Nothing is said for longer than it rests between two sentences, by the clock of the page: one
that is kept busy is silent for long, too."""


class Ear:
    """Somebody who knows nothing but what the live regions say."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.evaluate(LISTEN)

    def news(self) -> list[str]:
        """What was said since the last time."""
        said: list[str] = self._page.evaluate("window.heard.splice(0)")
        return said

    def urgent(self) -> str:
        """What was said at once, and holds still."""
        return self._page.locator("#alarm").text_content() or ""

    def quiet(self) -> list[str]:
        """Listen until nothing is said for a moment; what was."""
        self._page.evaluate(SILENCE)
        return self.news()

    def ask(self, key: str) -> str:
        """What a key says."""
        self._page.keyboard.press(key)
        return " ".join(self.quiet())


def test_a_whole_hand_is_played_by_what_is_said_alone(browser: Browser, arena: Served) -> None:
    with window(browser) as page:
        sit_down(page, arena, "Mio", players="4")
        page.wait_for_selector("#said", state="attached")
        ear = Ear(page)
        heard: list[str] = []
        for number in range(MOST_TURNS):
            state(page, re.compile("turn|over"))
            heard += ear.quiet()
            if any("The table is over" in each for each in heard):
                break
            assert "Your turn" in ear.urgent()
            options = OPTION.findall(ear.ask("m"))
            assert options
            words = options[0]
            if number < TURNS_WITH_ALL_KEYS:
                assert "Your cards: 1:" in ear.ask("h")
                assert all(ear.ask(key) for key in ("c", "e", "r", "t", "l"))
            assert words in ear.ask("ArrowDown")
            mark = page.locator("#seat").get_attribute("data-mark") or ""
            page.keyboard.press("Enter")
            moved_on(page, "data-mark", mark)
            answered = ear.quiet()
            assert any("Mio" in each for each in answered), answered
            heard += answered
        assert any("The hand ends" in each for each in heard)
        assert any("The table is over" in each for each in heard)
        assert any(re.search(r"Hand 1: place \d", each) for each in heard)


def test_the_script_may_go_in_the_middle_of_a_hand(browser: Browser, arena: Served) -> None:
    with window(browser) as page:
        sit_down(page, arena, "Noa")
        settled(page)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        moved_on(page, "data-since", "-1")
        cookies = page.context.cookies()
    with window(browser, script=False) as page:
        page.context.add_cookies(
            [
                {"url": f"{arena.url}/seat", "name": each["name"], "value": each["value"]}
                for each in cookies
            ]
        )
        until = time.monotonic() + PATIENCE_S
        heading: str | None = ""
        while heading != "The table is over":
            assert time.monotonic() < until, heading
            page.goto(f"{arena.url}/seat")
            heading = page.locator("h1").text_content()
            if heading == "Your turn":
                page.locator("[name=choice], [name=pass]").last.click()
            else:
                page.wait_for_timeout(LOOK_AGAIN_MS)


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_and_axe_finds_nothing(
    browser: Browser, arena: Served, width: int, scheme: str
) -> None:
    with window(browser, width=width, scheme=scheme) as page:  # type: ignore[arg-type]
        page.goto(f"{arena.url}/seat")
        page.locator("summary").click()
        assert (violations(page), is_cut(page)) == ([], False)
        sit_down(page, arena, "Aya", players="8")
        settled(page)
        page.keyboard.press("?")
        assert (violations(page), is_cut(page)) == ([], False)
        page.get_by_role("button", name="Leave the table").click()
        state(page, "over")
        assert (violations(page), is_cut(page)) == ([], False)


def test_a_refusal_is_said_at_once_and_keeps_the_cards(browser: Browser, arena: Served) -> None:
    with window(browser) as page:
        sit_down(page, arena, "Rui")
        settled(page)
        page.eval_on_selector_all(
            "[name=card]",
            "all => all.forEach(e => Object.assign(e, {disabled: false, checked: true}))",
        )
        page.locator("h1").focus()
        page.keyboard.press("Space")
        page.locator(".notice").wait_for()
        expect(page.locator("#alarm")).to_contain_text("Not allowed")
        assert page.locator("[name=card]:checked").count() > 1
        assert settled(page) == "turn"
