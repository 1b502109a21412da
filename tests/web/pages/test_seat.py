"""A person plays in the browser with forms alone: every question, every refusal, every accident."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from werkzeug.test import TestResponse

from arena.rules.cards import JOKER
from arena.rules.presets import PRESETS
from arena.settings import Settings
from tests.casual import House
from tests.real import Real
from tests.web.pages.seat_reader import ORIGIN, Form, Person, SeatPage

TURN, WAITING, OVER = "Your turn", "Waiting for the others", "The table is over"
MOST_ANSWERS = 600


class Arena:
    """An arena with house bots that play whenever nobody else is asked."""

    def __init__(self, **settings: int) -> None:
        self.real = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0, **settings))
        self.house = House(self.real)

    def person(self) -> Person:
        return Person(self.real.client())

    def with_cookie(self, path: str, cookie: str) -> TestResponse:
        """What somebody gets who sends this as the field Cookie, as it is."""
        client = self.real.app.test_client(use_cookies=False)
        return client.get(path, headers={"Cookie": cookie})

    def seated(self, **wishes: str) -> Person:
        """Somebody who sits at a table, and whose turn it is."""
        person = self.person()
        person.sit_down(**{"name": "Ann", "hands": "1", **wishes})
        assert person.answer.status_code == 200, person.page.text
        self.go_on(person)
        return person

    def go_on(self, person: Person) -> SeatPage:
        """Let the house play, until the person is asked or the table is over."""
        self.house.play()
        return person.look()


@pytest.fixture
def arena() -> Arena:
    return Arena()


def answer_form(page: SeatPage) -> Form:
    form = page.form("/seat/answer")
    assert form is not None, page.text
    return form


def anything(form: Form) -> dict[str, list[str]]:
    """The first answer of the list, or a pass where there is nothing else."""
    listed = form.of("button", "choice")
    return {"choice": [listed[0].value]} if listed else {"pass": ["1"]}


def chosen(form: Form, random: Random) -> dict[str, list[str]]:
    """Any answer that the form offers, in any of the ways in which it can be given."""
    kind = form.hidden()["kind"][0]
    listed, passes = form.of("button", "choice"), form.of("button", "pass")
    if kind in ("throw", "accept"):
        button = random.choice(form.of("button", kind))
        return {button.name: [button.value]}
    if kind == "ask" and random.random() < 0.5:
        return {"wish": [random.choice(each.options) for each in form.of("select")]}
    if kind in ("give", "discard", "name") or (listed and random.random() < 0.9):
        return {"choice": [random.choice(listed).value]}
    if passes:
        return {"pass": ["1"]}
    return {"choice": [random.choice(listed).value]}


def play_on(arena: Arena, person: Person, random: Random) -> Iterator[str]:
    """Play to the end; the kinds of all that was asked."""
    for _ in range(MOST_ANSWERS):
        if person.page.heading == OVER:
            return
        if person.page.heading == TURN:
            form = answer_form(person.page)
            yield form.hidden()["kind"][0]
            page = person.send(form, chosen(form, random))
            assert person.answer.status_code == 200, (form.hidden(), page.alerts)
        arena.go_on(person)
    raise AssertionError("the table does not end")


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_table_is_played_by_forms_alone(arena: Arena, preset: str) -> None:
    random = Random(preset)
    person = arena.seated(preset=preset, hands="3", strength="random")
    kinds = set(play_on(arena, person, random))
    assert "play" in kinds
    watch = [link for link in person.page.links if link.startswith("/hands/")]
    assert 1 <= len(watch) <= 3
    assert all(person.client.get(link).status_code == 200 for link in watch)
    assert "Play again" in person.page.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "wishes"),
    [
        ("give", {"preset": "pagat", "hands": "5"}),
        ("discard", {"preset": "pagat", "patch": "local.ten_discard", "hands": "3"}),
        ("give", {"preset": "pagat", "patch": "local.nana_watashi", "hands": "3"}),
        ("name", {"preset": "pagat", "more": "q_bomber", "hands": "3"}),
        ("throw", {"preset": "pagat", "more": "first_lead=janken,janken_mode=interactive"}),
        ("ask", {"preset": "pagat", "more": "pagat.ask", "hands": "10"}),
        ("accept", {"preset": "pagat", "more": "pagat.jack+jack_optional", "hands": "3"}),
    ],
    ids=str,
)
def test_every_kind_of_question_has_its_form(
    arena: Arena, kind: str, wishes: dict[str, str]
) -> None:
    random = Random(kind)
    asked: set[str] = set()
    for _ in range(40):  # deals are drawn anew each time, and some leave nothing to ask
        asked |= set(play_on(arena, arena.seated(strength="random", **wishes), random))
        if kind in asked:
            return
    assert kind in asked


def test_cards_can_be_chosen_one_by_one(arena: Arena) -> None:
    person = arena.seated(players="2")
    while not answer_form(person.page).of("button", "choice"):
        person.send(answer_form(person.page), {"pass": ["1"]})
        arena.go_on(person)
    form = answer_form(person.page)
    cards = form.of("button", "choice")[0].cards
    assert set(cards) <= {each.value for each in form.of("checkbox", "card")}
    person.send(form, {"card": cards})
    assert person.answer.status_code == 200
    arena.go_on(person)
    assert any("Ann plays" in line for line in person.page.log)


def test_a_card_that_is_in_no_legal_answer_cannot_be_chosen(arena: Arena) -> None:
    person = arena.seated(preset="pagat", players="4")
    while not any(each.disabled for each in answer_form(person.page).controls):
        form = answer_form(person.page)
        person.send(form, anything(form))
        arena.go_on(person)
    form = answer_form(person.page)
    closed = next(each for each in form.controls if each.disabled)
    page = person.send(form, {"card": [closed.value]})
    assert person.answer.status_code == 422
    assert "Not allowed" in page.alerts[0]


def test_a_refusal_says_why_and_keeps_what_was_chosen(arena: Arena) -> None:
    person = arena.seated(preset="pagat")
    form = answer_form(person.page)
    held = [each.value for each in form.controls if each.name == "card"]
    wrong = [held[0], next(card for card in held if card[1] not in (held[0][1], JOKER[1]))]
    page = person.send(form, {"card": wrong})
    assert person.answer.status_code == 422
    assert page.heading == TURN
    assert "Not allowed" in page.alerts[0]
    again = answer_form(page)
    assert [each.value for each in again.controls if each.checked] == wrong
    assert again.hidden() == form.hidden()


def test_a_refusal_names_the_rule_and_what_it_says(arena: Arena) -> None:
    person = arena.seated(players="2", hands="10", strength="lowest")
    while "You lead" not in person.page.text:
        person.send(answer_form(person.page), anything(answer_form(person.page)))
        arena.go_on(person)
    page = person.send(answer_form(person.page), {"pass": ["1"]})
    assert person.answer.status_code == 422
    assert "The rule is" in page.alerts[0]
    assert "lead_pass: May the leader pass" in page.alerts[0]
    assert "It rests on" in page.alerts[0]
    assert re.search(r'<a href="(/rules|/manual/readings)#[A-Z]+-\w+">', person.answer.text)


def test_all_cards_at_once_are_refused_like_others(arena: Arena) -> None:
    person = arena.seated(players="2")
    form = answer_form(person.page)
    held = [each.value for each in form.controls if each.name == "card"]
    assert len(held) > 25
    person.send(form, {"card": held})
    assert person.answer.status_code == 422


def test_nothing_chosen_is_no_answer(arena: Arena) -> None:
    person = arena.seated()
    page = person.send(answer_form(person.page))
    assert person.answer.status_code == 400
    assert "at least one card" in page.alerts[0]


def test_a_form_that_is_sent_twice_counts_once(arena: Arena) -> None:
    person = arena.seated(players="2")
    form = answer_form(person.page)
    choice = anything(form)
    person.send(form, choice)
    log = person.page.log
    person.send(form, choice)
    assert person.answer.status_code == 200
    assert person.page.log == log


def test_a_stale_page_says_that_its_turn_is_over(arena: Arena) -> None:
    """Two windows, or back in the browser: the second answer to a turn is another one."""
    person = arena.seated(players="2")
    form = answer_form(person.page)
    person.send(form, anything(form))
    arena.go_on(person)
    held = [each.value for each in form.controls if each.name == "card"]
    page = person.send(form, {"card": held})
    assert person.answer.status_code == 409
    assert "That turn is over" in page.alerts[0]
    assert any("Ann" in line for line in page.log)


def test_an_answer_after_the_deadline_is_told_what_was_done_instead(arena: Arena) -> None:
    person = arena.seated(players="2")
    form = answer_form(person.page)
    arena.real.clock.pass_ms(200_000)
    page = person.send(form, anything(form))
    assert person.answer.status_code == 410
    assert "That turn is over" in page.alerts[0]
    page = arena.go_on(person)
    assert any("The referee answers for Ann" in line for line in page.log)
    assert page.heading in (TURN, OVER)
    if page.heading == TURN:
        assert "Answered for you" in page.alerts[0]


def test_who_is_on_probation_and_looks_at_the_page_can_go_on(arena: Arena) -> None:
    person = arena.seated(players="2", hands="10")
    for _ in range(3):
        arena.real.clock.pass_ms(200_000)
        arena.real.referee.sweep()
        person.look()
        arena.house.poll()
        page = arena.go_on(person)
    assert "Answered for you" in page.alerts[0]
    form = answer_form(page)
    person.send(form, anything(form))
    assert person.answer.status_code == 200


# Forms come from our own pages only.


@pytest.mark.parametrize("path", ["/seat", "/seat/answer", "/seat/leave"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
    ids=str,
)
def test_a_form_of_another_site_is_refused(
    arena: Arena, path: str, headers: dict[str, str]
) -> None:
    person = arena.seated()
    form = answer_form(person.page)
    fields = {**form.hidden(), "pass": ["1"], "name": ["Eve"]}
    sent = person.client.post(path, data=fields, headers={"Accept": "text/html", **headers})
    assert sent.status_code == 403
    assert sent.mimetype == "text/html"
    assert person.look().heading == TURN


@pytest.mark.parametrize("token", [None, "", "0" * 32, "ü"], ids=repr)
@pytest.mark.parametrize("path", ["/seat/answer", "/seat/leave"])
def test_a_form_without_the_token_of_its_page_is_refused(
    arena: Arena, path: str, token: str | None
) -> None:
    person = arena.seated()
    fields = {**answer_form(person.page).hidden(), "pass": ["1"]}
    del fields["csrf"]
    sent = person.client.post(
        path, data=fields | ({} if token is None else {"csrf": [token]}), headers=ORIGIN
    )
    assert sent.status_code == 403
    assert person.look().heading == TURN


def test_a_form_of_a_browser_that_says_nothing_counts_if_it_has_the_token(arena: Arena) -> None:
    person = arena.seated()
    form = answer_form(person.page)
    sent = person.client.post("/seat/answer", data={**form.hidden(), **anything(form)})
    assert sent.status_code == 303
    assert arena.person().client.post("/seat", data={"name": "Ann"}).status_code == 403


def test_the_cookie_is_for_the_seat_alone_and_out_of_reach(arena: Arena) -> None:
    person = arena.person()
    form = person.page.form("/seat")
    assert form is not None
    fields = {**form.hidden(), "name": ["Ann"]}
    sent = person.client.post("/seat", data=fields, headers=ORIGIN)
    flags = {part.strip() for part in sent.headers["Set-Cookie"].split(";")[1:]}
    assert {"HttpOnly", "SameSite=Strict", "Path=/seat", "Max-Age=86400"} <= flags
    assert "Secure" not in flags
    https = {**ORIGIN, "Origin": "https://localhost"}
    sent = arena.person().client.post("/seat", data=fields, headers=https)
    assert "Secure" in {part.strip() for part in sent.headers["Set-Cookie"].split(";")}


def test_the_cookie_opens_nothing_but_the_seat(arena: Arena) -> None:
    person = arena.seated()
    cookie = person.client.get_cookie("arena_seat", path="/seat")
    assert cookie is not None
    sent = f"arena_seat={cookie.value}"
    assert arena.with_cookie("/api/v1/whoami", sent).status_code == 401
    assert arena.with_cookie("/api/v1/turns", sent).status_code == 401
    assert SeatPage(arena.with_cookie("/seat", sent).text).heading == "Your turn"
    assert cookie.value not in person.client.get("/seat").text


@pytest.mark.parametrize("value", ["dfa_nobody", "", "x" * 5_000, "dfa_ü"], ids=lambda v: v[:10])
def test_an_unknown_cookie_is_nobody(arena: Arena, value: str) -> None:
    answer = arena.with_cookie("/seat", f"arena_seat={value}")
    assert answer.status_code == 200
    assert SeatPage(answer.text).form("/seat") is not None


@pytest.mark.parametrize(
    "others", ["other=\xff\xfe; ", "a=b;" * 1_000, "xarena_seat=no; ", ";arena_seats=no;"]
)
def test_other_cookies_hide_nobodys_seat(arena: Arena, others: str) -> None:
    cookie = arena.seated().client.get_cookie("arena_seat", path="/seat")
    assert cookie is not None
    for sent in (f"{others}arena_seat={cookie.value}", f"arena_seat={cookie.value};{others}"):
        page = SeatPage(arena.with_cookie("/seat", sent).text)
        assert page.form("/seat/answer") is not None


def test_no_organiser_sits_down_by_a_cookie(arena: Arena) -> None:
    token = arena.real.referee.registry.create_admin("boss")
    answer = arena.with_cookie("/seat", f"arena_seat={token}")
    assert SeatPage(answer.text).heading == "Play"


def test_no_page_with_a_token_is_compressed(arena: Arena) -> None:
    answer = arena.seated().client.get("/seat", headers={"Accept-Encoding": "gzip"})
    assert "csrf" in answer.text
    assert "Content-Encoding" not in answer.headers


def test_only_these_pages_may_send_forms(arena: Arena) -> None:
    person = arena.seated()
    for path, action in (("/seat", "'self'"), ("/", "'none'"), ("/manual", "'none'")):
        headers = person.client.get(path).headers
        assert f"form-action {action}" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] != "public" or path != "/seat"
    assert person.client.get("/seat").headers["Cache-Control"] == "no-store"


# Sitting down, and getting up.


def test_without_house_bots_the_page_says_how_to_get_some() -> None:
    page = Person(Real().client()).page
    assert page.form("/seat") is None
    assert "arena serve --house-bots" in page.text


@pytest.mark.parametrize(
    ("wishes", "status", "says"),
    [
        ({"name": ""}, 400, "name"),
        ({"name": "house-1"}, 400, "house-"),
        ({"preset": "chess"}, 400, "preset"),
        ({"more": "nothing_of_the_kind"}, 400, "nothing_of_the_kind"),
        ({"more": "jokers=99"}, 400, "jokers"),
        ({"players": "1"}, 400, "seats"),
        ({"players": "many"}, 400, "whole number"),
        ({"hands": "1000"}, 400, "hands"),
        ({"strength": "divine"}, 400, "strength"),
        ({"clock": "never"}, 400, "clock"),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_said_and_kept(
    arena: Arena, wishes: dict[str, str], status: int, says: str
) -> None:
    person = arena.person()
    page = person.sit_down(**{"name": "Ann", "more": "kaidan_kakumei", **wishes})
    assert person.answer.status_code == status
    assert says in page.alerts[0]
    form = page.form("/seat")
    assert form is not None
    kept = {each.name: each.value for each in form.of("text")}
    assert kept["more"] == wishes.get("more", "kaidan_kakumei")


def test_a_full_arena_says_so() -> None:
    arena = Arena(casual_tables=1)
    arena.seated()
    person = arena.person()
    page = person.sit_down(name="Bea")
    assert person.answer.status_code == 409
    assert "1 are played" in page.alerts[0]


def test_who_sits_already_is_led_back_to_the_table(arena: Arena) -> None:
    person = arena.seated()
    mark = person.page.text
    start = Person(arena.real.client()).page.form("/seat")
    assert start is not None
    page = person.send(start, {"name": ["Ann"]})
    assert page.heading == TURN
    assert len(arena.real.store.sessions()) == 1
    assert mark


def test_who_leaves_ends_the_table_and_may_begin_another(arena: Arena) -> None:
    person = arena.seated()
    form = person.page.form("/seat/leave")
    assert form is not None
    page = person.send(form)
    assert page.heading == OVER
    assert page.form("/seat/leave") is None
    assert person.send(form).heading == OVER
    again = page.form("/seat")
    assert again is not None
    assert [each.value for each in again.of("text", "name")] == ["Ann"]
    arena.real.clock.pass_ms(1_000)
    person.send(again, {"name": ["Ann"], "hands": ["1"]})
    assert arena.go_on(person).heading == TURN


@pytest.mark.slow
def test_tables_cannot_be_asked_for_without_end() -> None:
    arena = Arena(casual_tables=1_000)
    statuses = []
    for number in range(70):
        person = arena.person()
        person.sit_down(name=f"Ann {number}", players="2")
        statuses.append(person.answer.status_code)
    assert statuses.count(200) == 60
    assert statuses[-1] == 429
    assert person.answer.mimetype == "text/html"


# Waiting for news.


def test_a_page_that_knows_everything_hears_nothing(arena: Arena) -> None:
    person = arena.seated()
    mark = person.client.get("/seat").text.split('data-mark="')[1].split('"')[0]
    assert person.client.get(f"/seat?after={mark}").status_code == 204
    form = answer_form(person.page)
    person.send(form, anything(form))
    assert person.client.get(f"/seat?after={mark}").status_code == 200


@pytest.mark.parametrize("query", ["after=", "after=nothing", "wait=x", "wait=99", "what=1"])
def test_strange_questions_are_no_fault_of_ours(arena: Arena, query: str) -> None:
    assert arena.seated().client.get(f"/seat?{query}").status_code in (200, 400)


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("application/json", b"{}"),
        ("application/x-www-form-urlencoded", b"\xff"),
        ("application/x-www-form-urlencoded", b"a=%ff"),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 300)),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * 9_000),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * 3_000),
        ("multipart/form-data", b"x"),
    ],
    ids=lambda part: part[:12],
)
def test_what_is_no_form_is_refused(arena: Arena, media: str, body: bytes) -> None:
    person = arena.seated()
    for path in ("/seat", "/seat/answer", "/seat/leave"):
        sent = person.client.post(path, data=body, content_type=media, headers=ORIGIN)
        assert sent.status_code in (400, 413)


@pytest.mark.parametrize(
    "fields",
    [
        {"turn": ["x"]},
        {"turn": ["casual-r01-t01-h001.5.0"]},
        {"turn": []},
        {"choice": ["99999"]},
        {"choice": ["-1"]},
        {"choice": ["1e3"]},
        {"card": ["XX"]},
        {"card": ["JK"] * 60},
        {"throw": ["gun"]},
        {"accept": ["perhaps"]},
        {"kind": ["name"], "rank": ["Z"]},
        {"kind": ["ask"], "wish": ["Z"]},
        {"kind": ["nothing"]},
    ],
    ids=str,
)
def test_forged_answers_are_refused_with_the_page(
    arena: Arena, fields: dict[str, list[str]]
) -> None:
    person = arena.seated()
    form = answer_form(person.page)
    page = person.send(form, fields)
    assert person.answer.status_code in (400, 403, 404, 422)
    assert page.alerts[0]
