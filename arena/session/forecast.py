"""Forecasts: how long a session will take and how exact its ratings will be, before it begins.

From the session's document, its schedule and, where hands of the like have been played, how long
these took. Pure: it reads no store and no clock. What cannot be known is left out and said.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from arena.documents import Document
from arena.session.config import SessionConfig
from arena.session.deal_groups import replicas
from arena.tournament.grading import HOUSE
from arena.tournament.pairing.lineups import Schedule
from arena.tournament.precision import SPREAD_ELO, THIRD, Precision, precision
from arena.tournament.ratings import ANCHOR_BLOCKS
from arena.tournament.standings import PROVISIONAL_BLOCKS

MOVES = 25
"""Moves of a seat in a hand: 21 to 26, measured at tables of 3 to 6 (pagat, uecda)."""
MEASURED_MS = 10_000
"""So long a session has to be played before its own speed says how long it goes on."""


class Speed(NamedTuple):
    """How long a hand takes, by hands that have been played. hands: how many."""

    hand_ms: float
    hands: int


class Forecast(NamedTuple):
    """rounds: with those still to be drawn, None if nobody knows how many. blocks, hands: of a bot,
    the fewest and the most, house bots apart. likely_ms: None if no hand was measured; most_ms: if
    everybody uses all of its clock. warnings: what will disappoint, one sentence each."""

    bots: int
    seats: int
    rounds: int | None
    hands: int
    blocks_each: tuple[int, int]
    hands_each: tuple[int, int]
    speed: Speed | None
    likely_ms: int | None
    most_ms: int
    precision: Precision | None
    not_separated: int | None
    warnings: tuple[str, ...]


def forecast(
    config: SessionConfig,
    schedule: Schedule,
    names: Sequence[str],
    *,
    to_come: int | None,
    speed: Speed | None = None,
) -> Forecast:
    """The forecast of a schedule. names: of the roster, in its order, none if they are not known;
    to_come: rounds that are still to be drawn, None until the session is closed."""
    drawn = len(schedule.rounds)
    rounds = None if to_come is None else drawn + to_come
    factor = (rounds or drawn) / drawn if drawn else 0.0
    games = Counter(chain.from_iterable(schedule.tables))
    blocks = [round(games[bot] * factor) for bot in range(schedule.n)]
    each = replicas(config.deals, range(config.seats)) * config.hands_per_table
    tables = sum(replicas(config.deals, table) for table in schedule.tables)
    mean = sum(blocks) / max(1, len(blocks))
    expected = precision(bots=schedule.n, seats=config.seats, hands=mean * each, blocks=mean)
    waves = math.ceil((rounds or drawn) / config.schedule.rounds_at_once)
    return Forecast(
        bots=schedule.n,
        seats=config.seats,
        rounds=rounds,
        hands=round(tables * factor) * config.hands_per_table,
        blocks_each=(min(blocks, default=0), max(blocks, default=0)),
        hands_each=(min(blocks, default=0) * each, max(blocks, default=0) * each),
        speed=speed,
        likely_ms=None if speed is None else round(waves * each * speed.hand_ms),
        most_ms=waves * _longest_ms(config, each),
        precision=expected,
        not_separated=_not_separated(expected, schedule.n, fewest=min(blocks, default=0)),
        warnings=tuple(_warnings(config, names, blocks, rounds=rounds, expected=expected)),
    )


def _longest_ms(config: SessionConfig, hands: int) -> int:
    """How long a round takes if every bot uses all of its clock."""
    return config.seats * (MOVES * hands * config.clock.move_ms + config.clock.bank_ms)


def _not_separated(expected: Precision | None, bots: int, *, fewest: int) -> int | None:
    """How many of the field will not be told from a bot in its middle."""
    if expected is None:
        return None
    share = 1.0 if fewest < PROVISIONAL_BLOCKS else expected.not_separated
    return round(share * (bots - 1))


def _warnings(
    config: SessionConfig,
    names: Sequence[str],
    blocks: Sequence[int],
    *,
    rounds: int | None,
    expected: Precision | None,
) -> list[str]:
    """What an organiser should know before it is too late."""
    warnings = []
    fewest = min(blocks, default=0)
    if rounds is None:
        warnings.append("Nobody knows how long it takes: a ladder goes on until it is closed.")
    if fewest < PROVISIONAL_BLOCKS and blocks:
        more = _rounds_for(PROVISIONAL_BLOCKS, fewest, rounds)
        warnings.append(
            f"A bot will play {fewest} blocks; with fewer than {PROVISIONAL_BLOCKS} it is"
            f" provisional: no rank range, and no grade but “not separated”{more}."
        )
    anchor = config.anchor
    if anchor is not None and names and anchor not in names and not anchor.startswith(HOUSE):
        warnings.append(f"The anchor {anchor} has not entered: the mean will be 1500.")
    if anchor is not None and (anchor in names or not names):
        own = blocks[list(names).index(anchor)] if names else fewest
        if own < ANCHOR_BLOCKS:
            more = _rounds_for(ANCHOR_BLOCKS, own, rounds)
            warnings.append(
                f"The anchor {anchor} will play {own} blocks; to carry the scale it needs"
                f" {ANCHOR_BLOCKS}{more}. Else the mean will be 1500."
            )
    if names:
        warnings += [
            f"The benchmark {name} has not entered: the session cannot start without it."
            for name in config.benchmarks
            if name not in names and not name.startswith(HOUSE)
        ]
    if expected is not None and expected.not_separated >= 0.5 and fewest >= PROVISIONAL_BLOCKS:
        times = math.ceil((expected.gap_error / (THIRD * SPREAD_ELO)) ** 2)
        warnings.append(
            "More than half of the field will not be told from a bot in its middle: about"
            f" {times} times as many hands would leave a third of it."
        )
    return warnings


def _rounds_for(blocks: int, own: int, rounds: int | None) -> str:
    """How many rounds would be enough, in brackets; nothing where that is unknown."""
    if not own or rounds is None:
        return ""
    return f" ({math.ceil(rounds * blocks / own)} rounds instead of {rounds})"


def forecast_document(made: Forecast) -> Document:
    """The forecast as plain data for JSON."""
    speed, expected = made.speed, made.precision
    return {
        "bots": made.bots,
        "seats": made.seats,
        "rounds": made.rounds,
        "hands": made.hands,
        "blocks_each": list(made.blocks_each),
        "hands_each": list(made.hands_each),
        "likely_ms": made.likely_ms,
        "most_ms": made.most_ms,
        "speed": None if speed is None else {"hand_ms": round(speed.hand_ms), "hands": speed.hands},
        "precision": None if expected is None else _precision_document(expected),
        "not_separated": made.not_separated,
        "warnings": list(made.warnings),
    }


def _precision_document(expected: Precision) -> Document:
    return {
        "error_elo": round(expected.error),
        "gap_error_elo": round(expected.gap_error),
        "separable_elo": round(expected.separable),
        "separable_ahead_percent": round(100 * expected.separable_ahead),
        "spread_elo": SPREAD_ELO,
    }


def left_to_play_ms(played_ms: int | None, *, done: int, total: int) -> int | None:
    """How long a session that is being played will go on, as fast as until now; None where that
    cannot be said yet. done, total: hands."""
    if played_ms is None or played_ms < MEASURED_MS or not done:
        return None
    return round(played_ms * max(0, total - done) / done)


def forecast_text(document: Document) -> str:
    """The forecast document in a few lines for people, ending with a newline."""
    lines = [("will take", _duration(document))]
    expected = document["precision"]
    if expected is not None:
        gap, apart = expected["gap_error_elo"], expected["separable_elo"]
        ahead, others = expected["separable_ahead_percent"], document["bots"] - 1
        found = f"in four of five sessions (the better one ahead in {ahead} % of hands)"
        lines += [
            ("ratings", f"± {expected['error_elo']} Elo, a difference of two ± {gap} Elo"),
            ("tells apart", f"bots {apart} Elo apart, {found}"),
            ("not separated", f"about {document['not_separated']} of {others} {_middle(expected)}"),
        ]
    width = max(len(head) for head, _ in lines)
    text = "".join(f"{head.ljust(width)}  {said}\n" for head, said in lines)
    return text + "".join(f"Warning: {warning}\n" for warning in document["warnings"])


def _middle(expected: Document) -> str:
    return f"from a bot in the middle, if strengths vary by {expected['spread_elo']:.0f} Elo"


def _duration(document: Document) -> str:
    most = f"at most {time_text(document['most_ms'])} if every bot uses all of its clock"
    speed = document["speed"]
    if document["rounds"] is None:
        return f"no fixed time; the rounds so far {most}"
    if speed is None:
        return f"{most}; no hand of such tables was measured"
    measured = f" ({speed['hands']} hands measured)" if speed["hands"] else ""
    each = f"at {speed['hand_ms'] / 1000:.3g} s a hand{measured}"
    return f"about {time_text(document['likely_ms'])}, {each}; {most}"


def time_text(ms: int) -> str:
    """A time as people say it: 45 s, 12 min, 3 h 20 min, 2 days 4 h."""
    seconds = math.ceil(ms / 1000)
    if seconds < 120:
        return f"{seconds} s"
    minutes = math.ceil(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} h" if hours else f"{days} days"
