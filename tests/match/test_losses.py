"""Processes that die in the middle of a block: it is played again, and the verdict is the same."""

from __future__ import annotations

import pytest

from arena.errors import Unavailable
from arena.match.executors import Renewed
from arena.match.local import Match, MatchTerms
from arena.match.matches import blocks, play_match
from tests.match import factories
from tests.match.test_local import Here

LOWEST = "tests.match.players:Lowest"
TERMS = MatchTerms(ruleset={"preset": "pagat"}, hands_per_table=1, deals="fresh")


def match(first):
    return Match(first, LOWEST, (LOWEST,), TERMS, record=True)


@pytest.mark.server
@pytest.mark.parametrize("kind", ["workers", "spawned"])
def test_a_bot_that_ends_its_process_once_changes_nothing(kind, tmp_path):
    asked, lost = match(f"tests.match.players:Mortal --once {tmp_path / 'died'}"), []
    with Renewed(getattr(factories, kind), name=kind) as pool:
        got = list(
            blocks(asked, pool, count=6, window=4, lost=lambda number, why: lost.append(number))
        )
    assert lost
    assert got == list(blocks(asked, Here(), count=6))


@pytest.mark.server
@pytest.mark.parametrize(
    ("kind", "how"), [("workers", "with exit code 3"), ("spawned", "terminated abruptly")]
)
def test_a_bot_that_ends_its_process_every_time_is_named(kind, how):
    named = rf"process that played has ended: .*; block 1, 3 times: it was in play\(\), A \(.*{how}"
    with (
        Renewed(getattr(factories, kind), name=kind) as pool,
        pytest.raises(Unavailable, match=named),
    ):
        play_match(match("tests.match.players:Killer"), pool, hands=10, window=3)


def test_a_block_that_cannot_be_played_is_not_repeated():
    pool = Here()
    with pytest.raises(Unavailable, match="has left"):
        list(blocks(match("tests.match.players:Leaver"), pool, count=3, window=1))
    assert pool.numbers == [1]
