"""A session's life: documents, roster, statuses, what organisers do, what everybody may see."""

from __future__ import annotations

from typing import Any

import pytest

from arena.application import Referee
from arena.errors import BadInput, Conflict, Forbidden, NotFound
from arena.identity.enrolment import Registration
from arena.session.deals import secret_commitment
from arena.settings import Settings
from arena.store.memory import open_memory
from tests.referee.table import SEED, Arena, FakeClock


def test_a_document_comes_back_complete_and_without_its_seed(arena: Arena) -> None:
    document = arena.referee.create_session({"name": "Cup", "seed": SEED}, "admin")
    assert document["hands_per_table"] == 10
    assert document["clock"]["move_ms"] == 5_000
    assert document["roster"] == {"open": True, "max_bots": 64, "bots_per_owner": 3}
    assert document["schedule"]["kind"] == "round_robin"
    assert document["ruleset"] == {"preset": "pagat", "patches": [], "options": {}}
    assert document["seats"] == 4
    assert document["status"] == "created"
    assert document["secret"] is None
    assert document["secret_commitment"] == secret_commitment(bytes.fromhex(SEED))
    assert "seed" not in document


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"hands": 3}, "'hands'"),
        ({"name": ""}, "1 to 80"),
        ({"name": "a\u202eb"}, "printable"),
        ({"name": 7}, "1 to 80|text"),
        ({"slug": "Spring Cup"}, "a-z"),
        ({"seats": 9}, "2 to 8"),
        ({"seats": True}, "whole number"),
        ({"hands_per_table": 0}, "1 to"),
        ({"ruleset": {"preset": "poker"}}, "preset"),
        ({"ruleset": {"options": {"kakumi": True}}}, "kakumei"),
        ({"ruleset": 3}, "object"),
        ({"seats": 5, "ruleset": {"options": {"players": 4}}}, "as the ruleset says"),
        ({"clock": {"move": 5}}, "move_ms"),
        ({"clock": {"move_ms": 0}}, "1 to"),
        ({"clock": []}, "an object"),
        ({"schedule": {"kind": "knockout"}}, "round_robin"),
        ({"schedule": {"kind": ["swiss"]}}, "round_robin"),
        ({"schedule": "swiss"}, "an object"),
        ({"schedule": {"rounds": 0}}, "1 to"),
        ({"schedule": {"rounds": True}}, "whole number"),
        ({"schedule": {"rounds": None, "house_bots": 1}}, "true or false"),
        ({"schedule": {"prizes": 2}}, "round_robin schedule is 'prizes'"),
        ({"schedule": {"kind": "ladder", "rounds_at_once": 2}}, "ladder schedule is"),
        ({"schedule": {"kind": "ladder", "tables": 0}}, "1 to"),
        ({"schedule": {"kind": "swiss", "rounds": 1}}, "a balanced half"),
        ({"schedule": {"kind": "gauntlet"}}, "who sits at every table"),
        ({"schedule": {"kind": "gauntlet", "regulars": ["a", "a"]}}, "every name once"),
        ({"schedule": {"kind": "gauntlet", "regulars": [7]}}, "a name"),
        ({"schedule": {"kind": "gauntlet", "regulars": "a"}}, "a list"),
        ({"schedule": {"kind": "gauntlet", "regulars": list("abcd")}}, "one seat is left"),
        ({"schedule": {"kind": "final"}}, "sessions that lead to the final"),
        ({"schedule": {"kind": "final", "of": ["a"], "finalists": ["b"]}}, "left out"),
        ({"schedule": {"kind": "final", "of": ["a"], "prizes": 0}}, "1 to"),
        ({"schedule": {"mixed_sizes": True, "house_bots": True}}, "mixed_sizes"),
        ({"schedule": {"mixed_sizes": True}, "seats": 3}, "4 or more"),
        ({"schedule": {"mixed_sizes": True}, "ruleset": "uecda", "seats": 5}, "5 to 5 players"),
        (
            {"schedule": {"mixed_sizes": True}, "ruleset": {"options": {"players": 5}}},
            "fixes the size",
        ),
        ({"schedule": {"mixed_sizes": True}, "deals": "common"}, "two sizes"),
        ({"roster": {"open": "yes"}}, "true or false"),
        ({"deals": "once"}, "fresh, rotate, common"),
        ({"deals": "rotate"}, "deals_may_repeat"),
        ({"deals": "common"}, "bots_per_owner = 1"),
        ({"deals_may_repeat": "yes"}, "true or false"),
        ({"visibility": "always"}, "after_hand"),
        ({"seed": "xyz"}, "hex digits"),
        ({"seed": "0" * 66}, "hex digits"),
        ({"reseat_every": -1}, "0 to"),
    ],
)
def test_a_document_that_does_not_fit_is_refused(
    arena: Arena, members: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        arena.referee.create_session({"name": "Cup", **members}, "admin")


def test_a_short_seed_and_never_reseating_are_understood(arena: Arena) -> None:
    document = arena.referee.create_session(
        {"name": "Cup", "seed": "07", "reseat_every": "never", "ruleset": "pagat+kakumei"}, "admin"
    )
    assert document["reseat_every"] == 0
    assert document["options"]["kakumei"] is True


def test_a_slug_names_the_session_once(arena: Arena) -> None:
    assert arena.referee.create_session({"name": "A", "slug": "cup"}, "x")["session"] == "cup"
    with pytest.raises(Conflict):
        arena.referee.create_session({"name": "B", "slug": "cup"}, "x")


def test_statuses_follow_each_other_as_they_should(arena: Arena) -> None:
    session = arena.session()
    for action in ("open", "close", "start", "resume"):
        with pytest.raises(Conflict, match="it is running"):
            arena.referee.set_session(session, action, "admin")
    arena.referee.set_session(session, "pause", "admin")
    with pytest.raises(Conflict):
        arena.referee.set_session(session, "pause", "admin")
    arena.referee.set_session(session, "resume", "admin")
    arena.play()
    with pytest.raises(Conflict, match="it is finished"):
        arena.referee.set_session(session, "cancel", "admin")
    with pytest.raises(BadInput, match="open, close"):
        arena.referee.set_session(session, "explode", "admin")
    with pytest.raises(NotFound):
        arena.referee.set_session("nothing", "open", "admin")


def test_a_cancelled_session_ends_at_once_and_keeps_its_ended_hands(arena: Arena) -> None:
    session = arena.session(hands_per_table=5)
    arena.play(at_most=150)
    arena.referee.set_session(session, "cancel", "admin")
    assert arena.waiting() == []
    arena.restart()
    assert arena.waiting() == []
    document = arena.referee.queries.session(session)
    assert document["status"] == "cancelled"
    assert document["secret"] == SEED
    table = arena.referee.queries.tables(session)["tables"][0]
    assert table["status"] == "aborted"
    assert arena.referee.queries.table(table["table"])["hands"][-1]["status"] == "void"
    standings = arena.referee.queries.standings(session)
    assert standings["partial_blocks"] == 1
    assert standings["hands"] == document["progress"]["hands_finished"] > 0


def test_a_session_nobody_can_play_is_not_started(arena: Arena) -> None:
    session = arena.referee.create_session({"name": "Cup"}, "admin")["session"]
    with pytest.raises(BadInput):
        arena.referee.set_session(session, "start", "admin")
    assert arena.status(session) == "created"


@pytest.mark.slow
def test_bots_enter_leave_and_enter_again_before_the_start(arena: Arena) -> None:
    session = arena.referee.create_session({"name": "Cup"}, "admin")["session"]
    bots = arena.enrol(5)
    with pytest.raises(Conflict, match="it is created"):
        arena.referee.enter(session, bots[0])
    arena.referee.set_session(session, "open", "admin")
    numbers = [arena.referee.enter(session, bot)["number"] for bot in bots]
    assert numbers == [1, 2, 3, 4, 5]
    assert arena.referee.enter(session, bots[0])["number"] == 1
    arena.referee.leave(session, bots[0])
    arena.referee.leave(session, bots[4])
    assert arena.referee.enter(session, bots[0])["status"] == "entered"
    arena.referee.set_session(session, "start", "admin")
    arena.play()
    assert arena.status(session) == "finished"
    rows = arena.referee.queries.standings(session)["groups"][0]["rows"]
    assert {row["bot"] for row in rows} == set(bots[:4])
    with pytest.raises(NotFound):
        arena.referee.leave(session, "nobody")


def test_a_roster_has_its_limits(arena: Arena) -> None:
    document = {"name": "Cup", "roster": {"max_bots": 3, "bots_per_owner": 1}}
    session = arena.referee.create_session(document, "admin")["session"]
    arena.referee.set_session(session, "open", "admin")
    twins = arena.enrol(2, owner="alice")
    others = arena.enrol(3)
    arena.referee.enter(session, twins[0])
    with pytest.raises(Conflict, match="at most 1"):
        arena.referee.enter(session, twins[1])
    for bot in others[:2]:
        arena.referee.enter(session, bot)
    with pytest.raises(Conflict, match="full"):
        arena.referee.enter(session, others[2])


def test_a_closed_roster_is_filled_by_the_organiser(arena: Arena) -> None:
    document = {"name": "Cup", "roster": {"open": False}}
    session = arena.referee.create_session(document, "admin")["session"]
    (bot,) = arena.enrol(1)
    arena.referee.set_session(session, "open", "admin")
    with pytest.raises(Forbidden):
        arena.referee.enter(session, bot)
    assert arena.referee.add_bot(session, "bot-1", "admin")["bot"] == bot
    arena.referee.disqualify(session, bot, "admin")
    with pytest.raises(Forbidden):
        arena.referee.enter(session, bot)


def test_an_owner_with_two_spellings_of_former_times_is_one_in_a_session(arena: Arena) -> None:
    registry = arena.referee._context.registry
    for name, owner in (("a-1", "Alice"), ("a-2", "alice")):
        row, _ = registry.new_bot(name, owner, kind="bot")
        arena.store.write(row)
    document = {"name": "Cup", "slug": "cup", "roster": {"bots_per_owner": 1}}
    arena.referee.create_session(document, "admin")
    arena.referee.add_bot("cup", "a-1", "admin")
    with pytest.raises(Conflict, match="the owner has 1 bots in this session; at most 1"):
        arena.referee.add_bot("cup", "a-2", "admin")


def test_a_revoked_bot_is_entered_by_nobody_until_it_is_restored(arena: Arena) -> None:
    bot = arena.referee.register("alice")[0]["id"]
    session = arena.referee.create_session({"name": "Cup"}, "admin")["session"]
    arena.referee.set_session(session, "open", "admin")
    arena.referee.revoke(bot, "admin")
    for enter in (arena.referee.enter, lambda *asked: arena.referee.add_bot(*asked, "admin")):
        with pytest.raises(Conflict, match="is revoked: restore it first"):
            enter(session, bot)
    arena.referee.restore(bot, "admin")
    assert arena.referee.add_bot(session, bot, "admin")["status"] == "entered"


def test_sessions_and_tables_come_in_pages(arena: Arena) -> None:
    for n in range(5):
        arena.clock.pass_ms(1)
        arena.referee.create_session({"name": f"Cup {n}", "slug": f"cup-{n}"}, "admin")
    page = arena.referee.queries.sessions(limit=2)
    assert [each["session"] for each in page["sessions"]] == ["cup-4", "cup-3"]
    assert page["next"] == "cup-3"
    rest = arena.referee.queries.sessions("created", after=page["next"], limit=9)
    assert len(rest["sessions"]) == 3
    assert rest["next"] is None
    with pytest.raises(BadInput):
        arena.referee.queries.sessions("sleeping")


def test_tables_of_a_round_start_together_and_rounds_one_after_the_other(arena: Arena) -> None:
    session = arena.session(8, schedule={"rounds": 2}, hands_per_table=1)
    assert [table["round"] for table in arena.referee.queries.tables(session)["tables"]] == [1, 1]
    arena.play()
    assert [table["round"] for table in arena.referee.queries.tables(session)["tables"]] == [
        1,
        1,
        2,
        2,
    ]


def test_every_action_is_in_the_audit_log(arena: Arena) -> None:
    session = arena.session()
    arena.referee.set_session(session, "cancel", "root")
    entries = arena.referee.queries.audit()["entries"]
    assert (entries[0]["actor"], entries[0]["action"]) == ("root", "session.cancel")
    assert {"session.create", "session.open", "entry.enter", "session.start"} <= {
        entry["action"] for entry in entries
    }


@pytest.mark.slow
def test_seats_change_with_every_hand_unless_the_session_says_never(arena: Arena) -> None:
    session = arena.session(hands_per_table=6)
    arena.play()
    hands = arena.referee.queries.table(f"{session}-r01-t01")["hands"]
    assert len({tuple(hand["seating"]) for hand in hands}) > 1


def test_a_ruleset_that_moves_the_players_wins_over_reseating(arena: Arena) -> None:
    session = arena.session(hands_per_table=4, ruleset={"options": {"seats": "swap_ends"}})
    arena.play()
    assert arena.status(session) == "finished"


def test_a_value_of_any_length_is_repeated_in_part_only(arena: Arena) -> None:
    with pytest.raises(BadInput) as caught:
        arena.referee.create_session({"name": "Cup", "x" * 5_000: 1}, "admin")
    assert len(str(caught.value)) < 700  # all members of a session are named
    assert "x" * 50 in str(caught.value)


def test_an_unknown_anchor_leaves_the_mean(arena: Arena) -> None:
    session = arena.session(anchor="nobody")
    arena.play()
    assert arena.referee.queries.standings(session)["groups"][0]["anchor"] is None


def test_standings_are_fitted_again_only_when_hands_have_ended(arena: Arena) -> None:
    session = arena.session()
    arena.play(at_most=3)
    fitted = arena.referee.queries.fit(session, staff=True).standings
    assert arena.referee.queries.fit(session, staff=True).standings is fitted
    before = arena.referee.queries.standings(session)
    arena.play()
    assert arena.referee.queries.standings(session)["hands"] > before["hands"]


def test_tokens_are_known_until_they_are_rotated_or_revoked(arena: Arena) -> None:
    bot, token = arena.referee.register("alice")
    identity = arena.referee.registry.identify(token)
    assert identity is not None
    assert (identity.id, identity.scopes) == (bot["id"], ("play",))
    fresh = arena.referee.rotate_token(bot["id"])
    assert arena.referee.registry.identify(token) is None
    assert arena.referee.registry.identify(fresh) is not None
    arena.referee.revoke(bot["id"], "admin")
    assert arena.referee.registry.identify(fresh) is None
    with pytest.raises(Forbidden):
        arena.referee.rotate_token(bot["id"])
    assert arena.referee.registry.identify("dfa_nonsense\ud800") is None


def test_admins_have_scopes_of_their_own(arena: Arena) -> None:
    names = set()
    for _ in range(2):
        identity = arena.referee.registry.identify(arena.referee.registry.create_admin())
        assert identity is not None
        assert identity.scopes == ("play", "view", "assist", "admin")
        names.add(identity.name)
    assert len(names) == 2


@pytest.mark.parametrize("name", ["", "a" * 41, "house-9", "a\nb", " a", "a\u200bb", "e\u0301", 5])
def test_names_that_could_mislead_are_refused(arena: Arena, name: Any) -> None:
    with pytest.raises(BadInput):
        arena.referee.register(name)


def test_a_name_is_taken_once(arena: Arena) -> None:
    arena.referee.register("大富豪")
    with pytest.raises(Conflict, match="'大富豪' is taken"):
        arena.referee.register("大富豪")


def test_where_a_code_is_asked_for_it_is_used_up() -> None:
    settings = Settings(registration="code")
    clock = FakeClock()
    referee = Referee(open_memory(), clock=clock, settings=settings)
    with pytest.raises(Forbidden):
        referee.enrol(Registration("alice"), None)
    code = referee.enrolment.create_codes("class 7b", None, uses=1, valid_ms=1000, actor="admin")[
        0
    ]["code"]
    bot, _ = referee.enrol(Registration("alice", code=code), None)
    assert bot["owner"] == "class 7b"
    with pytest.raises(Forbidden):
        referee.enrol(Registration("bob", code=code), None)
    late = referee.enrolment.create_codes("class 7c", None, uses=5, valid_ms=1000, actor="admin")[
        0
    ]["code"]
    clock.pass_ms(1000)
    with pytest.raises(Forbidden):
        referee.enrol(Registration("bob", code=late), None)
