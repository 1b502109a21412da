"""The bench of stored hands: the copies are what the real session was, and all is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bench import growth
from arena.referee.service import Referee
from arena.store import open_store


@pytest.fixture(scope="module")
def pattern() -> growth.Pattern:
    return growth.played()


def test_copies_have_the_hands_and_the_standings_of_the_session_that_was_played(
    pattern: growth.Pattern, tmp_path: Path
) -> None:
    file = tmp_path / "growth.db"
    growth.fill(file, pattern, range(2))
    growth.fill(file, growth.shortened(pattern, 7), range(2, 3))
    with open_store(f"sqlite:///{file.as_posix()}", readonly=True) as store:
        referee = Referee(store)
        rows = [
            [(row["bot"], row["elo"]) for row in document["groups"][0]["rows"]]
            for document in (referee.standings(f"old-{n:06}") for n in range(3))
        ]
        assert rows[0] == rows[1] == rows[2]
        for session in ("old-000000", "old-000002"):
            assert store.hand_counts(session) == {"finished": growth.SESSION_HANDS}
        hands = [store.session_hands(f"old-{n:06}", limit=500) for n in (1, 2)]
        assert len(store.steps(hands[0][-1].id)) > 10
        assert {len(store.steps(hand.id)) for hand in hands[1]} == {7}


def test_the_same_things_are_measured_at_each_size(
    pattern: growth.Pattern, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "played", lambda: pattern)
    monkeypatch.setattr(growth, "QUICK", 2)
    monkeypatch.setattr(growth, "SLOW", 1)
    monkeypatch.setattr(growth, "PARTS", 1)
    small, large = growth.grow([300, 100], folder=tmp_path)
    assert (small.hands, large.hands) == (100, 300)
    assert large.steps == 3 * small.steps
    assert large.database_bytes > 2 * small.database_bytes
    assert [cost.name for cost in small.costs] == [cost.name for cost in large.costs]
    assert all(cost.us > 0 for cost in (*small.costs, *large.costs))
    assert list(tmp_path.iterdir()) == []
