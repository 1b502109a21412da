"""What a check of a database found: what was looked at, how much of it, and what is wrong with it.

Plain values, for the checks of the files (`inspection`), those of the rows (in the referee, which
knows what rows mean) and those who print them. This module does no work on a database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

KEPT_FAULTS = 100
"""Faults of one kind that are listed one by one; all are counted."""


class Defect(NamedTuple):
    """Something that is wrong. where: a file, a session, a hand ...; found: what is wrong there."""

    where: str
    found: str

    def __str__(self) -> str:
        return f"{self.where}: {self.found}"


class Check(NamedTuple):
    """One kind of check that was made. unit: what `looked_at` counts. faults: the first of them."""

    name: str
    unit: str
    looked_at: int
    fault_count: int = 0
    faults: tuple[Defect, ...] = ()


def check_of(name: str, unit: str, *, looked_at: int, faults: Sequence[Defect] = ()) -> Check:
    """A check, with as many of its faults as are listed."""
    return Check(name, unit, looked_at, len(faults), tuple(faults[:KEPT_FAULTS]))


class CheckCounts:
    """Counts what is looked at and gathers faults, by the name of the check; the names are given
    beforehand, with their units, so that a check without anything to look at is listed too."""

    def __init__(self, units: dict[str, str]) -> None:
        self._units = units
        self._looked_at: Counter[str] = Counter()
        self._fault_count: Counter[str] = Counter()
        self._faults: dict[str, list[Defect]] = {name: [] for name in units}

    def count(self, name: str, number: int = 1) -> None:
        """This many more were looked at."""
        self._looked_at[name] += number

    def add(self, name: str, faults: Sequence[Defect]) -> None:
        """These are wrong."""
        self._fault_count[name] += len(faults)
        kept = self._faults[name]
        kept.extend(faults[: KEPT_FAULTS - len(kept)])

    def checks(self) -> tuple[Check, ...]:
        """Everything, in the order of the names."""
        return tuple(
            Check(
                name,
                unit,
                self._looked_at[name],
                self._fault_count[name],
                tuple(self._faults[name]),
            )
            for name, unit in self._units.items()
        )
