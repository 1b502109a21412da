"""What every store must do, whatever it is made of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import ArenaError, BadInput, Conflict, NotFound, Unavailable
from arena.store import Store
from arena.store.bot_changes import CheckChances, SetChance
from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    CounterRow,
    DropBot,
    DropCounter,
    DropEntry,
    DropHand,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EndHand,
    HashRow,
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SetDocument,
    SetEntryStatus,
    SetName,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    UseCode,
)
from tests.store import rows
from tests.store.rows import (
    ALICE,
    ALICE_IN_CUP,
    BOB,
    BOB_IN_CUP,
    CUP,
    DEAL,
    HAND,
    TABLE,
    WORLD,
    bot,
    step,
)


def outcomes(calls: Sequence[Callable[[], None]]) -> list[ArenaError | None]:
    """What each call raised, all of them made at the same moment in threads of their own."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], None]) -> ArenaError | None:
        start.wait()
        try:
            call()
        except ArenaError as error:
            return error
        return None

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


# Rows come back as they went in.


def test_every_row_comes_back_as_it_was_written(cup: Store) -> None:
    assert cup.bot(ALICE.id) == ALICE
    assert cup.session(CUP.id) == CUP
    assert cup.entry(CUP.id, BOB.id) == BOB_IN_CUP
    assert cup.table(TABLE.id) == TABLE
    assert cup.hand(HAND.id) == HAND
    assert cup.steps(HAND.id) == (DEAL,)


def test_a_bot_is_found_by_its_token_and_by_its_name(cup: Store) -> None:
    assert cup.bot_by_token(BOB.token_hash) == BOB
    assert cup.bot_by_name("ボブ") == BOB


def test_a_bot_is_found_by_its_name_key_which_nobody_else_can_have(cup: Store) -> None:
    carol = bot(3)._replace(name_key="carol")
    cup.write(carol, SetNameKey(ALICE.id, "alice"))
    assert cup.bot_by_key("carol") == carol
    assert cup.bot_by_key("alice") == ALICE._replace(name_key="alice")
    assert cup.bots_without_key() == (BOB,)
    for change in (bot(4)._replace(name_key="alice"), SetNameKey(BOB.id, "carol")):
        with pytest.raises(Conflict):
            cup.write(change)
    cup.write(SetNameKey(carol.id, "caro"), SetNameKey(BOB.id, "carol"))
    assert cup.bots_without_key() == ()
    assert cup.bot_by_key("x") is None


def test_rows_without_a_key_come_by_age_and_exclude_nobody(store: Store) -> None:
    young, old = bot(1)._replace(created_ms=9), bot(2)
    store.write(young, old)
    assert store.bots_without_key() == (old, young)


def test_staff_is_who_is_no_bot(cup: Store) -> None:
    anna, ben = bot(3)._replace(kind="viewer"), bot(4)._replace(kind="admin", revoked=True)
    cup.write(anna, bot(5)._replace(kind="house"), ben)
    assert cup.staff() == (anna, ben)
    assert cup.staff(limit=1) == (anna,)
    assert cup.staff(after=anna.name) == (ben,)


def test_a_revoked_bot_is_restored_with_another_token(cup: Store) -> None:
    cup.write(RevokeBot(ALICE.id))
    cup.write(RestoreBot(ALICE.id, "c" * 64))
    assert cup.bot_by_token("c" * 64) == ALICE._replace(token_hash="c" * 64)
    assert cup.bot_by_token(ALICE.token_hash) is None
    with pytest.raises(Conflict):
        cup.write(RestoreBot(ALICE.id, BOB.token_hash))
    with pytest.raises(NotFound):
        cup.write(RestoreBot("nobody", "d" * 64))


ANNA, BERT = (rows.bot(number)._replace(kind="admin") for number in (7, 8))
REVOKED = AddOne("organisers")


def test_an_organiser_is_revoked_only_while_there_is_another_one(store: Store) -> None:
    store.write(ANNA, BERT, rows.bot(9), rows.bot(5)._replace(kind="assistant"))
    store.write(REVOKED, RevokeOrganiser(ANNA.id))
    assert store.bot(ANNA.id) == ANNA._replace(revoked=True)
    with pytest.raises(Conflict, match="the last organiser"):
        store.write(REVOKED, RevokeOrganiser(BERT.id))
    assert store.bot(BERT.id) == BERT
    assert store.counter("organisers") == 1


@pytest.mark.parametrize("who", [rows.bot(9).id, "nobody"])
def test_who_is_no_organiser_is_not_revoked_as_one(store: Store, who: str) -> None:
    store.write(ANNA, BERT, rows.bot(9))
    with pytest.raises(Conflict):
        store.write(REVOKED, RevokeOrganiser(who))
    assert store.bot(rows.bot(9).id) == rows.bot(9)


def test_of_two_organisers_who_revoke_each_other_one_is_left(store: Store) -> None:
    store.write(ANNA, BERT)
    refused = outcomes(
        [
            lambda: store.write(REVOKED, RevokeOrganiser(ANNA.id)),
            lambda: store.write(REVOKED, RevokeOrganiser(BERT.id)),
        ]
    )
    assert sorted(map(type, refused), key=str) == sorted([type(None), Conflict], key=str)
    assert [each.revoked for each in store.staff()].count(False) == 1


def test_what_is_not_there_is_none_or_empty(cup: Store) -> None:
    assert cup.bot("x") is cup.bot_by_token("x") is cup.bot_by_name("x") is None
    assert cup.session("x") is cup.entry("x", "x") is cup.table("x") is cup.hand("x") is None
    assert cup.code("x") is cup.counter("x") is None
    assert cup.steps("x") == cup.hands("x") == cup.tables("x") == cup.entries("x") == ()
    assert cup.entries_of("x") == cup.open_tables("x") == ()
    assert cup.session_hands("x") == cup.hand_hashes("x") == ()
    assert cup.hand_counts("x") == {}


def test_types_survive_the_way(cup: Store) -> None:
    found = cup.session(CUP.id)
    alice = cup.bot(ALICE.id)
    assert found is not None
    assert type(found.secret) is bytes
    assert alice is not None
    assert alice.revoked is False


def test_any_text_survives_the_way(cup: Store) -> None:
    odd = "é 大富豪 \U0001f0cf \x01 \n ' \" ? % {} $1 \\"
    cup.write(step(2, command=odd))
    assert cup.steps(HAND.id, 2)[0].command == odd


def test_text_with_a_nul_is_kept_or_refused_but_never_cut(cup: Store) -> None:
    try:
        cup.write(step(2, command="a\x00b"))
    except BadInput:
        assert cup.steps(HAND.id, 2) == ()
    else:
        assert cup.steps(HAND.id, 2)[0].command == "a\x00b"
    assert cup.bot_by_name("a\x00b") is cup.hand(HAND.id + "\x00") is None


def test_a_session_does_not_show_its_secret() -> None:
    assert "secret" not in repr(CUP)


# The log of a hand.


def test_steps_come_in_order_from_the_event_that_the_caller_lacks(cup: Store) -> None:
    cup.write(step(2, events=3))
    cup.write(step(5))
    assert [found.seq for found in cup.steps(HAND.id)] == [0, 2, 5]
    assert [found.seq for found in cup.steps(HAND.id, 2)] == [2, 5]
    assert [found.seq for found in cup.steps(HAND.id, 4)] == [2, 5]
    assert [found.seq for found in cup.steps(HAND.id, 5)] == [5]
    assert cup.steps(HAND.id, 6) == ()


@pytest.mark.parametrize("hands", [1, 16, 17, 40])
def test_the_logs_of_many_hands_are_read_together(cup: Store, hands: int) -> None:
    """Every third hand has no step yet."""
    logs = {}
    for number in range(2, hands + 2):
        other = rows.hand(TABLE, number, status="playing")
        log = tuple(step(seq, hand=other.id) for seq in (0, 1, 2)[number % 3 :])
        cup.write(other, *log)
        logs[other.id] = log
    read = cup.steps_of([*logs, "nobody's"])
    assert read == {name: log for name, log in logs.items() if log}
    assert cup.steps_of([]) == cup.steps_of(["nobody's"]) == {}


def test_a_second_step_at_a_seq_is_refused_and_the_first_stays(cup: Store) -> None:
    cup.write(step(2, command="first"))
    with pytest.raises(Conflict, match="step 2 of hand 'spring-cup-r01-t01-h001'"):
        cup.write(step(2, command="second"))
    assert cup.steps(HAND.id, 2)[0].command == "first"


@pytest.mark.parametrize("attempt", range(10))
def test_of_two_threads_that_append_at_one_seq_exactly_one_wins(cup: Store, attempt: int) -> None:
    raised = outcomes([lambda who=who: cup.write(step(2, command=who)) for who in "AB"])
    winner = "AB"[raised.index(None)]
    assert sorted(type(error) for error in raised if error) == [Conflict]
    assert [found.command for found in cup.steps(HAND.id, 2)] == [winner]


def test_a_failing_write_does_not_spoil_those_that_wait_with_it(cup: Store) -> None:
    good = [lambda seq=seq: cup.write(step(seq)) for seq in range(2, 14)]
    bad: list[Callable[[], None]] = [
        lambda: cup.write(DEAL),
        lambda: cup.write(step(0, hand="no-such-hand")),
        lambda: cup.write(step(99), step(99)),
        lambda: cup.write(step(98), SetTableStatus(TABLE.id, "finished", was="waiting")),
    ]
    raised = outcomes(good[:6] + bad + good[6:])
    assert [type(error) for error in raised if error] == [Conflict, NotFound, Conflict, Conflict]
    assert [found.seq for found in cup.steps(HAND.id)] == [0, *range(2, 14)]


def test_a_step_without_events_is_refused(cup: Store) -> None:
    with pytest.raises(BadInput):
        cup.write(step(2, events=0))
    assert cup.steps(HAND.id, 2) == ()


def test_a_hand_begins_with_its_first_step_or_not_at_all(cup: Store) -> None:
    second = HAND._replace(id="h2", number=2)
    with pytest.raises(NotFound):
        cup.write(second, step(0, hand="another hand"))
    assert cup.hand("h2") is None
    cup.write(second, step(0, hand="h2"))
    assert cup.hand("h2") == second
    with pytest.raises(Conflict):
        cup.write(second._replace(id="h2 again"), step(0, hand="h2 again"))


def test_a_hand_ends_together_with_its_last_step_and_only_once(cup: Store) -> None:
    end = EndHand(HAND.id, "finished", '{"places":[1,0]}', 9_000)
    cup.write(step(2), end)
    with pytest.raises(Conflict):
        cup.write(step(3), end)
    assert cup.hand(HAND.id) == HAND._replace(
        status="finished", result='{"places":[1,0]}', ended_ms=9_000
    )
    assert [found.seq for found in cup.steps(HAND.id)] == [0, 2]


# All or nothing.


def test_a_write_makes_all_its_changes_or_none(store: Store) -> None:
    with pytest.raises(NotFound):
        store.write(
            *WORLD,
            AuditRow(1, "admin", "start", "{}"),
            CounterRow("alive", 1),
            CodeRow("code", "class", 1, 10),
            UseCode("code", 5),
            SetToken(ALICE.id, "c" * 64),
            SetSchedule(CUP.id, "[]"),
            RevokeBot("nobody"),
        )
    assert store.bots() == store.sessions() == store.audit() == store.codes() == ()
    assert store.bot_by_token(ALICE.token_hash) is store.bot_by_name(ALICE.name) is None
    assert store.counter("alive") is None
    assert store.steps(HAND.id) == ()
    store.write(*WORLD)
    assert store.bot_by_token(ALICE.token_hash) == ALICE


def test_a_write_of_nothing_does_nothing(store: Store) -> None:
    store.write()
    assert store.bots() == ()


def test_changes_are_made_in_the_order_given(cup: Store) -> None:
    cup.write(
        SetTableStatus(TABLE.id, "waiting", was="playing"),
        SetTableStatus(TABLE.id, "aborted", was="waiting"),
    )
    assert cup.table(TABLE.id) == TABLE._replace(status="aborted")


@pytest.mark.parametrize(
    "row",
    [
        ALICE,
        ALICE._replace(id="b-new", name="new"),
        ALICE._replace(id="b-new", token_hash="new"),
        ALICE._replace(name="new", token_hash="new"),
        CUP,
        ALICE_IN_CUP._replace(number=9),
        rows.EntryRow(CUP.id, "b-00000001", 2, "entered", 1),
        TABLE._replace(round=9),
        TABLE._replace(id="new"),
        HAND._replace(number=9),
        HAND._replace(id="new"),
        DEAL,
        CodeRow("code", "again", 1, 1),
        SetToken(ALICE.id, BOB.token_hash),
    ],
)
def test_a_key_that_is_taken_is_a_conflict_and_changes_nothing(cup: Store, row: Change) -> None:
    cup.write(rows.bot(1), CodeRow("code", "class", 1, 1))
    with pytest.raises(Conflict):
        cup.write(row)
    assert cup.bots(limit=9) == (ALICE, rows.bot(1), BOB)
    assert cup.bot_by_token(ALICE.token_hash) == ALICE
    assert cup.entries(CUP.id) == (ALICE_IN_CUP, BOB_IN_CUP)
    assert cup.tables(CUP.id) == (TABLE,)
    assert cup.hands(TABLE.id) == (HAND,)


def test_a_token_that_is_taken_is_refused_as_such(cup: Store) -> None:
    with pytest.raises(Conflict, match="cannot have this token: it belongs to a bot already"):
        cup.write(SetToken(ALICE.id, BOB.token_hash))


@pytest.mark.parametrize(
    "change",
    [
        ALICE_IN_CUP._replace(session="no", number=9),
        rows.EntryRow(CUP.id, "no", 9, "entered", 1),
        TABLE._replace(id="new", session="no"),
        HAND._replace(id="new", table="no"),
        step(0, hand="no"),
        SetToken("no", "c" * 64),
        RevokeBot("no"),
        SetOwnerKey("no", "k"),
        RestoreBot("no", "c" * 64),
        SetNameKey("no", "no"),
        RevokeCode("no"),
        DropSteps("no"),
        DropHand("no"),
        DropTable("no"),
        DropEntry(CUP.id, "no"),
        DropSession("no"),
        DropBot("no"),
    ],
)
def test_a_change_that_names_what_is_not_there_is_not_found(cup: Store, change: Change) -> None:
    with pytest.raises(NotFound):
        cup.write(change)


# An old session goes, from its logs upwards.

DROPS = (
    DropSteps(HAND.id),
    DropHand(HAND.id),
    DropTable(TABLE.id),
    DropEntry(CUP.id, ALICE.id),
    DropEntry(CUP.id, BOB.id),
    DropSession(CUP.id),
)


def test_a_session_is_dropped_from_its_logs_upwards(cup: Store) -> None:
    cup.write(*DROPS)
    assert cup.session(CUP.id) is None
    assert (cup.tables(CUP.id), cup.entries(CUP.id), cup.hand(HAND.id)) == ((), (), None)
    assert cup.steps(HAND.id) == ()
    assert cup.bots() == (ALICE, BOB)
    cup.write(*rows.WORLD[2:])
    assert cup.steps(HAND.id) == (DEAL,)


def test_a_bot_is_dropped_when_nothing_belongs_to_it(cup: Store) -> None:
    with pytest.raises(Conflict, match="still has something"):
        cup.write(DropBot(ALICE.id))
    cup.write(*DROPS, DropBot(ALICE.id))
    assert cup.bots() == (BOB,)
    assert cup.bot_by_token(ALICE.token_hash) is None


@pytest.mark.parametrize("change", [DropHand(HAND.id), DropTable(TABLE.id), DropSession(CUP.id)])
def test_nothing_is_dropped_that_something_belongs_to(cup: Store, change: Change) -> None:
    with pytest.raises(Conflict, match="still has something"):
        cup.write(*DROPS[:3], *DROPS[3:5], TABLE, HAND, DEAL, change)
    assert cup.steps(HAND.id) == (DEAL,)


# Changes of what is there.


def test_a_bot_gets_another_token_and_the_old_one_is_free(cup: Store) -> None:
    cup.write(SetToken(ALICE.id, "c" * 64))
    assert cup.bot_by_token(ALICE.token_hash) is None
    assert cup.bot_by_token("c" * 64) == ALICE._replace(token_hash="c" * 64)
    cup.write(SetToken(BOB.id, ALICE.token_hash))


def test_a_revoked_bot_is_still_found_and_says_so(cup: Store) -> None:
    cup.write(RevokeBot(ALICE.id))
    found = cup.bot_by_token(ALICE.token_hash)
    assert found is not None
    assert found.revoked is True


@pytest.mark.parametrize(
    "change",
    [
        SetSessionStatus(CUP.id, "running", was="open"),
        SetEntryStatus(CUP.id, ALICE.id, "withdrawn", was="entered"),
        SetChance(CUP.id, ALICE.id, bytes(32)),
        SetTableStatus(TABLE.id, "finished", was="playing"),
        SetSchedule(CUP.id, '{"rounds":[]}'),
        EndHand(HAND.id, "void", None, 9_000),
    ],
)
def test_a_change_that_rests_on_what_was_happens_once(cup: Store, change: Change) -> None:
    cup.write(change)
    with pytest.raises(Conflict):
        cup.write(change)


def test_a_status_is_what_it_was_set_to(cup: Store) -> None:
    cup.write(
        SetSessionStatus(CUP.id, "running", was="open"),
        SetEntryStatus(CUP.id, ALICE.id, "withdrawn", was="entered"),
        SetSchedule(CUP.id, '{"rounds":[]}'),
    )
    assert cup.session(CUP.id) == CUP._replace(status="running", schedule='{"rounds":[]}')
    assert cup.entry(CUP.id, ALICE.id) == ALICE_IN_CUP._replace(status="withdrawn")


def test_a_schedule_grows_from_the_one_that_was_read(cup: Store) -> None:
    cup.write(SetSchedule(CUP.id, '{"rounds":[]}'))
    cup.write(SetSchedule(CUP.id, '{"rounds":[1]}', was='{"rounds":[]}'))
    with pytest.raises(Conflict):
        cup.write(SetSchedule(CUP.id, '{"rounds":[2]}', was='{"rounds":[]}'))
    found = cup.session(CUP.id)
    assert found is not None
    assert found.schedule == '{"rounds":[1]}'


def test_the_bytes_that_a_bot_gives_are_kept_and_counted(cup: Store) -> None:
    fresh = rows.EntryRow("cup-2", ALICE.id, 1, "entered", 4_000, chance=bytes(range(32)))
    cup.write(rows.session("cup-2", 9_000), fresh)
    assert cup.entry("cup-2", ALICE.id) == fresh
    cup.write(CheckChances(CUP.id, 0), SetChance(CUP.id, BOB.id, b"\xff" * 32))
    found = cup.entry(CUP.id, BOB.id)
    assert found == BOB_IN_CUP._replace(chance=b"\xff" * 32)
    assert type(found.chance) is bytes
    cup.write(CheckChances(CUP.id, 1))
    for given in (0, 2):
        with pytest.raises(Conflict, match="has changed just now"):
            cup.write(CheckChances(CUP.id, given), SetChance(CUP.id, ALICE.id, bytes(32)))
    assert cup.entry(CUP.id, ALICE.id) == ALICE_IN_CUP


def test_a_start_and_bytes_that_come_late_do_not_miss_each_other(cup: Store) -> None:
    still = SetDocument(CUP.id, CUP.document, was=CUP.document, status=CUP.status)
    begun = SetSessionStatus(CUP.id, "running", was=CUP.status)
    raised = outcomes(
        [
            lambda: cup.write(still, CheckChances(CUP.id, 0), begun),
            lambda: cup.write(still, SetChance(CUP.id, ALICE.id, bytes(32))),
        ]
    )
    assert [type(each) for each in raised].count(Conflict) == 1
    assert raised.count(None) == 1


def test_a_document_follows_the_one_that_was_read_while_the_status_is_the_same(cup: Store) -> None:
    was = CUP.document
    cup.write(SetDocument(CUP.id, '{"name":"A"}', was=was, status=CUP.status))
    for change in (
        SetDocument(CUP.id, '{"name":"B"}', was=was, status=CUP.status),
        SetDocument(CUP.id, '{"name":"B"}', was='{"name":"A"}', status="finished"),
    ):
        with pytest.raises(Conflict, match="another document or status"):
            cup.write(change)
    assert cup.session(CUP.id) == CUP._replace(document='{"name":"A"}')


def test_a_bot_gets_another_name_that_nobody_has(cup: Store) -> None:
    cup.write(SetName(ALICE.id, "alice-2", "alice-2-key", was="alice"))
    assert cup.bot_by_name("alice-2") == ALICE._replace(name="alice-2", name_key="alice-2-key")
    assert cup.bot_by_name("alice") is None
    for change, message in (
        (SetName(ALICE.id, "carol", "carol", was="alice"), "not called 'alice'"),
        (SetName(ALICE.id, BOB.name, "bob", was="alice-2"), "another one is"),
        (SetName(BOB.id, "carol", "alice-2-key", was=BOB.name), "another one is"),
    ):
        with pytest.raises(Conflict, match=message):
            cup.write(change)
    assert cup.bot(BOB.id) == BOB


@pytest.mark.parametrize(
    "change",
    [
        SetSessionStatus("no", "running", was="open"),
        SetDocument("no", "{}", was="{}", status="open"),
        SetEntryStatus(CUP.id, "no", "withdrawn", was="entered"),
        SetChance(CUP.id, "no", bytes(32)),
        CheckChances("no", 0),
        SetTableStatus("no", "finished", was="playing"),
        SetSchedule("no", "{}"),
        EndHand("no", "void", None, 9_000),
        UseCode("no", 0),
    ],
)
def test_what_is_not_there_is_not_what_it_was(cup: Store, change: Change) -> None:
    with pytest.raises(Conflict):
        cup.write(change)


def test_a_code_works_as_often_as_it_says(store: Store) -> None:
    store.write(CodeRow("code", "class 3b", 2, 10_000))
    raised = outcomes([lambda: store.write(UseCode("code", 9_999)) for _ in range(5)])
    assert raised.count(None) == 2
    assert store.code("code") == CodeRow("code", "class 3b", 0, 10_000)


def test_a_code_that_was_revoked_does_not_work(store: Store) -> None:
    store.write(CodeRow("code", "class 3b", 2, 10_000, revoked=True))
    with pytest.raises(Conflict, match="revoked"):
        store.write(UseCode("code", 1))


def test_a_code_keeps_whose_it_is_and_who_made_it(store: Store) -> None:
    row = CodeRow("code", "3b", 2, 10_000, "alice", 500, "b-anna", 2)
    store.write(row, CodeRow("old", "3b", 2, 10_000, created_ms=499))
    assert store.code("code") == row
    assert store.codes_since(500) == (row,)
    assert [each.code_hash for each in store.codes_since(0, limit=1)] == ["code"]
    assert [each.code_hash for each in store.codes_since(0, after="code")] == ["old"]


# Who owns a bot.


def owned(number: int, owner_key: str, *, founder: bool = False, origin: str = "open") -> BotRow:
    """One of many bots, of an owner."""
    return rows.bot(number)._replace(
        owner_key=owner_key, founder=founder, proven=True, origin=origin, created_ms=number
    )


def test_an_owner_is_brought_in_by_one_bot_only(store: Store) -> None:
    store.write(owned(1, "alice", founder=True), owned(2, "alice"))
    with pytest.raises(Conflict):
        store.write(owned(3, "alice", founder=True))
    store.write(owned(3, "bob", founder=True))
    assert store.bots_of_owner("alice") == (owned(1, "alice", founder=True), owned(2, "alice"))
    assert store.bots_of_owner("alice", after="bot 001") == (owned(2, "alice"),)
    assert store.bots_of_owner("alice", limit=1)[0].founder is True
    assert store.bots_of_owner("carol") == ()


def test_two_who_bring_in_the_same_owner_at_once_do_not_both_succeed(store: Store) -> None:
    both = [owned(number, "alice", founder=True) for number in (1, 2)]
    raised = outcomes([lambda row=row: store.write(row) for row in both])  # type: ignore[misc]
    assert sorted(type(each).__name__ for each in raised) == ["Conflict", "NoneType"]


def test_the_key_of_an_owner_is_written_down_later_for_bots_of_older_programs(
    store: Store,
) -> None:
    store.write(rows.bot(1), owned(2, "alice", founder=True), owned(3, "bob", founder=True))
    assert store.bots_of_owner("") == (rows.bot(1),)
    store.write(SetOwnerKey(rows.bot(1).id, "alice"))
    assert [row.id for row in store.bots_of_owner("alice")] == [rows.bot(1).id, rows.bot(2).id]
    with pytest.raises(Conflict, match="another bot has brought it in"):
        store.write(SetOwnerKey(rows.bot(3).id, "alice"))


def test_registrations_are_counted(store: Store) -> None:
    store.write(*(owned(number, f"o{number}") for number in range(1, 6)), owned(9, "x", origin=""))
    store.write(rows.bot(7)._replace(kind="admin"), RevokeBot(rows.bot(5).id))
    assert store.bot_count() == 5
    assert [store.registered_ms("open", number) for number in (1, 2, 5, 6)] == [5, 4, 1, None]


def test_a_code_does_not_work_at_its_expiry_nor_once_it_is_revoked(store: Store) -> None:
    store.write(CodeRow("code", "class 3b", 2, 10_000))
    with pytest.raises(Conflict):
        store.write(UseCode("code", 10_000))
    store.write(RevokeCode("code"))
    with pytest.raises(Conflict):
        store.write(UseCode("code", 1))
    assert store.code("code") == CodeRow("code", "class 3b", 2, 10_000, revoked=True)


def test_a_refused_registration_does_not_spend_the_code(cup: Store) -> None:
    cup.write(CodeRow("code", "class 3b", 1, 10_000))
    with pytest.raises(Conflict):
        cup.write(UseCode("code", 1), ALICE)
    cup.write(UseCode("code", 1), rows.bot(1))


def test_an_instant_is_the_one_written_last(store: Store) -> None:
    store.write(CounterRow("alive", 1))
    store.write(CounterRow("alive", 3), CounterRow("other", 2))
    assert (store.counter("alive"), store.counter("other")) == (3, 2)


def test_a_count_goes_up_by_one_from_nothing(store: Store) -> None:
    assert outcomes([lambda: store.write(AddOne("refused")) for _ in range(6)]) == [None] * 6
    assert store.counter("refused") == 6


def test_an_instant_or_a_count_is_taken_away_once(store: Store) -> None:
    store.write(CounterRow("alive", 1), AddOne("refused"))
    store.write(DropCounter("alive"), DropCounter("refused"))
    assert store.counter("alive") is store.counter("refused") is None
    with pytest.raises(NotFound, match="alive"):
        store.write(AddOne("refused"), DropCounter("alive"))
    assert store.counter("refused") is None


def test_many_counters_are_read_at_once(store: Store) -> None:
    keys = [f"seen/b-{number}" for number in range(250)]
    store.write(*[CounterRow(key, number) for number, key in enumerate(keys) if number % 2])
    found = {key: number for number, key in enumerate(keys) if number % 2}
    assert store.counters(keys) == found
    assert store.counters(keys[:1]) == store.counters([]) == {}


def test_the_audit_log_is_numbered_and_newest_first(store: Store) -> None:
    store.write(AuditRow(5, "admin", "create", "{}"), AuditRow(5, "admin", "open", '{"s":1}'))
    store.write(AuditRow(4, "admin", "start", "{}"))
    found = store.audit()
    assert [row.action for row in found] == ["start", "open", "create"]
    assert [row.number for row in found] == [3, 2, 1]
    assert found[1] == AuditRow(5, "admin", "open", '{"s":1}', 2)


# Lists, in order and in pages.


def read_in_pages(
    page: Callable[..., tuple[object, ...]], key: Callable[..., object]
) -> list[object]:
    """All rows, two at a time, each page after the last row of the one before."""
    found = list(page(limit=2))
    while more := page(limit=2, after=key(found[-1])):
        assert len(more) <= 2
        found.extend(more)
    return found


def test_pages_together_are_the_whole_list(cup: Store) -> None:
    tables = [rows.table(r, n) for r in (2, 10, 100) for n in (1, 2, 11)]
    hands = [rows.hand(at, n) for at in tables for n in (1, 2, 3)]
    bots = [rows.bot(n) for n in range(7)]
    sessions = [rows.session(f"s{n}", 3_000 + n // 2) for n in range(6)]
    codes = [CodeRow(f"{n}", "", 1, 1) for n in range(5)]
    entries = [rows.EntryRow(CUP.id, one.id, 10 + n, "entered", 1) for n, one in enumerate(bots)]
    more = [rows.EntryRow(one.id, ALICE.id, 1, "entered", 1) for one in sessions]
    cup.write(*reversed(bots), *sessions[::2], *sessions[1::2], *codes[::-1], *reversed(tables))
    cup.write(*entries[::-1], *more[::-1], *reversed(hands))
    newest_first = sorted([CUP, *sessions], key=lambda row: (row.created_ms, row.id))[::-1]

    assert read_in_pages(cup.bots, lambda row: row.name) == [ALICE, *bots, BOB]
    assert read_in_pages(cup.sessions, lambda row: row.id) == newest_first
    assert read_in_pages(cup.codes, lambda row: row.code_hash) == codes

    def of_cup(method: Callable[..., tuple[object, ...]]) -> Callable[..., tuple[object, ...]]:
        return lambda **page: method(CUP.id, **page)

    def of_alice(**page: object) -> tuple[object, ...]:
        return cup.entries_of(ALICE.id, **page)  # type: ignore[arg-type]

    def at_table(**page: object) -> tuple[object, ...]:
        return cup.hands(tables[4].id, **page)  # type: ignore[arg-type]

    all_entries = [ALICE_IN_CUP, BOB_IN_CUP, *entries]
    assert read_in_pages(of_cup(cup.entries), lambda row: row.number) == all_entries
    assert read_in_pages(of_cup(cup.tables), lambda row: row.id) == [TABLE, *tables]
    assert read_in_pages(of_cup(cup.session_hands), lambda row: row.id) == [HAND, *hands]
    assert read_in_pages(of_alice, lambda row: row.session) == [*more, ALICE_IN_CUP]
    assert read_in_pages(at_table, lambda row: row.number) == hands[12:15]


def test_the_last_hashes_come_in_playing_order_in_pages(cup: Store) -> None:
    later, sooner = rows.table(3, 1), rows.table(2, 1)
    hands = [rows.hand(sooner, 1), rows.hand(sooner, 2), rows.hand(later, 1)]
    hashes = [bytes([n]) * 32 for n in range(3)]
    logs = [step(seq, hand=hands[0].id)._replace(hash=hashes[seq]) for seq in range(2)]
    forfeited = rows.hand(later, 2, status="forfeited")._replace(ended_ms=9)
    cup.write(later, sooner, *hands, forfeited, *logs)
    cup.write(step(0, hand=hands[2].id)._replace(hash=hashes[2]))
    cup.write(rows.session("other", 1), rows.TableRow("other-t", "other", 1, 1, "[]", "playing"))
    expected = [
        HashRow(HAND.id, TABLE.id, 1, "playing", None, None),
        HashRow(hands[0].id, sooner.id, 1, "finished", None, hashes[1]),
        HashRow(hands[1].id, sooner.id, 2, "finished", None, None),
        HashRow(hands[2].id, later.id, 1, "finished", None, hashes[2]),
        HashRow(forfeited.id, later.id, 2, "forfeited", 9, None),
    ]

    def page(**asked: object) -> tuple[object, ...]:
        return cup.hand_hashes(CUP.id, **asked)  # type: ignore[arg-type]

    assert read_in_pages(page, lambda row: row.hand) == expected  # type: ignore[attr-defined]


def test_the_audit_log_comes_in_pages(store: Store) -> None:
    store.write(*(AuditRow(n, "admin", "act", "{}") for n in range(5)))
    assert [row.number for row in store.audit(limit=2)] == [5, 4]
    assert [row.number for row in store.audit(before=4, limit=2)] == [3, 2]


def test_a_cursor_that_names_nothing_gives_an_empty_page(cup: Store) -> None:
    assert cup.sessions(after="no") == cup.tables(CUP.id, after="no") == ()
    assert cup.session_hands(CUP.id, after="no") == cup.hand_hashes(CUP.id, after="no") == ()


def test_sessions_can_be_asked_for_by_status(cup: Store) -> None:
    cup.write(rows.session("a", 1, status="draft"), rows.session("b", 9_000))
    assert [row.id for row in cup.sessions("open")] == ["b", CUP.id]
    assert [row.id for row in cup.sessions("open", after="b")] == [CUP.id]
    assert [row.id for row in cup.sessions("draft")] == ["a"]


def test_open_tables_are_those_that_are_not_over(cup: Store) -> None:
    waiting, done, aborted = (
        rows.table(3, 1),
        rows.table(2, 1, status="finished"),
        rows.table(2, 2, status="aborted"),
    )
    cup.write(waiting, done, aborted, rows.session("other", 1), rows.hand(TABLE, 2))
    cup.write(rows.TableRow("other-t", "other", 1, 1, "[]", "playing"))
    cup.write(rows.hand(done, 1, status="playing"))
    assert cup.open_tables(CUP.id) == (TABLE, waiting)
    assert cup.hand_counts(CUP.id) == {"playing": 2, "finished": 1}


def test_tables_are_counted_by_status(cup: Store) -> None:
    cup.write(rows.table(2, 1, status="finished"), rows.table(2, 2, status="finished"))
    assert cup.table_counts(CUP.id) == {"playing": 1, "finished": 2}
    assert cup.table_counts("no") == {}


def test_a_note_is_replaced_only_by_who_has_read_it(store: Store) -> None:
    assert store.note("odd/é") is None
    store.write(NoteRow("odd/é", '{"大": 1}'))
    with pytest.raises(Conflict, match="is there already"):
        store.write(NoteRow("odd/é", "other"))
    store.write(SetNote("odd/é", "second", was='{"大": 1}'))
    with pytest.raises(Conflict, match="reads otherwise by now"):
        store.write(SetNote("odd/é", "third", was='{"大": 1}'))
    with pytest.raises(Conflict):
        store.write(SetNote("none", "text", was=""))
    assert store.note("odd/é") == "second"
    store.write(DropNote("odd/é"))
    assert store.note("odd/é") is None
    with pytest.raises(NotFound):
        store.write(DropNote("odd/é"))


def test_of_two_that_replace_a_note_at_once_one_wins(store: Store) -> None:
    store.write(NoteRow("n", "0"))
    told = outcomes([lambda n=n: store.write(SetNote("n", str(n), was="0")) for n in range(1, 5)])
    assert [type(error) for error in told].count(type(None)) == 1
    assert store.note("n") in ("1", "2", "3", "4")


# The end.


def test_a_closed_store_says_so_and_may_be_closed_again(cup: Store) -> None:
    cup.close()
    cup.close()
    with pytest.raises(Unavailable, match="closed"):
        cup.write(step(2))
    with pytest.raises(Unavailable, match="closed"):
        cup.bot(ALICE.id)
