"""What a campaign of faults left behind: what is a finding, and when a home is taken to serve."""

from __future__ import annotations

import json
from typing import Any

from arena.bench.audit import LoggedStep, ServicePeriod, SessionLog
from arena.bench.cluster.campaign import CampaignPlan, CampaignRun
from arena.bench.cluster.faults import Strike
from arena.bench.cluster.verdict import lives, verdict
from arena.bench.cluster.witness import Move, StaleStep
from arena.bench.recording_bots import Diary, DiaryEntry
from arena.store.port import HandRow

SESSION = "faults-1"
HAND = f"{SESSION}-r01-t01-h001"
TURN = f"{HAND}.10.0"
PASS = {"type": "pass", "seat": 0}
PLAN = CampaignPlan("kill", 1)
KILL = Strike("kill -9 of referee-1", 5_000, 9_000, (SESSION,), {SESSION: 800})
MOVES = [
    Move(100, SESSION, "referee-1", 1),
    Move(5_600, SESSION, "referee-2", 2),
    Move(60_000, SESSION, None, 2),
]


def step(**members: Any) -> LoggedStep:
    usual = LoggedStep(TURN, "b-1", f"{SESSION}-r01-t01", HAND, 4_000, 6_400, None, 1_500, PASS)
    return usual._replace(**members)


def hand(**members: Any) -> str:
    """Its line of the records."""
    known = {"hand": HAND, "table": f"{SESSION}-r01-t01", "number": 1, "status": "finished"}
    return json.dumps({**known, "deck": "S3", "result": {"game": [0]}, "steps": [], **members})


def played(*steps: LoggedStep, diary: Diary | None = None, **members: Any) -> CampaignRun:
    """One session with one hand, one bot and one kill."""
    own = diary or Diary(
        "b-1", {TURN: DiaryEntry({"pass": True}, [])}, {}, {}, {TURN: 4_100}, (), 0, 0, None
    )
    hands = (HandRow(HAND, f"{SESSION}-r01-t01", 1, "[0]", "finished", "", None, 0, None),)
    log = SessionLog("finished", hands, 1, {TURN: list(steps or (step(),))})
    usual = CampaignRun(
        *(0, 99_000, {SESSION: log}, {"b-1": own}, True, ()),
        records={},
        standings={SESSION: {"bots": ["b-1"]}},
        strikes=[KILL],
        moves=MOVES,
    )
    return usual._replace(**members)


PEACE = played(step(at_ms=4_200, charged_ms=0), strikes=[], moves=[])


def found(struck: CampaignRun, plan: CampaignPlan = PLAN) -> tuple[str, ...]:
    return verdict(plan, struck, PEACE).findings


def test_a_turn_that_was_open_while_its_home_was_killed_is_as_it_must_be() -> None:
    assert found(played()) == ()


def test_a_session_is_served_until_the_kill_and_again_from_the_move_of_its_lease() -> None:
    assert lives(played(), SESSION) == [ServicePeriod(0, 5_000), ServicePeriod(5_600, 99_000)]


def test_without_a_move_it_is_served_again_when_the_fault_was_mended() -> None:
    assert lives(played(moves=MOVES[:1]), SESSION)[1].ready_ms == 9_000


def test_a_session_of_another_home_is_served_all_the_time() -> None:
    other = KILL._replace(sessions=("faults-2",))
    assert lives(played(strikes=[other]), SESSION) == [ServicePeriod(0, 99_000)]


def test_a_home_that_is_cut_off_from_its_peers_serves_who_asks_it() -> None:
    assert lives(played(strikes=[KILL._replace(served=True)]), SESSION) == [
        ServicePeriod(0, 99_000)
    ]


def test_a_bot_that_was_charged_for_the_outage_is_a_finding() -> None:
    [wrong] = found(played(step(charged_ms=2_300)))
    assert wrong == f"{TURN} was charged 2300 ms, and was served for 1950 ms"


def test_an_answer_that_was_accepted_and_is_not_in_the_log_is_a_finding() -> None:
    lost = SessionLog("finished", played().logs[SESSION].hands, 1, {})
    assert f"{TURN} was accepted and is in the log 0 times" in found(played(logs={SESSION: lost}))


def test_a_turn_that_is_in_the_log_twice_is_a_finding() -> None:
    assert f"{TURN} was accepted and is in the log 2 times" in found(played(step(), step()))


def test_a_write_of_an_old_epoch_is_a_finding() -> None:
    stale = [StaleStep(HAND, 3, "referee-1", "referee-2")]
    assert found(played(stale=stale)) == (
        f"step 3 of {HAND}: written by referee-1, home was referee-2",
    )


def test_a_session_without_turns_after_a_fault_is_a_finding() -> None:
    struck = played(strikes=[KILL._replace(offered_ms={SESSION: None})])
    assert found(struck) == ("kill -9 of referee-1: no turns of faults-1 within a minute",)


def test_other_standings_than_in_peace_are_a_finding() -> None:
    struck = played(standings={SESSION: {"bots": ["b-2"]}})
    assert found(struck) == ("faults-1: the standings are not those of the run in peace",)


def test_a_hand_that_ended_otherwise_than_in_peace_is_a_finding() -> None:
    lines = {SESSION: ["{}", hand()]}
    struck = played(records={SESSION: ["{}", hand(deck="S4")]})
    wrong = verdict(PLAN, struck, PEACE._replace(records=lines)).findings
    assert f"{HAND} ended otherwise than in peace" in wrong


def test_too_few_faults_are_a_finding() -> None:
    assert found(played(), PLAN._replace(times=2)) == ("the bots were done after 1 faults",)


def test_the_longest_time_without_turns_is_told() -> None:
    strikes = [KILL, KILL._replace(offered_ms={SESSION: 1_900})]
    told = verdict(PLAN._replace(times=2), played(strikes=strikes), PEACE)
    assert told.offered_ms == (1_350.0, 1_900.0)
    assert (told.faults, told.moves) == (2, 1)
