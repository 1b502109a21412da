"""The file of receipts: one line for each hand, which says what the seat was shown and did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.client import KitError
from arena.client.receipts import Receipts
from arena.documents import Document
from tests.client.fake_arena import turn

ARENA = "http://127.0.0.1:8000"
HAND = "cup-r01-t01-h001"
EVENTS: list[Document] = [
    {"type": "dealt", "hands": [["S3", "D7"], None], "seat": 2},
    {"type": "to_move", "seat": 2},
    {"type": "played", "seat": 2, "cards": ["S3"]},
    {"type": "to_move", "seat": 1},
    {"type": "passed", "seat": 1, "barred": False},
    {"type": "to_move", "seat": 2},
    {"type": "out", "seat": 2, "name": "革命"},
]


def hash_of(seq: int) -> str:
    """What the arena says the hash of a log is."""
    return f"{seq:064x}"


def asked(start: int, end: int, *, hand: str = HAND, **members: Any) -> Document:
    """A turn that tells these events."""
    log = {"seq": end, "hash": hash_of(end)}
    told: Document = {"events_from": start, "events": EVENTS[start:end], "log": log}
    return turn(end, hand=hand, **told, **members)


def accepted(start: int, end: int) -> Document:
    """The reply to an answer that brought these events about."""
    log = {"seq": end, "hash": hash_of(end)}
    return {"accepted": True, "replayed": False, "events": EVENTS[start:end], "log": log}


def seen(end: int) -> str:
    """The hash of the first events, made anew."""
    texts = [
        json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
        for event in EVENTS[:end]
    ]
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def lines(path: Path) -> list[Document]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kept(path: Path, *, hands: Sequence[str] = (HAND,)) -> list[Document]:
    """What is in the file when these hands were played, each with one answer."""
    with Receipts(path, ARENA) as receipts:
        for hand in hands:
            receipts.note_turn(asked(0, 2, hand=hand))
            receipts.note_answer(f"{hand}.2.2", {"cards": ["S3"]}, accepted(2, 4))
    return lines(path)


def test_a_line_has_the_last_receipt_and_hashes_of_what_was_shown_and_done(tmp_path: Path) -> None:
    path = tmp_path / "receipts.jsonl"
    assert kept(path) == [
        {
            "format": "daifugo-arena/receipt/1",
            "arena": ARENA,
            "session": "cup",
            "hand": HAND,
            "seat": 2,
            "log": {"seq": 4, "hash": hash_of(4)},
            "seen": seen(4),
            "answers": {f"{HAND}.2.2": digest('{"cards":["S3"]}')},
        }
    ]


def test_a_turn_brings_again_what_the_answer_before_has_brought(tmp_path: Path) -> None:
    with Receipts(tmp_path / "r", ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
        receipts.note_turn(asked(0, 2))
        receipts.note_answer(f"{HAND}.2.2", {"cards": ["S3"]}, accepted(2, 4))
        receipts.note_turn(asked(2, 6))
        receipts.note_answer(f"{HAND}.6.2", {"cards": ["D7"]}, accepted(6, 7))
    [line] = lines(tmp_path / "r")
    assert (line["log"]["seq"], line["seen"]) == (7, seen(7))
    assert len(line["answers"]) == 2


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"choice": 1}, '{"cards":["D7"]}'),
        ({"cards": ["D7"], "note": "x", "thought_ms": 3}, '{"cards":["D7"]}'),
        ({"cards": ["JK"], "as": ["S5"]}, '{"as":["S5"],"cards":["JK"]}'),
        ({"choice": 99}, '{"choice":99}'),
    ],
)
def test_an_answer_is_hashed_as_an_entry_of_legal_and_without_remarks(
    answer: Document, text: str, tmp_path: Path
) -> None:
    with Receipts(tmp_path / "r", ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
        receipts.note_answer(f"{HAND}.2.2", answer, accepted(2, 4))
    [line] = lines(tmp_path / "r")
    assert list(line["answers"].values()) == [digest(text)]


def test_a_hand_is_written_when_its_table_has_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with Receipts(path, ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
        assert lines(path) == []
        receipts.note_turn(asked(0, 2, hand="cup-r01-t01-h002"))
        assert [line["hand"] for line in lines(path)] == [HAND]
        receipts.note_turn(asked(0, 2, hand="cup-r01-t02-h001"))
        receipts.end_session("cup")
        assert len(lines(path)) == 3
    assert len(lines(path)) == 3


def test_another_run_appends_to_the_same_file_also_after_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "r"
    kept(path)
    with path.open("a") as handle:
        handle.write('{"format": "daifugo-ar')
    kept_now = path.read_bytes()
    with Receipts(path, ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
    assert path.read_bytes().startswith(kept_now + b"\n{")
    assert json.loads(path.read_text().splitlines()[-1])["log"]["seq"] == 2


def test_after_a_restart_the_events_before_are_taken_from_the_log_of_the_hand(
    tmp_path: Path,
) -> None:
    with Receipts(tmp_path / "r", ARENA) as receipts:
        late = asked(4, 6)
        assert receipts.lacks(late)
        receipts.note_turn(late, EVENTS[:6])
        assert not receipts.lacks(asked(4, 6))
    [line] = lines(tmp_path / "r")
    assert line["seen"] == seen(6)


def test_what_the_seat_was_shown_is_not_known_where_the_log_cannot_be_had(tmp_path: Path) -> None:
    with Receipts(tmp_path / "r", ARENA) as receipts:
        receipts.note_turn(asked(4, 6))
        receipts.note_answer(f"{HAND}.6.2", {"cards": ["D7"]}, accepted(6, 7))
    [line] = lines(tmp_path / "r")
    assert (line["seen"], line["log"]["seq"]) == (None, 7)


def test_events_between_a_turn_and_its_answer_come_with_the_next_turns(tmp_path: Path) -> None:
    """Several seats were asked at once, and others answered first."""
    with Receipts(tmp_path / "r", ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
        receipts.note_answer(f"{HAND}.2.2", {"cards": ["S3"]}, accepted(4, 6))
        following = asked(4, 7)
        assert receipts.lacks(following)
        receipts.note_turn(following, EVENTS)
    [line] = lines(tmp_path / "r")
    assert line["seen"] == seen(7)


def test_an_arena_without_receipts_leaves_the_file_empty(tmp_path: Path) -> None:
    with Receipts(tmp_path / "r", ARENA) as receipts:
        receipts.note_turn(turn(2))
        receipts.note_turn(turn(3, log={"seq": "x", "hash": None}))
        receipts.note_answer(f"{HAND}.2.2", {"cards": ["S3"]}, {"accepted": True, "events": []})
    assert lines(tmp_path / "r") == []


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="receipts cannot be kept in .*nowhere.*: No such file"):
        Receipts(tmp_path / "nowhere" / "r", ARENA)
