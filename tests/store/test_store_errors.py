"""What the store says of a change that it cannot make: which row it is about, in people's words."""

from __future__ import annotations

import pytest

from arena.statuses import SessionStatus, TableStatus
from arena.store.bot_changes import CheckChances, SetChance
from arena.store.port import (
    AddOne,
    AuditRow,
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
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SetDocument,
    SetEntryStatus,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    UseCode,
)
from arena.store.store_errors import missed, subject
from tests.store.rows import ALICE, ALICE_IN_CUP, CUP, DEAL, HAND, TABLE

BOT, SESSION = f"bot {ALICE.id!r}", "session 'spring-cup'"
ENTRY = f"the entry of bot {ALICE.id!r} in session 'spring-cup'"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (DEAL, f"step 0 of hand {HAND.id!r}"),
        (DropSteps(HAND.id), f"the log of hand {HAND.id!r}"),
        (HAND, f"hand {HAND.id!r}"),
        (EndHand(HAND.id, "finished", None, 1), f"hand {HAND.id!r}"),
        (DropHand(HAND.id), f"hand {HAND.id!r}"),
        (TABLE, f"table {TABLE.id!r} (round 1, number 1)"),
        (SetTableStatus(TABLE.id, "finished", "playing"), f"table {TABLE.id!r}"),
        (DropTable(TABLE.id), f"table {TABLE.id!r}"),
        (CUP, SESSION),
        (SetSessionStatus(CUP.id, "open", "created"), SESSION),
        (SetDocument(CUP.id, "{}", "{}", "created"), SESSION),
        (SetSchedule(CUP.id, "{}"), SESSION),
        (DropSession(CUP.id), SESSION),
        (ALICE_IN_CUP, ENTRY),
        (SetEntryStatus(CUP.id, ALICE.id, "withdrawn", "entered"), ENTRY),
        (SetChance(CUP.id, ALICE.id, b"secret"), ENTRY),
        (CheckChances(CUP.id, 2), f"what the bots of {SESSION} give to chance"),
        (DropEntry(CUP.id, ALICE.id), ENTRY),
        (ALICE, f"bot 'alice' ({ALICE.id})"),
        (SetToken(ALICE.id, "h"), BOT),
        (RevokeBot(ALICE.id), BOT),
        (RevokeOrganiser(ALICE.id), BOT),
        (DropBot(ALICE.id), BOT),
        (RestoreBot(ALICE.id, "h"), BOT),
        (SetOwnerKey(ALICE.id, "k"), BOT),
        (SetNameKey(ALICE.id, "k"), BOT),
        (CodeRow("h", "class", 1, 2), "enrolment code 'class'"),
        (UseCode("h", 1), "the enrolment code"),
        (RevokeCode("h"), "the enrolment code"),
        (CounterRow("alive", 1), "the instant 'alive'"),
        (AddOne("alive"), "the instant 'alive'"),
        (DropCounter("alive"), "the instant 'alive'"),
        (NoteRow("key", "text"), "the note 'key'"),
        (SetNote("key", "text", "was"), "the note 'key'"),
        (DropNote("key"), "the note 'key'"),
        (AuditRow(1, "admin", "session.open", "{}"), "the audit of 'session.open'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_change_is_about_one_thing(change: Change, expected: str) -> None:
    assert subject(change) == expected


@pytest.mark.parametrize(
    "change",
    [
        SetSessionStatus(CUP.id, SessionStatus.FINISHED, was=SessionStatus.RUNNING),
        SetTableStatus(TABLE.id, TableStatus.FINISHED, was=TableStatus.PLAYING),
    ],
)
def test_a_status_that_has_changed_is_named_by_its_word(
    change: SetSessionStatus | SetTableStatus,
) -> None:
    assert str(missed(change)).endswith(f" is not '{change.was}' (any more)")
    assert "Status" not in str(missed(change))
