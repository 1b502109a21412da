"""The life of a bot in its sessions: poll, think, answer, until they are over.

One loop, one thread, any number of tables. What has been thought is sent before it loses time
while a slow bot thinks about its other turns. May not know rules, flags or files (see `main.py`).
"""

from __future__ import annotations

import logging
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.client.bot import Bot
from arena.client.forms import Answer, size_of_note, with_thought
from arena.client.history import Histories
from arena.client.http import Client
from arena.client.problems import ArenaProblem
from arena.client.receipts import Receipts
from arena.client.thinking import Thinker, is_worth_saying, overrides
from arena.client.turn import Turn
from arena.client.watch import Watch
from arena.documents import Document
from arena.statuses import OVER, SessionStatus

LOG = logging.getLogger("arena.client")
REFUSED = frozenset({400, 422})
TOO_LATE = frozenset({409, 410})
MOST_NOTES = 16_384
"""Bytes of notes in one request; the arena takes requests of 64 KiB, all in all."""
POINTER = re.compile(r"/answers/([0-9]+)(?:/|$)")
"""Into which of many answers an error points."""


class Tally(NamedTuple):
    """What a bot's run came to."""

    answered: int
    errors: int
    refused: int
    late: int

    def __str__(self) -> str:
        return (
            f"{self.answered} turns answered, {self.errors} errors in the bot's code, "
            f"{self.refused} answers refused, {self.late} too late"
        )


def _at_fault(problem: ArenaProblem, turns: Sequence[str]) -> set[str]:
    """Those of the answers to these turns that the arena refused."""
    matches = (POINTER.match(str(error.get("pointer"))) for error in problem.errors)
    indices = {int(match[1]) for match in matches if match}
    return {turns[index] for index in indices if index < len(turns)}


class Runner:
    """Plays `bot` in `sessions` through `client`. `run()` returns when all of them are over.

    sessions: None for all in which others enter the bot, for ever.

    `wait_s`: how long one poll may wait (0..30). `think_s`: answers that are ready are sent as soon
    as thinking about a batch of turns has taken this long. `strict`: the bot's errors are raised.
    `receipts`: where receipts are kept, if anywhere; who opened it closes it.
    """

    def __init__(
        self,
        client: Client,
        bot: Bot,
        *,
        sessions: Iterable[str] | None,
        wait_s: float = 25.0,
        most_turns: int = 32,
        think_s: float = 0.1,
        strict: bool = False,
        receipts: Receipts | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client, self.bot, self.sessions = client, bot, list(sessions or ())
        self._forever = sessions is None
        self.wait_s, self.most_turns, self.think_s = wait_s, most_turns, think_s
        self._receipts = receipts
        self._watch = Watch()
        self._thinker = Thinker(bot, strict=strict, watch=self._watch)
        self._histories = Histories(
            lambda hand: client.hand_events(hand)["events"], lambda session: client.session(session)
        )
        self._sleep, self._clock = sleep, clock
        self._hands: dict[str, str] = {}  # table -> the hand it is at
        self._left_to_clock: dict[str, float] = {}  # turn -> when it is over at the latest
        self._quick_empties = 0
        self._cursor: str | int | None = None
        self._answered = self._refused = self._late = 0
        self._reasons: Counter[str] = Counter()

    @property
    def tally(self) -> Tally:
        return Tally(self._answered, self._thinker.errors, self._refused, self._late)

    def run(self) -> Tally:
        """Play until all sessions are over. Once only."""
        with self._watch:
            return self._run()

    def _run(self) -> Tally:
        for session in self.sessions:
            self._thinker.tell(self.bot.on_session, self.client.session(session))
        turns = self._poll()
        while turns or not self._over():
            turns = self._step(turns) if turns else self._poll()
        for hand in self._hands.values():
            self._end_hand(hand)
        return self.tally

    def _over(self) -> bool:
        """Asked after an empty poll only."""
        for session in list(self.sessions):
            view = self._view(session)
            if view.get("status") in OVER:
                name = f" ({view['name']})" if view.get("name") else ""
                reason = f": {view['reason']}" if view.get("reason") else ""
                LOG.info("session %s%s is %s%s", session, name, view["status"], reason)
                self.sessions.remove(session)
                self._histories.forget(session)
                if self._receipts is not None:
                    self._receipts.end_session(session)
        return not self.sessions and not self._forever

    def _view(self, session: str) -> Document:
        """A session; one that was taken away is as good as over where all are played that come."""
        try:
            return self.client.session(session)
        except ArenaProblem as problem:
            if problem.status != 404 or not self._forever:
                raise
            return {"status": SessionStatus.CANCELLED}

    # Polling

    def _poll(self) -> list[Turn]:
        started = self._clock()
        wait_s = self.wait_s - random.randint(0, int(self.wait_s / 5))
        document = self.client.turns(
            wait_s, self._after(), max=self.most_turns, legal=self.bot.wants_legal
        )
        turns = self._take(document, "turns")
        if turns:
            self._quick_empties = 0
        else:
            self._breathe(document, held_s=self._clock() - started)
        return turns

    def _take(self, document: Document, member: str) -> list[Turn]:
        self._cursor = document.get("cursor", self._cursor)
        turns = [Turn(turn, self._histories) for turn in document.get(member) or ()]
        for turn in turns:
            self._histories.note(turn)
            self._keep(turn)
        return [turn for turn in turns if turn.id not in self._left_to_clock]

    def _keep(self, turn: Turn) -> None:
        """Keep the receipt of a turn; after a restart with what the seat was shown before."""
        receipts = self._receipts
        if receipts is None:
            return
        earlier: Sequence[Mapping[str, Any]] = ()
        if receipts.lacks(turn):
            try:
                earlier = self._histories.events(turn)
            except ArenaProblem as problem:
                LOG.warning("no log of hand %s for its receipt: %s", turn.hand.id, problem)
        receipts.note_turn(turn, earlier)

    def _after(self) -> str | int | None:
        """Without a cursor every open turn comes again, which forgives everything. So it is used
        only while a turn is left to the clock: that one would end each poll at once."""
        now = self._clock()
        self._left_to_clock = {t: until for t, until in self._left_to_clock.items() if until > now}
        return self._cursor if self._left_to_clock else None

    def _breathe(self, document: Document, *, held_s: float) -> None:
        """Wait before the next poll: as the arena asks, and longer if polls keep ending empty at
        once."""
        asked_s = float(document.get("poll_after_ms") or 0) / 1000
        if asked_s or held_s > 0.5:
            self._quick_empties = 0
            self._sleep(asked_s)
            return
        self._quick_empties += 1
        if self._quick_empties == 20:
            LOG.warning("polls end at once: does another process run with this bot's token?")
        self._sleep(min(2.0, 0.02 * 2 ** min(self._quick_empties, 8)))

    # Thinking and answering

    def _step(self, turns: list[Turn]) -> list[Turn]:
        """Answer as many turns as can be thought about in a moment -> the turns to do next."""
        answers, rest = self._think(turns)
        if not answers:
            return rest
        document = self._send(answers, wait_s=0 if rest or self._left_to_clock else self.wait_s)
        again = self._read_results(document, answers)
        todo = {turn.id: turn for turn in turns if turn in rest or turn.id in again}
        fresh = {turn.id: turn for turn in self._take(document, "next")}
        return [
            *{**todo, **{t: fresh[t] for t in fresh if t in again or t not in answers}}.values()
        ]

    def _think(self, turns: list[Turn]) -> tuple[dict[str, Answer], list[Turn]]:
        """The most urgent first; stop when it takes long, so that ready answers do not wait."""
        queue = sorted(turns, key=lambda turn: turn.left_ms)
        answers: dict[str, Answer] = {}
        started, notes = self._clock(), 0
        while queue and not (
            answers and (self._clock() - started > self.think_s or notes > MOST_NOTES)
        ):
            turn = queue.pop(0)
            self._notice_session(turn)
            self._notice_hand(turn)
            began_s = self._clock()
            answer = self._thinker.answer(turn)
            if answer is None:
                self._leave_to_clock(turn)
            else:
                answers[turn.id] = with_thought(answer, self._clock() - began_s)
                notes += size_of_note(answer)
        return answers, queue

    def _leave_to_clock(self, turn: Turn) -> None:
        LOG.warning("%s is left to the clock", turn.id)
        self._thinker.settled(turn.id)
        self._left_to_clock[turn.id] = self._clock() + turn.left_ms / 1000 + 1.0

    def _send(self, answers: Mapping[str, Answer], *, wait_s: float) -> Document:
        """All answers in one request; those again without which the arena finds it malformed."""
        try:
            return self.client.answer_many(
                answers,
                wait_s,
                after=self._after(),
                max=self.most_turns,
                legal=self.bot.wants_legal,
            )
        except ArenaProblem as problem:
            if problem.status not in REFUSED:
                raise
            bad = _at_fault(problem, list(answers))
            if bad:
                return self._send_rest(answers, bad, problem=problem)
        return {"results": [self._send_one(turn, body) for turn, body in answers.items()]}

    def _send_rest(
        self, answers: Mapping[str, Answer], bad: Collection[str], *, problem: ArenaProblem
    ) -> Document:
        """What is malformed is not sent again: each time it costs a unit of the illegal budget."""
        refused = [
            {"turn": turn, "status": problem.status, "problem": problem.document} for turn in bad
        ]
        rest = {turn: answer for turn, answer in answers.items() if turn not in bad}
        document = self._send(rest, wait_s=0) if rest else {}
        return {**document, "results": [*document.get("results", ()), *refused]}

    def _send_one(self, turn: str, body: Answer) -> Document:
        try:
            return {**self.client.answer(turn, body), "turn": turn, "status": 200}
        except ArenaProblem as problem:
            if problem.status == 401:
                raise
            return {**problem.document, "turn": turn, "status": problem.status}

    def _read_results(self, document: Document, answers: Mapping[str, Answer]) -> set[str]:
        """Log and count what became of the answers -> the turns that need another one."""
        again = set()
        for result in document.get("results") or ():
            turn, status = str(result.get("turn")), int(result.get("status", 200))
            problem = ArenaProblem(status, result.get("problem") or result)
            if status in REFUSED:
                self._note_refusal(turn, answers.get(turn), problem)
                if problem.turn_over:
                    self._thinker.settled(turn)
                else:
                    self._thinker.refused(turn, problem)
                    again.add(turn)
                continue
            self._thinker.settled(turn)
            self._answered += status == 200
            self._late += status in TOO_LATE
            if status == 200 and self._receipts is not None and turn in answers:
                self._receipts.note_answer(turn, answers[turn], result)
            if status != 200:
                LOG.warning("not accepted: %s for %s: %s", answers.get(turn), turn, problem)
        return again

    def _note_refusal(self, turn: str, answer: Answer | None, problem: ArenaProblem) -> None:
        """Count it; of refusals for one reason show the 1st, the 10th, the 100th ..."""
        self._refused += 1
        self._reasons[str(problem.reason or problem.code)] += 1
        count = self._reasons[str(problem.reason or problem.code)]
        level = logging.WARNING if is_worth_saying(count) else logging.DEBUG
        times = f" ({count} times now)" if count > 1 else ""
        LOG.log(level, "refused%s: %s for %s: %s", times, answer, turn, problem)

    # Sessions and hands

    def _notice_session(self, turn: Turn) -> None:
        """Others may have entered the bot in one more session."""
        if self._forever and turn.session not in self.sessions:
            self.sessions.append(turn.session)
            self._thinker.tell(self.bot.on_session, self._view(turn.session))

    def _notice_hand(self, turn: Turn) -> None:
        before = self._hands.get(turn.table)
        hand = turn.hand.id
        if before == hand or not overrides(self.bot, "on_hand_end"):
            return
        self._hands[turn.table] = hand
        if before is not None:
            self._end_hand(before)

    def _end_hand(self, hand: str) -> None:
        try:
            events = self.client.hand_events(hand).get("events", [])
        except ArenaProblem as problem:
            LOG.warning("no log of hand %s: %s", hand, problem)
            return
        self._thinker.tell(self.bot.on_hand_end, hand, events)
