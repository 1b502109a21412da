"""The bench of stored hands: the copies are what the real session was, and all is measured."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from arena.application import Referee
from arena.bench import growth, stored
from arena.store import open_store
from arena.store.connections import connect
from arena.store.statements import READS


@pytest.fixture(scope="module")
def pattern() -> stored.StoredPattern:
    return stored.played()


@pytest.mark.slow
def test_copies_have_the_hands_and_the_standings_of_the_session_that_was_played(
    pattern: stored.StoredPattern, tmp_path: Path
) -> None:
    file = tmp_path / "growth.db"
    stored.fill(file, pattern, range(2))
    stored.fill(file, stored.shortened(pattern, 7), range(2, 3))
    with open_store(f"sqlite:///{file.as_posix()}", readonly=True) as store:
        referee = Referee(store)
        rows = [
            [(row["bot"], row["elo"]) for row in document["groups"][0]["rows"]]
            for document in (referee.queries.standings(f"old-{n:06}") for n in range(3))
        ]
        assert rows[0] == rows[1] == rows[2]
        for session in ("old-000000", "old-000002"):
            assert store.hand_counts(session) == {"finished": stored.SESSION_HANDS}
        hands = [store.session_hands(f"old-{n:06}", limit=500) for n in (1, 2)]
        assert len(store.steps(hands[0][-1].id)) > 10
        assert {len(store.steps(hand.id)) for hand in hands[1]} == {7}


@pytest.mark.slow
def test_the_same_things_are_measured_at_each_size(
    pattern: stored.StoredPattern, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


SESSION, TABLE = "old-000003", "old-000003-r01-t01"
HAND = f"{TABLE}-h002"
LAST = 2**62
PARAMETERS: dict[str, tuple[object, ...]] = {
    "bot": ("nobody",),
    "bot_by_token": ("nothing",),
    "bot_by_name": (f"{stored.PATTERN}-0",),
    "bot_by_key": (f"{stored.PATTERN}-0",),
    "bots": ("", 100),
    "session": (SESSION,),
    "sessions": (LAST, "", 10),
    "sessions_of_status": ("finished", LAST, "", 10),
    "entries": (SESSION, -1, 100),
    "table": (TABLE,),
    "tables": (SESSION, -1, -1, 100),
    "open_tables": (SESSION,),
    "hand": (HAND,),
    "hands": (TABLE, 0, 100),
    "session_hands": (SESSION, -1, -1, -1, -1, -1, 100),
    "hand_counts": (SESSION,),
    "steps": (HAND, 0),
    "counter": ("alive",),
    "note": ("none",),
    "table_counts": (SESSION,),
}


def machine_steps(file: Path, question: str, *parameters: object) -> int:
    """How many steps SQLite's machine takes to answer a question."""
    taken = [0]

    def count() -> int:
        taken[0] += 1
        return 0

    with closing(connect(file, writable=False)) as connection:
        connection.set_progress_handler(count, 1)
        connection.execute(READS[question], parameters).fetchall()
    return taken[0]


@pytest.fixture(scope="module")
def files(pattern: stored.StoredPattern, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same sessions, and ten times as many."""
    folder, short = tmp_path_factory.mktemp("growth"), stored.shortened(pattern, 4)
    made = [folder / "few.db", folder / "many.db"]
    for file, sessions in zip(made, (20, 200), strict=True):
        stored.fill(file, short, range(sessions))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("question", sorted(PARAMETERS))
def test_a_question_takes_as_many_steps_beside_ten_times_the_sessions(
    files: list[Path], question: str
) -> None:
    few, many = (machine_steps(file, question, *PARAMETERS[question]) for file in files)
    assert few == many > 0


@pytest.mark.slow
def test_the_sessions_of_a_bot_are_found_in_as_many_steps_a_page(
    files: list[Path], pattern: stored.StoredPattern
) -> None:
    bot = pattern.bots[0].id
    few, many = (machine_steps(file, "entries_of", bot, "", 10) for file in files)
    assert few == many > 0
