"""What browsers may do with pages: load and apply what is ours, and nothing that stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest

from arena.tournament.reporting.history_pictures import STYLE
from arena.web.api.middleware import PICTURE_POLICY
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline

PAGES = (
    "/",
    "/sessions/cup",
    "/sessions/cup/crosstable",
    "/sessions/cup/history",
    "/sessions/cup/tables",
    "/tables/cup-r01-t01",
    "/hands/cup-r01-t01-h001?at=5",
    "/manual",
    "/rules",
    "/rules/dqx",
    "/rules/examples/shibari",
    "/manual/security",
    "/nowhere",
)
WHOLE = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
)
FORMS = ("/rules",)
"""Pages with a form to this arena: to find a rule."""
BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def real() -> Real:
    created = Real()
    created.session(4)
    play(created)
    return created


@pytest.mark.parametrize("path", PAGES)
def test_a_page_may_load_what_is_ours_and_has_nothing_inline(path: str, real: Real) -> None:
    response = real.anybody.get(path, headers=BROWSER)
    assert response.mimetype == "text/html"
    policy = response.headers["Content-Security-Policy"].split("; ")
    whole = WHOLE.replace("form-action 'none'", "form-action 'self'") if path in FORMS else WHOLE
    assert sorted(policy) == sorted(whole.split("; "))
    assert list(inline(response.text)) == []


def test_no_template_has_anything_inline() -> None:
    templates = list((files("arena.web.pages") / "templates").iterdir())
    assert len(templates) > 10
    for template in templates:
        text = template.read_text(encoding="utf-8").lower()
        assert "<style" not in text, template.name
        assert " style=" not in text, template.name
        assert "javascript:" not in text, template.name


@pytest.mark.parametrize(
    "text",
    [
        "<p style='color: red'></p>",
        "<style>p { color: red }</style>",
        "<script>alert(1)</script>",
        "<script src='https://elsewhere.example/x.js'></script>",
        "<script type='module'>alert(1)</script>",
        "<button onclick='go()'></button>",
        "<a href='javascript:go()'></a>",
        "<img src='data:image/png;base64,xx'>",
    ],
)
def test_what_is_inline_is_noticed(text: str) -> None:
    assert list(inline(text)) != []


def inline(text: str) -> Iterator[str]:
    """What of a page the policy forbids; a block of data is nothing that a browser runs."""
    for tag, attributes in Outline(text).tags:
        data = attributes == {"type": "application/json"}
        ours = (attributes.get("src") or "").startswith("/")
        if tag == "style" or (tag == "script" and not (ours or data)):
            yield tag
        for name, value in attributes.items():
            if name == "style" or name.startswith("on"):
                yield name
            elif name in ("src", "href") and (value or "").startswith(("javascript:", "data:")):
                yield f"{name}={value}"


def test_a_picture_may_have_its_own_style_and_no_other(real: Real) -> None:
    for name in ("history.svg", "standings.svg"):
        response = real.anybody.get(f"/api/v1/sessions/cup/{name}")
        assert response.headers["Content-Security-Policy"] == PICTURE_POLICY[1]
        assert "unsafe" not in PICTURE_POLICY[1]
        styles = response.text.count("<style>")
        assert styles == response.text.count(f"<style>{STYLE}</style>") == (name[0] == "h")
        assert " style=" not in response.text
