"""What a bot may send beside an answer: a note for those who read the hand later.

It says nothing to the rules: an answer with a note is the same answer without. It is kept in the
step of the log that the answer became, never in an event, so no player or spectator is sent it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arena.errors import BadInput

NOTE = "note"
NOTE_LENGTH = 280
"""Characters (Unicode code points) of a note."""
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What no note has: control characters, ends of lines and halves of surrogate pairs."""
REMARKS = (NOTE,)
"""The members of an answer that are no part of it."""
NO_REMARKS: Mapping[str, Any] = MappingProxyType({})


def read_remarks(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stands beside an answer, as it is kept; an empty note is none. Raises BadInput."""
    note = body.get(NOTE)
    if note is None and NOTE not in body:
        return NO_REMARKS
    return {NOTE: note} if _checked_note(note) else NO_REMARKS


def _checked_note(note: object) -> str:
    if not isinstance(note, str) or len(note) > NOTE_LENGTH:
        shown = f"{note[:20]}…" if isinstance(note, str) else note
        raise BadInput(NOTE, shown, f"a text of at most {NOTE_LENGTH} characters")
    if CONTROL.search(note):
        raise BadInput(NOTE, note, "a text on one line, without control characters")
    return note
