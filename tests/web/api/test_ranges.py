"""Conditions and ranges as RFC 9110 has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.api.ranges import is_known, requested_range, wants_range

TAG = '"abc"'


@pytest.mark.parametrize("field", [TAG, "*", f'"x", {TAG}', f"W/{TAG}", f'W/"y",{TAG} '])
def test_a_version_that_the_client_has_is_known(field: str) -> None:
    assert is_known({"HTTP_IF_NONE_MATCH": field}, TAG)


@pytest.mark.parametrize("field", ["", '"abd"', "abc", '"abc-gzip"'])
def test_another_version_is_not(field: str) -> None:
    assert not is_known({"HTTP_IF_NONE_MATCH": field}, TAG)
    assert not is_known({}, TAG)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=10-19", (10, 20)),
        ("bytes = 10 - 19", (10, 20)),
        ("bytes=90-", (90, 100)),
        ("bytes=90-500", (90, 100)),
        ("bytes=-5", (95, 100)),
        ("bytes=-500", (0, 100)),
        ("bytes=100-", None),
        ("bytes=-0", None),
        ("bytes=-", None),
        ("bytes=20-10", None),
    ],
)
def test_one_range_is_understood(field: str, expected: tuple[int, int] | None) -> None:
    environ = {"HTTP_RANGE": field}
    assert wants_range(environ, TAG)
    assert requested_range(environ, 100) == expected


@pytest.mark.parametrize("field", ["", "bytes", "bytes=0-1,5-6", "lines=0-1", "bytes=a-b", "0-1"])
def test_anything_else_is_as_if_it_had_not_been_sent(field: str) -> None:
    assert not wants_range({"HTTP_RANGE": field}, TAG)


@pytest.mark.parametrize("version", ['"other"', f"W/{TAG}", "Sat, 31 Jan 2026 09:00:00 GMT"])
def test_a_range_of_another_version_is_not_asked_for(version: str) -> None:
    environ = {"HTTP_RANGE": "bytes=0-1", "HTTP_IF_RANGE": version}
    assert not wants_range(environ, TAG)
    assert wants_range({**environ, "HTTP_IF_RANGE": TAG}, TAG)


def test_only_get_has_ranges() -> None:
    environ = {"HTTP_RANGE": "bytes=0-1", "REQUEST_METHOD": "GET"}
    assert wants_range(environ, TAG)
    assert not wants_range({**environ, "REQUEST_METHOD": "HEAD"}, TAG)


@given(st.text(max_size=40), st.integers(0, 1_000))
def test_whatever_is_sent_a_part_lies_in_the_file(field: str, size: int) -> None:
    found = requested_range({"HTTP_RANGE": f"bytes={field}"}, size)
    assert found is None or 0 <= found.first < found.end <= size
