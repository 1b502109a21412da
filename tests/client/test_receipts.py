"""The file of receipts: one line for each hand, which says what the seat was shown and did."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.client import Bot, Client, KitError, Runner, Turn
from arena.client.asynchronous import AsyncClient, AsyncRunner
from arena.client.receipts import Receipts
from arena.documents import Document
from arena.loopback.host import LocalArena
from arena.proofs.canonical import canonical
from arena.rules import redact
from arena.settings import Settings
from arena.store.port import StepRow
from arena.wire import read_event, write_event
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


NEXT, AFTER_NEXT = HAND.replace("h001", "h002"), HAND.replace("h001", "h003")


def test_the_next_hand_may_be_heard_of_before_the_reply_to_the_last_answer(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with Receipts(path, ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
        receipts.note_turn(asked(0, 2, hand=NEXT))
        assert lines(path) == []
        receipts.note_answer(f"{HAND}.2.2", {"cards": ["S3"]}, accepted(2, 4))
        [line] = lines(path)
        assert (line["hand"], line["log"]["seq"], len(line["answers"])) == (HAND, 4, 1)
    assert [line["hand"] for line in lines(path)] == [HAND, NEXT]


def test_a_hand_whose_last_turn_the_referee_answered_is_kept_one_hand_longer(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r"
    with Receipts(path, ARENA) as receipts:
        for hand in (HAND, NEXT, AFTER_NEXT):
            receipts.note_turn(asked(0, 2, hand=hand))
        assert [line["hand"] for line in lines(path)] == [HAND]
        receipts.end_session("cup")
        assert [line["hand"] for line in lines(path)] == [HAND, NEXT, AFTER_NEXT]


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
        receipts.note_answer(f"{HAND}.2.2", {"cards": ["S3"]}, accepted(2, 4))
        assert lines(path) == []
        receipts.note_turn(asked(0, 2, hand=NEXT))
        assert [line["hand"] for line in lines(path)] == [HAND]
        receipts.note_turn(asked(0, 2, hand="cup-r01-t02-h001"))
        receipts.end_session("cup")
        assert len(lines(path)) == 3
    assert len(lines(path)) == 3


def test_another_run_appends_to_the_same_file_and_takes_half_a_receipt_away(tmp_path: Path) -> None:
    path = tmp_path / "r"
    kept(path)
    whole = path.read_bytes()
    for half in (b"", whole[:9], whole[:-1], whole[:-30]):
        path.write_bytes(whole + half)
        with Receipts(path, ARENA) as receipts:
            receipts.note_turn(asked(0, 2))
        assert path.read_bytes().startswith(whole)
        assert [line["log"]["seq"] for line in lines(path)[len(whole.splitlines()) :]] == [2]


def test_what_else_stands_in_the_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_text("my notes")
    with Receipts(path, ARENA) as receipts:
        receipts.note_turn(asked(0, 2))
    assert path.read_text().startswith('my notes\n{"format"')


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
    with pytest.raises(KitError, match=r"receipts cannot be kept in .*nowhere.*: No such file"):
        Receipts(tmp_path / "nowhere" / "r", ARENA)


CUP: Document = {
    "name": "Cup",
    "slug": "cup",
    "seats": 4,
    "hands_per_table": 3,
    "schedule": {"rounds": 1},
    "ruleset": {
        "preset": "house",
        "options": {"janken_mode": "interactive", "first_lead": "janken"},
    },
}


class Lowest(Bot):
    def play(self, turn: Turn) -> Any:
        return turn.lowest() or turn.pass_()


class Choosing(Bot):
    async def play(self, turn: Turn) -> Any:
        return {"choice": len(turn.legal) - 1}


def plays(url: str, token: str, path: Path) -> None:
    """A bot of the blocking kit."""
    with Client(url, token) as client, Receipts(path, url) as receipts:
        Runner(client, Lowest(), sessions=["cup"], receipts=receipts).run()


def plays_asynchronously(url: str, token: str, path: Path) -> None:
    async def play() -> None:
        async with AsyncClient(url, token) as client:
            with Receipts(path, url) as receipts:
                await AsyncRunner(client, Choosing(), sessions=["cup"], receipts=receipts).run()

    asyncio.run(play())


@pytest.mark.server
def test_what_both_kits_keep_is_what_a_real_arena_has_in_its_logs(tmp_path: Path) -> None:
    with LocalArena(Settings(registration="closed")) as arena:
        referee, url = arena.referee, arena.listen().url
        referee.create_session(CUP, "admin")
        referee.set_session("cup", "open", "admin")
        bots = [referee.register(f"bot-{number}", None) for number in range(4)]
        for bot, _ in bots:
            referee.enter("cup", bot["id"])
        referee.set_session("cup", "start", "admin")
        kits = (plays, plays, plays_asynchronously, plays_asynchronously)
        with ThreadPoolExecutor(4) as threads:
            playing = [
                threads.submit(kit, url, token, tmp_path / f"{number}")
                for number, (kit, (_, token)) in enumerate(zip(kits, bots, strict=True))
            ]
            for each in playing:
                each.result()
        receipts = [line for number in range(4) for line in lines(tmp_path / f"{number}")]
        store = referee._context.store
        logs = {hand: store.steps(hand) for hand in {line["hand"] for line in receipts}}
    assert len(receipts) == 12
    for line in receipts:
        log = logs[line["hand"]]
        at = {step.seq + step.event_count: step.hash for step in log}
        assert at[line["log"]["seq"]].hex() == line["log"]["hash"]  # type: ignore[union-attr]
        assert line["seen"] == shown(log, line["seat"], line["log"]["seq"])
        assert line["answers"].keys() == {
            step.turn
            for step in log
            if f'"seat":{line["seat"]},"seen' in step.meta and '"cause":null' in step.meta
        }


def shown(log: Sequence[StepRow], seat: int, seq: int) -> str:
    """The hash of the events that a seat was shown, from the log."""
    events = [read_event(event) for step in log for event in json.loads(step.events)]
    hasher = hashlib.sha256()
    for event in events[:seq]:
        hasher.update(canonical(write_event(redact(event, seat))) + b"\n")
    return hasher.hexdigest()
