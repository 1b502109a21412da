"""Sessions are corrected: renamed, hidden, changed before the start, deleted if not played."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.documents import Document
from arena.errors import BadInput, Conflict, NotFound, NotHome
from arena.records.verify import verify
from tests.cluster.memory import Several
from tests.referee.table import SEED, Arena
from tests.store.contents import counters

CUP = {"name": "Spring cup", "slug": "cup", "seats": 4, "hands_per_table": 2}


def shown(arena: Arena, session: str = "cup") -> Document:
    return arena.referee.queries.session(session)


def last_audit(arena: Arena) -> tuple[str, Document]:
    row = arena.store.audit(limit=1)[0]
    return row.action, orjson.loads(row.detail)


def test_before_its_start_a_session_takes_another_document(arena: Arena) -> None:
    arena.session(start=False)
    commitment = shown(arena)["secret_commitment"]
    members = {"hands_per_table": 3, "clock": {"move_ms": 900}, "schedule": {"rounds": 1}}
    document = {**CUP, **members, "seed": SEED}
    after = arena.referee.replace_session("cup", document, "admin")
    assert (after["hands_per_table"], after["clock"]["move_ms"], after["status"]) == (
        3,
        900,
        "open",
    )
    assert after["clock"]["bank_ms"] == 60_000
    assert len(after["entries"]) == 4
    assert after["secret_commitment"] == commitment
    arena.referee.set_session("cup", "start", "admin")
    arena.play()
    assert shown(arena)["progress"]["hands_finished"] == 3
    assert verify(list(arena.referee.queries.records("cup", full=True))).ok


def test_what_was_before_a_correction_stands_in_the_audit_log(arena: Arena) -> None:
    arena.session(start=False)
    arena.referee.replace_session("cup", {**CUP, "schedule": {"rounds": 2}}, "anna")
    action, detail = last_audit(arena)
    assert action == "session.edit"
    assert detail["session"] == "cup"
    assert detail["before"]["schedule"]["rounds"] == 1
    assert detail["after"]["schedule"]["rounds"] == 2
    assert set(detail["before"]) == {"schedule"}
    count = len(arena.store.audit())
    arena.referee.change_session("cup", {"name": "Spring cup"}, "anna")
    assert len(arena.store.audit()) == count


@pytest.mark.parametrize(
    ("document", "error", "message"),
    [
        ({"seats": 9}, BadInput, "2 to 8"),
        ({"slug": "other"}, BadInput, "a session keeps its address"),
        ({"seed": "07"}, BadInput, "its commitment is public"),
        ({"hands": 3}, BadInput, "'hands'"),
        ({"schedule": {"kind": "final", "of": ["cup"]}}, Conflict, "it is open"),
        ({"roster": {"max_bots": 3}}, Conflict, r"4 bots have entered.*cannot be 3"),
        ({"roster": {"bots_per_owner": 1}}, Conflict, r"\(bot-1, bot-2\).*cannot be 1"),
        (
            {"schedule": {"kind": "final", "finalists": ["bot-1", "bot-2", "bot-3"]}},
            Conflict,
            "no finalists: bot-4",
        ),
    ],
)
def test_a_document_that_does_not_fit_changes_nothing(
    arena: Arena, document: Document, error: type[Exception], message: str
) -> None:
    arena.referee.create_session({**CUP, "seed": SEED}, "admin")
    for bot in (*arena.enrol(2, owner="anna"), *arena.enrol(2)):
        arena.referee.add_bot("cup", bot, "admin")
    arena.referee.set_session("cup", "open", "admin")
    before, audited = shown(arena), len(arena.store.audit())
    with pytest.raises(error, match=message):
        arena.referee.replace_session("cup", {**CUP, **document}, "admin")
    assert shown(arena) == before
    assert len(arena.store.audit()) == audited


def test_a_bot_whose_owner_is_not_proven_keeps_deals_fresh(arena: Arena) -> None:
    arena.session(start=False)
    unproven = arena.store.bot(arena.bots["bot-1"])
    assert unproven is not None
    arena.store.write(
        unproven._replace(
            id="b-guest", name="guest", owner="guest", owner_key="guest", token_hash="g"
        )._replace(proven=False, name_key="g")
    )
    arena.referee.add_bot("cup", "b-guest", "admin")
    repeated = {**CUP, "deals": "rotate", "deals_may_repeat": True}
    with pytest.raises(Conflict, match="the owner of 'guest' is not proven"):
        arena.referee.replace_session("cup", repeated, "admin")


def test_after_the_start_only_the_name_and_the_lists_can_be_changed(arena: Arena) -> None:
    arena.session()
    document = {**CUP, "clock": {"move_ms": 1}, "schedule": {"rounds": 9}}
    with pytest.raises(Conflict, match=r"clock, schedule .*before the start: it is running"):
        arena.referee.replace_session("cup", document, "admin")
    with pytest.raises(BadInput, match="1 to 80"):
        arena.referee.change_session("cup", {"name": ""}, "admin")
    arena.referee.change_session("cup", {"name": "Autumn cup"}, "admin")
    arena.play()
    assert shown(arena)["name"] == "Autumn cup"
    arena.referee.change_session("cup", {"name": "Winter cup"}, "admin")
    arena.restart()
    assert shown(arena)["name"] == "Winter cup"
    assert "Winter cup" in arena.referee.queries.fit("cup").text("standings", form="plain")
    records = list(arena.referee.queries.records("cup", full=True))
    assert orjson.loads(records[0])["document"]["name"] == "Winter cup"
    assert verify(records).ok


def test_standings_have_the_name_of_the_moment(arena: Arena) -> None:
    arena.session()
    arena.play()
    arena.referee.freeze("cup", "admin")
    for name in ("First", "Second"):
        arena.referee.change_session("cup", {"name": name}, "admin")
        assert name in arena.referee.queries.fit("cup").text("standings", form="plain")


def test_an_end_by_the_ruleset_survives_a_new_name(arena: Arena) -> None:
    ruleset = {"preset": "pagat", "options": {"session_end": "minutes:30"}}
    document = {"name": "Cup", "slug": "cup", "ruleset": ruleset}
    before = arena.referee.create_session(document, "admin")
    after = arena.referee.change_session("cup", {"name": "Plate"}, "admin")
    assert after["options"]["session_end"] == "minutes:30"
    assert after == {**before, "name": "Plate"}


def test_a_hidden_session_is_in_no_public_list_and_can_still_be_reached(arena: Arena) -> None:
    arena.session(start=False)
    arena.referee.create_session({"name": "Test", "slug": "test", "hidden": True}, "admin")
    arena.referee.change_session("cup", {"hidden": True}, "admin")
    queries = arena.referee.queries
    assert queries.sessions()["sessions"] == []
    assert [each["session"] for each in queries.sessions(staff=True)["sessions"]] == ["test", "cup"]
    assert shown(arena)["hidden"] is True
    arena.referee.replace_session("cup", CUP, "admin")
    assert shown(arena)["hidden"] is True
    arena.referee.change_session("cup", {"hidden": False}, "admin")
    assert [each["session"] for each in queries.sessions()["sessions"]] == ["cup"]


def test_pages_of_a_list_go_on_behind_hidden_sessions(arena: Arena) -> None:
    for number in range(5):
        hidden = number in (2, 3, 4)
        document = {"name": "Cup", "slug": f"cup-{number}", "hidden": hidden}
        arena.referee.create_session(document, "admin")
        arena.clock.pass_ms(1)
    found: list[str] = []
    after: str | None = None
    while True:
        page = arena.referee.queries.sessions(after=after, limit=2)
        found += [each["session"] for each in page["sessions"]]
        after = page["next"]
        if after is None:
            break
    assert found == ["cup-1", "cup-0"]


def test_a_session_of_which_nothing_was_played_can_be_deleted(arena: Arena) -> None:
    before = arena.session(start=False)
    arena.referee.freeze("cup", "admin")
    arena.referee.delete_session("cup", "admin")
    with pytest.raises(NotFound):
        shown(arena)
    action, detail = last_audit(arena)
    assert (action, detail["session"], len(detail["bots"])) == ("session.delete", before, 4)
    assert detail["before"]["name"] == "Spring cup"
    assert arena.store.entries("cup") == ()
    assert arena.store.note("publication/cup") is None
    assert set(counters(arena.store)) <= {"alive", "lag", "starts"}
    arena.referee.create_session(CUP, "admin")
    assert shown(arena)["entries"] == []


def test_a_cancelled_session_without_tables_can_be_deleted(arena: Arena) -> None:
    arena.session(start=False)
    arena.referee.set_session("cup", "cancel", "admin")
    arena.referee.delete_session("cup", "admin")
    assert arena.referee.queries.sessions()["sessions"] == []


def test_what_was_played_is_not_deleted(arena: Arena) -> None:
    arena.session()
    with pytest.raises(Conflict, match="cancel it"):
        arena.referee.delete_session("cup", "admin")
    arena.referee.set_session("cup", "pause", "admin")
    with pytest.raises(Conflict, match="cancel it"):
        arena.referee.delete_session("cup", "admin")
    arena.referee.set_session("cup", "cancel", "admin")
    with pytest.raises(Conflict, match="was played and stays"):
        arena.referee.delete_session("cup", "admin")
    with pytest.raises(NotFound):
        arena.referee.delete_session("nothing", "admin")


def test_other_processes_learn_of_a_correction() -> None:
    several = Several()
    here, there = several.members
    here.session(start=False)
    assert shown(there)["name"] == "Spring cup"
    here.referee.replace_session("cup", {**CUP, "name": "Open cup", "hands_per_table": 3}, "admin")
    assert shown(there)["hands_per_table"] == 3
    there.referee.set_session("cup", "start", "admin")
    several.step()
    assert there.referee._context.in_play.sessions["cup"].config.hands_per_table == 3
    with pytest.raises(NotHome):
        here.referee.change_session("cup", {"name": "Running cup"}, "admin")
    there.referee.change_session("cup", {"name": "Running cup"}, "admin")
    assert shown(here)["name"] == "Running cup"
    assert there.one()[1]["hands"] == 3


def test_a_session_that_was_deleted_elsewhere_is_gone_here_too() -> None:
    several = Several()
    here, there = several.members
    here.session(start=False)
    assert shown(there)["status"] == "open"
    here.referee.delete_session("cup", "admin")
    several.step()
    with pytest.raises(NotFound):
        there.referee.queries.tables("cup")


def test_a_session_is_not_started_by_a_document_that_was_replaced_meanwhile(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schedule is drawn without a lock: what is corrected meanwhile counts."""
    arena.session(start=False)
    from arena.organising import sessions

    draw = sessions.make_schedule
    replaced: list[str] = []

    def interrupted(*given: Any, **more: Any) -> str:
        text = draw(*given, **more)
        if not replaced:
            replaced.append("cup")
            document = {**CUP, "schedule": {"rounds": 3}}
            arena.referee.replace_session("cup", document, "admin")
        return text

    monkeypatch.setattr(sessions, "make_schedule", interrupted)
    arena.referee.set_session("cup", "start", "admin")
    assert shown(arena)["progress"]["rounds"] == 3
