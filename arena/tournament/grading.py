"""Grading: is a student's bot ahead of a benchmark, by a statistical rule instead of luck?

Three verdicts from the ratings' own interval of the difference, with what is still missing to
decide. Reads ratings; estimates nothing, prints nothing, knows no files.

The interval is two-sided: with 95 %, a bot no better than the benchmark is called ahead in 2.5 % of
all sessions. An owner with m bots is graded by the best, so each bot gets one m-th of that chance
(Bonferroni): more tries give no more luck. The rule holds for one look at hands whose number was
fixed beforehand; whoever grades again until it says "ahead" passes by luck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.errors import BadInput
from arena.tournament.components import ABOVE, BELOW
from arena.tournament.gaps import Interval, gap_between
from arena.tournament.ratings import CONFIDENCE, Ratings
from arena.tournament.standings import PROVISIONAL_BLOCKS, Entrant
from arena.tournament.superiority import TIE_ELO, superiority

AHEAD, NOT_SEPARATED, BEHIND = "ahead", "not separated", "behind"
VERDICTS = (BEHIND, NOT_SEPARATED, AHEAD)
"""Worst to best."""
HOUSE = "house-"
"""Names that begin so are the arena's own: never a student's."""
MOST_LISTED = 20
LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999

NO_HANDS = "has played no hand"
NEVER_MET = "never met, not even by way of others"
FEW_BLOCKS = f"fewer than {PROVISIONAL_BLOCKS} blocks"
TIE = f"tie within {TIE_ELO:.0f} Elo"
ALWAYS_AHEAD, ALWAYS_BEHIND = "always ahead of the rest", "always behind the rest"


class Comparison(NamedTuple):
    """A bot against a benchmark.

    student: its owner, or its name if that is unknown. verdict: AHEAD, NOT_SEPARATED or BEHIND.
    gap: rating less the benchmark's, in Elo; low, high: its bounds, None where there is none; all
    three None if they cannot be compared. superiority: the likelihood of being better, from 0 to
    1, None if there are only bounds. confidence: of the interval low..high. hands, blocks, faults,
    forfeits: the bot's. more_hands: about how many hands each would still have to play, 0 if it
    is decided, None if that is unknown. note: why it is not decided, or what is odd.
    """

    student: str
    bot: str
    name: str
    benchmark: str
    verdict: str
    gap: float | None
    low: float | None
    high: float | None
    superiority: float | None
    confidence: float
    hands: int
    blocks: int
    faults: int
    forfeits: int
    more_hands: int | None
    note: str = ""

    @property
    def error(self) -> float | None:
        """The half-width of the interval, None for a bound."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


class Points(NamedTuple):
    """What each verdict is worth."""

    ahead: float = 1.0
    not_separated: float = 0.0
    behind: float = 0.0

    def of(self, verdict: str) -> float:
        """The points for a verdict."""
        return {AHEAD: self.ahead, NOT_SEPARATED: self.not_separated, BEHIND: self.behind}[verdict]


class Mark(NamedTuple):
    """A student against a benchmark: by the best of `comparisons`, which stands first."""

    benchmark: str
    comparisons: tuple[Comparison, ...]
    points: float
    most: float

    @property
    def best(self) -> Comparison:
        """The one that counts."""
        return self.comparisons[0]


class Grade(NamedTuple):
    """All marks of a student, in the order of the benchmarks."""

    student: str
    marks: tuple[Mark, ...]

    @property
    def points(self) -> float:
        """Of all marks together."""
        return math.fsum(mark.points for mark in self.marks)

    @property
    def most(self) -> float:
        """The points to be had."""
        return math.fsum(mark.most for mark in self.marks)


def check_points(points: Points) -> Points:
    """The points, if a better verdict is never worth less. Raises BadInput."""
    good = all(math.isfinite(value) for value in points)
    if not good or not points.ahead >= points.not_separated >= points.behind >= 0:
        expected = "three numbers, none below 0 and none larger than the one before"
        raise BadInput("points", ",".join(f"{value:g}" for value in points), expected)
    return points


def grades(
    ratings: Ratings,
    entrants: Sequence[Entrant],
    benchmarks: Sequence[str],
    *,
    points: Sequence[Points] = (Points(),),
    confidence: float = CONFIDENCE,
    students: Sequence[str] = (),
) -> tuple[Grade, ...]:
    """The grades of all students, by name; or of `students`: owners, names or ids of bots.

    `ratings` of one pool, with all `entrants` in their tally. `benchmarks`: names or ids of bots.
    `points`: one for all benchmarks, or one for each. Raises BadInput for names that are unknown or
    not unique, and for points or a confidence that make no sense.
    """
    if not LEAST_CONFIDENCE <= confidence <= MOST_CONFIDENCE:
        wanted = f"{100 * LEAST_CONFIDENCE:g} to {100 * MOST_CONFIDENCE:g}"
        raise BadInput("confidence", float(f"{100 * confidence:.6g}"), wanted)
    against = [_bot_named(entrants, name) for name in benchmarks]
    worth = _worth(points, against)
    owners = _owners([e for e in entrants if e not in against and not e.name.startswith(HOUSE)])
    chosen = _chosen(owners, students, against)
    return tuple(
        Grade(
            student,
            tuple(
                _mark(ratings, student, bots, benchmark=b, points=p, tail=_tail(confidence, all_))
                for b, p in zip(against, worth, strict=True)
            ),
        )
        for student, (bots, all_) in sorted(chosen.items(), key=lambda item: _by_name(item[0]))
    )


def _tail(confidence: float, bots: int) -> float:
    """The chance on either side of the interval of one of an owner's bots."""
    return (1 - confidence) / 2 / bots


def _by_name(name: str) -> tuple[str, str]:
    return name.casefold(), name


def _bot_named(entrants: Sequence[Entrant], name: str) -> Entrant:
    matches = [e for e in entrants if e.bot == name] or [e for e in entrants if e.name == name]
    if not matches:
        known = sorted(e.name or e.bot for e in entrants)
        listed = ", ".join(known[:MOST_LISTED]) + (", ..." if len(known) > MOST_LISTED else "")
        raise BadInput("benchmark", name, f"a bot of the records: {listed}")
    if len(matches) > 1:
        ids = ", ".join(sorted(e.bot for e in matches))
        raise BadInput("benchmark", name, f"an id, there are several of this name: {ids}")
    return matches[0]


def _worth(points: Sequence[Points], benchmarks: Sequence[Entrant]) -> list[Points]:
    if not benchmarks:
        raise BadInput("benchmarks", 0, "one or more")
    if len(set(benchmarks)) < len(benchmarks):
        raise BadInput("benchmarks", ", ".join(e.name for e in benchmarks), "each once")
    if len(points) not in (1, len(benchmarks)):
        expected = f"one for all, or one for each of {len(benchmarks)} benchmarks"
        raise BadInput("points", f"{len(points)} of them", expected)
    checked = [check_points(each) for each in points]
    return checked if len(checked) > 1 else checked * len(benchmarks)


def _owners(entrants: Sequence[Entrant]) -> dict[str, list[Entrant]]:
    """Everybody's bots; a bot whose owner is unknown is its own."""
    owners: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        owners.setdefault(entrant.owner or entrant.name or entrant.bot, []).append(entrant)
    return owners


def _chosen(
    owners: Mapping[str, list[Entrant]], students: Sequence[str], benchmarks: Sequence[Entrant]
) -> dict[str, tuple[list[Entrant], int]]:
    """For each student the bots to grade, and the number of all its bots."""
    if not students:
        return {owner: (bots, len(bots)) for owner, bots in owners.items()}
    chosen: dict[str, tuple[list[Entrant], int]] = {}
    for student in students:
        found = {
            owner: bots if owner == student else [e for e in bots if student in (e.name, e.bot)]
            for owner, bots in owners.items()
        }
        named = {owner: bots for owner, bots in found.items() if bots}
        if student in named:  # an owner's own name, before a bot of somebody else
            named = {student: named[student]}
        if len(named) != 1:
            what = "an owner or a bot in the records, no benchmark or house bot"
            raise BadInput("student", student, what if not named else "an id, or the owner's name")
        for owner, bots in named.items():
            before = chosen.get(owner, ([], 0))[0]
            more = [bot for bot in bots if bot not in before]
            chosen[owner] = ([*before, *more], len(owners[owner]))
    return chosen


def _mark(
    ratings: Ratings,
    student: str,
    bots: Sequence[Entrant],
    *,
    benchmark: Entrant,
    points: Points,
    tail: float,
) -> Mark:
    compared = [_compare(ratings, student, bot, benchmark=benchmark, tail=tail) for bot in bots]
    ordered = sorted(compared, key=_goodness, reverse=True)
    return Mark(
        benchmark=benchmark.name or benchmark.bot,
        comparisons=tuple(ordered),
        points=points.of(ordered[0].verdict),
        most=points.ahead,
    )


def _goodness(comparison: Comparison) -> tuple[int, float, str]:
    gap = -math.inf if comparison.gap is None else round(comparison.gap, 6)
    return VERDICTS.index(comparison.verdict), gap, comparison.bot


def _compare(
    ratings: Ratings, student: str, bot: Entrant, *, benchmark: Entrant, tail: float
) -> Comparison:
    blank = _blank(ratings, student, bot, benchmark=benchmark, tail=tail)
    group = next((g for g in ratings.groups if bot.bot in g.bots), None)
    if group is None or benchmark.bot not in group.bots:
        return blank._replace(note=NEVER_MET if blank.hands else NO_HANDS)
    at = group.bots.index(bot.bot), group.bots.index(benchmark.bot)
    component = group.strata.component
    interval = gap_between(group, *at, tail=tail)
    fewest = int(min(group.blocks[i] for i in at))
    verdict = _verdict(interval) if fewest >= PROVISIONAL_BLOCKS else NOT_SEPARATED
    played = min(blank.hands, _count(ratings, benchmark.bot))
    return blank._replace(
        verdict=verdict,
        gap=interval.gap,
        low=_finite(interval.low),
        high=_finite(interval.high),
        superiority=(
            superiority(group, bot.bot, benchmark.bot)
            if component[at[0]] == component[at[1]]
            else None
        ),
        blocks=int(group.blocks[at[0]]),
        more_hands=_missing(interval, verdict, played=played, blocks=fewest),
        note=_note(interval, bound=group.bounds[at[0]], blocks=fewest),
    )


def _blank(
    ratings: Ratings, student: str, bot: Entrant, *, benchmark: Entrant, tail: float
) -> Comparison:
    """What is known without a rating."""
    counted = ratings.tally
    at = counted.bots.index(bot.bot)
    return Comparison(
        student=student,
        bot=bot.bot,
        name=bot.name or bot.bot,
        benchmark=benchmark.name or benchmark.bot,
        verdict=NOT_SEPARATED,
        gap=None,
        low=None,
        high=None,
        superiority=None,
        confidence=1 - 2 * tail,
        hands=int(counted.hands[at]),
        blocks=0,
        faults=int(counted.faults[at]),
        forfeits=int(counted.forfeits[at]),
        more_hands=None,
    )


def _count(ratings: Ratings, bot: str) -> int:
    return int(ratings.tally.hands[ratings.tally.bots.index(bot)])


def _verdict(interval: Interval) -> str:
    if interval.low > 0:
        return AHEAD
    return BEHIND if interval.high < 0 else NOT_SEPARATED


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _missing(interval: Interval, verdict: str, *, played: int, blocks: int) -> int | None:
    """Hands that each would still have to play: played·((error/gap)² - 1), and enough blocks."""
    if verdict != NOT_SEPARATED:
        return 0
    side = interval.gap - interval.low if interval.gap > 0 else interval.high - interval.gap
    few = max(0, PROVISIONAL_BLOCKS - blocks)
    for_blocks = math.ceil(few * played / max(1, blocks))
    if _verdict(interval) != NOT_SEPARATED:
        return for_blocks
    if not math.isfinite(side) or abs(interval.gap) < 1e-6:
        return None
    return max(1, for_blocks, math.ceil(played * ((side / interval.gap) ** 2 - 1)))


def _note(interval: Interval, *, bound: str, blocks: int) -> str:
    notes = [FEW_BLOCKS] if blocks < PROVISIONAL_BLOCKS else []
    if max(abs(interval.low), abs(interval.high)) <= TIE_ELO:
        notes.append(TIE)
    if bound:
        notes.append({ABOVE: ALWAYS_AHEAD, BELOW: ALWAYS_BEHIND}[bound])
    return "; ".join(notes)
