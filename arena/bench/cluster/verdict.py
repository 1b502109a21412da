"""What a campaign has left behind, held against itself, against PostgreSQL's notes, and against the
same sessions in peace. Nothing here talks to a referee.

Each session is looked at by itself, as `arena.bench.audit` does it: its service periods are those
of its homes, from the write that made a referee its home until that was struck.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from arena.bench.audit import (
    ClockTerms,
    ServicePeriod,
    Story,
    explanations,
    findings,
    unlike,
)
from arena.bench.cluster.campaign import CampaignPlan, CampaignRun
from arena.bench.cluster.faults import Strike
from arena.bench.cluster.field import ABSENT_AFTER, GRACE_MS, PROBATION_MS
from arena.bench.crash import without_ids
from arena.bench.recording_bots import Diary
from arena.records.verify import verify
from arena.statuses import HandStatus, SessionStatus


class CampaignVerdict(NamedTuple):
    """What a campaign came to.

    faults: struck. moves: leases that went to another home. decisions: accepted. replayed: answered
    once more. broken: requests without an answer. offered_ms: how long sessions were without turns
    that a fault concerned: median and longest. stale: steps that were accepted of a referee that
    was not the home. expired: turns that the referee answered, and why that is in order. compared:
    hands that could be compared with the run in peace. standings: sessions whose standings are
    those in peace. findings: what was not as it must be.
    """

    faults: int
    moves: int
    sessions: int
    hands: int
    decisions: int
    replayed: int
    broken: int
    offered_ms: tuple[float | None, float | None]
    stale: int
    expired: dict[str, int]
    compared: int
    standings: int
    seconds: float
    findings: tuple[str, ...]


def verdict(plan: CampaignPlan, struck: CampaignRun, peaceful: CampaignRun) -> CampaignVerdict:
    """Hold everything against each other."""
    stories = [*_stories(plan, struck), *_stories(plan, peaceful)]
    compared, unequal = _compared(struck, peaceful)
    same, differing = _standings(struck, peaceful)
    offered = [ms for strike in struck.strikes for ms in strike.offered_ms.values()]
    known = [float(ms) for ms in offered if ms is not None]
    hands = [hand for log in struck.logs.values() for hand in log.hands]
    wrong = [
        *_of_strikes(plan, struck),
        *_of_run(struck, stories),
        *_of_run(peaceful, []),
        *unequal,
        *differing,
    ]
    return CampaignVerdict(
        len(struck.strikes),
        sum(move.home is not None for move in struck.moves) - len(struck.logs),
        len(struck.logs),
        sum(hand.status == HandStatus.FINISHED for hand in hands),
        sum(len(diary.accepted) for diary in struck.diaries.values()),
        sum(diary.replayed for diary in struck.diaries.values()),
        sum(diary.broken for diary in struck.diaries.values()),
        (median(known), max(known)) if known else (None, None),
        len(struck.stale),
        dict(sum((explanations(story) for story in stories), Counter[str]())),
        compared,
        same,
        (struck.ended_ms - struck.began_ms) / 1_000,
        tuple(dict.fromkeys(wrong)),
    )


def _stories(plan: CampaignPlan, played: CampaignRun) -> Iterator[Story]:
    """One for each session."""
    terms = ClockTerms(plan.move_ms, GRACE_MS, ABSENT_AFTER, PROBATION_MS)
    for session, log in played.logs.items():
        diaries = {bot: _of_session(diary, session) for bot, diary in played.diaries.items()}
        yield Story(terms, log, diaries, lives(played, session), played.in_time)


def _of_session(diary: Diary, session: str) -> Diary:
    """What a bot has noted of the turns of one session."""
    prefix = f"{session}-r"
    return diary._replace(
        accepted={k: v for k, v in diary.accepted.items() if k.startswith(prefix)},
        refused={k: v for k, v in diary.refused.items() if k.startswith(prefix)},
    )


def lives(played: CampaignRun, session: str) -> list[ServicePeriod]:
    """When a session had a home that could serve it, as far as is known from outside.

    A fault ends it. A move of the lease begins it anew; without one, that the fault was mended.
    """
    periods, began_ms = [], played.began_ms
    for strike in played.strikes:
        if session in strike.sessions and not strike.served:
            periods.append(ServicePeriod(began_ms, strike.at_ms))
            began_ms = _again_ms(played, session, strike)
    return [*periods, ServicePeriod(began_ms, played.ended_ms)]


def _again_ms(played: CampaignRun, session: str, strike: Strike) -> int:
    moved = (
        move.at_ms
        for move in played.moves
        if move.session == session and move.home and strike.at_ms <= move.at_ms
    )
    return min(next(moved, strike.mended_ms), strike.mended_ms)


def _of_strikes(plan: CampaignPlan, struck: CampaignRun) -> Iterator[str]:
    """Faults that were not struck, sessions that did not come back, writes of an old epoch."""
    if len(struck.strikes) < plan.times:
        yield f"the bots were done after {len(struck.strikes)} faults"
    for strike in struck.strikes:
        for session, offered_ms in strike.offered_ms.items():
            if offered_ms is None:
                yield f"{strike.what}: no turns of {session} within a minute"
    for step in struck.stale:
        yield f"step {step.seq} of {step.hand}: written by {step.writer}, home was {step.home}"


def _of_run(played: CampaignRun, stories: Sequence[Story]) -> Iterator[str]:
    """What is wrong with one run, taken by itself."""
    for story in stories:
        yield from findings(story)
    yield from played.reread
    for session, records in played.records.items():
        for finding in verify(list(records)).findings:
            yield f"{session}, record line {finding.line}: {finding.what}"


def _compared(struck: CampaignRun, peaceful: CampaignRun) -> tuple[int, list[str]]:
    """Hands that ended otherwise than in peace, of those that can be compared."""
    compared, unequal = 0, []
    for session in struck.records:
        both = (
            [json.loads(line) for line in played.records[session][1:]]
            for played in (struck, peaceful)
        )
        count, wrong = unlike(*both)
        compared += count
        unequal += wrong
    return compared, unequal


def _standings(struck: CampaignRun, peaceful: CampaignRun) -> tuple[int, list[str]]:
    """How many sessions have the standings of the run in peace; those that should and do not.

    Where the referee has answered for a bot, or time ran out, they need not.
    """
    same, differing = 0, []
    for session in struck.standings:
        mine, other = (without_ids(played.standings[session]) for played in (struck, peaceful))
        if mine == other:
            same += 1
        elif _comparable(struck, session) and _comparable(peaceful, session):
            differing.append(f"{session}: the standings are not those of the run in peace")
    return same, differing


def _comparable(played: CampaignRun, session: str) -> bool:
    log = played.logs[session]
    steps = (step for steps in log.steps.values() for step in steps)
    return log.status == SessionStatus.FINISHED and not any(step.cause for step in steps)
