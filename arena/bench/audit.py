"""What a crash run has left behind, held against each other: log, diaries, and the referee's lives.

The log is read from the database itself, hands that have not ended included. Every difference is
either explained by what is written there (a turn that the referee answered for, with its cause and
with the time that its bot had been served; a bot that was ended; a hand that time ran out for) or
it is a finding. Nothing here talks to a referee.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from arena.bench.recording_bots import ENDED, Diary, Poll
from arena.documents import Document
from arena.rules.events import Cause
from arena.session.hand_log import ABSENCE
from arena.statuses import HandStatus, SessionStatus
from arena.store import open_store
from arena.store.port import HandRow, StepRow, Store
from arena.tournament.results import forfeiting

NOTICED_MS = 150
"""How late the harness may notice that a referee takes requests, on a machine under load."""
ON_ITS_WAY_MS = 1_000
"""How long a referee that is served may need to take in what was sent to it."""
GONE = 410


class ServicePeriod(NamedTuple):
    """A referee from when it took requests (None: never) until it had ended, in wall time.

    It may serve for a while after the kill was asked for, on a machine under load.
    """

    ready_ms: int | None
    killed_ms: int


class ClockTerms(NamedTuple):
    """The clock of the session, as far as it is checked."""

    move_ms: int
    grace_ms: int
    absent_after: int
    probation_ms: int


class LoggedStep(NamedTuple):
    """A step of the log that closed a turn. opened_ms, at_ms: wall time, not before the opening
    and not after the closing. cause: why the referee answered, None if the bot did."""

    turn: str
    bot: str
    table: str
    hand: str
    opened_ms: int
    at_ms: int
    cause: str | None
    charged_ms: int
    command: Document


class SessionLog(NamedTuple):
    """The log of a session, read from its database. hands: in playing order. expected: how many
    there must be. steps: by turn, all that there are, in playing order."""

    status: str
    hands: tuple[HandRow, ...]
    expected: int
    steps: Mapping[str, Sequence[LoggedStep]]


class Story(NamedTuple):
    """One run: terms, log, diaries, lives. in_time: the bots saw the session to its end."""

    terms: ClockTerms
    log: SessionLog
    diaries: Mapping[str, Diary]
    lives: Sequence[ServicePeriod]
    in_time: bool


class ExpiredTurn(NamedTuple):
    """A turn that the referee answered, why, and whether that explains it."""

    turn: str
    why: str
    explained: bool


def read_log(database: str, session: str) -> SessionLog:
    """The log of a session as it lies in the database."""
    with open_store(database, readonly=True) as store:
        row = store.session(session)
        assert row is not None
        schedule = json.loads(row.schedule or "null")
        tables = sum(map(len, schedule["rounds"])) if schedule else 0
        hands = tuple(_all_hands(store, session))
        steps: dict[str, list[LoggedStep]] = {}
        for hand in hands:
            for step in _steps(store, hand):
                steps.setdefault(step.turn, []).append(step)
    per_table = json.loads(row.document)["hands_per_table"]
    return SessionLog(row.status, hands, tables * per_table, steps)


def _all_hands(store: Store, session: str) -> Iterator[HandRow]:
    after = ""
    while rows := store.session_hands(session, after=after):
        yield from rows
        after = rows[-1].id


def _steps(store: Store, hand: HandRow) -> Iterator[LoggedStep]:
    table = store.table(hand.table)
    assert table is not None
    players, seating = json.loads(table.players), json.loads(hand.seating)
    rows = store.steps(hand.id)
    for row in rows:
        if row.turn:
            yield _step(rows, row, hand, bots=[players[player] for player in seating])


def _step(
    rows: Sequence[StepRow], row: StepRow, hand: HandRow, *, bots: Sequence[str]
) -> LoggedStep:
    _, since, seat = row.turn.rsplit(".", 2)
    opener = next(each for each in reversed(rows) if each.seq < int(since) or each.seq == 0)
    meta = json.loads(row.meta)
    return LoggedStep(
        row.turn,
        bots[int(seat)],
        hand.table,
        hand.id,
        opener.at_ms,
        row.at_ms,
        meta["cause"],
        meta["charged_ms"],
        json.loads(row.command),
    )


def findings(story: Story) -> Iterator[str]:
    """What is wrong with one run, taken by itself."""
    yield from _of_diaries(story)
    yield from _of_log(story)
    yield from _of_clocks(story)
    yield from _of_hands(story)
    yield from (f"{each.turn}: {each.why}" for each in _expired(story) if not each.explained)


def explanations(story: Story) -> Counter[str]:
    """Why the referee has answered for bots, where that was in order, and how often."""
    return Counter(each.why for each in _expired(story) if each.explained)


def _of_diaries(story: Story) -> Iterator[str]:
    """Bots that stopped by themselves, and answers that they should not have got."""
    for diary in story.diaries.values():
        if diary.why not in (None, ENDED):
            yield f"the bot {diary.bot} has stopped: {diary.why}"
        for turn, entry in diary.accepted.items():
            yield from _accepted(turn, entry.answer, story.log.steps.get(turn, ()))
        for turn, (status, document) in diary.refused.items():
            steps = story.log.steps.get(turn, ())
            if status != GONE or not any(step.cause for step in steps):
                yield f"{turn}: answered with {status} {json.dumps(document)[:300]}"


def _accepted(turn: str, answer: Document, steps: Sequence[LoggedStep]) -> Iterator[str]:
    """An answer that was accepted is in the log, once, as it was given."""
    if len(steps) != 1:
        yield f"{turn} was accepted and is in the log {len(steps)} times"
    for step in steps:
        if step.cause is not None:
            yield f"{turn} was accepted, and the referee has answered it: {step.cause}"
        elif not _agree(answer, step.command):
            yield f"{turn}: noted {answer}, logged {step.command}"


def _agree(answer: Document, command: Document) -> bool:
    if "pass" in answer:
        return bool(command["type"] == "pass")
    return "cards" not in answer or sorted(answer["cards"]) == sorted(command["cards"])


def _of_log(story: Story) -> Iterator[str]:
    """Turns that are in the log twice, or answered by nobody."""
    for turn, steps in story.log.steps.items():
        diary = story.diaries[steps[0].bot]
        if len(steps) != 1 and turn not in diary.accepted:
            yield f"{turn} is in the log {len(steps)} times"
        if any(step.cause is None for step in steps) and turn not in diary.accepted:
            cut_off = (
                diary.why is not None and turn in diary.sent_ms
            )  # ended before its answer came
            if not cut_off:
                yield f"{turn} is in the log as answered and not in its bot's diary"


def _of_clocks(story: Story) -> Iterator[str]:
    """Time that a bot was charged while no referee took its requests."""
    for step in every_step(story):
        over_ms = overcharged_ms(story.lives, step)
        if over_ms > 0:
            had_ms = step.charged_ms - over_ms
            yield f"{step.turn} was charged {step.charged_ms} ms, and was served for {had_ms} ms"


def overcharged_ms(lives: Sequence[ServicePeriod], step: LoggedStep) -> int:
    """By how much a turn was charged more than it was served, 0 if it was not."""
    had_ms = served_ms(lives, step.opened_ms, step.at_ms)
    return max(0, step.charged_ms - had_ms - _slack_ms(lives, step))


def _slack_ms(lives: Sequence[ServicePeriod], step: LoggedStep) -> int:
    """By how much less a turn may seem to have been served than it was."""
    begun = sum(step.opened_ms <= (life.ready_ms or 0) <= step.at_ms for life in lives)
    return NOTICED_MS * begun


def served_ms(lives: Sequence[ServicePeriod], first_ms: int, last_ms: int) -> int:
    """How much of the time between two instants a referee took requests."""
    return sum(
        max(0, min(life.killed_ms, last_ms) - max(life.ready_ms, first_ms))
        for life in lives
        if life.ready_ms is not None
    )


def every_step(story: Story) -> Iterator[LoggedStep]:
    """The steps of the log that closed a turn, in order of hands."""
    return (step for steps in story.log.steps.values() for step in steps)


def _of_hands(story: Story) -> Iterator[str]:
    """Hands that are neither ended, nor forfeited for good reason, nor still open in the end."""
    log = story.log
    if log.status != SessionStatus.FINISHED:
        if story.in_time:
            yield f"the bots saw the session to its end, and it is {log.status}"
    elif len(log.hands) != log.expected:
        yield f"{len(log.hands)} of {log.expected} hands are in the log of a finished session"
    out = {table for table in {hand.table for hand in log.hands} if _has_forfeited(log, table)}
    for hand in log.hands:
        still = hand.status == HandStatus.PLAYING and log.status == SessionStatus.RUNNING
        forfeited = hand.status == HandStatus.FORFEITED and hand.table in out
        if hand.status != HandStatus.FINISHED and not (still or forfeited):
            yield f"{hand.id} is {hand.status}"


def _has_forfeited(log: SessionLog, table: str) -> bool:
    """Has a bot failed so often at a table that the rest of it was not played?"""
    failed: dict[str, list[str]] = {}
    for steps in log.steps.values():
        for step in steps:
            if step.table == table and step.cause is not None:
                failed.setdefault(step.hand, []).append(step.bot)
    return bool(forfeiting(list(failed.values())))


def _expired(story: Story) -> Iterator[ExpiredTurn]:
    """Every turn that the referee has answered, with what the evidence says about it."""
    by_seat: dict[tuple[str, str], list[LoggedStep]] = {}
    for step in every_step(story):
        by_seat.setdefault((step.bot, step.table), []).append(step)
    for steps in by_seat.values():
        for number, step in enumerate(steps):
            if step.cause is not None:
                yield ExpiredTurn(step.turn, *_reason(story, step, steps[:number]))


def _reason(story: Story, step: LoggedStep, before: Sequence[LoggedStep]) -> tuple[str, bool]:
    """Why a turn was answered by the referee; before: the bot's own at this table."""
    if step.cause == Cause.TIMEOUT:
        return _timed_out(story, step, before)
    if step.cause == Cause.ABSENT:
        return _absent(story, step, before)
    return f"answered by the referee: {step.cause}", False


def _timed_out(story: Story, step: LoggedStep, before: Sequence[LoggedStep]) -> tuple[str, bool]:
    """Was the bot slow, or was it not heard?"""
    terms = story.terms
    diary = story.diaries[step.bot]
    had_ms = served_ms(story.lives, step.opened_ms, step.at_ms)
    given_ms = terms.probation_ms if _streak(before) >= terms.absent_after else terms.move_ms
    due_ms = given_ms + terms.grace_ms
    if had_ms + _slack_ms(story.lives, step) < due_ms:
        return f"timed out after it was served for {had_ms} ms only", False
    if any(_untold(poll, step) for poll in diary.polls):
        return "timed out, and a poll had not shown it", False
    sent_ms = diary.sent_ms.get(step.turn)
    if sent_ms is None or sent_ms >= step.at_ms:
        polled = diary.seen_ms.get(step.turn, step.at_ms) < step.at_ms
        return ("the bot was slow to answer" if polled else "the bot was slow to ask"), True
    heard_ms = served_ms(story.lives, sent_ms, step.at_ms)
    if heard_ms > ON_ITS_WAY_MS:
        return f"timed out, though its answer was under way for {heard_ms} ms", False
    return "the bot answered in the last second", True


def _untold(poll: Poll, step: LoggedStep) -> bool:
    """Was a turn open all the time while a poll was answered without it?"""
    open_ms = step.opened_ms + ON_ITS_WAY_MS
    return (
        step.turn not in poll.turns and open_ms <= poll.sent_ms and poll.answered_ms <= step.at_ms
    )


def _absent(story: Story, step: LoggedStep, before: Sequence[LoggedStep]) -> tuple[str, bool]:
    """Had the bot failed so often in a row, and no poll of it waited, or had it to sit out?"""
    streak = _streak(before)
    if streak < story.terms.absent_after:
        return f"absent after {streak} faults in a row", False
    if _sits_out(before, step.hand, absent_after=story.terms.absent_after):
        return "the bot had let turns pass on probation", True
    if any(_waited(poll, step) for poll in story.diaries[step.bot].polls):
        return "absent, though it was polling", False
    return "the bot was absent", True


def _streak(before: Sequence[LoggedStep]) -> int:
    """Faults in a row."""
    return len(list(takewhile(lambda each: each.cause in ABSENCE, reversed(before))))


def _waited(poll: Poll, step: LoggedStep) -> bool:
    """Did a poll wait when a turn was opened, or had one ended a moment before?"""
    waits_ms, counts_ms = poll.sent_ms + NOTICED_MS, poll.answered_ms + ON_ITS_WAY_MS // 2
    return waits_ms <= step.opened_ms <= counts_ms


def _sits_out(before: Sequence[LoggedStep], hand: str, *, absent_after: int) -> bool:
    """Has a seat on probation let more turns of this hand pass than were answered for at once
    since the last of them?"""
    let_pass = sat_out = 0
    for number, each in enumerate(before):
        if each.cause is None or each.hand != hand:
            let_pass = sat_out = 0
        elif each.cause == Cause.TIMEOUT and _streak(before[:number]) >= absent_after:
            let_pass, sat_out = let_pass + 1, 0
        elif each.cause == Cause.ABSENT:
            sat_out += 1
    return sat_out < let_pass


def unlike(killed: Sequence[Document], peaceful: Sequence[Document]) -> tuple[int, list[str]]:
    """Hands that ended otherwise in one run than in the other, of those that can be compared.

    A hand follows from those before it at its table, so it can be compared if at its table no turn
    was answered by the referee until then, in either run. Records of ended hands; how many were
    compared, and what differs.
    """
    mine, other = ({hand["hand"]: hand for hand in _whole(run)} for run in (killed, peaceful))
    both = sorted(mine.keys() & other)
    return len(both), [
        f"{hand} ended otherwise than in peace"
        for hand in both
        if _end(mine[hand]) != _end(other[hand])
    ]


def _whole(hands: Sequence[Document]) -> Iterator[Document]:
    """Ended hands, at each table up to the first in which the referee has answered."""
    spoiled: set[str] = set()
    for hand in sorted(hands, key=lambda hand: (hand["table"], hand["number"])):
        if hand["status"] != HandStatus.FINISHED or any(
            step["meta"].get("cause") for step in hand["steps"]
        ):
            spoiled.add(hand["table"])
        if hand["table"] not in spoiled:
            yield hand


def _end(hand: Document) -> tuple[object, object]:
    return hand["deck"], hand["result"]["game"]


def unserved(story: Story) -> int:
    """How many referees were killed before they had written the end of any turn."""
    at_ms = sorted(step.at_ms for step in every_step(story))
    spans = [(life.ready_ms or life.killed_ms, life.killed_ms) for life in story.lives]
    return sum(bisect(at_ms, last) == bisect(at_ms, first) for first, last in spans)


def gap_ms(lives: Sequence[ServicePeriod]) -> int:
    """The longest time for which no referee took requests."""
    ready = [life for life in lives if life.ready_ms is not None]
    return max(((b.ready_ms or 0) - a.killed_ms for a, b in pairwise(ready)), default=0)
