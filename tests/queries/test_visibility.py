"""Frozen, embargoed, published: what the public may see, and what organisers and bots still do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.errors import BadInput, Conflict, Forbidden, NotFound
from arena.organising.retention import old_sessions, retire
from arena.records.verify import verify
from arena.session.publication import note_key
from arena.session.record_format import HAND
from tests.cluster.memory import Several
from tests.queries.test_standings import check_rated, finish, tables
from tests.referee.table import SEED, Arena, lowest

MEMBERS: dict[str, Any] = {"schedule": {"rounds": 2, "rounds_at_once": 2}, "hands_per_table": 2}
HOUR_MS = 3_600_000


@pytest.fixture
def begun(arena: Arena) -> Arena:
    """A session of eight bots at four tables, of which one has ended."""
    arena.session(8, **MEMBERS)
    finish(arena, tables(arena)[0])
    return arena


def hands(arena: Arena, table: str, *, staff: bool = False) -> list[Any]:
    return list(arena.referee.queries.table(table, staff=staff)["hands"])


def lines(arena: Arena, *, full: bool = False) -> list[Any]:
    return [orjson.loads(line) for line in arena.referee.queries.records("cup", full=full)]


def test_frozen_standings_stay_as_they_were_while_play_goes_on(begun: Arena) -> None:
    begun.referee.freeze("cup", "admin")
    frozen = begun.referee.queries.standings("cup")
    begun.play()
    assert begun.referee.queries.standings("cup") == frozen
    assert frozen["hands"] == 2
    assert begun.referee.queries.standings("cup", staff=True)["hands"] == 8
    begun.referee.publish("cup", "admin")
    assert begun.referee.queries.standings("cup") == begun.referee.queries.standings(
        "cup", staff=True
    )


@pytest.mark.slow
def test_nothing_else_tells_what_has_been_played_since(begun: Arena) -> None:
    begun.referee.freeze("cup", "admin")
    begun.play()
    old, new = tables(begun)[:2]
    assert all(hand["result"] for hand in hands(begun, old))
    assert not any(hand["result"] for hand in hands(begun, new))
    assert all(hand["result"] for hand in hands(begun, new, staff=True))
    assert begun.referee.queries.hand(f"{new}-h001")["result"] is None
    whole = [line for line in lines(begun)[1:] if line["format"] == HAND]
    assert {line["table"] for line in whole} == {old}
    assert not any("result" in line for line in lines(begun)[1:] if line not in whole)
    assert len(lines(begun, full=True)) == 9
    assert begun.referee.queries.record(f"{old}-h001")["result"]
    with pytest.raises(Forbidden):
        begun.referee.queries.record(f"{new}-h001")
    assert begun.referee.queries.record(f"{new}-h001", staff=True)["result"]
    with pytest.raises(Forbidden, match="withheld"):
        begun.referee.hand_events(f"{new}-h001")
    assert begun.referee.hand_events(f"{new}-h001", staff=True)["over"]
    check_rated(begun)


def test_a_bot_follows_its_own_hands_all_the_same_but_not_face_up(begun: Arena) -> None:
    begun.referee.embargo("cup", "admin")
    begun.play()
    table = tables(begun)[1]
    hand = f"{table}-h001"
    mine = begun.referee.queries.table(table, staff=True)["players"][0]["bot"]
    other = next(bot for bot in begun.bots.values() if bot not in str(begun.store.table(table)))
    (dealt,) = [e for e in begun.referee.hand_events(hand, mine)["events"] if e["type"] == "dealt"]
    assert sum(map(bool, dealt["hands"])) == 1
    with pytest.raises(Forbidden):
        begun.referee.hand_events(hand, other)
    begun.referee.publish("cup", "admin")
    (dealt,) = [e for e in begun.referee.hand_events(hand, mine)["events"] if e["type"] == "dealt"]
    assert sum(map(bool, dealt["hands"])) == 4


@pytest.mark.slow
def test_a_freeze_can_be_moved_on(begun: Arena) -> None:
    begun.referee.freeze("cup", "admin")
    finish(begun, tables(begun)[1])
    begun.clock.pass_ms(1)
    begun.referee.freeze("cup", "admin")
    assert begun.referee.queries.standings("cup")["hands"] == 4


@pytest.mark.slow
def test_a_bot_that_leaves_after_the_freeze_has_not_left_for_the_public(begun: Arena) -> None:
    begun.referee.freeze("cup", "admin")
    frozen = begun.referee.queries.standings("cup")
    begun.referee.disqualify("cup", "bot-1", "admin")
    begun.play()
    assert begun.referee.queries.standings("cup") == frozen
    statuses = {e["name"]: e["status"] for e in begun.referee.queries.session("cup")["entries"]}
    assert statuses["bot-1"] == "entered"
    check_rated(begun)


def test_an_embargo_hides_everything_until_results_are_published(begun: Arena) -> None:
    begun.referee.embargo("cup", "admin")
    for ask in (
        begun.referee.queries.fit,
        begun.referee.queries.standings,
        lambda s: list(begun.referee.queries.records(s)),
    ):
        with pytest.raises(Forbidden, match="until the organiser publishes them"):
            ask("cup")
    assert not any(hand["result"] for hand in hands(begun, tables(begun)[0]))
    assert begun.referee.queries.standings("cup", staff=True)["hands"] == 2
    assert len(lines(begun, full=True)) == 3
    begun.referee.publish("cup", "admin")
    assert begun.referee.queries.standings("cup")["hands"] == 2


def test_an_embargo_ends_at_its_instant_without_anybody_doing_anything(begun: Arena) -> None:
    begun.referee.embargo("cup", "admin", until_ms=begun.clock.ms + HOUR_MS)
    told = begun.referee.queries.session("cup")["publication"]
    assert (told["results"], told["until"]) == ("embargoed", "2027-01-15T09:00:00.000Z")
    begun.clock.pass_ms(HOUR_MS - 1)
    with pytest.raises(Forbidden, match="until 2027-01-15T09:00:00"):
        begun.referee.queries.standings("cup")
    begun.clock.pass_ms(1)
    assert begun.referee.queries.standings("cup")["hands"] == 2
    assert begun.referee.queries.session("cup")["publication"]["results"] == "live"


@pytest.mark.parametrize("until_ms", [0, 1_799_999_999_999, 10**15])
def test_an_embargo_ends_in_the_future(begun: Arena, until_ms: int) -> None:
    with pytest.raises(BadInput, match="an instant to come"):
        begun.referee.embargo("cup", "admin", until_ms=until_ms)


def test_the_secret_is_told_when_the_session_is_over_and_its_results_are_public(
    begun: Arena,
) -> None:
    begun.referee.embargo("cup", "admin")
    begun.play()
    assert begun.status("cup") == "finished"
    assert begun.referee.queries.session("cup")["secret"] is None
    assert begun.referee.queries.session("cup", staff=True)["secret"] is None
    assert lines(begun, full=True)[0]["secret"] is None
    begun.referee.publish("cup", "admin")
    assert begun.referee.queries.session("cup")["secret"] == SEED
    begun.referee.embargo("cup", "admin")
    assert begun.referee.queries.session("cup")["secret"] == SEED  # what was told stays told


@pytest.mark.slow
def test_records_under_embargo_are_checked_without_the_secret(begun: Arena) -> None:
    begun.referee.embargo("cup", "admin")
    begun.play()
    report = verify(begun.referee.queries.records("cup", full=True))
    assert report.findings == ()
    assert not report.secret
    begun.referee.publish("cup", "admin")
    report = verify(begun.referee.queries.records("cup"))
    assert report.findings == ()
    assert report.secret


def test_what_cannot_be_is_refused(begun: Arena) -> None:
    with pytest.raises(Conflict, match="public already"):
        begun.referee.publish("cup", "admin")
    begun.referee.embargo("cup", "admin")
    with pytest.raises(Conflict, match="freezing would show them"):
        begun.referee.freeze("cup", "admin")
    with pytest.raises(NotFound):
        begun.referee.freeze("none", "admin")


def test_who_did_it_and_when_is_in_the_audit_log(begun: Arena) -> None:
    begun.referee.freeze("cup", "anna")
    begun.clock.pass_ms(1_000)
    begun.referee.embargo("cup", "ben", until_ms=begun.clock.ms + HOUR_MS)
    begun.referee.publish("cup", "anna")
    told = begun.referee.queries.audit(limit=3)["entries"][::-1]
    assert [(e["actor"], e["action"]) for e in told] == [
        ("anna", "results.freeze"),
        ("ben", "results.embargo"),
        ("anna", "results.publish"),
    ]
    assert told[1]["at"] == "2027-01-15T08:00:01.000Z"
    assert told[1]["detail"] == {"session": "cup", "until": "2027-01-15T09:00:01.000Z"}


@pytest.mark.slow
def test_it_survives_restarts_and_holds_in_every_process(begun: Arena) -> None:
    begun.referee.freeze("cup", "admin")
    frozen = begun.referee.queries.standings("cup")
    begun.restart()
    begun.play()
    assert begun.referee.queries.standings("cup") == frozen
    several = Several()
    here, there = several.members
    here.session(4)
    there.referee.embargo("cup", "admin")
    with pytest.raises(Forbidden):
        here.referee.queries.standings("cup")


def test_of_two_that_decide_at_once_both_are_heard(begun: Arena) -> None:
    store = begun.store
    write = store.write

    def meanwhile(*changes: Any) -> None:
        store.write = write  # type: ignore[method-assign]
        begun.referee.embargo("cup", "ben")
        write(*changes)

    store.write = meanwhile  # type: ignore[method-assign]
    begun.referee.embargo("cup", "anna", until_ms=begun.clock.ms + HOUR_MS)
    actors = [e["actor"] for e in begun.referee.queries.audit(limit=2)["entries"]]
    assert actors == ["anna", "ben"]
    assert begun.referee.queries.session("cup")["publication"]["until"] is not None


def test_clocks_stand_still_in_a_pause_whatever_is_published(begun: Arena) -> None:
    _, turn = begun.one()
    begun.referee.set_session("cup", "pause", "admin")
    begun.referee.freeze("cup", "admin")
    begun.clock.pass_ms(10 * HOUR_MS)
    assert begun.referee.sweep() == 0
    begun.referee.set_session("cup", "resume", "admin")
    _, again = begun.one()
    assert (again["turn"], again["remaining_ms"]) == (turn["turn"], turn["remaining_ms"])
    begun.play(lowest)
    assert begun.status("cup") == "finished"


@pytest.mark.slow
def test_a_session_goes_with_its_note_but_not_while_its_results_are_withheld(
    begun: Arena, tmp_path: Path
) -> None:
    begun.referee.embargo("cup", "admin")
    begun.play()
    context = begun.referee._context
    assert list(old_sessions(context, 2**60)) == []
    begun.referee.publish("cup", "admin")
    (old,) = old_sessions(context, 2**60)
    retire(context, old, tmp_path)
    assert begun.store.note(note_key("cup")) is None
