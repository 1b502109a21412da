"""Apart: groups of bots and owners in a session's document, and the pairs that follow."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.errors import BadInput
from arena.records.verify import verify
from arena.session.apart import Field, Member, apart_document, pairs_apart, read_apart
from arena.session.config import read_config
from tests.referee.table import Arena, lowest
from tests.referee.test_schedules import KINDS, line_ups, members, records, stored

ROSTER = Field(
    ["b-a", "b-b", "b-c", "b-d"],
    ["alice-1", "alice-2", "bob-1", "carol-1"],
    ["alice", "alice", "bob", "carol"],
)


def test_a_group_is_of_names_ids_and_owners() -> None:
    given = [["alice-1", "b-d"], [{"owner": "aIice"}, "bob-1"], ["nobody", "carol-1"]]
    groups = read_apart(given)
    assert pairs_apart(groups, ROSTER) == ((0, 2), (0, 3), (1, 2))
    assert apart_document(groups) == given
    assert groups[1][0] == Member("aIice", owner=True)


def test_a_document_that_does_not_tell_keeps_nobody_apart() -> None:
    assert read_apart(None) == ()
    config = read_config({"name": "Cup", "schedule": {"kind": "ladder", "apart": [["a", "b"]]}})
    assert config.document["schedule"]["apart"] == [["a", "b"]]
    assert read_config(config.document).schedule == config.schedule


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ("alice", r"schedule\.apart is 'alice'; expected a list of at most 200 groups"),
        ([["alice"]], r"apart\[0\] is \['alice'\]; expected a list of two bots or more"),
        ([["a", "b"], ["a", 7]], r"apart\[1\]\[1\] is 7; expected the name or the id of a bot, or"),
        ([["a", {"owner": ""}]], r"apart\[0\]\[1\]"),
        ([["a", {"bot": "b"}]], r"apart\[0\]\[1\]"),
        ([["a", "a"]], r"apart\[0\]\[1\] is 'a'; expected every bot once"),
        ([[f"{group}-{n}" for n in range(150)] for group in "abc"], "at most 400 bots in all"),
    ],
)
def test_what_is_no_group_is_refused_where_it_stands(apart: Any, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        read_config({"name": "Cup", "schedule": {"apart": apart}})


def apart(kind: str, *groups: list[Any], **more: Any) -> dict[str, Any]:
    return members(kind, schedule={**KINDS[kind], "apart": list(groups)}, **more)


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "gauntlet" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS],
)
def test_in_every_kind_of_session_they_never_meet_and_the_record_is_true(
    arena: Arena, kind: str
) -> None:
    arena.session(8, **apart(kind, ["bot-1", "bot-3"], ["bot-4", "bot-5"]))
    arena.play(lowest)
    assert arena.status("cup") == "finished"
    assert line_ups(arena)
    for _, names in line_ups(arena):
        assert not {"bot-1", "bot-3"} <= set(names)
        assert not {"bot-4", "bot-5"} <= set(names)
    assert stored(arena)["apart"] == [[0, 2], [3, 4]]
    report = verify(records(arena))
    assert (report.findings, report.notes) == ((), ())


def test_a_record_whose_document_was_changed_is_found_out(arena: Arena) -> None:
    arena.session(8, **apart("round_robin", ["bot-1", "bot-3"]))
    arena.play(lowest)
    header, *hands = records(arena)
    document = orjson.loads(header)
    document["document"]["schedule"]["apart"] = []
    findings = verify([orjson.dumps(document).decode(), *hands]).findings
    assert any("keeps apart" in str(finding) for finding in findings)


def test_on_a_ladder_it_holds_for_those_who_come_later(arena: Arena) -> None:
    late = arena.enrol(2, owner="late")
    groups = [{"owner": "bot-4"}, {"owner": "late"}]
    arena.session(4, **apart("ladder", groups, roster={"bots_per_owner": 2}))
    for bot in late:
        arena.referee.add_bot("cup", bot, "admin")
    arena.play(lowest)
    called = {name for name, bot in arena.bots.items() if bot in late}
    assert called & {name for _, names in line_ups(arena) for name in names}
    assert not [names for _, names in line_ups(arena) if "bot-4" in names and called & set(names)]
    assert verify(records(arena)).findings == ()


@pytest.mark.parametrize(
    ("kind", "bots", "group", "expected"),
    [
        ("round_robin", 3, ["bot-1", "bot-2"], "apart is 'bot-1 and bot-2'; expected at most 1"),
        ("gauntlet", 7, ["bot-5", "bot-2"], "apart is 'bot-2 and bot-5'.*sits at every table"),
        ("ladder", 4, ["bot-1", "bot-2", "bot-3"], "apart is 'bot-1 and bot-2 and bot-3'"),
        ("swiss", 7, ["bot-1", "botty"], r"apart\[0\]\[1\] is 'botty'; expected the name or"),
        ("swiss", 7, ["bot-1", {"owner": "x"}], r"apart\[0\]\[1\] is 'x'; expected the owner"),
    ],
)
def test_what_cannot_be_kept_apart_is_refused_at_the_start_by_name(
    arena: Arena, kind: str, bots: int, group: list[Any], expected: str
) -> None:
    with pytest.raises(BadInput, match=expected):
        arena.session(bots, **apart(kind, group))
    assert arena.status("cup") == "open"


def test_who_is_kept_apart_but_does_not_come_is_no_hindrance(arena: Arena) -> None:
    (absent,) = arena.enrol(1)
    name = next(name for name, bot in arena.bots.items() if bot == absent)
    arena.referee.create_session(
        {"name": "Cup", "slug": "cup", **apart("swiss", [name, "bot-2"])}, "admin"
    )
    for bot in arena.enrol(7):
        arena.referee.add_bot("cup", bot, "admin")
    arena.referee.set_session("cup", "start", "admin")
    assert stored(arena)["apart"] == []


@pytest.mark.slow
def test_on_a_pseudonymous_board_only_staff_is_told(arena: Arena) -> None:
    arena.session(8, **apart("swiss", ["bot-1", "bot-3"], board="pseudonymous"))
    arena.play(lowest)
    queries = arena.referee.queries
    assert queries.session("cup")["schedule"]["apart"] is None
    assert queries.session("cup", staff=True)["schedule"]["apart"] == [["bot-1", "bot-3"]]
    public = list(queries.records("cup"))
    header = orjson.loads(public[0])
    assert header["document"]["schedule"]["apart"] is header["schedule"]["apart"] is None
    assert verify(public).findings == ()
    full = verify(records(arena))
    assert (full.findings, full.notes) == ((), ())
