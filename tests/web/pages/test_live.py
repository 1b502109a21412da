"""The page of a hand that is being played: as everybody may know it by now, and what comes next."""

from __future__ import annotations

import re
from typing import Any

import pytest

from arena.settings import Settings
from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline, page
from tests.web.streams.reading import snapshot

TABLE = "cup-r01-t01"
HAND = f"{TABLE}-h001"
PAGE = f"/hands/{HAND}"


@pytest.fixture
def real() -> Real:
    """Four bots that have begun a hand."""
    created = Real()
    created.session(4)
    play(created, at_most=14)
    return created


def viewer(text: str) -> dict[str, Any]:
    """The attributes of the viewer on a page."""
    (found,) = [each for each in Outline(text).of("div") if each.get("class") == "viewer"]
    return dict(found)


def board(text: str) -> str:
    """What is drawn of the table and of what happened."""
    felt = text[text.index('<div class="felt">') : text.index('<nav aria-label="Replay">')]
    return felt + text[text.index("<details") : text.rindex("</details>")]


def test_it_shows_how_things_stand_and_no_card_that_is_held(real: Real) -> None:
    text = page(real.anybody, PAGE)
    cards = [each for each in Outline(text).of("li") if str(each.get("class")).startswith("card ")]
    assert len(cards) <= 8  # what lies on the table, and what lay there before
    assert 'aria-label="Cards"' not in text
    assert "This hand is being played." in text
    assert f'<a href="{PAGE}">Reload</a>' in text
    assert "<meta http-equiv" not in text
    last = text.rindex('aria-current="step"')
    assert last > text.rindex("<details")


def test_earlier_moments_of_it_have_links_too(real: Real) -> None:
    links = [str(a["href"]) for a in Outline(page(real.anybody, PAGE)).of("a")]
    moments = [link for link in links if link.startswith("?at=")]
    assert len(moments) > 10
    for link in moments[:: len(moments) // 4]:
        assert real.anybody.get(f"{PAGE}{link}").status_code == 200
    assert real.anybody.get(f"{PAGE}?at=9999").status_code == 400


def test_a_seat_that_is_asked_for_shows_nothing_more(real: Real) -> None:
    assert board(page(real.anybody, f"{PAGE}?seat=1")) == board(page(real.anybody, PAGE))
    moments = f"{PAGE}/moments"
    seated = real.anybody.get(f"{moments}?seat=1").get_json()
    assert seated == real.anybody.get(moments).get_json()
    assert (seated["seat"], seated["over"]) == (None, False)


def test_the_page_its_moments_and_the_stream_go_together(real: Real, schemas: Schemas) -> None:
    data = viewer(page(real.anybody, PAGE))
    known = int(data["data-known"])
    before = real.anybody.get(data["data-moments"]).get_json()
    play(real, at_most=9)
    assert real.anybody.get(data["data-moments"]).get_json() == before
    query = data["data-stream"].partition("?")[2]
    later = snapshot(real.anybody, f"{query}&after={known}")
    whole = real.anybody.get(f"{PAGE}/moments").get_json()
    sent = [moment for event in later for moment in event.data["moments"]]
    assert before["moments"] + sent == whole["moments"]
    assert len(sent) > 3
    assert schemas.faults("moments", whole) == []
    assert [event.event for event in later] == ["moments"] * len(later)


@pytest.mark.parametrize("words", ["lang=en", "lang=ja&detail=full"])
def test_a_hand_followed_to_its_end_is_the_one_that_everybody_saw(real: Real, words: str) -> None:
    play(real)
    events = snapshot(real.anybody, f"hand={HAND}&form=moments&{words}")
    sent = [moment for event in events[:-2] for moment in event.data["moments"]]
    whole = real.anybody.get(f"{PAGE}/moments?watch=1&{words}").get_json()
    assert sent == whole["moments"]
    assert all(moment["charged_ms"] is None for moment in sent)
    assert [event.event for event in events[-2:]] == ["over", "next"]


def test_the_way_to_the_hands_beside_keeps_words_and_colours() -> None:
    real = Real()
    real.session(4)
    beside, query = f"/hands/{TABLE}-h002", "lang=ja&detail=full&theme=dark"
    while real.anybody.get(beside).status_code == 404:
        play(real, at_most=4)
    text = page(real.anybody, f"{beside}?{query}")
    assert "This hand is being played." in text
    (way,) = [a["href"] for a in Outline(text).of("a") if a.get("rel") == "prev"]
    assert way == f"{PAGE}?{query}"


def test_what_turns_have_cost_is_shown_of_a_hand_that_is_over_and_of_no_other() -> None:
    real = Real()
    real.session(4)
    for _ in range(5):
        real.clock.pass_ms(1_500)
        play(real, at_most=1)
    during = page(real.anybody, PAGE)
    play(real)
    after = page(real.anybody, f"{PAGE}?at=30")
    for shown in (during, page(real.anybody, f"{PAGE}?at=30&watch=1")):
        assert not re.search(r"\d s\b", shown)
        assert '"charged_ms":1' not in shown
    assert re.search(r"\d+ cards[^<]* · \d+\.\d s used", after)
    assert '"charged_ms":1' in after


def test_a_hand_that_is_over_can_be_seen_as_everybody_saw_it(real: Real) -> None:
    during = page(real.anybody, PAGE)
    at = viewer(during)["data-known"]
    play(real)
    after = page(real.anybody, f"{PAGE}?watch=1&at={int(at) - 1}")
    assert during[during.index('<div class="felt">') : during.index("<nav")] in after
    assert "as everybody sees it" in after
    assert "all cards shown" in page(real.anybody, PAGE)


def test_cards_that_are_never_shown_leave_what_everybody_saw() -> None:
    real = Real()
    real.session(4, visibility="never")
    play(real)
    text = page(real.anybody, PAGE)
    assert "Its cards are withheld for now" in text
    assert "The hand ends: 1st " in text
    assert 'aria-label="Cards"' not in text
    data = viewer(text)
    assert "data-stream" not in data
    assert real.anybody.get(data["data-moments"]).get_json()["over"] is True


def test_a_hand_that_is_withheld_says_so_and_nothing_more(real: Real) -> None:
    assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
    text = page(real.anybody, PAGE)
    assert "viewer" not in text
    response = real.anybody.get(f"{PAGE}/moments")
    assert (response.status_code, response.get_json()["code"]) == (403, "forbidden")


def test_a_hand_of_shared_deals_is_not_shown_before_the_others_have_got_there() -> None:
    real = Real(settings=Settings(requests_per_s=0, registration="closed"))
    deals = {"deals": "common", "roster": {"bots_per_owner": 1}}
    real.session(6, seats=3, hands_per_table=1, **deals)
    play(real, at_most=8)
    assert "viewer" not in page(real.anybody, PAGE)
    play(real)
    assert "viewer" in page(real.anybody, PAGE)


def test_a_pseudonymous_hand_names_nobody() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    play(real, at_most=10)
    stream = str(snapshot(real.anybody, f"hand={HAND}&form=moments"))
    for text in (page(real.anybody, PAGE), real.anybody.get(f"{PAGE}/moments").text, stream):
        assert not any(name in text for name in ("bot-1", "bot-2", "bot-3", "bot-4"))


def test_a_void_hand_says_so(real: Real) -> None:
    void = real.organiser.post(f"/api/v1/tables/{TABLE}/void", json={"reason": "power cut"})
    assert void.status_code == 200
    text = page(real.anybody, PAGE)
    assert "called void" in text
    assert "data-stream" not in text
