"""Descriptions: what a schedule means for its bots, in words and as plain data.

Published before a session starts: how often pairs meet, who acts after whom, how many games
everybody gets. It draws nothing and knows no names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from arena.tournament.pairing.conflicts import Pairs
from arena.tournament.pairing.draws import LADDER
from arena.tournament.pairing.lineups import Schedule, pairs_that_meet, statistics
from arena.tournament.pairing.swiss import SWISS

MOST_SHOWN = 12
KINDS = {
    "complete": "every line-up equally often",
    "mendelsohn": "perfect Mendelsohn design",
    "balanced": "resolvable balanced design",
    "near_balanced": "near-balanced rounds",
    "mixed": "near-balanced rounds, tables of two sizes",
    "gauntlet": "gauntlet, the same bots at every table",
    "swiss": "balanced half, then Swiss rounds",
    "ladder": "ladder",
    "final": "final",
}


def describe(
    schedule: Schedule,
    *,
    owners: Sequence[str] = (),
    apart: Pairs = (),
    hands: int = 1,
    more_rounds: int = 0,
    replays: bool = False,
) -> str:
    """The schedule in a few lines, ending with a newline.

    `owners` of the roster and `apart` say which pairs never meet. `hands`: per table.
    `more_rounds`: Swiss rounds that are still to be drawn from the ranking. `replays`: every
    line-up plays as many tables as it has bots, with the same shuffles.
    """
    replicas = _replicas(schedule, replays=replays)
    lines = [
        *_shape(schedule, hands, replicas=replicas),
        *_evenness(schedule, owners, apart, hands=hands, replicas=replicas),
    ]
    if more_rounds and schedule.kind == SWISS:
        lines.append(("still to come", f"{_many(more_rounds, 'round')}, drawn from the ranking"))
    if schedule.kind == LADDER:
        lines.append(("still to come", "further rounds, each drawn from the ratings by then"))
    width = max(len(head) for head, _ in lines)
    return "".join(f"{head.ljust(width)}  {text}\n" for head, text in lines)


def schedule_document(
    schedule: Schedule,
    *,
    owners: Sequence[str] = (),
    apart: Pairs = (),
    hands: int = 1,
    more_rounds: int = 0,
    replays: bool = False,
) -> dict[str, object]:
    """The schedule and how even it is, as one JSON object; see `describe`."""
    even = statistics(schedule, owners=owners, apart=apart)
    tables = len(schedule.tables) * _replicas(schedule, replays=replays)
    return {
        "kind": schedule.kind,
        "bots": schedule.n,
        "seats": schedule.k,
        "house_bots": schedule.house,
        "hands_per_table": hands,
        "tables": tables,
        "hands": tables * hands,
        "meetings_min": even.meetings_min,
        "meetings_max": even.meetings_max,
        "meetings": _counts(schedule, owners, apart),
        "after_min": even.after_min,
        "after_max": even.after_max,
        "games": list(even.games),
        "rounds": [[list(table) for table in tables] for tables in schedule.rounds],
        "byes": [list(byes) for byes in schedule.byes],
        "rounds_to_come": more_rounds,
    }


def design_document(
    schedule: Schedule, *, owners: Sequence[str] = (), apart: Pairs = ()
) -> dict[str, object]:
    """How even the schedule is, without its tables. rounds: how many."""
    even = statistics(schedule, owners=owners, apart=apart)
    return {
        "kind": schedule.kind,
        "rounds": len(schedule.rounds),
        "house_bots": schedule.house,
        "meetings_min": even.meetings_min,
        "meetings_max": even.meetings_max,
        "meetings": _counts(schedule, owners, apart),
        "after_min": even.after_min,
        "after_max": even.after_max,
        "games_min": min(even.games, default=0),
        "games_max": max(even.games, default=0),
    }


def _counts(schedule: Schedule, owners: Sequence[str], apart: Pairs) -> dict[str, int]:
    counted = meetings(schedule, owners, apart)
    return {str(met): pairs for met, pairs in sorted(counted.items())}


def meetings(schedule: Schedule, owners: Sequence[str] = (), apart: Pairs = ()) -> Counter[int]:
    """How many pairs meet how often; pairs that never meet are left out."""
    met = Counter(pair for table in schedule.tables for pair in combinations(sorted(table), 2))
    return Counter(met[pair] for pair in pairs_that_meet(schedule.participants, owners, apart))


def tables_text(schedule: Schedule) -> str:
    """Every round on a line: tables in order of play, participants in order of their turns."""
    lines = []
    for number, (tables, byes) in enumerate(zip(schedule.rounds, schedule.byes, strict=True), 1):
        text = " | ".join(" ".join(str(bot) for bot in table) for table in tables)
        text += f" | bye: {' '.join(map(str, byes))}" if byes else ""
        lines.append(f"round {number}: {text}\n")
    return "".join(lines)


def _replicas(schedule: Schedule, *, replays: bool) -> int:
    """How many tables a line-up plays in a round."""
    return schedule.k if replays else 1


def _sizes(schedule: Schedule) -> list[int]:
    """How many seats its tables have, biggest first."""
    return sorted({len(table) for table in schedule.tables}, reverse=True)


def _shape(schedule: Schedule, hands: int, *, replicas: int) -> list[tuple[str, str]]:
    roster = _many(schedule.n, "bot")
    if schedule.house:
        roster += f" and {_many(schedule.house, 'house bot')}"
    tables = len(schedule.tables) * replicas
    kind = KINDS.get(schedule.kind, schedule.kind)
    return [
        ("schedule", f"{kind}, each table {replicas} times" if replicas > 1 else kind),
        ("roster", f"{roster}, {' or '.join(map(str, _sizes(schedule)))} at a table"),
        ("rounds", f"{len(schedule.rounds)}, {_many(tables, 'table')} in all"),
        ("hands", f"{tables * hands} in all, {hands} at a table"),
    ]


def _evenness(
    schedule: Schedule, owners: Sequence[str], apart: Pairs, *, hands: int, replicas: int
) -> list[tuple[str, str]]:
    even = statistics(schedule, owners=owners, apart=apart)
    counts = meetings(schedule, owners, apart)
    pairs = sum(counts.values())
    mean = sum(met * count for met, count in counts.items()) / max(1, pairs)
    byes = Counter(len(byes) for byes in schedule.byes)
    least, most = (games * replicas for games in (min(even.games), max(even.games)))
    return [
        (
            "each bot plays",
            f"{_span(least, most)} tables, {_span(least * hands, most * hands)} hands",
        ),
        ("byes a round", _span(min(byes, default=0), max(byes, default=0))),
        (
            "pairs meet",
            f"{_span(even.meetings_min, even.meetings_max)} times, {mean:.2f} on average",
        ),
        ("meetings: pairs", _histogram(counts)),
        ("acts after another", f"{_span(even.after_min, even.after_max)} times"),
    ]


def _histogram(counts: Counter[int]) -> str:
    """Meetings and the number of pairs that have each; the rarest left out if there are many."""
    listed = sorted(counts)[:MOST_SHOWN]
    text = ", ".join(f"{met}: {counts[met]}" for met in listed)
    return text + (" ..." if len(counts) > len(listed) else "")


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
