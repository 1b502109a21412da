"""What a request says about the version and the range of a file that it wants.

RFC 9110: conditions (13.1), byte ranges (14). What cannot be read is as if it had not been sent, as
that says. This module may not touch a request nor a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)
TAGS = re.compile(r'(?:W/)?("[^"\x00-\x20\x7f]*")')
LONGEST = 4_096
"""Longer fields are ignored."""


class ByteRange(NamedTuple):
    """Bytes of a file, from `first` until before `end`."""

    first: int
    end: int


def is_known(environ: Mapping[str, Any], tag: str) -> bool:
    """Does the client have the version with this tag (`If-None-Match`)?"""
    field = str(environ.get("HTTP_IF_NONE_MATCH", ""))[:LONGEST].strip()
    return field == "*" or tag in TAGS.findall(field)


def wants_range(environ: Mapping[str, Any], tag: str) -> bool:
    """Does the client want one range of the version with this tag, and not the whole of another?

    There are ranges for GET only (RFC 9110, 14.2).
    """
    if environ.get("REQUEST_METHOD", "GET") != "GET" or not ONE_RANGE.fullmatch(_range(environ)):
        return False
    return str(environ.get("HTTP_IF_RANGE", tag)).strip() == tag


def requested_range(environ: Mapping[str, Any], size: int) -> ByteRange | None:
    """The range that is asked for, of a file of this size; None if nothing of it is there.

    Only if `wants_range`. A range without any number is one of which nothing is there.
    """
    match = ONE_RANGE.fullmatch(_range(environ))
    first, last = match.groups() if match else ("", "")
    if first:
        wanted = ByteRange(int(first), min(size, int(last) + 1 if last else size))
    else:
        wanted = ByteRange(max(0, size - int(last or 0)), size)
    return wanted if wanted.first < wanted.end else None


def _range(environ: Mapping[str, Any]) -> str:
    return str(environ.get("HTTP_RANGE", ""))[:LONGEST].replace(" ", "").lower()
