"""Files that were cut, merged, sorted, doubled or written by other programs: what is wrong is
named, and what is harmless passes."""

from __future__ import annotations

import gzip
import io
import json
import lzma
from pathlib import Path

import orjson
import pytest

from arena.errors import BadInput
from arena.records.reading import lines_of, plain
from arena.records.verify import verify
from tests.records.mutations import SIGNER, signed
from tests.records.records import Lines, checked, found, hands, header, line, season

pytestmark = pytest.mark.slow
FORMAT_1 = Path(__file__).parent / "data" / "format_1.jsonl"
"""The record of a season of two rounds, by the last program that wrote version 1."""
EMPTY = "line {}: cannot be read: line is 'empty'; expected one JSON object on each line"


def other() -> Lines:
    """Another session."""
    return list(season("league"))


def test_two_sessions_one_after_the_other_are_two_records() -> None:
    said, verifier = checked([*season(), *other()])
    assert said == []
    assert verifier.hands == 18
    for name in ("cup", "league"):
        assert any(
            what.startswith(f"{name}: nothing is missing") for what in verifier.closing.proved
        )


def test_two_sessions_line_by_line_are_named_as_merged() -> None:
    lines = [each for pair in zip(season(), other(), strict=True) for each in pair]
    said = found(lines)
    assert said[0] == (
        "line 1: the header of session 'cup' says 9 hands, and none follows: cut off, or were two "
        "files merged?"
    )
    merged = "line {}: session is 'cup', the header says 'league': were two files merged?"
    assert [merged.format(number) in said for number in range(3, 20, 2)] == [True] * 9


def test_a_session_twice_is_named_and_so_is_every_line_twice() -> None:
    (what,) = found([*season(), *season()])
    assert what == "line 11: session 'cup' is in the file twice"
    said = found([each for each in season() for _ in (1, 2)])
    assert "line 2: session 'cup' is in the file twice" in said
    twice = [what for what in said if "is there twice, or too late" in what]
    assert len(twice) == 9
    assert twice[0] == "line 4: hand 1 of table cup-r01-t01 is there twice, or too late"


def test_a_file_that_ends_in_the_middle_of_a_line_or_after_one_is_named_as_cut_off() -> None:
    whole = b"".join(season())
    said = found(whole[:-500].splitlines(keepends=True))
    assert said[0].startswith("line 10: cannot be read: line is")
    assert "is it cut off?" in said[0]
    assert found(season()[:-1]) == [
        "line 9: table cup-r03-t01 has 2 of 3 hands: hands are missing",
        "line 9: the header says 9 hands, there are 8: cut off?",
    ]
    (what,) = found(season()[:1])
    assert what.startswith("line 1: the header of session 'cup' says 9 hands, and none follows")
    assert found(whole[:-1].splitlines(keepends=True)) == []


def by_number(each: bytes) -> tuple[int, str]:
    hand = orjson.loads(each)
    return hand["number"], hand["table"]


def test_lines_in_another_order_are_named_and_no_table_is_called_missing_that_is_there() -> None:
    first_line, *rest = season()
    tables = [rest[start : start + 3] for start in (6, 3, 0)]
    said = found([first_line, *(each for table in tables for each in table)])
    assert said == [
        "line 5: the lines are not in the order of play: table cup-r02-t01 stands after later ones"
    ]
    said = found([first_line, *sorted(rest, key=by_number)])
    assert any("not in the order of play" in what for what in said)
    assert not any(what.endswith("t01 is missing") and ": table" in what for what in said)
    assert found([first_line, *sorted(rest, key=lambda each: orjson.loads(each)["hand"])]) == []
    (what,) = found([*rest, first_line])
    assert what.startswith("line 10: the header of session 'cup' says 9 hands, and none follows")


def test_ends_of_lines_of_another_system_pass_and_empty_lines_are_named() -> None:
    lines = signed(list(season()))
    windows = [each.rstrip(b"\n") + b"\r\n" for each in lines]
    assert found(windows, key=SIGNER.public_key) == []
    said = found([*season()[:4], b"\n", *season()[4:]])
    assert said[0] == EMPTY.format(5)
    assert said[-1].endswith("the header says 9 hands, there are 10: were lines added?")
    assert found([*season(), b"\r\n"])[-1].endswith("there are 10: were lines added?")
    assert found([b"\n"]) == [EMPTY.format(1)]
    assert found([]) == ["line 0: the file is empty"]


@pytest.mark.parametrize("kind", ["hand", "head", "session"])
def test_a_version_that_is_not_known_yet_is_named(kind: str) -> None:
    at = 0 if kind == "session" else 1
    lines = list(season())
    lines[at] = line({**orjson.loads(lines[at]), "format": f"daifugo-arena/{kind}/3"})
    said = found(lines)
    assert f"format is 'daifugo-arena/{kind}/3'" in said[0]
    assert said[0].endswith("this program is too old for the file")


def test_gzip_is_read_and_other_compression_is_named() -> None:
    whole = b"".join(season())
    packed = gzip.compress(whole)
    assert found(lines_of(plain(io.BytesIO(packed)))) == []
    with pytest.raises(BadInput, match="compressed, and cut off or damaged"):
        found(lines_of(plain(io.BytesIO(packed[:-3_000]))))
    with pytest.raises(BadInput, match="compressed by xz"):
        plain(io.BytesIO(lzma.compress(whole)))
    for start, name in ((b"PK\x03\x04", "zip"), (b"BZh9", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd")):
        with pytest.raises(BadInput, match=f"compressed by {name}"):
            plain(io.BytesIO(start + whole))


def test_a_record_of_format_1_is_read_and_says_what_it_cannot_prove() -> None:
    lines = FORMAT_1.read_bytes().splitlines(keepends=True)
    assert header(lines)["format"] == "daifugo-arena/session/1"
    said, verifier = checked(lines)
    assert said == []
    assert verifier.closing.proved == (
        "76 moves in 4 hands follow the rules, and the results follow from them",
        "4 deals and the seatings follow from the arena's secret alone",
        "who met whom follows from the same, the document and the roster",
    )
    assert (
        "that the moves are those that were made, and that no hand or table was taken out: version "
        "1 of the format has no hashes and no digest"
    ) in verifier.closing.unproved


def test_a_record_of_format_1_that_was_changed_is_found_as_far_as_the_rules_go() -> None:
    lines = FORMAT_1.read_bytes().splitlines(keepends=True)
    hand = hands(lines)[0]
    hand["result"]["places"] = hand["result"]["places"][::-1]
    (what,) = found([lines[0], line(hand), *lines[2:]])
    assert what == "line 2: the result does not follow from the log"
    assert found([lines[0], *lines[2:]])


def test_who_asks_for_a_key_is_not_given_a_record_without_signatures() -> None:
    asked = "and a key was asked for"
    without = "line 1: there is no header with a signature, " + asked
    assert found(season()[1:], key=SIGNER.public_key) == [without]
    old = FORMAT_1.read_bytes().splitlines(keepends=True)
    (what,) = found(old, key=SIGNER.public_key)
    assert what == "line 1: version 1 of the format has no signatures, " + asked
    (what,) = found(season(), key=SIGNER.public_key)
    assert what == "line 1: the header is not signed, " + asked


def test_a_hand_of_one_format_below_the_header_of_the_other_is_named() -> None:
    old = FORMAT_1.read_bytes().splitlines(keepends=True)
    said = found([season()[0], *old[1:]])
    assert any("the header is of version 2" in what for what in said)
    assert not verify(season()).findings
    hand = json.loads(season()[1])
    assert any("the header is of version 1" in what for what in found([old[0], line(hand)]))
