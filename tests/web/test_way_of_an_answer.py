"""How long the way of one answer is: what somebody has to read who wants to know all of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MOST_FUNCTIONS = 132
MOST_FILES = 46
"""These only shrink. `python -m tests.web.way` lists what there is. They grew by what the proof of
moves needs: a step is put together as it is hashed, it is hashed, and the answer has its hash."""


@pytest.mark.server
def test_an_answer_passes_no_more_functions_and_files_than_it_did() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "tests.web.way"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    way = [tuple(line.split(" ", 1)) for line in listed.splitlines()]
    files = {file for file, _ in way}
    assert {"web/api/bots.py", "referee/answers.py", "rules/decide.py", "store/sqlite.py"} <= files
    assert len(way) <= MOST_FUNCTIONS, listed
    assert len(files) <= MOST_FILES, "\n".join(sorted(files))
