"""Speed: how long recorded hands took, for the forecast of another session.

As the arena itself measures it: from the deal to the last step of a hand that was played, pauses
included. A file may come from anybody: what cannot be read raises BadInput, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import as_list, as_object, whole
from arena.records.reading import read_line
from arena.session.record_format import HANDS


def hand_lengths(lines: Iterable[str | bytes], source: str, *, seats: int) -> Iterator[int]:
    """How many ms the played hands of a file took at tables of this size. Raises BadInput that
    names the line."""
    for number, line in enumerate(lines, start=1):
        try:
            document = read_line(line)
            length = _length(document, seats) if document.get("format") in HANDS else None
        except BadInput as error:
            place = f"{source}, line {number}: {error.thing}"
            raise BadInput(place, error.value, error.expected) from error
        if length is not None:
            yield length


def _length(document: Document, seats: int) -> int | None:
    """None for a hand at another table, and for one that was not played."""
    steps = as_list("steps", document.get("steps"))
    if len(as_list("bots", document.get("bots"))) != seats or not steps:
        return None
    first, last = (
        whole("at_ms", as_object("steps", s).get("at_ms")) for s in (steps[0], steps[-1])
    )
    if last < first:
        raise BadInput("at_ms", last, f"at least {first}, as in the step before")
    return last - first
