"""Errors as pages: what happened, what to do, and the way home; and what each code means."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.settings import Settings
from arena.web.api.problems import TABLE, Code, Problem
from arena.web.pages.problem import problem_page
from arena.web.pages.rendering import with_code
from tests.real import Real
from tests.web.pages.test_views import Outline

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAM = ({}, {"Accept": "*/*"}, {"Accept": "application/json, text/html;q=0.5"})
Ask = Callable[[FlaskClient, dict[str, str]], TestResponse]
WAYS: dict[Code, Ask] = {
    Code.NO_ROUTE: lambda c, h: c.get("/nowhere", headers=h),
    Code.NOT_FOUND: lambda c, h: c.get("/sessions/none", headers=h),
    Code.INVALID: lambda c, h: c.get("/sessions/cup?colour=red", headers=h),
    Code.BAD_VALUE: lambda c, h: c.get("/rules/pagat,shibari=loud", headers=h),
    Code.NO_TOKEN: lambda c, h: c.get("/api/v1/audit", headers=h),
    Code.METHOD_NOT_ALLOWED: lambda c, h: c.post("/sessions", headers=h),
    Code.TOO_LARGE: lambda c, h: c.post(
        "/api/v1/bots", data=b"x" * 70_000, content_type="application/json", headers=h
    ),
    Code.NOT_JSON: lambda c, h: c.post("/api/v1/bots", data={"name": "x"}, headers=h),
    Code.TOO_MANY_REQUESTS: lambda c, h: [c.get("/", headers=h) for _ in range(200)][-1],
}


@pytest.fixture
def real() -> Real:
    created = Real(settings=Settings(anonymous_per_s=1, anonymous_burst=50))
    created.session(4)
    return created


@pytest.mark.parametrize("code", WAYS)
def test_an_error_is_a_page_in_a_browser_and_a_document_for_programs(
    code: Code, real: Real
) -> None:
    response = WAYS[code](real.anybody, BROWSER)
    assert response.status_code == TABLE[code].status
    assert response.content_type == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert "Accept" in response.headers["Vary"]
    outline = Outline(response.text)
    words = "".join(outline.words)
    for part in (TABLE[code].title, "What to do", response.headers["X-Request-Id"]):
        assert part in words
    links = [each.get("href") for each in outline.of("a")]
    assert {"/", "/manual", f"/problems/{code}"} <= set(links)
    for headers in PROGRAM:
        assert WAYS[code](real.anybody, headers).mimetype == "application/problem+json"


def test_who_has_to_wait_is_told_how_long(alice: FlaskClient) -> None:
    response = alice.post("/api/v1/turns/unavailable", json={"pass": True}, headers=BROWSER)
    assert (response.status_code, response.mimetype) == (503, "text/html")
    seconds = int(response.headers["Retry-After"])
    assert f"in {seconds} second" in response.text


def test_a_refusal_of_the_rules_links_the_rule() -> None:
    members = {"reason": "suit_locked", "rule": "shibari", "cards": ["S3"]}
    page = problem_page(Problem(Code.ILLEGAL, "no", members=members).document("x")).decode()
    assert 'href="/rules#shibari"' in page
    other = {**members, "rule": '"><script>'}
    page = problem_page(Problem(Code.ILLEGAL, "no", members=other).document("x")).decode()
    assert "<script>" not in page


@pytest.mark.parametrize("code", Code)
def test_every_code_has_its_page_and_what_type_says_leads_there(
    code: Code, anybody: FlaskClient
) -> None:
    response = anybody.get(Problem(code, "x").document("y")["type"], headers=BROWSER)
    assert response.mimetype == "text/html"
    outline = Outline(response.text)
    words = "".join(outline.words)
    assert TABLE[code].title in words
    assert TABLE[code].meaning.replace("`", "") in words
    assert TABLE[code].advice.replace("`", "") in words
    assert f"/manual/errors#{code}" in [each.get("href") for each in outline.of("a")]
    assert anybody.get(f"/problems/{code}").json == {
        "code": code,
        "type": f"/problems/{code}",
        **TABLE[code]._asdict(),
    }


def test_the_list_has_an_anchor_for_each_code(anybody: FlaskClient) -> None:
    outline = Outline(anybody.get("/problems", headers=BROWSER).text)
    assert {str(code) for code in Code} <= {each.get("id") for each in outline.of("section")}
    manual = Outline(anybody.get("/manual/errors").text)
    assert {str(code) for code in Code} <= {each.get("id") for each in manual.of("h2")}


def test_both_forms_are_revalidated_by_their_own_tags(anybody: FlaskClient) -> None:
    tags = {anybody.get("/problems", headers=h).headers["ETag"] for h in (BROWSER, {})}
    assert len(tags) == 2
    for tag in tags:
        known = {"If-None-Match": tag}
        statuses = {
            anybody.get("/problems", headers={**h, **known}).status_code for h in (BROWSER, {})
        }
        assert statuses == {200, 304}


def test_what_stands_between_backticks_is_code_and_nothing_is_markup() -> None:
    assert with_code("a `<b>` & c") == "a <code>&lt;b&gt;</code> &amp; c"
