"""Joining: names, secrets, marks; rows that are taken away or are another's."""

from __future__ import annotations

import threading

import pytest

from arena.application import Referee
from arena.cluster.membership import FORGET_MS, SECRET
from arena.errors import BadInput, Conflict, Unavailable
from arena.referee.open_turns import MARKS
from arena.settings import Settings
from arena.store.cluster_rows import DropReferee, RefereeRow
from arena.store.sql import SqlStore
from tests.cluster.memory import BEAT_MS, LEASE_MS, Member, Several

WRONG = "x" * 40
"""Another secret than the one in the database."""


def incarnation(several: Several, name: str) -> str:
    return next(row.incarnation for row in several.store.referees() if row.name == name)


def test_a_name_is_one_referees() -> None:
    several = Several(1)
    with pytest.raises(BadInput, match=r"cluster_name is 'a'; .*no other running"):
        several.add("a")
    (row,) = several.store.referees()
    assert row.incarnation == several.members[0].cluster._membership.incarnation


def test_who_was_refused_ends_without_a_word_about_sessions(
    caplog: pytest.LogCaptureFixture,
) -> None:
    several = Several(1)
    store = SqlStore(several.database.connect())
    refused = Referee(store, clock=several.clock, settings=Settings(cluster_name="a"))
    with pytest.raises(BadInput, match="cluster_name is 'a'"):
        refused.start(threads=False)
    caplog.clear()
    refused.stop()
    assert not [line for line in caplog.messages if "session" in line]


def test_who_was_killed_joins_again_under_its_name_with_another_mark() -> None:
    several = Several(2)
    first, _ = several.members
    before, mark = incarnation(several, "a"), first.cluster.mark
    fresh = several.restart(first)
    assert incarnation(several, "a") != before
    assert fresh.cluster.mark != mark
    assert [row.name for row in several.store.referees()] == ["a", "b"]


def test_marks_are_never_those_of_another_referee() -> None:
    several = Several(8)
    marks = [member.cluster.mark for member in several.members]
    assert len(set(marks)) == 8
    assert all(mark in range(MARKS) for mark in marks)
    for member in several.members:
        member.session(2, seats=2, slug=f"cup-{member.name}")
        for bot, turn in member.waiting():
            assert turn["session"] == f"cup-{member.name}"
            cursor = member.referee.turns(bot)["cursor"]
            assert cursor % MARKS == member.cluster.mark
            assert several.members[0].cluster.issuer(cursor) == member.name


def test_the_first_referee_makes_a_secret_that_all_others_read() -> None:
    several = Several(3)
    secrets = {member.cluster.secret for member in several.members}
    assert secrets == {several.store.note(SECRET)}
    assert len(secrets.pop()) > 30
    hashes = {row.secret_hash for row in several.store.referees()}
    assert len(hashes) == 1


def test_another_secret_than_that_of_those_that_run_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several = Several(2)
    monkeypatch.setattr(
        "tests.cluster.memory.Settings",
        lambda **members: Settings(**members, cluster_secret=WRONG),
    )
    with pytest.raises(
        BadInput, match=r"cluster_secret .*that of the referees that run \(a at"
    ) as error:
        several.add("c")
    assert WRONG not in str(error.value)
    several.database.lines[-1].die()
    for member in several.members:
        member.kill()
    assert several.add("c").cluster.secret == WRONG


def test_a_row_that_somebody_has_taken_away_is_written_again() -> None:
    several = Several(2)
    here, _ = several.members
    here.session()
    several.store.write(DropReferee("a", incarnation(several, "a")))
    several.pass_ms(2 * LEASE_MS)
    assert [row.name for row in several.store.referees()] == ["a", "b"]
    assert several.store.leases()[0].home in ("a", "b")
    assert several.home().one()


def test_a_name_that_was_taken_while_this_referee_was_away_is_not_its_own_any_more() -> None:
    """Its lock is lost with its connection; another process has its name, and so its sessions."""
    several = Several(1)
    (here,) = several.members
    here.session()
    bot, turn = here.one()
    here.line.cut = True
    here.line.release()
    several.clock.pass_ms(2 * LEASE_MS)
    other = Member(several.database, several.clock, "a")
    other.bots = here.bots
    assert other.plays()
    here.line.cut = False
    with pytest.raises(Unavailable, match="another referee has taken the name 'a'"):
        here.step()
    assert not here.cluster.is_certain()
    here.cluster._deal(look=True)
    assert here.referee._context.in_play.sessions == {}
    with pytest.raises(Unavailable):
        here.referee.answer(bot, turn["turn"], {"choice": 0})
    assert several.store.hand(turn["hand"]) is not None
    assert len(several.store.steps(turn["hand"])) == 1
    other.step()
    other.play()
    assert other.status("cup") == "finished"


def test_who_gets_its_name_back_plays_again() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    here.line.cut = True
    here.line.release()
    several.clock.pass_ms(2 * LEASE_MS)
    other = Member(several.database, several.clock, "a")
    here.line.cut = False
    with pytest.raises(Unavailable):
        here.step()
    other.kill()
    for _ in range(2):
        here.step()
    assert here.plays()
    here.play()
    assert here.status("cup") == "finished"


def test_a_connection_that_is_lost_with_the_lock_is_no_death() -> None:
    several = Several(2)
    here, _ = several.members
    here.session()
    here.line.release()
    several.pass_ms(4 * LEASE_MS)
    assert several.database.holders["a"] is here.line
    assert several.home() is here


def test_who_has_not_beaten_for_half_the_time_of_a_lease_is_not_certain() -> None:
    several = Several(2)
    here, _ = several.members
    assert here.cluster.is_certain()
    several.clock.pass_ms(LEASE_MS // 2 - 1)
    assert here.cluster.is_certain()
    several.clock.pass_ms(1)
    assert not here.cluster.is_certain()
    assert here.referee.health()["reason"] == "this referee has not said for long that it is alive"
    here.step()
    assert here.cluster.is_certain()


def test_nobody_is_certain_whose_sessions_another_may_have_taken_over() -> None:
    """Its lock is lost with its connection; then half the time of a lease is enough."""
    several = Several(2)
    here, there = several.members
    here.session()
    several.step()
    here.line.cut = True
    here.line.release()
    while not there.plays():
        assert here.cluster.home_of_session("cup") == "a"
        several.clock.pass_ms(10)
        there.step()
    assert not here.cluster.is_certain()


def test_the_dead_are_listed_for_an_hour() -> None:
    several = Several(2)
    here, there = several.members
    there.kill()
    several.pass_ms(LEASE_MS)
    (dead,) = [row for row in here.cluster.document()["referees"] if row["name"] == "b"]
    assert (dead["status"], dead["this"]) == ("dead", False)
    assert here.cluster.address("b") is None
    several.clock.pass_ms(FORGET_MS)
    several.pass_ms(10 * LEASE_MS)
    assert [row.name for row in several.store.referees()] == ["a"]


def test_an_ordered_end_is_told_from_a_death() -> None:
    several = Several(2)
    here, there = several.members
    there.referee.stop()
    there.kill()
    here.step()
    (row,) = [row for row in here.cluster.document()["referees"] if row["name"] == "b"]
    assert row["status"] == "stopped"


def test_beats_say_what_a_referee_plays() -> None:
    several = Several(2)
    here, _ = several.members
    here.session()
    several.pass_ms(BEAT_MS)
    rows = {row.name: (row.sessions, row.turns) for row in several.store.referees()}
    assert rows == {"a": (1, 1), "b": (0, 0)}


def test_a_referee_that_is_not_that_run_any_more_changes_no_row() -> None:
    several = Several(1)
    with pytest.raises(Conflict):
        several.store.write(DropReferee("a", "0f"))


def test_what_was_read_first_does_not_take_the_place_of_what_was_read_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a referee that has just come would be taken for dead until the next look."""
    several = Several(1)
    membership = several.members[0].cluster._membership
    reading = SqlStore.referees
    others: list[threading.Thread] = []

    def read(store: SqlStore) -> tuple[RefereeRow, ...]:
        rows = reading(store)
        if not others:
            others.append(threading.Thread(target=membership.observe))
            several.add()
            others[0].start()
            others[0].join(0.2)  # it may end now, or has to wait
        return rows

    monkeypatch.setattr(SqlStore, "referees", read)
    membership.observe()
    others[0].join()
    assert not membership.is_dead("b")
