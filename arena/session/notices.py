"""Notices: what the owner of a bot is told of it, as kinds, data and one sentence for people.

The data of a notice are what its kind says here; no card is in them. Pure: whoever writes a notice
gives its kind and data, the sentence follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Data = Mapping[str, Any]
STARTED, ENDED, CANCELLED = "session_started", "session_ended", "session_cancelled"
NEXT_TABLE = "next_table"
FAULT, ABSENT = "fault", "absent"
WITHDRAWN, DISQUALIFIED = "withdrawn", "disqualified"
CAUSES = {
    "timeout": "no answer came in time",
    "illegal": "too many answers were refused",
    "absent": "the bot was not there",
}
"""Faults, of which the owner is told, by the causes of the protocol."""


def is_milestone(count: int) -> bool:
    """Is the owner told of the fault of this number? Of the 1st, 10th, 100th, 1000th ..."""
    return count > 0 and str(count).strip("0") == "1"


def text_of(kind: str, session: str, data: Data) -> str:
    """What a notice says, in one sentence."""
    return TEXTS[kind](session, data)


def _started(session: str, data: Data) -> str:
    return f"Session {session} has started."


def _ended(session: str, data: Data) -> str:
    if data.get("place") is None:
        return f"Session {session} has ended."
    return f"Session {session} has ended: place {data['place']} of {data['of']}."


def _cancelled(session: str, data: Data) -> str:
    return f"Session {session} was cancelled{_because(data)}."


def _next_table(session: str, data: Data) -> str:
    players = ", ".join(data["players"])
    return f"Round {data['round']} of session {session}: table {data['table']} with {players}."


def _fault(session: str, data: Data) -> str:
    count = data["count"]
    often = "for the first time" if count == 1 else f"{count} times by now"
    why, hand = CAUSES[data["cause"]], data["hand"]
    return f"In session {session} the referee answered, {often}, since {why}: hand {hand}."


def _taken_out(session: str, data: Data) -> str:
    by = "The bot has withdrawn" if data["by"] == "bot" else "An organiser has withdrawn the bot"
    return f"{by} from session {session}{_because(data)}."


def _disqualified(session: str, data: Data) -> str:
    return f"An organiser has disqualified the bot in session {session}{_because(data)}."


def _because(data: Data) -> str:
    reason = data.get("reason")
    return f": {reason}" if reason else ""


TEXTS: Mapping[str, Callable[[str, Data], str]] = {
    STARTED: _started,
    ENDED: _ended,
    CANCELLED: _cancelled,
    NEXT_TABLE: _next_table,
    FAULT: _fault,
    ABSENT: _fault,
    WITHDRAWN: _taken_out,
    DISQUALIFIED: _disqualified,
}
"""All kinds, with how their sentences are made."""
