"""A law: whatever is written, the memory store and the SQL store answer the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.store.connections import PRAGMAS
from arena.store.memory import MemoryStore
from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    DropEntry,
    DropHand,
    DropLife,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EndHand,
    EntryRow,
    HandRow,
    LifeRow,
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SessionRow,
    SetEntryStatus,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    StepRow,
    Store,
    TableRow,
    UseCode,
)
from arena.store.sqlite import open_sqlite

NAMES = ("a", "b", "c")
QUICK = (*PRAGMAS, ("synchronous", "off"))

name = st.sampled_from(NAMES)
small = st.integers(0, 3)
kind = st.sampled_from(("bot", "house", "admin"))
word = st.sampled_from(("waiting", "playing", "finished"))

changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(
        BotRow,
        name,
        name,
        name,
        name,
        small,
        st.booleans(),
        kind,
        name,
        st.booleans(),
        name_key=st.none() | name,
    ),
    st.builds(SetOwnerKey, name, name),
    st.builds(SessionRow, name, word, name, st.binary(max_size=2), small, st.none() | name),
    st.builds(EntryRow, name, name, small, word, small),
    st.builds(TableRow, name, name, small, small, name, word),
    st.builds(HandRow, name, name, small, name, word, name, st.none() | name, small, st.none()),
    st.builds(StepRow, name, small, small, name, name, name, small, name),
    st.builds(AuditRow, small, name, name, name),
    st.builds(CodeRow, name, name, small, small, name, small, name, small, st.booleans()),
    st.builds(LifeRow, name, small),
    st.builds(NoteRow, name, name),
    st.builds(SetNote, name, name, name),
    st.builds(DropNote, name),
    st.builds(AddOne, name),
    st.builds(DropLife, name),
    st.builds(SetToken, name, name),
    st.builds(RevokeBot, name),
    st.builds(RevokeOrganiser, name),
    st.builds(RestoreBot, name, name),
    st.builds(SetNameKey, name, name),
    st.builds(SetSessionStatus, name, word, word),
    st.builds(SetSchedule, name, name, st.none() | name),
    st.builds(SetEntryStatus, name, name, word, word),
    st.builds(SetTableStatus, name, word, word),
    st.builds(EndHand, name, word, st.none() | name, small),
    st.builds(UseCode, name, small),
    st.builds(RevokeCode, name),
    st.builds(DropSteps, name),
    st.builds(DropHand, name),
    st.builds(DropTable, name),
    st.builds(DropEntry, name, name),
    st.builds(DropSession, name),
)

# A world in which most changes can succeed, so that few of the random ones fall on nothing.
SEED: tuple[Change, ...] = (
    BotRow("a", "a", "a", "a", 1, False, "bot"),
    SessionRow("a", "waiting", "{}", b"", 1, None),
    TableRow("a", "a", 1, 1, "[]", "waiting"),
    HandRow("a", "a", 1, "[]", "playing", "c", None, 1, None),
)


def outcome(store: Store, group: list[Change]) -> str | None:
    try:
        store.write(*group)
    except ArenaError as error:
        return f"{type(error).__name__}: {error}"
    return None


def everything(store: Store) -> list[object]:
    found: list[object] = [
        store.bots(),
        store.bots_without_key(),
        store.staff(),
        store.sessions(),
        store.sessions("waiting"),
        store.codes(),
        store.codes_since(2),
        store.bot_count(),
        store.audit(),
    ]
    for one in NAMES:
        found += [store.bot(one), store.bot_by_token(one), store.bot_by_name(one)]
        found.append(store.bot_by_key(one))
        found += [store.entries(one), store.entries_of(one), store.life(one), store.code(one)]
        found += [store.bots_of_owner(one), store.registered_ms(one, 1)]
        found += [store.tables(one), store.open_tables(one), store.table(one)]
        found += [store.hands(one), store.open_hands(one), store.session_hands(one)]
        found += [store.note(one), store.table_counts(one)]
        found += [store.hand_counts(one), store.heads(one), store.steps(one), store.steps(one, 2)]
    return [*found, store.steps_of(dict.fromkeys(NAMES, 0))]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(changes, min_size=1, max_size=3), min_size=1, max_size=25))
def test_the_memory_store_and_the_sql_store_are_the_same(groups: list[list[Change]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "twin.db"
        with MemoryStore() as memory, open_sqlite(file, pragmas=QUICK) as sql:
            for group in (list(SEED), *groups):
                assert outcome(memory, group) == outcome(sql, group)
            assert everything(memory) == everything(sql)
