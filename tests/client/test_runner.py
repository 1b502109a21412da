"""A bot's life at the tables: polling, answering, its own mistakes, the end."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from arena.client import ArenaProblem, Bot, Client, Runner, Tally, Turn
from tests.client.clockwork import Clockwork
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn

Play = Callable[[FakeArena, Bot], Runner]


class Lowest(Bot):
    def play(self, turn: Turn) -> Any:
        return turn.lowest() or turn.pass_()


class Scripted(Bot):
    """Gives these answers, one after the other; an exception is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def play(self, turn: Turn) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def play() -> Iterator[Play]:
    """Enter the session of an arena and return the runner that has played it to its end."""
    closing: list[Any] = []

    def start(arena: FakeArena, bot: Bot, **settings: Any) -> Runner:
        server = serving(arena)
        client = Client(server.__enter__(), chance=lambda: 0.0)
        closing.extend([lambda: server.__exit__(None, None, None), client.close])
        client.register("alice")
        client.enter("cup")
        runner = Runner(client, bot, sessions=["cup"], wait_s=2, **settings)
        runner.run()
        return runner

    yield start
    for close in reversed(closing):
        close()


def test_a_bot_plays_until_its_session_is_finished(play: Play) -> None:
    arena = FakeArena([turn(1), answering(2), answering(3, legal=[{"pass": True}])])
    assert play(arena, Lowest()).tally == Tally(3, 0, 0, 0)
    assert [*arena.answers.values()] == [{"cards": ["S3"]}, {"cards": ["D7"]}, {"pass": True}]
    assert arena.status == "finished"


def test_each_answer_says_how_long_the_bot_has_thought(play: Play) -> None:
    """The runner's clock goes on by a quarter of a second while the bot thinks."""
    now_s = [0.0]

    class Slow(Lowest):
        def play(self, turn: Turn) -> Any:
            now_s[0] += 0.25
            return super().play(turn)

    arena = FakeArena([turn(1), answering(2)])
    play(arena, Slow(), clock=lambda: now_s[0])
    assert list(arena.thoughts.values()) == [250, 250]


def test_turns_of_many_tables_are_answered_in_one_request(play: Play) -> None:
    turns = [turn(1, hand=f"cup-r01-t{table:02}-h001") for table in range(20)]
    arena = FakeArena(turns, at_once=20)
    assert play(arena, Lowest()).tally.answered == 20
    assert arena.paths("POST").count("/api/v1/turns") == 1


def test_long_notes_do_not_make_a_request_too_long(play: Play) -> None:
    """The arena takes 64 KiB, and this note alone is 3 KiB as JSON has it."""

    class Talkative(Bot):
        def play(self, turn: Turn) -> Any:
            return turn.answer(turn.lowest(), note="🃏" * 280)

    arena = FakeArena([turn(n, hand=f"cup-r01-t{n:02}-h001") for n in range(32)], at_once=32)
    runner = play(arena, Talkative(), think_s=60)  # type: ignore[call-arg]
    assert runner.tally.answered == 32
    sizes = [len(json.dumps(each.body)) for each in arena.requests if each.method == "POST"]
    assert 16_384 < max(sizes) < 32_768


def test_a_slow_bot_sends_what_is_ready_and_the_most_urgent_first(play: Play) -> None:
    class Slow(Lowest):
        def play(self, turn: Turn) -> Any:
            time.sleep(0.03)
            return super().play(turn)

    left_ms = [9_000, 1_000, 5_000]
    hands = [f"cup-r01-t{table:02}-h001" for table in range(3)]
    turns = [turn(1, hand=h, remaining_ms=ms) for h, ms in zip(hands, left_ms, strict=True)]
    arena = FakeArena(turns, at_once=3)
    assert play(arena, Slow(), think_s=0.01).tally.answered == 3
    assert [key.partition(".")[0] for key in arena.answers] == [hands[1], hands[2], hands[0]]
    assert arena.paths("POST").count("/api/v1/turns") == 3


def test_an_error_in_play_is_shown_and_costs_one_move_only(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    arena = FakeArena([turn(1), answering(2), turn(3)])
    bot = Scripted(ZeroDivisionError("by zero"), ZeroDivisionError("by zero"), ["D7"])
    assert play(arena, bot).tally == Tally(3, 2, 0, 0)
    assert [*arena.answers.values()] == [{"cards": ["S3"]}, {"pass": True}, {"cards": ["D7"]}]
    errors = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
    assert "Traceback" in errors[0]
    assert "in play" in errors[0]
    assert "answering {'cards': ['S3']} instead" in errors[0]
    assert len(errors) == 1


@pytest.mark.slow
def test_the_same_error_is_shown_the_first_the_tenth_and_the_hundredth_time(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    turns = [turn(number) for number in range(1, 121)]
    bot = Scripted(*[ZeroDivisionError("by zero")] * 120)
    assert play(FakeArena(turns), bot).tally == Tally(120, 120, 0, 0)
    errors = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
    assert [re.findall(r"\((\d+) times now\)", error) for error in errors] == [[], ["10"], ["100"]]


def test_refusals_for_one_reason_are_shown_the_first_and_the_tenth_time(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    turns = [answering(number) for number in range(1, 13)]
    assert play(FakeArena(turns), Scripted(*[["H2"]] * 12)).tally == Tally(12, 0, 12, 0)
    said = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert [text[:22] for text in said] == ["refused: {'cards': ['H", "refused (10 times now)"]


def test_with_the_budget_spent_nothing_more_is_sent_for_that_turn(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    class Stubborn(Scripted):
        second_tries = 9

        def refused(self, turn: Turn, problem: ArenaProblem) -> Any:
            return ["C2"]

    arena = FakeArena([answering(1), turn(2)])
    arena.budget = 3
    assert play(arena, Stubborn(["H2"], ["S3"])).tally == Tally(1, 0, 3, 0)
    assert len(arena.refusals) == 3
    assert "410" not in caplog.text


def test_malformed_answers_are_said_in_words_and_never_sent(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    arena = FakeArena([turn(1)])
    assert play(arena, Scripted(["S10"])).tally == Tally(1, 1, 0, 0)
    assert "play() returned ['S10']: 'S10' is no card, ten is T: ST" in caplog.text
    assert [*arena.answers.values()] == [{"cards": ["S3"]}]


def test_a_forgotten_return_is_named(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    assert play(FakeArena([turn(1)]), Scripted(None)).tally == Tally(1, 1, 0, 0)
    assert "play() returned None. Is a `return` missing?" in caplog.text


def test_strict_stops_at_the_first_error(play: Play) -> None:
    with pytest.raises(ZeroDivisionError):
        play(FakeArena([turn(1)]), Scripted(ZeroDivisionError()), strict=True)


def test_a_refused_move_is_shown_and_replaced_once(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    arena = FakeArena([answering(1), turn(2)])
    assert play(arena, Scripted(["H2"], ["S3"])).tally == Tally(2, 0, 1, 0)
    assert [*arena.answers.values()] == [{"pass": True}, {"cards": ["S3"]}]
    assert arena.refusals == [{"cards": ["H2"]}]
    assert "422 too_low: too low" in caplog.text


def test_a_move_that_is_refused_twice_is_left_to_the_clock(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = answering(1), turn(1, hand="cup-r01-t02-h001")
    more = [turn(n, hand="cup-r01-t02-h001") for n in (2, 3, 4)]
    arena = FakeArena([bad, good, *more], at_once=2)
    arena.refuse_always.add(bad["turn"])

    class Watching(Lowest):
        def play(self, turn: Turn) -> Any:
            if turn.id.startswith("cup-r01-t02-h001.4"):
                arena.expire(bad["turn"])
            return super().play(turn)

    runner = play(arena, Watching())
    assert runner.tally == Tally(4, 0, 2, 0)
    assert len(arena.refusals) == 2
    assert "is left to the clock" in caplog.text
    assert len(arena.requests) < 15


def test_a_bot_can_choose_its_own_second_answer(play: Play) -> None:
    class Stubborn(Scripted):
        second_tries = 3

        def refused(self, turn: Turn, problem: ArenaProblem) -> Any:
            return {"cards": ["JK"]} if problem.cards == ["C2"] else ["C2"]

    arena = FakeArena([answering(1)])
    assert play(arena, Stubborn(["H2"])).tally == Tally(1, 0, 2, 0)
    assert arena.answers.popitem()[1] == {"cards": ["JK"]}


@pytest.mark.parametrize("points", [True, False])
def test_a_malformed_answer_does_not_spoil_those_of_other_tables(
    play: Play, *, points: bool
) -> None:
    """It is sent once more only if the arena does not say which one is malformed."""

    class Garbage(Lowest):
        def answer(self, turn: Turn) -> Any:
            wrong = turn.table.endswith("t01")
            return {"cards": "everything"} if wrong else super().answer(turn)

    turns = [turn(1), turn(1, hand="cup-r01-t02-h001")]
    arena = FakeArena(turns, at_once=2)
    arena.points = points
    assert play(arena, Garbage()).tally == Tally(2, 0, 1, 0)
    assert [*arena.answers.values()] == [{"cards": ["S3"]}, {"cards": ["S3"]}]
    assert arena.malformed == 1
    assert len(arena.refusals) == (0 if points else 1)


def test_an_answer_that_comes_too_late_is_told(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    arena = FakeArena([turn(1), turn(2)])

    class Late(Lowest):
        def play(self, turn: Turn) -> Any:
            if turn.id.endswith(".1.2"):
                arena.expire(turn.id)
            return super().play(turn)

    assert play(arena, Late()).tally == Tally(1, 0, 0, 1)
    assert "the referee has passed for you" in caplog.text


def test_a_bot_may_stay_silent_on_purpose(play: Play) -> None:
    arena = FakeArena([turn(1)])

    class Silent(Bot):
        def answer(self, turn: Turn) -> None:
            arena.expire(turn.id)

    assert play(arena, Silent()).tally == Tally(0, 0, 0, 0)


def test_a_restart_of_the_referee_in_the_middle_is_survived(play: Play) -> None:
    arena = FakeArena([turn(1), answering(2)])

    class Unlucky(Lowest):
        def play(self, turn: Turn) -> Any:
            arena.troubles.extend([Trouble(0, after=True), Trouble(503), Trouble(0)])
            return super().play(turn)

    assert play(arena, Unlucky()).tally == Tally(2, 0, 0, 0)


def test_a_revoked_token_ends_it(play: Play) -> None:
    arena = FakeArena([turn(1)])

    class Revoked(Lowest):
        def play(self, turn: Turn) -> Any:
            arena.tokens.clear()
            return super().play(turn)

    with pytest.raises(ArenaProblem, match="401"):
        play(arena, Revoked())


def test_hooks_hear_of_session_events_and_ended_hands(play: Play) -> None:
    heard: list[Any] = []

    class Listening(Lowest):
        def on_session(self, session: Mapping[str, Any]) -> None:
            heard.append(session["options"])

        def on_events(self, events: Sequence[Mapping[str, Any]], turn: Turn) -> None:
            heard.append([event["event"] for event in events])

        def on_hand_end(self, hand: str, events: Sequence[Mapping[str, Any]]) -> None:
            heard.append((hand, events[-1]["event"]))

    second = turn(1, hand="cup-r01-t01-h002", events=[{"event": "Passed", "seat": 1}])
    play(FakeArena([turn(1), second]), Listening())
    assert heard == [
        {"hachi_giri": True},
        ("cup-r01-t01-h001", "Ended"),
        ["Passed"],
        ("cup-r01-t01-h002", "Ended"),
    ]


def test_an_error_in_a_hook_costs_nothing(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Lowest):
        def on_session(self, session: Mapping[str, Any]) -> None:
            raise KeyError("rules")

    assert play(FakeArena([turn(1)]), Broken()).tally == Tally(1, 1, 0, 0)
    assert "going on without it" in caplog.text


def test_logs_of_hands_are_not_fetched_for_bots_that_do_not_listen(play: Play) -> None:
    arena = FakeArena([turn(1)])
    play(arena, Lowest())
    assert not [path for path in arena.paths("GET") if "hands" in path]


def test_polls_that_end_at_once_are_not_repeated_in_a_hot_loop() -> None:
    ticking = Clockwork()
    polls = 0

    class Impatient(Client):
        def turns(self, *_: Any, **__: Any) -> dict[str, Any]:
            nonlocal polls
            polls += 1
            return {"turns": [], "poll_after_ms": 0, "cursor": 0}

        def session(self, session: str) -> dict[str, Any]:
            return {"id": session, "status": "running" if ticking.now_s < 60 else "finished"}

    with Impatient("http://127.0.0.1:1") as client:
        bot = Lowest()
        Runner(client, bot, sessions=["cup"], sleep=ticking.sleep, clock=ticking.clock).run()
    assert polls < 50


def test_a_poll_that_is_told_to_wait_waits() -> None:
    ticking = Clockwork()

    class Quiet(Client):
        def turns(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"turns": [], "poll_after_ms": 1500, "cursor": 0}

        def session(self, session: str) -> dict[str, Any]:
            return {"id": session, "status": "open" if ticking.now_s < 4 else "cancelled"}

    with Quiet("http://127.0.0.1:1") as client:
        bot = Lowest()
        Runner(client, bot, sessions=["cup"], sleep=ticking.sleep, clock=ticking.clock).run()
    assert ticking.pauses_s == [1.5, 1.5, 1.5]


def test_a_bot_without_sessions_plays_in_all_in_which_others_enter_it() -> None:
    heard: list[str] = []

    class Everywhere(Lowest):
        def on_session(self, session: Mapping[str, Any]) -> None:
            heard.append(str(session.get("session")))

    class Enough(Exception):
        pass

    class Arena(Client):
        """Two sessions, one after the other; the first is over and the second is taken away."""

        asked: list[str]
        polls = 0

        def turns(self, *_: Any, **__: Any) -> dict[str, Any]:
            self.polls += 1
            documents = {1: [turn(1, session="one")], 3: [turn(2, session="two")]}
            if self.polls > 5:
                raise Enough
            waiting = documents.get(self.polls, [])
            return {"turns": waiting, "poll_after_ms": 1, "cursor": self.polls}

        def answer_many(self, answers: Any, *_: Any, **__: Any) -> dict[str, Any]:
            results = [{"turn": each, "status": 200} for each in answers]
            return {"results": results, "next": [], "cursor": 0}

        def session(self, session: str) -> dict[str, Any]:
            self.asked.append(session)
            if self.asked.count("two") > 1:
                raise ArenaProblem(404, {"code": "not_found"})
            return {"session": session, "status": "running" if session == "two" else "finished"}

    ticking = Clockwork()
    with Arena("http://127.0.0.1:1") as client:
        client.asked = []
        runner = Runner(
            client, Everywhere(), sessions=None, sleep=ticking.sleep, clock=ticking.clock
        )
        with pytest.raises(Enough):
            runner.run()
    assert heard == ["one", "two"]
    assert runner.tally.answered == 2
    assert runner.sessions == []
