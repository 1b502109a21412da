"""Barring: results as if a disqualified bot had not been at the table. Pure; it rates nothing."""

from __future__ import annotations

from collections.abc import Collection

from arena.tournament.results import HandResult


def without(result: HandResult, barred: Collection[str]) -> HandResult | None:
    """A result without some bots, the others moved up; None if no pair is left that counts."""
    if not any(bot in barred for bot in result.bots):
        return result
    kept = [at for at, bot in enumerate(result.bots) if bot not in barred]
    forfeits = tuple(bot for bot in result.forfeits if bot not in barred)
    if len(kept) < 2 or (result.forfeits and not forfeits):
        return None
    places = [result.finish[at] for at in kept]
    return result._replace(
        bots=tuple(result.bots[at] for at in kept),
        finish=tuple(1 + sum(other < place for other in places) for place in places),
        faults=tuple(bot for bot in result.faults if bot not in barred),
        forfeits=forfeits,
    )
