"""Planned moves: move, drain, undrain, balance, an ordered end. Nothing is lost, no time passes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from arena.errors import BadInput, Conflict, Gone, NotFound, NotHome, Unavailable
from arena.records.verify import verify
from arena.referee import runner
from arena.referee.transfer import stood_key
from arena.statuses import RefereeStatus
from arena.store.cluster_rows import MoveLease
from arena.store.port import StepRow
from tests.cluster.memory import BEAT_MS, LEASE_MS, Member, Several, before_a_write
from tests.referee.table import Arena, lowest
from tests.store.contents import counters

MEMBERS: dict[str, Any] = {"seats": 3, "schedule": {"rounds": 2}}


@pytest.fixture
def both() -> tuple[Several, Member, Member]:
    """Two referees, of which the first plays a session; everybody has answered once."""
    several = Several()
    here, there = several.members
    here.session()
    here.first_lap()
    return several, here, there


def left_ms(member: Member) -> int:
    """Until the first open turn is answered by the referee."""
    _, turn = member.one()
    left: int = turn["remaining_ms"] + turn["bank_ms"]
    return left


def actions(several: Several, prefix: str) -> list[tuple[str, str]]:
    """Who did what, by the audit log, from the first on."""
    rows = [row for row in several.store.audit() if row.action.startswith(prefix)]
    return [(row.actor, row.action) for row in reversed(rows)]


def status(member: Member, name: str) -> tuple[str, str]:
    (row,) = [row for row in member.cluster.document()["referees"] if row["name"] == name]
    return row["status"], row["detail"]


# Move.


def test_a_session_is_moved_with_its_open_turns_and_no_time_passes_for_anybody(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    several.clock.pass_ms(700)
    bot, turn = here.one()
    left = left_ms(here)
    told = here.cluster.move("cup", "b", "anna")
    lease = several.store.lease("cup")
    assert lease is not None
    assert told == lease._asdict() == {"session": "cup", "home": "b", "epoch": lease.epoch}
    several.clock.pass_ms(5_000)  # nobody plays it
    several.step()
    assert several.home() is there
    assert here.waiting() == []
    again_bot, again = there.one()
    assert (again_bot, again["turn"], left_ms(there)) == (bot, turn["turn"], left)
    assert several.store.counter(stood_key("cup")) is None
    assert there.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    assert actions(several, "session.move") == [("anna", "session.move")]


def test_what_was_accepted_before_a_move_is_replayed_after_it_and_at_the_end_anywhere(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    first = here.referee.answer(bot, turn["turn"], lowest(turn))
    several.move(there)
    with pytest.raises(NotHome):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    again = there.referee.answer(bot, turn["turn"], lowest(turn))
    assert (again["replayed"], again["events"]) == (True, first["events"])
    there.play()
    several.step()
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_a_hand_that_ended_before_a_move_is_answered_for_by_the_store_after_the_end() -> None:
    """What the first home had kept of it went with the session."""
    several = Several()
    here, there = several.members
    here.session(2, seats=2, hands_per_table=3)
    while not any(row.status == "finished" for row in several.store.session_hands("cup")):
        bot, turn = here.one()
        here.referee.answer(bot, turn["turn"], lowest(turn))
    several.move(there)
    there.play()
    several.step()
    assert here.status("cup") == "finished"
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_a_move_to_and_fro_plays_the_session_of_one_process() -> None:
    alone = Arena()
    alone.session(**MEMBERS)
    alone.play()
    several = Several(3)
    several.members[0].session(**MEMBERS)
    moves = 0
    while several.store.leases():
        home = several.home()
        home.play(at_most=11)
        several.pass_ms(100)
        if several.store.leases():
            moves += 1
            to = several.members[moves % 3]
            if to is not home:
                several.move(to)
    assert moves > 3
    rows = [each.store.session_hands("cup", limit=99) for each in (several.members[0], alone)]
    logs = [[(row.id, row.status, row.commitment) for row in each] for each in rows]
    assert logs[0] == logs[1]
    for row in rows[0]:
        mine, other = several.store.steps(row.id), alone.store.steps(row.id)
        assert [(step.seq, step.turn, step.command) for step in mine] == [
            (step.seq, step.turn, step.command) for step in other
        ]
    assert verify(several.members[1].referee.queries.records("cup", full=True)).ok


def test_a_paused_session_is_moved_and_resumed(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    left = left_ms(here)
    here.referee.set_session("cup", "pause", "admin")
    several.pass_ms(3_000)
    several.move(there)
    several.pass_ms(3_000)
    assert there.waiting() == []
    with pytest.raises(NotHome):
        here.referee.set_session("cup", "resume", "admin")
    there.referee.set_session("cup", "resume", "admin")
    assert left_ms(there) == left


def test_waiters_at_the_old_home_are_released(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    bot, turn = here.one()
    bell = here.referee._context.signals.bell
    waiter, spectator = bell.listen(f"bot:{bot}"), bell.listen(f"hand:{turn['hand']}")
    several.move(there)
    assert waiter.released
    assert spectator.wait(0) or spectator.released


def test_a_cursor_of_another_referee_brings_all_open_turns_again(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    cursor = here.referee.turns(bot)["cursor"]
    assert here.referee.turns(bot, cursor)["turns"] == []
    several.move(there)
    reply = there.referee.turns(bot, cursor)
    assert [each["turn"] for each in reply["turns"]] == [turn["turn"]]
    assert there.referee.turns(bot, reply["cursor"])["turns"] == []
    several.move(here)
    for old in (cursor, reply["cursor"]):
        assert [each["turn"] for each in here.referee.turns(bot, old)["turns"]] == [turn["turn"]]


def test_only_a_session_in_play_is_moved_only_to_another_that_takes_sessions(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    move = here.cluster.move
    with pytest.raises(NotFound, match="there is no referee 'z'; there are a, b"):
        move("cup", "z", "admin")
    with pytest.raises(BadInput, match="another referee than the one that plays"):
        move("cup", "a", "admin")
    with pytest.raises(Conflict, match="only a session in play has a home"):
        move("league", "b", "admin")
    with pytest.raises(NotHome):
        there.cluster.move("cup", "a", "admin")
    there.cluster.drain("admin")
    with pytest.raises(Conflict, match="b takes no sessions: it is draining"):
        move("cup", "b", "admin")
    there.kill()
    several.pass_ms(2 * LEASE_MS)
    with pytest.raises(Conflict, match="b takes no sessions: it is dead"):
        move("cup", "b", "admin")
    assert several.home() is here
    assert actions(several, "session.move") == []
    assert here.waiting()


def test_a_move_that_cannot_be_written_leaves_everything_as_it_was(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, _ = both
    bot, turn = here.one()
    left = left_ms(here)

    def refuse(*_: object) -> None:
        raise Unavailable("the database cannot be reached")

    monkeypatch.setattr(here.line, "submit", refuse)
    with pytest.raises(Unavailable):
        here.cluster.move("cup", "b", "admin")
    monkeypatch.undo()
    assert left_ms(here) == left
    several.clock.pass_ms(100)
    assert left_ms(here) == left - 100
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_an_answer_that_is_being_written_is_kept_and_the_move_waits_for_it(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    bot, turn = here.one()
    mover = threading.Thread(target=lambda: here.cluster.move("cup", "b", "admin"))
    before_a_write(monkeypatch, here, StepRow, mover.start)
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    mover.join(60)
    several.step()
    assert several.home() is there
    assert there.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_an_answer_that_comes_while_a_move_is_written_is_sent_on_and_taken_there(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    bot, turn = here.one()
    refused: list[Unavailable] = []

    def answer() -> None:
        with pytest.raises(NotHome) as error:
            here.referee.answer(bot, turn["turn"], lowest(turn))
        refused.append(error.value)

    answering = threading.Thread(target=answer)
    before_a_write(monkeypatch, here, MoveLease, answering.start)
    several.move(there)
    answering.join(60)
    assert len(refused) == 1
    assert not there.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_the_jobs_of_a_session_that_has_gone_do_nothing(
    both: tuple[Several, Member, Member],
) -> None:
    """Also if it has come back meanwhile, which is another one in memory."""
    several, here, there = both
    context = here.referee._context
    old = context.in_play.sessions["cup"]
    several.move(there)
    several.move(here)
    with old.lock:  # as a job that waited for it
        assert old.given_up
    context.in_play.sessions["cup"], fresh = old, context.in_play.sessions["cup"]
    runner.advance_session(context, "cup")
    context.in_play.sessions["cup"] = fresh
    assert here.status("cup") == "running"
    here.play()
    assert here.status("cup") == "finished"


def test_a_seat_on_probation_is_so_at_the_next_home_and_its_bot_has_time_to_come() -> None:
    several = Several()
    here, there = several.members
    here.session(clock={"move_ms": 20_000, "bank_ms": 0, "absent_after": 1})
    bot, _ = here.one()
    several.pass_ms(21_000)
    presence = [member.referee._context.signals.presence for member in several.members]
    assert [each.is_on_probation(bot) for each in presence] == [True, False]
    several.move(there)
    assert [each.is_on_probation(bot) for each in presence] == [False, True]
    assert presence[1].is_expected(bot, there.referee._context.clock.now_ms())


def test_who_has_answered_in_a_round_before_has_its_whole_bank_at_the_next_home_too() -> None:
    several = Several()
    here, there = several.members
    here.session(3, **MEMBERS)
    while here.one()[1]["table"] == "cup-r01-t01":
        here.play(at_most=1)
    several.clock.pass_ms(700)
    left = left_ms(here)
    several.move(there)
    assert left_ms(there) == left > 60_000
    several.restart(there)
    several.step()
    assert left_ms(several.home()) >= left


def test_who_has_never_answered_has_not() -> None:
    several = Several()
    here, there = several.members
    here.session(3, **MEMBERS)
    bot, _ = here.one()
    left = left_ms(here)
    several.move(there)
    assert left_ms(there) == left < 60_000
    assert there.one()[0] == bot


def test_what_is_noted_of_a_session_goes_with_its_end(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    here.referee.set_session("cup", "pause", "admin")
    here.referee.set_session("cup", "resume", "admin")
    several.move(there)
    several.move(here)
    here.play()
    assert {key.partition("/")[0] for key in counters(several.store)} == {"seen"}


# Drain.


def test_a_referee_that_drains_gives_all_sessions_away_and_takes_none(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    here.session(2, seats=2, slug="league")
    told = here.cluster.drain("anna")
    assert (told["status"], told["detail"], told["sessions"]) == ("draining", "asked by anna", 0)
    several.step()
    assert {lease.home for lease in several.store.leases()} == {"b"}
    assert status(there, "a") == ("draining", "asked by anna")
    assert here.cluster.for_start() == there.cluster.for_start() == "b"
    with pytest.raises(Unavailable, match="it is draining"):
        here.session(2, seats=2, slug="autumn")
    with pytest.raises(Conflict, match="a takes no sessions: it is draining"):
        there.cluster.move("cup", "a", "admin")
    there.referee.set_session("autumn", "start", "admin")
    several.pass_ms(10_000)
    assert {lease.home for lease in several.store.leases()} == {"b"}
    assert actions(several, "cluster.") == [("anna", "cluster.drain")]


def test_a_referee_that_is_undrained_takes_sessions_again(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    with pytest.raises(Conflict, match="a is not draining: it is serving"):
        here.cluster.undrain("anna")
    here.cluster.drain("anna")
    several.step()
    assert here.cluster.undrain("anna")["status"] == "serving"
    several.step()
    several.move(here)
    assert here.waiting()
    assert status(there, "a") == ("serving", "")
    assert [action for _, action in actions(several, "cluster.")] == [
        "cluster.drain",
        "cluster.undrain",
    ]


def test_the_last_one_that_takes_sessions_plays_on_while_it_drains() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    assert here.cluster.drain("anna")["sessions"] == 1
    assert here.waiting()
    several.pass_ms(LEASE_MS)
    other = several.add()
    several.step()
    assert several.home() is other
    other.play()
    assert here.status("cup") == "finished"


def test_a_draining_home_that_is_killed_is_taken_over() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    here.cluster.drain("anna")
    here.kill()
    several.members.clear()
    other = several.add("b")
    other.bots = here.bots
    several.pass_ms(6 * LEASE_MS)
    assert several.home() is other
    assert other.waiting()


def test_a_session_that_reaches_a_referee_as_it_begins_to_drain_goes_on_to_another() -> None:
    several = Several(3)
    here, there, third = several.members
    here.session()
    here.cluster.move("cup", "b", "admin")
    there.cluster.drain("anna")
    several.step()
    assert several.home() in (here, third)
    assert several.home().waiting()


def test_a_drain_that_is_asked_for_twice_at_once_hands_each_session_over_once(
    both: tuple[Several, Member, Member],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As a request and the thread of the cluster do, which then stands at the first one's lock."""
    several, here, there = both
    again = threading.Thread(target=here.cluster.drain, args=("anna",))

    def meanwhile() -> None:
        again.start()
        again.join(0.05)

    before_a_write(monkeypatch, here, MoveLease, meanwhile)
    with caplog.at_level("INFO", logger="arena.cluster"):
        here.cluster.stop_playing()
        again.join()
    several.step()
    assert several.home() is there
    assert [line for line in caplog.messages if "handed over to b" in line]
    assert not [line for line in caplog.messages if "lease" in line or "stay with" in line]


# An ordered end.


def test_a_referee_that_ends_in_order_hands_over_and_no_time_is_lost(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    left = left_ms(here)
    here.referee.stop()
    here.kill()
    several.step()
    assert several.home() is there
    assert left_ms(there) == left
    assert status(there, "a")[0] == "stopped"
    with pytest.raises(Unavailable):
        here.referee.answer(*_first(there), {"choice": 0})


def _first(member: Member) -> tuple[str, str]:
    bot, turn = member.one()
    return bot, turn["turn"]


def test_the_last_referee_that_ends_in_order_goes_on_where_it_ended() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    here.first_lap()
    left = left_ms(here)
    here.referee.stop()
    here.kill()
    several.clock.pass_ms(3_600_000)
    fresh = several.restart(here)
    assert left_ms(fresh) == left


# Balance, and new sessions.


def test_new_sessions_go_to_the_least_busy_and_are_counted_before_they_are_there() -> None:
    several = Several(3)
    here = several.members[0]
    here.session()
    several.pass_ms(BEAT_MS)
    assert [here.cluster.for_start() for _ in range(3)] == ["b", "c", "a"]


def test_a_referee_that_comes_is_given_some_sessions() -> None:
    several = Several(1)
    (here,) = several.members
    for number in range(9):
        here.session(2, seats=2, slug=f"cup-{number}", hands_per_table=1)
    several.add()
    several.pass_ms(20 * BEAT_MS)
    counts = [len(member.referee._context.in_play.sessions) for member in several.members]
    assert sum(counts) == 9
    assert max(counts) <= 2 * min(counts) + 1
    leases = several.store.leases()
    several.pass_ms(20 * BEAT_MS)
    assert several.store.leases() == leases
    for member in several.members:
        member.play()
    assert several.store.leases() == ()


def test_who_cannot_be_reached_by_the_others_says_why_and_takes_no_sessions() -> None:
    several = Several(2)
    here, there = several.members
    here.session()

    def check(address: str) -> None:
        raise Unavailable("no route to host")

    here.cluster.listen("http://10.0.0.5:1", check)
    here.cluster._membership.address = "http://10.0.0.5:1"
    several.step()
    assert several.home() is there
    detail = "its internal address http://10.0.0.5:1: no route to host"
    assert status(there, "a") == (RefereeStatus.ISOLATED, detail)
    with pytest.raises(Unavailable, match="no route to host"):
        here.session(2, seats=2, slug="league")
    here.cluster.listen("http://10.0.0.5:1", lambda address: None)
    several.step()
    assert status(there, "a") == (RefereeStatus.SERVING, "")
    here.referee.set_session("league", "start", "admin")


# Deeds of organisers at a referee that is not home.


@pytest.mark.parametrize("reason", ["", "timed out"])
def test_a_drain_that_is_asked_for_while_a_referee_tries_its_address_lasts(
    both: tuple[Several, Member, Member], reason: str
) -> None:
    several, here, there = both

    def check(address: str) -> None:
        here.cluster._check = None
        here.cluster.drain("anna")
        if reason:
            raise Unavailable(reason)

    here.cluster.listen("http://10.0.0.5:8701", check)
    several.step()
    assert here.cluster._membership.status == RefereeStatus.DRAINING
    assert here.cluster._leases.refusal == "this referee takes no sessions: it is draining"
    assert several.home() is there


def test_what_an_organiser_does_elsewhere_changes_nothing(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    there.line.deaf = True
    before = several.store.session("cup"), several.store.entries("cup")
    for action in ("pause", "end", "cancel"):
        with pytest.raises(NotHome):
            there.referee.set_session("cup", action, "admin")
    with pytest.raises(NotHome):
        there.referee.withdraw("cup", bot, "admin")
    with pytest.raises(NotHome):
        there.referee.void(turn["table"], "a reason", "admin")
    with pytest.raises(NotHome):
        there.referee.answer(bot, turn["turn"], lowest(turn))
    with pytest.raises(NotHome):
        there.referee.hand_events(turn["hand"])
    assert (several.store.session("cup"), several.store.entries("cup")) == before
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_a_bot_is_withdrawn_at_the_home_and_answered_for(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    several.move(there)
    there.referee.withdraw("cup", bot, "admin")
    with pytest.raises(Gone, match="withdrawn"):
        there.referee.answer(bot, turn["turn"], lowest(turn))
