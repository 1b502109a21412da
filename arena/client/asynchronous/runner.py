"""The life of a bot whose methods may be coroutines: poll, think about many turns, answer each.

One task polls; each turn is thought about and answered in a task of its own. So a table at which
the bot thinks for long holds up no other. It takes two requests for a decision where the blocking
`arena.client.Runner` takes one.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

from arena.client.asynchronous.http import AsyncClient
from arena.client.bot import Bot
from arena.client.flags import BotSettings, kebab
from arena.client.forms import Answer, as_answer, with_thought
from arena.client.history import Histories
from arena.client.main import check_not_imported, enter, receipts_in, signed_in, start
from arena.client.problems import ArenaProblem, KitError
from arena.client.receipts import Receipts
from arena.client.runner import REFUSED, TOO_LATE, Tally
from arena.client.thinking import Thinker, overrides
from arena.client.turn import Turn
from arena.documents import Document
from arena.statuses import OVER, SessionStatus

LOG = logging.getLogger("arena.client")
GRACE_S = 1.0
"""For so long after its last moment a turn is still thought about: clocks differ."""


def run(
    bot: Bot,
    *,
    argv: Sequence[str] | None = None,
    environ: Mapping[str, str] | None = None,
    **given: Any,
) -> Tally | None:
    """`arena.client.run` for a bot whose methods may be coroutines: the same flags, environment
    and arguments. For a program of its own; within an event loop use `AsyncRunner`."""
    check_not_imported()
    return start(bot, play, given, argv=argv, environ=environ)


def play(bot: Bot, chosen: BotSettings) -> Tally:
    """The same without flags, signals and exits: errors are raised."""
    with (
        receipts_in(chosen) as receipts,
        signed_in(chosen, default_name=kebab(type(bot).__name__)) as me,
    ):
        sessions = enter(me, chosen.sessions, chance=chosen.chance)

        async def played() -> Tally:
            async with AsyncClient(
                me.client.url, me.client.token, patience_s=chosen.patience_s
            ) as client:
                runner = AsyncRunner(
                    client,
                    bot,
                    sessions=sessions,
                    wait_s=chosen.wait_s,
                    strict=chosen.strict,
                    receipts=receipts,
                )
                try:
                    return await runner.run()
                finally:
                    LOG.info("%s: %s", me.name, runner.tally)

        return asyncio.run(played())


class AsyncThinker(Thinker):
    """Asks a bot whose methods may be coroutines."""

    async def answer_soon(self, turn: Turn) -> Answer | None:
        """`answer`, awaited: the bot's answer; None: leave the turn to the clock."""
        if turn.events:
            await self.tell_soon(self.bot.on_events, turn.events, turn)
        method = self.bot.method_for(turn)
        try:
            return as_answer(await _done(method(turn)), method.__name__)
        except Exception as error:
            answer = turn.fallback()
            self.own_error(error, f"answering {answer} instead, at turn {turn.id}")
            return answer

    async def answer_again_soon(self, turn: Turn, problem: ArenaProblem) -> Answer | None:
        """The bot's answer after a refusal; None: leave the turn to the clock."""
        try:
            answer = await _done(self.bot.refused(turn, problem))
            return None if answer is None else as_answer(answer, "refused")
        except Exception as error:
            self.own_error(error, f"leaving turn {turn.id} to the clock")
            return None

    async def tell_soon(self, hook: Callable[..., Any], *args: Any) -> None:
        """Call a hook whose value does not matter."""
        try:
            await _done(hook(*args))
        except Exception as error:
            self.own_error(error, "going on without it")


async def _done(value: Any) -> Any:
    """What a method returned, or what its coroutine returns."""
    return await value if inspect.isawaitable(value) else value


class AsyncRunner:
    """Plays `bot` in `sessions` through `client`. `await run()` returns when all are over.

    sessions: those that the bot has entered. `wait_s`: how long one poll may wait (0..30).
    `strict`: the bot's errors are raised. `receipts`: where they are kept, if anywhere; who opened
    it closes it. Cancelled, it cancels what the bot is thinking about.
    """

    def __init__(
        self,
        client: AsyncClient,
        bot: Bot,
        *,
        sessions: Iterable[str],
        wait_s: float = 25.0,
        most_turns: int = 32,
        strict: bool = False,
        receipts: Receipts | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client, self.bot, self.sessions = client, bot, list(sessions)
        self.wait_s, self.most_turns = wait_s, most_turns
        self._receipts = receipts
        self._thinker = AsyncThinker(bot, strict=strict)
        self._histories = Histories(_not_fetched, _not_fetched)
        self._sleep, self._clock = sleep, clock
        self._open: dict[str, asyncio.Task[None]] = {}  # turns that are thought about
        self._hands: dict[str, str] = {}  # table -> the hand it is at
        self._cursor: str | int | None = None
        self._answered = self._refused = self._late = 0

    @property
    def tally(self) -> Tally:
        return Tally(self._answered, self._thinker.errors, self._refused, self._late)

    async def run(self) -> Tally:
        """Play until all sessions are over. Once only."""
        for session in self.sessions:
            document = await self.client.session(session)
            self._histories.note_session(session, document)
            await self._thinker.tell_soon(self.bot.on_session, document)
        try:
            async with asyncio.TaskGroup() as thinking:
                while self._open or not await self._over():
                    await self._poll(thinking)
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        for hand in self._hands.values():
            await self._end_hand(hand)
        return self.tally

    async def _over(self) -> bool:
        """Asked while no turn is open only."""
        for session in list(self.sessions):
            view = await self._view(session)
            if view.get("status") in OVER:
                LOG.info("session %s is %s", session, view["status"])
                self.sessions.remove(session)
                self._histories.forget(session)
                if self._receipts is not None:
                    self._receipts.end_session(session)
        return not self.sessions

    async def _view(self, session: str) -> Document:
        """A session; one that was taken away is as good as over."""
        try:
            return await self.client.session(session)
        except ArenaProblem as problem:
            if problem.status != 404:
                raise
            return {"status": SessionStatus.CANCELLED}

    async def _poll(self, thinking: asyncio.TaskGroup) -> None:
        """Wait for turns; without a cursor, which brings every open one, unless some are known."""
        started = self._clock()
        wait_s = self.wait_s - random.randint(0, int(self.wait_s / 5))
        document = await self.client.turns(
            wait_s,
            self._cursor if self._open else None,
            max=self.most_turns,
            legal=self.bot.wants_legal,
        )
        self._cursor = document.get("cursor", self._cursor)
        turns = [Turn(each, self._histories) for each in document.get("turns") or ()]
        fresh = [turn for turn in turns if turn.id not in self._open]
        for turn in fresh:
            self._histories.note(turn)
            self._open[turn.id] = thinking.create_task(self._turn(turn))
        asked_s = float(document.get("poll_after_ms") or 0) / 1000
        at_once = not fresh and self._clock() - started < 0.5
        await self._sleep(max(asked_s, 0.1 if at_once else 0.0))

    async def _turn(self, turn: Turn) -> None:
        """Think about one turn and answer it."""
        try:
            await self._answer(turn)
        finally:
            del self._open[turn.id]

    async def _prepare(self, turn: Turn) -> None:
        """What a turn's helpers look up must be there before: they cannot wait."""
        if self._histories.lacks(turn):
            self._histories.note_log(turn, await self._log_of(turn.hand.id))
        if self._receipts is not None:
            known = not self._histories.lacks(turn)
            self._receipts.note_turn(turn, self._histories.events(turn) if known else ())
        before = self._hands.get(turn.table)
        if before != turn.hand.id and overrides(self.bot, "on_hand_end"):
            self._hands[turn.table] = turn.hand.id
            if before is not None:
                await self._end_hand(before)

    async def _answer(self, turn: Turn) -> None:
        """What is thought up in time is sent, however long the arena cannot be reached then: while
        it is away no clock runs."""
        answer = await self._in_time(turn, self._first_answer(turn))
        for again in range(self.bot.second_tries + 1):
            problem = await self._send(turn, answer) if answer is not None else None
            if problem is None or problem.turn_over:
                break
            answer = None
            if again < self.bot.second_tries:
                second = self._thinker.answer_again_soon(turn, problem)
                answer = await self._in_time(turn, _timed(second))
        if answer is None:
            LOG.warning("%s is left to the clock", turn.id)
            await self._sleep(turn.left_ms / 1000)

    async def _first_answer(self, turn: Turn) -> Answer | None:
        await self._prepare(turn)
        return await _timed(self._thinker.answer_soon(turn))

    async def _in_time(
        self, turn: Turn, thinking: Coroutine[Any, Any, Answer | None]
    ) -> Answer | None:
        """What is thought up while the turn is open; None, and the thinking ends, if it is late."""
        try:
            async with asyncio.timeout(turn.left_ms / 1000 + GRACE_S):
                return await thinking
        except TimeoutError:
            LOG.warning("%s took too long", turn.id)
            return None

    async def _send(self, turn: Turn, answer: Answer) -> ArenaProblem | None:
        """Send an answer -> why it was refused, if it was and another may be given."""
        try:
            accepted = await self.client.answer(turn.id, answer)
        except ArenaProblem as problem:
            if problem.status in REFUSED:
                self._refused += 1
                LOG.warning("refused: %s for %s: %s", answer, turn.id, problem)
                return problem
            if problem.status not in TOO_LATE:
                raise
            self._late += 1
            LOG.warning("not accepted: %s for %s: %s", answer, turn.id, problem)
        else:
            self._answered += 1
            if self._receipts is not None:
                self._receipts.note_answer(turn.id, answer, accepted)
        return None

    async def _end_hand(self, hand: str) -> None:
        events = await self._log_of(hand)
        if events:
            await self._thinker.tell_soon(self.bot.on_hand_end, hand, events)

    async def _log_of(self, hand: str) -> list[Document]:
        """A hand's events; none, with a warning, if the arena does not show them."""
        try:
            return list((await self.client.hand_events(hand)).get("events", ()))
        except ArenaProblem as problem:
            LOG.warning("no log of hand %s: %s", hand, problem)
            return []


async def _timed(thinking: Awaitable[Answer | None]) -> Answer | None:
    """An answer, with how long it took."""
    began_s = time.monotonic()
    answer = await thinking
    return None if answer is None else with_thought(answer, time.monotonic() - began_s)


def _not_fetched(what: str) -> Any:
    """Helpers of a turn cannot wait for the arena; all that they need is fetched before."""
    raise KitError(f"{what} was not fetched before it was looked at")
