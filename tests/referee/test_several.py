"""Several processes on one store: any of them may serve any request, and each step happens once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError, BadInput, Conflict, Gone, NotFound, Refused
from arena.records.verify import verify
from arena.referee.projection import void_hand
from tests.referee.several import Several, line
from tests.referee.table import Arena, lowest
from tests.store.contents import counters

MOVE, BANK, GRACE = 5_000, 60_000, 150
BEAT = 1_000
MEMBERS: dict[str, Any] = {"seats": 3, "schedule": {"rounds": 2}}


@cache
def played_alone() -> tuple[list[Any], str]:
    arena = Arena()
    arena.session(**MEMBERS)
    arena.play()
    return results(arena), "finished"


def left_ms(arena: Arena) -> int:
    """Until the first open turn is answered by the referee."""
    _, turn = arena.one()
    left: int = turn["remaining_ms"] + turn["bank_ms"]
    return left


def results(arena: Arena) -> list[Any]:
    """What has come of all hands, without times."""
    rows = arena.store.session_hands("cup", limit=99)
    told = [orjson.loads(row.result) for row in rows]
    return [
        (row.id, row.status, {**each, "charged_ms": 0})
        for row, each in zip(rows, told, strict=True)
    ]


def end(arena: Arena, hand: str) -> None:
    """Play until this hand has ended."""
    while arena.store.hand(hand).status == "playing":
        arena.play(at_most=1)


def between(
    monkeypatch: pytest.MonkeyPatch, arena: Arena, read: str, act: Callable[[], object]
) -> None:
    """Once, something happens just after a referee has read this from the store."""
    reading = getattr(arena.store, read)

    def old(*names: Any, **more: Any) -> Any:
        found = reading(*names, **more)
        monkeypatch.undo()
        act()
        return found

    monkeypatch.setattr(arena.store, read, old, raising=False)


@pytest.fixture
def both() -> tuple[Several, Arena, Arena]:
    several = Several()
    return several, *several.arenas


def before_a_write(
    monkeypatch: pytest.MonkeyPatch, arena: Arena, act: Callable[[], object]
) -> None:
    """Once, something happens just before a referee writes."""
    writing = arena.store.write

    def write(*changes: Any) -> None:
        monkeypatch.undo()
        act()
        writing(*changes)

    monkeypatch.setattr(arena.store, "write", write)


def many_turns(here: Arena, there: Arena) -> tuple[str, list[dict[str, Any]]]:
    """A bot with turns at several tables, which both processes know."""
    here.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    there.referee.sweep()
    bot = max(here.bots.values(), key=lambda each: len(here.referee.turns(each)["turns"]))
    turns = here.referee.turns(bot)["turns"]
    assert len(turns) > 1
    return bot, turns


def open_turns(arena: Arena, hand: str) -> list[tuple[str, int]]:
    """The open turns of a hand, and how many events their bots are told."""
    told = (turn for bot in arena.bots.values() for turn in arena.referee.turns(bot)["turns"])
    return [(turn["turn"], len(turn["events"])) for turn in told if turn["hand"] == hand]


# Moves.


def test_a_turn_opened_here_is_answered_there_even_if_nothing_was_heard(
    both: tuple[Several, Arena, Arena],
) -> None:
    _, here, there = both
    here.session()
    for _ in range(40):
        bot, turn = here.one()
        line(there).deaf = True
        told = there.referee.answer(bot, turn["turn"], lowest(turn))
        assert told["accepted"]
        here.referee.sweep()


def test_the_same_answer_sent_to_two_processes_is_one_step(
    both: tuple[Several, Arena, Arena],
) -> None:
    _, here, there = both
    here.session()
    bot, turn = here.one()
    there.referee.sweep()
    first = here.referee.answer(bot, turn["turn"], lowest(turn))
    again = there.referee.answer(bot, turn["turn"], lowest(turn))
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert again["events"] == first["events"]
    with pytest.raises(Conflict, match="answered otherwise"):
        there.referee.answer(bot, turn["turn"], {"pass": True})


def test_a_batch_with_one_stale_answer_is_taken_apart(both: tuple[Several, Arena, Arena]) -> None:
    _, here, there = both
    here.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    there.referee.sweep()
    bot = max(here.bots.values(), key=lambda each: len(here.referee.turns(each)["turns"]))
    turns = here.referee.turns(bot)["turns"]
    assert len(turns) > 1
    line(there).deaf = True
    here.referee.answer(bot, turns[0]["turn"], lowest(turns[0]))
    answers = [{"turn": turn["turn"], **lowest(turn)} for turn in turns]
    told = there.referee.answer_many(bot, answers)
    assert [each["status"] for each in told] == [200] * len(turns)
    assert [each["replayed"] for each in told] == [True] + [False] * (len(turns) - 1)


def test_what_has_happened_to_many_hands_is_read_together(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, there = both
    bot, turns = many_turns(here, there)
    asked: list[int] = []
    reading = there.store.steps_of
    monkeypatch.setattr(
        there.store,
        "steps_of",
        lambda heads: asked.append(len(heads)) or reading(heads),
        raising=False,
    )
    monkeypatch.setattr(there.store, "steps", pytest.fail, raising=False)
    here.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)} for turn in turns])
    there.referee.sweep()
    assert asked == [len(turns)]
    for turn in turns:
        assert open_turns(there, turn["hand"]) == open_turns(here, turn["hand"])


@pytest.mark.parametrize("who", ["here", "there"])
def test_news_of_a_hand_that_has_moved_on_since_they_were_read(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Whoever moves it on, all steps are taken in once and none is left out."""
    _, here, there = both
    bot, turns = many_turns(here, there)
    here.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)} for turn in turns])
    arena, hand = (here if who == "here" else there), turns[0]["hand"]

    def move_on() -> None:
        [(bot, turn)] = [
            (bot, turn)
            for bot in here.bots.values()
            for turn in here.referee.turns(bot)["turns"]
            if turn["hand"] == hand
        ]
        arena.referee.answer(bot, turn["turn"], lowest(turn))

    between(monkeypatch, there, "steps_of", move_on)
    there.referee.sweep()
    there.referee.sweep()
    here.referee.sweep()
    for turn in turns:
        assert open_turns(there, turn["hand"]) == open_turns(here, turn["hand"])
    log = [step.seq for step in there.store.steps(hand)]
    assert len(log) == 3
    told = [each.referee.hand_events(hand)["events"] for each in (here, there)]
    assert told[0] == told[1]
    assert len(told[0]) == next(h.events for h in there.store.heads("cup") if h.hand == hand)


def test_news_of_a_hand_that_is_called_off_while_they_are_read_change_nothing(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a turn would wait for ever that nobody can answer."""
    _, here, there = both
    bot, turns = many_turns(here, there)
    here.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)} for turn in turns])
    context = there.referee._context
    hand = context.in_play.hands[turns[0]["hand"]]
    before = hand.log.seq

    def call_it_off() -> None:
        with hand.lock:
            void_hand(context.in_play, context.signals, hand)

    between(monkeypatch, there, "steps_of", call_it_off)
    there.referee.sweep()
    assert hand.log.seq == before
    laid = [turn for name in here.bots.values() for turn in context.signals.open_turns.of(name)]
    assert all(turn.hand is not hand for turn in laid)
    assert open_turns(there, turns[1]["hand"]) == open_turns(here, turns[1]["hand"])


def test_an_unknown_turn_is_unknown_everywhere(both: tuple[Several, Arena, Arena]) -> None:
    _, here, there = both
    here.session()
    bot, turn = here.one()
    with pytest.raises(NotFound):
        there.referee.answer(bot, turn["hand"] + ".99.0", {"pass": True})


def test_a_hand_is_followed_from_another_process(both: tuple[Several, Arena, Arena]) -> None:
    _, here, there = both
    here.session()
    bot, turn = here.one()
    before = there.referee.hand_events(turn["hand"])
    here.referee.answer(bot, turn["turn"], lowest(turn))
    there.referee.sweep()
    after = there.referee.hand_events(turn["hand"], None, before["next"])
    assert after["events"]
    assert after["next"] == here.referee.hand_events(turn["hand"])["next"]


# Cursors.


def test_a_cursor_of_one_process_hides_no_turn_at_another(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    here.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    several.sweep()
    for bot in here.bots.values():
        open_turns = {turn["turn"] for turn in here.referee.turns(bot)["turns"]}
        page = here.referee.turns(bot, limit=1)
        told = {turn["turn"] for turn in page["turns"]}
        cursor = page["cursor"]
        for step in range(8):
            several.clock.pass_ms(500)
            arena = (there, here)[step % 2]
            reply = arena.referee.turns(bot, cursor)
            told |= {turn["turn"] for turn in reply["turns"]}
            cursor = reply["cursor"]
        assert told == open_turns
        several.clock.pass_ms(3_000)
        for arena in (there, here, there):
            reply = arena.referee.turns(bot, cursor)
            cursor = reply["cursor"]
            assert reply["turns"] == []


def test_a_process_knows_its_own_cursors_exactly(both: tuple[Several, Arena, Arena]) -> None:
    _, here, _ = both
    here.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    bot = max(here.bots.values(), key=lambda each: len(here.referee.turns(each)["turns"]))
    page = here.referee.turns(bot, limit=1)
    rest = here.referee.turns(bot, page["cursor"])
    assert page["turns"][0]["turn"] not in {turn["turn"] for turn in rest["turns"]}
    assert here.referee.turns(bot, rest["cursor"])["turns"] == []
    assert rest["cursor"] < 2**53


# Clocks.


def test_a_bot_that_has_answered_at_one_process_is_proven_at_all(
    both: tuple[Several, Arena, Arena],
) -> None:
    _, here, there = both
    bot, [one, other, *_] = many_turns(here, there)
    here.referee.answer(bot, one["turn"], lowest(one))
    there.referee.sweep()
    told = {turn["turn"]: turn for turn in there.referee.turns(bot)["turns"]}
    assert told[other["turn"]]["bank_ms"] == BANK
    here.clock.pass_ms(MOVE + MOVE + GRACE + 1)
    there.referee.sweep()
    assert other["turn"] in {turn["turn"] for turn in there.referee.turns(bot)["turns"]}


def test_a_deadline_is_expired_once(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    here.session()
    here.first_lap()
    several.sweep()
    bot, turn = here.one()
    several.pass_ms(MOVE + BANK + GRACE)
    several.clock.pass_ms(1)
    expired = [arena.referee.sweep() for arena in (here, there)]
    assert expired == [1, 0]
    with pytest.raises(Gone, match="timeout"):
        there.referee.answer(bot, turn["turn"], lowest(turn))


def test_turns_of_a_process_that_is_gone_are_expired_by_another(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    here.session()
    several.sweep()
    line(here).cut = True
    several.pass_ms(MOVE + BANK + GRACE + 1_000)
    assert there.referee.hand_events(there.one()[1]["hand"])["next"] > 2


def test_every_process_sees_the_same_time_left(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    here.session()
    bot, turn = here.one()
    several.clock.pass_ms(700)
    here.referee.answer(bot, turn["turn"], lowest(turn))
    several.clock.pass_ms(300)
    there.referee.sweep()
    assert there.one()[1]["remaining_ms"] == here.one()[1]["remaining_ms"] == MOVE - 300


def test_an_outage_of_one_process_is_nobodys_credit(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    here.session()
    here.first_lap()
    several.sweep()
    line(here).cut = True
    several.pass_ms(5_000)
    with pytest.raises(ArenaError):
        here.referee.sweep()
    several.pass_ms(5_000)
    line(here).cut = False
    several.sweep()
    assert left_ms(there) == left_ms(here) == MOVE + BANK - 10_000


def test_an_outage_of_all_is_credited_to_every_clock_once(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    here.session()
    several.pass_ms(1_000)
    before = here.one()[1]["remaining_ms"]
    several.clock.pass_ms(1_000_000)
    several.restart(here)
    several.restart(there)
    several.sweep()
    after = here.one()[1]["remaining_ms"]
    assert there.one()[1]["remaining_ms"] == after
    assert before <= after <= before + BEAT
    several.pass_ms(1_000)
    assert here.one()[1]["remaining_ms"] == there.one()[1]["remaining_ms"] == after - 1_000


def test_a_database_that_was_away_is_an_outage(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    here.session()
    several.pass_ms(1_000)
    before = here.one()[1]["remaining_ms"]
    for arena in several.arenas:
        line(arena).cut = True
    for _ in range(20):
        several.clock.pass_ms(500)
        for arena in several.arenas:
            with pytest.raises(ArenaError):
                arena.referee.sweep()
    for arena in several.arenas:
        line(arena).cut = False
    several.sweep()
    several.sweep()
    assert here.one()[1]["remaining_ms"] == there.one()[1]["remaining_ms"]
    assert before - BEAT <= here.one()[1]["remaining_ms"] <= before + BEAT


@pytest.mark.parametrize("away_ms", [100, 300, 700, 1_500, 5_000])
def test_a_short_absence_of_the_database_is_credited_too(
    away_ms: int, both: tuple[Several, Arena, Arena]
) -> None:
    """All but what passes between the beat that succeeded last and the one that failed first."""
    several, here, there = both
    here.session()
    several.pass_ms(1_000)
    before = left_ms(here)
    for arena in several.arenas:
        line(arena).cut = True
    several.clock.pass_ms(BEAT // 2)
    for arena in several.arenas:
        with pytest.raises(ArenaError):
            arena.referee._sweeper.sweep()
    several.clock.pass_ms(away_ms)
    for arena in several.arenas:
        line(arena).cut = False
        arena.referee.sweep()
    assert left_ms(here) == left_ms(there) == before - BEAT // 2
    several.pass_ms(2_000)
    assert left_ms(here) == left_ms(there) == before - BEAT // 2 - 2_000


@pytest.mark.parametrize("away_ms", [BEAT + 1, 1_500, 60_000])
def test_processes_that_were_all_killed_are_credited_beyond_one_heartbeat(
    away_ms: int, both: tuple[Several, Arena, Arena]
) -> None:
    several, here, there = both
    here.session()
    several.pass_ms(1_000)
    before = left_ms(here)
    several.clock.pass_ms(away_ms)
    several.restart(here)
    several.restart(there)
    several.sweep()
    assert left_ms(here) == left_ms(there) == before


def test_one_process_that_was_cut_off_while_another_played_on_is_no_outage(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    here.session()
    several.pass_ms(1_000)
    before = left_ms(there)
    line(here).cut = True
    several.clock.pass_ms(BEAT // 2)
    with pytest.raises(ArenaError):
        here.referee._sweeper.sweep()
    several.pass_ms(BEAT)
    line(here).cut = False
    several.sweep()
    assert left_ms(here) == left_ms(there) == before - BEAT // 2 - BEAT


def test_a_pause_here_is_a_pause_there(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    session = here.session()
    several.sweep()
    several.pass_ms(1_000)
    there.referee.set_session(session, "pause", "admin")
    several.sweep()
    assert here.waiting() == there.waiting() == []
    several.pass_ms(100_000)
    here.referee.set_session(session, "resume", "admin")
    several.sweep()
    assert here.one()[1]["remaining_ms"] == there.one()[1]["remaining_ms"] == MOVE - 1_000


def test_a_pause_and_resume_that_were_not_heard_count_all_the_same(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    session = here.session()
    several.sweep()
    line(there).deaf = True
    here.referee.set_session(session, "pause", "admin")
    several.pass_ms(900)
    here.referee.set_session(session, "resume", "admin")
    several.pass_ms(1_500)
    assert there.one()[1]["remaining_ms"] == here.one()[1]["remaining_ms"] == MOVE - 1_500


# Faults.


def test_refused_answers_are_counted_over_all_processes(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    here.session()
    several.sweep()
    bot, turn = here.one()
    for attempt in range(5):
        with pytest.raises(Refused) as refused:
            (here, there)[attempt % 2].referee.answer(bot, turn["turn"], {"cards": ["S3", "H5"]})
        assert ("is spent" in str(refused.value)) == (attempt == 4)
    several.sweep()
    with pytest.raises(Gone, match="illegal"):
        there.referee.answer(bot, turn["turn"], lowest(turn))


def test_what_was_counted_for_a_hand_or_a_session_goes_with_it(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    session = here.session(hands_per_table=2, clock={"illegal_budget": 99})
    here.referee.set_session(session, "pause", "admin")
    here.referee.set_session(session, "resume", "admin")
    several.sweep()
    counted = 0
    while here.status(session) != "finished":
        [(bot, turn), *_] = here.waiting()
        with pytest.raises(BadInput):
            there.referee.answer(bot, turn["turn"], {"choice": 999})
        counted += several.store.counter(f"refused/{turn['hand']}.{turn['seat']}") or 0
        there.referee.answer(bot, turn["turn"], lowest(turn))
        several.sweep()
    assert counted
    left = [key for key in counters(several.store) if not key.startswith("seen/")]
    assert sorted(left) == ["alive", "lag", "starts"]


def on_probation(several: Several, here: Arena) -> str:
    """A session in which one seat is on probation in all processes; its bot."""
    here.session(clock={"move_ms": 20_000, "bank_ms": 0, "absent_after": 1})
    several.sweep()
    bot, _ = here.one()
    several.pass_ms(21_000)
    assert all(
        arena.referee._context.signals.presence.is_on_probation(bot) for arena in several.arenas
    )
    return bot


def play_until_asked(arena: Arena, bot: str) -> str | None:
    """Let the others play until a turn of this bot is open; None if the referee answers for it."""
    others = [other for other in arena.bots.values() if other != bot]
    hand = next(iter(arena.referee._context.in_play.hands.values()))
    before = len(hand.log.faults)
    while len(hand.log.faults) == before:
        open_turn = next(iter(hand.turns.values()))
        if open_turn.bot == bot:
            return open_turn.id
        [turn] = [turn for other in others for turn in arena.referee.turns(other)["turns"]]
        arena.referee.answer(open_turn.bot, turn["turn"], lowest(turn))
    return None


@pytest.mark.parametrize("deaf", [False, True])
def test_a_bot_on_probation_that_polls_there_is_not_answered_for_here(
    both: tuple[Several, Arena, Arena], *, deaf: bool
) -> None:
    several, here, there = both
    bot = on_probation(several, here)
    assert play_until_asked(here, bot) is None
    there.referee.turns(bot)
    line(there).deaf = deaf
    turn = play_until_asked(here, bot)
    assert turn is not None
    several.clock.pass_ms(100)
    several.sweep()
    if not deaf:
        [told] = there.referee.turns(bot)["turns"]
        assert (told["remaining_ms"], told["bank_ms"]) == (200, 0)
    assert there.referee.answer(bot, turn, {"choice": 0})["accepted"]
    several.sweep()
    for arena in several.arenas:
        assert not arena.referee._context.signals.presence.is_on_probation(bot)


def test_a_bot_on_probation_that_polls_nowhere_is_answered_for_by_the_process_that_asks(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    bot = on_probation(several, here)
    there.referee.turns(bot)
    several.pass_ms(4_000)
    assert play_until_asked(here, bot) is None


def test_a_bot_that_waits_there_for_long_is_known_here_all_the_time(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    bot = on_probation(several, here)
    waiter = there.referee._context.signals.bell.listen(f"bot:{bot}")
    several.pass_ms(10_000)
    assert play_until_asked(here, bot) is not None
    there.referee._context.signals.bell.leave(waiter)


def test_who_waits_is_told_to_the_others_at_most_once_a_second(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    bot = on_probation(several, here)
    told = []
    for _ in range(40):
        there.referee.turns(bot)
        told.append(several.store.counter(f"came/{bot}"))
        several.clock.pass_ms(100)
    assert len(set(told)) == 4


def test_a_bot_withdrawn_there_is_answered_for_and_the_session_goes_on(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    session = here.session()
    several.sweep()
    bot, turn = here.one()
    there.referee.withdraw(session, bot, "admin")
    several.pass_ms(1_500)
    with pytest.raises(Gone, match="withdrawn"):
        here.referee.answer(bot, turn["turn"], lowest(turn))


# Sessions.


def test_a_session_begun_here_is_played_and_ended_there(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    session = here.session(**MEMBERS)
    several.restart(here)
    there.referee.sweep()
    while there.waiting():
        there.play()
        several.clock.pass_ms(1_000)
        there.referee.sweep()
    several.sweep()
    assert there.status(session) == here.status(session) == "finished"
    assert here.referee._context.in_play.sessions == {}
    assert here.referee._context.in_play.tables == {}
    assert (results(here), "finished") == played_alone()


def test_a_hand_that_ends_between_two_reads_has_ended_and_is_not_void(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, here, there = both
    here.session()
    several.sweep()
    line(there).deaf = True
    bot, turn = here.one()

    between(monkeypatch, there, "steps", lambda: end(here, turn["hand"]))
    with pytest.raises(NotFound):
        there.referee.answer(bot, f"{turn['hand']}.9999.{turn['seat']}", {"pass": True})
    assert there.referee.hand_events(turn["hand"])["over"]
    assert there.referee.hand_events(turn["hand"]) == here.referee.hand_events(turn["hand"])


def test_a_session_that_starts_between_two_reads_is_not_let_go(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was heard of is an entry; the session read for it has not started yet, but then does."""
    several, here, there = both
    session = here.session(0, start=False)
    several.sweep()
    for bot in here.enrol(4):
        there.referee.enter(session, bot)
    between(monkeypatch, here, "session", lambda: here.referee.set_session(session, "start", "x"))
    here.referee.sweep()
    bot, turn = here.one()
    assert here.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    assert several.store.hand(turn["hand"]).status == "playing"


@pytest.mark.parametrize("read", ["hands", "steps"])
def test_a_hand_that_ends_while_its_table_is_taken_up_is_counted_there(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    _, here, there = both
    here.session()
    _, turn = here.one()
    between(monkeypatch, there, read, lambda: end(here, turn["hand"]))
    there.referee.sweep()
    there.referee.sweep()
    assert there.waiting()[0][1]["hand"] == here.one()[1]["hand"] != turn["hand"]
    tables = [arena.referee._context.in_play.tables[turn["table"]] for arena in (here, there)]
    assert [table.log.sitting for table in tables] == [tables[0].log.sitting] * 2
    assert [len(table.log.faulty) for table in tables] == [1, 1]


@pytest.mark.slow
def test_a_table_that_ends_while_it_is_adopted_is_let_go(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, there = both
    session = here.session(8, schedule={"rounds": 2, "rounds_at_once": 1})
    _, turn = here.one()
    between(monkeypatch, there, "table", lambda: here.play())
    there.referee.hand_events(turn["hand"])
    assert here.status(session) == there.status(session) == "finished"
    assert there.referee._context.in_play.tables == {}


def test_a_session_cancelled_there_ends_here(both: tuple[Several, Arena, Arena]) -> None:
    several, here, there = both
    session = here.session()
    bot, turn = here.one()
    there.referee.set_session(session, "cancel", "admin")
    several.sweep()
    assert here.waiting() == there.waiting() == []
    assert here.referee.hand_events(turn["hand"])["over"]
    with pytest.raises(Gone, match="called off"):
        here.referee.answer(bot, turn["turn"], lowest(turn))


def test_an_answer_to_a_hand_that_was_cancelled_unheard_ends_with_it(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    session = here.session(2, seats=2, hands_per_table=1, schedule={"rounds": 1})
    several.sweep()
    line(here).deaf = True
    there.referee.set_session(session, "cancel", "admin")
    while here.waiting():
        bot, turn = here.one()
        try:
            here.referee.answer(bot, turn["turn"], lowest(turn))
        except Gone:
            break
    assert here.store.hand(turn["hand"]).status == "void"
    assert here.waiting() == []


def test_a_started_session_can_be_paused_at_a_process_that_never_heard_of_it(
    both: tuple[Several, Arena, Arena],
) -> None:
    _, here, there = both
    line(there).deaf = True
    session = here.session()
    assert there.referee.set_session(session, "pause", "admin")["status"] == "paused"
    with pytest.raises(Conflict):
        here.referee.set_session(session, "pause", "admin")


def test_a_process_that_dies_between_two_hands_is_stood_in_for(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    session = here.session(**MEMBERS)
    several.sweep()
    while not any(row.status == "finished" for row in here.store.session_hands(session)):
        bot, turn = here.one()
        here.referee._workers.run_waiting = lambda: None  # it dies before it deals again
        here.referee.answer(bot, turn["turn"], lowest(turn))
    line(here).leave()
    several.arenas.remove(here)
    several.pass_ms(2_500)
    assert there.waiting()


@pytest.mark.slow
def test_every_step_of_the_runner_is_made_once_if_all_try(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, _ = both
    session = here.session(**MEMBERS)
    while here.status(session) != "finished":
        for arena in several.arenas:
            line(arena).deaf = True  # so that each believes that it has to do everything
            several.clock.pass_ms(1_001)
            arena.referee.sweep()
            arena.play(at_most=7)
    assert (results(here), "finished") == played_alone()


# Tokens.


def test_a_token_revoked_or_rotated_there_is_worth_nothing_here(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    bots = [here.referee.register(f"bot-{n}") for n in range(3)]
    assert all(here.referee.registry.identify(token) for _, token in bots)
    there.referee.revoke(bots[0][0]["id"], "admin")
    fresh = there.referee.rotate_token(bots[1][0]["id"])
    several.sweep()
    known = [here.referee.registry.identify(token) is not None for _, token in bots]
    assert known == [False, False, True]
    assert here.referee.registry.identify(fresh) is not None
    # Only who was revoked may not wait here any more; a new token is as good as the old one was.
    assert here.referee._context.signals.bell.barred() == (bots[0][0]["id"],)


def test_a_revocation_that_was_not_heard_is_seen_after_some_seconds(
    both: tuple[Several, Arena, Arena],
) -> None:
    several, here, there = both
    bot, token = here.referee.register("bot")
    assert here.referee.registry.identify(token)
    line(here).deaf = True
    there.referee.revoke(bot["id"], "admin")
    several.pass_ms(11_000)
    assert here.referee.registry.identify(token) is None


# The law.


@pytest.mark.slow
@settings(max_examples=max(5, settings().max_examples // 5))
@given(st.integers(0, 2**32))
def test_whoever_serves_whatever_is_heard_the_session_is_the_same(seed: int) -> None:
    """Requests go anywhere, notifications are lost, processes are killed: the same results."""
    random = Random(seed)
    several = Several(3)
    random.choice(several.arenas).session(**MEMBERS)
    bots = list(several.arenas[0].bots.values())
    told: list[str] = []
    for _ in range(20_000):
        arena = random.choice(several.arenas)
        if arena.status("cup") == "finished":
            break
        _live(several, arena, random)
        bot = random.choice(bots)
        for turn in arena.referee.turns(bot)["turns"]:
            elsewhere = random.choice(several.arenas)
            reply = elsewhere.referee.answer(bot, turn["turn"], lowest(turn))
            if not reply["replayed"]:
                told.append(turn["turn"])
    assert (results(arena), arena.status("cup")) == played_alone()
    hands = several.store.session_hands("cup", limit=99)
    steps = [step for hand in hands for step in several.store.steps(hand.id)]
    turns = Counter(step.turn for step in steps if step.turn)
    assert sorted(told) == sorted(turns.elements())
    assert verify(arena.referee.queries.records("cup")).ok


def _live(several: Several, arena: Arena, random: Random) -> None:
    """What may happen to a process between two requests."""
    several.clock.pass_ms(random.choice((0, 1, 30, 400)))
    line(arena).deaf = random.random() < 0.3
    if random.random() < 0.7:
        arena.referee.sweep()
    if random.random() < 0.02:
        several.restart(arena)


# Organisers.


def test_two_organisers_who_revoke_each_other_at_two_processes_leave_one(
    both: tuple[Several, Arena, Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, there = both
    here.referee.registry.create_admin("anna")
    here.referee.registry.create_admin("bert")
    before_a_write(monkeypatch, here, lambda: there.referee.organisers.revoke("anna", actor="bert"))
    with pytest.raises(Conflict, match="bert is the last organiser: make another one first"):
        here.referee.organisers.revoke("bert", actor="anna")
    listed = here.referee.organisers.all()["organisers"]
    assert [(each["name"], each["revoked"]) for each in listed] == [("anna", True), ("bert", False)]
