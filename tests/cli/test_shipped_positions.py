"""The positions that come with the arena: every claim is proved by the engine."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from arena.cli.workshop.position_files import SHIPPED, Exercise, read_shipped
from arena.cli.workshop.proofs import prove_all
from arena.game import Position

pytestmark = pytest.mark.slow


@cache
def shipped() -> tuple[Exercise, ...]:
    return tuple(read_shipped())


def test_there_are_sixty_in_three_themes_with_a_reason_each() -> None:
    themes = Counter(exercise.theme for exercise in shipped())
    assert themes == {"rule": 20, "sure win": 25, "blunder": 15}
    assert len({exercise.id for exercise in shipped()}) == 60
    assert len({str(exercise.position) for exercise in shipped()}) == 60
    for exercise in shipped():
        assert exercise.title, exercise.id
        assert exercise.why.endswith((".", ".\n")), exercise.id


def test_each_claims_its_whole_list_or_a_place() -> None:
    for exercise in shipped():
        assert (exercise.kind == "legal") is (exercise.theme == "rule"), exercise.id
        assert (exercise.place is None) is (exercise.theme == "rule"), exercise.id


def test_all_places_are_proved_by_search() -> None:
    proofs = [proof.solution for proof in prove_all(shipped())]
    solutions = [solution for solution in proofs if solution is not None]
    assert len(solutions) == 40
    assert sum(solution.worlds > 1 for solution in solutions) >= 15
    assert sum(solution.steps for solution in solutions) < 100_000


def test_lines_are_written_as_the_arena_writes_them() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(SHIPPED.glob("*.toml")))
    for exercise in shipped():
        assert f'position = "{exercise.position}"\n' in text, exercise.id
        assert exercise.position.seat is not None, "a bot is asked what it can know"


def test_rulesets_and_tables_of_many_kinds_are_among_them() -> None:
    players = Counter(exercise.position.rules.players for exercise in shipped())
    assert {2, 3, 4, 5} <= set(players)
    assert len({exercise.ruleset.split(",")[0] for exercise in shipped()}) >= 25


def test_what_can_be_won_is_not_what_the_lowest_card_does() -> None:
    """A position that any bot passes teaches nothing: most are failed by the lowest card."""
    asked = [exercise for exercise in shipped() if exercise.theme != "rule"]
    failed = [e.id for e in asked if not e.passes(lowest(e.position))]
    assert len(failed) >= 30


def lowest(position: Position) -> dict[str, object]:
    from arena.client import Turn

    turn = Turn.from_position(position)
    return turn.lowest() or turn.fallback()
