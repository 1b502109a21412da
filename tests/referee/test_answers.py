"""The way of an answer: accepted once, retried safely, refused with a reason."""

from __future__ import annotations

import threading

import orjson
import pytest

from arena.errors import BadInput, Conflict, Forbidden, Gone, NotFound, Refused, Unavailable
from arena.referee.answers import Overtaken
from arena.store.port import StepRow
from tests.referee.table import Arena, first, lowest


def test_a_whole_session_is_played_to_its_end_through_the_facade(arena: Arena) -> None:
    session = arena.session(8, hands_per_table=3, schedule={"rounds": 2})
    assert arena.play() > 200
    document = arena.referee.queries.session(session)
    assert document["status"] == "finished"
    assert document["progress"]["hands_finished"] == 12
    rows = [
        row for group in arena.referee.queries.standings(session)["groups"] for row in group["rows"]
    ]
    assert {row["name"] for row in rows} == set(arena.bots)
    assert all(row["hands"] == 6 for row in rows)


@pytest.mark.parametrize(
    "ruleset",
    ["uecda", "tycoon_p5r", {"preset": "pagat", "options": {"janken_mode": "interactive"}}],
)
def test_other_rulesets_are_played_too(arena: Arena, ruleset: object) -> None:
    members = {"seats": 5} if ruleset == "uecda" else {}
    session = arena.session(members.get("seats", 4), ruleset=ruleset, **members)
    arena.play()
    assert arena.status(session) == "finished"


def test_an_accepted_answer_is_in_the_log_before_it_is_told(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    told = arena.referee.answer(bot, turn["turn"], {"choice": 0})
    assert told["accepted"]
    assert not told["replayed"]
    assert told["events"]
    assert arena.log(turn["hand"])[-1][1] == turn["turn"]


def receipts_of(arena: Arena, hand: str) -> list[dict[str, object]]:
    """What bots are told of a log after each of its steps."""
    return [
        {"seq": step.seq + step.event_count, "hash": step.hash.hex() if step.hash else ""}
        for step in arena.store.steps(hand)
    ]


def test_turns_and_answers_have_the_hash_of_the_log_that_they_tell_of(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    hand = turn["hand"]
    assert turn["log"] == receipts_of(arena, hand)[-1]
    assert turn["log"]["seq"] == turn["events_from"] + len(turn["events"])
    told = arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert told["log"] == receipts_of(arena, hand)[-1]
    following, turn = arena.one()
    [result] = arena.referee.answer_many(following, [{"turn": turn["turn"], **lowest(turn)}])
    assert result["log"] == receipts_of(arena, hand)[-1]
    assert told["log"] == receipts_of(arena, hand)[1]


def test_an_answer_sent_again_after_a_restart_gets_the_receipt_of_then(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    told = arena.referee.answer(bot, turn["turn"], lowest(turn))
    arena.play(at_most=3)
    arena.restart()
    again = arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert again["log"] == told["log"] == receipts_of(arena, turn["hand"])[1]


def test_the_same_answer_again_is_told_the_same_events(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    play = lowest(turn)
    told = arena.referee.answer(bot, turn["turn"], play)
    arena.play(at_most=3)
    again = arena.referee.answer(bot, turn["turn"], play)
    assert again == {**told, "replayed": True}
    by_index = turn["legal"].index(play)
    assert arena.referee.answer(bot, turn["turn"], {"choice": by_index})["replayed"]
    assert [turn_id for _, turn_id in arena.log(turn["hand"])].count(turn["turn"]) == 1


def test_a_retry_is_answered_long_after_the_session_has_ended(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.play()
    arena.restart()
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]


def test_another_answer_to_an_answered_turn_is_told_what_was_accepted(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], turn["legal"][0])
    with pytest.raises(Conflict, match="accepted was") as caught:
        arena.referee.answer(bot, turn["turn"], turn["legal"][1])
    assert turn["legal"][0]["cards"][0] in caught.value.detail
    with pytest.raises(Conflict):
        arena.referee.answer(bot, turn["turn"], {"cards": "garbage"})


def test_a_foreign_turn_is_forbidden_and_an_unknown_one_not_found(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    other = next(each for each in arena.bots.values() if each != bot)
    with pytest.raises(Forbidden):
        arena.referee.answer(other, turn["turn"], {"choice": 0})
    hand = turn["hand"]
    never = [f"{hand}.9999.{turn['seat']}", f"{hand}.1.9", "x", "a.b.c", f"{hand}x.1.0", "é.1.1"]
    for unknown in [*never, f"{hand}.-1.0", f"{hand}.٣.1", "", "." * 90]:
        with pytest.raises(NotFound):
            arena.referee.answer(bot, unknown, {"choice": 0})


def test_a_refused_answer_changes_nothing(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    log = arena.log(turn["hand"])
    foreign = next(c for c in ("S3", "H3", "D3", "C3", "S4") if c not in turn["held"])
    with pytest.raises(Refused) as caught:
        arena.referee.answer(bot, turn["turn"], {"cards": [foreign]})
    assert caught.value.reason == "not_in_hand"
    with pytest.raises(BadInput):
        arena.referee.answer(bot, turn["turn"], {"cards": ["X9"]})
    assert arena.log(turn["hand"]) == log
    assert arena.referee.answer(bot, turn["turn"], {"choice": 0})["accepted"]


def test_two_answers_at_once_are_one_accepted_and_one_told(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    gate = threading.Barrier(8)
    told: list[object] = []

    def answer(choice: int) -> None:
        gate.wait()
        try:
            told.append(arena.referee.answer(bot, turn["turn"], {"choice": choice})["replayed"])
        except Conflict:
            told.append("conflict")

    threads = [threading.Thread(target=answer, args=(n % 2,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.count(False) == 1
    assert told.count(True) == 3
    assert told.count("conflict") == 4
    assert [turn_id for _, turn_id in arena.log(turn["hand"])].count(turn["turn"]) == 1


def test_an_example_is_given_for_an_open_turn_of_ones_own(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    other = next(each for each in arena.bots.values() if each != bot)
    assert arena.referee.example(bot, turn["turn"]) in turn["legal"]
    assert arena.referee.example(other, turn["turn"]) is None
    assert arena.referee.example(bot, "nonsense") is None


def test_without_legal_there_are_no_hints_no_choice_and_no_example(arena: Arena) -> None:
    arena.session(legal=False)
    bot, turn = arena.one()
    assert "legal" not in turn
    assert arena.referee.example(bot, turn["turn"]) is None
    with pytest.raises(BadInput, match="no legal answers"):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})


def test_a_batch_answers_turns_of_many_tables_in_one_write(arena: Arena) -> None:
    writes: list[int] = []
    arena.session(6, seats=3, schedule={"rounds": 4, "rounds_at_once": 4})
    bot = max(arena.bots.values(), key=lambda each: len(arena.referee.turns(each)["turns"]))
    turns = arena.referee.turns(bot)["turns"]
    write = arena.store.write
    arena.store.write = lambda *changes: (writes.append(len(changes)), write(*changes))[1]
    answers = [{"turn": turn["turn"], "choice": 0} for turn in turns]
    results = arena.referee.answer_many(bot, answers)
    assert len(turns) > 1
    assert [result["status"] for result in results] == [200] * len(turns)
    assert writes[0] >= len(turns)
    assert all(result["replayed"] for result in arena.referee.answer_many(bot, answers))


def test_a_batch_tells_each_answer_its_own_result(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    good = {"turn": turn["turn"], "choice": 0}
    results = arena.referee.answer_many(
        bot,
        [{"turn": "x", "choice": 0}, good, good, {**good, "choice": 1}, {"choice": 0}, {"turn": 7}],
    )
    kinds = [type(result.get("error")) for result in results]
    assert kinds == [NotFound, type(None), type(None), Conflict, BadInput, BadInput]
    assert [results[1]["replayed"], results[2]["replayed"]] == [False, True]


def test_a_writer_who_was_overtaken_reads_the_log_and_decides_again(arena: Arena) -> None:
    """Another process appends a step that this one has not seen."""
    arena.session()
    bot, turn = arena.one()
    other = Arena(arena.store, arena.clock)
    other.referee.answer(bot, turn["turn"], turn["legal"][0])
    with pytest.raises(Conflict):
        arena.referee.answer(bot, turn["turn"], turn["legal"][1])
    assert arena.referee.answer(bot, turn["turn"], turn["legal"][0])["replayed"]
    assert arena.referee.hand_events(turn["hand"]) == other.referee.hand_events(turn["hand"])


def test_a_batch_that_was_overtaken_decides_each_answer_again(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    other = Arena(arena.store, arena.clock)
    other.referee.answer(bot, turn["turn"], turn["legal"][0])
    results = arena.referee.answer_many(bot, [{"turn": turn["turn"], **turn["legal"][0]}])
    assert results[0]["replayed"]


def test_an_answer_that_cannot_be_written_is_not_accepted(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    write = arena.store.write

    def full(*_: object) -> None:
        raise Unavailable("the disk is full")

    arena.store.write = full
    with pytest.raises(Unavailable):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})
    results = arena.referee.answer_many(bot, [{"turn": turn["turn"], "choice": 0}])
    assert isinstance(results[0]["error"], Unavailable)
    arena.store.write = write
    assert not arena.referee.answer(bot, turn["turn"], {"choice": 0})["replayed"]


def test_the_private_error_of_a_lost_race_is_no_arena_error() -> None:
    assert not issubclass(Overtaken, Conflict)


def test_the_log_is_complete_and_folds_to_the_end(arena: Arena) -> None:
    session = arena.session()
    arena.play(first)
    for table in arena.referee.queries.tables(session)["tables"]:
        for hand in arena.referee.queries.table(table["table"])["hands"]:
            steps: tuple[StepRow, ...] = arena.store.steps(hand["hand"])
            counts = [step.event_count for step in steps]
            assert [step.seq for step in steps] == [sum(counts[:n]) for n in range(len(counts))]


def test_turns_called_off_by_a_cancel_are_gone(arena: Arena) -> None:
    session = arena.session()
    bot, turn = arena.one()
    arena.referee.set_session(session, "cancel", "admin")
    for _ in range(2):
        with pytest.raises(Gone, match="called off"):
            arena.referee.answer(bot, turn["turn"], {"choice": 0})
        arena.restart()


def test_questions_to_several_seats_are_open_at_once_each_with_its_own_turn(arena: Arena) -> None:
    """Janken by the players: everybody is asked together, and answers in any order."""
    arena.session(ruleset={"options": {"janken_mode": "interactive"}}, hands_per_table=1)
    waiting = arena.waiting()
    assert [turn["kind"] for _, turn in waiting] == ["throw"] * 4
    assert len({turn["turn"] for _, turn in waiting}) == 4
    (slow, slow_turn), *others = waiting
    for (bot, turn), shape in zip(reversed(others), ("rock", "paper", "rock"), strict=True):
        arena.clock.pass_ms(1_000)
        told = arena.referee.answer(bot, turn["turn"], {"throw": shape})
        assert shape in orjson.dumps(told["events"]).decode()
    again = arena.referee.turns(slow)["turns"][0]
    assert again["turn"] == slow_turn["turn"]
    assert again["remaining_ms"] == slow_turn["remaining_ms"] - 3_000
    hidden = orjson.dumps(again["events"]).decode()
    assert "rock" not in hidden
    assert "paper" not in hidden
    arena.restart()
    arena.clock.pass_ms(62_151)
    assert arena.referee.sweep() == 1
    arena.play()
    assert arena.waiting() == []


def test_two_open_turns_of_one_hand_expire_both(arena: Arena) -> None:
    arena.session(ruleset={"options": {"janken_mode": "interactive"}}, hands_per_table=1)
    arena.clock.pass_ms(65_151)
    expired = 0
    while count := arena.referee.sweep():
        expired += count
    assert expired >= 4
