"""Standings: the rows of the table, in their order, from hands and entrants.

Pure: the same hands and entrants give the same standings, in whatever order the hands come. It
rates nothing itself (see `ratings`) and prints nothing (see `layouts`, `documents`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from arena.errors import BadInput
from arena.tournament.distributions import Floats
from arena.tournament.models import BRADLEY_TERRY, rate_by
from arena.tournament.ratings import ANCHOR_BLOCKS, Group, Ratings
from arena.tournament.results import HandResult
from arena.tournament.superiority import rank_ranges, superiority_matrix
from arena.tournament.tallies import BlockTally

PROVISIONAL_BLOCKS = 5
"""With fewer blocks a bot's error is a guess: it is listed after the others, without a range."""

RATED, PROVISIONAL, WITHDRAWN, UNRATED = "rated", "provisional", "withdrawn", "unrated"
STATUSES = (RATED, PROVISIONAL, WITHDRAWN, UNRATED)
"""In the order of the table. `withdrawn` is who left before half of its hands."""


class Entrant(NamedTuple):
    """What standings show of a bot besides its hands.

    bot: its identity, as in the hands. name: displayed, the identity if empty. entry: when it
    entered, smaller is earlier. withdrawn: also if it was disqualified. hands_due: hands it was to
    play, if known. points: by the ruleset's own scoring. move_ms: mean thinking time per move.
    reason: why it was taken out, where that is shown. division: its id, empty for none. clock: of a
    person, empty for a program.
    """

    bot: str
    name: str = ""
    owner: str = ""
    entry: int = 0
    withdrawn: bool = False
    disqualified: bool = False
    hands_due: int | None = None
    points: float | None = None
    move_ms: float | None = None
    reason: str = ""
    division: str = ""
    clock: str = ""


class DivisionFacts(NamedTuple):
    """Whose standings these are, if not those of all: id and name of the division, how many of the
    listed bots are in it, and the name of the bot at 1500, which may be in another."""

    id: str
    name: str
    members: int
    listed: int
    anchor: str


class Facts(NamedTuple):
    """What the header and the footer say of the session; what is empty is left out.

    meetings: the least and the most meetings of a pair in the schedule. reseat_every: hands, 0 for
    never. commitment: to the session's seed. partial_blocks: blocks of aborted tables. divisions:
    ids and names. division: whose standings these are, None for all.
    """

    session: str = ""
    ruleset: str = ""
    fingerprint: str = ""
    seats: int | None = None
    schedule: str = ""
    rounds: int | None = None
    meetings: tuple[int, int] | None = None
    reseat_every: int | None = None
    deals: str = ""
    commitment: str = ""
    version: str = ""
    partial_blocks: int = 0
    divisions: tuple[tuple[str, str], ...] = ()
    division: DivisionFacts | None = None


class Row(NamedTuple):
    """One bot. Shares are from 0 to 1; None is "not known", never zero.

    position: in the ranking, None if unranked. ranks: simultaneous 95 % range. elo: the estimate,
    also for a bounded bot; error: its 95 % half-width, None if bounded. bound: `>` or `<` for a
    component that was always ahead of the rest, or behind; bound_elo: the one-sided 95 % bound.
    ahead: share of its pairs. place: mean place. first, last: shares of its hands. superiority:
    over the next row of the same status.
    opposition: mean Elo of those without a bound that it met, weighted by meetings. clock: of a
    person, empty for a program.
    """

    bot: str
    name: str
    owner: str
    status: str
    withdrawn: bool
    disqualified: bool
    anchor: bool
    position: int | None
    ranks: tuple[int, int] | None
    elo: float | None
    error: float | None
    bound: str
    bound_elo: float | None
    ahead: float | None
    place: float | None
    first: float | None
    last: float | None
    hands: int
    blocks: int
    faults: int
    forfeits: int
    superiority: float | None
    points: float | None
    opposition: float | None
    move_ms: float | None
    reason: str = ""
    division: str = ""
    clock: str = ""


class Section(NamedTuple):
    """A ranking of bots that can be compared. anchor: the bot at 1500 Elo, None for the mean."""

    rows: tuple[Row, ...]
    anchor: str | None
    design_effect: float | None


@dataclass(frozen=True, eq=False)
class Standings:
    """All of it: one section, or several with a warning if some bots never met."""

    facts: Facts
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    hands: int
    blocks: int
    ratings: Ratings
    model: str = BRADLEY_TERRY


def compile_standings(
    hands: Iterable[HandResult],
    entrants: Sequence[Entrant] = (),
    *,
    facts: Facts | None = None,
    anchor: str | None = None,
    anchor_blocks: int = ANCHOR_BLOCKS,
    model: str = BRADLEY_TERRY,
) -> Standings:
    """The standings of one pool. Bots without an entrant get one; entrants without hands a row.

    `anchor` as in `ratings.rate_tally`, `model` one of `models.MODELS`. Raises BadInput for mixed
    pools, impossible hands, an unknown anchor or model, or an entrant that is there twice.
    """
    roster = _roster(entrants)
    rated = rate_by(hands, model=model, roster=roster, anchor=anchor, anchor_blocks=anchor_blocks)
    known = {bot: Entrant(bot) for bot in rated.tally.bots} | {e.bot: e for e in entrants}
    sections = [_section(rated.tally, group, known) for group in rated.groups]
    header = facts or Facts()
    return Standings(
        facts=header,
        sections=_with_unrated(sections, [_blank(rated.tally, known[b]) for b in rated.unrated]),
        warnings=tuple(_warnings(rated, header, anchor and (known[anchor].name or anchor))),
        hands=rated.tally.total,
        blocks=len(rated.tally.blocks),
        ratings=rated,
        model=model,
    )


def _roster(entrants: Sequence[Entrant]) -> list[str]:
    roster = [entrant.bot for entrant in entrants]
    twice = [bot for bot in sorted(set(roster)) if roster.count(bot) > 1]
    if twice:
        raise BadInput("entrant", twice[0], "every bot once")
    return roster


def _warnings(rated: Ratings, facts: Facts, anchor: str | None) -> Iterable[str]:
    """Sentences for people. anchor: the name of the wanted one."""
    if not rated.groups:
        yield "No hand has been finished: there is nothing to rate."
    if len(rated.groups) > 1:
        yield (
            "Some bots never met, not even by way of others: separate tables, "
            "whose numbers cannot be compared."
        )
    if anchor is not None and rated.groups and all(g.anchor is None for g in rated.groups):
        yield f"{anchor} cannot carry the scale (too few blocks, or bounded): the mean is 1500."
    if any(group.design_effect is None for group in rated.groups):
        yield (
            "Too few blocks, or too even ones, to show their spread: errors take hands to be "
            "independent, which is too hopeful."
        )
    if facts.partial_blocks:
        yield f"Partial blocks, of tables that were aborted: {facts.partial_blocks}."


def _with_unrated(sections: Sequence[Section], rows: Sequence[Row]) -> tuple[Section, ...]:
    """Bots without a pair follow the ranking; if there are several rankings, they stand apart."""
    extra = tuple(sorted(rows, key=lambda row: (row.name, row.bot)))
    if not extra:
        return tuple(sections)
    if len(sections) == 1:
        return (sections[0]._replace(rows=sections[0].rows + extra),)
    return (*sections, Section(extra, anchor=None, design_effect=None))


def _section(counted: BlockTally, group: Group, entrants: Mapping[str, Entrant]) -> Section:
    rows = [_row(counted, group, at, entrants[bot]) for at, bot in enumerate(group.bots)]
    ordered = _ordered(rows, group, entrants)
    sure = [row.bot for row in ordered if row.status == RATED]
    ranges = rank_ranges(group, sure) if sure else {}
    chances = superiority_matrix(group)
    placed = [
        row._replace(
            position=at if row.status in (RATED, PROVISIONAL) else None,
            ranks=ranges.get(row.bot),
            superiority=_over(chances, group.bots, row=row, below=below),
        )
        for at, (row, below) in enumerate(zip(ordered, [*ordered[1:], None], strict=True), 1)
    ]
    return Section(tuple(placed), anchor=group.anchor, design_effect=group.design_effect)


def _over(chances: Floats, bots: Sequence[str], *, row: Row, below: Row | None) -> float | None:
    """The superiority over the next row, if that is of the same status and so ordered by Elo."""
    if below is None or below.status != row.status:
        return None
    return float(chances[bots.index(row.bot), bots.index(below.bot)])


def _row(counted: BlockTally, group: Group, at: int, entrant: Entrant) -> Row:
    bound = group.bounds[at]
    meetings = (group.points[at] + group.points[:, at]) / 2
    return _blank(counted, entrant)._replace(
        status=_status(counted, entrant, int(group.blocks[at])),
        anchor=group.anchor == entrant.bot,
        elo=_item(group.elo, at),
        error=None if bound else _item(group.errors, at),
        bound=bound,
        bound_elo=_item(group.bound_elo, at) if bound else None,
        ahead=float(group.points[at].sum() / 2 / meetings.sum()),
        blocks=int(group.blocks[at]),
        opposition=_opposition(group, at),
    )


def _opposition(group: Group, at: int) -> float | None:
    """The mean Elo of those a bot met, by meetings; a bound is no number to take a mean of."""
    free = np.array([not bound for bound in group.bounds])
    meetings = (group.points[at] + group.points[:, at]) * free
    return float(meetings @ group.elo / meetings.sum()) if meetings.any() else None


def _item(values: Floats, at: int) -> float:
    return float(values[at])


def _blank(counted: BlockTally, entrant: Entrant) -> Row:
    """The row of a bot as far as its hands can be counted, still without a rating."""
    at = counted.bots.index(entrant.bot)
    placed = int(counted.placed[at])
    return Row(
        bot=entrant.bot,
        name=entrant.name or entrant.bot,
        owner=entrant.owner,
        status=UNRATED,
        withdrawn=entrant.withdrawn,
        disqualified=entrant.disqualified,
        anchor=False,
        position=None,
        ranks=None,
        elo=None,
        error=None,
        bound="",
        bound_elo=None,
        ahead=None,
        place=int(counted.places[at]) / 2 / placed if placed else None,
        first=int(counted.firsts[at]) / placed if placed else None,
        last=int(counted.lasts[at]) / placed if placed else None,
        hands=int(counted.hands[at]),
        blocks=0,
        faults=int(counted.faults[at]),
        forfeits=int(counted.forfeits[at]),
        superiority=None,
        points=entrant.points,
        opposition=None,
        move_ms=entrant.move_ms,
        division=entrant.division,
        reason=entrant.reason,
        clock=entrant.clock,
    )


def _status(counted: BlockTally, entrant: Entrant, blocks: int) -> str:
    """Withdrawn bots stay ranked once they have played half of their hands."""
    played = int(counted.hands[counted.bots.index(entrant.bot)])
    if entrant.withdrawn and (entrant.hands_due is None or 2 * played < entrant.hands_due):
        return WITHDRAWN
    return PROVISIONAL if blocks < PROVISIONAL_BLOCKS else RATED


def _ordered(rows: Sequence[Row], group: Group, entrants: Mapping[str, Entrant]) -> list[Row]:
    """By status and Elo; ties by ahead%, head to head, 1st%, last%, faults, entry, name."""
    ordered: list[Row] = []
    for _, tied in groupby(sorted(rows, key=_rank_key), key=_rank_key):
        ordered.extend(_league(list(tied), group, entrants))
    return ordered


def _league(tied: list[Row], group: Group, entrants: Mapping[str, Entrant]) -> list[Row]:
    """The tied in order, head to head counting only the pairs among themselves."""
    shares = _head_to_head(group, [row.bot for row in tied])
    return sorted(tied, key=lambda row: _tie_key(row, shares[row.bot], entrants[row.bot]))


def _rank_key(row: Row) -> tuple[int, float, float]:
    """Rounded, so that what is equal but for the last bits of a float is a tie."""
    return STATUSES.index(row.status), -round(row.elo or 0.0, 6), -round(row.ahead or 0.0, 9)


def _tie_key(
    row: Row, share: float, entrant: Entrant
) -> tuple[float, float, float, int, int, str, str]:
    return (
        -share,
        -(row.first or 0.0),
        row.last or 0.0,
        row.faults,
        entrant.entry,
        row.name,
        row.bot,
    )


def _head_to_head(group: Group, tied: Sequence[str]) -> dict[str, float]:
    """Each one's share of the pairs among the tied, 1/2 where they never met."""
    at = [group.bots.index(bot) for bot in tied]
    points = group.points[np.ix_(at, at)]
    ahead, behind = points.sum(axis=1), points.sum(axis=0)
    pairs = np.maximum(ahead + behind, 1)
    shares = np.where(ahead + behind > 0, ahead / pairs, 0.5)
    return dict(zip(tied, shares.tolist(), strict=True))
