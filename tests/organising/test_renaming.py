"""Bots are renamed and retired by their owners: ids and results stay, written records too."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.errors import BadInput, Conflict, Forbidden
from arena.records.verify import verify
from tests.cluster.memory import Several
from tests.referee.table import Arena, lowest


def names(arena: Arena, session: str = "cup") -> list[str]:
    return [entry["name"] for entry in arena.referee.queries.session(session)["entries"]]


def records(arena: Arena) -> list[str]:
    return list(arena.referee.queries.records("cup", full=True))


def test_a_bot_has_its_new_name_wherever_names_are_shown(arena: Arena) -> None:
    arena.session(hands_per_table=3)
    first = arena.bots["bot-1"]
    shown = arena.referee.rename(first, "alice-2")
    assert (shown["name"], shown["id"], shown["owner"]) == ("alice-2", first, "bot-1")
    assert names(arena) == ["alice-2", "bot-2", "bot-3", "bot-4"]
    table = arena.referee.queries.tables("cup")["tables"][0]
    assert "alice-2" in [player["name"] for player in table["players"]]
    while arena.one()[1]["hand_number"] == 1:  # it keeps its names to its end
        bot, turn = arena.one()
        arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert "alice-2" in [player["name"] for player in arena.one()[1]["players"]]
    arena.play()
    rows = arena.referee.queries.standings("cup")["groups"][0]["rows"]
    assert "alice-2" in {row["name"] for row in rows}
    assert verify(records(arena)).ok


def test_standings_and_record_files_of_a_session_that_is_over_follow(arena: Arena) -> None:
    arena.session()
    arena.play()
    before = arena.referee.queries.records_mark("cup", full=True)
    written = records(arena)
    rows = arena.referee.queries.standings("cup")["groups"][0]["rows"]
    arena.referee.rename(arena.bots["bot-1"], "alice-2")
    again = arena.referee.queries.standings("cup")["groups"][0]["rows"]
    renamed = {"bot-1": "alice-2"}
    assert [{**row, "name": renamed.get(row["name"], row["name"])} for row in rows] == again
    assert arena.referee.queries.records_mark("cup", full=True) != before
    assert verify(written).ok
    assert verify(records(arena)).ok


def test_a_bot_that_renames_itself_all_the_time_does_not_keep_everybody_fitting(
    arena: Arena,
) -> None:
    arena.session()
    arena.play()
    queries = arena.referee.queries
    fit = queries.fit("cup")
    (known,) = queries.scores._known.values()
    known.cost_ms = 1_000
    arena.referee.rename(arena.bots["bot-1"], "alice-2")
    assert queries.fit("cup") is fit
    arena.clock.pass_ms(3_600_000)
    assert "alice-2" in queries.fit("cup").text("standings", form="plain")


def test_the_former_name_stands_in_the_audit_log_and_is_free(arena: Arena) -> None:
    (first,) = arena.enrol(1)
    arena.referee.rename(first, "alice-2")
    row = arena.store.audit(limit=1)[0]
    detail = {"bot": first, "before": "bot-1", "after": "alice-2"}
    assert (row.actor, row.action, orjson.loads(row.detail)) == (first, "bot.rename", detail)
    arena.referee.rename(first, "alice-2")
    assert len(arena.store.audit()) == 1
    assert arena.referee.register("bot-1", "bob")[0]["name"] == "bot-1"


@pytest.mark.parametrize("name", ["bot-2", "BOT-2", "b0t-2", "organiser"])
def test_a_name_that_is_taken_or_looks_like_one_is_refused(arena: Arena, name: str) -> None:
    first, _ = arena.enrol(2)
    arena.referee.registry.create_admin("organiser")
    with pytest.raises(Conflict, match="taken"):
        arena.referee.rename(first, name)
    assert arena.referee.queries.bot(first)["name"] == "bot-1"


@pytest.mark.parametrize("name", ["", " ", "b-7q3mz2ka", "a/b", "x" * 200])
def test_what_is_no_name_is_refused(arena: Arena, name: str) -> None:
    (first,) = arena.enrol(1)
    with pytest.raises(BadInput):
        arena.referee.rename(first, name)


def test_a_name_that_looks_like_the_bots_own_is_its_own(arena: Arena) -> None:
    (first,) = arena.enrol(1)
    assert arena.referee.rename(first, "Bot-1")["name"] == "Bot-1"


def test_an_organiser_is_no_bot(arena: Arena) -> None:
    arena.referee.registry.create_admin("organiser")
    with pytest.raises(BadInput, match="a bot, not an organiser"):
        arena.referee.rename("organiser", "queen")
    with pytest.raises(BadInput, match="a bot, not an organiser"):
        arena.referee.retire("organiser")


@pytest.mark.parametrize(
    "members",
    [
        {"anchor": "bot-1"},
        {"schedule": {"kind": "gauntlet", "regulars": ["bot-1"], "rounds": 1}},
        {"schedule": {"kind": "final", "finalists": ["bot-1", "bot-2", "bot-3", "bot-4"]}},
        {"benchmarks": ["bot-1"]},
    ],
)
def test_a_bot_that_a_document_names_keeps_its_name(arena: Arena, members: dict[str, Any]) -> None:
    document = {"name": "Cup", "slug": "cup", "seats": 4, **members}
    ids = arena.enrol(4)
    arena.referee.create_session(document, "admin")
    for bot in ids:
        arena.referee.add_bot("cup", bot, "admin")
    with pytest.raises(Conflict, match="the document of session cup names 'bot-1'"):
        arena.referee.rename(ids[0], "alice-2")
    arena.referee.replace_session("cup", {"name": "Cup", "seats": 4}, "admin")
    assert arena.referee.rename(ids[0], "alice-2")["name"] == "alice-2"


def test_a_retired_bot_plays_no_more_and_keeps_name_and_results(arena: Arena) -> None:
    arena.session(hands_per_table=3)
    arena.play(at_most=80)
    first = arena.bots.pop("bot-1")
    assert arena.referee.retire(first)["revoked"] is True
    assert arena.store.entry("cup", first).status == "withdrawn"  # type: ignore[union-attr]
    row = next(row for row in arena.store.audit() if row.action.startswith("bot."))
    assert (row.actor, row.action) == (first, "bot.retire")
    with pytest.raises(Conflict, match="bot-1"):
        arena.referee.register("bot-1", "bob")
    arena.referee.create_session({"name": "Next", "slug": "next"}, "admin")
    with pytest.raises(Conflict, match="revoked"):
        arena.referee.add_bot("next", first, "admin")
    arena.play()
    rows = arena.referee.queries.standings("cup")["groups"][0]["rows"]
    assert "bot-1" in {each["name"] for each in rows}


def test_the_token_of_a_retired_bot_is_worth_nothing(arena: Arena) -> None:
    bot, token = arena.referee.register("alice-1")
    arena.referee.retire(bot["id"])
    assert arena.referee.registry.identify(token) is None
    with pytest.raises(Forbidden):
        arena.referee.rotate_token(bot["id"])


@pytest.mark.parametrize("deaf", [False, True])
def test_other_processes_learn_the_new_name(deaf: bool) -> None:
    several = Several()
    here, there = several.members
    here.session(hands_per_table=3)
    several.step()
    assert names(there)[0] == "bot-1"
    there.line.deaf = deaf
    here.referee.rename(here.bots["bot-1"], "alice-2")
    several.pass_ms(12_000)
    assert names(there)[0] == "alice-2"
    table = there.referee.queries.tables("cup")["tables"][0]
    assert "alice-2" in [player["name"] for player in table["players"]]
