"""Played examples of the options in `arena.rules.options.seats`."""

from arena.reference.scenes import Example, Table

EXAMPLES: dict[str, Example] = {"seats": Table({"seats": "poor_first"}, 3)}
