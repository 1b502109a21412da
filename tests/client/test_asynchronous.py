"""The asynchronous kit: coroutines as bots, many turns at once, and the protocol, awaited."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from arena.client import ArenaProblem, ArenaUnreachable, Bot, Client, KitError, Tally, Turn
from arena.client.asynchronous import AsyncClient, AsyncRunner, run
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn
from tests.event_loops import alone
from tests.ports import free_port


class Lowest(Bot):
    async def play(self, turn: Turn) -> Any:
        await asyncio.sleep(0)
        return turn.lowest() or turn.pass_()


class Scripted(Bot):
    """Gives these answers, one after the other; an exception is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    async def play(self, turn: Turn) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def asked(
    arena: FakeArena, question: Callable[[AsyncClient], Awaitable[Any]], **settings: Any
) -> Any:
    """What a client, registered as alice, gets to hear."""

    async def ask(url: str) -> Any:
        async with AsyncClient(url, chance=lambda: 0.0, **settings) as client:
            await client.register("alice")
            return await question(client)

    with serving(arena) as url:
        return alone(lambda: asyncio.run(ask(url)))


def played(arena: FakeArena, bot: Bot, **settings: Any) -> Tally:
    """What it came to when a bot played the arena's only session to its end."""

    async def play(client: AsyncClient) -> Tally:
        await client.enter("cup")
        return await AsyncRunner(client, bot, sessions=["cup"], wait_s=2, **settings).run()

    tally = asked(arena, play)
    assert isinstance(tally, Tally)
    return tally


def two_tables() -> list[dict[str, Any]]:
    return [turn(1, hand=f"cup-r01-t0{table}-h001") for table in (1, 2)]


def test_the_way_to_the_referee_of_a_bot_is_kept_and_sent() -> None:
    arena = FakeArena()
    arena.route = "elm"

    async def poll(client: AsyncClient) -> None:
        for _ in range(2):
            await client.turns()

    asked(arena, poll)
    assert arena.cookies == [None, "arena_route=elm", "arena_route=elm"]


def test_an_awaited_entry_gives_bytes_to_chance_too() -> None:
    arena = FakeArena()

    async def enter(client: AsyncClient) -> list[Any]:
        given = []
        for chance in ("random", "random", None):
            arena.status = "open"
            entry = await client.enter("cup", chance=chance)
            given.append((entry["chance_given"], arena.chances["alice"]))
        return given

    given = asked(arena, enter)
    assert given == [(True, given[0][1])] * 3
    assert len(bytes.fromhex(given[0][1])) == 32


def test_a_bot_of_coroutines_plays_until_its_session_is_finished() -> None:
    arena = FakeArena([turn(1), answering(2), answering(3, legal=[{"pass": True}])])
    assert played(arena, Lowest()) == Tally(3, 0, 0, 0)
    assert [*arena.answers.values()] == [{"cards": ["S3"]}, {"cards": ["D7"]}, {"pass": True}]


def test_methods_without_async_are_called_as_they_are() -> None:
    class Plain(Bot):
        def play(self, turn: Turn) -> Any:
            return turn.highest()

    arena = FakeArena([turn(1)])
    assert played(arena, Plain()) == Tally(1, 0, 0, 0)
    assert [*arena.answers.values()] == [{"cards": ["JK"]}]


def test_it_thinks_about_two_tables_at_the_same_time() -> None:
    class Together(Bot):
        def __init__(self) -> None:
            self.both = asyncio.Barrier(2)

        async def play(self, turn: Turn) -> Any:
            await self.both.wait()  # one after the other would wait for ever
            return turn.lowest()

    arena = FakeArena(two_tables(), at_once=2)
    assert played(arena, Together()) == Tally(2, 0, 0, 0)


def test_who_has_thought_does_not_wait_for_who_still_thinks() -> None:
    order: list[str] = []

    class OneIsSlow(Bot):
        def __init__(self) -> None:
            self.third = asyncio.Event()

        async def play(self, turn: Turn) -> Any:
            if turn.table.endswith("t01"):
                await self.third.wait()
            if turn.id.endswith("t02-h001.2.2"):
                self.third.set()
            order.append(turn.id)
            return turn.lowest()

    later = answering(2, hand="cup-r01-t02-h001")
    played(FakeArena([*two_tables(), later], at_once=2), OneIsSlow())
    assert order == ["cup-r01-t02-h001.1.2", "cup-r01-t02-h001.2.2", "cup-r01-t01-h001.1.2"]


def test_a_refused_answer_gets_another_one_and_then_the_clock_has_it() -> None:
    class Stubborn(Bot):
        async def play(self, turn: Turn) -> Any:
            return ["H2"]

        async def refused(self, turn: Turn, problem: ArenaProblem) -> Any:
            assert problem.reason == "too_low"
            return {"cards": ["D7"]} if turn.id.endswith(".1.2") else ["C2"]

    arena = FakeArena([turn(1), turn(2, remaining_ms=20, bank_ms=0)])
    arena.budget = 3
    assert played(arena, Stubborn()) == Tally(1, 0, 3, 0)
    assert arena.refusals == [{"cards": ["H2"]}, {"cards": ["H2"]}, {"cards": ["C2"]}]


def test_an_error_of_the_bot_costs_one_move(caplog: pytest.LogCaptureFixture) -> None:
    arena = FakeArena([turn(1), answering(2)])
    with caplog.at_level(logging.ERROR):
        assert played(arena, Scripted(ZeroDivisionError("no cards"), None)) == Tally(2, 2, 0, 0)
    assert "ZeroDivisionError: no cards" in caplog.text
    assert "Is a `return` missing?" in caplog.text


def test_a_strict_run_ends_with_the_very_error_of_the_bot() -> None:
    with pytest.raises(ZeroDivisionError, match="no cards"):
        played(FakeArena([turn(1)]), Scripted(ZeroDivisionError("no cards")), strict=True)


def test_what_takes_longer_than_the_clock_is_cancelled(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.client.asynchronous.runner.GRACE_S", 0.05)
    ended: list[str] = []
    arena = FakeArena([turn(1, remaining_ms=20, bank_ms=0), turn(2)])

    class Endless(Bot):
        async def play(self, turn: Turn) -> Any:
            if turn.id.endswith(".2.2"):
                return turn.lowest()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(turn.id)
                arena.expire(turn.id)

    assert played(arena, Endless()) == Tally(1, 0, 0, 0)
    assert ended == ["cup-r01-t01-h001.1.2"]
    assert "took too long" in caplog.text
    assert "is left to the clock" in caplog.text


def test_what_was_thought_up_in_time_is_sent_when_the_arena_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.client.asynchronous.runner.GRACE_S", 0.0)

    class Away(FakeArena):
        """The first answer finds no referee."""

        def answer(self, turn: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            if not self.refusals:
                self.refusals.append(body)
                return 503, {"code": "busy", "detail": "restarting"}
            return super().answer(turn, body)

    async def beyond_the_clock(_: float) -> None:
        await asyncio.sleep(0.1)

    async def play(client: AsyncClient) -> Tally:
        await client.enter("cup")
        return await AsyncRunner(client, Scripted(["S3"]), sessions=["cup"], wait_s=2).run()

    arena = Away([turn(1, remaining_ms=20, bank_ms=0)])
    assert asked(arena, play, sleep=beyond_the_clock) == Tally(1, 0, 0, 0)
    assert arena.answers == {"cup-r01-t01-h001.1.2": {"cards": ["S3"]}}


def test_a_turn_that_is_over_meanwhile_is_counted_as_late() -> None:
    arena = FakeArena([turn(1), turn(2)])

    class Late(Lowest):
        async def play(self, turn: Turn) -> Any:
            if turn.id.endswith(".1.2"):
                arena.expire(turn.id)
            return await super().play(turn)

    assert played(arena, Late()) == Tally(1, 0, 0, 1)


def test_what_was_before_a_restart_is_there_before_the_bot_looks() -> None:
    seen: list[Any] = []

    class Historian(Lowest):
        async def play(self, turn: Turn) -> Any:
            seen.append(turn.history)
            return await super().play(turn)

    arena = FakeArena([turn(5, events_from=1, events=[{"type": "passed", "seat": 1}])])
    assert played(arena, Historian()) == Tally(1, 0, 0, 0)
    assert [event["type"] for event in seen[0]] == ["dealt", "passed"]


def test_hooks_may_be_coroutines_too() -> None:
    told: list[str] = []

    class Told(Lowest):
        async def on_session(self, session: Any) -> None:
            told.append(session["session"])

        async def on_events(self, events: Any, turn: Turn) -> None:
            told.append(events[0]["type"])

        async def on_hand_end(self, hand: str, events: Any) -> None:
            told.append(hand)

    played(FakeArena([turn(1, events=[{"type": "dealt"}])]), Told())
    assert told == ["cup", "dealt", "cup-r01-t01-h001"]


def test_cancelling_the_runner_cancels_what_the_bot_thinks() -> None:
    async def cancelled(client: AsyncClient) -> list[str]:
        ended: list[str] = []
        begun = asyncio.Event()

        class Endless(Bot):
            async def play(self, turn: Turn) -> Any:
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append(turn.id)

        await client.enter("cup")
        task = asyncio.create_task(AsyncRunner(client, Endless(), sessions=["cup"]).run())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ended

    assert asked(FakeArena([turn(1)]), cancelled) == ["cup-r01-t01-h001.1.2"]


# The protocol, awaited


def test_it_has_every_method_of_the_blocking_client_with_the_same_parameters() -> None:
    plumbing = {"request", "text"}
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        if not name.startswith("_") and name not in plumbing:
            other = getattr(AsyncClient, name)
            assert inspect.signature(other).parameters == inspect.signature(method).parameters, name


def test_what_may_be_repeated_is_sent_again_until_there_is_an_answer() -> None:
    arena = FakeArena([turn(1)])
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def poll(client: AsyncClient) -> Any:
        busy = {"code": "busy", "detail": "too many"}
        arena.troubles.extend(
            [Trouble(503, busy, {"Retry-After": "3"}), Trouble(429, busy), Trouble(502)]
        )
        await client.enter("cup")
        return await client.turns()

    document = asked(arena, poll, sleep=pause)
    assert len(document["turns"]) == 1
    assert pauses == [3.0, 0.1, 0.2]


def test_an_answer_whose_reply_was_lost_is_the_same_answer() -> None:
    arena = FakeArena([turn(1)])

    async def answer(client: AsyncClient) -> Any:
        await client.enter("cup")
        [first] = (await client.turns())["turns"]
        arena.troubles.append(Trouble(0, after=True))
        return await client.answer(first["turn"], {"cards": ["S3"]})

    assert asked(arena, answer)["replayed"] is True


def test_a_registration_that_may_have_arrived_is_not_sent_again() -> None:
    arena = FakeArena()

    async def register(client: AsyncClient) -> Any:
        arena.troubles.append(Trouble(0, after=True))
        await client.register("bob")

    with pytest.raises(ArenaUnreachable, match="no answer from http://127"):
        asked(arena, register)
    assert [*arena.tokens.values()] == ["alice", "bob"]


def test_an_error_answer_is_a_problem_with_all_that_the_arena_said() -> None:
    async def answer(client: AsyncClient) -> Any:
        await client.enter("cup")
        [first] = (await client.turns())["turns"]
        await client.answer(first["turn"], {"cards": ["H2"]})

    with pytest.raises(ArenaProblem, match="422 too_low") as caught:
        asked(FakeArena([turn(1)]), answer)
    assert caught.value.example == {"cards": ["S3"]}


def test_an_arena_that_is_not_there_is_told_in_one_line() -> None:
    async def look() -> None:
        async with AsyncClient(f"http://127.0.0.1:{free_port()}", patience_s=0) as client:
            await client.whoami()

    with pytest.raises(ArenaUnreachable, match=r"no answer from .* \(Connection refused\)"):
        alone(lambda: asyncio.run(look()))


def test_pages_are_asked_for_one_after_the_other() -> None:
    async def numbers(client: AsyncClient) -> list[str]:
        return [entry["turn"] async for entry in client.ledger()]

    assert asked(FakeArena(), numbers) == ["1", "2", "3"]


def test_redirects_are_not_followed() -> None:
    arena = FakeArena()

    async def look(client: AsyncClient) -> Any:
        arena.troubles.append(Trouble(302, {}, {"Location": "http://elsewhere.test/"}))
        await client.whoami()

    with pytest.raises(ArenaProblem, match="the arena has moved to http://elsewhere"):
        asked(arena, look)


def test_the_flags_are_those_of_every_bot(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    arena = FakeArena([turn(1), answering(2)])
    with serving(arena) as url:
        flags = ["--url", url, "--token-file", "none", "--wait", "1"]
        assert alone(lambda: run(Lowest(), argv=flags, environ={})) == Tally(2, 0, 0, 0)
    assert "lowest plays at http://127" in caplog.text


def test_without_aiohttp_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("arena.client.asynchronous")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(KitError, match=r"pip install 'daifugo-arena\[async\]'"):
        __import__("arena.client.asynchronous")
