"""The autograder, as a grading machine would run it, in a folder tree that stands in for one."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from arena.cli.autograding.assignment import Assignment, read_assignment, written
from arena.cli.autograding.bundle import package_files, workflow_text
from arena.cli.autograding.grading import BenchmarkResult, best_and_worst, results_document
from arena.confinement.limits import Limits
from arena.errors import BadInput
from arena.tournament import sprt
from tests.cli.shell import ROOT, arena, environment

pytestmark = pytest.mark.server

LOWEST = (ROOT / "sample_bots" / "lowest.py").read_text()
BROKEN = """
from arena.client import Bot, run

class Broken(Bot):
    def play(self, turn):
        raise ValueError("no such card in my book")

if __name__ == "__main__":
    run(Broken())
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder tree as on a grading machine: source with the bundle unpacked, an empty submission.

    In place of what `setup.sh` installs there is the Python of these tests.
    """
    bundle = tmp_path / "autograder.zip"
    words = ("--benchmark", "random_bot", "--hands", "40", "--hands-per-table", "4")
    done = arena("autograder", "make", *words, "-o", str(bundle))
    assert done.returncode == 0, done.stderr
    assert "upload it" in done.stdout
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "source")
    home = tmp_path / "source" / "venv"
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    places = (str(tmp_path / "source"), sysconfig.get_path("purelib"))
    (packages / "arena.pth").write_text("\n".join(places))
    (tmp_path / "submission").mkdir()
    return tmp_path


def graded(machine: Path, bot: str) -> dict[str, Any]:
    """The results of a submission."""
    (machine / "submission" / "bot.py").write_text(bot)
    done = subprocess.run(
        ["bash", str(machine / "source" / "run_autograder")],
        env=environment(AUTOGRADER_ROOT=str(machine)),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads((machine / "results" / "results.json").read_text())
    return results


@pytest.mark.skipif(os.name != "posix", reason="the bundle's scripts are shell scripts")
def test_a_good_submission_gets_its_points_and_two_replays(machine: Path) -> None:
    results = graded(machine, LOWEST)
    (test,) = results["tests"]
    assert (test["status"], test["score"], test["max_score"]) == ("passed", 100.0, 100.0)
    assert results["score"] == 100.0
    assert "You are A, random_bot is B" in test["output"]
    assert "A is better." in test["output"]
    assert results["output"].count("Your best hand: match-r") == 1
    assert results["output"].count("Your worst hand: match-r") == 1
    assert "    you: " in results["output"]


@pytest.mark.skipif(os.name != "posix", reason="the bundle's scripts are shell scripts")
def test_a_broken_submission_is_told_what_is_wrong_with_it(machine: Path) -> None:
    few = Assignment(benchmarks=("random_bot",), hands=4, hands_per_table=2)
    (machine / "source" / "assignment.json").write_text(written(few))
    (test,) = graded(machine, BROKEN)["tests"]
    assert "errors in its own code" in test["output"]
    assert "no such card in my book" in test["output"]
    (test,) = graded(machine, "import sys; sys.exit('no opening book')")["tests"]
    assert (test["status"], test["score"]) == ("failed", 0.0)
    assert "no opening book" in test["output"]


@pytest.mark.skipif(os.name != "posix", reason="the bundle's scripts are shell scripts")
def test_a_submission_of_another_name_is_told_the_right_one(machine: Path) -> None:
    (machine / "submission" / "my_bot.py").write_text(LOWEST)
    done = arena(
        *("autograder", "run", "--assignment", str(machine / "source" / "assignment.json")),
        *("--submission", str(machine / "submission"), "--results", str(machine / "r.json")),
        "--must-win",
    )
    assert done.returncode == 1
    (test,) = json.loads((machine / "r.json").read_text())["tests"]
    assert test["output"] == "There is no file bot.py; there is: my_bot.py."


@pytest.mark.skipif(os.name != "posix", reason="the bundle's scripts are shell scripts")
def test_the_same_submission_gets_the_same_grade_and_the_same_hands(
    machine: Path, tmp_path: Path
) -> None:
    assignment = Assignment(benchmarks=("lowest",), hands=8, hands_per_table=2)
    (machine / "source" / "assignment.json").write_text(written(assignment))
    bot = (ROOT / "sample_bots" / "heuristic.py").read_text()
    assert graded(machine, bot) == graded(machine, bot)


def test_the_bundle_is_the_same_to_the_byte_and_its_scripts_can_be_run(tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        words = ("--benchmark", "lowest", "-o", str(tmp_path / name), "--json")
        assert json.loads(arena("autograder", "make", *words).stdout)["zip"].endswith(name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        names = archive.namelist()
        modes = {n: archive.getinfo(n).external_attr >> 16 & 0o777 for n in names}
        requirements = archive.read("requirements.txt").decode()
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert {"arena/schemas/turn.schema.json", "arena/sample_bots/lowest.py"} <= set(names)
    assert "requests" in requirements
    assert "pytest" not in requirements


def test_the_scripts_are_shell_scripts_without_a_fault(tmp_path: Path) -> None:
    words = ("--benchmark", "lowest", "--github", str(tmp_path))
    assert arena("autograder", "make", *words).returncode == 0
    for script in ("setup.sh", "run_autograder"):
        done = subprocess.run(["bash", "-n", str(tmp_path / ".autograder" / script)], check=False)
        assert done.returncode == 0


def test_the_workflow_has_a_step_for_each_benchmark() -> None:
    yaml = pytest.importorskip("yaml")
    text = workflow_text(Assignment(benchmarks=("lowest", "heuristic"), points=60))
    steps = yaml.safe_load(text)["jobs"]["autograding"]["steps"]
    grading = [step for step in steps if "command-grader" in step.get("uses", "")]
    assert [step["with"]["max-score"] for step in grading] == [30, 30]
    assert "--only heuristic" in grading[1]["with"]["command"]
    (reporter,) = [step for step in steps if "grading-reporter" in step.get("uses", "")]
    assert reporter["with"]["runners"] == "benchmark-1,benchmark-2"
    assert reporter["env"]["BENCHMARK-2_RESULTS"] == "${{steps.benchmark-2.outputs.result}}"


def test_a_bundle_of_an_installed_arena_has_each_file_once(tmp_path: Path) -> None:
    """In a wheel schemas and sample bots are within the package, in a checkout beside it."""
    package = tmp_path / "arena"
    for name in ("cli/main.py", "schemas/turn.schema.json", "sample_bots/lowest.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("x", encoding="utf-8")
    installed = [str(file.path) for file in package_files(package)]
    assert sorted(installed) == [
        "arena/cli/main.py",
        "arena/sample_bots/lowest.py",
        "arena/schemas/turn.schema.json",
    ]
    here = [str(file.path) for file in package_files()]
    assert {"arena/schemas/turn.schema.json", "arena/sample_bots/lowest.py"} <= set(here)
    assert len(set(here)) == len(here)


def test_a_benchmark_of_ones_own_travels_in_the_bundle(tmp_path: Path) -> None:
    (tmp_path / "teacher.py").write_text(LOWEST)
    words = ("--benchmark", str(tmp_path / "teacher.py"), "-o", str(tmp_path / "a.zip"))
    assert arena("autograder", "make", *words).returncode == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.read("benchmarks/teacher.py").decode() == LOWEST
        assert json.loads(archive.read("assignment.json"))["benchmarks"] == ["teacher.py"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--benchmark", "nobody"), "benchmark is 'nobody'; expected a sample bot"),
        (("--benchmark", "lowest", "--benchmark", "lowest"), "expected one or more different bots"),
        (("--benchmark", "lowest", "--file", "../x.py"), "file is '../x.py'"),
        (("--benchmark", "lowest", "--hands", "0"), "hands is 0; expected a whole number"),
        (("--benchmark", "lowest", "--partial", "2"), "partial is 2.0; expected a number from 0"),
        (("--benchmark", "missing.py"), "benchmark is 'missing.py'; expected a readable file"),
    ],
)
def test_an_assignment_that_is_none_is_refused(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = arena("autograder", "make", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_assignment_is_read_as_it_was_written(tmp_path: Path) -> None:
    assignment = Assignment(
        benchmarks=("lowest",), limits=Limits(cpu_s=60), ruleset={"preset": "ru"}
    )
    (tmp_path / "a.json").write_text(written(assignment))
    assert read_assignment(tmp_path / "a.json") == assignment
    (tmp_path / "a.json").write_text('{"benchmarks": ["lowest"], "hand": 3}')
    with pytest.raises(BadInput, match="member of the assignment is 'hand'"):
        read_assignment(tmp_path / "a.json")


def test_where_nothing_was_played_there_is_no_replay() -> None:
    assert best_and_worst([], "lowest") == []
    results = [BenchmarkResult("lowest", "", 0.0, 50.0, ("no",), ())]
    document = results_document(results)
    assert document["output"] == "There is no hand to look at."
    assert document["extra_data"] == {"verdicts": {"lowest": "not played"}}
    assert sprt.BETTER not in document["extra_data"]["verdicts"].values()
