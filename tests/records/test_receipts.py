"""ReceiptFile against records: what agrees, and who is contradicted where it does not."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from arena.errors import BadInput
from arena.proofs.canonical import canonical
from arena.records.receipts import read_receipts
from arena.records.verify import Verifier
from arena.rules import redact
from arena.wire import read_event, write_event
from tests.records.mutations import rehashed
from tests.records.test_mutations import played

HAND = "cup-r01-t01-h001"


def receipt(lines: tuple[bytes, ...] = (), *, step: int = -1, **more: Any) -> bytes:
    """What the kit of the bot on seat 1 has kept of the first hand, up to a step."""
    hand = orjson.loads((lines or played())[1])
    steps = hand["steps"][: step % len(hand["steps"]) + 1]
    events = [event for each in steps for event in each["events"]]
    shown = [write_event(redact(read_event(event), 1)) for event in events]
    own = [each for each in steps if each["turn"] and each["meta"]["seat"] == 1]
    answers = {each["turn"]: _hash(each["command"]) for each in own if not each["meta"]["cause"]}
    seen = hashlib.sha256(b"".join(canonical(event) + b"\n" for event in shown))
    document = {
        "format": "daifugo-arena/receipt/1",
        "arena": "http://127.0.0.1:1",
        "session": "cup",
        "hand": HAND,
        "seat": 1,
        "log": {"seq": len(events), "hash": steps[-1]["hash"]},
        "seen": seen.hexdigest(),
        "answers": answers,
        **more,
    }
    return orjson.dumps(document)


def _hash(command: Mapping[str, Any]) -> str:
    bare = {name: value for name, value in command.items() if name not in ("type", "seat")}
    return hashlib.sha256(canonical(bare or {"pass": True})).hexdigest()


def found(*receipts: bytes, lines: tuple[bytes, ...] = ()) -> tuple[list[str], Verifier]:
    verifier = Verifier(receipts=read_receipts(receipts))
    return [finding.what for finding in verifier.check(lines or played())], verifier


@pytest.mark.slow
def test_receipts_of_the_end_and_of_the_middle_agree() -> None:
    said, verifier = found(receipt(), receipt(step=6))
    assert said == []
    count = sum(len(orjson.loads(each)["answers"]) for each in (receipt(), receipt(step=6)))
    said = f"2 receipts of bots agree with the record, {count} answers compared"
    assert said in verifier.closing.proved
    assert not any("written otherwise" in what for what in verifier.closing.unproved)


@pytest.mark.slow
def test_a_game_that_was_told_otherwise_is_found_though_all_hashes_fit() -> None:
    hand = orjson.loads(played()[1])
    del hand["steps"][4]["meta"]["seen_ms"]
    hand["steps"][4]["meta"]["seen_ms"] = 7
    lines = (played()[0], orjson.dumps(rehashed(hand)), *played()[2:])
    (what,) = found(receipt(), lines=lines)[0]
    assert f"hand {HAND}, seat 1 (bot-" in what
    assert "the arena gave the bot hash" in what


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"seen": "00" * 32}, "showed the bot another game than it recorded"),
        ({"log": {"seq": 8, "hash": "00" * 32}}, "the arena gave the bot hash 0000"),
        ({"log": {"seq": 4_000, "hash": "00" * 32}}, "no step of the record ends there"),
        ({"answers": {f"{HAND}.9999.1": "00" * 32}}, "was accepted, and is not in the log"),
        ({"hand": "cup-r09-t01-h001"}, "hand cup-r09-t01-h001 of session cup is not in the record"),
        ({"session": "league"}, "it is of session 'league', the record of 'cup'"),
        ({"seat": 5}, "the hand has 3 seats"),
    ],
)
def test_a_receipt_that_contradicts_is_named(more: dict[str, Any], said: str) -> None:
    assert said in found(receipt(**more))[0][0]


@pytest.mark.slow
def test_answers_that_are_written_otherwise_are_not_called_proved() -> None:
    turn = next(iter(orjson.loads(receipt())["answers"]))
    said, verifier = found(receipt(answers={turn: "00" * 32}))
    assert said == []
    assert any(
        "1 answer in receipts is in the log: not compared" in w for w in verifier.closing.unproved
    )


@pytest.mark.parametrize("line", [b"", b"{}", b'{"format":"daifugo-arena/receipt/2"}'])
def test_what_is_no_receipt_is_refused_with_its_line(line: bytes) -> None:
    with pytest.raises(BadInput, match="receipts, line 1"):
        read_receipts([line])
