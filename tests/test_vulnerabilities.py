"""The step that asks for known vulnerabilities: found, none, or clearly not checked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.server

ROOT = Path(__file__).parent.parent
STEP = ROOT / ".ci" / "vulnerabilities.py"
SOUND = {"name": "flask", "version": "3.1.3", "vulns": []}
BROKEN = {
    "name": "werkzeug",
    "version": "1.0.0",
    "vulns": [{"id": "PYSEC-2023-57", "fix_versions": ["2.2.3"], "aliases": []}],
}
UNMENDED = {"name": "click", "version": "1.0", "vulns": [{"id": "GHSA-x", "fix_versions": []}]}
SKIPPED = {"name": "idna", "skip_reason": "Dependency not found on PyPI and could not be audited"}


def step(
    folder: Path, *, output: str = "", errors: str = "", code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run the step with a pip-audit that says this; it also notes what it was asked."""
    program = folder / "pip_audit.py"
    program.write_text(
        "import sys\n"
        f"open({str(folder / 'asked')!r}, 'w').write(' '.join(sys.argv[1:]))\n"
        f"sys.stdout.write({output!r})\nsys.stderr.write({errors!r})\nsys.exit({code})\n"
    )
    return run(str(folder / "requirements.txt"), "--program", sys.executable, str(program))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(STEP), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("flask==3.1.3 --hash=sha256:00\n")
    return tmp_path


def report(*entries: dict[str, Any]) -> str:
    return json.dumps({"dependencies": entries, "fixes": []})


def test_nothing_known_is_said_with_the_number_that_was_looked_up(folder: Path) -> None:
    done = step(folder, output=report(SOUND, SOUND))
    assert done.stdout == "2 dependencies were checked for known vulnerabilities\n"
    assert done.returncode == 0
    asked = (folder / "asked").read_text()
    assert "--require-hashes" in asked
    assert asked.endswith(f"--requirement {folder / 'requirements.txt'}")


def test_what_is_known_is_listed_and_fails(folder: Path) -> None:
    done = step(folder, output=report(SOUND, BROKEN, UNMENDED), errors="Found 2", code=1)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "known vulnerability: werkzeug 1.0.0: PYSEC-2023-57 (mended in 2.2.3)",
        "known vulnerability: click 1.0: GHSA-x (mended in no version yet)",
        "3 dependencies were checked for known vulnerabilities",
    ]


def test_a_service_that_knows_nothing_is_no_good_news(folder: Path) -> None:
    """pip-audit itself says "No known vulnerabilities found" then, with exit code 0."""
    done = step(folder, output=report(SKIPPED, SKIPPED), errors="No known vulnerabilities found")
    assert done.returncode == 0
    assert done.stdout == (
        "dependencies were NOT checked for known vulnerabilities: "
        "Dependency not found on PyPI and could not be audited (and 1 more)\n"
    )


def test_what_was_left_out_is_said_beside_what_was_found(folder: Path) -> None:
    done = step(folder, output=report(BROKEN, SKIPPED), code=1)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("some dependencies were NOT checked")


@pytest.mark.parametrize(
    ("output", "errors", "reason"),
    [
        ("", "Traceback\nConnectionError: no route", "ConnectionError: no route"),
        ("", "", "pip-audit said nothing"),
        ("{}", "", "{}"),
        ('{"dependencies": [{"name": "x"}]}', "", '{"dependencies": [{"name": "x"}]}'),
        (report(), "", "the file names no dependencies"),
    ],
)
def test_without_an_answer_it_says_that_nothing_was_checked_and_goes_on(
    folder: Path, output: str, errors: str, reason: str
) -> None:
    done = step(folder, output=output, errors=errors, code=1)
    assert done.returncode == 0
    told = f"dependencies were NOT checked for known vulnerabilities: {reason}\n"
    assert done.stdout == told


def test_a_program_that_is_not_there_is_a_reason_too(folder: Path) -> None:
    done = run(str(folder / "requirements.txt"), "--program", str(folder / "nothing"))
    assert done.returncode == 0
    assert "NOT checked for known vulnerabilities: pip-audit did not run" in done.stdout


def test_a_file_that_is_not_there_is_an_error() -> None:
    done = run("nothing.txt")
    assert done.returncode == 2
    assert "nothing.txt is not a file" in done.stderr


def test_it_is_a_step_of_what_has_to_hold() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ".ci/vulnerabilities.py arena/deploy/constraints.txt" in text
