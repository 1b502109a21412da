"""The bundle: everything that a grading machine needs; a zip for Gradescope, files for GitHub.

Gradescope runs `setup.sh` once and `run_autograder` for each submission, in /autograder with the
folders source, submission and results (gradescope-autograders.readthedocs.io, "Autograder
specifications"). Its containers have ten minutes, half a core and 768 MB unless more is asked for.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from arena import resources
from arena.cli.autograding.assignment import FOLDER, Assignment, written
from arena.errors import BadInput, Unavailable

DISTRIBUTION = "daifugo-arena"
GITHUB = ".autograder"
EXECUTABLE = 0o755
PLAIN = 0o644
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same assignment gives the same bundle, to the byte."""

SETUP = """\
#!/usr/bin/env bash
# Once, when the machine is made: a Python of 3.11 or newer, the arena's packages, and bubblewrap,
# in which submissions run where the machine allows it.
set -euo pipefail
cd "$(dirname "$0")"
find_python() {
    for name in python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \\
                2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq || true
    apt-get install -y -qq --no-install-recommends bubblewrap || true
    find_python >/dev/null || apt-get install -y -qq python3.12 python3.12-venv \\
        || apt-get install -y -qq python3.11 python3.11-venv
fi
python=$(find_python) || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
"$python" -m venv venv
venv/bin/pip install -q -r requirements.txt
venv/bin/python - <<'END'
import pathlib, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "arena.pth").write_text(str(pathlib.Path.cwd()))
END
"""

RUN = """\
#!/usr/bin/env bash
# For each submission: play it, write results.json. AUTOGRADER_ROOT is for trying it elsewhere.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
mkdir -p "$root/results"
exec "$root/source/venv/bin/python" -m arena.cli autograder run \\
    --assignment "$root/source/assignment.json" \\
    --submission "$root/submission" --results "$root/results/results.json"
"""

WORKFLOW = """\
name: Autograding
on: [push, workflow_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  autograding:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: sudo apt-get install -y bubblewrap || true
      - run: bash {folder}/setup.sh
{steps}\
      - uses: classroom-resources/autograding-grading-reporter@v1
        env:
{environment}\
        with:
          runners: {runners}
"""

STEP = """\
      - id: {id}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: Against {benchmark}
          command: >-
            {folder}/venv/bin/python -m arena.cli autograder run --must-win
            --assignment {folder}/assignment.json --submission . --only {benchmark}
            --results {folder}/results-{number}.json
          timeout: {minutes}
          max-score: {points}
"""


class BundledFile(NamedTuple):
    """A file of a bundle. mode: its permissions."""

    path: PurePosixPath
    content: bytes
    mode: int = PLAIN


def bundle(assignment: Assignment, benchmark_files: Sequence[Path]) -> Iterator[BundledFile]:
    """The files of an assignment. benchmark_files: bots that are not the arena's own."""
    yield BundledFile(PurePosixPath("setup.sh"), SETUP.encode(), EXECUTABLE)
    yield BundledFile(PurePosixPath("run_autograder"), RUN.encode(), EXECUTABLE)
    yield BundledFile(PurePosixPath("assignment.json"), written(assignment).encode())
    yield BundledFile(PurePosixPath("requirements.txt"), "".join(_requirements()).encode())
    for file in benchmark_files:
        yield BundledFile(PurePosixPath(FOLDER, file.name), _bytes(file))
    yield from package_files()


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInput("benchmark", str(file), f"a readable file ({error.strerror})") from error


def _requirements() -> Iterator[str]:
    """What the arena needs, by its own installation."""
    try:
        needed = requires(DISTRIBUTION) or []
    except PackageNotFoundError as error:
        raise Unavailable(
            "the arena is not installed (pip install), so its needs are unknown"
        ) from (error)
    yield from (f"{each}\n" for each in needed if "extra ==" not in each)


def package_files(package: Path = resources.HERE) -> Iterator[BundledFile]:
    """The arena itself, as it is in a wheel: schemas and sample bots within it.

    package: the folder of the package `arena`; in a wheel they are in it already.
    """
    beside = [
        resources.folder(name, package=package)
        for name in (resources.SCHEMAS, resources.SAMPLE_BOTS)
    ]
    for root in (package, *(folder for folder in beside if folder.parent != package)):
        base = PurePosixPath("arena") if root == package else PurePosixPath("arena", root.name)
        for file in sorted(root.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                path = base / file.relative_to(root).as_posix()
                yield BundledFile(path, file.read_bytes())


def write_zip(target: Path, files: Iterator[BundledFile]) -> int:
    """Write a bundle for Gradescope; returns its number of files."""
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(str(file.path), EPOCH)
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.content)
            count += 1
    return count


def write_template(repository: Path, assignment: Assignment, files: Iterator[BundledFile]) -> None:
    """Write a bundle and its workflow into the template repository of a GitHub Classroom."""
    for file in files:
        target = repository / GITHUB / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(file.mode)
    workflow = repository / ".github" / "workflows" / "classroom.yml"
    workflow.parent.mkdir(parents=True, exist_ok=True)
    workflow.write_text(workflow_text(assignment), encoding="utf-8")


def workflow_text(assignment: Assignment) -> str:
    """The workflow: a step for each benchmark, passed if the submission is shown to be better."""
    numbers = range(1, len(assignment.benchmarks) + 1)
    share = round(assignment.points / len(assignment.benchmarks))
    minutes = max(1, -(-assignment.budget_s // 60) + 1)
    steps = [
        STEP.format(
            id=f"benchmark-{number}",
            number=number,
            benchmark=benchmark,
            folder=GITHUB,
            minutes=minutes,
            points=share,
        )
        for number, benchmark in zip(numbers, assignment.benchmarks, strict=True)
    ]
    environment = [
        f'          BENCHMARK-{n}_RESULTS: "${{{{steps.benchmark-{n}.outputs.result}}}}"\n'
        for n in numbers
    ]
    return WORKFLOW.format(
        folder=GITHUB,
        steps="".join(steps),
        environment="".join(environment),
        runners=",".join(f"benchmark-{n}" for n in numbers),
    )
