"""Whether a bot waits as long as it is told to, on a machine where the doctor itself is late."""

from __future__ import annotations

import pytest

from arena.doctor.evidence import Exchange, WireObserver
from arena.doctor.playing import SceneRun
from arena.doctor.scenes import SCENES
from arena.doctor.turn_checks import retry_after
from arena.doctor.verdicts import CheckOutcome
from arena.loopback.messages import Request, Response


def poll(at_s: float) -> Request:
    return Request("GET", "/api/v1/turns", {}, b"", 1, at_s)


@pytest.mark.parametrize(
    ("back_s", "outcome"), [(101.01, CheckOutcome.PASSED), (100.5, CheckOutcome.FAILED)]
)
def test_its_wait_is_counted_from_before_the_refusal_left(
    back_s: float, outcome: CheckOutcome
) -> None:
    refusal = Response(429, (("Retry-After", "1"),), b"{}")
    exchanges = [
        # The thread that sent it came to note the time a second later.
        Exchange(0, "x", poll(99.9), refusal, refusal, "429", ready_s=100.0, sent_s=101.0),
        Exchange(1, "x", poll(back_s)),
    ]
    run = SceneRun(SCENES[0], WireObserver(exchanges=exchanges))
    assert retry_after(run).outcome is outcome
