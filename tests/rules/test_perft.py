"""The number of ways to go on, for fixed deals of each preset, is the one counted before."""

from __future__ import annotations

import json

import pytest

from tests.rules import perft

pytestmark = pytest.mark.slow

CASES = json.loads(perft.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", CASES, ids=[c["preset"] + "-small" * bool(c["hands"]) for c in CASES]
)
def test_the_number_of_paths_is_the_counted_one(case: perft.Case) -> None:
    found, known = perft.below(*perft.start(case), case["depth"]), case["below"]
    wrong = [
        f"{answer}: {found.get(answer, 'missing')}, counted before: {known.get(answer, 'none')}"
        for answer in dict.fromkeys([*known, *found])
        if found.get(answer) != known.get(answer)
    ]
    assert not wrong, "\n".join([f"{case['preset']}, depth {case['depth']}:", *wrong])
    assert sum(found.values()) == case["paths"]


def test_the_counted_deals_are_those_that_are_drawn_for_each_preset() -> None:
    kept = [{name: case[name] for name in ("preset", "hands", "before")} for case in CASES]
    assert kept == perft.cases()
