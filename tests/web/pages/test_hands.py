"""The viewer: a hand that is over at any of its moments, and the pages that lead to it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.settings import Settings
from arena.web.api.validation import Schemas
from arena.web.pages.assets import ASSETS, LIVE, STYLESHEET, VERIFY, VIEWER
from arena.web.pages.board import AREAS
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import PATCHES, Outline, page
from tests.web.watchdog import Watchdog

HAND = "/hands/cup-r01-t01-h002"


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """Four bots that have played two hands, with every response looked at."""
    watchdog = Watchdog(schemas)
    settings = Settings(requests_per_s=0, anonymous_per_s=100_000, anonymous_burst=100_000)
    created = Real(settings=settings)
    watchdog.watch(created.app)
    created.session(4, ruleset=PATCHES)
    play(created)
    yield created
    assert watchdog.complaints == []


def events(client: FlaskClient) -> list[dict[str, Any]]:
    """The events of the hand, as its record has them."""
    record = client.get(f"/api/v1{HAND}/record").get_json()
    return [event for step in record["steps"] for event in step["events"]]


def words(outline: Outline) -> str:
    return " ".join(word.strip() for word in outline.words if word.strip())


def test_a_hand_is_a_list_of_sentences_that_lead_to_its_moments(real: Real) -> None:
    outline = Outline(page(real.anybody, f"{HAND}?log=all"))
    links = [str(a["href"]) for a in outline.of("a") if str(a["href"]).startswith("?at=")]
    assert len(links) > 50
    for link in links[::10]:
        assert real.anybody.get(f"{HAND}{link}").status_code == 200
    text = words(outline)
    assert " deals: " in text
    assert "The hand ends: 1st " in text


def test_it_begins_with_the_deal_and_shows_all_cards(real: Real) -> None:
    outline = Outline(page(real.anybody, HAND))
    cards = [each for each in outline.of("li") if str(each.get("class", "")).startswith("card ")]
    assert len(cards) == 53
    assert "The table is empty." in words(outline)
    (now,) = [a for a in outline.of("a") if a.get("aria-current") == "step"]
    deal = real.anybody.get(f"/api/v1{HAND}/record").get_json()["steps"][0]
    assert now["href"] == f"?at={len(deal['events']) - 1}"


def test_a_seat_has_its_own_cards_and_of_the_others_how_many(real: Real) -> None:
    outline = Outline(page(real.anybody, f"{HAND}?at=0&seat=1"))
    cards = [each for each in outline.of("li") if str(each.get("class", "")).startswith("card ")]
    own = len(events(real.anybody)[0]["hands"][1])
    assert len(cards) == own
    text = words(outline)
    assert all(f"{count} cards" in text for count in events(real.anybody)[0]["counts"])


def test_every_moment_can_be_shown_in_both_languages(real: Real) -> None:
    last = len(events(real.anybody)) - 1
    for at in (*range(0, last, 17), last):
        response = real.anybody.get(f"{HAND}?at={at}&lang={('en', 'ja')[at % 2]}")
        assert response.status_code == 200, at
        Outline(response.text)
    japanese = Outline(page(real.anybody, f"{HAND}?lang=ja"))
    assert [each["lang"] for each in japanese.of("ol")] == ["ja"] * len(japanese.of("ol"))
    assert "が配る" in words(japanese)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("at=9999", "bad_value"),
        ("at=-1", "invalid"),
        ("at=seven", "invalid"),
        ("seat=4", "bad_value"),
        ("seat=8", "invalid"),
        ("lang=de", "invalid"),
        ("at=1&at=2", "invalid"),
        ("speed=9", "invalid"),
        ("speed=fast", "invalid"),
        ("theme=blue", "invalid"),
        ("detail=much", "invalid"),
        ("autoplay=1", "invalid"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(real: Real, query: str, code: str) -> None:
    response = real.anybody.get(f"{HAND}?{query}")
    assert response.status_code == 400
    assert response.get_json()["code"] == code
    assert query.partition("=")[0] in response.text


def test_a_theme_is_that_of_the_page_and_of_its_links(real: Real) -> None:
    outline = Outline(page(real.anybody, f"{HAND}?at=9&theme=dark&speed=0.25&play=1"))
    assert outline.of("html") == [{"lang": "en", "data-theme": "dark"}]
    links = [str(a["href"]) for a in outline.of("a") if str(a["href"]).startswith("?at=")]
    assert links
    assert all(link.endswith("&theme=dark") for link in links)


def test_from_a_hand_to_those_beside_it(real: Real) -> None:
    first = Outline(page(real.anybody, "/hands/cup-r01-t01-h001")).of("a")
    assert {"rel": "next", "href": HAND} in first
    assert not [a for a in first if a.get("rel") == "prev"]
    assert {"rel": "prev", "href": "/hands/cup-r01-t01-h001"} in Outline(
        page(real.anybody, HAND)
    ).of("a")


def test_a_hand_is_named_as_people_call_it_and_leads_to_its_session_and_table(real: Real) -> None:
    text = page(real.anybody, HAND)
    assert "<title>Hand 2 · Round 1, table 1 · Spring cup · Daifugō Arena</title>" in text
    assert "Hand 2 of 2" in Outline(text).words
    assert '<a href="/sessions/cup"><bdi>Spring cup</bdi></a>' in text
    assert '<a href="/tables/cup-r01-t01">Round 1, table 1</a>' in text


def test_a_hand_that_there_is_not_is_a_page_for_browsers(real: Real) -> None:
    for path in ("/hands/cup-r09-t01-h001", "/tables/cup-r09-t01", "/sessions/nothing/tables"):
        response = real.anybody.get(path, headers={"Accept": "text/html"})
        assert response.status_code == 404
        assert response.content_type.startswith("text/html")


@pytest.mark.slow
def test_from_the_session_over_its_tables_to_each_hand(real: Real) -> None:
    session = Outline(page(real.anybody, "/sessions/cup"))
    (tables,) = [str(a["href"]) for a in session.of("a") if str(a["href"]).endswith("/tables")]
    table = Outline(page(real.anybody, tables))
    (path,) = [str(a["href"]) for a in table.of("a") if str(a["href"]).startswith("/tables/")]
    hands = Outline(page(real.anybody, path))
    assert [str(a["href"]) for a in hands.of("a") if str(a["href"]).startswith("/hands/")] == [
        "/hands/cup-r01-t01-h001",
        HAND,
    ]
    assert all(head.get("scope") in ("col", "row") for head in hands.of("th"))
    for outline in (table, hands, Outline(page(real.anybody, HAND))):
        for link in outline.of("a"):
            href = str(link["href"])
            if href.startswith("/"):
                assert real.anybody.get(href).status_code == 200, href


def test_a_page_that_has_not_changed_is_not_sent_again(real: Real) -> None:
    first = real.anybody.get(f"{HAND}?at=3")
    again = real.anybody.get(f"{HAND}?at=3", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_the_files_of_pages_may_be_kept_for_ever_and_are_small(real: Real) -> None:
    for name, asset in ASSETS.items():
        response = real.anybody.get(f"/static/{name}")
        assert response.data == asset.body
        assert "immutable" in response.headers["Cache-Control"]
    assert len(STYLESHEET.body) < 12 * 1024
    of_hands = (VIEWER, VERIFY, LIVE)
    assert sum(len(gzip.compress(script.body)) for script in of_hands) < 15 * 1024
    others = [each for each in ASSETS.values() if each not in (STYLESHEET, *of_hands)]
    assert all(len(gzip.compress(each.body)) < 4 * 1024 for each in others)
    assert real.anybody.get("/static/arena.css").status_code == 404


def test_a_page_loads_nothing_of_others_and_no_style_of_its_own(real: Real) -> None:
    for path in (HAND, "/tables/cup-r01-t01", "/sessions/cup/tables", "/sessions/cup/crosstable"):
        response = real.anybody.get(path)
        assert "style-src 'self'" in response.headers["Content-Security-Policy"]
        assert "unsafe-inline" not in response.headers["Content-Security-Policy"]
        outline = Outline(response.text)
        assert not [1 for _, attributes in outline.tags if "style" in attributes]
        assert outline.of("style") == []


def test_while_a_hand_is_played_its_page_has_no_card() -> None:
    real = Real()
    real.session(4)
    outline = Outline(page(real.anybody, "/hands/cup-r01-t01-h001"))
    assert "This hand is being played." in words(outline)
    assert not [each for each in outline.of("li") if "card" in str(each.get("class"))]
    assert "not known yet" in page(real.anybody, "/tables/cup-r01-t01")


def test_a_hand_that_is_withheld_has_no_card_and_a_pseudonymous_one_no_name() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    play(real)
    assert "card " in page(real.anybody, HAND)
    assert "bot-1" not in page(real.anybody, HAND) + page(real.anybody, "/tables/cup-r01-t01")
    assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
    text = page(real.anybody, HAND)
    assert "its cards are withheld for now" in text
    assert 'class="card' not in text


def test_seats_are_drawn_clockwise_for_every_number_of_players() -> None:
    round_the_table = ("s", "sw", "w", "nw", "n", "ne", "e", "se")
    for players, areas in AREAS.items():
        assert len(set(areas)) == players
        assert list(areas) == [area for area in round_the_table if area in areas]
