"""The rules as pages: an anchor for each option, examples to watch, what a ruleset changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from arena.reference import find, reference
from arena.reference.examples import EXAMPLES
from arena.reference.inventory import STATEMENTS
from arena.reference.readings import absent
from arena.reference.scenes import ExampleTable, lines_of
from arena.rules import resolve
from arena.rules.options import OPTIONS
from arena.rules.patches import patch_names
from arena.rules.presets import PRESETS
from arena.settings import Settings
from arena.web.api.validation import Schemas
from arena.web.pages.examples import played
from arena.web.pages.rules import WORDS
from arena.web.pages.rules_search import find_rules
from tests.browser import window
from tests.real import Real
from tests.web.pages.test_viewer import differences, open_hand
from tests.web.pages.test_views import Outline
from tests.web.watchdog import Watchdog

BROWSER = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    watchdog = Watchdog(schemas)
    created = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    watchdog.watch(created.app)
    yield created
    assert watchdog.complaints == []


@pytest.fixture(scope="module")
def anybody(real: Real) -> FlaskClient:
    return real.anybody


@pytest.fixture(scope="module")
def page(anybody: FlaskClient) -> str:
    response = anybody.get("/rules", headers=BROWSER)
    assert response.content_type == "text/html; charset=utf-8"
    return response.text


def section_of(option: str, page: str) -> str:
    _, _, rest = page.partition(f'<section id="{option}"')
    return rest.partition(">")[2].partition("</section>")[0]


def words(text: str) -> str:
    return " ".join("".join(Outline(text).words).split())


def test_every_option_patch_and_statement_has_an_anchor_and_every_preset_a_page(page: str) -> None:
    outline = Outline(page)
    ids = [str(attributes["id"]) for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = {*OPTIONS, *STATEMENTS, *(f"patch-{name}" for name, _ in patch_names())}
    assert wanted <= set(ids)
    links = {str(each.get("href")) for each in outline.of("a")}
    assert {f"/rules/{name}" for name in PRESETS} <= links
    assert {f"/rules/examples/{name}" for name in OPTIONS} <= links
    assert {link[1:] for link in links if link.startswith("#")} <= {*ids, "main"}


def test_an_option_says_what_it_is_its_values_and_what_it_needs(page: str) -> None:
    section = section_of("shibari", page)
    text = words(section)
    for each in (
        "縛り",
        OPTIONS["shibari"].says,
        "one of off, full, kata; off unless it is set",
        "kata-shibari",
        "japan_league full",
        "The spade 3 answers a single joker whatever is locked",
        "PG-74",
    ):
        assert each in text
    assert "shibari on" in words(section_of("shibari_after", page))
    assert '<span lang="ja">縛り</span> <span lang="ja-Latn">shibari</span>' in section
    assert '<span lang="ja">片縛り</span>, kata-shibari' in section
    assert "`" not in page


def test_every_id_leads_to_where_it_stands(page: str, anybody: FlaskClient) -> None:
    readings = Outline(anybody.get("/manual/readings", headers=BROWSER).text)
    anchors = {f"/manual/readings#{each['id']}" for _, each in readings.tags if "id" in each}
    links = {str(each.get("href")) for each in Outline(page).of("a")}
    led = {link for link in links if "/manual/readings#" in link}
    assert led - anchors == set()
    assert {link.partition("#")[2].partition("-")[0] for link in led} == {"AM", "OR", "C", "XV"}
    ids = {each for option in OPTIONS.values() for each in option.rests}
    assert ids <= {link.rpartition("#")[2] for link in links}


def test_a_query_finds_rules_without_script(anybody: FlaskClient) -> None:
    response = anybody.get("/rules?q=八切り", headers=BROWSER)
    outline, text = Outline(response.text), words(response.text)
    [field] = outline.of("input")
    assert (field["name"], field["value"]) == ("q", "八切り")
    assert "form-action 'self'" in response.headers["Content-Security-Policy"]
    links = [str(each.get("href")) for each in outline.of("a")]
    assert {"/rules#hachi_giri", "/rules#patch-pagat.hachi_giri"} <= set(links)
    assert f"{len(find('八切り'))} rules found" in text
    assert OPTIONS["hachi_giri"].says in text
    assert "go_tobi" not in text


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("hachigirri", "Nothing about “hachigirri” Perhaps hachi_giri"),
        ("xqxqxq", "Nothing about “xqxqxq” All rules"),
        ("<script>alert(1)</script>", "Nothing about “<script>"),
        ("auto_clear", "1 rule found"),
    ],
)
def test_a_query_says_how_many_it_finds(query: str, says: str, anybody: FlaskClient) -> None:
    response = anybody.get("/rules", query_string={"q": query}, headers=BROWSER)
    assert says in words(response.text)
    assert "<script>alert" not in response.text


def test_a_variant_that_is_no_option_is_found_with_the_reason(anybody: FlaskClient) -> None:
    row = absent()[0]
    name = row.names.partition("、")[0].partition(",")[0]
    text = words(anybody.get("/rules", query_string={"q": name}, headers=BROWSER).text)
    assert row.why.replace("`", "") in text


def test_an_empty_query_shows_all_rules(anybody: FlaskClient, page: str) -> None:
    for path in ("/rules?q=", "/rules?q=%20"):
        assert anybody.get(path, headers=BROWSER).text == page
    response = anybody.get("/rules?q=eight cut")
    assert response.mimetype == "text/markdown"
    assert response.text.startswith(f"# {find_rules('eight cut').summary}\n")
    assert f"- `hachi_giri`: {OPTIONS['hachi_giri'].says}" in response.text
    for bad in ("x" * 121, "a\u0000b"):
        response = anybody.get("/rules", query_string={"q": bad})
        assert response.status_code == 400
        assert "0 to 120 printable characters" in response.text


def test_the_list_follows_what_is_typed(browser: Browser, anybody: FlaskClient) -> None:
    with window(browser, anybody) as page:
        page.goto("/rules")
        page.get_by_label("Find a rule").press_sequentially("eight cut")
        page.get_by_role("status").get_by_text("found").wait_for()
        assert page.locator("#found a[href='/rules#hachi_giri']").is_visible()
        assert page.locator("#all").is_hidden()
        assert page.url.endswith("/rules?q=eight%20cut")
        page.get_by_label("Find a rule").fill("")
        page.locator("#all").wait_for()
        assert page.locator("#found a").count() == 0
        assert page.url.endswith("/rules")


def test_programs_get_markdown_and_browsers_a_page(anybody: FlaskClient) -> None:
    markdown = reference()
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "text/markdown, text/html;q=0.9"}):
        response = anybody.get("/rules", headers=headers)
        assert response.mimetype == "text/markdown"
        assert response.text == markdown
        assert response.headers["Vary"] == "Accept, Accept-Encoding"
    assert anybody.get("/rules.md", headers=BROWSER).text == markdown
    for path in ("/rules", "/rules/dqx"):
        response = anybody.get(path, headers=BROWSER)
        assert response.mimetype == "text/html"
        assert response.headers["Vary"] == "Accept, Accept-Encoding"
        again = anybody.get(path, headers={**BROWSER, "If-None-Match": response.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        other = anybody.get(path, headers={"If-None-Match": response.headers["ETag"]})
        assert (other.status_code, other.mimetype) == (200, "text/markdown")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_lists_what_it_changes_each_with_its_option(
    name: str, anybody: FlaskClient
) -> None:
    outline = Outline(anybody.get(f"/rules/{name}", headers=BROWSER).text)
    table = resolve(name)
    changed = {each for each, value in table.items() if value != OPTIONS[each].default}
    links = {str(each.get("href")) for each in outline.of("a")}
    assert {f"/rules#{each}" for each in changed} == {x for x in links if x.startswith("/rules#")}
    markdown = anybody.get(f"/rules/{name}.md").text
    assert set(re.findall(r"^\| `(\w+)`", markdown, re.MULTILINE)) == changed


def test_any_ruleset_in_its_short_form_has_a_page(anybody: FlaskClient) -> None:
    text = words(anybody.get("/rules/pagat+kakumei,shibari=full", headers=BROWSER).text)
    assert "true, usually false. Four of a kind" in text
    assert "full, usually off. Two plays" in text
    assert '"options":{"shibari":"full"}' in text
    other = words(anybody.get("/rules/uecda?diff=dqx", headers=BROWSER).text)
    assert "What is other than in dqx" in other
    same = words(anybody.get("/rules/dqx?diff=dqx", headers=BROWSER).text)
    assert "It plays like dqx" in same


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/rules/pagatt", 404, "perhaps pagat"),
        ("/rules/hachi_giri", 404, "a preset"),
        ("/rules/pagat+nothing", 400, "nothing"),
        ("/rules/pagat,shibari=loud", 400, "one of off, full, kata"),
        ("/rules/pagat?diff=nothing", 404, "a preset"),
        ("/rules/pagat?other=1", 400, "unknown"),
        ("/rules/<script>alert(1)<", 404, "a preset"),
        ("/rules/examples/nothing", 404, "no option"),
        ("/rules/examples/shibari?at=99", 400, "0 to 8"),
        ("/rules/examples/shibari?at=-1", 400, "/at"),
        ("/rules/examples/shibari/2", 404, "1 to 1"),
        ("/rules/examples/shibari/x/moments", 404, "1 to 1"),
        ("/rules/examples/shibari?seat=5", 400, "0 to 2"),
    ],
)
def test_what_is_not_there_is_said(path: str, status: int, says: str, anybody: FlaskClient) -> None:
    response = anybody.get(path, headers=BROWSER)
    assert response.status_code == status
    assert says in response.text
    assert "<script>alert" not in response.text


@pytest.mark.parametrize("name", OPTIONS)
def test_an_example_can_be_watched_from_its_first_event_to_its_last(
    name: str, anybody: FlaskClient
) -> None:
    outline = Outline(anybody.get(f"/rules/examples/{name}", headers=BROWSER).text)
    assert outline.of("ol")
    hand = played(name)[0].hand
    steps = [str(link["href"]) for link in outline.of("a") if "?at=" in str(link.get("href"))]
    assert (
        any(step.startswith(f"?at={len(hand.events) - 1}") for step in steps)
        or len(hand.steps) == 1
    )
    last = anybody.get(f"/rules/examples/{name}?at={len(hand.events) - 1}", headers=BROWSER)
    assert f"event {len(hand.events) - 1} of {len(hand.events) - 1}" in last.text


def test_what_an_example_shows_is_what_the_reference_says() -> None:
    refused = 0
    for name, example in EXAMPLES.items():
        if isinstance(example, ExampleTable):
            continue
        [hand] = played(name)
        lines = [line for line in lines_of(example) if "refused: " in line]
        assert len(hand.refusals) == len(lines), name
        texts = " ".join(line.text for line in hand.lines(WORDS.narrator(hand.hand)))
        assert all(text in texts for _, text in hand.refusals), name
        refused += len(lines)
    assert refused > 20


def test_an_example_of_whole_hands_has_each_of_them(anybody: FlaskClient) -> None:
    hands = played("seats")
    assert len(hands) > 1
    for number, hand in enumerate((each.hand for each in hands), 1):
        path = f"/rules/examples/seats/{number}?at={len(hand.events) - 1}"
        text = anybody.get(path, headers=BROWSER).text
        assert all(f"place {place}" in text for place in range(1, len(hand.names) + 1))


def test_the_moments_of_an_example_are_those_of_its_page(anybody: FlaskClient) -> None:
    response = anybody.get("/rules/examples/shibari/1/moments")
    document = orjson.loads(response.data)
    assert document["names"] == ["A", "B", "C"]
    page = anybody.get("/rules/examples/shibari", headers=BROWSER).text
    text = words(page)
    for moment in document["moments"]:
        assert moment["text"] in text
        assert f'"?at={moment["at"]}"' in page
    assert "refused" in {word for moment in document["moments"] for word in moment["notable"]}
    condition = {"If-None-Match": response.headers["ETag"]}
    assert anybody.get("/rules/examples/shibari/1/moments", headers=condition).status_code == 304


def test_an_example_is_told_in_japanese_too(anybody: FlaskClient) -> None:
    text = anybody.get("/rules/examples/shibari?lang=ja&at=6", headers=BROWSER).text
    assert '<ol lang="ja" data-trick="1">' in text
    assert "縛り" in text


def test_the_script_plays_an_example_as_the_server_draws_it(
    browser: Browser, anybody: FlaskClient
) -> None:
    with window(browser, anybody) as page:
        for path in ("shibari", "ten_discard_must", "session_end/2"):
            open_hand(page, f"/rules/examples/{path}")
            assert differences(page, 3) == [], path
