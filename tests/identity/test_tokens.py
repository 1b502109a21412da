"""Whose names and tokens they are: look-alikes, revoking and restoring, organisers, codes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from arena.application import Referee
from arena.errors import BadInput, Conflict, Forbidden, NotFound, Unavailable
from arena.identity.enrolment import Registration
from arena.referee.bell import Bell
from arena.settings import Settings
from arena.store.memory import open_memory
from arena.store.port import BotRow
from tests.cluster.memory import Several
from tests.referee.table import Arena, FakeClock

LIKE_ALICE = ("Alice-1", "aIice-1", "alice‐1", "alıce-1", "ALICE-1", "alice-l", "alice--1")


@pytest.fixture
def arena() -> Arena:
    return Arena()


# Names.


@pytest.mark.parametrize("name", LIKE_ALICE)
def test_a_name_that_looks_like_another_one_is_taken(arena: Arena, name: str) -> None:
    arena.referee.register("alice-1")
    with pytest.raises(Conflict, match=f"{name!r} looks like 'alice-1', which is taken"):
        arena.referee.register(name)


@pytest.mark.parametrize("name", ["\u2800", "..", "a/b", "a\\b", "-", "b-7q3mz2ka"])
def test_what_is_no_name_is_refused_for_bots_owners_and_organisers(arena: Arena, name: str) -> None:
    with pytest.raises(BadInput, match="name"):
        arena.referee.register(name)
    with pytest.raises(BadInput, match="owner"):
        arena.referee.register("alice", name)
    with pytest.raises(BadInput, match="name"):
        arena.referee.registry.create_admin(name)
    with pytest.raises(BadInput, match="name"):
        arena.referee.organisers.create(name, role="viewer", actor="a")


def test_organisers_bots_and_house_bots_share_their_names(arena: Arena) -> None:
    arena.referee.registry.create_admin("anna")
    with pytest.raises(Conflict):
        arena.referee.register("Anna")
    arena.referee.register("ben")
    with pytest.raises(Conflict):
        arena.referee.organisers.create("Ben", role="viewer", actor="a")
    token = arena.referee.registry.create_admin("BEN")
    identity = arena.referee.registry.identify(token)
    assert identity is not None
    assert identity.name == "BEN-2"


def test_a_bot_cannot_be_named_like_the_id_of_another_one(arena: Arena) -> None:
    victim, _ = arena.referee.register("victim")
    with pytest.raises(BadInput, match="the form of an id"):
        arena.referee.register(victim["id"])
    with pytest.raises(BadInput, match="the form of an id"):
        arena.referee.register(victim["id"].upper())


def old_row(number: int, name: str) -> BotRow:
    return BotRow(f"b-{number}", name, name, str(number), number, False, "bot")


def test_an_older_database_with_names_that_collide_still_opens(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = open_memory()
    store.write(old_row(2, "Alice-1"), old_row(1, "alice-1"), old_row(3, "bob"))
    with caplog.at_level(logging.WARNING, "arena.referee"):
        arena = Arena(store)
    assert "the name 'Alice-1' (b-2) looks like an older one" in caplog.text
    assert [row.id for row in store.bots_without_key()] == ["b-2"]
    assert arena.referee.queries.bot("Alice-1")["id"] == "b-2"
    for name in ("alice-1", "Alice-1", "aIice-1", "Bob"):
        with pytest.raises(Conflict):
            arena.referee.register(name)
    arena.restart()
    assert arena.referee.register("carol")


def test_many_old_names_get_their_keys_in_few_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_memory()
    store.write(*(old_row(number, f"bot-{number}") for number in range(1_200)))
    writes = []
    write = store.write

    def counted(*changes: Any) -> None:
        writes.append(len(changes))
        write(*changes)

    monkeypatch.setattr(store, "write", counted)
    Arena(store)
    assert writes[:3] == [500, 500, 200]
    assert store.bots_without_key() == ()


# Revoking.


def in_thread(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """What a thread that runs now will have answered."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    return thread, answers


def polling(referee: Referee, bot: str) -> tuple[threading.Thread, list[Any]]:
    """A bot's long-poll, which has begun to wait."""
    waiting = referee.health()["waiting"]
    thread, answers = in_thread(lambda: referee.turns(bot, wait_ms=30_000))
    while referee.health()["waiting"] == waiting and thread.is_alive():
        thread.join(0.01)
    return thread, answers


@pytest.mark.parametrize("act", ["revoke", "rotate"])
def test_a_poll_that_waits_ends_when_its_token_is_taken_away(arena: Arena, act: str) -> None:
    bot, _ = arena.referee.register("alice")
    other, _ = arena.referee.register("bob")
    thread, answers = polling(arena.referee, bot["id"])
    still, _ = polling(arena.referee, other["id"])
    if act == "revoke":
        arena.referee.revoke("alice", "admin")
    else:
        arena.referee.rotate_token(bot["id"])
    thread.join(10)
    assert [answer["turns"] for answer in answers] == [[]]
    assert still.is_alive()
    arena.referee.revoke("bob", "admin")
    still.join(10)


def test_who_follows_a_hand_is_sent_home_too(arena: Arena) -> None:
    session = arena.session()
    hand = f"{session}-r01-t01-h001"
    bot = arena.bots["bot-1"]
    known = arena.referee.hand_events(hand, bot)["next"]
    thread, answers = in_thread(lambda: arena.referee.hand_events(hand, bot, known, wait_ms=30_000))
    while not arena.referee.health()["waiting"] and thread.is_alive():
        thread.join(0.01)
    arena.referee.rotate_token(bot)
    thread.join(10)
    assert [answer["events"] for answer in answers] == [[]]


def test_a_poll_that_comes_as_the_token_goes_does_not_wait(arena: Arena) -> None:
    bot, _ = arena.referee.register("alice")
    arena.referee.revoke("alice", "admin")
    assert arena.referee.turns(bot["id"], wait_ms=30_000)["turns"] == []


def test_the_bell_lets_nobody_wait_for_who_is_barred() -> None:
    bell = Bell()
    before, other = bell.listen("bot:a", who="a"), bell.listen("hand:h", who="b")
    bell.bar("a")
    assert before.released
    assert bell.listen("hand:h", who="a").released
    assert not other.released
    bell.admit("a")
    assert not bell.listen("bot:a", who="a").released


def test_a_poll_at_another_process_ends_too() -> None:
    several = Several()
    here, there = several.members
    bot, token = here.referee.register("alice")
    assert there.referee.registry.identify(token)
    thread, answers = polling(there.referee, bot["id"])
    here.referee.revoke("alice", "admin")
    several.step()
    thread.join(10)
    assert [answer["turns"] for answer in answers] == [[]]
    assert there.referee.registry.identify(token) is None
    fresh = there.referee.restore("alice", "admin")
    several.step()
    assert here.referee.registry.identify(fresh) is not None
    thread, answers = polling(here.referee, bot["id"])
    there.referee.rotate_token(bot["id"])
    several.step()
    thread.join(10)
    assert [answer["turns"] for answer in answers] == [[]]


def test_a_restored_bot_waits_again_where_nobody_heard_of_it() -> None:
    several = Several()
    here, there = several.members
    bot, _ = here.referee.register("alice")
    other, _ = here.referee.register("bob")
    here.referee.revoke("alice", "admin")
    here.referee.revoke("bob", "admin")
    here.line.deaf = True
    there.referee.restore("alice", "admin")
    assert here.referee.turns(bot["id"], wait_ms=30_000)["turns"] == []
    several.pass_ms(11_000)
    assert here.referee._context.signals.bell.barred() == (other["id"],)
    thread, _ = polling(here.referee, bot["id"])
    assert thread.is_alive()
    here.referee.revoke("alice", "admin")
    thread.join(10)


def statuses(arena: Arena, session: str) -> dict[str, str]:
    entries = arena.referee.queries.session(session, staff=True)["entries"]
    return {entry["name"]: entry["status"] for entry in entries}


@pytest.mark.slow
def test_a_revoked_bot_is_withdrawn_from_what_is_not_over(arena: Arena) -> None:
    over = arena.session(slug="over", hands_per_table=1)
    arena.play()
    running = arena.referee.create_session({"name": "Cup", "slug": "running"}, "admin")["session"]
    created = arena.referee.create_session({"name": "Cup", "slug": "created"}, "admin")["session"]
    for session in (running, created):
        for bot in arena.bots.values():
            arena.referee.add_bot(session, bot, "admin")
    arena.referee.set_session(running, "start", "admin")
    arena.referee.revoke("bot-1", "anna")
    assert arena.referee.queries.session(over)["status"] == "finished"
    assert statuses(arena, over)["bot-1"] == "entered"
    for session in (running, created):
        assert statuses(arena, session)["bot-1"] == "withdrawn"
        assert statuses(arena, session)["bot-2"] == "entered"
    told = [
        (entry["actor"], entry["action"], entry["detail"])
        for entry in arena.referee.queries.audit(limit=3)["entries"]
    ]
    bot = arena.bots["bot-1"]
    assert sorted(told, key=str) == [
        ("anna", "bot.revoke", bot),
        ("anna", "entry.withdrawn", {"session": "created", "bot": bot}),
        ("anna", "entry.withdrawn", {"session": "running", "bot": bot}),
    ]
    arena.play()
    assert arena.referee.queries.session(running)["status"] == "finished"


def test_a_revocation_that_broke_off_is_finished_by_doing_it_again(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session()
    write = arena.store.write

    def only_the_first(*changes: Any) -> None:
        monkeypatch.setattr(arena.store, "write", broken)
        write(*changes)

    def broken(*changes: Any) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(arena.store, "write", only_the_first)
    with pytest.raises(Unavailable):
        arena.referee.revoke("bot-1", "admin")
    monkeypatch.setattr(arena.store, "write", write)
    assert statuses(arena, "cup")["bot-1"] == "entered"
    arena.referee.revoke("bot-1", "admin")
    assert statuses(arena, "cup")["bot-1"] == "withdrawn"
    actions = [entry["action"] for entry in arena.referee.queries.audit(limit=2)["entries"]]
    assert actions == ["entry.withdrawn", "bot.revoke"]


def test_a_bot_is_restored_with_a_new_token_and_can_be_added_again(arena: Arena) -> None:
    bot, token = arena.referee.register("alice")
    session = arena.session(start=False)
    arena.referee.add_bot(session, "alice", "admin")
    with pytest.raises(Conflict, match="alice is not revoked"):
        arena.referee.restore("alice", "admin")
    arena.referee.revoke("alice", "admin")
    fresh = arena.referee.restore("alice", "admin")
    assert arena.referee.registry.identify(token) is None
    identity = arena.referee.registry.identify(fresh)
    assert identity is not None
    assert identity.id == bot["id"]
    assert statuses(arena, session)["alice"] == "withdrawn"
    arena.referee.add_bot(session, "alice", "admin")
    assert statuses(arena, session)["alice"] == "entered"
    thread, _ = polling(arena.referee, bot["id"])
    assert thread.is_alive()
    arena.referee.revoke("alice", "admin")
    thread.join(10)


def test_only_bots_are_revoked_as_bots(arena: Arena) -> None:
    arena.referee.registry.create_admin("anna")
    for act in (arena.referee.revoke, arena.referee.restore):
        with pytest.raises(BadInput, match="not an organiser"):
            act("anna", "anna")
        with pytest.raises(NotFound):
            act("nobody", "anna")


# Organisers and codes.


def test_organisers_are_made_listed_and_revoked(arena: Arena) -> None:
    arena.referee.registry.create_admin("anna")
    staff = arena.referee.organisers
    made, token = staff.create("ben", role="assistant", actor="anna")
    identity = arena.referee.registry.identify(token)
    assert identity is not None
    assert (identity.name, identity.scopes) == ("ben", ("view", "assist"))
    staff.create("carla", role="viewer", actor="anna")
    assert staff.revoke("ben", actor="anna") == {**made, "revoked": True}
    assert arena.referee.registry.identify(token) is None
    listed = [(each["name"], each["role"], each["revoked"]) for each in staff.all()["organisers"]]
    assert listed == [
        ("anna", "organiser", False),
        ("ben", "assistant", True),
        ("carla", "viewer", False),
    ]
    actions = [entry["action"] for entry in arena.referee.queries.audit()["entries"]]
    assert actions == ["organiser.revoke", *["organiser.create"] * 3]


def test_the_last_organiser_stays(arena: Arena) -> None:
    token = arena.referee.registry.create_admin("anna")
    staff = arena.referee.organisers
    staff.create("ben", role="assistant", actor="anna")
    with pytest.raises(Conflict, match="anna is the last organiser"):
        staff.revoke("anna", actor="anna")
    assert arena.referee.registry.identify(token)
    staff.create("carla", role="organiser", actor="anna")
    staff.revoke("anna", actor="carla")
    staff.revoke("anna", actor="carla")
    with pytest.raises(Conflict):
        staff.revoke("carla", actor="carla")
    assert arena.referee.registry.has_admin()


def test_who_is_no_organiser_is_not_revoked_as_one(arena: Arena) -> None:
    arena.referee.register("alice")
    for name in ("alice", "nobody"):
        with pytest.raises(NotFound):
            arena.referee.organisers.revoke(name, actor="anna")
    with pytest.raises(BadInput, match="organiser, assistant, viewer"):
        arena.referee.organisers.create("ben", role="boss", actor="anna")


def test_an_organiser_who_gets_a_new_token_is_in_the_audit_log(arena: Arena) -> None:
    identity = arena.referee.registry.identify(arena.referee.registry.create_admin("anna"))
    assert identity is not None
    arena.referee.rotate_token(identity.id)
    entry, first = arena.referee.queries.audit()["entries"]
    assert (entry["actor"], entry["action"]) == (identity.id, "organiser.rotate")
    assert (entry["actor_name"], first["actor_name"]) == ("anna", None)


def test_codes_are_listed_without_the_code_and_revoked() -> None:
    clock = FakeClock()
    referee = Referee(open_memory(), clock=clock, settings=Settings(registration="code"))
    referee.start(threads=False)
    staff = referee.organisers
    made = [
        referee.enrolment.create_codes(label, None, uses=2, actor="anna", valid_ms=valid_ms)[0][
            "code"
        ]
        for label, valid_ms in (("class 4b", None), ("class 4a", 1_000))
    ]
    clock.pass_ms(2_000)
    referee.enrol(Registration("alice", code=made[0]), None)
    late, good = staff.codes()["codes"]
    assert (late["label"], late["usable"], good["label"]) == ("class 4a", False, "class 4b")
    assert (good["uses_left"], good["expires"], good["usable"]) == (1, None, True)
    assert not any(code in str(staff.codes()) for code in made)
    gone = {**good, "revoked": True, "usable": False}
    assert staff.revoke_code(good["id"], actor="anna") == gone
    assert staff.codes()["codes"] == [late, gone]
    (entry,) = referee.queries.audit(limit=1)["entries"]
    assert (entry["action"], entry["detail"]["label"]) == ("code.revoke", "class 4b")
    assert staff.revoke_code(good["id"], actor="ben") == gone
    assert referee.queries.audit(limit=1)["entries"] == [entry]
    with pytest.raises(Forbidden):
        referee.enrol(Registration("bob", code=made[0]), None)
    for wrong in (late["id"][:-1], "", "f" * 12, made[1]):
        with pytest.raises(NotFound):
            staff.revoke_code(wrong, actor="anna")
