"""The same findings in the same order, whether one process checks a file or several."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from arena.match.workers import Inline, Workers
from arena.records.verify import Finding, Verifier, verify
from tests.records.test_mutations import called_off, played

EDITED = [
    played()[0],
    played()[1].replace(b'"refused":0', b'"refused":7', 1),
    *played()[2:],
    called_off()[0],
    b"{}",
    *called_off()[2:],
]


def checked(executors: list[Inline] | list[Workers]) -> tuple[list[Finding], object]:
    verifier = Verifier(executors=executors)
    return list(verifier.check(EDITED)), verifier.closing


@pytest.mark.slow
def test_chunks_that_are_sent_give_what_chunks_give_that_stay() -> None:
    alone = verify(EDITED)
    assert len({finding.line for finding in alone.findings}) > 2
    assert checked([Inline(), Inline()]) == (list(alone.findings), alone.closing)


@pytest.mark.server
def test_so_do_two_processes() -> None:
    alone = verify(EDITED)
    with ExitStack() as stack:
        workers = [stack.enter_context(Workers(1)) for _ in range(2)]
        assert checked(workers) == (list(alone.findings), alone.closing)
