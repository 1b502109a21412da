"""What came out of a match: for people in a few lines, for programs as a document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.match.conduct import Conduct
from arena.tournament import sprt
from arena.tournament.sprt import Bounds, Sprt

ENOUGH_BLOCKS = 10
"""Blocks after which an interval says something."""


class MatchOutcome(NamedTuple):
    """A match that was played. others: who took the other seats; bounds: None for a fixed number
    of hands; conduct: by bot's name; move_ms: what a turn may take; hands_per_block: at most."""

    first: str
    second: str
    others: Sequence[str]
    test: Sprt
    bounds: Bounds | None
    conduct: Mapping[str, Conduct]
    move_ms: int
    hands_per_block: int

    @property
    def verdict(self) -> str:
        """A word of `sprt`."""
        if self.bounds is None:
            return sprt.fixed_verdict(self.test)
        return sprt.NOT_SHOWN if self.test.verdict == sprt.OPEN else self.test.verdict


def line(test: Sprt, bounds: Bounds | None) -> str:
    """How the test stands, in one line."""
    return sprt.summary(test, "A", "B") if bounds is None else sprt.line(test, "A", "B")


def result_lines(outcome: MatchOutcome) -> Iterator[str]:
    """Who played, what came of it, and how long they thought."""
    yield f"A  {outcome.first}"
    yield f"B  {outcome.second}"
    seats = Counter(outcome.others)
    named = ", ".join(f"{bot} ({count}x)" if count > 1 else bot for bot, count in seats.items())
    if named:
        yield f"The other seats: {named}"
    yield line(outcome.test, outcome.bounds)
    slowest = [
        f"{bot} {outcome.conduct[bot].slowest_ms:,} ms"
        for bot in ("A", "B")
        if bot in outcome.conduct
    ]
    if slowest:
        yield f"Slowest turn: {', '.join(slowest)}, of {outcome.move_ms:,} ms that a move may take"


def notes(outcome: MatchOutcome) -> Iterator[str]:
    """What a reader has to know of the bots before believing the result."""
    for letter, own in sorted(outcome.conduct.items()):
        bot = _named(outcome, letter)
        if own.refused:
            yield f"{bot}: {own.refused} of {own.answers} answers refused"
            if own.refusal:
                yield f"   the first: {own.refusal}"
        if own.faults:
            yield f"{bot} failed in {own.faults} hands, which it lost for that"
        if own.errors:
            yield f"{bot} made {own.errors} errors in its own code; a plain answer went out instead"
        if own.slowest_ms > outcome.move_ms:
            yield (
                f"{bot} took longer than a move may take, at turn {own.slowest_turn}: in a session"
                " that costs time of the bank, then the hand"
            )


def _named(outcome: MatchOutcome, bot: str) -> str:
    """A bot by its letter and by what it is."""
    sources = {"A": outcome.first, "B": outcome.second}
    return f"{bot} ({sources[bot]})" if bot in sources else bot


def conclusion(outcome: MatchOutcome) -> str:
    """The verdict in words."""
    if outcome.verdict in (sprt.BETTER, sprt.WORSE):
        return "A is better." if outcome.verdict == sprt.BETTER else "B is better."
    if outcome.bounds is None and math.isinf(outcome.test.elo_error):
        hands = ENOUGH_BLOCKS * outcome.hands_per_block
        return f"Too few hands for a verdict: try --hands {hands}."
    undecided = outcome.bounds is not None and outcome.test.verdict == sprt.OPEN
    return "Not decided yet." if undecided else "No difference is shown."


def document(outcome: MatchOutcome) -> dict[str, Any]:
    """The outcome as plain data."""
    test = outcome.test
    return {
        "a": outcome.first,
        "b": outcome.second,
        "others": list(outcome.others),
        "verdict": outcome.verdict.replace(" ", "_"),
        "hands": test.meetings,
        "blocks": test.blocks,
        "ahead_percent": round(100 * test.share, 2),
        "elo": round(test.elo, 2),
        "elo_error": round(test.elo_error, 2) if math.isfinite(test.elo_error) else None,
        "sprt": None if outcome.bounds is None else _test_document(test, outcome.bounds),
        "faults": _counts(outcome, "faults"),
        "errors": _counts(outcome, "errors"),
        "answers": _counts(outcome, "answers"),
        "refused": _counts(outcome, "refused"),
        "first_refusals": _counts(outcome, "refusal"),
        "slowest_ms": _counts(outcome, "slowest_ms"),
    }


def _test_document(test: Sprt, bounds: Bounds) -> dict[str, Any]:
    return {
        **bounds._asdict(),
        "lower": round(bounds.lower, 4),
        "upper": round(bounds.upper, 4),
        "llr": round(test.llr, 4),
        "llr_behind": round(test.llr_behind, 4),
        "decided": test.verdict != sprt.OPEN,
    }


def _counts(outcome: MatchOutcome, member: str) -> dict[str, Any]:
    """One member of everybody's conduct, by bot, where there is anything to say."""
    found = {bot: getattr(own, member) for bot, own in sorted(outcome.conduct.items())}
    return {bot: value for bot, value in found.items() if value}
