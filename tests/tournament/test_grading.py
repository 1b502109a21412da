"""Grades: a pass is a matter of statistics, not of luck, and everybody can read why."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pytest

from arena.errors import BadInput
from arena.tournament.grading import (
    AHEAD,
    ALWAYS_AHEAD,
    ALWAYS_BEHIND,
    BEHIND,
    FEW_BLOCKS,
    NEVER_MET,
    NO_HANDS,
    NOT_SEPARATED,
    Points,
    grades,
)
from arena.tournament.ratings import rate
from arena.tournament.reporting.grade_reports import (
    grades_csv,
    grades_document,
    grades_table,
    gradescope_document,
    notices,
)
from arena.tournament.results import HandResult, settle
from arena.tournament.standings import Entrant
from arena.tournament.superiority import superiority
from tests.tournament.simulation import hand, named, played
from tests.tournament.test_ratings import TWELVE

SKILLS = np.linspace(-1.2, 1.2, 12)
HANDS = played(TWELVE, SKILLS, seed=7, hands=5)
ENTRANTS = tuple(Entrant(named(i), f"name{i:02}", f"owner{i:02}", entry=i) for i in range(12))


def graded(hands=HANDS, entrants=ENTRANTS, benchmarks=("bot05",), **options):
    ratings = rate(hands, roster=[entrant.bot for entrant in entrants])
    return grades(ratings, entrants, benchmarks, **options)


def verdicts(found):
    return {grade.student: grade.marks[0].best.verdict for grade in found}


def only(found):
    """The one comparison of the one grade."""
    (grade,) = found
    (mark,) = grade.marks
    (comparison,) = mark.comparisons
    return comparison


def always(*bots, blocks, hands=1):
    """Blocks in which the bots always finish in this order."""
    return [hand(*bots, block=f"b{b}") for b in range(blocks) for _ in range(hands)]


def test_the_verdict_follows_the_strength():
    found = verdicts(graded())
    assert found["owner11"] == AHEAD
    assert found["owner00"] == BEHIND
    assert found["owner04"] == NOT_SEPARATED
    assert list(found) == sorted(found)
    assert "owner05" not in found


def test_ahead_is_when_the_interval_leaves_out_zero_and_agrees_with_superiority():
    ratings = rate(HANDS)
    for grade in graded():
        best = grade.marks[0].best
        assert best.low < best.gap < best.high
        assert (best.verdict == AHEAD) == (best.low > 0)
        assert (best.verdict == BEHIND) == (best.high < 0)
        chance = superiority(ratings.groups[0], best.bot, "bot05")
        assert best.superiority == chance
        assert (best.verdict == AHEAD) == (chance > 0.975)
        assert (best.verdict == BEHIND) == (chance < 0.025)


def test_two_bots_seen_from_either_side_are_mirrored():
    one = only(graded(students=["name11"]))
    other = only(graded(benchmarks=["name11"], students=["name05"]))
    assert one.gap == pytest.approx(-other.gap)
    assert one.low == pytest.approx(-other.high)
    assert {one.verdict, other.verdict} == {AHEAD, BEHIND}


@pytest.mark.simulation
def test_equal_bots_pass_as_rarely_as_promised():
    passed = failed = total = 0
    for seed in range(60):
        found = verdicts(graded(played(TWELVE, np.zeros(12), seed=seed, hands=3)))
        passed += list(found.values()).count(AHEAD)
        failed += list(found.values()).count(BEHIND)
        total += len(found)
    assert 0.005 < passed / total < 0.045
    assert 0.005 < failed / total < 0.045


def test_more_confidence_asks_for_more():
    widths = [only(graded(students=["name08"], confidence=c)).error for c in (0.8, 0.95, 0.99)]
    assert all(narrow < wide for narrow, wide in pairwise(widths))


def test_what_is_not_separated_says_how_many_hands_are_missing():
    best = only(graded(students=["name04"]))
    assert best.verdict == NOT_SEPARATED
    missing = best.hands * ((best.error / best.gap) ** 2 - 1)
    assert best.more_hands == pytest.approx(missing, abs=1)
    assert only(graded(students=["name11"])).more_hands == 0


def test_a_few_blocks_decide_nothing_however_clear_they_look():
    found = only(graded(always("a", "b", "c", "d", blocks=4, hands=20), _roster("abcd"), ["d"],
                        students=["a"]))  # fmt: skip
    assert found.verdict == NOT_SEPARATED
    assert FEW_BLOCKS in found.note
    assert found.more_hands == 20


def _roster(letters):
    return tuple(Entrant(letter, letter, letter) for letter in letters)


def test_always_ahead_of_everybody_passes_by_its_bound():
    found = only(graded(always("a", "b", "c", blocks=30), _roster("abc"), ["b"], students=["a"]))
    assert found.verdict == AHEAD
    assert found.low > 0
    assert found.high is None
    assert found.superiority is None
    assert ALWAYS_AHEAD in found.note


def test_always_behind_everybody_fails_by_its_bound():
    found = only(graded(always("a", "b", "c", blocks=30), _roster("abc"), ["b"], students=["c"]))
    assert found.verdict == BEHIND
    assert found.high < 0
    assert found.low is None
    assert ALWAYS_BEHIND in found.note


def circles(*orders, blocks=10):
    """Blocks in which each order of finish comes up equally often."""
    return [hand(*order, block=f"{order}{i}") for i in range(blocks) for order in orders]


def test_two_broken_students_that_beat_each_other_are_both_behind_and_change_no_other_grade():
    sound = circles("abc", "bca", "cab", "acb")
    broken = [hand(top, low, block=f"{top}{low}{i}") for top in "abc" for low in "xy"
              for i in range(9)]  # fmt: skip
    hands = [*sound, *broken, *circles("xy", "yx")]
    found = {g.student: only([g]) for g in graded(hands, _roster("abcxy"), ["a"])}
    before = {g.student: only([g]) for g in graded(sound, _roster("abc"), ["a"])}
    for student in "xy":
        assert (found[student].verdict, found[student].low) == (BEHIND, None)
        assert ALWAYS_BEHIND in found[student].note
    for student in "bc":
        assert found[student].gap == pytest.approx(before[student].gap)
        assert found[student].error == pytest.approx(before[student].error)


def test_bots_of_one_broken_component_are_compared_by_their_own_hands():
    hands = [*circles("abc", "bca", "cab"), *circles("xy", "yx", "xy")]
    hands += [hand("a", low, block=f"{low}{i}") for low in "xy" for i in range(9)]
    found = only(graded(hands, _roster("abcxy"), ["y"], students=["x"]))
    assert found.low < 0 < found.gap < found.high
    assert found.superiority > 0.5


def test_always_ahead_of_a_benchmark_that_is_always_ahead_of_the_rest():
    hands = circles("abc", "bca", "cab")
    hands += [hand("m", low, block=f"{low}{i}") for low in "abc" for i in range(9)]
    hands += [hand("s", "m", block=f"s{i}") for i in range(40)]
    found = only(graded(hands, _roster("abcms"), ["m"], students=["s"]))
    assert (found.verdict, found.high) == (AHEAD, None)
    other = only(graded(hands, _roster("abcms"), ["s"], students=["m"]))
    assert (other.verdict, other.low) == (BEHIND, None)


def test_an_unbroken_record_that_is_short_is_not_enough():
    hands = [*always("a", "b", blocks=5), *[hand("b", "c", block=f"x{i}") for i in range(20)]]
    hands += [hand("c", "b", block=f"y{i}") for i in range(20)]
    found = only(graded(hands, _roster("abc"), ["b"], students=["a"], confidence=0.999))
    assert found.verdict == NOT_SEPARATED
    assert found.low < 0
    assert found.more_hands > 0


def test_a_bound_holds_as_often_as_it_says():
    """A bot with a true chance of 1/2 that won all of five hands is within its two-sided bound at
    95 % (the chance was 3 %), and with six it is not (1.6 %)."""
    steady = [hand("b", "c", block=f"x{i}") for i in range(2000)]
    steady += [hand("c", "b", block=f"y{i}") for i in range(2000)]
    lows = [
        only(graded([*steady, *always("a", "b", blocks=n)], _roster("abc"), ["b"],
                    students=["a"])).low
        for n in (5, 6)
    ]  # fmt: skip
    assert lows[0] < 0 < lows[1]


def test_bots_that_never_met_are_not_separated_and_it_is_said_so():
    hands = [*always("a", "b", blocks=9), *[hand("c", "d", block=f"x{i}") for i in range(9)]]
    found = only(graded(hands, _roster("abcd"), ["d"], students=["a"]))
    assert (found.verdict, found.gap, found.note) == (NOT_SEPARATED, None, NEVER_MET)
    assert found.hands == 9


def test_a_bot_without_a_hand_is_not_separated():
    found = only(graded(HANDS, (*ENTRANTS, Entrant("late", "late", "late")), students=["late"]))
    assert (found.verdict, found.hands, found.note) == (NOT_SEPARATED, 0, NO_HANDS)


def test_faults_are_counted():
    hands = [*HANDS, settle(["bot11", "bot05"], [1, 2], block="x", pool="test/4", faults=["bot11"])]
    assert only(graded(hands, students=["name11"])).faults == 1


def test_a_bot_that_fails_in_every_hand_is_behind():
    bots = ["a", "b", "c"]
    hands = [
        settle(bots, [1, 2 + n % 2, 3 - n % 2], block=f"b{n}", pool="p", faults=["a"])
        for n in range(20)
    ]
    found = only(graded(hands, _roster("abc"), ["b"], students=["a"]))
    assert (found.verdict, found.faults) == (BEHIND, 20)


def test_an_owner_of_several_bots_is_graded_by_the_best_and_more_strictly():
    entrants = [e._replace(owner="team") if e.bot in ("bot00", "bot08") else e for e in ENTRANTS]
    (grade,) = graded(entrants=entrants, students=["team"])
    (mark,) = grade.marks
    assert [found.name for found in mark.comparisons] == ["name08", "name00"]
    assert mark.best.confidence == pytest.approx(0.975)
    alone = only(graded(students=["owner08"]))
    assert mark.best.error > alone.error
    (picked,) = graded(entrants=entrants, students=["name08"])
    assert picked.marks[0].comparisons == (mark.best,)


def test_house_bots_and_benchmarks_are_no_students():
    entrants = [e._replace(name="house-1", owner="") if e.bot == "bot03" else e for e in ENTRANTS]
    found = graded(entrants=entrants, benchmarks=["name05", "name11"])
    assert len(found) == 9
    assert [mark.benchmark for mark in found[0].marks] == ["name05", "name11"]


def test_points_go_by_the_verdict_and_by_the_benchmark():
    points = [Points(10, 5, 0), Points(4, 1, 1)]
    found = {g.student: g for g in graded(benchmarks=["bot05", "bot10"], points=points)}
    assert (found["owner11"].marks[0].points, found["owner11"].most) == (10, 14)
    assert found["owner00"].points == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"benchmarks": ["nobody"]}, "benchmark is 'nobody'"),
        ({"benchmarks": []}, "benchmarks is 0"),
        ({"benchmarks": ["bot05", "name05"]}, "each once"),
        ({"students": ["nobody"]}, "student is 'nobody'"),
        ({"students": ["name05"]}, "no benchmark"),
        ({"confidence": 0.3}, "confidence is 30.0; expected 50 to"),
        ({"confidence": float("nan")}, "confidence"),
        ({"points": [Points(1, 2, 0)]}, "points is '1,2,0'"),
        ({"points": [Points(1, 0, -1)]}, "points"),
        ({"points": [Points()] * 2}, "one for each of 1"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(BadInput) as error:
        graded(**options)
    assert said in str(error.value)


def test_a_name_that_several_bots_have_must_be_told_by_id():
    entrants = [e._replace(name="twin") if e.bot in ("bot00", "bot05") else e for e in ENTRANTS]
    with pytest.raises(BadInput, match="bot00, bot05"):
        graded(entrants=entrants, benchmarks=["twin"])
    assert len(graded(entrants=entrants, benchmarks=["bot05"])) == 11


def test_the_order_of_hands_and_entrants_changes_no_byte():
    one = grades_csv(graded())
    assert one == grades_csv(graded(HANDS[::-1], ENTRANTS[::-1]))


def test_the_table_has_a_row_for_each_student():
    text = grades_table(graded())
    assert len(text.splitlines()) == 12
    assert "not separated" in text
    assert any("95 %" in line for line in notices(graded()))


def test_the_csv_is_quoted_and_runs_no_formula():
    entrants = [
        e._replace(name='=SUM(A1), "x"', owner="@mallory\n") if e.bot == "bot11" else e
        for e in ENTRANTS
    ]
    text = grades_csv(graded(entrants=entrants))
    records = list(csv.DictReader(io.StringIO(text)))
    assert len(records) == 11
    mallory = next(r for r in records if r["bot"] == "bot11")
    assert mallory["name"] == '\'=SUM(A1), "x"'
    assert mallory["student"].startswith("'@mallory")
    assert "\n" not in mallory["student"]
    assert (mallory["verdict"], mallory["points"], mallory["max_points"]) == ("ahead", "1.0", "1.0")
    assert float(mallory["gap_low"]) > 0
    assert mallory["counts"] == "true"


def test_gradescope_gets_its_documented_format():
    (grade,) = graded(benchmarks=["bot05", "bot10"], students=["owner11"], points=[Points(5, 2, 0)])
    document = gradescope_document(grade, visibility="after_due_date")
    assert json.loads(json.dumps(document)) == document
    assert set(document) <= {
        *("score", "execution_time", "output", "output_format", "test_output_format"),
        *("test_name_format", "visibility", "stdout_visibility", "extra_data", "tests"),
        "leaderboard",
    }
    assert "score" not in document
    assert document["visibility"] == "after_due_date"
    for number, test in enumerate(document["tests"], 1):
        assert set(test) <= {
            *("score", "max_score", "status", "name", "name_format", "number", "output"),
            *("output_format", "tags", "visibility", "extra_data"),
        }
        assert test["status"] in ("passed", "failed")
        assert 0 <= test["score"] <= test["max_score"] == 5.0
        assert test["number"] == str(number)
        assert test["output"]
    assert document["tests"][0]["status"] == "passed"
    assert document["tests"][0]["name"] == "name11 against name05"


def test_the_leaderboard_of_gradescope_is_only_there_if_wanted():
    (grade,) = graded(students=["owner11"])
    assert "leaderboard" not in gradescope_document(grade)
    (column,) = gradescope_document(grade, leaderboard=rate(HANDS))["leaderboard"]
    assert column["name"] == "Elo"
    assert column["value"] > 1600


def test_the_document_holds_every_comparison():
    document = grades_document(graded())
    assert len(document["students"]) == 11
    first = document["students"][0]["benchmarks"][0]
    assert first["benchmark"] == "name05"
    assert first["bots"][0]["confidence_percent"] == 95.0


def test_a_tie_in_every_hand_is_not_separated():
    hands = [HandResult(f"b{i}", "p", ("a", "b"), (1, 1)) for i in range(50)]
    found = only(graded(hands, _roster("ab"), ["a"]))
    assert (found.verdict, found.more_hands) == (NOT_SEPARATED, None)
    assert abs(found.gap) < 1e-6
