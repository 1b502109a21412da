"""The fence: which writes carry a lease, and which are refused before the store is asked."""

from __future__ import annotations

import pytest

from arena.cluster.leases import (
    LAST,
    NOBODY,
    SessionLeases,
    session_of_hand,
    session_of_table,
)
from arena.errors import NotHome, Unavailable
from arena.store.cluster_rows import CheckLease, DropLease, LeaseRow, MoveLease
from arena.store.port import (
    AuditRow,
    Change,
    CounterRow,
    EndHand,
    EntryRow,
    HandRow,
    NoteRow,
    SetDocument,
    SetEntryStatus,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    StepRow,
    TableRow,
)

NOW_MS = 1_800_000_000_000
OURS = LeaseRow("cup", "east", 7)
THEIRS = LeaseRow("cup", "west", 7)
STEP = StepRow("cup-r01-t01-h001", 0, 4, NOW_MS, "x", "{}", "{}", "[]")
HAND = HandRow("cup-r01-t01-h001", "cup-r01-t01", 1, "[]", "playing", "", None, NOW_MS, None)
TABLE = TableRow("cup-r01-t01", "cup", 1, 1, "[]", "playing")
PLAY: list[Change] = [
    STEP,
    HAND,
    TABLE,
    EndHand("cup-r01-t01-h001", "finished", "{}", NOW_MS),
    SetSchedule("cup", "{}", was="{ }"),
    CounterRow("lag/cup", 5),
    CounterRow("frozen/cup", 5),
    CounterRow("ending/cup", 5),
    CounterRow("stood/cup", 5),
    SetSessionStatus("cup", "paused", was="running"),
    SetSessionStatus("cup", "running", was="paused"),
    SetSessionStatus("cup", "running", was="running"),
]
"""What nobody but the home of a session writes."""
AT_ANY_TIME: list[Change] = [
    SetTableStatus("cup-r01-t01", "void", was="finished"),
    SetEntryStatus("cup", "b-1", "withdrawn", was="entered"),
    EntryRow("cup", "b-1", 1, "entered", NOW_MS),
    SetDocument("cup", "{}", was="{ }", status="open"),
]
"""What also others write as long as the session is not in play."""
ENDS: list[Change] = [
    SetSessionStatus("cup", "finished", was="running"),
    SetSessionStatus("cup", "cancelled", was="paused"),
]
OTHER: list[Change] = [
    CounterRow("seen/b-1", 5),
    CounterRow("cup", 5),
    NoteRow("divisions/cup", "{}"),
    AuditRow(NOW_MS, "anna", "session.freeze", "{}"),
    SetSessionStatus("cup", "open", was="created"),
    SetSessionStatus("cup", "cancelled", was="open"),
]
"""What rests on no lease."""


def leases(*known: LeaseRow) -> SessionLeases:
    made = SessionLeases("east", lambda: NOW_MS)
    for row in known:
        assert made.learn(row.session, row, known=None)
    return made


def name(change: Change) -> str:
    return f"{type(change).__name__} {change[:3]}"


@pytest.mark.parametrize("change", [*PLAY, *AT_ANY_TIME], ids=name)
def test_what_the_home_writes_stands_behind_its_lease(change: Change) -> None:
    assert leases(OURS).before((change,)) == (CheckLease(*OURS), change)


@pytest.mark.parametrize("change", [*PLAY, *AT_ANY_TIME, *ENDS], ids=name)
@pytest.mark.parametrize("home", ["west", NOBODY])
def test_nobody_else_writes_it(change: Change, home: str) -> None:
    with pytest.raises(NotHome) as refused:
        leases(THEIRS._replace(home=home)).before((change,))
    assert refused.value.session == "cup"


@pytest.mark.parametrize("change", [*PLAY, *ENDS], ids=name)
def test_nobody_plays_a_session_of_whose_lease_nothing_was_heard(change: Change) -> None:
    made, lost = leases(), list[str]()
    made.on_lost = lost.append
    with pytest.raises(NotHome):
        made.before((change,))
    assert lost == ["cup"]


@pytest.mark.parametrize("change", AT_ANY_TIME, ids=name)
def test_what_is_written_where_nothing_is_played_asks_whether_that_is_so(change: Change) -> None:
    made = leases()
    assert made.before((change,)) == (change,)
    made.read = {"cup": THEIRS}.get
    with pytest.raises(NotHome):
        made.before((change,))


@pytest.mark.parametrize("change", OTHER, ids=name)
@pytest.mark.parametrize("row", [OURS, THEIRS])
def test_all_else_is_written_by_anybody(change: Change, row: LeaseRow) -> None:
    if isinstance(change, SetSessionStatus):  # there is no lease then
        row = row._replace(session="other")
    assert leases(row).before((change,)) == (change,)


def test_a_session_comes_into_play_with_a_lease_and_leaves_it_with_that() -> None:
    made, changed = leases(), list[str]()
    made.on_change = changed.append
    starts = SetSessionStatus("cup", "running", was="open")
    written = made.before((SetSchedule("cup", "{}"), starts))
    lease = LeaseRow("cup", "east", NOW_MS)
    assert written == (lease, SetSchedule("cup", "{}"), starts)
    assert made.row("cup") is None
    made.after(written)
    assert (made.row("cup"), changed) == (lease, ["cup"])
    for ends in ENDS:
        assert made.before((ends,)) == (DropLease(*lease), ends)
    made.after((DropLease(*lease), ENDS[0]))
    assert (made.row("cup"), made.rows(), changed) == (None, (), ["cup", "cup"])


def test_a_replay_puts_an_ended_session_into_play_again_with_a_higher_epoch() -> None:
    made = leases(OURS._replace(epoch=NOW_MS + 9))
    made.after((DropLease("cup", "east", NOW_MS + 9),))
    back = SetSessionStatus("cup", "running", was="finished")
    assert made.before((back, TABLE, HAND, STEP))[0] == LeaseRow("cup", "east", NOW_MS)


def test_who_takes_no_sessions_starts_none() -> None:
    made = leases(OURS)
    made.refusal = "this referee takes no sessions: it is draining"
    with pytest.raises(Unavailable, match="it is draining"):
        made.before((SetSessionStatus("league", "running", was="open"),))
    assert made.before((STEP,)) == (CheckLease(*OURS), STEP)


def test_a_write_for_several_sessions_has_their_leases_in_one_order() -> None:
    other = LeaseRow("autumn", "east", 3)
    written = leases(OURS, other).before((STEP, STEP._replace(hand="autumn-r01-t01-h001"), STEP))
    assert written[:2] == (CheckLease(*other), CheckLease(*OURS))
    assert len(written) == 5
    with pytest.raises(NotHome):
        leases(OURS, other._replace(home="west")).before(written[2:])


def test_who_moves_a_lease_proves_it_by_that() -> None:
    move = MoveLease("cup", "west", 8, "east", 7)
    made = leases(OURS)
    changes = (move, CounterRow("stood/cup", 5))
    assert made.before(changes) == changes
    made.after(changes)
    assert made.row("cup") == LeaseRow("cup", "west", 8)


def test_epochs_grow_with_the_clock_and_beyond_it() -> None:
    assert leases().next_epoch("cup") == NOW_MS
    assert leases(OURS).next_epoch("cup") == NOW_MS
    assert leases(OURS._replace(epoch=NOW_MS)).next_epoch("cup") == NOW_MS + 1
    assert leases(OURS._replace(epoch=LAST)).next_epoch("cup") == NOW_MS


def test_a_lease_that_the_store_has_refused_is_nobodys_until_it_is_read_again() -> None:
    made, lost = leases(OURS), list[str]()
    made.on_lost = lost.append
    made.lost("cup")
    assert (made.home("cup"), lost) == (NOBODY, ["cup"])
    assert made.digest() == {NOBODY: (1, 7)}, "not as in the store, so that it is read again"
    known = made.row("cup")
    assert made.learn("cup", OURS, known=known)
    assert made.home("cup") == "east"


def test_what_was_read_before_this_referee_wrote_is_left() -> None:
    """Else a session that has just been started here would be let go."""
    made = leases()
    started = LeaseRow("cup", "east", NOW_MS)
    made.after((started,))
    assert not made.learn("cup", None, known=None)
    assert made.row("cup") == started
    made.after((DropLease(*started),))
    assert not made.learn("cup", started, known=started)
    assert made.row("cup") is None


def test_what_somebody_has_written_by_hand_is_believed() -> None:
    made = leases(OURS)
    lower = OURS._replace(epoch=1)
    assert made.learn("cup", lower, known=OURS)
    assert not made.learn("cup", lower, known=lower)
    assert made.learn("cup", None, known=lower)
    assert made.rows() == ()


def test_leases_are_listed_by_session_and_by_home() -> None:
    made = leases(OURS, LeaseRow("autumn", "west", 3), LeaseRow("league", "west", 1))
    assert [row.session for row in made.rows()] == ["autumn", "cup", "league"]
    assert [row.session for row in made.of("west")] == ["autumn", "league"]
    assert made.digest() == {"east": (1, 7), "west": (2, 4)}
    assert len(made) == 3


@pytest.mark.parametrize("session", ["cup", "spring-cup-2027", "s-ab12", "a-h1-t2"])
def test_the_session_of_a_table_and_of_a_hand_is_read_from_the_right(session: str) -> None:
    assert session_of_table(f"{session}-r01-t03b") == session
    assert session_of_hand(f"{session}-r12-t103b-h007") == session
