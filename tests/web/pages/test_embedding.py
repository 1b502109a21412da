"""Hands within other people's pages: nobody may, unless the arena says so; and what oEmbed says."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Browser

from arena.errors import BadInput
from arena.settings import Settings
from arena.web.api.validation import Schemas
from tests.browser import ORIGIN, window
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_hands import HAND
from tests.web.watchdog import Watchdog

CLUB = "https://club.example https://*.example.org:8443"


@contextmanager
def arena(schemas: Schemas, frame_ancestors: str = "") -> Iterator[Real]:
    """A session that is over, with every response looked at."""
    real = Real(settings=Settings(requests_per_s=0, frame_ancestors=frame_ancestors))
    watchdog = Watchdog(schemas)
    watchdog.watch(real.app)
    real.session(4)
    play(real)
    yield real
    assert watchdog.complaints == []


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """An arena whose hands everybody may embed."""
    with arena(schemas, "*") as created:
        yield created


class Elements(HTMLParser):
    """The attributes of the elements of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))


def policy(real: Real, path: str) -> list[str]:
    return real.anybody.get(path).headers["Content-Security-Policy"].split("; ")


def test_nobody_may_embed_a_page_unless_the_arena_says_so(schemas: Schemas) -> None:
    with arena(schemas) as real:
        for path in ("/", HAND, "/sessions/cup"):
            assert "frame-ancestors 'none'" in policy(real, path)
        document = real.anybody.get(f"/oembed?url={HAND}").get_json()
        assert (document["type"], "html" in document) == ("link", False)


def test_those_that_are_named_may_embed_hands_and_nothing_else(
    schemas: Schemas, browser: Browser
) -> None:
    with arena(schemas, CLUB) as real:
        for path in (HAND, f"{HAND}?at=5&theme=dark"):
            given = policy(real, path)
            assert f"frame-ancestors {CLUB}" in given
            assert "frame-ancestors 'none'" not in given
            assert "script-src 'self'" in given
        for path in ("/", "/sessions/cup", "/tables/cup-r01-t01", f"{HAND}/moments"):
            assert "frame-ancestors 'none'" in policy(real, path)
        with window(browser, real.anybody) as page:
            body = f'<!doctype html><title>Club</title><iframe src="{ORIGIN}{HAND}"></iframe>'
            page.route("https://club.example/", lambda route: route.fulfill(body=body))
            page.goto("https://club.example/")
            page.frame_locator("iframe").locator(".scrub").wait_for()


def test_oembed_names_the_element_to_embed(real: Real, schemas: Schemas) -> None:
    url = f"{ORIGIN}{HAND}?at=5&speed=2"
    query = {"url": url, "maxwidth": "400", "format": "json"}
    response = real.anybody.get("/oembed", query_string=query, base_url=ORIGIN)
    document = response.get_json()
    assert schemas.faults("oembed", document) == []
    ((tag, frame),) = Elements(document["html"]).all
    assert tag == "iframe"
    assert (frame["src"], frame["width"], frame["height"]) == (url, "400", "720")
    assert (document["type"], document["width"]) == ("rich", 400)


@pytest.mark.parametrize("tail", ["?at=5&seat=1", "?at=<b>&“大”"])
def test_oembed_says_the_same_as_xml(tail: str, real: Real) -> None:
    query = {"url": f"{ORIGIN}{HAND}{tail}"}
    document = real.anybody.get("/oembed", query_string=query, base_url=ORIGIN).get_json()
    assert document["title"] == "Hand 2 · Round 1, table 1 · Spring cup"
    response = real.anybody.get("/oembed", query_string={**query, "format": "xml"}, base_url=ORIGIN)
    assert response.content_type == "text/xml; charset=utf-8"
    root = ET.fromstring(response.data)
    assert root.tag == "oembed"
    said = {each.tag: each.text for each in root}
    assert said == {name: str(value) for name, value in document.items()}


def test_a_hand_says_where_its_oembed_is(real: Real) -> None:
    elements = Elements(real.anybody.get(HAND).text).all
    (href,) = [a["href"] for _, a in elements if a.get("type") == "application/json+oembed"]
    document = real.anybody.get(str(href), base_url=ORIGIN).get_json()
    ((_, frame),) = Elements(document["html"]).all
    assert frame["src"] == f"{ORIGIN.removeprefix('https:')}{HAND}"


@pytest.mark.parametrize(
    ("url", "status"),
    [
        (f"https://elsewhere.example{HAND}", 404),
        (f"javascript:{HAND}", 404),
        (f"{ORIGIN}/sessions/cup", 404),
        (f"{ORIGIN}/hands/", 404),
        (f"{ORIGIN}/hands/nothing", 404),
        ("http://[/hands/x", 404),
        ("", 400),
        ("x" * 501, 400),
        (None, 400),
    ],
)
def test_what_is_no_hand_here_is_refused(url: str | None, status: int, real: Real) -> None:
    query = {} if url is None else {"url": url}
    response = real.anybody.get("/oembed", query_string=query, base_url=ORIGIN)
    assert response.status_code == status
    assert response.get_json()["status"] == status


def test_markup_in_an_address_stays_text(real: Real) -> None:
    url = f'{ORIGIN}{HAND}?at="><script>alert(1)</script>'
    response = real.anybody.get("/oembed", query_string={"url": url}, base_url=ORIGIN)
    ((tag, frame),) = Elements(response.get_json()["html"]).all
    assert (tag, frame["src"]) == ("iframe", url)


@pytest.mark.parametrize(
    "origin",
    [
        "club.example",
        "https://club.example/path",
        "'self'; script-src *",
        "https://*",
        "https:// x",
    ],
)
def test_what_is_no_origin_is_refused_by_name(origin: str) -> None:
    with pytest.raises(BadInput, match="frame_ancestors"):
        Settings(frame_ancestors=origin)
