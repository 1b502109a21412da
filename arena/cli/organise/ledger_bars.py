"""What a turn's time went to, as a bar of text: until it was sent, on the way, thinking.

The clocks of the arena and of a bot's machine are not compared: of the way there and the way back
only the sum is known, together with what the turn waited for in the bot's own program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

WIDTH = 40
WAITING, WAY, THINKING, UNKNOWN = ".", "-", "#", "="
LEGEND = (
    f"{WAITING} until it was sent to the bot   {WAY} on the way there and back, and waiting in the "
    f"bot's program   {THINKING} thinking   {UNKNOWN} not said by the bot"
)


class Parts(NamedTuple):
    """The time of a turn in milliseconds. unknown: sent, but the bot does not say how long it has
    thought."""

    waiting: int
    way: int
    thinking: int
    unknown: int

    @property
    def total(self) -> int:
        return sum(self)


def parts_of(entry: Mapping[str, Any]) -> Parts | None:
    """What the time of a ledger's entry went to; None for a turn that is not answered, or that the
    referee has answered."""
    answered_ms, thought_ms = entry["answered_ms"], entry["thought_ms"]
    if answered_ms is None or entry["cause"] is not None:
        return None
    waiting = min(entry["first_seen_ms"] or 0, answered_ms)
    rest = answered_ms - waiting
    if thought_ms is None:
        return Parts(waiting, 0, 0, rest)
    thinking = min(thought_ms, rest)
    return Parts(waiting, rest - thinking, thinking, 0)


def bar(parts: Parts, longest_ms: int) -> str:
    """A bar in which the longest turn is `WIDTH` characters long; what there is of a part has at
    least one."""
    marks = (WAITING, WAY, THINKING, UNKNOWN)
    lengths = [max(1, round(part * WIDTH / max(1, longest_ms))) if part else 0 for part in parts]
    return "".join(mark * length for mark, length in zip(marks, lengths, strict=True))


def bars(entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, int | None, str]]:
    """A row for each entry: the turn, its milliseconds and the bar; what is no bar says why."""
    all_parts = [parts_of(entry) for entry in entries]
    longest_ms = max((parts.total for parts in all_parts if parts is not None), default=0)
    return [
        (entry["turn"], entry["answered_ms"], entry["cause"] or "waits")
        if parts is None
        else (entry["turn"], parts.total, bar(parts, longest_ms))
        for entry, parts in zip(entries, all_parts, strict=True)
    ]
