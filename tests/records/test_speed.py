"""How long recorded hands took: those that were played at tables of a size, and nothing else."""

from __future__ import annotations

import json

import pytest

from arena.errors import BadInput
from arena.records.speed import hand_lengths
from tests.referee.table import Arena


def line(*at_ms: int, bots: int = 4) -> str:
    steps = [{"at_ms": instant} for instant in at_ms]
    listed = [f"b{number}" for number in range(bots)]
    return json.dumps({"format": "daifugo-arena/hand/1", "bots": listed, "steps": steps})


def lengths(*lines: str) -> list[int]:
    return list(hand_lengths(lines, "cup.jsonl", seats=4))


def test_a_hand_lasts_from_its_first_step_to_its_last() -> None:
    assert lengths(line(5, 9, 30), line(40, 41)) == [25, 1]


def test_hands_at_other_tables_unplayed_ones_and_headers_are_passed_over() -> None:
    assert lengths(line(5, 9, bots=3), line(), '{"format":"daifugo-arena/session/1"}') == []


def test_the_records_of_an_arena_are_read() -> None:
    arena = Arena()
    arena.session(4, schedule={"rounds": 1}, hands_per_table=2)
    arena.play()
    assert len(lengths(*arena.referee.queries.records("cup"))) == 2


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "line 1: line"),
        (line(9, 5), "line 1: at_ms is 5; expected at least 9"),
        ('{"format":"daifugo-arena/hand/1","bots":4,"steps":[]}', "line 1: bots"),
        ('{"format":"daifugo-arena/hand/1","bots":[1,2,3,4],"steps":[7]}', "line 1: steps"),
        ('{"format":"daifugo-arena/hand/1","bots":[1,2,3,4],"steps":[{}]}', "line 1: at_ms"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(written: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        lengths(written)
