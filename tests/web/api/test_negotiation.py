"""Which form a client had rather have, as RFC 9110 has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.api.negotiation import prefers, takes_gzip, wants_page, weights

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    ("field", "taken"),
    [
        ("gzip", True),
        ("GZIP;q=0.5, br", True),
        ("deflate, x-gzip", True),
        ("gzip;q=0", False),
        ("gzip; q = 0.000", False),
        ("identity", False),
        ("", False),
        ("*", False),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("gzip;q=0.5, identity;q=0.5", True),
        ("gzip;q=0.4, identity;q=0.5", False),
        ("gzip;q=0.4, identity;q=0", True),
        ("x-gzip;q=0, gzip;q=1.000", True),
        ("gzip;q=2", False),
        ("gzip;q=-1", False),
        ("gzip;q=", False),
        ("gzip;level=9", True),
        ("gzip;q=0.1234", False),
        (",,gzip,,", True),
        ("gzip" * 2_000, False),
    ],
)
def test_gzip_is_sent_only_to_those_who_say_that_they_read_it(field: str, *, taken: bool) -> None:
    assert takes_gzip({"HTTP_ACCEPT_ENCODING": field}) == taken
    assert not takes_gzip({})


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        (CHROMIUM, True),
        ("text/html", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("text/markdown, text/html", True),
        ("text/html;q=0.5, text/markdown;q=0.5", True),
        ("text/html;q=0.5, text/markdown", False),
        ("text/html;level=1;q=0.5, text/markdown;q=0.6", False),
        ("text/html;q=0", False),
        ("text/html;q=nonsense", False),
        ("text/*", False),
        ("*/*", False),
        ("", False),
        ("text/markdown", False),
    ],
)
def test_a_page_is_for_who_asks_for_html_by_name(field: str, *, wanted: bool) -> None:
    assert wants_page(field, "text/markdown") == wanted


def test_of_two_that_are_wanted_alike_either_may_be_sent() -> None:
    both = "text/markdown;q=0.5, text/html;q=0.5"
    assert prefers(both, "text/markdown", "text/html")
    assert prefers(both, "text/html", "text/markdown")
    assert not prefers("*/*", "text/markdown", "text/html")


@given(st.text(max_size=200))
def test_any_field_is_read(field: str) -> None:
    assert all(0 <= weight <= 1 for weight in weights(field).values())
    takes_gzip({"HTTP_ACCEPT_ENCODING": field})
    wants_page(field, "text/markdown")
