"""Every kind of schedule, played: rounds that follow from results, restarts, races, rosters."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import orjson
import pytest

from arena.errors import BadInput, Conflict, Forbidden, NotHome
from arena.organising import sessions
from arena.records.verify import verify
from arena.session.stored_schedule import first_rounds
from arena.store.memory import open_memory
from arena.store.port import SetSchedule, TableRow
from tests.cluster.memory import Several
from tests.referee.table import Arena, lowest
from tests.referee.test_restart import Died, DyingStore

SWISS: dict[str, Any] = {"kind": "swiss", "rounds": 4}
LADDER: dict[str, Any] = {"kind": "ladder", "rounds": 3}
KINDS: dict[str, dict[str, Any]] = {
    "round_robin": {"kind": "round_robin", "rounds": 2},
    "gauntlet": {"kind": "gauntlet", "rounds": 3, "regulars": ["bot-2"]},
    "swiss": SWISS,
    "ladder": LADDER,
    "mixed": {"kind": "round_robin", "rounds": 2, "mixed_sizes": True},
}
SEATS = {"mixed": 4}


def members(kind: str, **more: Any) -> dict[str, Any]:
    """A session of a kind, with few hands."""
    return {
        "seats": SEATS.get(kind, 3),
        "hands_per_table": 1,
        "schedule": KINDS[kind],
        "roster": {"bots_per_owner": 1},
        **more,
    }


def stored(arena: Arena, session: str = "cup") -> dict[str, Any]:
    """The schedule as it is stored."""
    row = arena.store.session(session)
    assert row is not None
    assert row.schedule is not None
    found: dict[str, Any] = orjson.loads(row.schedule)
    return found


def line_ups(arena: Arena, session: str = "cup") -> list[tuple[int, tuple[str, ...]]]:
    """(round, names) of every table."""
    tables = arena.referee.queries.tables(session, limit=500)["tables"]
    return [(t["round"], tuple(player["name"] for player in t["players"])) for t in tables]


def records(arena: Arena, session: str = "cup") -> list[str]:
    return list(arena.referee.queries.records(session, full=True))


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "gauntlet" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS],
)
def test_every_kind_is_played_to_its_end_and_its_record_is_true(arena: Arena, kind: str) -> None:
    session = arena.session(7, **members(kind))
    arena.play()
    assert arena.status(session) == "finished"
    report = verify(records(arena))
    assert report.findings == ()
    assert report.secret
    view = arena.referee.queries.session(session)
    rounds = {number for number, _ in line_ups(arena)}
    assert view["design"]["rounds"] == len(rounds) == view["progress"]["rounds"]
    assert view["design"]["rounds_to_come"] == 0
    assert view["design"]["tables"] == len(line_ups(arena))
    assert view["progress"]["hands_finished"] == view["progress"]["hands"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_crash_at_any_write_between_rounds_changes_nothing(kind: str) -> None:
    """The process dies before or after each write that makes tables or a schedule."""
    whole = DyingStore(open_memory(), 10**9, after=False)
    arena = Arena(whole)
    arena.session(7, **members(kind))
    arena.play()
    expected = line_ups(arena)
    points = [
        number
        for number, changes in enumerate(whole.writes, start=1)
        if any(isinstance(change, TableRow | SetSchedule) for change in changes)
    ]
    for point in points:
        for after in (False, True):
            store = open_memory()
            arena = Arena(DyingStore(store, point, after=after))
            try:
                arena.session(7, **members(kind))
                arena.play()
            except Died:
                pass
            arena.store = store
            arena.restart(outage_ms=1_000)
            if arena.status("cup") == "open":
                arena.referee.set_session("cup", "start", "admin")
            arena.play()
            assert arena.status("cup") == "finished", (kind, point, after)
            assert line_ups(arena) == expected, (kind, point, after)
            assert verify(records(arena)).ok, (kind, point, after)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_in_the_middle_of_every_round_goes_on(arena: Arena, kind: str) -> None:
    session = arena.session(7, **members(kind))
    while arena.status(session) == "running":
        arena.play(at_most=40)
        arena.restart(outage_ms=500)
    assert verify(records(arena)).ok
    assert arena.status(session) == "finished"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["swiss", "ladder", "gauntlet"])
def test_homes_that_die_one_after_another_draw_the_schedule_of_one_process(kind: str) -> None:
    alone = Arena()
    alone.session(7, **members(kind))
    alone.play()
    several = Several()
    session = several.members[0].session(7, **members(kind))
    several.step()
    while (home := several.home(session)).status(session) == "running":
        home.play(at_most=40)
        several.restart(home)
        several.pass_ms(500)
        if not any(member.plays(session) for member in several.alive):
            break
    for member in several.members:
        assert member.status(session) == "finished"
        assert line_ups(member) == line_ups(alone)
        assert verify(records(member)).ok


# Swiss.


def test_swiss_rounds_follow_from_the_results(arena: Arena) -> None:
    arena.session(8, **members("swiss", hands_per_table=2))
    arena.play(at_most=30)
    first = stored(arena)
    assert (len(first["rounds"]), first["to_come"], first["draws"]) == (2, 2, {})
    arena.play()
    schedule = stored(arena)
    assert (len(schedule["rounds"]), schedule["to_come"]) == (4, 0)
    assert schedule["rounds"][:2] == first["rounds"]
    assert sorted(schedule["draws"]) == ["3", "4"]
    for drawn in schedule["draws"].values():
        elos = [elo for _, elo, _ in drawn]
        assert len(drawn) == 8
        assert elos == sorted(elos, reverse=True)
    assert schedule["design"]["meetings_max"] >= 1


@pytest.mark.slow
def test_swiss_leaves_those_out_that_have_left(arena: Arena) -> None:
    session = arena.session(9, **members("swiss"))
    while stored(arena)["to_come"] == 2:
        if len(arena.referee.queries.tables(session)["tables"]) > 3:
            arena.referee.withdraw(session, arena.bots["bot-1"], "admin")
        arena.play(at_most=1)
    arena.play()
    later = [names for number, names in line_ups(arena) if number > 2]
    assert all("bot-1" not in names for names in later)
    assert verify(records(arena)).ok


@pytest.mark.slow
def test_swiss_keeps_the_seats_of_those_that_left_if_it_cannot_do_without(arena: Arena) -> None:
    """Six bots of three owners fill two tables of three; of five bots of them only one is."""
    session = arena.referee.create_session(
        {"name": "Cup", "slug": "cup", "seats": 3, "hands_per_table": 1, "schedule": SWISS}, "admin"
    )["session"]
    arena.referee.set_session(session, "open", "admin")
    for owner in ("a", "b", "c"):
        for bot in arena.enrol(2, owner=owner):
            arena.referee.enter(session, bot)
    arena.referee.set_session(session, "start", "admin")
    arena.referee.withdraw(session, arena.bots["bot-1"], "admin")
    arena.bots.pop("bot-1")
    arena.play()
    last = [names for number, names in line_ups(arena) if number == 4]
    assert len(last) == 2
    assert sum("house-1" in names for names in last) == 1
    assert verify(records(arena)).ok


@pytest.mark.slow
def test_house_bots_fill_a_swiss_field(arena: Arena) -> None:
    arena.session(7, **members("swiss", schedule={**SWISS, "house_bots": True}))
    arena.play()
    games = Counter(name for _, names in line_ups(arena) for name in names)
    assert set(games.values()) == {4}
    assert {"house-1", "house-2"} <= set(games)
    assert verify(records(arena)).ok


# Gauntlets.


def test_regulars_of_a_gauntlet_sit_at_every_table(arena: Arena) -> None:
    arena.session(7, **members("gauntlet"))
    arena.play()
    assert len(line_ups(arena)) == 3
    assert all("bot-2" in names for _, names in line_ups(arena))


def test_a_gauntlet_without_its_regular_is_not_started(arena: Arena) -> None:
    with pytest.raises(BadInput, match=r"'nobody'; expected bots that have entered: bot-1"):
        arena.session(
            7, **members("gauntlet", schedule={"kind": "gauntlet", "regulars": ["nobody"]})
        )
    assert arena.status("cup") == "open"


# Ladders.


def ladder(arena: Arena, bots: int = 4, **schedule: Any) -> str:
    """A ladder without an end, just started."""
    return arena.session(bots, **members("ladder", schedule={"kind": "ladder", **schedule}))


@pytest.mark.slow
def test_a_ladder_goes_on_until_it_is_closed(arena: Arena) -> None:
    session = ladder(arena)
    arena.play(at_most=400)
    assert arena.status(session) == "running"
    assert arena.referee.queries.session(session)["design"]["rounds_to_come"] is None
    assert len(stored(arena)["rounds"]) > 5
    arena.referee.set_session(session, "close", "admin")
    with pytest.raises(Conflict, match="closed"):
        arena.referee.enter(session, arena.enrol(1)[0])
    arena.play()
    assert arena.status(session) == "finished"
    assert verify(records(arena)).ok


@pytest.mark.slow
def test_bots_enter_a_ladder_that_is_being_played_and_come_again_as_new_ones(arena: Arena) -> None:
    session = ladder(arena)
    arena.play(at_most=100)
    (newcomer,) = arena.enrol(1)
    arena.referee.enter(session, newcomer)
    arena.play(at_most=300)
    assert any("bot-5" in names for _, names in line_ups(arena))
    arena.referee.leave(session, newcomer)
    (version_2,) = arena.enrol(1)
    arena.referee.enter(session, version_2)
    arena.play(at_most=300)
    rounds = max(number for number, _ in line_ups(arena))
    late = [names for number, names in line_ups(arena) if number > rounds - 2]
    assert all("bot-5" not in names for names in late)
    assert any("bot-6" in names for _, names in line_ups(arena))
    arena.referee.enter(session, newcomer)  # and back
    arena.play(at_most=300)
    assert any("bot-5" in names for number, names in line_ups(arena) if number > rounds)
    arena.restart()
    arena.referee.set_session(session, "close", "admin")
    arena.play()
    assert arena.status(session) == "finished"
    assert verify(records(arena)).ok
    assert stored(arena)["roster"] == list(arena.bots.values())


@pytest.mark.slow
def test_a_newcomer_plays_soon_and_then_near_its_strength(arena: Arena) -> None:
    session = ladder(arena, 9, tables=1)
    arena.play(at_most=600)
    (newcomer,) = arena.enrol(1)
    arena.referee.enter(session, newcomer)
    at = len(stored(arena)["rounds"])
    arena.play(at_most=300)
    tables = [names for number, names in line_ups(arena) if number > at]
    assert all("bot-10" in names for names in tables[:2])


def test_a_ladder_waits_for_bots_and_goes_on_when_one_comes(arena: Arena) -> None:
    session = ladder(arena, 3)
    arena.play(at_most=50)
    arena.referee.leave(session, arena.bots["bot-3"])
    arena.play()
    assert (arena.waiting(), arena.status(session)) == ([], "running")
    arena.restart()
    assert arena.status(session) == "running"
    arena.referee.enter(session, arena.enrol(1)[0])
    assert arena.waiting()
    arena.referee.set_session(session, "pause", "admin")
    arena.referee.enter(session, arena.enrol(1)[0])
    assert arena.waiting() == []
    arena.referee.set_session(session, "resume", "admin")
    arena.play(at_most=50)
    arena.referee.set_session(session, "close", "admin")
    arena.play()
    assert arena.status(session) == "finished"


def test_an_idle_ladder_that_is_closed_ends_at_once(arena: Arena) -> None:
    session = ladder(arena, 3)
    arena.referee.leave(session, arena.bots["bot-3"])
    arena.play()
    assert arena.status(session) == "running"
    arena.referee.set_session(session, "close", "admin")
    assert arena.status(session) == "finished"


def test_who_enters_here_is_drawn_there() -> None:
    several = Several()
    here, there = several.members
    session = here.session(3, **members("ladder", schedule={"kind": "ladder"}))
    several.step()
    here.referee.leave(session, here.bots["bot-3"])
    here.play()
    several.move(there, session)
    (late,) = there.enrol(1)
    with pytest.raises(NotHome):
        here.referee.enter(session, late)
    there.referee.enter(session, late)
    assert there.waiting()
    there.referee.set_session(session, "close", "admin")
    assert stored(here)["to_come"] == 0
    several.move(here, session)
    here.play()
    assert here.status(session) == "finished"
    assert verify(records(here)).ok


def test_only_a_ladder_is_closed_or_entered_while_it_is_played(arena: Arena) -> None:
    session = arena.session(7, **members("swiss"))
    with pytest.raises(Conflict, match="only a ladder"):
        arena.referee.set_session(session, "close", "admin")
    with pytest.raises(Conflict, match="it is running"):
        arena.referee.enter(session, arena.enrol(1)[0])


def test_a_ladder_that_could_not_play_is_not_started(arena: Arena) -> None:
    with pytest.raises(BadInput, match="at least 3, one for each seat"):
        ladder(arena, 2)


def test_an_owner_enters_no_more_bots_in_a_ladder_than_it_may(arena: Arena) -> None:
    session = ladder(arena, 4)
    twins = arena.enrol(2, owner="alice")
    arena.referee.enter(session, twins[0])
    with pytest.raises(Conflict, match="at most 1"):
        arena.referee.enter(session, twins[1])
    arena.referee.leave(session, twins[0])
    assert arena.referee.enter(session, twins[1])["status"] == "entered"


# Finals.


def qualified(arena: Arena, **more: Any) -> str:
    """A session in which bots play alike, long enough for all to have a rank; its id."""
    schedule = {"rounds": 7, "rounds_at_once": 7}
    return arena.session(6, seats=3, hands_per_table=1, schedule=schedule, **more)


def final(arena: Arena, **schedule: Any) -> str:
    document = {
        "name": "Final",
        "slug": "final",
        "seats": 3,
        "hands_per_table": 1,
        "schedule": {"kind": "final", "of": ["cup"], "rounds": 2, **schedule},
    }
    session: str = arena.referee.create_session(document, "admin")["session"]
    return session


def test_a_finalist_that_was_revoked_stays_out_and_keeps_nobody_out(arena: Arena) -> None:
    names = ["a", "b", "c", "d"]
    bots = [arena.referee.register(name)[0]["id"] for name in names]
    final(arena, of=[], finalists=names)
    arena.referee.revoke(bots[1], "admin")
    arena.referee.set_session("final", "open", "admin")
    entered = {entry["name"] for entry in arena.referee.queries.session("final")["entries"]}
    assert entered == {"a", "c", "d"}


@pytest.mark.slow
def test_a_final_is_for_those_that_can_still_win(arena: Arena) -> None:
    qualified(arena)
    with pytest.raises(Conflict, match="it is running"):
        final(arena)
    arena.play()
    final(arena)
    (stranger,) = arena.enrol(1)
    arena.referee.set_session("final", "open", "admin")
    entered = {entry["name"] for entry in arena.referee.queries.session("final")["entries"]}
    rows = arena.referee.queries.standings("cup")["groups"][0]["rows"]
    reaching = {row["name"] for row in rows if row["rank_low"] == 1}
    assert entered == reaching
    with pytest.raises(Forbidden, match="win a prize"):
        arena.referee.enter("final", stranger)
    arena.referee.set_session("final", "start", "admin")
    arena.play()
    assert arena.status("final") == "finished"
    assert verify(records(arena, "final")).ok


def test_a_final_says_why_there_is_none(arena: Arena) -> None:
    with pytest.raises(BadInput, match=r"schedule\.of\[0\].*'cup'.*a session of this arena"):
        final(arena)
    arena.session(6, **members("round_robin"))
    with pytest.raises(Conflict, match="it is running"):
        final(arena)
    arena.play()
    with pytest.raises(BadInput, match=r"schedule\.of\[1\].*'plate'.*a session of this arena"):
        final(arena, of=["cup", "plate"])
    other = {"name": "x", "seats": 4, "schedule": {"kind": "final", "of": ["cup"]}}
    with pytest.raises(BadInput, match="the ruleset and the seats of the final"):
        arena.referee.create_session(other, "admin")
    assert [each["session"] for each in arena.referee.queries.sessions()["sessions"]] == ["cup"]
    final(arena)
    with pytest.raises(BadInput, match="5 blocks give a rank"):
        arena.referee.set_session("final", "open", "admin")


def test_finalists_may_be_named(arena: Arena) -> None:
    arena.enrol(4)
    names = ["bot-4", "bot-2", "bot-1", "not registered yet"]
    session = final(arena, of=[], finalists=names)
    with pytest.raises(Forbidden):
        arena.referee.add_bot(session, "bot-3", "admin")
    arena.referee.set_session(session, "start", "admin")
    arena.play()
    assert {name for _, names in line_ups(arena, session) for name in names} == {*names[:3]}


# Mixed sizes.


def test_everybody_plays_at_tables_of_two_sizes_and_pools_do_not_mix(arena: Arena) -> None:
    session = arena.session(7, **members("mixed"))
    arena.play()
    assert sorted(len(names) for _, names in line_ups(arena)) == [3, 3, 4, 4]
    hands = [orjson.loads(each) for each in records(arena)[1:]]
    assert len({hand["fingerprint"] for hand in hands}) == 2
    assert arena.referee.queries.standings(session)["hands"] == 2


# Rosters.


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "gauntlet", "ladder"])
@pytest.mark.parametrize("bots", [0, 1, 2])
def test_a_roster_that_fills_no_table_is_refused_with_the_reason(kind: str, bots: int) -> None:
    schedule = {**KINDS[kind], **({"regulars": ["bot-1"]} if kind == "gauntlet" else {})}
    with pytest.raises(BadInput, match=r"at least|have entered"):
        Arena().session(bots, **members(kind, schedule=schedule))


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "ladder"])
def test_two_bots_of_one_owner_only_are_refused(arena: Arena, kind: str) -> None:
    document = {"name": "Cup", "slug": "cup", "seats": 2, "schedule": KINDS[kind]}
    arena.referee.create_session(document, "admin")
    for bot in arena.enrol(2, owner="alice"):
        arena.referee.add_bot("cup", bot, "admin")
    with pytest.raises(BadInput, match="at least 2, one for each seat"):
        arena.referee.set_session("cup", "start", "admin")


@pytest.mark.slow
def test_bots_of_one_owner_never_share_a_table(arena: Arena) -> None:
    for number, kind in enumerate(("round_robin", "swiss", "ladder")):
        document = {"name": kind, "slug": f"cup-{number}", **members(kind), "roster": {}}
        arena.referee.create_session(document, "admin")
        owner = {}
        for name in ("a", "b", "c", "d"):
            for bot in arena.enrol(2, owner=f"{name}-{number}"):
                arena.referee.add_bot(f"cup-{number}", bot, "admin")
                owner[bot] = name
        arena.referee.set_session(f"cup-{number}", "start", "admin")
        arena.play(lowest)
        for table in arena.referee.queries.tables(f"cup-{number}")["tables"]:
            owners = [owner[player["bot"]] for player in table["players"]]
            assert len(set(owners)) == len(owners)
        assert verify(records(arena, f"cup-{number}")).ok


def bots_of_an_old_database(arena: Arena, *owners: str) -> list[str]:
    """Two bots of each: older programs took owners for two that registration now takes for one."""
    found: list[str] = []
    for owner in [each for each in owners for _ in range(2)]:
        name = f"bot-{len(arena.bots) + 1}"
        row, _ = arena.referee._context.registry.new_bot(name, owner, kind="bot")
        arena.store.write(row)
        arena.bots[name] = row.id
        found.append(row.id)
    return found


def cup_of(arena: Arena, kind: str, bots: list[str], **schedule: Any) -> None:
    """A session of these bots, just started."""
    document = members(
        kind,
        name=kind,
        slug="cup",
        roster={"bots_per_owner": 8},
        schedule={**KINDS[kind], **schedule},
    )
    arena.referee.create_session(document, "admin")
    for bot in bots:
        arena.referee.add_bot("cup", bot, "admin")
    arena.referee.set_session("cup", "start", "admin")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_spellings_of_one_owner_never_share_a_table(arena: Arena, kind: str) -> None:
    others = arena.enrol(9)
    alice = bots_of_an_old_database(arena, "alice", "aIice")[:3]
    cup_of(arena, kind, [*others, *alice], rounds=5)
    arena.play(lowest)
    for table in arena.referee.queries.tables("cup", limit=500)["tables"]:
        assert sum(player["bot"] in alice for player in table["players"]) <= 1
    assert stored(arena)["owners"] == [*range(9), 9, 9, 9]
    report = verify(records(arena))
    assert (report.findings, report.notes) == ((), ())


@pytest.mark.slow
def test_who_comes_to_a_ladder_by_another_spelling_meets_none_of_its_owner(arena: Arena) -> None:
    cup_of(arena, "ladder", arena.enrol(5), rounds=8)
    alice = bots_of_an_old_database(arena, "alice")
    for bot in alice:
        arena.referee.add_bot("cup", bot, "admin")
    arena.play(lowest, at_most=60)
    alice += bots_of_an_old_database(arena, "aIice")
    for bot in alice[2:]:
        arena.referee.add_bot("cup", bot, "admin")
    arena.play(lowest)
    for table in arena.referee.queries.tables("cup", limit=500)["tables"]:
        assert sum(player["bot"] in alice for player in table["players"]) <= 1
    assert stored(arena)["owners"] == [0, 1, 2, 3, 4, 5, 5, 5, 5]
    assert verify(records(arena)).notes == ()


# Records.


def drawn_by_an_older_program(monkeypatch: pytest.MonkeyPatch, kind: str) -> Arena:
    """A session whose owners count by spelling: two of them were two then."""
    arena = Arena()
    bots = [*arena.enrol(5), *bots_of_an_old_database(arena, "alice", "aIice")]
    with monkeypatch.context() as old:
        old.setattr("arena.session.owners.owner_key", str)
        cup_of(arena, kind, bots)
    return arena


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_record_drawn_by_an_older_program_is_true_and_says_so(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    arena = drawn_by_an_older_program(monkeypatch, kind)
    arena.play(lowest)
    assert stored(arena)["owners"] == [0, 1, 2, 3, 4, 5, 5, 6, 6]
    report = verify(records(arena))
    assert report.findings == ()
    [note] = report.notes
    assert "count as two where they are spelled differently" in note


@pytest.mark.slow
def test_a_ladder_that_an_older_program_began_keeps_its_owners(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arena = drawn_by_an_older_program(monkeypatch, "ladder")
    for bot in bots_of_an_old_database(arena, "al1ce", "aIice"):
        arena.referee.add_bot("cup", bot, "admin")
    arena.play(lowest)
    assert stored(arena)["owners"] == [0, 1, 2, 3, 4, 5, 5, 6, 6, 5, 5, 6, 6]
    assert verify(records(arena)).findings == ()


@pytest.mark.slow
def test_owners_that_are_neither_alike_nor_spelled_alike_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arena = drawn_by_an_older_program(monkeypatch, "round_robin")
    arena.play(lowest)
    lines = records(arena)
    for owners in (
        [0, 1, 2, 3, 4, 5, 6, 7, 7],  # two bots of one spelling
        [0, 1, 2, 3, 3, 4, 4, 5, 5],  # two owners that are not alike
        [0, 1, 2, 3, 4, 6, 6, 5, 5],  # not in order
    ):
        header = orjson.loads(lines[0])
        header["schedule"]["owners"] = owners
        found = verify([orjson.dumps(header).decode(), *lines[1:]]).findings
        assert found[0].what == "the owners in the schedule are not those of the bots"


def swiss_record() -> list[str]:
    arena = Arena()
    arena.session(6, **members("swiss"))
    arena.play()
    return records(arena)


def found_in_schedule(edit: dict[str, Any]) -> list[tuple[int, str]]:
    """What is found when members of the schedule of a Swiss session are edited."""
    lines = swiss_record()
    header = orjson.loads(lines[0])
    header["schedule"] |= edit
    lines[0] = orjson.dumps(header).decode()
    return [(finding.line, finding.what) for finding in verify(lines).findings]


@pytest.mark.slow
def test_an_organiser_who_favours_a_bot_in_the_draw_is_found_out() -> None:
    schedule = orjson.loads(swiss_record()[0])["schedule"]
    rounds, draws = schedule["rounds"], schedule["draws"]
    swapped = [*rounds[:3], [*reversed(rounds[3])]]
    assert "round 4 is not the one" in found_in_schedule({"rounds": swapped})[0][1]
    other_start = [[*reversed(rounds[0])], *rounds[1:]]
    assert "follows from the secret" in found_in_schedule({"rounds": other_start})[0][1]
    lifted = [[bot, elo, blocks] for bot, elo, blocks in draws["3"]]
    lifted[0][1] += 5.0
    (line_, said) = found_in_schedule({"draws": {**draws, "3": lifted}})[-1]
    assert "what round 3 was drawn from does not follow" in said
    assert line_ == len(swiss_record())
    assert "of which it is not told" in found_in_schedule({"draws": {"4": draws["4"]}})[0][1]
    assert "owners" in found_in_schedule({"owners": [0, 0, 1, 2, 3, 4]})[0][1]
    assert found_in_schedule({"roster": schedule["roster"][1:]})[0][0] == 1
    assert found_in_schedule({"draws": 7})[0][0] == 1
    assert found_in_schedule({"n": 10**9})[0][0] == 1


@pytest.mark.slow
def test_a_table_with_another_line_up_is_found_with_its_line() -> None:
    lines = swiss_record()
    hands = [orjson.loads(each) for each in lines]
    other = next(h for h in hands[2:] if set(h["bots"]) != set(hands[1]["bots"]))
    hands[1]["bots"], hands[1]["players"] = other["bots"], other["players"]
    lines[1] = orjson.dumps(hands[1]).decode()
    findings = verify(lines).findings
    assert (findings[0].line, findings[0].what) == (
        2,
        "the line-up is not the one in the schedule",
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_record_of_any_kind_that_is_cut_is_found_with_its_line(kind: str) -> None:
    arena = Arena()
    arena.session(7, **members(kind))
    arena.play()
    lines = records(arena)
    half = [*lines[:2], lines[2][: len(lines[2]) // 2]]
    assert {finding.line for finding in verify(half).findings} == {3}
    assert "cut off" in verify(half).findings[0].what
    assert "cut off" in verify(lines[:-1]).findings[-1].what
    assert "none follows: cut off" in verify(lines[:1]).findings[-1].what


@pytest.mark.slow
def test_a_record_of_an_older_program_can_be_drawn_again(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knew no resolvable designs: the rounds are those that it drew, and no others."""
    former = partial(first_rounds, former=True)
    monkeypatch.setattr(sessions, "first_rounds", former)
    session = arena.session(12, hands_per_table=1, schedule={"rounds": 11, "rounds_at_once": 11})
    arena.referee.set_session(session, "cancel", "admin")
    monkeypatch.undo()
    assert stored(arena)["kind"] == "near_balanced"
    assert verify(records(arena)).findings == ()
    lines = [orjson.loads(line) for line in records(arena)]
    first = lines[0]["schedule"]["rounds"][0]
    lines[0]["schedule"]["rounds"][0] = [first[0][::-1], *first[1:]]
    assert "follows from the secret" in str(verify(map(orjson.dumps, lines)).findings)
