"""Real record files, tampered with anywhere: nothing crashes, and no other game is called good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.records.pooling import Pool, Records
from arena.records.reading import LONGEST_LINE, lines_of
from arena.records.verify import verify
from arena.tournament.grading import grades
from arena.tournament.ratings import rate
from arena.tournament.reporting.layouts import render
from arena.tournament.standings import compile_standings
from tests.queries.test_record_files import played

UNPROVEN = {"at_ms", "clock_ms", "opened_ms", "seen_ms", "bank_ms", "late", "refused"}
"""What only the referee's clock knew. What was charged is in the result as well."""
STRANGE: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 2**53, -(2**63), 2**64 - 1, 1.0, 0.5, 1e300, -0.0),
    *("", "x", "JK", "\u202eabc", "\x00", "ﷺ", "Ｗ" * 300, "b-" + "a" * 5_000),
    *([], {}, [[]], [0, 1, 2, 3], ["S3"], {"type": "pass"}, [None] * 50),
]


class File(list[bytes]):
    """The lines of a file, which shows only what was done to it."""

    def __init__(self, lines: list[bytes], done: str) -> None:
        super().__init__(lines)
        self.done = done

    def __repr__(self) -> str:
        return self.done


@st.composite
def tampered(draw: st.DrawFn) -> File:
    """The lines of a record file in which one thing is not as it was."""
    lines = [line.encode() for line in played()]
    at = draw(st.integers(0, len(lines) - 1))
    kind = draw(st.sampled_from(["member", "member", "member", "bytes", "lines"]))
    if kind == "lines":
        return _other_lines(draw, lines, at)
    done, lines[at] = (_other_bytes if kind == "bytes" else _other_member)(draw, lines[at])
    return File(lines, f"line {at + 1}: {done}")


def _other_lines(draw: st.DrawFn, lines: list[bytes], at: int) -> File:
    other = draw(st.integers(0, len(lines) - 1))
    done = draw(st.sampled_from(["delete", "double", "swap", "cut", "blank"]))
    told = f"{done} line {at + 1}, {other + 1}"
    if done == "delete":
        return File(lines[:at] + lines[at + 1 :], told)
    if done == "double":
        return File([*lines[:other], lines[at], *lines[other:]], told)
    if done == "swap":
        lines[at], lines[other] = lines[other], lines[at]
        return File(lines, told)
    if done == "cut":
        return File([*lines[:at], lines[at][: draw(st.integers(0, len(lines[at]) - 2))]], told)
    return File([*lines[:at], b"\n", *lines[at:]], told)


def _other_bytes(draw: st.DrawFn, line: bytes) -> tuple[str, bytes]:
    at, out = draw(st.integers(0, len(line) - 2)), draw(st.integers(0, 3))
    odd = st.sampled_from([b"NaN", b"1e999", b"\xff\xfe", b"[" * 2_000])
    put = draw(st.binary(max_size=3) | odd).replace(b"\n", b" ")
    return f"{put[:9]!r} for {out} bytes at {at}", line[:at] + put + line[at + out :]


def _other_member(draw: st.DrawFn, line: bytes) -> tuple[str, bytes]:
    document = orjson.loads(line)
    place: Any = document
    path = ""
    while True:
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        path += f"/{key}"
        if not isinstance(inner, dict | list) or not inner or draw(st.integers(0, 3)) == 0:
            break
        place = inner
    done = draw(st.sampled_from(["set", "set", "delete", "double", "swap"]))
    other = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
    if done == "delete":
        del place[key]
    elif done == "set":
        place[key] = draw(st.sampled_from(STRANGE))
        path += f" to {place[key]!r:.20}"
    elif done == "double" and isinstance(place, list):
        place.insert(other, inner)
    else:
        place[key], place[other] = place[other], place[key]
    return f"{done} {path} ({other})", orjson.dumps(document) + b"\n"


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every member, the first two and the last of each list."""
    if isinstance(value, list):
        inner: list[Any] = [*range(len(value))[:2], *range(len(value))[2:][-1:]]
    else:
        inner = list(value) if isinstance(value, dict) else []
    for key in inner:
        yield (*path, key)
        yield from paths(value[key], (*path, key))


def hands_of(lines: list[bytes]) -> dict[str, Any]:
    """The hands by their ids; two of one id would be two hands."""
    documents = [orjson.loads(line) for line in lines]
    hands = [each for each in documents if each["format"].endswith("hand/2")]
    return {f"{each['hand']} {hands.count(each)}": each for each in hands}


def same_game(before: Any, after: Any) -> bool:
    """Does everything say the same that can be proven? What was added says nothing."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(
            same_game(value, after.get(name, before["table"] if name == "shuffles" else None))
            for name, value in before.items()
            if name not in UNPROVEN
        )
    if isinstance(before, list):
        return (
            isinstance(after, list)
            and [*map(type, before)] == [*map(type, after)]
            and all(map(same_game, before, after))
        )
    return type(before) is type(after) and bool(before == after)


@pytest.mark.slow
@settings(max_examples=settings().max_examples * 6 // 5, deadline=None)
@given(tampered())
def test_no_other_game_is_called_good(lines: File) -> None:
    report = verify(lines)
    assert all(0 <= finding.line <= len(lines) and finding.what for finding in report.findings)
    assert all("\n" not in finding.what for finding in report.findings)
    if report.ok and report.secret:
        before, after = hands_of([line.encode() for line in played()]), hands_of(lines)
        assert before.keys() == after.keys()
        assert all(same_game(before[hand], after[hand]) for hand in before)


@pytest.mark.slow
@pytest.mark.parametrize("other", [None, [], "x"], ids=repr)
@pytest.mark.parametrize("line", [pytest.param(0, id="header"), pytest.param(1, id="hand")])
def test_any_member_may_be_missing_or_of_another_kind(line: int, other: Any) -> None:
    lines = [each.encode() for each in played()[:2]]
    for path in paths(orjson.loads(lines[line])):
        document = orjson.loads(lines[line])
        *above, last = path
        place = document
        for key in above:
            place = place[key]
        if other is None:
            del place[last]
        else:
            place[last] = other
        tampered_lines = list(lines)
        tampered_lines[line] = orjson.dumps(document)
        assert all(finding.what for finding in verify(tampered_lines).findings), path


def test_a_fault_of_the_program_is_not_a_finding_about_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr("arena.records.log_checks.decide", broken)
    with pytest.raises(KeyError, match="a fault of ours"):
        verify(played())


@pytest.mark.slow
@settings(max_examples=settings().max_examples * 6 // 5, deadline=None)
@given(tampered())
def test_ratings_and_grades_work_or_say_in_one_line_why_not(lines: File) -> None:
    try:
        pools = _pools(lines)
    except BadInput as error:
        _check_said(str(error))
        return
    for pool in pools:
        standings = compile_standings(
            pool.results, pool.entrants, facts=pool.facts, anchor=pool.anchor
        )
        assert all("\x00" not in text for text in _texts(standings))
        ratings = rate(pool.results, roster=[entrant.bot for entrant in pool.entrants])
        assert grades(ratings, pool.entrants, [pool.entrants[0].bot])


def _pools(lines: list[bytes]) -> tuple[Pool, ...]:
    records = Records()
    records.read(lines, "cup.jsonl")
    return records.pools()


def _check_said(text: str) -> None:
    assert text.startswith("cup.jsonl")
    assert "\n" not in text
    assert len(text) < 600


def _texts(standings: Any) -> Iterator[str]:
    for form in ("plain", "csv", "github", "html"):
        yield render(standings, layout="wide", form=form, width=80)


def test_a_line_without_end_is_not_read_into_memory() -> None:
    """A file that gives a hundred times more than the longest line, and counts what is asked."""

    class Endless:
        asked = 0

        def readline(self, most: int) -> bytes:
            assert most <= LONGEST_LINE + 1
            self.asked += 1
            return b"x" * most if self.asked < 4 else b"end\n" if self.asked == 4 else b""

    file: Any = Endless()
    (line,) = lines_of(file)
    assert len(line) == LONGEST_LINE + 1
    assert "at most" in verify([line]).findings[0].what


def test_an_object_that_says_a_member_twice_is_refused() -> None:
    lines = [line.encode() for line in played()]
    assert verify(lines).ok
    twice = lines[2].replace(b'{"format"', b'{"result":{"places":[3,2,1,0]},"format"', 1)
    (finding,) = verify([*lines[:2], twice, *lines[3:]]).findings[:1]
    assert (finding.line, "every name once" in finding.what) == (3, True)
    assert verify([line.replace(b'":', b'": ') for line in lines]).ok


def test_a_hand_that_says_casual_against_its_header_is_found() -> None:
    header, first, *rest = (orjson.loads(line) for line in played())
    lines = [orjson.dumps(each) for each in (header, {**first, "rated": False}, *rest)]
    (finding,) = verify(lines).findings
    assert (finding.line, finding.what) == (2, "rated is False, the header says True")
