"""A home that dies, or stands still: another referee plays its sessions on from the log."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from arena.cluster.leases import NOBODY
from arena.documents import Document
from arena.errors import Conflict, Gone, NotHome, Unavailable
from arena.referee import expiry
from arena.referee.in_play import InPlay
from arena.referee.live import Session
from arena.referee.liveness import ALIVE, COME_AGAIN_MS
from arena.referee.transfer import stood_key
from arena.store.cluster_rows import DropLease, LeaseRow, MoveLease
from arena.store.port import Change, CounterRow, DropCounter, SessionRow
from tests.cluster.memory import BEAT_MS, LEASE_MS, Member, Several, before_a_write
from tests.referee.table import lowest

MOVE_MS, BANK_MS = 5_000, 60_000
SHORT = {"move_ms": 1_000, "bank_ms": 0}
MEMBERS: dict[str, Any] = {"seats": 3, "schedule": {"rounds": 2}}


@pytest.fixture
def both() -> tuple[Several, Member, Member]:
    """Two referees, of which the first plays a session; everybody has answered once."""
    several = Several()
    here, there = several.members
    here.session()
    here.first_lap()
    several.pass_ms(BEAT_MS)
    return several, here, there


def left_ms(member: Member) -> int:
    """Until the first open turn is answered by the referee."""
    _, turn = member.one()
    left: int = turn["remaining_ms"] + turn["bank_ms"]
    return left


def wait_for_death(several: Several, session: str = "cup") -> None:
    """Until another referee plays a session whose home was killed, or stands still."""
    was = several.store.lease(session)
    for _ in range(9 * LEASE_MS // BEAT_MS):
        several.pass_ms(BEAT_MS)
        if several.store.lease(session) != was:
            return
    raise AssertionError("nobody has taken it over")


def check_nobody_was_answered_for(several: Several) -> None:
    """No turn of any hand was closed by the referee."""
    for hand in several.store.session_hands("cup", limit=99):
        steps = several.store.steps(hand.id)
        assert [step.turn for step in steps if step.turn and '"cause":null' not in step.meta] == []


# A home that is killed.


def test_the_turns_of_a_home_that_was_killed_wait_at_another_with_the_outage_credited(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    left, lease = left_ms(here), several.store.lease("cup")
    here.kill()
    wait_for_death(several)
    assert several.home() is there
    again_bot, again = there.one()
    assert (again_bot, again["turn"]) == (bot, turn["turn"])
    assert left <= left_ms(there) + BEAT_MS
    moved = several.store.lease("cup")
    assert lease is not None
    assert moved is not None
    assert moved.epoch > lease.epoch
    assert there.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_who_was_answered_by_nobody_as_the_home_was_killed_has_time_to_come_again() -> None:
    """However little it had left, and though it waits for a moment, as clients do."""
    several = Several()
    here, _ = several.members
    here.session(clock={"move_ms": 1_000, "bank_ms": 0, "grace_ms": 0})
    here.first_lap()
    several.pass_ms(3 * BEAT_MS)
    bot, turn = here.one()
    several.clock.pass_ms(turn["remaining_ms"] - 1)
    here.kill()
    wait_for_death(several)
    several.pass_ms(1_500)
    assert several.home().referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    check_nobody_was_answered_for(several)


def test_an_answer_that_was_accepted_before_the_kill_is_replayed_after_it(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    first = here.referee.answer(bot, turn["turn"], lowest(turn))
    here.kill()
    wait_for_death(several)
    again = there.referee.answer(bot, turn["turn"], lowest(turn))
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert again["events"] == first["events"]
    with pytest.raises(Conflict, match="answered otherwise"):
        there.referee.answer(bot, turn["turn"], {"pass": True})


@pytest.mark.parametrize("away_ms", [1_000_000, 60_000_000])
def test_an_outage_of_all_is_credited_to_every_clock(
    both: tuple[Several, Member, Member], away_ms: int
) -> None:
    several, here, there = both
    left = left_ms(here)
    here.kill()
    there.kill()
    several.clock.pass_ms(away_ms)
    several.members.clear()
    member = several.add("c")
    member.bots = here.bots
    wait_for_death(several)
    assert several.home() is member
    assert left <= left_ms(member) + BEAT_MS


def test_a_home_that_is_restarted_under_its_name_has_its_sessions_back_at_once(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, _ = both
    several.pass_ms(2_100)  # a bot thinks
    left = left_ms(here)
    here.kill()
    several.clock.pass_ms(300_000)
    fresh = several.restart(here)
    assert several.home() is fresh
    assert left <= left_ms(fresh) <= left + BEAT_MS
    assert several.store.counter(stood_key("cup")) is None


def test_two_homes_that_die_one_after_the_other_lose_nothing() -> None:
    several = Several(3)
    several.members[0].session()
    several.members[0].first_lap()
    several.pass_ms(BEAT_MS)
    left = left_ms(several.members[0])
    for _ in range(2):
        several.home().kill()
        wait_for_death(several)
    assert len(several.alive) == 1
    assert left_ms(several.home()) + 2 * BEAT_MS >= left
    several.home().play()
    assert several.alive[0].status("cup") == "finished"


def test_a_home_that_dies_after_it_got_a_session_and_before_it_took_it_up(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    third = several.add()
    several.step()
    left = left_ms(here)
    here.cluster.move("cup", there.name, "admin")
    stood = several.store.counter(stood_key("cup"))
    assert stood is not None
    there.kill()
    several.clock.pass_ms(10_000)
    wait_for_death(several)
    assert several.home() in (here, third)
    assert several.store.counter(stood_key("cup")) is None
    assert left_ms(several.home()) == left
    several.home().play()
    check_nobody_was_answered_for(several)


def test_a_session_that_is_paused_stays_so_and_no_time_is_charged_to_anybody(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    left = left_ms(here)
    here.referee.set_session("cup", "pause", "admin")
    several.pass_ms(3_000)
    here.kill()
    wait_for_death(several)
    assert (there.plays(), there.status("cup"), there.waiting()) == (True, "paused", [])
    several.pass_ms(10_000)
    there.referee.set_session("cup", "resume", "admin")
    assert left_ms(there) == left


def test_between_two_hands_the_next_home_deals_the_next_hand() -> None:
    several = Several()
    here, there = several.members
    here.session(**MEMBERS)
    while not any(row.status == "finished" for row in several.store.session_hands("cup")):
        bot, turn = here.one()
        here.referee._workers.run_waiting = lambda: None  # type: ignore[method-assign]
        here.referee.answer(bot, turn["turn"], lowest(turn))  # it dies before it deals again
    here.kill()
    wait_for_death(several)
    there.play()
    assert there.status("cup") == "finished"


def test_a_session_that_is_ending_ends_with_the_hands_that_run(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    here.referee.set_session("cup", "end", "admin")
    here.kill()
    wait_for_death(several)
    there.play()
    assert there.status("cup") == "finished"
    assert [row.status for row in several.store.session_hands("cup")] == ["finished"]


def test_a_bot_withdrawn_before_the_kill_is_answered_for_after_it(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    here.referee._workers.run_waiting = lambda: None  # type: ignore[method-assign]
    here.referee.withdraw("cup", bot, "admin")
    here.kill()
    wait_for_death(several)
    with pytest.raises(Gone, match="withdrawn"):
        there.referee.answer(bot, turn["turn"], lowest(turn))


def test_of_many_sessions_each_survivor_takes_some_and_all_are_played() -> None:
    several = Several(3)
    slugs = [f"cup-{number}" for number in range(8)]
    for slug in slugs:
        several.members[0].session(2, seats=2, slug=slug, hands_per_table=1)
    several.members[0].kill()
    wait_for_death(several, slugs[0])
    several.pass_ms(2 * LEASE_MS)
    homes = {lease.session: lease.home for lease in several.store.leases()}
    assert set(homes) == set(slugs)
    assert set(homes.values()) == {"b", "c"}
    for member in several.alive:
        assert sorted(member.referee._context.in_play.sessions) == sorted(
            slug for slug, home in homes.items() if home == member.name
        )
    assert sum(member.cluster._takeover.taken for member in several.alive) == len(slugs)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_session_that_cannot_be_read_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, *, deaf: bool
) -> None:
    """As one whose document somebody has edited by hand."""
    several = Several()
    here, there = several.members
    there.line.deaf = deaf
    for slug in ("a-cup", "cup", "d-cup"):
        here.session(2, seats=2, slug=slug)
    load = InPlay.load_session

    def read(in_play: InPlay, row: SessionRow) -> Session:
        if row.id == "a-cup":
            raise ValueError("not JSON")
        return load(in_play, row)

    third = several.add()
    third.session(2, seats=2, slug="e-cup")
    monkeypatch.setattr(InPlay, "load_session", read)
    for member in (here, third):
        member.kill()
        for _ in range(3 * LEASE_MS // BEAT_MS):
            several.clock.pass_ms(BEAT_MS)
            for each in several.alive:
                step_safely(each)
    assert sorted(there.referee._context.in_play.sessions) == ["cup", "d-cup", "e-cup"]
    there.cluster.await_certainty()


def step_safely(member: Member) -> None:
    """As the threads do, which log it and go on."""
    cluster = member.cluster
    for act in (cluster._beat, cluster._observe, partial(cluster._deal, look=True)):
        with suppress(ValueError):
            act()


def test_a_lease_is_taken_over_once_whoever_tries(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    third = several.add()
    lease = several.store.lease("cup")
    assert lease is not None
    here.kill()
    taken = [member.cluster._takeover.take(lease) for member in (there, third)]
    assert sorted(taken) == [False, True]


def test_a_referee_that_has_just_come_is_not_taken_for_dead() -> None:
    several = Several()
    here, _ = several.members
    new = several.add()
    new.session()
    here.cluster._deal()
    assert here.cluster.home_of_session("cup") == new.name
    new.kill()
    wait_for_death(several)
    assert several.home() is not new


def test_a_last_transaction_that_cannot_be_ended_holds_up_no_take_over(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the referees are different roles of the database: it ends by itself in a moment."""
    several, here, there = both
    monkeypatch.setattr(there.line, "end", barred)
    here.kill()
    wait_for_death(several)
    assert several.home() is there


def barred(process: str) -> None:
    raise Unavailable("the database: permission denied to terminate process")


# A home that stands still, and wakes up.


def test_a_home_that_stood_still_writes_nothing_and_lets_go(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    several.members.remove(here)  # it makes no step
    wait_for_death(several)
    assert several.home() is there
    steps = several.store.steps(turn["hand"])
    with pytest.raises(NotHome):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    [told] = here.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])
    assert isinstance(told["error"], Unavailable)
    for action in ("pause", "end", "cancel"):
        with pytest.raises(NotHome):
            here.referee.set_session("cup", action, "admin")
    with pytest.raises(NotHome):
        here.referee.withdraw("cup", bot, "admin")
    assert several.store.steps(turn["hand"]) == steps
    assert there.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    here.step()
    assert here.referee._context.in_play.sessions == {}
    assert here.referee._context.in_play.hands == {}
    assert len(here.referee._context.signals.open_turns) == 0
    assert several.store.leases()[0].home == "b"


def test_a_home_that_stood_still_and_has_heard_nothing_lets_go_by_its_first_write(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, turn = here.one()
    several.members.remove(here)
    here.line.deaf = True
    wait_for_death(several)
    steps = several.store.steps(turn["hand"])
    with pytest.raises(NotHome):  # refused by the store
        here.referee.answer(bot, turn["turn"], lowest(turn))
    assert here.cluster.home_of_session("cup") == NOBODY
    assert several.store.steps(turn["hand"]) == steps
    here.cluster._deal()
    assert here.cluster.home_of_session("cup") == there.name
    assert here.referee._context.in_play.sessions == {}


@pytest.fixture
def torn() -> tuple[Several, str, list[Document]]:
    """A bot with a turn in each of two sessions at one home, which has lost one of them unheard."""
    several = Several()
    here, _ = several.members
    here.session(2, seats=2, clock=SHORT)
    document = {"name": "League", "slug": "league", "seats": 2, "schedule": {"rounds": 1}}
    here.referee.create_session({**document, "clock": SHORT}, "admin")
    for bot in here.bots.values():
        here.referee.add_bot("league", bot, "admin")
    here.referee.set_session("league", "start", "admin")
    bot, other = here.bots.values()
    for turn in here.referee.turns(other)["turns"]:
        here.referee.answer(other, turn["turn"], lowest(turn))
    turns = here.referee.turns(bot)["turns"]
    assert {turn["session"] for turn in turns} == {"cup", "league"}
    lease = several.store.lease("cup")
    assert lease is not None
    several.store.write(MoveLease("cup", "b", lease.epoch + 1, "a", lease.epoch))
    return several, bot, turns


def test_of_a_batch_only_the_answers_to_a_session_that_was_lost_are_refused(
    torn: tuple[Several, str, list[Document]],
) -> None:
    several, bot, turns = torn
    answers = [{"turn": turn["turn"], **lowest(turn)} for turn in turns]
    told = several.members[0].referee.answer_many(bot, answers)
    results = {turn["session"]: each for turn, each in zip(turns, told, strict=True)}
    assert results["league"]["accepted"]
    assert isinstance(results["cup"]["error"], NotHome)


def test_deadlines_of_other_sessions_are_kept_while_one_was_lost(
    torn: tuple[Several, str, list[Document]],
) -> None:
    several, _, turns = torn
    several.clock.pass_ms(30_000)
    with pytest.raises(NotHome):
        several.members[0].referee._sweeper.sweep()
    closed = {
        t["session"]: bool(several.store.steps(t["hand"])[-1].turn == t["turn"]) for t in turns
    }
    assert closed == {"cup": False, "league": True}


def test_a_write_that_fails_leaves_no_hand_without_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also those that would have been expired by a later write."""
    monkeypatch.setattr(expiry, "BATCH", 1)
    several = Several(1)
    (here,) = several.members
    here.session(8, clock=SHORT)
    tables = {turn["table"] for _, turn in here.waiting()}
    several.clock.pass_ms(30_000)
    here.line.cut = True
    with pytest.raises(Unavailable):
        expiry.expire_due(here.referee._context)
    here.line.cut = False
    assert len(tables) == 2
    assert expiry.expire_due(here.referee._context) == 2


def test_deadlines_that_passed_while_a_home_stood_still_are_nobodys_fault(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    several.members.remove(here)
    here.line.deaf = True
    wait_for_death(several)
    there.play()
    assert there.status("cup") == "finished"
    several.clock.pass_ms(10 * (MOVE_MS + BANK_MS))
    with pytest.raises(NotHome):
        here.referee._sweeper.sweep()
    here.step()
    check_nobody_was_answered_for(several)


def test_a_home_that_the_database_cannot_reach_charges_nobody_and_is_taken_over(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    left = left_ms(here)
    here.line.cut = True
    for _ in range(10):
        several.clock.pass_ms(BEAT_MS)
        with pytest.raises(Unavailable):
            here.step()
        there.step()
    assert several.store.leases()[0].home == "b"
    assert left <= left_ms(there) + 6 * BEAT_MS
    here.line.cut = False
    several.step()
    assert here.referee._context.in_play.sessions == {}


@pytest.mark.parametrize("away_ms", [100, 300, 700, 5_000])
def test_a_database_that_was_away_for_all_is_credited(away_ms: int) -> None:
    """All but what passes between the beat that succeeded last and the one that failed first; and
    clocks stand still for a moment more, in which those come again that were refused."""
    several = Several()
    here, _ = several.members
    here.session()
    here.first_lap()
    several.pass_ms(BEAT_MS)
    before = left_ms(here)
    for member in several.members:
        member.line.cut = True
    several.clock.pass_ms(BEAT_MS)
    for member in several.members:
        with pytest.raises(Unavailable):
            member.step()
    several.clock.pass_ms(away_ms)
    for member in several.members:
        member.line.cut = False
    several.step()
    assert several.home() is here
    several.pass_ms(COME_AGAIN_MS)
    assert left_ms(here) == before - BEAT_MS
    several.pass_ms(2 * BEAT_MS)
    assert left_ms(here) == before - 3 * BEAT_MS


def test_a_short_silence_moves_nothing(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    left = left_ms(here)
    several.members.remove(here)
    several.pass_ms(LEASE_MS - BEAT_MS)
    several.members.insert(0, here)
    several.step()
    assert several.home() is here
    assert there.referee._context.in_play.sessions == {}
    assert left_ms(here) == left - (LEASE_MS - BEAT_MS)


# Races.


def test_an_answer_that_comes_while_a_session_is_taken_up_is_charged_no_outage(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    bot, turn = here.one()
    here.kill()
    several.clock.pass_ms(10 * (MOVE_MS + BANK_MS))
    refused: list[Exception] = []

    def answer() -> None:
        try:
            there.referee.answer(bot, turn["turn"], lowest(turn))
        except Unavailable as error:
            refused.append(error)

    before_a_write(monkeypatch, there, DropCounter, answer)
    wait_for_death(several)
    assert several.home() is there
    assert len(refused) == 1
    check_nobody_was_answered_for(several)
    told = there.referee.answer(bot, turn["turn"], lowest(turn))
    assert told["accepted"]


def test_an_organiser_who_comes_between_the_lease_and_the_session_is_to_come_again(
    both: tuple[Several, Member, Member],
) -> None:
    """Else a pause would be noted at a time that is not the session's."""
    several, here, there = both
    _, turn = here.one()
    here.cluster.move("cup", there.name, "admin")
    there.cluster._changes._on_lease = lambda session: None  # it has not got to that yet
    there.cluster.refresh("cup")
    assert there.plays()
    there.cluster._changes._on_lease = there.cluster._lease_changed
    for act in (
        lambda: there.referee.set_session("cup", "pause", "admin"),
        lambda: there.referee.set_session("cup", "cancel", "admin"),
        lambda: there.referee.void(turn["table"], "a reason", "admin"),
    ):
        with pytest.raises(NotHome):
            act()
    several.step()
    assert there.referee.set_session("cup", "pause", "admin")["status"] == "paused"


def test_a_session_that_ends_while_it_is_looked_at_still_answers_what_was_accepted() -> None:
    """`reconcile` has seen it in play without a lease; it is not another referee's for that."""
    several = Several(1)
    (here,) = several.members
    here.session(2, seats=2, hands_per_table=1)
    last: list[tuple[str, Document]] = []
    while waiting := here.waiting():
        last = waiting
        bot, turn = waiting[0]
        here.referee.answer(bot, turn["turn"], lowest(turn))
    here.cluster._takeover.let_go("cup")
    bot, turn = last[0]
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_a_session_that_was_started_while_others_are_compared_is_not_let_go() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    here.cluster._takeover.let_go("cup")
    assert here.waiting()


# Leases written by other hands, and databases of a version before.


def edit(several: Several, *changes: Change) -> None:
    several.store.write(*changes)
    several.pass_ms(12_000)


def test_a_lease_that_was_given_to_another_home_by_hand_is_obeyed(
    both: tuple[Several, Member, Member],
) -> None:
    several, _, there = both
    lease = several.store.leases()[0]
    edit(several, MoveLease("cup", "b", lease.epoch, "a", lease.epoch))
    assert several.home() is there
    assert [len(each.referee._context.in_play.sessions) for each in several.members] == [0, 1]
    assert there.waiting()


def test_a_lease_whose_epoch_was_lowered_by_hand_is_obeyed(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, _ = both
    lease = several.store.leases()[0]
    edit(several, MoveLease("cup", "a", 1, "a", lease.epoch))
    assert several.home() is here
    here.play()
    assert here.status("cup") == "finished"
    assert several.store.leases() == ()


def test_a_lease_that_was_given_to_nobody_that_is_there_is_taken_over(
    both: tuple[Several, Member, Member],
) -> None:
    several, _, _ = both
    lease = several.store.leases()[0]
    edit(several, MoveLease("cup", "nobody", lease.epoch + 1, "a", lease.epoch))
    assert several.home().waiting()


def test_a_session_whose_lease_was_deleted_by_hand_gets_one_again(
    both: tuple[Several, Member, Member],
) -> None:
    several, _, _ = both
    edit(several, DropLease(*several.store.leases()[0]))
    assert len(several.store.leases()) == 1
    several.home().play()
    assert several.alive[0].status("cup") == "finished"


@pytest.mark.parametrize("home", ["a", "nobody"])
def test_a_lease_of_a_session_that_is_not_in_play_is_taken_away(home: str) -> None:
    several = Several(1)
    several.members[0].session(start=False)
    edit(several, LeaseRow("cup", home, 1), LeaseRow("unknown", home, 1))
    assert several.store.leases() == ()
    several.members[0].referee.set_session("cup", "start", "admin")
    assert several.home().waiting()


def test_the_sessions_of_an_older_program_are_taken_up_with_its_outage_credited() -> None:
    several = Several(1)
    (here,) = several.members
    here.session()
    here.first_lap()
    left, lease = left_ms(here), several.store.leases()[0]
    alive_ms = here.referee._context.clock.now_ms()
    here.kill()
    several.store.write(DropLease(*lease), CounterRow(ALIVE, alive_ms))
    several.clock.pass_ms(600_000)
    member = several.add("b")
    assert member.plays()
    assert left_ms(member) == left
    assert several.store.counter(ALIVE) is None


def test_beside_an_older_program_that_runs_no_referee_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several = Several(1)
    several.store.write(CounterRow(ALIVE, 1))
    cluster = several.members[0].cluster
    monkeypatch.setattr(
        "arena.cluster.cluster.time.sleep", lambda _: several.store.write(CounterRow(ALIVE, 2))
    )
    with pytest.raises(Exception, match="stop all of them first"):
        cluster._alive_of_older_program(wait=True)
    monkeypatch.setattr("arena.cluster.cluster.time.sleep", lambda _: None)
    assert cluster._alive_of_older_program(wait=True) == 2


def test_a_referee_that_fails_as_it_starts_makes_no_outage_the_bots(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has joined, and beaten, and is killed before it has its sessions back."""
    several, here, there = both
    several.pass_ms(2_100)
    left = left_ms(here)
    here.kill()
    there.kill()
    several.clock.pass_ms(600_000)

    def refuse(*_: object, **__: object) -> None:
        raise Unavailable("the database cannot be reached")

    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr("arena.cluster.takeover.TakeOver.take_from", refuse)
            with pytest.raises(Unavailable):
                Member(several.database, several.clock, "a")
        several.database.lines[-1].die()
        several.clock.pass_ms(600_000)
    fresh = several.restart(here)
    assert left <= left_ms(fresh) <= left + BEAT_MS
