"""Ids of tables and hands taken apart: where in the schedule a line of a record stands."""

from __future__ import annotations

import re

TABLE_ID = re.compile(r"-r(\d{2,6})-t(\d{2,6})([b-z]?)$", re.ASCII)


def table_number(table: str) -> tuple[int, int, str]:
    """Round and number of a table by its id, and the letter of one that was played in the stead of
    another; zeros if it is no id of a table."""
    match = TABLE_ID.search(table)
    return (int(match[1]), int(match[2]), match[3]) if match else (0, 0, "")
