"""A bot can neither gain nor lose time by how it talks to the arena, nor by what happens to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.errors import Gone, Unavailable
from tests.referee.table import Arena, lowest
from tests.referee.test_long_poll import Waiting, idle_bot, until_waiting

MOVE, BANK, GRACE = 5_000, 60_000, 150
DEADLINE = MOVE + BANK
FIRST = MOVE + MOVE
"""What a turn has before the first accepted answer of its seat."""
PROBATION = 300


def left_ms(turn: dict[str, Any]) -> int:
    """Until the referee answers, the grace not counted."""
    left: int = turn["remaining_ms"] + turn["bank_ms"]
    return left


def ledger(arena: Arena, bot: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = arena.referee.queries.ledger(bot, limit=500)["entries"]
    return found


# What a bot is told.


@pytest.mark.parametrize(
    ("passed_ms", "remaining_ms", "bank_ms"),
    [
        (0, MOVE, BANK),
        (1, MOVE - 1, BANK),
        (MOVE - 1, 1, BANK),
        (MOVE, 0, BANK),
        (MOVE + 1, 0, BANK - 1),
        (DEADLINE - 1, 0, 1),
        (DEADLINE, 0, 0),
        (DEADLINE + GRACE, 0, 0),
    ],
)
def test_first_the_move_time_is_told_to_run_out_then_the_bank(
    passed_ms: int, remaining_ms: int, bank_ms: int, arena: Arena
) -> None:
    arena.session()
    arena.first_lap()
    arena.clock.pass_ms(passed_ms)
    _, turn = arena.one()
    assert (turn["remaining_ms"], turn["bank_ms"]) == (remaining_ms, bank_ms)
    assert turn["deadline"] == "2027-01-15T08:01:05.000Z"


def test_what_is_left_ends_when_the_referee_answers(arena: Arena) -> None:
    """Move time and bank as told, and the grace on top, to the millisecond."""
    arena.session()
    arena.clock.pass_ms(1_234)
    _, turn = arena.one()
    arena.clock.pass_ms(left_ms(turn) + GRACE)
    assert arena.referee.sweep() == 0
    arena.clock.pass_ms(1)
    assert arena.referee.sweep() == 1


# The last millisecond.


@pytest.mark.parametrize(
    ("at_ms", "charged_ms", "bank_ms"),
    [
        (MOVE, MOVE - GRACE, BANK),
        (MOVE + GRACE, MOVE, BANK),
        (MOVE + GRACE + 1, MOVE + 1, BANK - 1),
        (DEADLINE - 1, DEADLINE - 1 - GRACE, GRACE + 1),
        (DEADLINE, DEADLINE - GRACE, GRACE),
        (DEADLINE + 1, DEADLINE + 1 - GRACE, GRACE - 1),
        (DEADLINE + GRACE - 1, DEADLINE - 1, 1),
        (DEADLINE + GRACE, DEADLINE, 0),
    ],
)
@pytest.mark.parametrize("together", [False, True])
def test_an_answer_up_to_the_end_of_the_grace_is_taken_and_charged_what_it_took(
    at_ms: int, charged_ms: int, bank_ms: int, together: bool, arena: Arena
) -> None:
    arena.session()
    arena.first_lap()
    bot, turn = arena.one()
    arena.clock.pass_ms(at_ms)
    arena.referee.sweep()
    if together:
        [told] = arena.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])
        assert told["status"] == 200
    else:
        assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    *_, entry = ledger(arena, bot)
    assert (entry["charged_ms"], entry["bank_ms"]) == (charged_ms, bank_ms)
    assert entry["late"] == (charged_ms > MOVE)
    assert entry["cause"] is None


@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_one_millisecond_later_it_is_not(swept: bool, together: bool, arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    bot, turn = arena.one()
    arena.clock.pass_ms(DEADLINE + GRACE + 1)
    if swept:
        assert arena.referee.sweep() == 1
    if together:
        [told] = arena.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])
        assert (told["status"] if "status" in told else type(told["error"])) == Gone
    else:
        with pytest.raises(Gone, match="timeout"):
            arena.referee.answer(bot, turn["turn"], lowest(turn))
    *_, entry = ledger(arena, bot)
    assert (entry["cause"], entry["bank_ms"]) == ("timeout", 0)


class SlowLock:
    """A hand's lock for which one has to wait so long."""

    def __init__(self, arena: Arena, wait_ms: int) -> None:
        self._arena = arena
        self._wait_ms = wait_ms

    def acquire(self) -> None:
        self._arena.clock.pass_ms(self._wait_ms)

    def release(self) -> None:
        return None

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


@pytest.mark.parametrize("together", [False, True])
def test_what_counts_is_when_an_answer_arrived_not_how_long_deciding_took(
    together: bool, arena: Arena
) -> None:
    """It comes at the last millisecond, and the hand is busy until long after the deadline."""
    arena.session()
    arena.first_lap()
    bot, turn = arena.one()
    arena.clock.pass_ms(DEADLINE + GRACE)
    arena.referee._context.in_play.hands[turn["hand"]].lock = SlowLock(arena, 5_000)  # type: ignore[assignment]
    if together:
        [told] = arena.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])
        assert told["status"] == 200
    else:
        assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    *_, entry = ledger(arena, bot)
    assert (entry["charged_ms"], entry["cause"]) == (DEADLINE, None)


def test_a_referee_that_answers_late_charges_no_more_than_there_was(arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    bot, _ = arena.one()
    arena.clock.pass_ms(DEADLINE + 20_000)
    arena.referee.sweep()
    *_, entry = ledger(arena, bot)
    assert (entry["charged_ms"], entry["bank_ms"]) == (DEADLINE, 0)
    assert entry["answered_ms"] == DEADLINE + 20_000


# Talking to the arena in odd ways.


def polls_twice(arena: Arena, bot: str) -> None:
    arena.referee.turns(bot)
    arena.referee.turns(bot)


def polls_with_every_cursor(arena: Arena, bot: str) -> None:
    cursor = arena.referee.turns(bot)["cursor"]
    for after in (None, 0, cursor, cursor + 1):
        arena.referee.turns(bot, after, hints=False)


def asks_for_the_log(arena: Arena, bot: str) -> None:
    hand = arena.referee.turns(bot)["turns"][0]["hand"]
    arena.referee.hand_events(hand, bot)
    arena.referee.queries.ledger(bot)


def enters_again(arena: Arena, bot: str) -> None:
    arena.referee.enter("cup", bot)


def rotates_its_token(arena: Arena, bot: str) -> None:
    arena.referee.rotate_token(bot)


def answers_wrongly(arena: Arena, bot: str) -> None:
    turn = arena.referee.turns(bot)["turns"][0]["turn"]
    [told] = arena.referee.answer_many(bot, [{"turn": turn, "choice": 999}])
    assert "error" in told


@pytest.mark.parametrize(
    "oddly",
    [
        polls_twice,
        polls_with_every_cursor,
        asks_for_the_log,
        enters_again,
        rotates_its_token,
        answers_wrongly,
    ],
)
def test_nothing_that_a_bot_asks_for_moves_its_clock(
    oddly: Callable[[Arena, str], None], arena: Arena
) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(1_000)
    oddly(arena, bot)
    arena.clock.pass_ms(1_000)
    again = arena.referee.turns(bot)["turns"][0]
    assert again["turn"] == turn["turn"]
    assert again["deadline"] == turn["deadline"]
    assert left_ms(again) == left_ms(turn) - 2_000
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert ledger(arena, bot)[0]["charged_ms"] == 2_000 - GRACE


def test_a_bot_that_reconnects_is_where_it_was(arena: Arena) -> None:
    """It waits, its connection breaks unnoticed, it comes back: one turn, one clock."""
    arena.session()
    bot = idle_bot(arena)
    lost = Waiting(lambda: arena.referee.turns(bot, wait_ms=30_000))
    until_waiting(arena.referee, 1)
    again = Waiting(lambda: arena.referee.turns(bot, wait_ms=30_000))
    assert lost.join()["turns"] == []
    until_waiting(arena.referee, 1)
    while all(each != bot for each, _ in open_turns(arena)):
        busy, turn = open_turns(arena)[0]
        arena.referee.answer(busy, turn, {"choice": 0})
    assert left_ms(again.join()["turns"][0]) == FIRST
    arena.clock.pass_ms(400)
    [told] = arena.referee.turns(bot)["turns"]
    assert left_ms(told) == FIRST - 400


def open_turns(arena: Arena) -> list[tuple[str, str]]:
    """(bot, turn) of all open turns, without asking as a bot."""
    return [
        (turn.bot, turn.id)
        for hand in arena.referee._context.in_play.hands.values()
        for turn in hand.turns.values()
    ]


def test_the_same_answer_sent_again_is_charged_once(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(1_000)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    arena.clock.pass_ms(10_000)
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]
    arena.restart()
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]
    assert [entry["charged_ms"] for entry in ledger(arena, bot)][:1] == [1_000 - GRACE]


# Outages, stops, pauses.


def test_a_stop_freezes_the_clocks_at_once_and_a_start_lets_them_go_on(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(500)
    bot, before = arena.one()
    arena.referee.stop()
    arena.clock.pass_ms(3_000)
    with pytest.raises(Unavailable):
        arena.referee.answer(bot, before["turn"], lowest(before))
    with pytest.raises(Unavailable):
        arena.referee.turns(bot)
    arena.restart(outage_ms=DEADLINE)
    assert arena.referee.sweep() == 0
    _, after = arena.one()
    assert left_ms(after) == left_ms(before)
    arena.referee.answer(bot, before["turn"], lowest(before))
    assert ledger(arena, bot)[0]["charged_ms"] == 500 - GRACE


def test_an_answer_that_was_lost_in_an_outage_may_come_after_it(arena: Arena) -> None:
    """Sent at the last millisecond, the referee dies; after the restart the time is still there."""
    arena.session()
    arena.first_lap()
    bot, turn = arena.one()
    arena.clock.pass_ms(DEADLINE)
    arena.referee.sweep()
    arena.restart(outage_ms=1_000_000)
    assert arena.referee.sweep() == 0
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_outages_in_a_pause_and_pauses_after_outages_are_counted_once(arena: Arena) -> None:
    session = arena.session()
    arena.clock.pass_ms(800)
    _, before = arena.one()
    arena.referee.sweep()
    arena.restart(outage_ms=9_000)
    arena.referee.set_session(session, "pause", "admin")
    arena.clock.pass_ms(7_000)
    arena.referee.sweep()
    arena.restart(outage_ms=11_000)
    arena.clock.pass_ms(1_300)
    arena.referee.sweep()
    arena.referee.set_session(session, "resume", "admin")
    arena.restart(outage_ms=13_000)
    _, after = arena.one()
    assert left_ms(after) == left_ms(before)


# Bots that are not there.


def test_a_bot_that_never_polls_is_told_nothing_and_charged_all_of_it(arena: Arena) -> None:
    arena.session(hands_per_table=1)
    ghost, _ = open_turns(arena)[0]
    arena.bots = {name: bot for name, bot in arena.bots.items() if bot != ghost}
    while arena.status("cup") != "finished":
        if not arena.play():
            arena.clock.pass_ms(DEADLINE + GRACE + 1)
            arena.referee.sweep()
    told = ledger(arena, ghost)
    assert [entry["cause"] for entry in told[:3]] == ["timeout"] * 3
    assert {entry["cause"] for entry in told[3:]} == {"absent"}
    assert [entry["charged_ms"] for entry in told[:3]] == [FIRST, MOVE, MOVE]
    assert {entry["charged_ms"] for entry in told[3:]} == {0}
    assert {entry["bank_ms"] for entry in told} == {BANK - MOVE}
    assert {entry["first_seen_ms"] for entry in told} == {None}


@pytest.mark.parametrize("paused", [False, True])
def test_a_bot_that_has_come_back_is_there_after_a_restart_too(
    arena: Arena, *, paused: bool
) -> None:
    """It polled, so it is waited for, though not for long before it has answered."""
    session = arena.session(hands_per_table=4, clock={"bank_ms": 0, "absent_after": 2})
    ghost, _ = open_turns(arena)[0]
    everybody = arena.bots
    arena.bots = {name: bot for name, bot in everybody.items() if bot != ghost}
    while "absent" not in [entry["cause"] for entry in ledger(arena, ghost)]:
        if not arena.play(at_most=1):
            arena.clock.pass_ms(MOVE + GRACE + 1)
            arena.referee.sweep()
    while not (turns := arena.referee.turns(ghost)["turns"]):
        arena.play(at_most=1)
    if paused:
        arena.referee.set_session(session, "pause", "admin")
        arena.clock.pass_ms(60_000)
        arena.referee.turns(ghost)
        arena.referee.set_session(session, "resume", "admin")
    arena.restart(outage_ms=10_000)
    [again] = arena.referee.turns(ghost)["turns"]
    assert again["turn"] == turns[0]["turn"]
    assert (again["remaining_ms"], again["bank_ms"]) == (PROBATION, 0)
    missed = [entry["cause"] for entry in ledger(arena, ghost)].count("absent")
    arena.clock.pass_ms(PROBATION + GRACE + 1)
    arena.referee.sweep()
    arena.play(at_most=40)
    arena.clock.pass_ms(60_000)
    arena.referee.sweep()
    causes = [entry["cause"] for entry in ledger(arena, ghost)]
    assert causes.count("absent") > missed


def test_an_absent_seat_comes_back_with_its_next_answer_and_its_bank_as_it_was(
    arena: Arena,
) -> None:
    arena.session(hands_per_table=4, clock={"bank_ms": 0, "absent_after": 2})
    ghost, _ = open_turns(arena)[0]
    others = {name: bot for name, bot in arena.bots.items() if bot != ghost}
    everybody, arena.bots = arena.bots, others
    while "absent" not in [entry["cause"] for entry in ledger(arena, ghost)]:
        if not arena.play(at_most=1):
            arena.clock.pass_ms(MOVE + GRACE + 1)
            arena.referee.sweep()
    missed = len(ledger(arena, ghost))
    arena.referee.turns(ghost)
    arena.bots = everybody
    arena.play()
    came_back = ledger(arena, ghost)[missed:]
    assert came_back
    assert {entry["cause"] for entry in came_back} == {None}
