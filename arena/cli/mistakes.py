"""What went wrong with the bots of an event: faults by the records, errors by the kit's count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arena.records.reading import lines_of, read_line
from arena.rules.events import Cause

CLOSING_LINE = re.compile(
    r"\d+ turns answered, (\d+) errors in the bot's code, (\d+) answers refused, \d+ too late"
)
"""The line with which a bot of the kit ends (`arena.client.runner.Tally`)."""
TIMEOUTS = (Cause.TIMEOUT, Cause.ABSENT)


class Mistakes(NamedTuple):
    """Counts of one bot. errors, refused: by the kit, None for a bot that does not say.

    timeouts: turns that the referee answered because no answer came; illegal: because the budget of
    refused answers was spent.
    """

    errors: int | None
    refused: int | None
    timeouts: int
    illegal: int
    log: Path

    def __bool__(self) -> bool:
        return any((self.errors, self.refused, self.timeouts, self.illegal))

    def __str__(self) -> str:
        """For example ``18 errors in its own code, 4 answers refused; see FILE``."""
        counts = (
            (self.errors, "error", "errors", " in its own code"),
            (self.refused, "answer", "answers", " refused"),
            (self.timeouts, "timeout", "timeouts", ""),
            (self.illegal, "turn", "turns", " lost by refused answers"),
        )
        words = (f"{n} {one if n == 1 else many}{rest}" for n, one, many, rest in counts if n)
        return ", ".join(words) + f"; see {self.log}"


def mistakes_of(records: Path, logs: Mapping[str, Path]) -> dict[str, Mistakes]:
    """The bots that made a mistake. records: a record file; logs: of each bot, by name."""
    faults = _faults(records)
    found = {}
    for name, log in logs.items():
        errors, refused = _closing_counts(log)
        timeouts = sum(faults[name, cause] for cause in TIMEOUTS)
        found[name] = Mistakes(errors, refused, timeouts, faults[name, Cause.ILLEGAL], log)
    return {name: mistakes for name, mistakes in found.items() if mistakes}


def _faults(records: Path) -> Counter[tuple[str, str]]:
    """How often the referee answered for a bot, by name and cause."""
    counted: Counter[tuple[str, str]] = Counter()
    with records.open("rb") as file:
        for line in lines_of(file):
            document = read_line(line)
            for fault in (document.get("result") or {}).get("faults", ()):
                counted[document["players"][fault["player"]], fault["cause"]] += 1
    return counted


def _closing_counts(log: Path) -> tuple[int | None, int | None]:
    """Errors and refused answers by the last such line of a log."""
    found = CLOSING_LINE.findall(log.read_text(encoding="utf-8", errors="replace"))
    return (int(found[-1][0]), int(found[-1][1])) if found else (None, None)
