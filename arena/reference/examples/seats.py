"""Played examples of the options in `arena.rules.options.seats`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleTable

EXAMPLES: dict[str, Example] = {"seats": ExampleTable({"seats": "poor_first"}, 3)}
