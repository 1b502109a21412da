"""The bench of starvation: a big session that is one, and figures from what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.application import Referee
from arena.bench import starvation
from arena.bench.attackers import KINDS, MOST_CONNECTIONS
from arena.bench.players import PlayerFigures
from arena.bench.starvation import ATTACKS, Flood, Pair, Phase, StarvationPlan, run
from arena.bench.stored import WIDE, fill_one
from arena.errors import BadInput
from arena.store import open_store


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = Path(tmp_path_factory.mktemp("starve")) / "big.db"
    assert fill_one(file, "big", 2 * WIDE) == 2 * WIDE
    return f"sqlite:///{file.as_posix()}"


@pytest.mark.slow
def test_the_big_session_is_one_that_a_referee_could_have_written(database: str) -> None:
    with open_store(database, readonly=True) as store:
        referee = Referee(store)
        lines = list(referee.queries.records("big"))
        assert len(lines) == 1 + 2 * WIDE
        assert referee.queries.session("big")["progress"]["hands_finished"] == 2 * WIDE
        assert referee.queries.standings("big")["hands"] == 2 * WIDE
        assert referee.queries.records_mark("big") is not None


@pytest.mark.slow
def test_the_hands_of_a_big_session_are_counted_once_in_a_while(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.queries import documents
    from tests.referee.table import FakeClock

    monkeypatch.setattr(documents, "MANY_HANDS", 2 * WIDE)
    clock = FakeClock()
    with open_store(database, readonly=True) as store:
        referee = Referee(store, clock=clock)
        asked: list[str] = []
        count = store.hand_counts

        def counting(session: str) -> dict[str, int]:
            asked.append(session)
            return count(session)

        monkeypatch.setattr(store, "hand_counts", counting)
        for passed, expected in ((0, 1), (1, 1), (documents.COUNTED_MS, 2)):
            clock.pass_ms(passed)
            referee.queries.session("big")
            assert len(asked) == expected


def test_figures_are_medians_over_the_rounds() -> None:
    samples = [(float(at), at * 100) for at in range(41)]
    seen = PlayerFigures(4_000, 0, 0.0, samples, [], 0)
    peace, attacked = Phase(10, 20, 10_000, 20_000), Phase(20, 30, 20_000, 30_000)
    pair = Pair(peace, attacked, served=5, refused=10, size=20_000_000, standstills=3)
    charged = [(9_999, 7), (10_000, 50), (25_000, 400), (30_000, 9)]
    found = starvation._starved("exports", [pair, pair], [seen], charged)
    assert (found.peace, found.attacked, found.kept) == (100, 100, 1)
    assert (found.charged_peace_ms, found.charged_ms) == (5, 40)
    assert (found.served, found.refused, found.mb, found.standstills) == (0.5, 1, 2, 6)


def test_an_attack_that_is_not_known_is_refused() -> None:
    with pytest.raises(BadInput, match="exports"):
        run(StarvationPlan(["nukes"]))
    assert next(iter(ATTACKS)) == "exports"


def test_every_flood_is_one_that_attackers_know() -> None:
    floods = [attack for attack in ATTACKS.values() if isinstance(attack, Flood)]
    assert {flood.kind for flood in floods} <= KINDS.keys()
    assert all(1 <= flood.connections <= MOST_CONNECTIONS for flood in floods)


@pytest.mark.server
def test_honest_bots_play_on_beside_junk_and_a_flood() -> None:
    found = run(StarvationPlan(["junk", "garbage"], hands=WIDE, clients=2, seconds=1, rounds=1))
    assert [each.attack for each in found] == ["junk", "garbage"]
    for each in found:
        assert each.peace > 0
        assert each.attacked > 0
        assert each.refused > 0
