"""The crash harness: a referee under load, killed at random instants, again and again.

The same session is played twice by the same bots: once with a referee that is killed with
``kill -9`` while it serves, while it starts, and once for longer than a move may take; once in
peace. Afterwards the log, the bots' diaries, the records and the standings must agree, and both
runs must have come to the same end, as far as no bot was too slow (see `inquest`). What does not is
a finding.
"""

from __future__ import annotations

import json
import math
import secrets
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from arena.bench.audit import (
    ClockTerms,
    Story,
    every_step,
    explanations,
    findings,
    gap_ms,
    read_log,
    unlike,
    unserved,
)
from arena.bench.killable import A_KILL, Delays, KillableReferee, KillPace
from arena.bench.recording_bots import BotConnection, Diary, RecordingBot
from arena.client import Client
from arena.documents import Document
from arena.processes import new_admin
from arena.records.verify import verify
from arena.statuses import HandStatus, SessionStatus

BOTS = 8
ROUNDS = 7
MOVE_MS = 10_000
GRACE_MS = 150
ABSENT_AFTER = 3
PROBATION_MS = 300
LONGER_S = 0.6
"""By how much one outage is longer than a move may take (without credit, every bot that has a turn
would have failed), and so is an answer that is to be late."""
A_HAND = 100
LONGER = 1.6
"""By how much the session is longer than the kills should last."""
LINGER_S = 0.3
"""How long a referee is let live at most after an answer; one whose bots are late, until a turn may
have run out twice."""
STARTING = 5
"""Every fifth kill comes while the referee starts."""
SESSION = "crash"
PATIENCE_S = 120.0
LIMIT_S = 3_600.0
HIDDEN = ("bot", "move_ms", "anchor", "digest")
"""What two runs with the same deals may differ in: random ids, times, and the digest over these."""


class CrashPlan(NamedTuple):
    """What to play. move_ms: the time for a move. limit_s: how long the session may go on after the
    last kill; hands that have not ended then stay open. late: one in this many answers is held back
    until it is too late; 0: none."""

    kills: int
    seed: int = 1
    move_ms: int = MOVE_MS
    limit_s: float = LIMIT_S
    late: int = 0

    @property
    def late_s(self) -> float:
        """Longer than a move may take."""
        return self.move_ms / 1_000 + LONGER_S

    @property
    def linger_s(self) -> float:
        """How long a referee lives at most after an answer."""
        return 2 * self.late_s if self.late else LINGER_S

    @property
    def hands(self) -> int:
        """Hands at a table, so that the session outlasts the kills."""
        return max(1, math.ceil(LONGER * self.kills * A_KILL / (A_HAND * 2 * ROUNDS)))


class Observed(NamedTuple):
    """What bots and organiser received in a run. in_time: the bots saw the session to its end.
    reread: what was answered otherwise than before when all answers were sent again."""

    diaries: dict[str, Diary]
    in_time: bool
    reread: tuple[str, ...]
    records: list[str]
    standings: Document
    seconds: float


class CrashRun(NamedTuple):
    """One run: what was received, what it left behind, and how long the referee took to start."""

    observed: Observed
    story: Story
    start_s: float


class Verdict(NamedTuple):
    """What a crash run came to.

    decisions: accepted. replayed: answered once more. broken: requests without an answer. unserved:
    referees that were killed before they accepted anything. gap_s: the longest outage. open: hands
    that time ran out for. expired: turns that the referee answered, and why that is in order; of
    both runs. compared: hands that could be compared with the run in peace. standings: how they
    compare. findings: what was not as it must be.
    """

    kills: int
    decisions: int
    replayed: int
    broken: int
    unserved: int
    hands: int
    open: int
    seconds: float
    start_s: float
    gap_s: float
    expired: dict[str, int]
    compared: int
    standings: str
    findings: tuple[str, ...]


def run(plan: CrashPlan, folder: Path, *, tell: Callable[[str], None] = print) -> Verdict:
    """Play the session with its kills and once more in peace; files go to the folder."""
    tell(f"{plan.kills} kills, {plan.hands * 2 * ROUNDS} hands, {BOTS} bots, {plan.move_ms} ms")
    began = time.perf_counter()
    killed = _play(folder / "killed", plan)
    tell(f"killed: {killed.observed.seconds:.1f} s")
    peaceful = _play(folder / "peaceful", plan, in_peace=True)
    tell(f"in peace: {peaceful.observed.seconds:.1f} s")
    return _verdict(plan, killed, peaceful)._replace(seconds=time.perf_counter() - began)


def _verdict(plan: CrashPlan, killed: CrashRun, peaceful: CrashRun) -> Verdict:
    story, diaries = killed.story, killed.observed.diaries.values()
    kills = len(story.lives) - 1  # the last one was stopped when all was over
    short = [] if kills == plan.kills else [f"the bots were done after {kills} kills"]
    compared, unequal = unlike(
        *([json.loads(line) for line in each.observed.records[1:]] for each in (killed, peaceful))
    )
    standings, differing = _standings(killed, peaceful)
    statuses = Counter(hand.status for hand in story.log.hands)
    return Verdict(
        kills,
        sum(len(diary.accepted) for diary in diaries),
        sum(diary.replayed for diary in diaries),
        sum(diary.broken for diary in diaries),
        unserved(story),
        statuses[HandStatus.FINISHED],
        statuses[HandStatus.PLAYING],
        killed.observed.seconds,
        killed.start_s,
        gap_ms(story.lives) / 1000,
        dict(explanations(story) + explanations(peaceful.story)),
        compared,
        standings,
        (*short, *_findings(killed), *_findings(peaceful), *unequal, *differing),
    )


def _play(folder: Path, plan: CrashPlan, *, in_peace: bool = False) -> CrashRun:
    folder.mkdir(parents=True)
    database = f"sqlite:///{(folder / 'arena.db').as_posix()}"
    token = new_admin(database)
    referee = KillableReferee(folder, database)
    try:
        referee.start()
        with Client(referee.url, token, patience_s=PATIENCE_S) as organiser:
            observed = _session(referee, organiser, plan, kills=0 if in_peace else plan.kills)
    finally:
        referee.close()
    terms = ClockTerms(plan.move_ms, GRACE_MS, ABSENT_AFTER, PROBATION_MS)
    log = read_log(database, SESSION)
    story = Story(terms, log, observed.diaries, tuple(referee.lives), observed.in_time)
    return CrashRun(observed, story, statistics.median(referee.starts))


def _session(
    referee: KillableReferee, organiser: Client, plan: CrashPlan, *, kills: int
) -> Observed:
    organiser.request("POST", "/sessions", body=_document(plan))
    sloth = Delays(plan.move_ms / 4_000, plan.late, plan.late_s)
    pace, ended = KillPace(kills, sloth), threading.Event()
    bots = [_bot(referee.url, organiser, number, pace=pace, ended=ended) for number in range(BOTS)]
    began = time.perf_counter()
    organiser.request("POST", f"/sessions/{SESSION}/start")
    for bot in bots:
        bot.start()
    for number in range(1, kills + 1):
        if not any(bot.is_alive() for bot in bots):
            break
        _kill(referee, plan, number, pace=pace)
        time.sleep(plan.late_s if number == (kills + 1) // 2 else 0)
        pace.killed()
    if kills:
        referee.start()
    in_time = see_out(bots, ended, plan.limit_s)
    return Observed(
        {diary.bot: diary for diary in (bot.diary() for bot in bots)},
        in_time,
        tuple(wrong for bot in bots for wrong in bot.reread()),
        organiser.records(SESSION).decode().splitlines(),
        organiser.request("GET", f"/sessions/{SESSION}/standings"),
        time.perf_counter() - began,
    )


def see_out(bots: Sequence[RecordingBot], ended: threading.Event, limit_s: float) -> bool:
    """Wait for the bots, and end them after that time; did they see the session to its end?"""
    until = time.perf_counter() + limit_s
    for bot in bots:
        bot.join(max(0.0, until - time.perf_counter()))
    in_time = not any(bot.is_alive() for bot in bots)
    ended.set()
    for bot in bots:
        bot.join(PATIENCE_S)
    return in_time


def _kill(referee: KillableReferee, plan: CrashPlan, number: int, *, pace: KillPace) -> None:
    """Kill the referee after a while, in service or on its way there; leave it dead."""
    random = Random(f"{plan.seed}/{number}")
    if number % STARTING == 0:
        referee.begin()
        time.sleep(random.uniform(0, 2 * LINGER_S))
    else:
        if number > 1:
            referee.start()
        pace.wait()
        time.sleep(random.uniform(0, plan.linger_s))
    referee.kill()


def _document(plan: CrashPlan) -> Document:
    return {
        "name": SESSION,
        "slug": SESSION,
        "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]},
        "hands_per_table": plan.hands,
        "schedule": {"kind": "round_robin", "rounds": ROUNDS, "rounds_at_once": ROUNDS},
        "clock": {
            "move_ms": plan.move_ms,
            "bank_ms": 0,
            "grace_ms": GRACE_MS,
            "absent_after": ABSENT_AFTER,
            "probation_ms": PROBATION_MS,
        },
        "roster": {"max_bots": BOTS},
        "seed": f"{plan.seed:02x}",
    }


def _bot(
    url: str, organiser: Client, number: int, *, pace: KillPace, ended: threading.Event
) -> RecordingBot:
    body = {"name": f"diarist-{number}", "owner": f"owner-{number}"}
    registered = organiser.request("POST", "/bots", body=body, idempotent=False)
    organiser.request("PUT", f"/sessions/{SESSION}/entries/{registered['bot']['id']}")
    return RecordingBot(
        lambda token, give_up: BotConnection(url, token, give_up=give_up),
        registered,
        [SESSION],
        batches=number % 2 == 1,
        pace=pace,
        ended=ended,
    )


def _findings(played: CrashRun) -> Iterator[str]:
    """What is wrong with one run, taken by itself."""
    yield from findings(played.story)
    yield from played.observed.reread
    report = verify(played.observed.records)
    yield from (f"record line {finding.line}: {finding.what}" for finding in report.findings)


def _standings(killed: CrashRun, peaceful: CrashRun) -> tuple[str, list[str]]:
    """How the standings of two runs compare, and what is wrong with that."""
    stories = (killed.story, peaceful.story)
    expired = sum(step.cause is not None for story in stories for step in every_step(story))
    if expired:
        return f"not compared: the referee has answered {expired} turns", []
    if not all(story.log.status == SessionStatus.FINISHED for story in stories):
        return "not compared: time ran out", []
    mine, other = (without_ids(each.observed.standings) for each in (killed, peaceful))
    if mine != other:
        return "not those in peace", ["the standings are not those of the run in peace"]
    return "those in peace", []


def without_ids(value: Any) -> Any:
    """A document without what two runs with the same deals may differ in."""
    if isinstance(value, dict):
        return {name: without_ids(inner) for name, inner in value.items() if name not in HIDDEN}
    return [without_ids(inner) for inner in value] if isinstance(value, list) else value


def new_folder(base: Path) -> Path:
    """A folder for a run that nobody has used yet."""
    return base / f"crash-{secrets.token_hex(3)}"
