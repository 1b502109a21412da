"""The statistics of the tournament, measured again on the real engine.

What `arena bench statistics` prints: how much it matters who sits before whom, how much variance
replayed shuffles take out, whether the 95 % intervals hold the truth, in small sessions too, and
what hands in a row at one table cost. One process, everything drawn from a seed; `scale` trades
time for certainty.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from arena.bench.strategies import FIELD, HEURISTIC, TWIN, player
from arena.match.tables import PlayedHand, TableSetup, play_table
from arena.rules import Ruleset, compile_ruleset
from arena.rules.short_form import seated
from arena.tournament.alerts import helps, raised
from arena.tournament.distributions import Floats, t_quantile
from arena.tournament.pairing.balance import near_balanced
from arena.tournament.pairing.schedules import Schedule
from arena.tournament.pairing.seatings import BALANCED
from arena.tournament.ratings import ELO_PER_LOGIT, Group, rate
from arena.tournament.results import HandResult
from arena.tournament.superiority import freedom, gap_errors

RULESETS = ("pagat", "pagat+kakumei+hachi_giri+shibari", "uecda")
SEATS = (4, 5)
HANDS = 10
LONG = 100
LONGER = 5
"""Sessions that make one in which every pair meets often enough for alerts."""
SMALL = (5, 8)
"""Blocks of a bot in a small session."""
TWINNED = (HEURISTIC, "lowest", "sense-50")
TWINS = (*FIELD[:8], "random", *(bot + TWIN for bot in TWINNED))
"""The field of small sessions: three of its bots are there twice."""
LEFT_OUT = ("saving-8", "sense-30")
"""Not at tables of five, for which ten bots are enough."""
Tell = Callable[[str], None]


class Ground(NamedTuple):
    """What one measurement stands on."""

    rules: Ruleset
    seed: int
    scale: float

    @property
    def seats(self) -> int:
        """Bots at a table."""
        return self.rules.players

    def times(self, count: int, least: int = 2) -> int:
        """A number of repetitions, scaled."""
        return max(least, round(count * self.scale))

    def table(self, bots: Sequence[str], block: str, hands: int, **more: Any) -> list[PlayedHand]:
        """Play a table of strategies; the block's name is the name of its shuffles and seats."""
        seated = {"shuffles": block, "seats": block, **more}
        setting = TableSetup(
            self.rules, block, "bench", tuple(bots), hands=hands, seed=self.seed, **seated
        )
        players = [player(bot, setting, seed=f"{self.seed}/{setting.turned}") for bot in bots]
        return play_table(setting, players)


class Figure(NamedTuple):
    """One measured number. error: its standard error, None where none is known."""

    what: str
    value: float
    error: float | None = None


def ground(
    spec: Mapping[str, Any] | str, seats: int, *, seed: int = 1, scale: float = 1.0
) -> Ground:
    """The ground of a ruleset like `pagat+kakumei` at a number of seats."""
    return Ground(compile_ruleset(seated(spec, seats)), seed, scale)


def measure(
    on: Ground, tell: Tell = lambda what: None, *, only: Sequence[str] = ()
) -> Iterator[Figure]:
    """All figures, one experiment after the other; or of those that are named in `only`."""
    for name, experiment in EXPERIMENTS.items():
        if not only or name in only:
            tell(name.replace("_", " "))
            yield from experiment(on)


# Who sits before a bot


def seat_order(on: Ground) -> Iterator[Figure]:
    """Elo by who acts directly before a bot, in line-ups that keep one order for a table."""
    bots = (HEURISTIC, "lowest", "saving-5", "sense-50", "random")[: on.seats]
    shares = _shares_by_neighbour(on, bots)
    effects, noises, contrasts = [], [], []
    for bot in bots:
        rows = [shares[bot, other] for other in bots if other != bot]
        means = np.array([np.mean(row) for row in rows])
        errors = np.array([np.std(row, ddof=1) / math.sqrt(len(row)) for row in rows])
        slope = ELO_PER_LOGIT / (means.mean() * (1 - means.mean()))
        effects.append(np.var(means, ddof=1) * slope**2)
        noises.append(np.mean(errors**2) * slope**2)
        top, low = int(means.argmax()), int(means.argmin())
        gap = (means[top] - means[low]) * slope
        contrasts.append((gap, math.hypot(errors[top], errors[low]) * slope))
    real = math.sqrt(max(0.0, float(np.mean(effects) - np.mean(noises))))
    largest, error = max(contrasts)
    yield Figure("seat order: sd of a bot's Elo over who sits before it", real)
    yield Figure("seat order: largest difference for a bot, Elo", float(largest), float(error))


def _shares_by_neighbour(on: Ground, bots: Sequence[str]) -> dict[tuple[str, str], list[float]]:
    """Shares of the pairs that a bot won at a table, by bot and by who acts directly before it."""
    orders = BALANCED[on.seats]
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number in range(on.times(360 // len(orders))):
        for at, order in enumerate(orders):
            line = [bots[i] for i in order]
            block = f"order {at}/{number}"
            played = on.table(line, block, HANDS, reseat_every=0)
            for bot, share in zip(line, _shares(line, [h.result for h in played]), strict=True):
                shares[bot, line[line.index(bot) - 1]].append(share)
    return shares


def _shares(bots: Sequence[str], hands: Sequence[HandResult]) -> list[float]:
    """The share of others that each bot finished ahead of."""
    size = len(bots)
    places = dict.fromkeys(bots, 0)
    for hand in hands:
        for bot, place in zip(hand.bots, hand.finish, strict=True):
            places[bot] += place
    return [(size - places[bot] / len(hands)) / (size - 1) for bot in bots]


# The same shuffles again with the seats moved on


def replayed(on: Ground) -> Iterator[Figure]:
    """How many times fewer hands `rotate` needs than `fresh`, for a hand alone and in a row."""
    for hands, reseat, count in ((1, 1, 600), (HANDS, 0, 150), (HANDS, 1, 150)):
        plain = _hand_variance(on, hands, reseat=reseat, turns=1, count=2 * count)
        again = _hand_variance(on, hands, reseat=reseat, turns=on.seats, count=count)
        kind = "" if hands == 1 else ", reseating" if reseat else ", one order"
        spread = math.sqrt(3 / (on.times(count) * (on.seats - 1)))
        factor = plain / again
        yield Figure(f"rotate: times fewer hands, {hands} in a row{kind}", factor, factor * spread)


def _hand_variance(on: Ground, hands: int, *, reseat: int, turns: int, count: int) -> float:
    """Variance of the bots' mean shares in a block, times the hands of the block."""
    bots = ("lowest", "saving-8", "sense-85", "sense-70", "saving-5")[: on.seats]
    rows = []
    for number in range(on.times(count)):
        block = f"replay {hands}/{reseat}/{turns}/{number}"
        played = [
            on.table(bots, block, hands, turned=turn, reseat_every=reseat) for turn in range(turns)
        ]
        rows.append(_shares(bots, [hand.result for table in played for hand in table]))
    return float(np.var(np.array(rows), axis=0, ddof=1).mean()) * hands * turns


# Whole sessions


def sessions(on: Ground) -> Iterator[Figure]:
    """Do the intervals of 200 sessions hold the truth? And the design effect of 1, 5, 10 hands."""
    schedule, bots = _schedule(on, FIELD[: 2 * on.seats])
    played = [_session(on, schedule, bots, f"s{at}") for at in range(on.times(200))]
    truth = _only([hand for session in played for hand in session])
    inside, pairs, effects = [], [], []
    for session in played:
        group = _only(session)
        inside.append(np.abs(group.elo - truth.elo) <= group.errors)
        pairs.append(_pairs_inside(group, truth))
        effects.append(group.design_effect or math.nan)
    yield Figure("coverage of the 95 % intervals, %", 100 * float(np.mean(inside)), _sd(inside))
    yield Figure("coverage of 95 % for differences, %", 100 * float(np.mean(pairs)), _sd(pairs))
    yield Figure("spread of the field: sd, Elo", float(np.std(truth.elo)))
    yield Figure("design effect of one session", float(np.mean(effects)))
    yield _false_alarms(played)
    for hands in (1, 5, HANDS):
        first = [hand for session in played for hand in _first(session, hands)]
        yield from _cost(_only(first), hands, len(first))


def _false_alarms(sessions: Sequence[Sequence[HandResult]]) -> Figure:
    """How often honest bots are suspected of helping each other, in sessions of 30 rounds."""
    longer = [
        [hand for session in sessions[at : at + LONGER] for hand in session]
        for at in range(0, len(sessions), LONGER)
    ]
    alarms = [100.0 * any(map(raised, helps(rate(hands)))) for hands in longer]
    error = float(np.std(alarms)) / math.sqrt(len(alarms))
    return Figure("collusion: sessions with a false alarm, %", float(np.mean(alarms)), error)


def _sd(rows: Sequence[Any]) -> float:
    """The standard error of a share in per cent, over sessions."""
    means = [float(np.mean(row)) for row in rows]
    return 100 * float(np.std(means, ddof=1)) / math.sqrt(len(means))


def _pairs_inside(group: Group, truth: Group) -> Any:
    off = np.subtract.outer(group.theta - truth.theta, group.theta - truth.theta)
    quantiles = t_quantile(0.975, freedom(group).ravel()).reshape(off.shape)
    held = np.abs(off) <= quantiles * gap_errors(group)
    return held[np.triu_indices(len(group.bots), 1)]


def _schedule(on: Ground, bots: Sequence[str]) -> tuple[Schedule, Sequence[str]]:
    return near_balanced(len(bots), on.seats, rounds=6, seed=on.seed), bots


def _session(
    on: Ground, schedule: Schedule, bots: Sequence[str], name: str, *, same: bool = False
) -> list[HandResult]:
    """All hands of a session. same: all tables of a round share their shuffles."""
    results = []
    for round_, tables in enumerate(schedule.rounds):
        for number, table in enumerate(tables):
            shuffles = {"shuffles": f"{name}/{round_}"} if same else {}
            line = [bots[at] for at in table]
            played = on.table(line, f"{name}/{round_}/{number}", HANDS, **shuffles)
            results += [hand.result for hand in played]
    return results


def _first(hands: Sequence[HandResult], count: int) -> Iterator[HandResult]:
    """The first hands of every block."""
    for _, block in itertools.groupby(hands, key=lambda hand: hand.block):
        yield from itertools.islice(block, count)


def _only(hands: Sequence[HandResult]) -> Group:
    return rate(hands).groups[0]


def _cost(group: Group, hands: int, total: int) -> Iterator[Figure]:
    """The design effect, and the power to separate: spread over error, squared, per 1000 hands."""
    spread, error = float(np.var(group.theta)), float(np.mean(np.diag(group.covariance)))
    yield Figure(f"design effect, {hands} hands a table", group.design_effect or math.nan)
    yield Figure(f"power for 1000 hands, {hands} hands a table", spread / error * 1000 / total)


def common(on: Ground) -> Iterator[Figure]:
    """Variance of the ratings of sessions whose rounds share shuffles, against fresh ones."""
    schedule, bots = _schedule(on, [bot for bot in FIELD if bot != HEURISTIC][: 2 * on.seats - 1])
    variance: list[float] = []
    count = on.times(120)
    for same in (False, True):
        thetas = [
            _only(_session(on, schedule, bots, f"c{same}{at}", same=same)).theta
            for at in range(count)
        ]
        centred: Floats = np.array([theta - theta.mean() for theta in thetas])
        variance.append(float(np.var(centred, axis=0, ddof=1).mean()))
    spread = 2 / math.sqrt((count - 1) * (len(bots) - 1))
    factor = variance[0] / variance[1]
    yield Figure("common: times fewer hands", factor, factor * spread)


def long_tables(on: Ground) -> Iterator[Figure]:
    """The design effect of 10, 20 and 100 hands at a table."""
    schedule, bots = _schedule(on, FIELD[: 2 * on.seats])
    tables = itertools.islice(itertools.cycle(schedule.tables), on.times(60, least=4))
    hands = [
        played.result
        for number, table in enumerate(tables)
        for played in on.table([bots[at] for at in table], f"long {number}", LONG)
    ]
    for count in (20, LONG):
        first = list(_first(hands, count))
        yield from _cost(_only(first), count, len(first))


# Small sessions with twins


def small_sessions(on: Ground) -> Iterator[Figure]:
    """Do intervals hold in sessions of 5 and 8 blocks a bot, and are twins left undecided?

    Every table of a schedule is played again and again, and sessions are drawn from those blocks.
    The truth is the fit to all of them.
    """
    bots = TWINS if on.seats < 5 else tuple(b for b in TWINS if b not in LEFT_OUT)
    schedule = near_balanced(len(bots), on.seats, rounds=max(SMALL), seed=on.seed)
    count = on.times(60, least=3)
    pool = [
        [[_block(on, [bots[at] for at in table], f"small {r}/{t}/{c}") for c in range(count)]
         for t, table in enumerate(tables)]
        for r, tables in enumerate(schedule.rounds)
    ]  # fmt: skip
    for blocks in SMALL:
        tables = [table for tables in pool[:blocks] for table in tables]
        yield from _small(on, tables, f"{blocks} blocks a bot")


def _block(on: Ground, line: Sequence[str], name: str) -> list[HandResult]:
    return [hand.result for hand in on.table(line, name, HANDS)]


def _small(on: Ground, tables: Sequence[Sequence[list[HandResult]]], what: str) -> Iterator[Figure]:
    """The figures of sessions that draw one block of each table."""
    truth = _only([hand for table in tables for block in table for hand in block])
    chance = Random(on.seed)
    # Blocks about the mean of c blocks vary less, by c - 1 to c, than about the unknown truth.
    wider = math.sqrt(len(tables[0]) / (len(tables[0]) - 1))
    held, pairs, different, ahead = [], [], [], []
    for _ in range(on.times(1_000, least=10)):
        group = _only([hand for table in tables for hand in chance.choice(table)])
        if group.bots != truth.bots or any(group.bounds):
            continue  # somebody always won or lost: bounds, no intervals
        off = wider * (group.theta - group.theta.mean() - truth.theta + truth.theta.mean())
        held.append(ELO_PER_LOGIT * np.abs(off) <= group.errors)
        ratios = _ratios(group, off)
        pairs.append(np.abs(ratios[np.triu_indices(len(off), 1)]) <= 1)
        twins = [ratios[group.bots.index(bot + TWIN), group.bots.index(bot)] for bot in TWINNED]
        different.append(np.abs(twins) > 1)
        ahead.append(np.array(twins) > 1)
    at = truth.bots.index(HEURISTIC)
    yield Figure(f"{what}: coverage of 95 %, %", 100 * float(np.mean(held)), _sd(held))
    strongest = [row[at] for row in held]
    yield Figure(f"{what}: of {HEURISTIC}, %", 100 * float(np.mean(strongest)), _sd(strongest))
    yield Figure(f"{what}: for differences, %", 100 * float(np.mean(pairs)), _sd(pairs))
    yield Figure(
        f"{what}: twins called different, %", 100 * float(np.mean(different)), _sd(different)
    )
    yield Figure(f"{what}: twins graded ahead, %", 100 * float(np.mean(ahead)), _sd(ahead))


def _ratios(group: Group, off: Floats) -> Floats:
    """Every difference over the half-width of its interval; beyond 1 it would be called one."""
    quantiles = t_quantile(0.975, freedom(group).ravel()).reshape(len(off), -1)
    limits = quantiles * gap_errors(group) + np.eye(len(off))
    return np.asarray(np.subtract.outer(off, off) / limits)


EXPERIMENTS: Mapping[str, Callable[[Ground], Iterator[Figure]]] = MappingProxyType(
    {each.__name__: each for each in (seat_order, replayed, sessions, common, long_tables,
                                      small_sessions)}
)  # fmt: skip
"""What can be measured, by name."""
