"""What a crash run left behind: what is explained, and what is a finding. Nothing is killed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from arena.bench.audit import (
    ClockTerms,
    LoggedStep,
    ServicePeriod,
    SessionLog,
    Story,
    explanations,
    findings,
    gap_ms,
    overcharged_ms,
    served_ms,
    unlike,
    unserved,
)
from arena.bench.recording_bots import ENDED, Diary, DiaryEntry, Poll
from arena.store.port import HandRow

TERMS = ClockTerms(move_ms=3_000, grace_ms=150, absent_after=3, probation_ms=300)
HAND = "crash-r01-t01-h001"
TURN = f"{HAND}.10.0"
PASS = {"type": "pass", "seat": 0}


def step(turn: str = TURN, **members: Any) -> LoggedStep:
    usual = LoggedStep(turn, "b-1", "crash-r01-t01", HAND, 10_000, 10_400, None, 250, PASS)
    return usual._replace(**members)


def expired(turn: str = TURN, cause: str = "timeout", **members: Any) -> LoggedStep:
    return step(turn, cause=cause, charged_ms=3_000, at_ms=13_200, **members)


def hand(status: str = "finished", number: int = 1) -> HandRow:
    name = f"crash-r01-t01-h{number:03}"
    return HandRow(name, "crash-r01-t01", number, "[0]", status, "", None, 0, None)


def diary(**members: Any) -> Diary:
    return Diary("b-1", {}, {}, {}, {}, (), 0, 0, None)._replace(**members)


def accepted(**members: Any) -> Diary:
    return diary(accepted={TURN: DiaryEntry({"pass": True}, [])}, sent_ms={TURN: 10_300}, **members)


def story(*steps: LoggedStep, noted: Diary | None = None, **members: Any) -> Story:
    """One bot at one table with one hand; a referee that was there all the time."""
    by_turn: dict[str, list[LoggedStep]] = {}
    for each in steps:
        by_turn.setdefault(each.turn, []).append(each)
    log = SessionLog("finished", (hand(),), 1, by_turn)
    made = Story(TERMS, log, {"b-1": noted or diary()}, [ServicePeriod(0, 99_000)], in_time=True)
    return made._replace(**members)


def running(*steps: LoggedStep, noted: Diary | None = None) -> Story:
    """The same, and time ran out for it."""
    made = story(*steps, noted=noted, in_time=False)
    return made._replace(log=made.log._replace(status="running", hands=(hand("playing"),)))


def found(told: Story) -> list[str]:
    return list(findings(told))


def test_an_answer_that_was_accepted_and_is_in_the_log_once_is_as_it_must_be() -> None:
    assert found(story(step(), noted=accepted())) == []


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ((), "is in the log 0 times"),
        ((step(), step()), "is in the log 2 times"),
        ((expired(),), "was accepted, and the referee has answered it: timeout"),
        ((step(command={"type": "play", "cards": ["S3"]}),), "noted {'pass': True}, logged"),
    ],
)
@pytest.mark.parametrize("make", [story, running])
def test_an_accepted_answer_that_is_not_in_the_log_once_as_given_is_found(
    make: Any, steps: tuple[LoggedStep, ...], says: str
) -> None:
    """Also in a hand that has not ended, whose bots were ended too."""
    told = found(make(*steps, noted=accepted(why=ENDED)))
    assert any(TURN in each and says in each for each in told)


def test_an_answer_in_the_log_that_its_bot_does_not_know_of_is_found_unless_it_was_ended() -> None:
    assert found(story(step())) == [f"{TURN} is in the log as answered and not in its bot's diary"]
    cut_off = diary(sent_ms={TURN: 10_300}, why=ENDED)
    assert found(running(step(), noted=cut_off)) == []
    assert found(running(step(), noted=cut_off._replace(sent_ms={}))) != []


@pytest.mark.parametrize("make", [story, running])
def test_a_bot_that_stopped_by_itself_is_found_with_its_reason(make: Any) -> None:
    told = found(make(step(), noted=accepted(why="RuntimeError('GET /turns: 500')")))
    assert told == ["the bot b-1 has stopped: RuntimeError('GET /turns: 500')"]
    assert found(make(step(), noted=accepted(why=ENDED))) == []


@pytest.mark.parametrize("status", [404, 409, 410, 422])
def test_what_was_not_accepted_is_found_unless_the_log_says_why(status: int) -> None:
    refused = diary(refused={TURN: (status, {"code": "x"})}, seen_ms={TURN: 12_900})
    assert f'{TURN}: answered with {status} {{"code": "x"}}' in found(story(step(), noted=refused))
    late = found(story(expired(), noted=refused))
    assert late == ([] if status == 410 else [f'{TURN}: answered with {status} {{"code": "x"}}'])


def test_time_while_no_referee_took_requests_may_not_be_charged() -> None:
    """Killed 100 ms after the turn began; another takes requests 5 s later."""
    lives = [ServicePeriod(0, 10_100), ServicePeriod(None, 12_000), ServicePeriod(15_100, 99_000)]
    assert served_ms(lives, 10_000, 15_400) == 400
    assert overcharged_ms(lives, step(at_ms=15_400, charged_ms=400)) == 0
    assert overcharged_ms(lives, step(at_ms=15_400, charged_ms=2_000)) == 1_450
    charged = story(step(at_ms=15_400, charged_ms=2_000), noted=accepted(), lives=lives)
    assert found(charged) == [f"{TURN} was charged 2000 ms, and was served for 550 ms"]


def test_a_turn_that_ran_out_while_the_referee_was_dead_is_found() -> None:
    lives = [ServicePeriod(0, 10_100), ServicePeriod(15_100, 99_000)]
    told = found(story(expired()._replace(at_ms=15_400), lives=lives))
    assert f"{TURN}: timed out after it was served for 400 ms only" in told


def test_a_bot_that_was_too_slow_explains_that_the_referee_answered() -> None:
    slow = {
        "the bot was slow to ask": diary(),
        "the bot was slow to answer": diary(seen_ms={TURN: 12_900}),
        "the bot answered in the last second": diary(
            seen_ms={TURN: 12_000}, sent_ms={TURN: 12_600}
        ),
    }
    for why, noted in slow.items():
        told = story(expired(), noted=noted)
        assert found(told) == []
        assert explanations(told) == Counter({why: 1})


def test_a_bot_that_was_in_time_and_not_heard_is_a_finding() -> None:
    noted = diary(seen_ms={TURN: 10_100}, sent_ms={TURN: 10_300})
    told = found(story(expired(), noted=noted))
    assert told == [f"{TURN}: timed out, though its answer was under way for 2900 ms"]


def test_a_turn_that_a_poll_did_not_tell_of_is_a_finding() -> None:
    polls = (Poll(11_500, 12_500, frozenset()),)
    told = found(story(expired(), noted=diary(polls=polls)))
    assert told == [f"{TURN}: timed out, and a poll had not shown it"]


FAULTS = [expired(f"{HAND}.{number}.0") for number in (1, 2, 3)]


def test_absence_is_explained_by_faults_in_a_row_while_no_poll_waits() -> None:
    gone = expired(cause="absent")._replace(at_ms=20_000)
    assert explanations(story(*FAULTS, gone))["the bot was absent"] == 1
    assert found(story(*FAULTS[:2], gone)) == [f"{TURN}: absent after 2 faults in a row"]
    long_ago = diary(polls=(Poll(7_000, 9_000, frozenset()),))
    assert found(story(*FAULTS, gone, noted=long_ago)) == []
    for poll in (Poll(9_000, 10_500, frozenset()), Poll(9_000, 9_800, frozenset())):
        assert found(story(*FAULTS, gone, noted=diary(polls=(poll,)))) == [
            f"{TURN}: absent, though it was polling"
        ]


def test_on_probation_a_turn_has_less_time_and_one_that_let_such_turns_pass_sits_out() -> None:
    let_pass = expired(f"{HAND}.4.0")._replace(at_ms=10_460, charged_ms=300)
    gone = expired(cause="absent")._replace(at_ms=10_010, charged_ms=0)
    polls = diary(polls=(Poll(9_000, 10_500, frozenset()),))
    assert found(story(*FAULTS, let_pass)) == []
    assert found(story(let_pass)) == [
        f"{let_pass.turn}: timed out after it was served for 460 ms only"
    ]
    told = story(*FAULTS, let_pass, gone, noted=polls)
    assert found(told) == []
    assert explanations(told)["the bot had let turns pass on probation"] == 1


def test_any_other_cause_is_a_finding() -> None:
    assert found(story(expired(cause="illegal"))) == [f"{TURN}: answered by the referee: illegal"]


def test_hands_must_have_ended_or_be_open_when_time_ran_out() -> None:
    assert found(running()) == []
    assert found(running()._replace(in_time=True)) == [
        "the bots saw the session to its end, and it is running",
    ]
    finished = story().log
    lacking = story()._replace(log=finished._replace(expected=2))
    assert found(lacking) == ["1 of 2 hands are in the log of a finished session"]
    stuck = story()._replace(log=finished._replace(hands=(hand("playing"),)))
    assert found(stuck) == [f"{HAND} is playing"]
    given_up = story()._replace(log=finished._replace(hands=(hand("forfeited"),)))
    assert found(given_up) == [f"{HAND} is forfeited"]


def test_a_table_may_be_forfeited_after_three_faulty_hands_of_one_bot() -> None:
    faults = [expired(f"h{n}.1.0", hand=f"h{n}") for n in (1, 2, 3)]
    told = story(*faults)
    log = told.log._replace(hands=(hand(), hand("forfeited", 2)), expected=2)
    assert found(told._replace(log=log)) == []


def record(table: str, number: int, game: str, *, cause: str | None = None) -> dict[str, Any]:
    return {
        "hand": f"{table}-h{number:03}",
        "table": table,
        "number": number,
        "status": "finished",
        "steps": [{"meta": {}}, {"meta": {"cause": cause}}],
        "deck": ["S3"],
        "result": {"game": game},
    }


def test_hands_are_compared_up_to_the_first_that_the_referee_had_a_part_in() -> None:
    killed = [record("a", 1, "x"), record("a", 2, "y", cause="timeout"), record("a", 3, "z")]
    peaceful = [record("a", 1, "x"), record("a", 2, "v"), record("a", 3, "w")]
    assert unlike(killed, peaceful) == (1, [])
    other = [record("a", 1, "q"), *peaceful[1:]]
    assert unlike(killed, other) == (1, ["a-h001 ended otherwise than in peace"])


def test_lives_without_a_step_and_the_longest_outage_are_counted() -> None:
    lives = [
        ServicePeriod(9_000, 11_000),
        ServicePeriod(None, 11_500),
        ServicePeriod(12_000, 12_100),
        ServicePeriod(20_000, 30_000),
    ]
    told = story(step(), noted=accepted(), lives=lives)
    assert unserved(told) == 3
    assert gap_ms(lives) == 7_900
