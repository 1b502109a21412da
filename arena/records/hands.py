"""The hands of a record file, one after the other, each of the shape that a hand has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import short
from arena.records.reading import read_line
from arena.records.shapes import check_hand
from arena.session.record_format import HANDS, HEAD, KNOWN, SESSIONS


def hands_in(lines: Iterable[bytes]) -> Iterator[Document]:
    """The hands of a record file as documents, without the headers and the
    heads of those that are not shown. Raises BadInput that names the
    line."""
    for number, line in enumerate(lines, start=1):
        try:
            document = read_line(line)
            kind = document.get("format")
            if kind not in (*HANDS, HEAD, *SESSIONS):
                raise BadInput("format", short(kind), KNOWN)
            if kind in HANDS:
                check_hand(document)
        except BadInput as error:
            place = f"line {number}: {error.thing}"
            raise BadInput(place, error.value, error.expected) from error
        if kind in HANDS:
            yield document
