"""The crash harness: a referee under load, killed at random instants, again and again.

The same session is played twice by the same bots: once with a referee that is killed with
``kill -9`` while it serves, while it starts, and once for longer than a move may take; once in
peace. Afterwards the log, the bots' diaries, the records and the standings must agree, and both
runs must have come to the same end. What does not is a finding.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from arena.bench.diarists import Diarist, Line
from arena.cli.event import new_admin
from arena.client import Client
from arena.errors import Unavailable
from arena.records.verify import verify

Document = dict[str, Any]
BOTS = 8
ROUNDS = 7
MOVE_MS = 10_000
OUTAGE_S = 10.6
"""Longer than a move may take: without credit, every bot that has a turn would have failed."""
A_KILL = 40
"""Decisions between two kills, about; the session is made so long that it outlasts the kills."""
A_HAND = 100
LINGER_S = 0.3
PAUSE_S = 0.02
STARTING = 5
"""Every fifth kill comes while the referee starts."""
SESSION = "crash"
PATIENCE_S = 120.0
PROGRESS_S = 20.0
"""How long a referee may live without a single answer; kills alone make no session."""
END_S = 3_600.0
"""How long the rest of the session may take after the last kill."""
HIDDEN = ("bot", "move_ms", "anchor")
"""What two runs with the same deals may differ in: random ids and times."""


class Story(NamedTuple):
    """One run: what the bots noted, the record file, the standings, and how often it was killed."""

    bots: Sequence[Diarist]
    records: list[str]
    standings: Document
    seconds: float
    starts: tuple[float, ...]
    reread: tuple[str, ...]
    kills: int


class Verdict(NamedTuple):
    """What a crash run came to. findings: what was not as it must be."""

    kills: int
    decisions: int
    replayed: int
    broken: int
    hands: int
    seconds: float
    start_s: float
    findings: tuple[str, ...]


class Mortal:
    """A referee as a process that can be killed and started again on its port."""

    def __init__(self, folder: Path, database: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._log = (folder / "referee.log").open("ab")
        self._database = database
        self._process: subprocess.Popen[bytes] | None = None
        unwanted = ("PYTHONDONTWRITEBYTECODE",)
        plain = {k: v for k, v in os.environ.items() if k not in unwanted}
        compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}  # quick starts, no traces
        self._environ = plain | compiled | {"ARENA_LOG_LEVEL": "warning"}
        self.starts: list[float] = []

    @property
    def url(self) -> str:
        """Where it is, when it is."""
        return f"http://127.0.0.1:{self._port}"

    def begin(self) -> None:
        """Start it; it does not listen yet."""
        command = [sys.executable, "-P", "-m", "arena.web", "--port", str(self._port)]
        self._process = subprocess.Popen(
            [*command, "--database", self._database],
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def start(self) -> None:
        """Start it and wait until it listens. Raises Unavailable if it ends instead."""
        began = time.perf_counter()
        self.begin()
        assert self._process is not None
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise Unavailable("the referee did not start; see its log")
        self.starts.append(time.perf_counter() - began)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def close(self) -> None:
        """End it for good."""
        self.kill()
        self._log.close()


class Pace:
    """Makes the bots last: no more decisions than are due after so many kills."""

    def __init__(self, kills: int) -> None:
        self._left = kills
        self._allowed = A_KILL if kills else math.inf
        self._made = 0
        self._more = threading.Condition()
        self._random = Random(kills)

    def __call__(self, decisions: int) -> None:
        if not self._left:
            return
        time.sleep(self._random.uniform(0, 2 * PAUSE_S))
        with self._more:
            self._more.wait_for(lambda: self._made < self._allowed, PATIENCE_S)
            self._made += decisions
            self._more.notify_all()

    def killed(self) -> None:
        """One more: on to the next."""
        with self._more:
            self._left -= 1
            self._allowed = self._made + A_KILL if self._left else math.inf
            self._more.notify_all()

    def wait(self) -> None:
        """Until another answer is on its way, or it takes too long."""
        with self._more:
            made = self._made
            self._more.wait_for(lambda: self._made > made, PROGRESS_S)


def run(kills: int, folder: Path, *, seed: int = 1, tell: Callable[[str], None] = print) -> Verdict:
    """Play the session with so many kills and once more in peace; files go to the folder."""
    tell(f"{kills} kills, {_hands(kills) * 2 * ROUNDS} hands, {BOTS} bots")
    began = time.perf_counter()
    killed = _play(folder / "killed", kills, seed=seed)
    tell(f"killed: {killed.seconds:.1f} s")
    peaceful = _play(folder / "peaceful", 0, hands=_hands(kills), seed=seed)
    tell(f"in peace: {peaceful.seconds:.1f} s")
    short = [] if killed.kills == kills else [f"the bots were done after {killed.kills} kills"]
    return Verdict(
        killed.kills,
        sum(len(bot.diary) for bot in killed.bots),
        sum(bot.replayed for bot in killed.bots),
        sum(bot.broken for bot in killed.bots),
        len(killed.records) - 1,
        time.perf_counter() - began,
        sorted(killed.starts)[len(killed.starts) // 2],
        (*short, *_findings(killed), *_findings(peaceful), *_differences(killed, peaceful)),
    )


def _hands(kills: int) -> int:
    """Hands at a table, so that the session outlasts the kills."""
    return max(1, math.ceil(1.15 * kills * A_KILL / (A_HAND * 2 * ROUNDS)))


def _play(folder: Path, kills: int, *, seed: int, hands: int | None = None) -> Story:
    folder.mkdir(parents=True)
    database = f"sqlite:///{(folder / 'arena.db').as_posix()}"
    token = new_admin(database)
    referee = Mortal(folder, database)
    try:
        referee.start()
        with Client(referee.url, token, patience_s=PATIENCE_S) as organiser:
            return _session(referee, organiser, kills, hands=hands or _hands(kills), seed=seed)
    finally:
        referee.close()


def _session(referee: Mortal, organiser: Client, kills: int, *, hands: int, seed: int) -> Story:
    organiser.request("POST", "/sessions", body=_document(hands, seed))
    pace = Pace(kills)
    bots = [_bot(referee.url, organiser, number, pace=pace) for number in range(BOTS)]
    began = time.perf_counter()
    organiser.request("POST", f"/sessions/{SESSION}/start")
    for bot in bots:
        bot.start()
    killed = 0
    while killed < kills and any(bot.is_alive() for bot in bots):
        killed += 1
        random = Random(f"{seed}/{killed}")
        _kill(referee, random, killed, pace=pace, outage=killed == (kills + 1) // 2)
        pace.killed()
    if kills:
        referee.start()
    ending = time.perf_counter() + END_S
    for bot in bots:
        bot.join(max(0.0, ending - time.perf_counter()))
    return Story(
        bots,
        organiser.records(SESSION).decode().splitlines(),
        organiser.request("GET", f"/sessions/{SESSION}/standings"),
        time.perf_counter() - began,
        tuple(referee.starts),
        tuple(wrong for bot in bots for wrong in bot.reread()),
        killed,
    )


def _kill(referee: Mortal, random: Random, number: int, *, pace: Pace, outage: bool) -> None:
    """Kill the referee after a while, in service or on its way there; leave it dead."""
    if number % STARTING == 0:
        referee.begin()
        time.sleep(random.uniform(0, 2 * LINGER_S))
    else:
        if number > 1:
            referee.start()
        pace.wait()
        time.sleep(random.uniform(0, LINGER_S))
    referee.kill()
    if outage:
        time.sleep(OUTAGE_S)


def _document(hands: int, seed: int) -> Document:
    return {
        "name": SESSION,
        "slug": SESSION,
        "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]},
        "hands_per_table": hands,
        "schedule": {"kind": "round_robin", "rounds": ROUNDS, "rounds_at_once": ROUNDS},
        "clock": {"move_ms": MOVE_MS, "bank_ms": 0},
        "roster": {"max_bots": BOTS},
        "seed": f"{seed:02x}",
    }


def _bot(url: str, organiser: Client, number: int, *, pace: Pace) -> Diarist:
    with Client(url, patience_s=PATIENCE_S) as own:
        made = own.register(f"diarist-{number}", owner=f"owner-{number}")
    organiser.request("PUT", f"/sessions/{SESSION}/entries/{made['bot']['id']}")
    return Diarist(Line(url, made["token"]), SESSION, number, pace=pace)


def _findings(story: Story) -> Iterator[str]:
    """What is wrong with one run, taken by itself."""
    for bot in story.bots:
        if bot.is_alive() or bot.error is not None:
            yield f"a bot did not come to the end: {bot.error!r}"
        yield from bot.surprises
    yield from story.reread
    report = verify(story.records)
    yield from (f"record line {finding.line}: {finding.what}" for finding in report.findings)
    header, *hands = map(json.loads, story.records)
    expected = len(header["schedule"]["rounds"]) * 2 * header["document"]["hands_per_table"]
    finished = [hand for hand in hands if hand["status"] == "finished"]
    if header["status"] != "finished" or len(finished) != expected:
        yield f"{len(finished)} of {expected} hands are finished; {header['status']}"
    yield from _log_against_diaries(story, finished)


def _log_against_diaries(story: Story, hands: Sequence[Document]) -> Iterator[str]:
    """Every turn once in the log, answered by its bot, with what the bot noted."""
    steps = [step for hand in hands for step in hand["steps"] if step["turn"]]
    times = Counter(step["turn"] for step in steps)
    yield from (f"{turn} is in the log {n} times" for turn, n in times.items() if n != 1)
    yield from (
        f"{step['turn']} was answered by the referee: {step['meta']['cause']}"
        for step in steps
        if step["meta"]["cause"] is not None
    )
    whole = {hand["hand"] for hand in hands}  # of the others there is no record
    noted = {
        turn: entry
        for bot in story.bots
        for turn, entry in bot.diary.items()
        if turn.partition(".")[0] in whole
    }
    logged = {step["turn"]: step["command"] for step in steps}
    yield from (f"{turn} was accepted and is not in the log" for turn in noted.keys() - logged)
    yield from (f"{turn} is in the log and in no diary" for turn in logged.keys() - noted)
    for turn in noted.keys() & logged:
        if not _agree(noted[turn].answer, logged[turn]):
            yield f"{turn}: noted {noted[turn].answer}, logged {logged[turn]}"


def _agree(answer: Document, command: Document) -> bool:
    if "pass" in answer:
        return bool(command["type"] == "pass")
    return "cards" not in answer or sorted(answer["cards"]) == sorted(command["cards"])


def _differences(killed: Story, peaceful: Story) -> Iterator[str]:
    """Where two runs with the same deals and the same bots have not come to the same end."""
    ends = [
        {hand["hand"]: (hand["deck"], hand["result"]["game"]) for hand in map(json.loads, lines)}
        for lines in (killed.records[1:], peaceful.records[1:])
    ]
    for hand in sorted(ends[0].keys() | ends[1]):
        if ends[0].get(hand) != ends[1].get(hand):
            yield f"{hand} ended otherwise than in peace"
    if _without_ids(killed.standings) != _without_ids(peaceful.standings):
        yield "the standings are not those of the run in peace"


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_ids(inner) for name, inner in value.items() if name not in HIDDEN}
    return [_without_ids(inner) for inner in value] if isinstance(value, list) else value


def new_folder(base: Path) -> Path:
    """A folder for a run that nobody has used yet."""
    return base / f"crash-{secrets.token_hex(3)}"
