"""Void tables and their replays: out of the ratings, in the records with the reason, new deals."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.documents import Document
from arena.errors import BadInput, Conflict, Gone, NotFound, NotHome
from arena.records.verify import verify
from arena.referee.runner import advance_table
from arena.session.record_format import HAND
from tests.cluster.memory import Several
from tests.queries.test_standings import check_rated, finish, tables
from tests.referee.table import Arena, lowest

pytestmark = pytest.mark.slow

MEMBERS: dict[str, Any] = {"schedule": {"rounds": 2}, "hands_per_table": 2}
WHY = "the cable was pulled 停電"


@pytest.fixture
def cup(arena: Arena) -> Arena:
    """A session of eight bots, two tables a round, of which the first table has ended."""
    arena.session(8, **MEMBERS)
    finish(arena, tables(arena)[0])
    return arena


def lines(arena: Arena, *, full: bool = True) -> list[Document]:
    return [orjson.loads(line) for line in arena.referee.queries.records("cup", full=full)]


def test_a_void_tables_hands_leave_the_ratings_and_their_records_say_why(cup: Arena) -> None:
    first = tables(cup)[0]
    told = cup.referee.void(first, WHY, "admin")
    assert (told["status"], told["void"]["reason"], told["void"]["replay"]) == ("void", WHY, None)
    assert cup.referee.queries.standings("cup")["hands"] == 0
    cup.play()
    assert cup.status("cup") == "finished"
    assert cup.referee.queries.standings("cup")["hands"] == 6
    header, *hands = lines(cup)
    assert [each["reason"] for each in header["tables"]["void"]] == [WHY]
    assert {hand["table"]: hand["void"] for hand in hands if hand["void"]} == {first: WHY}
    progress = cup.referee.queries.session("cup")["progress"]
    assert (progress["hands"], progress["hands_finished"]) == (6, 6)
    assert cup.referee.queries.session("cup")["void"][0]["table"] == first
    check_rated(cup)


def test_a_table_that_is_being_played_is_called_off_and_the_session_goes_on(cup: Arena) -> None:
    second = tables(cup)[1]
    bot, turn = cup.one()
    cup.referee.answer(bot, turn["turn"], lowest(turn))
    bot, turn = cup.one()
    cup.referee.void(second, WHY, "admin")
    assert {turn["table"] for _, turn in cup.waiting()} == set(tables(cup)[2:])
    with pytest.raises(Gone, match="called off"):
        cup.referee.answer(bot, turn["turn"], lowest(turn))
    assert [hand["status"] for hand in cup.referee.queries.table(second)["hands"]] == ["void"]
    cup.play()
    assert cup.referee.queries.standings("cup")["hands"] == 6
    assert cup.referee.queries.session("cup")["progress"]["hands_finished"] == 6
    check_rated(cup)


def test_a_job_that_had_to_wait_begins_no_hand_at_a_table_that_is_void_by_then(cup: Arena) -> None:
    context, name = cup.referee._context, tables(cup)[1]
    table = context.in_play.tables[name]
    real = table.lock

    class Contended:
        """The lock of a table, held by who makes it void until a job gets it."""

        def __enter__(self) -> None:
            table.lock = real
            cup.referee.void(name, WHY, "admin")
            real.acquire()

        def __exit__(self, *error: object) -> None:
            real.release()

    while table.hand is not None and table.hand.number == 1:
        bot, turn = next((bot, turn) for bot, turn in cup.waiting() if turn["table"] == name)
        cup.referee.answer(bot, turn["turn"], lowest(turn))
    table.lock = Contended()  # type: ignore[assignment]
    advance_table(context, name)
    assert [hand["status"] for hand in cup.referee.queries.table(name)["hands"]] == [
        "finished",
        "void",
    ]
    assert name not in context.in_play.tables
    cup.play()
    assert cup.status("cup") == "finished"


def test_a_replay_is_a_new_table_of_the_same_line_up_with_new_deals(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.void(first, WHY, "admin")
    made = cup.referee.replay(first, "admin")
    old = cup.referee.queries.table(first)
    assert made["table"] == f"{first}b" == old["void"]["replay"]
    assert made["players"] == old["players"]
    assert (made["round"], made["number"]) == (1, 3)
    cup.play()
    assert cup.referee.queries.standings("cup")["hands"] == 8
    decks = {hand["hand"]: hand["deck"] for hand in lines(cup)[1:]}
    assert decks[f"{first}-h001"] != decks[f"{first}b-h001"]
    progress = cup.referee.queries.session("cup")["progress"]
    assert (progress["hands"], progress["hands_finished"]) == (8, 8)
    check_rated(cup)
    report = verify(cup.referee.queries.records("cup"))
    assert report.findings == ()
    assert report.secret


def test_a_replay_can_be_void_and_replayed_again(cup: Arena) -> None:
    first = tables(cup)[0]
    for expected in ("b", "c"):
        table = first if expected == "b" else f"{first}b"
        cup.referee.void(table, WHY, "admin")
        assert cup.referee.replay(table, "admin")["table"] == first + expected
    cup.play()
    assert cup.referee.queries.standings("cup")["hands"] == 8
    check_rated(cup)


def test_the_new_deals_follow_from_the_seed() -> None:
    def decks() -> list[Any]:
        arena = Arena()
        arena.session(8, **MEMBERS)
        first = tables(arena)[0]
        arena.referee.void(first, WHY, "admin")
        arena.referee.replay(first, "admin")
        arena.play()
        hands = [line for line in lines(arena) if line["format"] == HAND]
        return [(hand["hand"], hand["deck"], hand["seating"]) for hand in hands]

    assert decks() == decks()


def test_after_the_end_a_table_is_replayed_as_long_as_results_are_withheld(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.embargo("cup", "admin")
    cup.play()
    assert cup.status("cup") == "finished"
    cup.referee.void(first, WHY, "admin")
    cup.restart()
    made = cup.referee.replay(first, "admin")
    assert cup.status("cup") == "running"
    assert {turn["table"] for _, turn in cup.waiting()} == {made["table"]}
    cup.play()
    assert cup.status("cup") == "finished"
    assert cup.referee.queries.session("cup")["secret"] is None
    cup.referee.publish("cup", "admin")
    assert cup.referee.queries.standings("cup")["hands"] == 8
    check_rated(cup)
    assert verify(cup.referee.queries.records("cup")).ok


def test_what_is_public_is_final_and_a_told_secret_deals_no_more(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.play()
    with pytest.raises(Conflict, match="its results are public"):
        cup.referee.void(first, WHY, "admin")
    cup.referee.embargo("cup", "admin")
    cup.referee.void(first, WHY, "admin")
    with pytest.raises(Conflict, match="secret has been shown"):
        cup.referee.replay(first, "admin")
    cup.referee.publish("cup", "admin")
    assert cup.referee.queries.standings("cup")["hands"] == 6
    check_rated(cup)


def test_no_table_is_begun_in_the_last_minute_of_an_embargo(cup: Arena) -> None:
    cup.referee.embargo("cup", "admin", until_ms=cup.clock.ms + 120_000)
    cup.play()
    first = tables(cup)[0]
    cup.referee.void(first, WHY, "admin")
    cup.clock.pass_ms(60_000)
    with pytest.raises(Conflict, match="secret has been shown"):
        cup.referee.replay(first, "admin")


def test_frozen_results_do_not_change_when_a_table_is_made_void(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.freeze("cup", "admin")
    frozen = cup.referee.queries.standings("cup")
    cup.referee.void(first, WHY, "admin")
    assert cup.referee.queries.standings("cup") == frozen
    assert cup.referee.queries.table(first)["status"] == "finished"
    assert cup.referee.queries.table(first, staff=True)["status"] == "void"
    assert [line["void"] for line in lines(cup, full=False)[1:]] == [None, None]
    assert cup.referee.queries.session("cup")["void"] == []
    check_rated(cup)
    cup.referee.publish("cup", "admin")
    assert cup.referee.queries.standings("cup")["hands"] == 0
    check_rated(cup)


def test_who_has_left_is_replaced_by_a_house_bot(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.void(first, WHY, "admin")
    gone = cup.referee.queries.table(first)["players"][2]
    cup.referee.withdraw("cup", gone["bot"], "admin")
    made = cup.referee.replay(first, "admin")
    assert made["players"][2]["name"] == "house-1"
    cup.play()
    check_rated(cup)


def test_in_a_pause_a_replay_waits_with_the_others(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.set_session("cup", "pause", "admin")
    cup.referee.void(first, WHY, "admin")
    cup.referee.replay(first, "admin")
    assert cup.waiting() == []
    cup.clock.pass_ms(3_600_000)
    assert cup.referee.sweep() == 0
    cup.referee.set_session("cup", "resume", "admin")
    assert f"{first}b" in {turn["table"] for _, turn in cup.waiting()}
    cup.play()
    assert cup.referee.queries.standings("cup")["hands"] == 8


def test_what_cannot_be_is_refused(cup: Arena) -> None:
    first = tables(cup)[0]
    with pytest.raises(NotFound):
        cup.referee.void("cup-r09-t09", WHY, "admin")
    for reason in ("", " x", "a\nb", "x" * 201):
        with pytest.raises(BadInput, match="reason"):
            cup.referee.void(first, reason, "admin")
    with pytest.raises(Conflict, match="only a void table"):
        cup.referee.replay(first, "admin")
    cup.referee.void(first, WHY, "admin")
    with pytest.raises(Conflict, match="void already"):
        cup.referee.void(first, WHY, "admin")
    cup.referee.replay(first, "admin")
    with pytest.raises(Conflict, match="replayed as cup-r01-t01b already"):
        cup.referee.replay(first, "admin")


def test_of_a_cancelled_session_nothing_is_replayed(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.embargo("cup", "admin")
    cup.referee.set_session("cup", "cancel", "admin")
    cup.referee.void(first, WHY, "admin")
    with pytest.raises(Conflict, match="the session is cancelled"):
        cup.referee.replay(first, "admin")


def test_it_is_in_the_audit_log(cup: Arena) -> None:
    first = tables(cup)[0]
    cup.referee.void(first, WHY, "anna")
    cup.referee.replay(first, "ben")
    replayed, voided = cup.referee.queries.audit(limit=2)["entries"]
    assert (voided["actor"], voided["action"]) == ("anna", "table.void")
    assert voided["detail"] == {"session": "cup", "table": first, "reason": WHY}
    assert (replayed["actor"], replayed["action"]) == ("ben", "table.replay")
    assert replayed["detail"]["replay"] == f"{first}b"


def test_a_table_is_made_void_at_the_sessions_home_only_and_replayed_at_the_next_one() -> None:
    several = Several()
    here, there = several.members
    here.session(8, **MEMBERS)
    several.step()
    first = tables(here)[0]
    bot, turn = next(each for each in here.waiting() if each[1]["table"] == first)
    with pytest.raises(NotHome):
        there.referee.void(first, WHY, "admin")
    here.referee.void(first, WHY, "admin")
    with pytest.raises(Gone):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    several.move(there)
    made = there.referee.replay(first, "admin")
    assert made["table"] in {turn["table"] for _, turn in there.waiting()}
    there.play()
    several.step()
    assert here.status("cup") == "finished"
    assert here.referee.queries.standings("cup") == there.referee.queries.standings("cup")
    assert here.referee.queries.standings("cup")["hands"] == 8


def test_a_session_that_has_ended_everywhere_is_taken_up_again_for_a_replay() -> None:
    several = Several()
    here, there = several.members
    here.session(4, **MEMBERS)
    here.referee.embargo("cup", "admin")
    here.play()
    several.step()
    assert several.store.leases() == ()
    first = tables(here)[0]
    there.referee.void(first, WHY, "admin")
    there.referee.replay(first, "admin")
    several.step()
    assert several.home() is there
    assert here.waiting() == []
    there.play()
    several.step()
    assert several.store.leases() == ()
    assert here.status("cup") == there.status("cup") == "finished"
    assert there.referee.queries.standings("cup", staff=True)["hands"] == 4
