"""What one referee has done is seen at all others: at once, or after some seconds if unheard."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import Conflict, Forbidden, Gone, Unavailable
from arena.organising.renaming import rename_bot
from arena.store.cluster_rows import LeasesDigest
from arena.store.port import SetEntryStatus, SetSessionStatus
from arena.store.sql import SqlStore
from tests.cluster.memory import LEASE_MS, Member, Several, before_a_write
from tests.referee.table import lowest


@pytest.fixture
def both() -> tuple[Several, Member, Member]:
    several = Several()
    return several, *several.members  # type: ignore[return-value]


def known(member: Member, token: str) -> bool:
    return member.referee.registry.known(token) is not None


# Tokens.


def test_a_token_revoked_or_rotated_there_is_worth_nothing_here(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bots = [here.referee.register(f"bot-{n}") for n in range(3)]
    assert all(here.referee.registry.identify(token) for _, token in bots)
    there.referee.revoke(bots[0][0]["id"], "admin")
    fresh = there.referee.rotate_token(bots[1][0]["id"])
    several.step()
    assert [known(here, token) for _, token in bots] == [False, False, True]
    assert known(here, fresh)
    # Only who was revoked may not wait here any more; a new token is as good as the old one was.
    assert here.referee._context.signals.bell.barred() == (bots[0][0]["id"],)


def test_a_revocation_that_was_not_heard_is_seen_after_some_seconds(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    bot, token = here.referee.register("bot")
    here.line.deaf = True
    there.referee.revoke(bot["id"], "admin")
    several.pass_ms(9_000)
    assert known(here, token)
    several.pass_ms(2_000)
    assert not known(here, token)


def test_where_anything_may_have_been_missed_everything_is_read_at_once(
    both: tuple[Several, Member, Member],
) -> None:
    _, here, there = both
    bot, token = here.referee.register("bot")
    here.line.deaf = True
    there.referee.revoke(bot["id"], "admin")
    here.cluster._heard.add(None)
    here.step()
    assert not known(here, token)


def test_what_was_heard_while_the_database_was_away_is_not_forgotten(
    both: tuple[Several, Member, Member],
) -> None:
    _, here, there = both
    bot, token = here.referee.register("bot")
    there.referee.revoke(bot["id"], "admin")
    here.line.cut = True
    with pytest.raises(Unavailable):
        here.cluster._deal()
    here.line.cut = False
    here.cluster._deal()
    assert not known(here, token)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_bot_revoked_elsewhere_is_withdrawn_at_the_homes_of_its_sessions(
    both: tuple[Several, Member, Member], *, deaf: bool
) -> None:
    several, here, there = both
    here.session()
    bot, turn = here.one()
    there.referee.create_session({"name": "League", "slug": "league", "seats": 4}, "admin")
    there.referee.add_bot("league", bot, "admin")
    here.line.deaf = deaf
    there.referee.revoke(bot, "admin")
    several.pass_ms(12_000)
    entries = {row.bot: row.status for row in several.store.entries("cup")}
    assert entries.pop(bot) == "withdrawn"
    assert set(entries.values()) == {"entered"}
    assert [row.status for row in several.store.entries("league")] == ["withdrawn"]
    with pytest.raises(Gone):
        here.referee.answer(bot, turn["turn"], lowest(turn))


def test_two_organisers_who_revoke_each_other_at_two_referees_leave_one(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, there = both
    here.referee.registry.create_admin("anna")
    here.referee.registry.create_admin("bert")
    writing = here.line.submit

    def submit(changes: Any) -> None:
        monkeypatch.undo()
        there.referee.organisers.revoke("anna", actor="bert")
        writing(changes)

    monkeypatch.setattr(here.line, "submit", submit)
    with pytest.raises(Conflict, match="bert is the last organiser: make another one first"):
        here.referee.organisers.revoke("bert", actor="anna")
    listed = here.referee.organisers.all()["organisers"]
    assert [(each["name"], each["revoked"]) for each in listed] == [("anna", True), ("bert", False)]


# Names.


@pytest.mark.parametrize("deaf", [False, True])
def test_a_bot_renamed_elsewhere_has_its_new_name_at_the_home(
    both: tuple[Several, Member, Member], *, deaf: bool
) -> None:
    several, here, there = both
    here.session(hands_per_table=3)
    here.line.deaf = deaf
    rename_bot(there.referee._context, here.bots["bot-1"], "zoe")
    several.pass_ms(12_000)
    assert here.referee._context.in_play.sessions["cup"].names[here.bots["bot-1"]] == "zoe"


# Sessions.


def test_a_bot_that_leaves_elsewhere_just_as_the_session_starts_is_answered_for_at_once(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    here.session(start=False)
    bot = here.bots["bot-1"]
    before_a_write(
        monkeypatch,
        there,
        SetEntryStatus,
        lambda: here.referee.set_session("cup", "start", "admin"),
    )
    there.referee.withdraw("cup", bot, "admin")
    several.step()
    assert here.referee._context.in_play.sessions["cup"].out == {bot: "withdrawn"}
    here.play()
    assert here.status("cup") == "finished"
    steps = [
        step for row in several.store.session_hands("cup") for step in several.store.steps(row.id)
    ]
    assert any('"cause":"withdrawn"' in step.meta for step in steps)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_session_that_was_started_and_ended_elsewhere_is_read_as_it_is(
    both: tuple[Several, Member, Member], *, deaf: bool
) -> None:
    several, here, there = both
    here.session(start=False)
    there.referee.queries.session("cup")
    there.line.deaf = deaf
    here.referee.set_session("cup", "start", "admin")
    here.play()
    several.pass_ms(11_000)
    assert there.status("cup") == "finished"
    assert there.referee.queries.standings("cup") == here.referee.queries.standings("cup")
    told = [each.referee.queries.session("cup", staff=True) for each in (here, there)]
    assert told[0] == told[1]
    hand = several.store.session_hands("cup")[0].id
    assert there.referee.hand_events(hand) == here.referee.hand_events(hand)
    records = [list(each.referee.queries.records("cup", full=True)) for each in (here, there)]
    assert records[0] == records[1]


def test_a_session_that_two_start_is_started_once(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    here.session(start=False)
    before_a_write(
        monkeypatch,
        there,
        SetSessionStatus,
        lambda: here.referee.set_session("cup", "start", "admin"),
    )
    with pytest.raises(Conflict):
        there.referee.set_session("cup", "start", "admin")
    several.step()
    assert several.home() is here
    assert there.referee._context.in_play.sessions == {}


def test_a_session_that_starts_just_as_it_is_deleted_elsewhere_stays(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    here.session(start=False)
    before_a_write(
        monkeypatch,
        there,
        SetSessionStatus,
        lambda: here.referee.set_session("cup", "start", "admin"),
    )
    with pytest.raises(Conflict, match="has been started"):
        there.referee.delete_session("cup", "admin")
    several.step()
    here.play()
    assert here.status("cup") == "finished"


@pytest.mark.parametrize("deaf", [False, True])
def test_what_is_shown_of_results_is_the_same_everywhere(
    both: tuple[Several, Member, Member], *, deaf: bool
) -> None:
    several, here, there = both
    here.session()
    there.line.deaf = deaf
    here.referee.embargo("cup", "admin")
    for member in several.members:
        with pytest.raises(Forbidden):
            member.referee.queries.standings("cup")
    here.play()
    several.pass_ms(2_100)
    there.referee.publish("cup", "admin")
    told = [member.referee.queries.standings("cup") for member in several.members]
    assert told[0] == told[1]
    assert told[0]["hands"] == 2


def test_where_a_bot_plays_is_known_everywhere(both: tuple[Several, Member, Member]) -> None:
    several, here, there = both
    here.session()
    bot = here.bots["bot-1"]
    there.referee.create_session({"name": "League", "slug": "league", "seats": 4}, "admin")
    for each in here.bots.values():
        there.referee.add_bot("league", each, "admin")
    several.step()
    for member in several.members:
        assert member.cluster.homes_of_bot(bot) == ("a",)
    there.referee.set_session("league", "start", "admin")
    several.step()
    for member in several.members:
        assert member.cluster.homes_of_bot(bot) == ("a", "b")
        assert member.cluster.homes_of_bot("nobody") == ()
        assert member.cluster.seat_of(bot) == "league", "it was entered last"
        assert member.cluster.seat_of("nobody") is None
    here.play()
    several.step()
    for member in several.members:
        assert member.cluster.homes_of_bot(bot) == ("b",)
        assert member.cluster.main_home(bot) == "b"


def test_where_a_bot_plays_is_not_kept_as_it_was_read_before_it_changed(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a bot would wait at the wrong referee until all is read anew, and miss its turns."""
    several, here, there = both
    here.session(start=False)
    bot = next(iter(here.bots.values()))
    reading = SqlStore.leased_sessions

    def read(store: SqlStore, bot: str) -> tuple[str, ...]:
        sessions = reading(store, bot)
        monkeypatch.undo()
        here.referee.set_session("cup", "start", "admin")
        several.step()
        return sessions

    monkeypatch.setattr(SqlStore, "leased_sessions", read)
    there.cluster.homes_of_bot(bot)
    assert there.cluster.homes_of_bot(bot) == ("a",)


def test_who_enters_a_ladder_that_is_played_is_sent_to_its_home(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    here.session(3, schedule={"kind": "ladder"}, seats=3)
    (late,) = here.enrol(1)
    several.step()
    assert there.cluster.homes_of_bot(late) == ()
    here.referee.enter("cup", late)
    several.step()
    assert there.cluster.homes_of_bot(late) == here.cluster.homes_of_bot(late) == ("a",)


def test_who_waits_elsewhere_while_it_enters_a_ladder_that_is_played_is_sent_to_its_home(
    both: tuple[Several, Member, Member],
) -> None:
    """As one whose poll came there before that referee has heard of the entry."""
    several, here, there = both
    here.session(3, schedule={"kind": "ladder"}, seats=3)
    (late,) = here.enrol(1)
    several.step()
    assert there.cluster.homes_of_bot(late) == ()
    waiter = there.referee.bell.listen(f"bot:{late}", who=late)
    here.referee.enter("cup", late)
    there.cluster._deal()
    assert waiter.released
    assert there.cluster.homes_of_bot(late) == ("a",)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_lease_is_known_to_all_at_once_or_with_the_next_look(
    both: tuple[Several, Member, Member], *, deaf: bool
) -> None:
    several, here, there = both
    there.line.deaf = deaf
    here.session()
    several.pass_ms(2_100)
    assert there.cluster.home_of_session("cup") == "a"
    here.play()
    several.pass_ms(2_100)
    assert there.cluster.home_of_session("cup") is None


def test_await_move_gives_the_new_home_and_gives_up_in_time(
    both: tuple[Several, Member, Member],
) -> None:
    several, here, there = both
    here.session()
    several.step()
    assert there.cluster.await_move("cup", "a", 0.0) is None
    here.cluster.move("cup", "b", "admin")
    several.step()
    assert there.cluster.await_move("cup", "a", 5.0) == "b"
    assert here.cluster.await_move("league", "a", 5.0) is None


def test_who_may_have_been_declared_dead_reads_everything_before_it_is_certain_again() -> None:
    several = Several(2)
    here, there = several.members
    here.session()
    several.members.remove(here)
    here.line.deaf = True
    several.pass_ms(LEASE_MS + 600)
    assert several.home() is there
    here.cluster._beat()
    assert here.cluster._heard.everything
    here.cluster._deal()
    assert here.cluster.home_of_session("cup") == "b"
    here.cluster.await_certainty()


def test_nobody_is_certain_while_what_may_have_been_missed_is_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several = Several(2)
    here, _ = several.members
    here.session()
    several.members.remove(here)
    here.line.deaf = True
    several.pass_ms(LEASE_MS + 600)
    here.cluster._beat()
    reading = SqlStore.leases_digest
    certain: list[bool] = []

    def read(store: SqlStore) -> LeasesDigest:
        certain.append(here.cluster.is_certain() and not here.cluster._heard.everything)
        return reading(store)

    monkeypatch.setattr(SqlStore, "leases_digest", read)
    here.cluster._deal()
    assert certain == [False]
    here.cluster.await_certainty()


def test_what_may_have_been_missed_is_read_again_if_it_could_not_be_read_whole(
    both: tuple[Several, Member, Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, there = both
    bot, token = here.referee.register("rex")
    there.step()
    assert known(there, token)
    there.line.deaf = True
    here.referee.revoke(bot["id"], "admin")
    there.cluster._heard.add(None)

    def refuse() -> None:
        raise Unavailable("the database: the connection was closed")

    with monkeypatch.context() as patch:
        patch.setattr(there.referee.registry, "forget", refuse)
        with pytest.raises(Unavailable):
            there.cluster._deal()
    there.cluster._deal(look=True)
    assert not known(there, token)
