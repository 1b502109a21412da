"""What a bot may send beside an answer: a note for those who read the hand later, and how long it
has thought.

It says nothing to the rules and to the clocks: an answer with a note is the same answer without,
and what a turn is charged the referee measures. It is kept in the step of the log that the answer
became, never in an event, so no player or spectator is sent it. What is kept has a random nonce, so
that nobody guesses it from the hash that stands for it in a record which does not show it.
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
THOUGHT = "thought_ms"
MOST_THOUGHT_MS = 86_400_000
REMARKS = (NOTE, THOUGHT)
"""The members of an answer that are no part of it."""
NONCE = "nonce"
NONCE_BYTES = 16
KEPT = (*REMARKS, NONCE)
"""What a step keeps of them."""
NO_REMARKS: Mapping[str, Any] = MappingProxyType({})


def read_remarks(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stands beside an answer, as it is kept; an empty note is none. Raises BadInput."""
    remarks: dict[str, Any] = {}
    if NOTE in body and _checked_note(body[NOTE]):
        remarks[NOTE] = body[NOTE]
    if THOUGHT in body:
        remarks[THOUGHT] = _checked_thought(body[THOUGHT])
    return remarks or NO_REMARKS


def _checked_thought(thought_ms: object) -> int:
    whole = isinstance(thought_ms, int) and not isinstance(thought_ms, bool)
    if not whole or not 0 <= thought_ms <= MOST_THOUGHT_MS:  # type: ignore[operator]
        raise BadInput(THOUGHT, thought_ms, f"a whole number from 0 to {MOST_THOUGHT_MS}")
    return thought_ms  # type: ignore[return-value]


def _checked_note(note: object) -> str:
    if not isinstance(note, str) or len(note) > NOTE_LENGTH:
        shown = f"{note[:20]}…" if isinstance(note, str) else note
        raise BadInput(NOTE, shown, f"a text of at most {NOTE_LENGTH} characters")
    if CONTROL.search(note):
        raise BadInput(NOTE, note, "a text on one line, without control characters")
    return note
