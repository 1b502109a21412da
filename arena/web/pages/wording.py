"""Words that several pages share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.reference.inventory import STATEMENTS
from arena.tournament.history import BotPoint
from arena.tournament.standings import Row

STATUS: Mapping[str, str] = {
    "created": "not open yet",
    "open": "open: bots may enter",
    "running": "being played",
    "paused": "paused",
    "finished": "finished",
    "cancelled": "cancelled",
}

TIMES: Mapping[str, str] = {
    "opens": "Opens for bots",
    "starts": "Starts",
    "freezes": "Results are frozen",
    "ends": "Ends",
    "publishes": "Results are published",
}
"""What a session does by itself, in words."""


CLOCK_WORDS: Mapping[str, str] = {
    "x1": "the usual clock",
    "x1.5": "half as much time again",
    "x2": "twice the time",
    "none": "no clock",
}
"""The clocks of people."""


def ruleset_words(ruleset: Mapping[str, Any]) -> str:
    """A ruleset by its preset and patches; options of its own are counted."""
    options = len(ruleset.get("options", ()))
    more = [f"{options} option{'s' if options != 1 else ''}"] if options else []
    return " + ".join([ruleset["preset"], *ruleset["patches"], *more])


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th ..."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def table_label(table: str, round_: int, *, of: Iterable[Mapping[str, Any]]) -> str:
    """A table as people call it: by its number, and by its round where several are played."""
    number = table.rpartition("-t")[2].lstrip("0")
    several = len({each["round"] for each in of}) > 1
    return f"Round {round_}, table {number}" if several else f"Table {number}"


def round_and_table(table: str) -> str:
    """A table as people call it by its id: with its round."""
    before, _, number = table.rpartition("-t")
    round_ = before.rpartition("-r")[2]
    return f"Round {round_.lstrip('0')}, table {number.lstrip('0')}"


def hand_label(hand: str) -> str:
    """A hand as people call it, by its id: round, table, number."""
    table, _, number = hand.rpartition("-h")
    return f"{round_and_table(table)}, hand {number.lstrip('0')}"


def elo_words(rated: Row | BotPoint) -> str:
    """A rating with its half-width, or its bound; nothing without one."""
    if rated.elo is None:
        return ""
    if rated.bound_elo is not None:
        return f"{rated.bound}{rated.bound_elo:.0f}"
    return f"{rated.elo:.0f} ±{rated.error or 0.0:.0f}"


def statement_address(id_: str) -> str:
    """Where a statement of the rules' documents stands, or a reading that was settled."""
    return f"/rules#{id_}" if id_ in STATEMENTS else f"/manual/readings#{id_}"
