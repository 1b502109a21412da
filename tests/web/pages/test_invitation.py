"""A person comes into a session by an invitation, with forms alone: from the code to the end."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from arena.clock import instant
from arena.settings import Settings
from tests.browser import ORIGIN as ADDRESS
from tests.browser import Scheme, is_cut, violations, window
from tests.casual import House
from tests.real import Real
from tests.web.pages.seat_reader import ORIGIN, Person, SeatPage
from tests.web.pages.test_seat import answer_form, anything

API = "/api/v1/sessions"
DOCUMENT = {"name": "Spring cup", "slug": "cup", "seats": 4, "hands_per_table": 2, "rated": False}
BEFORE = "Waiting for the session to begin"


class Cup:
    """A session with three house bots in it, and an organiser who invites."""

    def __init__(self, **members: Any) -> None:
        self.real = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
        self.house = House(self.real)
        document = {**DOCUMENT, "schedule": {"rounds": 1}, **members}
        made = self.real.organiser.post(API, json=document)
        assert made.status_code == 201, made.text
        for number in range(1, 4):
            self.real.referee.add_bot("cup", f"house-lowest-{number}", "organiser")

    def invite(self, **wanted: Any) -> dict[str, Any]:
        made = self.real.organiser.post(f"{API}/cup/invitations", json=wanted)
        assert made.status_code == 201, made.text
        assert made.json is not None
        return dict(made.json)

    def person(self) -> Person:
        return Person(self.real.client())

    def start(self) -> None:
        assert self.real.organiser.post(f"{API}/cup/start").status_code == 200

    def go_on(self, person: Person) -> SeatPage:
        self.house.play()
        return person.look()

    def play(self, person: Person) -> list[str]:
        """Play to the end; the headings that were seen."""
        seen = []
        for _ in range(500):
            page = self.go_on(person)
            seen.append(page.heading)
            if page.heading == "Your turn":
                person.send(answer_form(page), anything(answer_form(page)))
                assert person.answer.status_code == 200, person.page.alerts
            elif page.heading == "The session is over":
                return seen
        raise AssertionError("the session does not end")


@pytest.fixture
def cup() -> Cup:
    return Cup()


def test_from_the_code_to_the_end_of_the_session(cup: Cup) -> None:
    person, code = cup.person(), cup.invite(clock="x2")["code"]
    page = person.invited(code)
    assert page.heading == "Spring cup"
    assert "10 seconds for each turn, and 2 minutes in reserve" in page.text
    assert "Nothing of this session is rated" in page.text
    page = person.accept(code)
    assert page.heading == BEFORE
    assert "The organiser starts it" in page.text
    cup.start()
    assert set(cup.play(person)) == {"Your turn", "The session is over"}
    page = person.page
    assert "/sessions/cup" in page.links
    assert "/sessions/cup/tables" in page.links
    assert "/hands/cup-r01-t01-h001" in page.links
    assert "/hands/cup-r01-t01-h002" in page.links
    entries = cup.real.referee.queries.session("cup")["entries"]
    assert [each["name"] for each in entries if "person" in each] == ["Ann"]
    assert "twice the time" in cup.real.anybody.get("/sessions/cup").text


def test_the_code_is_in_no_address_that_is_sent(cup: Cup) -> None:
    made = cup.invite()
    path, _, fragment = made["link"].partition("#")
    assert (path, fragment) == ("/seat/invitation", made["code"])
    person = cup.person()
    page = person.open(path)
    assert "script" in person.answer.text
    assert page.form("/seat/invitation") is not None
    assert not any(made["code"] in link for link in person.invited(made["code"]).links)
    assert person.answer.headers["Cache-Control"] == "no-store"
    assert person.answer.headers["Referrer-Policy"] == "same-origin"


def test_the_page_says_when_the_session_starts() -> None:
    real_ms = Real().clock.ms
    cup = Cup(starts=instant(real_ms + 7_500_000))
    person = cup.person()
    assert "in 2 h 5 min" in person.invited(cup.invite()["code"]).text
    assert "It starts in 2 h 5 min" in person.accept(cup.invite()["code"]).text


@pytest.mark.parametrize(
    ("board", "words"), [("named", "everybody sees"), ("pseudonymous", "only organisers see")]
)
def test_the_page_says_who_sees_the_name(board: str, words: str) -> None:
    cup = Cup(board=board)
    person = cup.person()
    assert f"Your name, which {words}" in person.invited(cup.invite()["code"]).text
    person.accept(cup.invite()["code"])
    assert ("Ann" in cup.real.anybody.get("/api/v1/sessions/cup").text) is (board == "named")


def test_looking_at_an_invitation_does_not_spend_it(cup: Cup) -> None:
    code = cup.invite()["code"]
    cup.person().invited(code)
    assert cup.person().accept(code).heading == BEFORE


def test_of_two_browsers_the_second_is_told_so(cup: Cup) -> None:
    code = cup.invite()["code"]
    first, second = cup.person(), cup.person()
    form = second.invited(code).form("/seat/accept")
    assert form is not None
    first.accept(code)
    page = second.send(form, {"name": ["Bea"]})
    assert second.answer.status_code == 403
    assert "it has been used" in page.alerts[0]
    assert second.look().heading == "Play"
    assert first.look().heading == BEFORE


def test_a_code_that_is_not_good_says_why(cup: Cup) -> None:
    person, revoked, expired = cup.person(), cup.invite(), cup.invite(valid_hours=1)
    cup.real.organiser.post(f"{API}/cup/invitations/{revoked['id']}/revoke")
    cup.real.clock.pass_ms(3_600_000)
    for code, words in (
        (revoked["code"], "taken it back"),
        (expired["code"], "has expired"),
        ("cup.aaaa-aaaa-aaaa-aaaa", "no invitation with this code"),
        ("", "no invitation with this code"),
        ("<b>🂡</b>", "no invitation with this code"),
    ):
        page = person.invited(code)
        assert person.answer.status_code == 403
        assert words in page.alerts[0]
        assert page.form("/seat/invitation") is not None


def test_wrong_codes_cannot_be_tried_for_long_and_keep_nobody_out(cup: Cup) -> None:
    code, person = cup.invite()["code"], cup.person()
    statuses = set()
    for _ in range(200):
        person.invited("cup.aaaa-aaaa-aaaa-aaaa")
        statuses.add(person.answer.status_code)
        if person.answer.status_code == 429:
            break
    assert statuses == {403, 429}
    assert cup.person().accept(code).heading == BEFORE


def test_a_session_that_has_begun_takes_nobody_in(cup: Cup) -> None:
    code, other, person, late = (
        cup.invite()["code"],
        cup.invite()["code"],
        cup.person(),
        cup.person(),
    )
    form = late.invited(other).form("/seat/accept")
    assert form is not None
    person.accept(code)
    cup.start()
    page = late.send(form, {"name": ["Bea"]})
    assert late.answer.status_code == 409
    assert "cannot be entered: it is running" in page.alerts[0]


def test_a_name_that_is_taken_can_be_chosen_anew(cup: Cup) -> None:
    cup.real.referee.register("Ann")
    person, code = cup.person(), cup.invite()["code"]
    page = person.accept(code)
    assert person.answer.status_code == 409
    assert "'Ann' is taken" in page.alerts[0]
    form = page.form("/seat/accept")
    assert form is not None
    assert [each.value for each in form.of("text", "name")] == ["Ann"]
    assert person.send(form, {"name": ["house-1"]}).alerts
    assert person.answer.status_code == 400
    assert person.send(form, {"name": ["Bea"]}).heading == BEFORE


def test_a_fixed_name_is_not_asked_for(cup: Cup) -> None:
    person, code = cup.person(), cup.invite(name="Guest 1")["code"]
    form = person.invited(code).form("/seat/accept")
    assert form is not None
    assert form.of("text", "name") == []
    person.send(form, {"name": ["Somebody else"]})
    entries = cup.real.referee.queries.session("cup")["entries"]
    assert entries[-1]["name"] == "Guest 1"


def test_a_browser_with_a_seat_does_not_lose_it_to_another(cup: Cup) -> None:
    person = cup.person()
    person.accept(cup.invite()["code"])
    code = cup.invite()["code"]
    page = person.accept(code, "Bea")
    assert person.answer.status_code == 409
    assert "has a seat already" in page.alerts[0]
    assert person.look().heading == BEFORE


@pytest.mark.parametrize("begun", [False, True])
def test_who_leaves_is_out_for_good(cup: Cup, begun: bool) -> None:
    person = cup.person()
    page = person.accept(cup.invite()["code"])
    if begun:
        cup.start()
        page = cup.go_on(person)
    form = page.form("/seat/leave")
    assert form is not None
    assert person.send(form).heading == "You have left the session"
    entries = cup.real.referee.queries.session("cup")["entries"]
    assert entries[-1]["status"] == "withdrawn"


def test_who_is_disqualified_reads_why(cup: Cup) -> None:
    person = cup.person()
    person.accept(cup.invite()["code"])
    cup.start()
    bot = cup.real.referee.queries.session("cup")["entries"][-1]["bot"]
    cup.real.referee.disqualify("cup", bot, "organiser", reason="was a program")
    page = cup.go_on(person)
    assert page.heading == "You have been disqualified"
    assert "was a program" in page.text


def test_a_cancelled_session_says_so(cup: Cup) -> None:
    person = cup.person()
    person.accept(cup.invite()["code"])
    cup.real.referee.set_session("cup", "cancel", "organiser")
    assert person.look().heading == "The session has been cancelled"


def test_the_cookie_of_a_deleted_session_is_nobody(cup: Cup) -> None:
    person = cup.person()
    person.accept(cup.invite()["code"])
    cup.real.referee.delete_session("cup", "organiser")
    assert person.look().heading == "Play"
    assert person.answer.status_code == 200


def test_several_tables_are_shown_by_the_time_that_is_left() -> None:
    cup = Cup(schedule={"rounds": 3, "rounds_at_once": 3}, hands_per_table=1)
    person = cup.person()
    person.accept(cup.invite()["code"])
    cup.start()
    page = cup.go_on(person)
    assert "You sit at 3 tables at once" in page.text
    first = answer_form(page).hidden()["turn"][0]
    cup.real.clock.pass_ms(1_000)
    person.send(answer_form(page), anything(answer_form(page)))
    shown = answer_form(cup.go_on(person)).hidden()["turn"][0]
    assert shown.partition("-h")[0] != first.partition("-h")[0]
    bot = cup.real.referee.queries.session("cup")["entries"][-1]["bot"]
    turns = cup.real.referee._context.signals.open_turns.of(bot)
    assert next(turn for turn in turns if turn.id == shown).due_ms == min(
        turn.due_ms for turn in turns
    )
    seen = cup.play(person)
    assert seen[-1] == "The session is over"
    assert cup.real.referee.queries.session("cup")["progress"]["hands_finished"] == 3


def test_a_page_that_waits_hears_that_the_session_has_begun(cup: Cup) -> None:
    person = cup.person()
    person.accept(cup.invite()["code"])
    text = person.answer.text
    mark = text.split('data-mark="')[1].split('"')[0]
    assert person.client.get(f"/seat?after={mark}").status_code == 204
    cup.start()
    assert person.client.get(f"/seat?after={mark}").status_code == 200


def test_in_a_rated_session_a_person_has_a_place() -> None:
    real = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    document = {**DOCUMENT, "seats": 2, "schedule": {"rounds": 1}}
    more = {"rated": True, "people": {"rated": True}}
    real.organiser.post(API, json={**document, **more})
    invitation = real.organiser.post(f"{API}/cup/invitations").json or {}
    person = Person(real.client())
    assert "You are rated as the programs are" in person.invited(invitation["code"]).text
    person.accept(invitation["code"])
    bot, _ = real.referee.register("program")
    real.referee.add_bot("cup", bot["id"], "organiser")
    real.referee.set_session("cup", "start", "organiser")
    for _ in range(200):
        for turn in real.referee.turns(bot["id"])["turns"]:
            choice = {"choice": len(turn["legal"]) - 1}
            real.referee.answer(bot["id"], turn["turn"], choice)
        if person.look().heading == "Your turn":
            person.send(answer_form(person.page), anything(answer_form(person.page)))
        elif person.page.heading == "The session is over":
            break
    assert "Your place is" in person.page.text
    own = next(link for link in person.page.links if "/bots/" in link)
    assert "/hands/cup-r01-t01-h001" in real.anybody.get(own).text


@pytest.mark.parametrize("path", ["/seat/invitation", "/seat/accept"])
@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {}], ids=str)
def test_a_form_of_another_site_is_refused(cup: Cup, path: str, headers: dict[str, str]) -> None:
    code = cup.invite()["code"]
    fields = {"code": [code], "name": ["Eve"]}
    sent = cup.real.client().post(path, data=fields, headers={"Accept": "text/html", **headers})
    assert sent.status_code == 403
    assert cup.person().accept(code).heading == BEFORE


def test_the_cookie_is_kept_until_the_session_is_played(cup: Cup) -> None:
    person = cup.person()
    form = person.invited(cup.invite()["code"]).form("/seat/accept")
    assert form is not None
    fields = {**form.hidden(), "name": ["Ann"]}
    sent = person.client.post("/seat/accept", data=fields, headers=ORIGIN)
    flags = {part.strip() for part in sent.headers["Set-Cookie"].split(";")[1:]}
    assert {"HttpOnly", "SameSite=Strict", "Path=/seat", "Max-Age=7776000"} <= flags


@pytest.mark.slow
def test_the_link_alone_leads_to_the_invitation(browser: Browser, cup: Cup) -> None:
    link = cup.invite(clock="x1.5")["link"]
    asked: list[str] = []
    with window(browser, cup.real.client()) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(ADDRESS + link)
        expect(page.locator("h1")).to_have_text("Spring cup")
        assert "#" not in page.url
        assert not any(link.partition("#")[2] in url for url in asked)
        assert page.get_by_label("Your name").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_and_axe_finds_nothing(browser: Browser, cup: Cup, scheme: Scheme) -> None:
    code = cup.invite()["code"]
    with window(browser, cup.real.client(), width=320, scheme=scheme) as page:
        page.goto(f"{ADDRESS}/seat/invitation")
        page.get_by_label("Code").fill("wrong")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("alert")).to_contain_text("no invitation with this code")
        assert (violations(page), is_cut(page)) == ([], False)
        page.get_by_label("Code").fill(code)
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("h1")).to_have_text("Spring cup")
        assert (violations(page), is_cut(page)) == ([], False)
