"""Every page, by axe-core, light and dark, from a narrow phone to a wide screen."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import pytest
from playwright.sync_api import Browser

from arena.settings import Settings
from arena.web.app import route_tables
from tests.browser import Scheme, is_cut, violations, window
from tests.real import Real
from tests.web.pages.catalogue import PAGES, arena_of_all_pages

WIDTHS = (320, 768, 1280)
SCHEMES: Mapping[Scheme, tuple[str, ...]] = {"light": (), "dark": ("color-contrast",)}
"""With the rules that are looked at: in the dark colours alone are other ones."""
IN_FULL = ("/", "/sessions/over", "/tables/over-r01-t01", "/seat", "/staff", "/nowhere")
"""One page of each kind, which is looked at by all rules in the dark as well, at one width."""
LARGE = ("/rules",)
"""With thousands of elements of a few kinds axe takes ten seconds: in full at one width alone."""


@pytest.fixture(scope="module")
def real() -> Real:
    return arena_of_all_pages()


def test_every_page_has_an_address_in_the_catalogue() -> None:
    prefix, endpoints = route_tables(Settings())["pages"]
    read = [each for each in endpoints if each.method == "GET"]
    pages = {prefix + each.path for each in read if "text/html" in each.medias}
    assert pages - PAGES.keys() == set()


def rules_of(path: str, width: int) -> Mapping[Scheme, tuple[str, ...]]:
    """The rules by which a page is looked at; none named: all."""
    if path in LARGE and width != WIDTHS[0]:
        return {}
    if path in IN_FULL and width == WIDTHS[0]:
        return {"light": (), "dark": ()}
    return SCHEMES


@pytest.mark.parametrize("path", list(chain.from_iterable(PAGES.values())))
def test_a_page_has_no_violation_and_is_never_cut(path: str, real: Real, browser: Browser) -> None:
    with window(browser, real.anybody, width=WIDTHS[0]) as page:
        reply = page.goto(path)
        assert reply is not None
        assert reply.status == (404 if path == "/nowhere" else 200)
        assert not is_cut(page), "wider than 320 px"
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert not is_cut(page), width
            for scheme, rules in rules_of(path, width).items():
                page.emulate_media(color_scheme=scheme)
                assert violations(page, *rules) == [], (width, scheme)
