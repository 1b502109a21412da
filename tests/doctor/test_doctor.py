"""Every planted fault is found by the check that is meant for it; sample bots have none."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.doctor.checks import CHECKS, chosen_checks
from arena.doctor.examination import Diagnosis, examine
from arena.doctor.playing import Terms
from arena.doctor.verdicts import CheckOutcome, CheckVerdict

ROOT = Path(__file__).parents[2]
BOT = shlex.quote(str(Path(__file__).with_name("faulty_bot.py")))
QUICK = Terms(move_ms=250, bank_ms=250, start_s=20)
USUAL = Terms()
PATIENT = Terms(move_ms=10_000, bank_ms=60_000, start_s=60)
"""For bots without a fault: how quick the machine is, is not the question."""
BASIC = ("starts", "stays", "ends", "token")
"""Checks that blame no bot for a fault of another layer, but for those in `ALSO`."""

FAULTS: Mapping[str, str] = {
    "sends-nothing": "starts",
    "ends-at-once": "starts",
    "never-ends": "ends",
    "ends-badly": "ends",
    "ignores-sigterm": "stops",
    "no-token": "token",
    "token-in-address": "token",
    "never-enters": "enters",
    "unknown-parameter": "requests",
    "forgets-code": "registers",
    "garbles-token": "registers",
    "silent": "answers",
    "late-by-1-ms": "in-time",
    "illegal": "legal",
    "garbage": "well-formed",
    "answers-twice": "once",
    "only-plays": "kind-throw",
    "crashes-at-give": "kind-give",
    "crashes-at-discard": "kind-discard",
    "one-table": "many-tables",
    "crashes-at-409": "status-409",
    "hangs-at-409": "status-409",
    "crashes-at-410": "status-410",
    "crashes-at-422": "status-422",
    "gives-up-429": "status-429",
    "gives-up-503": "status-503",
    "ignores-retry-after": "retry-after",
    "crashes-at-replay": "lost-answer",
    "busy-loop": "polls",
    "old-cursor": "cursor",
    "withdraws": "restart",
    "joker-roles": "joker-roles",
    "one-joker": "two-jokers",
    "one-pack": "two-packs",
    "four-seats": "seats-3",
    "impatient": "latency",
    "never-reconnects": "closed-connection",
    "reads-once": "split-body",
    "strict-members": "unknown-members",
    "whole-list": "legal-more",
}
ALSO: Mapping[str, str] = {
    "no-token": "its process ends at the 401",
    "token-in-address": "it is refused as an unknown parameter",
}
MISBEHAVIOUR: Mapping[str, str] = {
    "late": "in-time",
    "illegal": "legal",
    "garbage": "well-formed",
    "silent": "answers",
    "vanish": "stays",
}
IN_PARALLEL = 4


def tried(command: str, *checks: str, terms: Terms = USUAL) -> Diagnosis:
    return examine(command, chosen_checks((), checks), terms=terms, cwd=ROOT, jobs=2)


def faulty(fault: str) -> Diagnosis:
    terms = Terms(start_s=1.5) if fault == "sends-nothing" else USUAL
    if fault in ("silent", "late-by-1-ms", "one-table", "hangs-at-409", "only-plays"):
        terms = QUICK
    checks = (*BASIC, FAULTS[fault]) if FAULTS[fault] in BASIC else (FAULTS[fault],)
    return tried(f"python {BOT} --fault {fault}", *checks, terms=terms)


def by_name(found: Diagnosis) -> dict[str, CheckVerdict]:
    return {check.name: verdict for check, verdict in found.verdicts}


def failures(found: Diagnosis) -> dict[str, str]:
    bad = {n: v for n, v in by_name(found).items() if v.outcome is CheckOutcome.FAILED}
    return {name: verdict.why for name, verdict in bad.items()}


SAMPLES = ("curl_bot", "choice_only", "heuristic", "lowest", "plain_requests", "random_bot")


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(IN_PARALLEL) as threads:
        yield threads
        threads.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def diagnoses(pool: ThreadPoolExecutor) -> Callable[[str], Diagnosis]:
    """The diagnoses of bots and of faults, all of them begun when the first is asked for."""
    bots = {name: pool.submit(whole, name) for name in (*SAMPLES, "slow", "faulty_bot")}
    faults = {fault: pool.submit(faulty, fault) for fault in FAULTS}
    ways = {f"how {how}": pool.submit(misbehaving, how) for how in MISBEHAVIOUR}
    known: dict[str, Future[Diagnosis]] = {**bots, **faults, **ways}
    return lambda name: known[name].result()


def misbehaving(how: str) -> Diagnosis:
    command = f"python -m sample_bots.misbehave --how {how} --after 1"
    return tried(command, "starts", "token", MISBEHAVIOUR[how], terms=QUICK)


def whole(name: str) -> Diagnosis:
    commands = {
        "slow": "python -m sample_bots.slow --delay-ms 1",
        "faulty_bot": f"python {BOT}",
        "curl_bot": f"sh {shlex.quote(str(ROOT / 'sample_bots' / 'curl_bot.sh'))}",
    }
    command = commands.get(name, f"python -m sample_bots.{name}")
    return examine(command, CHECKS, terms=PATIENT, cwd=ROOT)


@pytest.mark.server
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, diagnoses: Callable[[str], Diagnosis]) -> None:
    found = failures(diagnoses(fault))
    assert FAULTS[fault] in found
    if fault not in ALSO:
        assert set(found) & set(BASIC) <= {FAULTS[fault]}, found


@pytest.mark.server
@pytest.mark.parametrize("how", MISBEHAVIOUR)
def test_each_way_to_misbehave_is_named(how: str, diagnoses: Callable[[str], Diagnosis]) -> None:
    assert list(failures(diagnoses(f"how {how}"))) == [MISBEHAVIOUR[how]]


@pytest.mark.server
@pytest.mark.parametrize("name", [*SAMPLES, "slow", "faulty_bot"])
def test_a_sample_bot_passes_every_check(name: str, diagnoses: Callable[[str], Diagnosis]) -> None:
    if name == "curl_bot" and not shutil.which("curl"):
        pytest.skip("needs curl")
    found = diagnoses(name)
    assert failures(found) == {}
    verdicts = by_name(found)
    unseen = {name for name, v in verdicts.items() if v.outcome is CheckOutcome.SKIPPED}
    assert unseen <= {"cursor", "whoami", "joker-roles", "no-legal"}
    assert found.timing is not None
    assert found.timing.turns > 50


def test_more_than_twenty_faults_are_planted_and_each_layer_has_some() -> None:
    layers = {check.name: check.layer for check in CHECKS}
    assert len(FAULTS) > 20
    assert {layers[check] for check in FAULTS.values()} == set(layers.values())


def test_every_check_has_a_phase_of_its_scene() -> None:
    from arena.doctor.scenes import SCENES

    phases = {scene.name: {phase.name for phase in scene.phases} for scene in SCENES}
    assert [c.name for c in CHECKS if not set(c.phases) <= phases[c.scene]] == []
