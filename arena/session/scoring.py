"""Scoring: from hands that have ended and bots that took part to standings.

The one way there, for the referee, who reads its store, and for `arena rate`, which reads record
files: the same hands and bots give the same standings, to the byte, in whatever order they come.
Pure: it reads no store and no clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from arena import __version__
from arena.documents import Document
from arena.session.apart import read_pairs
from arena.session.counting import Participant, is_barred
from arena.session.deal_groups import replicas
from arena.session.results import rated_result
from arena.statuses import BotKind, EntryStatus
from arena.tournament.alerts import Seated
from arena.tournament.pairing.lineups import Schedule, statistics
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant, Facts


class ScoredHand(NamedTuple):
    """A hand that has ended. bots: by player, the index at the table, as are points, moves and
    charged_ms; seats: the bots by seat, none if the hand was not played. hand: its id, where that
    is known; causes: who failed in it, and how, each time."""

    result: HandResult
    bots: tuple[str, ...]
    seats: tuple[str, ...]
    points: tuple[float, ...]
    moves: tuple[int, ...]
    charged_ms: tuple[int, ...]
    hand: str = ""
    causes: tuple[tuple[str, str], ...] = ()


def played(
    said: Mapping[str, Any],
    *,
    bots: Sequence[str],
    seating: Sequence[int],
    block: str,
    pool: str,
    hand: str = "",
) -> ScoredHand:
    """A hand from its result as it is stored, and in records."""
    result = rated_result(dict(said), players=bots, block=block, pool=pool)
    seats = () if result.forfeits else tuple(bots[player] for player in seating)
    nothing = (0,) * len(bots)
    return ScoredHand(
        result,
        tuple(bots),
        seats,
        points=tuple(said.get("points", nothing)),
        moves=tuple(said.get("moves", nothing)),
        charged_ms=tuple(said.get("charged_ms", nothing)),
        hand=hand,
        causes=tuple((bots[fault["player"]], fault["cause"]) for fault in said["faults"]),
    )


def seated(hands: Iterable[ScoredHand]) -> tuple[Seated, ...]:
    """The hands that were played, with who sat where."""
    return tuple(Seated(hand.result, hand.seats) for hand in hands if hand.seats)


def entrants(
    hands: Iterable[ScoredHand], people: Sequence[Participant], due: Mapping[str, int]
) -> list[Entrant]:
    """Everybody the standings list: who entered and stayed, who was scheduled, who played.

    due: how many hands the schedule has for each bot.
    """
    return listed(totals(hands), people, due)


def listed(
    gathered: Mapping[str, BotTotals], people: Sequence[Participant], due: Mapping[str, int]
) -> list[Entrant]:
    """The same from what each bot has gathered."""
    house = {each.bot: each for each in people if each.status == BotKind.HOUSE}
    present = {*due, *gathered}
    present_people = [
        each
        for each in people
        if each.bot not in house and (each.status == EntryStatus.ENTERED or each.bot in present)
    ]
    known = {each.bot for each in present_people}
    for number, bot in enumerate(sorted(present - known), start=len(present_people) + 1):
        other = house.get(bot, Participant(bot, bot, "", 0, BotKind.HOUSE))
        present_people.append(other._replace(number=number))
    return [_entrant(each, due.get(each.bot), gathered.get(each.bot)) for each in present_people]


class BotTotals:
    """What one bot has gathered so far. Sums are exact, so that their order is of no matter."""

    def __init__(self) -> None:
        self.earned: list[float] = []
        self.moves = 0
        self.charged_ms = 0

    def add(self, other: BotTotals) -> None:
        """Put what another sum has to this one."""
        self.earned += other.earned
        self.moves += other.moves
        self.charged_ms += other.charged_ms


def totals(hands: Iterable[ScoredHand]) -> dict[str, BotTotals]:
    """What each bot has gathered in some hands."""
    by_bot: dict[str, BotTotals] = {}
    for hand in hands:
        for player, bot in enumerate(hand.bots):
            total = by_bot.setdefault(bot, BotTotals())
            total.earned.append(hand.points[player])
            total.moves += hand.moves[player]
            total.charged_ms += hand.charged_ms[player]
    return by_bot


def together(parts: Iterable[Mapping[str, BotTotals]]) -> dict[str, BotTotals]:
    """What each bot has gathered in all parts."""
    by_bot: dict[str, BotTotals] = {}
    for part in parts:
        for bot, total in part.items():
            by_bot.setdefault(bot, BotTotals()).add(total)
    return by_bot


def _entrant(person: Participant, due: int | None, total: BotTotals | None) -> Entrant:
    if is_barred(person.status):
        total = None
    return Entrant(
        person.bot,
        name=person.name,
        owner=person.owner,
        entry=person.number,
        withdrawn=person.status in (EntryStatus.WITHDRAWN, EntryStatus.DISQUALIFIED),
        disqualified=person.status == EntryStatus.DISQUALIFIED,
        hands_due=due,
        points=None if total is None else math.fsum(total.earned),
        move_ms=total.charged_ms / total.moves if total is not None and total.moves else None,
        reason=person.reason,
        division=person.division,
        clock=person.clock,
    )


def hands_due(
    schedule: Document | None, hands_per_table: int, *, deals: str, seats: int | None
) -> dict[str, int]:
    """How many hands a stored schedule has for each bot at tables of this number of seats."""
    if schedule is None:
        return {}
    due = dict.fromkeys(schedule["roster"], 0)
    for line_up in chain.from_iterable(schedule["rounds"]):
        if len(line_up) == seats:
            for index in line_up:
                due[schedule["roster"][index]] += hands_per_table * replicas(deals, line_up)
    return due


def usual_seats(rounds: Iterable[Sequence[Sequence[int]]], seats: int) -> int:
    """How many seats the bigger tables of a schedule have; `seats`, as the session's document says,
    if there is no table."""
    return max(map(len, chain.from_iterable(rounds)), default=seats)


def meetings(schedule: Document) -> tuple[int, int]:
    """How often the pairs of a stored schedule meet: the least and the most."""
    drawn = Schedule(
        schedule["kind"],
        schedule["n"],
        schedule["k"],
        rounds=tuple(tuple(map(tuple, tables)) for tables in schedule["rounds"]),
        byes=tuple(map(tuple, schedule["byes"])),
        house=schedule["house"],
    )
    even = statistics(
        drawn,
        owners=list(map(str, schedule.get("owners") or ())),
        apart=read_pairs(schedule.get("apart")),
    )
    return even.meetings_min, even.meetings_max


def facts(
    document: Mapping[str, Any],
    *,
    fingerprint: str,
    seats: int | None,
    schedule: Document | None,
    commitment: str,
    aborted: int,
) -> Facts:
    """What stands above and below a session's standings. fingerprint, seats: of the tables that
    count; aborted: tables that were cut short."""
    return Facts(
        session=document["name"],
        ruleset=ruleset_name(document["ruleset"]),
        fingerprint=fingerprint,
        seats=seats,
        schedule="" if schedule is None else schedule["kind"],
        rounds=None if schedule is None else len(schedule["rounds"]),
        meetings=None if schedule is None else meetings(schedule),
        reseat_every=document["reseat_every"],
        deals=document["deals"],
        commitment=commitment,
        version=__version__,
        partial_blocks=aborted,
        divisions=tuple((each["id"], each["name"]) for each in document["divisions"]),
    )


def ruleset_name(ruleset: Mapping[str, Any]) -> str:
    """A ruleset as people write it."""
    options = [f"{name}={value}" for name, value in ruleset["options"].items()]
    return " + ".join([ruleset["preset"], *ruleset["patches"], *options])
