"""Seats that are open to people: made, taken once, taken back; and what a session allows people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, Forbidden, NotFound
from arena.organising.casual import SeatedPerson
from arena.organising.invitations import MOST_INVITATIONS, Seat
from arena.records.verify import verify
from arena.settings import Settings
from tests.casual import House
from tests.cluster.memory import Several
from tests.real import Real

HOUR_MS = 3_600_000


@pytest.fixture
def real() -> Real:
    real = Real(settings=Settings(requests_per_s=0))
    House(real)
    return real


def new_session(real: Real, **members: Any) -> str:
    document = {"name": "Cup", "slug": "cup", "seats": 4, "rated": False, "hands_per_table": 1}
    made = real.referee.create_session({**document, **members}, "organiser")
    session: str = made["session"]
    return session


def invite(real: Real, session: str = "cup", **wanted: Any) -> Document:
    return real.referee.invitations.create(session, Seat(**wanted), "organiser")


def accept(
    real: Real, made: Document, name: str = "Ann", person: str | None = None
) -> SeatedPerson:
    return real.referee.invitations.accept(made["code"], name, person)


def entries(real: Real, session: str = "cup") -> list[Document]:
    listed: list[Document] = real.referee.queries.session(session, staff=True)["entries"]
    return listed


def listed(real: Real, session: str = "cup") -> list[Document]:
    invitations: list[Document] = real.referee.invitations.listed(session)["invitations"]
    return invitations


def test_behind_a_seat_that_is_taken_is_an_entry_like_others(real: Real) -> None:
    new_session(real)
    made = invite(real, clock="x2")
    assert made["link"] == f"/seat/invitation#{made['code']}"
    seated = accept(real, made)
    [entry] = entries(real)
    assert (entry["bot"], entry["name"], entry["status"]) == (seated.bot, "Ann", "entered")
    assert entry["person"] == {"clock": "x2"}
    identity = real.referee.registry.known(seated.token or "")
    assert identity is not None
    assert identity.id == seated.bot
    assert [each["bot"] for each in listed(real)] == [seated.bot]
    audit = real.referee.queries.audit()["entries"][0]
    assert (audit["action"], audit["actor_name"]) == ("invitation.accept", "Ann")
    assert audit["detail"] == {"session": "cup", "bot": seated.bot, "invitation": made["id"]}


def test_a_code_is_told_once_and_kept_as_its_hash(real: Real) -> None:
    new_session(real)
    made = invite(real)
    note = real.store.note("invitations/cup") or ""
    assert made["code"].split(".")[1] not in note
    assert made["code"] not in str(listed(real))
    audit = real.referee.queries.audit()["entries"]
    assert audit[0]["action"] == "invitation.create"
    assert made["code"] not in str(audit)


def test_a_code_may_be_typed_in_capitals_and_with_spaces_around_it(real: Real) -> None:
    new_session(real)
    made = invite(real)
    assert real.referee.invitations.find(f"  {made['code'].upper()} ").session.id == "cup"


def test_of_two_browsers_with_one_code_one_gets_the_seat(real: Real) -> None:
    new_session(real)
    made = invite(real)
    accept(real, made)
    before = len(real.store.bots(limit=500))
    with pytest.raises(Forbidden, match="it has been used"):
        accept(real, made, "Bea")
    assert len(entries(real)) == 1
    assert len(real.store.bots(limit=500)) == before


def test_one_that_is_revoked_or_expired_is_not_good(real: Real) -> None:
    new_session(real)
    revoked, expired = invite(real), invite(real, hours=1.0)
    gone = real.referee.invitations.revoke("cup", revoked["id"], "organiser")
    assert gone["revoked"]
    assert real.referee.invitations.revoke("cup", revoked["id"], "organiser") == gone
    with pytest.raises(Forbidden, match="taken it back"):
        accept(real, revoked)
    real.clock.pass_ms(HOUR_MS)
    with pytest.raises(Forbidden, match="has expired"):
        accept(real, expired)
    assert entries(real) == []


@pytest.mark.parametrize(
    "code",
    ["", "cup", "cup.", "cup.aaaa-aaaa-aaaa-aaaa", "no.aaaa-aaaa-aaaa-aaaa", "x" * 5_000, "🂡"],
    ids=lambda code: code[:12],
)
def test_a_wrong_code_leads_nowhere(real: Real, code: str) -> None:
    new_session(real)
    invite(real)
    with pytest.raises(Forbidden, match="no invitation with this code"):
        real.referee.invitations.find(code)


def test_an_accepted_one_is_withdrawn_and_not_revoked(real: Real) -> None:
    new_session(real)
    made = invite(real)
    seated = accept(real, made)
    with pytest.raises(Conflict, match=seated.bot):
        real.referee.invitations.revoke("cup", made["id"], "organiser")
    with pytest.raises(NotFound):
        real.referee.invitations.revoke("cup", "0" * 12, "organiser")
    real.referee.disqualify("cup", seated.bot, "organiser", reason="was a program")
    assert entries(real)[0]["status"] == "disqualified"


def test_a_name_that_is_taken_costs_no_invitation(real: Real) -> None:
    new_session(real)
    real.referee.register("Ann")
    made = invite(real)
    with pytest.raises(Conflict, match="'Ann' is taken"):
        accept(real, made)
    assert accept(real, made, "Bea").bot
    with pytest.raises(Conflict, match="'Ann' is taken"):
        invite(real, name="Ann")


def test_the_organiser_may_fix_the_name(real: Real) -> None:
    new_session(real)
    accept(real, invite(real, name="Guest 1"), "Somebody else")
    assert [entry["name"] for entry in entries(real)] == ["Guest 1"]


@pytest.mark.parametrize("action", ["start", "cancel"])
def test_nobody_comes_in_any_more_once_it_has_begun_or_is_over(real: Real, action: str) -> None:
    new_session(real)
    made = invite(real)
    for number in range(1, 5):
        real.referee.add_bot("cup", f"house-lowest-{number}", "organiser")
    real.referee.set_session("cup", action, "organiser")
    with pytest.raises(Conflict, match="cannot be entered"):
        accept(real, made)
    with pytest.raises(Conflict, match="cannot be entered"):
        invite(real)


def test_a_ladder_takes_people_while_it_is_played(real: Real) -> None:
    new_session(real, rated=True, people={"rated": True}, schedule={"kind": "ladder"})
    for number in range(1, 5):
        bot, _ = real.referee.register(f"bot-{number}")
        real.referee.add_bot("cup", bot["id"], "organiser")
    real.referee.set_session("cup", "start", "organiser")
    seated = accept(real, invite(real, clock="x2"))
    assert entries(real)[-1]["bot"] == seated.bot
    assert real.referee.queries.session("cup")["status"] == "running"


def test_a_full_session_keeps_the_invitation(real: Real) -> None:
    new_session(real, roster={"max_bots": 2})
    for number in (1, 2):
        real.referee.add_bot("cup", f"house-lowest-{number}", "organiser")
    made = invite(real)
    with pytest.raises(Conflict, match="full"):
        accept(real, made)
    real.referee.withdraw("cup", "house-lowest-1", "organiser")
    assert accept(real, made).bot


@pytest.mark.parametrize(
    ("members", "wanted", "error"),
    [
        ({"rated": True}, {}, Conflict),
        ({}, {"clock": "none"}, BadInput),
        ({"people": {"longest_clock": "x1"}}, {"clock": "x1.5"}, BadInput),
        ({}, {"clock": "x3"}, BadInput),
        ({}, {"hours": 0.0}, BadInput),
        ({}, {"hours": 10_001.0}, BadInput),
        ({}, {"name": "house-1"}, BadInput),
        ({}, {"name": " "}, BadInput),
    ],
    ids=str,
)
def test_what_a_session_does_not_allow_is_refused(
    real: Real, members: Document, wanted: Document, error: type[ArenaError]
) -> None:
    new_session(real, **members)
    with pytest.raises(error):
        invite(real, **wanted)
    assert listed(real) == []


def test_a_document_that_would_put_a_person_out_is_refused(real: Real) -> None:
    new_session(real)
    accept(real, invite(real, clock="x2"))
    document = {"name": "Cup", "seats": 4}
    for members in ({"rated": True}, {"rated": False, "people": {"longest_clock": "x1"}}):
        with pytest.raises(Conflict, match="Ann has entered"):
            real.referee.replace_session("cup", {**document, **members}, "organiser")


def test_people_are_rated_only_where_the_document_says_so(real: Real) -> None:
    new_session(real, rated=True, people={"rated": True})
    seated = accept(real, invite(real))
    with pytest.raises(Forbidden, match="not rated"):
        real.referee.add_bot("cup", "house-lowest-1", "organiser")
    document = {"name": "Two", "slug": "two", "seats": 4, "people": {"rated": True}}
    real.referee.create_session(document, "organiser")
    real.referee.set_session("two", "open", "organiser")
    with pytest.raises(Forbidden, match="by an invitation"):
        real.referee.enter("two", seated.bot)


def test_who_sat_here_before_under_the_same_name_is_the_same(real: Real) -> None:
    new_session(real)
    first = accept(real, invite(real))
    real.referee.leave("cup", first.bot)
    again = accept(real, invite(real), person=first.bot)
    assert (again.bot, again.token) == (first.bot, None)
    assert [entry["status"] for entry in entries(real)] == ["entered"]


def test_a_session_has_so_many_invitations_and_no_more(real: Real) -> None:
    new_session(real)
    for _ in range(MOST_INVITATIONS):
        invite(real)
    with pytest.raises(Conflict, match="may have no more"):
        invite(real)


def test_all_of_it_goes_with_the_session(real: Real) -> None:
    new_session(real)
    made = invite(real)
    seated = accept(real, made)
    real.referee.delete_session("cup", "organiser")
    assert real.store.note("invitations/cup") is None
    assert real.store.note("people/cup") is None
    assert real.store.bot(seated.bot) is None
    assert real.referee.registry.known(seated.token or "") is None
    with pytest.raises(Forbidden):
        real.referee.invitations.find(made["code"])


def test_the_clock_is_in_the_hands_the_record_and_the_standings(real: Real) -> None:
    new_session(real, rated=True, people={"rated": True}, schedule={"rounds": 1}, seats=2)
    seated = accept(real, invite(real, clock="x1.5"))
    bot, _ = real.referee.register("program")
    real.referee.add_bot("cup", bot["id"], "organiser")
    real.referee.set_session("cup", "start", "organiser")
    waiting = True
    while waiting:
        waiting = False
        for player in (seated.bot, bot["id"]):
            for turn in real.referee.turns(player)["turns"]:
                assert turn["remaining_ms"] == (7_500 if player == seated.bot else 5_000)
                choice = {"choice": len(turn["legal"]) - 1}
                real.referee.answer(player, turn["turn"], choice)
                waiting = True
    queries = real.referee.queries
    table = queries.table("cup-r01-t01")
    clocks = {player["bot"]: player.get("clock") for player in table["players"]}
    assert clocks == {seated.bot: "x1.5", bot["id"]: None}
    assert {seat.get("clock") for seat in queries.hand("cup-r01-t01-h001")["seats"]} == {
        "x1.5",
        None,
    }
    lines = list(queries.records("cup"))
    assert verify(lines).ok
    assert set(json.loads(lines[1])["clocks"]) == {"x1.5", None}
    shown = real.anybody.get("/api/v1/sessions/cup/standings?format=text").text
    assert "played by people: Ann (clock x1.5)" in shown
    document = real.anybody.get("/api/v1/sessions/cup/standings?format=json").json or {}
    assert document["people"] == [{"bot": seated.bot, "name": "Ann", "clock": "x1.5"}]


def test_a_persons_clock_holds_at_every_process_and_after_a_restart() -> None:
    several = Several(2)
    first, second = (arena.referee for arena in several.members)
    document = {"name": "Cup", "slug": "cup", "seats": 2, "rated": False, "schedule": {"rounds": 1}}
    first.create_session(document, "organiser")
    second.queries.session("cup")  # read there before anybody has come
    made = first.invitations.create("cup", Seat(clock="x2"), "organiser")
    seated = second.invitations.accept(made["code"], "Ann", None)
    identity = first.registry.identify(seated.token or "")
    assert identity is not None
    with pytest.raises(Forbidden, match="has been used"):
        first.invitations.accept(made["code"], "Bea", None)
    bot, _ = first.register("program")
    first.add_bot("cup", bot["id"], "organiser")
    first.set_session("cup", "start", "organiser")
    several.add()
    for home in several.members:
        if not home.plays():
            several.move(home)
        [table] = home.referee._context.in_play.tables.values()
        times = {bot: own.move_ms for bot, own in zip(table.players, table.log.clocks, strict=True)}
        assert times == {seated.bot: 10_000, bot["id"]: 5_000}
