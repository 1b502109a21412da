"""Rows for the tests of the store: a session with two bots, one table and one hand, and its log."""

from __future__ import annotations

from arena.store.cluster_rows import RefereeRow
from arena.store.port import BotRow, EntryRow, HandRow, SessionRow, StepRow, TableRow

ALICE = BotRow("b-aaaaaaaa", "alice", "Alice A.", "a" * 64, 1_000, False, "bot")
BOB = BotRow("b-bbbbbbbb", "ボブ", "Bob B.", "b" * 64, 2_000, False, "bot")
CUP = SessionRow("spring-cup", "open", '{"name":"Spring cup"}', bytes(range(32)), 3_000, None)
ALICE_IN_CUP = EntryRow("spring-cup", ALICE.id, 1, "entered", 4_000)
BOB_IN_CUP = EntryRow("spring-cup", BOB.id, 2, "entered", 4_001)
TABLE = TableRow("spring-cup-r01-t01", "spring-cup", 1, 1, '["b-aaaaaaaa"]', "playing")
HAND = HandRow(
    "spring-cup-r01-t01-h001", TABLE.id, 1, "[0,1]", "playing", "c0ffee", None, 5_000, None
)
DEAL = StepRow(HAND.id, 0, 5_000, "", '{"deal":1}', '[{"dealt":"大貧民"},{}]', 2, "{}")

EAST = RefereeRow(
    name="east",
    incarnation="1f",
    address="http://10.0.0.5:8701",
    mark=7,
    version="1.0",
    status="joining",
    detail="",
    started_ms=1_000,
    beats=0,
    arena_ms=0,
    sessions=0,
    turns=0,
    secret_hash="e" * 64,
)

WORLD = (ALICE, BOB, CUP, ALICE_IN_CUP, BOB_IN_CUP, TABLE, HAND, DEAL)


def step(seq: int, *, events: int = 1, command: str = "{}", hand: str = HAND.id) -> StepRow:
    """A step at `seq` that causes so many events."""
    return StepRow(hand, seq, 6_000 + seq, f"{hand}.{seq}.0", command, "[]", events, "{}")


def table(of_round: int, number: int, *, status: str = "waiting") -> TableRow:
    """A table of the cup."""
    name = f"cup-r{of_round:02}-t{number:02}"
    return TableRow(name, CUP.id, of_round, number, "[]", status)


def hand(at: TableRow, number: int, *, status: str = "finished") -> HandRow:
    """A hand at a table."""
    return HandRow(f"{at.id}-h{number:03}", at.id, number, "[]", status, "c", None, 7_000, None)


def session(name: str, created_ms: int, *, status: str = "open") -> SessionRow:
    """A session."""
    return SessionRow(name, status, "{}", b"secret", created_ms, None)


def bot(number: int) -> BotRow:
    """One of many bots."""
    return BotRow(f"b-{number:08}", f"bot {number:03}", "o", f"{number:064}", 1, False, "bot")
