"""The hands of a record file, one after the other, each of the shape that a hand has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import short
from arena.records.reading import read_line
from arena.records.shapes import check_hand
from arena.session.record_format import HAND, SESSION


def hands_in(lines: Iterable[bytes]) -> Iterator[Document]:
    """The hands of a record file as documents, without the headers. Raises BadInput that names the
    line."""
    for number, line in enumerate(lines, start=1):
        try:
            document = read_line(line)
            kind = document.get("format")
            if kind not in (HAND, SESSION):
                raise BadInput("format", short(kind), f"{HAND} or {SESSION}")
            if kind == HAND:
                check_hand(document)
        except BadInput as error:
            place = f"line {number}: {error.thing}"
            raise BadInput(place, error.value, error.expected) from error
        if kind == HAND:
            yield document
