from __future__ import annotations

from contextlib import suppress

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.api.bodies import read_object
from arena.web.api.problems import Code, Problem

MOST = 300
BAD = {
    "empty": b"",
    "not JSON": b"cards=S3",
    "cut off": b'{"cards": ["S3"',
    "something after it": b'{"pass": true} x',
    "a list": b"[]",
    "a string": b'"pass"',
    "a number": b"3",
    "null": b"null",
    "a truth": b"true",
    "NaN": b'{"choice": NaN}',
    "infinity": b'{"choice": 1e999}',
    "a huge number": b'{"choice": 123456789012345678901234567890}',
    "a number beyond 2^53": b'{"choice": 9007199254740993}',
    "a member twice": b'{"pass": true, "pass": false}',
    "a member twice, deep inside": b'{"answers": [{"turn": "a:b", "turn": "c"}]}',
    "a member twice, by an escape": b'{"pass": true, "\\u0070ass": true}',
    "nested too deeply": b'{"a":' * 17 + b"1" + b"}" * 17,
    "nested beyond all reason": b"[" * 5_000,
    "not UTF-8": b'{"name": "\xff"}',
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "half a surrogate": b'{"name": "\\ud800"}',
    "a byte order mark": b'\xef\xbb\xbf{"pass": true}',
    "single quotes": b"{'pass': true}",
    "a comment": b'{"pass": true} // yes',
}


@pytest.mark.parametrize("name", BAD)
def test_a_body_is_refused_when_it_is(name: str) -> None:
    with pytest.raises(Problem) as caught:
        read_object(BAD[name], depth=16, most_values=MOST)
    assert caught.value.code is Code.BAD_JSON
    assert caught.value.detail.endswith(".")


def test_whole_numbers_come_as_ints_however_they_were_written() -> None:
    read = read_object(
        b'{"a": 3.0, "b": [1e2, 0.5], "c": {"d": -0.0}, "e": true}', depth=16, most_values=MOST
    )
    assert repr(read) == "{'a': 3, 'b': [100, 0.5], 'c': {'d': 0}, 'e': True}"


def test_colons_in_texts_do_not_look_like_members_named_twice() -> None:
    assert read_object(b'{"a": "x:y:z", "b:": 1}', depth=16, most_values=MOST) == {
        "a": "x:y:z",
        "b:": 1,
    }


PLAIN = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
TREES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(st.dictionaries(st.text(), TREES, max_size=4))
def test_any_proper_object_is_read_as_it_is(document: dict[str, object]) -> None:
    assert read_object(orjson.dumps(document), depth=64, most_values=MOST) == document


@given(st.binary(max_size=64))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(Problem):
        assert isinstance(read_object(data, depth=4, most_values=MOST), dict)


@pytest.mark.parametrize(
    "data",
    [
        b'{"answers":[' + b",".join([b"{}"] * 150) + b"]}",
        b'{"cards":[' + b",".join([b'"S3"'] * 301) + b"]}",
        b"{" + b",".join(b'"m%d":1' % n for n in range(301)) + b"}",
        b'{"a":' + b"[" * 150 + b"]" * 150 + b',"b":' + b"[" * 150 + b"]" * 150 + b"}",
    ],
    ids=["objects", "entries", "members", "levels"],
)
def test_a_body_of_too_many_values_is_refused_before_it_is_read(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.api.bodies.orjson.loads", unread)
    with pytest.raises(Problem, match=f"more than {MOST} values") as caught:
        read_object(data, depth=16, most_values=MOST)
    assert caught.value.code is Code.BAD_JSON


def unread(data: bytes) -> object:
    raise AssertionError("nothing should have been made of the bytes")


def test_a_body_may_hold_as_many_values_as_it_may() -> None:
    data = b'{"cards":[' + b",".join([b'"S3"'] * (MOST - 1)) + b"]}"
    assert len(read_object(data, depth=16, most_values=MOST)["cards"]) == MOST - 1


def test_long_numbers_in_a_body_that_is_read_twice_are_no_fault_of_ours() -> None:
    data = b'{"a:": 0.' + b"1" * 60_000 + b', "b": 1' + b"0" * 5 + b"}"
    assert read_object(data, depth=16, most_values=MOST) == {"a:": 0.1111111111111111, "b": 100_000}
