"""The same hands count everywhere: standings, finals, drawn rounds, grades and `arena rate`.

One session with a disqualified and a withdrawn bot, a void table and one that was cut short.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.cli.finals import finalists_in
from arena.cli.rate import rated, read_files
from arena.documents import Document
from arena.errors import BadInput
from arena.organising import finalists
from arena.organising.finalists import finalists_of
from arena.records.verify import verify
from arena.referee.rounds import results_of
from arena.session.config import read_config
from arena.session.stored_schedule import read_schedule
from arena.tournament.grading import grades
from arena.tournament.pairing import finals
from arena.tournament.ratings import rate
from arena.tournament.reporting.documents import standings_document
from arena.tournament.results import HandResult
from tests.queries.test_standings import tables
from tests.referee.table import Arena, first, lowest

pytestmark = pytest.mark.slow

STRONG, GONE = "bot-1", "bot-2"
"""Who wins and is disqualified; who withdraws after most of its hands."""


def play(arena: Arena, names: Iterable[str], *, tables: Collection[str] = ()) -> None:
    """Play some tables or all: bots of these names play cards, all others pass where they may."""
    strong = {arena.bots[name] for name in names}
    while waiting := [
        (bot, turn) for bot, turn in arena.waiting() if not tables or turn["table"] in tables
    ]:
        for bot, turn in waiting:
            arena.referee.answer(bot, turn["turn"], (lowest if bot in strong else first)(turn))


@pytest.fixture
def cup(arena: Arena) -> Arena:
    """A session that has ended, with hands and bots of every kind."""
    schedule = {"rounds": 9, "rounds_at_once": 9}
    arena.session(9, seats=3, hands_per_table=3, schedule=schedule)
    arena.referee.void(tables(arena)[0], "the cable was pulled", "admin")
    strong = [STRONG, "bot-3", "bot-4"]
    play(arena, strong, tables=tables(arena)[1:20])
    arena.referee.withdraw("cup", arena.bots[GONE], "admin")
    play(arena, strong)
    arena.referee.disqualify("cup", arena.bots[STRONG], "admin")
    return arena


def written(arena: Arena, folder: Path, session: str = "cup") -> Path:
    """The session's record file."""
    file = folder / f"{session}.jsonl"
    file.write_text("".join(arena.referee.queries.records(session, full=True)), encoding="utf-8")
    return file


def final_config(**schedule: Any) -> Document:
    schedule = {"kind": "final", "of": ["cup"], "prizes": 2, **schedule}
    return {"name": "Final", "slug": "final", "seats": 3, "schedule": schedule}


def test_standings_rate_and_grades_rest_on_the_same_hands(cup: Arena, tmp_path: Path) -> None:
    fit = cup.referee.queries.fit("cup", staff=True)
    (pool,) = read_files([written(cup, tmp_path)])
    again = rated(pool, anchor=None, model="bradley_terry")
    assert orjson.dumps(standings_document(again)) == orjson.dumps(fit.document("standings"))
    strong = cup.bots[STRONG]
    drawn = results_of(cup.referee._context, cup.referee._context.in_play.session("cup"), {strong})
    assert sorted(drawn) == sorted(pool.results)
    assert not any(strong in result.bots for result in pool.results)
    assert any(cup.bots[GONE] in result.bots for result in pool.results)
    assert not any(tables(cup)[0] == result.block for result in pool.results)
    ratings = rate(pool.results, roster=[entrant.bot for entrant in pool.entrants])
    (grade,) = grades(ratings, pool.entrants, ["bot-3"], students=[STRONG])
    assert grade.marks[0].best.note == "has played no hand"


def test_a_final_has_the_same_bots_on_the_server_and_offline(cup: Arena, tmp_path: Path) -> None:
    """The hands of the disqualified bot decided who plays on the server, and not offline."""
    file = written(cup, tmp_path)
    fields = []
    for prizes in range(1, 8):
        config = read_config(final_config(prizes=prizes))
        there = finalists_of(cup.referee._context, config)
        here = finalists_in([file], prizes=prizes, seats=3)
        assert there == tuple(entrant.bot for entrant in here)
        assert not {cup.bots[STRONG], cup.bots[GONE]} & set(there)
        fields.append(there)
    assert len(set(fields)) > 1


def test_the_ranks_that_lead_to_a_final_rest_on_the_same_hands(
    cup: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[tuple[list[HandResult], frozenset[str]]] = []

    def recorded(results: Iterable[HandResult], bots: frozenset[str]) -> dict[str, Any]:
        used.append((sorted(results), frozenset(bots)))
        return {}

    for module in (finalists, finals):
        monkeypatch.setattr(module, "ranges_of", recorded)
    with pytest.raises(BadInput, match="bots with a rank"):
        finalists.finalists_of(cup.referee._context, read_config(final_config()))
    with pytest.raises(BadInput, match="bots with a rank"):
        finalists_in([written(cup, tmp_path)], prizes=2, seats=3)
    there, here = used
    assert there == here
    assert not any(cup.bots[STRONG] in result.bots for result in there[0])


def test_a_final_of_two_sessions_has_the_same_bots_too(cup: Arena, tmp_path: Path) -> None:
    """Who left the first session and stayed in the second contends; who was disqualified in one
    of them does not, though it entered the other."""
    document = {
        "name": "Second cup",
        "slug": "second",
        "seats": 3,
        "hands_per_table": 1,
        "schedule": {"rounds": 6, "rounds_at_once": 6},
    }
    cup.referee.create_session(document, "admin")
    cup.referee.set_session("second", "open", "admin")
    for bot in cup.bots.values():
        cup.referee.enter("second", bot)
    cup.referee.set_session("second", "start", "admin")
    play(cup, [STRONG])
    config = read_config(final_config(of=["cup", "second"], prizes=9))
    there = finalists_of(cup.referee._context, config)
    files = [written(cup, tmp_path, session) for session in ("second", "cup")]
    here = finalists_in(files, prizes=9, seats=3)
    assert there == tuple(entrant.bot for entrant in here)
    assert cup.bots[GONE] in there
    assert cup.bots[STRONG] not in there


def test_in_a_season_a_final_has_each_bot_once(tmp_path: Path) -> None:
    files = []
    for day in ("monday", "tuesday"):
        arena, rounds = Arena(), {"rounds": 6, "rounds_at_once": 6}
        arena.session(6, slug=day, seats=3, hands_per_table=1, schedule=rounds)
        arena.play()
        files.append(written(arena, tmp_path, day))
    with pytest.raises(BadInput, match="fields that never met is 2"):
        finalists_in(files, prizes=20, seats=3)
    names = [each.name for each in finalists_in(files, prizes=20, seats=3, season=True)]
    assert len(set(names)) == len(names) == 6


@pytest.mark.parametrize("kind", ["swiss", "ladder"])
def test_rounds_are_drawn_without_the_disqualified_and_can_be_drawn_again(
    arena: Arena, kind: str
) -> None:
    """Also if somebody is disqualified only after a round was drawn from its hands."""
    arena.session(8, seats=3, hands_per_table=1, schedule={"kind": kind, "rounds": 6})
    context, out = arena.referee._context, arena.bots[STRONG]
    late = arena.bots["bot-5"]

    def rounds() -> int:
        return len(context.in_play.session("cup").rounds)

    start = rounds()
    while rounds() == start:
        arena.play(at_most=1)
    arena.referee.disqualify("cup", out, "admin")
    play(arena, [STRONG])
    arena.referee.disqualify("cup", late, "admin")
    row = arena.store.session("cup")
    assert row is not None
    schedule = orjson.loads(row.schedule or "null")
    at = schedule["roster"].index(out)
    assert set(map(tuple, schedule["barred"].values())) == {(at,)}
    assert min(map(int, schedule["barred"])) > start + 1
    report = verify(arena.referee.queries.records("cup", full=True))
    assert report.findings == ()
    last = read_schedule(schedule).draws[max(map(int, schedule["draws"]))]
    assert at not in [bot for bot, _, _ in last]
    forged = [orjson.loads(line) for line in arena.referee.queries.records("cup", full=True)]
    forged[0]["schedule"]["barred"] = {}
    said = [finding.what for finding in verify(map(orjson.dumps, forged)).findings]
    assert any("does not follow from the results before" in what for what in said)
