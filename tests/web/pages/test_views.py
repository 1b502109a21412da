"""Pages for people: sound HTML without script, names that can do no harm, words for the blind."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from arena.clock import instant
from arena.store.memory import open_memory
from arena.store.port import BotRow
from arena.web.api.validation import Schemas
from arena.web.page_cache import MOST_PAGES, PageCache
from arena.web.pages import rendering
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.watchdog import Watchdog

VOID = {"meta", "link", "br", "img", "hr", "input", "source"}
PATCHES = {"preset": "pagat", "patches": ["kakumei", "hachi_giri"]}


class Outline(HTMLParser):
    """What a page is made of; complains of tags that are not closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def real(schemas: Schemas) -> Iterator[Real]:
    watchdog = Watchdog(schemas)
    created = Real()
    watchdog.watch(created.app)
    yield created
    assert watchdog.complaints == []


def page(client: FlaskClient, path: str = "/sessions/cup") -> str:
    response = client.get(path)
    assert response.status_code == 200, response.text
    assert response.content_type == "text/html; charset=utf-8"
    return response.text


def test_the_list_of_sessions_is_the_first_page(real: Real) -> None:
    assert "There is no session yet" in page(real.anybody, "/")
    real.session(4)
    for path in ("/", "/sessions"):
        outline = Outline(page(real.anybody, path))
        assert {"href": "/sessions/cup"} in outline.of("a")
        assert "Being played now" in outline.words
        assert {"href": "/tables/cup-r01-t01"} in outline.of("a")
        assert "hand 1 of 2" in outline.words


def test_what_is_played_now_stands_above_what_comes_and_what_is_over(real: Real) -> None:
    real.session(4)
    for slug in ("ended", "coming"):
        created = real.organiser.post("/api/v1/sessions", json={"name": slug, "slug": slug})
        assert created.status_code == 201, created.text
    assert real.organiser.post("/api/v1/sessions/ended/cancel").status_code == 200
    text = "".join(Outline(page(real.anybody, "/")).words)
    order = ["Being played now", "Spring cup", "Coming", "coming", "Over", "ended"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_what_is_played_is_on_the_first_page_however_old_it_is(real: Real) -> None:
    real.session(4)
    for number in range(52):
        real.clock.pass_ms(1)
        slug = f"old-{number}"
        real.organiser.post("/api/v1/sessions", json={"name": slug, "slug": slug})
        real.organiser.post(f"/api/v1/sessions/{slug}/cancel")
    assert "Spring cup" in Outline(page(real.anybody, "/")).words


def test_what_comes_is_counted_down_to(real: Real) -> None:
    document = {"name": "Cup", "slug": "cup", "starts": instant(real.clock.ms + 7_500_000)}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201
    assert "starts in 2 h 5 min" in Outline(page(real.anybody, "/")).words
    real.clock.pass_ms(3_600_000)
    assert "starts in 1 h 5 min" in Outline(page(real.anybody, "/")).words


def test_hidden_sessions_are_not_on_the_front_page(real: Real) -> None:
    real.session(4)
    change = {"hidden": True}
    assert real.organiser.patch("/api/v1/sessions/cup", json=change).status_code == 200
    assert "Spring cup" not in page(real.anybody, "/")
    assert "Spring cup" in page(real.anybody, "/sessions/cup")


def test_older_sessions_are_on_the_next_page(real: Real) -> None:
    for number in range(52):
        real.clock.pass_ms(1)
        real.organiser.post("/api/v1/sessions", json={"name": f"Cup {number}"})
    (older,) = [a for a in Outline(page(real.anybody, "/")).of("a") if a.get("rel") == "next"]
    words = Outline(page(real.anybody, str(older["href"]))).words
    assert {"Cup 0", "Cup 1"} <= set(words)
    assert "Cup 2" not in words


@pytest.mark.slow
def test_a_session_has_its_standings_as_a_table_and_as_a_picture(real: Real) -> None:
    real.session(5, seats=4, schedule={"rounds": 3}, ruleset=PATCHES)
    play(real)
    outline = Outline(page(real.anybody))
    assert outline.of("html") == [{"lang": "en"}]
    assert len(outline.of("caption")) == 1
    assert "Standings, best first" in outline.words
    heads = outline.of("th")
    assert all(head.get("scope") in ("col", "row") for head in heads)
    assert len([head for head in heads if head["scope"] == "row"]) == 5
    assert [svg["aria-hidden"] for svg in outline.of("svg")] == ["true"] * 5
    (image,) = outline.of("img")
    assert image["src"] == "/api/v1/sessions/cup/history.svg"
    assert image["alt"]
    assert real.anybody.get(str(outline.of("source")[0]["srcset"])).status_code == 200
    assert {"bot-1", "bot-5", "finished", "6 hands played"} <= set(outline.words)


def test_japanese_terms_come_with_their_reading(real: Real) -> None:
    real.session(4, ruleset=PATCHES)
    outline = Outline(page(real.anybody))
    assert {"大富豪", "daifugō", "革命", "kakumei", "八切り", "hachi-giri"} <= set(outline.words)
    spans = [each.get("lang") for each in outline.of("span") if "aria-hidden" not in each]
    assert spans.count("ja") == spans.count("ja-Latn") > 2


def test_rules_are_on_or_off_in_words(real: Real) -> None:
    ruleset = {"preset": "pagat", "options": {"hachi_giri": True, "joker_effects": False}}
    real.session(4, ruleset=ruleset)
    text = "".join(Outline(page(real.anybody)).words)
    assert "hachi_giri: on" in text
    assert "joker_effects: off" in text


@pytest.mark.slow
def test_every_link_leads_somewhere(real: Real) -> None:
    real.session(4)
    play(real)
    for path in ("/", "/sessions/cup"):
        for link in Outline(page(real.anybody, path)).of("a"):
            href = str(link["href"]).partition("#")[0] or path
            assert real.anybody.get(href).status_code == 200, link


@pytest.mark.slow
def test_regions_that_scroll_can_be_reached_by_keyboard_and_have_a_name(real: Real) -> None:
    real.session(4)
    play(real)
    for path in ("/sessions/cup/standings", "/sessions/cup/crosstable"):
        outline = Outline(page(real.anybody, path))
        ids = {attributes.get("id") for _, attributes in outline.tags}
        regions = [each for each in outline.of("div") if "wide" in str(each.get("class"))]
        assert regions
        for region in regions:
            assert (region["role"], region["tabindex"]) == ("region", "0")
            assert region.get("aria-label") or region["aria-labelledby"] in ids


def test_pages_fit_phones_and_both_colour_schemes_without_inline_script_or_cookie(
    real: Real,
) -> None:
    real.session(4)
    response = real.anybody.get("/sessions/cup")
    outline = Outline(response.text)
    viewport = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
    assert viewport in outline.of("meta")
    (script,) = outline.of("script")
    assert str(script["src"]).startswith("/static/")
    assert "</script>" in response.text.partition(str(script["src"]))[2][:20]
    assert outline.of("style") == []
    icon, stylesheet = (real.anybody.get(str(link["href"])) for link in outline.of("link"))
    assert icon.content_type == "image/svg+xml"
    assert "color-scheme:light dark" in stylesheet.text
    assert "--ink:light-dark(" in stylesheet.text
    assert not [a for _, attributes in outline.tags for a in attributes if a.startswith("on")]
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "img-src 'self';" in policy
    assert "unsafe" not in policy
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "{{ 7*7 }}",
        "&lt;b&gt;",
        "x' onmouseover='alert(1)",
        "大富豪の会",
        "שלום עולם",
        "x" * 80,
    ],
)
def test_names_do_no_harm(name: str, real: Real) -> None:
    response = real.organiser.post("/api/v1/sessions", json={"name": name, "slug": "cup"})
    assert response.status_code == 201, response.text
    bot = name[:40].strip()
    row = BotRow("b-old", bot, name, "h" * 64, 1, False, "bot")  # from before names were checked so
    real.store.write(row)
    assert real.organiser.put("/api/v1/sessions/cup/entries/b-old").status_code == 200
    for path in ("/", "/sessions/cup"):
        text = page(real.anybody, path)
        outline = Outline(text)
        assert name in outline.words
        assert text.count("<script") == text.count('<script type="module" src="/static/parts.') == 1
        assert outline.of("img") == []
        assert not [a for _, attributes in outline.tags for a in attributes if a.startswith("on")]
        assert len(outline.of("bdi")) >= 1
    assert bot in Outline(page(real.anybody)).words


def test_what_came_into_the_store_before_names_were_checked_is_shown_safely() -> None:
    store = open_memory()
    real = Real(store)
    odd = "a\x1b[31m\u202eb\n" + "x" * 200
    store.write(BotRow("b-odd", odd, "o", "h" * 64, 1, False, "bot"))
    real.organiser.post("/api/v1/sessions", json={"name": "Cup", "slug": "cup"})
    real.organiser.put("/api/v1/sessions/cup/entries/b-odd")
    text = page(real.anybody)
    assert not {"\x1b", "\u202e"} & set(text)
    assert "�[31m�b�" + "x" * 200 in text


def test_a_void_table_is_named_with_its_reason(real: Real) -> None:
    real.session(4, schedule={"rounds": 2})
    play(real, at_most=10)
    table = "/api/v1/tables/cup-r01-t01"
    body = {"reason": "a <b>cable</b> was pulled"}
    assert real.organiser.post(f"{table}/void", json=body).status_code == 200
    assert real.organiser.post(f"{table}/replay").status_code == 201
    text = page(real.anybody)
    assert "a &lt;b&gt;cable&lt;/b&gt; was pulled" in text
    assert 'played again as <a href="/tables/cup-r01-t01b">' in text


def test_frozen_and_embargoed_results_are_said_to_be_so(real: Real) -> None:
    real.session(4)
    real.organiser.post("/api/v1/sessions/cup/freeze")
    play(real)
    text = page(real.anybody)
    assert "Frozen since" in text
    assert "There is nothing to rate" in text or "nothing to rate" in text
    real.organiser.post("/api/v1/sessions/cup/embargo", json={"until": "2027-06-30T18:00:00Z"})
    outline = Outline(page(real.anybody))
    assert "2027-06-30T18:00:00.000Z" in [time["datetime"] for time in outline.of("time")]
    assert outline.of("table") == outline.of("svg") == []
    assert "The secret" not in outline.words
    assert page(real.organiser) == page(real.anybody)


@pytest.mark.slow
def test_further_tables_are_pages_that_lead_back(real: Real) -> None:
    real.session(4)
    play(real)
    for report in ("crosstable", "superiority", "separations"):
        outline = Outline(page(real.anybody, f"/sessions/cup/{report}"))
        assert {"href": "/sessions/cup"} in outline.of("a")
        assert len(outline.of("table")) == len(outline.of("h1")) == 1
        assert "bot-1" in "".join(outline.words)
    assert real.anybody.get("/sessions/cup/alerts").status_code == 404
    real.organiser.post("/api/v1/sessions/cup/embargo", json={})
    assert real.anybody.get("/sessions/cup/crosstable").status_code == 403


@pytest.mark.slow
def test_two_sizes_of_tables_are_two_standings_to_choose_from(real: Real) -> None:
    real.session(7, seats=4, schedule={"rounds": 3, "mixed_sizes": True})
    play(real)
    four, three = (page(real.anybody, f"/sessions/cup?seats={seats}") for seats in (4, 3))
    assert page(real.anybody) == four != three
    assert {"href": "?seats=3", "aria-current": "page"} in Outline(three).of("a")
    assert {"href": "/sessions/cup/crosstable?seats=3"} in Outline(three).of("a")
    assert "4 or 3 at a table" in three
    assert real.anybody.get("/sessions/cup?seats=5").status_code == 400


def test_each_division_has_its_ranking_on_the_page(real: Real) -> None:
    divisions = [{"id": "students", "name": "<b>Students"}, {"id": "staff"}]
    real.session(4, seats=4, schedule={"rounds": 1}, hands_per_table=1, divisions=divisions)
    body = {"members": [{"bot": bot, "division": "students"} for bot in ("bot-1", "bot-2")]}
    assert real.organiser.put("/api/v1/sessions/cup/divisions", json=body).status_code == 200
    play(real)
    text = page(real.anybody, "/sessions/cup?division=students")
    assert {"href": "?division=students", "aria-current": "page"} in Outline(text).of("a")
    assert {"href": "/sessions/cup/crosstable?division=students"} in Outline(text).of("a")
    assert "&lt;b&gt;Students: 2 of 4 bots" in text
    assert text.count('scope="row"') < page(real.anybody).count('scope="row"')
    table = page(real.anybody, "/sessions/cup/crosstable?division=students")
    assert "bot-1" in table
    assert "bot-3" not in table
    assert real.anybody.get("/sessions/cup?division=guests").status_code == 400


def test_a_page_of_nothing_is_not_found(anybody: FlaskClient) -> None:
    assert anybody.get("/sessions/none").status_code == 404
    assert anybody.get("/sessions/cup?x=1").status_code == 400


@pytest.mark.slow
@pytest.mark.parametrize("board", ["named", "pseudonymous"])
def test_a_session_has_its_page_from_its_making_to_its_end(board: str, real: Real) -> None:
    response = real.organiser.post(
        "/api/v1/sessions", json={"name": "Class", "slug": "class", "board": board}
    )
    assert response.status_code == 201
    assert "Class" in page(real.anybody, "/sessions/class")
    real.organiser.post("/api/v1/sessions/class/open")
    assert "Class" in page(real.anybody, "/sessions/class")
    real.session(5, seats=4, schedule={"rounds": 2}, board=board)
    for answers in (0, 30, 100_000):
        play(real, at_most=answers)
        for path in ("/", "/sessions", "/sessions/cup", "/sessions/cup/superiority"):
            assert ("bot-1" in page(real.anybody, path)) <= (board == "named")
    for action in ("pause", "resume", "cancel"):
        real.organiser.post(f"/api/v1/sessions/class/{action}")
    assert "Class" in page(real.anybody, "/sessions/class")


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that have been rendered, in turn."""
    names: list[str] = []
    template = rendering._template
    monkeypatch.setattr(rendering, "_template", lambda name: names.append(name) or template(name))
    return names


def test_a_page_on_which_nothing_has_changed_is_rendered_once(
    real: Real, rendered: list[str]
) -> None:
    real.session(4)
    play(real)
    for path in ("/", "/sessions/cup", "/sessions/cup/crosstable"):
        assert len({page(real.anybody, path) for _ in range(3)}) == 1
    assert rendered == ["sessions.html", "session.html", "report.html"]


def test_a_page_is_rendered_anew_when_something_on_it_has_changed(
    real: Real, rendered: list[str]
) -> None:
    real.session(4)
    before = page(real.anybody)
    play(real)
    after = page(real.anybody)
    assert "being played: round 1" in Outline(before).words
    assert "finished" in Outline(after).words
    assert rendered == ["session.html"] * 2


def test_a_page_whose_results_are_withheld_meanwhile_shows_none(real: Real) -> None:
    real.session(4)
    play(real)
    assert "bot-1" in Outline(page(real.anybody)).words
    real.organiser.post("/api/v1/sessions/cup/embargo", json={})
    assert "bot-1" not in Outline(page(real.anybody)).words
    real.organiser.post("/api/v1/sessions/cup/publish")
    assert "bot-1" in Outline(page(real.anybody)).words


def test_who_has_a_page_already_gets_no_more_than_that(real: Real) -> None:
    real.session(4)
    first = real.anybody.get("/sessions/cup")
    assert first.headers["Cache-Control"] == "no-cache"
    again = real.anybody.get("/sessions/cup", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    play(real)
    changed = real.anybody.get("/sessions/cup", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_the_number_of_cached_pages_is_limited() -> None:
    cache, rendered = PageCache(), list[int]()

    def ask(number: int) -> None:
        cache.page(
            number, "same", media="text/html", render=lambda: b"%d" % (rendered.append(1) or 1)
        )

    for number in range(MOST_PAGES + 1):
        ask(number)
    ask(MOST_PAGES)
    assert len(rendered) == MOST_PAGES + 1
    ask(0)
    assert len(rendered) == MOST_PAGES + 2
