"""Rows of steps: their texts are what is hashed, they are read back only as they were written."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import wire
from arena.errors import DamagedHand
from arena.proofs.chain import LogHasher, step_text
from arena.referee.step_rows import log_hasher, read_step, write_step
from arena.rules import EMPTY, compile_ruleset, decide, evolve, legal
from arena.rules.commands import Deal, Lots
from arena.session import deals
from arena.session.config import read_config
from arena.session.hand_log import HandLog, Step, TableLog, prepare_step
from arena.store.port import HandRow, StepRow

SECRET = bytes(range(32))
HAND = "cup-r01-t01-h003"
ROW = HandRow(HAND, "cup-r01-t01", 3, "[2,0,1,3]", "playing", "ab" * 32, None, 0, None)
RULES = compile_ruleset({})
LOTS = Lots((0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3), ())
DEAL = Deal(deck=RULES.deck, lots=LOTS, dealer=0, places=(0, 1, 2, 3))
THOUGHT = {"thought_ms": 3, "nonce": "0f" * 16}
CONFIG = read_config({"name": "Cup", "seats": 4, "schedule": {"rounds": 1}})


def a_log() -> HandLog:
    table = TableLog("cup-r01-t01", CONFIG, players=["a", "b", "c", "d"])
    log = HandLog(HAND, table, number=3, seating=[2, 0, 1, 3])
    log.hash_with(log_hasher(SECRET, "cup-r01-t01", ROW))
    return log


def a_hand(moves: int, remarks: dict[int, dict[str, Any]] | None = None) -> list[Step]:
    """The deal and the first moves of a hand. remarks: by the number of the move."""
    deal_meta = {"clock_ms": 5, "commitment": ROW.commitment}
    events = decide(RULES, EMPTY, DEAL)
    steps = [prepare_step(0, 7, turn="", command=DEAL, events=events, meta=deal_meta)]
    state = evolve(EMPTY, events)
    for move in range(moves):
        seat, since = state.open[0]
        command = legal(RULES, state, seat).answer(0)
        events = decide(RULES, state, command)
        meta = {"clock_ms": 9 + move, "seat": seat, "charged_ms": 4, "late": False, "refused": 0}
        meta |= (remarks or {}).get(move, {})
        turn = f"{HAND}.{since}.{seat}"
        steps.append(
            prepare_step(state.seq, 8, turn=turn, command=command, events=events, meta=meta)
        )
        state = evolve(state, events)
    return steps


def written(steps: list[Step]) -> list[StepRow]:
    """The rows of a log, written one after the other."""
    log, rows = a_log(), []
    for step in steps:
        meta = dict(step.meta)
        remarks = {name: meta.pop(name) for name in wire.KEPT if name in meta}
        given = {"turn": step.turn, "command": step.command, "events": step.events}
        hashed, row = write_step(log, step.at_ms, **given, meta=meta, remarks=remarks)  # type: ignore[arg-type]
        log.append(hashed)
        rows.append(row)
    return rows


def read(rows: list[StepRow]) -> HandLog:
    log, old = a_log(), True
    for row in rows:
        old = old and row.hash is None
        log.append(read_step(log, row, old=old))
    return log


def in_the_record(row: StepRow) -> dict[str, Any]:
    """A step as the record of its hand has it, with its remarks."""
    meta = orjson.loads(row.meta)
    remarks = {name: meta.pop(name) for name in wire.KEPT if name in meta}
    return {
        "seq": row.seq,
        "at_ms": row.at_ms,
        "turn": row.turn,
        "command": orjson.loads(row.command),
        "events": orjson.loads(row.events),
        "meta": meta,
        **({"remarks": remarks} if remarks else {}),
    }


NOTES = st.text(max_size=40).filter(lambda text: not wire_control(text))
NONCES = st.binary(min_size=16, max_size=16).map(bytes.hex)
SENT = st.fixed_dictionaries({}, optional={"note": NOTES, "thought_ms": st.integers(0, 86_400_000)})
REMARKS = st.builds(
    lambda sent, nonce: {**sent, **({"nonce": nonce} if sent else {})}, SENT, NONCES
)


def wire_control(text: str) -> bool:
    from arena.wire.remarks import CONTROL

    return CONTROL.search(text) is not None


@given(st.dictionaries(st.integers(0, 12), REMARKS))
def test_what_is_hashed_is_what_anybody_makes_of_the_record(
    remarks: dict[int, dict[str, Any]],
) -> None:
    hasher = log_hasher(SECRET, "cup-r01-t01", ROW)
    head = hasher.start
    for row in written(a_hand(13, remarks)):
        head = hasher.after(head, step_text(in_the_record(row)))
        assert row.hash == head


def test_the_salt_is_that_of_the_deal() -> None:
    deal = deals.deal(SECRET, "cup-r01-t01", 3, deck=RULES.deck, players=4)
    expected = LogHasher(HAND, seating=(2, 0, 1, 3), commitment="ab" * 32, salt=deal.salt)
    assert log_hasher(SECRET, "cup-r01-t01", ROW).start == expected.start


def test_a_log_is_read_back_as_it_was_written() -> None:
    steps = a_hand(9, {2: THOUGHT, 4: {"note": "革命", **THOUGHT}})
    log = read(written(steps))
    assert [step._replace(hash=b"") for step in log.steps] == steps
    assert log.head == written(steps)[-1].hash


def test_rows_of_an_older_program_are_read_unchecked_and_count_in_what_follows() -> None:
    steps = a_hand(6, {1: {"thought_ms": 3}, 4: THOUGHT})
    rows = written(steps)
    older = [
        row._replace(hash=None, meta=unsorted(row.meta), command=unsorted(row.command))
        for row in rows[:4]
    ]
    log = read([*older, *rows[4:]])
    assert log.head == rows[-1].hash
    assert [step.hash for step in log.steps] == [row.hash for row in rows]


def unsorted(text: str) -> str:
    """The same JSON with its members in another order."""
    return orjson.dumps(dict(reversed(orjson.loads(text).items()))).decode()


def edited(rows: list[StepRow], at: int, **members: Any) -> list[StepRow]:
    return [row._replace(**members) if n == at else row for n, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("command", '{"seat":0,"type":"pass"}'),
        ("events", "[]"),
        ("events", "no JSON"),
        ("at_ms", 9),
        ("turn", f'{HAND}.1.1"'),
        ("meta", '{"note":1'),
        ("meta", '["note"]'),
        ("hash", bytes(32)),
        ("event_count", 7),
    ],
)
def test_a_row_that_was_changed_is_damage_and_is_named(member: str, value: object) -> None:
    rows = written(a_hand(6))
    with pytest.raises(DamagedHand) as caught:
        read(edited(rows, 3, **{member: value}))
    assert (caught.value.hand, caught.value.seq) == (HAND, rows[3].seq)
    assert "restore the database from a backup, or void the table" in str(caught.value)


def test_a_step_that_was_taken_out_is_damage() -> None:
    rows = written(a_hand(6))
    with pytest.raises(DamagedHand, match="the log goes on at step") as caught:
        read([*rows[:3], *rows[4:]])
    assert caught.value.seq == rows[3].seq


def test_two_steps_that_changed_places_are_damage() -> None:
    rows = written(a_hand(6))
    third = rows[4]._replace(seq=rows[3].seq)
    fourth = rows[3]._replace(seq=third.seq + third.event_count)
    with pytest.raises(DamagedHand, match="its hash does not fit") as caught:
        read([*rows[:3], third, fourth, *rows[5:]])
    assert caught.value.seq == rows[3].seq


def test_a_step_without_a_hash_after_one_with_a_hash_is_damage() -> None:
    rows = written(a_hand(6))
    with pytest.raises(DamagedHand, match="has no hash, but the step before has one"):
        read(edited(rows, 3, hash=None))


def test_an_old_row_that_cannot_be_read_is_damage() -> None:
    rows = [row._replace(hash=None) for row in written(a_hand(3))]
    with pytest.raises(DamagedHand, match="it cannot be read"):
        read(edited(rows, 1, command="{"))


def test_what_is_said_of_damage_names_no_card_of_the_log() -> None:
    rows = [row._replace(hash=None) for row in written(a_hand(1))]
    (first, *others) = orjson.loads(rows[0].events)
    del first["dealer"]
    broken = orjson.dumps([first, *others]).decode()
    with pytest.raises(DamagedHand, match="it cannot be read: event is not") as error:
        read(edited(rows, 0, events=broken))
    for card in RULES.deck:
        assert repr(card) not in error.value.problem
