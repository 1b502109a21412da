"""Node.js for tests: what the functions of `verify_record.mjs` answer, and what the program prints.

Where there is no node tests skip; with TESTS_NEED_SERVERS set they fail instead.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "sample_bots" / "verify_record.mjs"
PATIENCE_S = 120
EVALUATE = f"""
import * as of from {json.dumps(PROGRAM.as_uri())};
import {{ readFileSync }} from "node:fs";
Object.assign(globalThis, of);
const answers = [];
for (const [text, values] of JSON.parse(readFileSync(0, "utf-8"))) {{
  const evaluated = new Function(...Object.keys(values), `return ${{text}}`);
  const answer = await evaluated(...Object.values(values));
  answers.push(answer instanceof Uint8Array ? hex(answer) : answer ?? null);
}}
console.log(JSON.stringify(answers));
"""


def node() -> str:
    """The path of node; the test skips where there is none."""
    found = shutil.which("node")
    if found is None and os.environ.get("TESTS_NEED_SERVERS"):
        pytest.fail("TESTS_NEED_SERVERS is set, and the program node is not there")
    if found is None:
        pytest.skip("needs node")
    return found


def evaluate(expressions: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """What expressions in JavaScript are, each with the values of its names; bytes as hex."""
    done = subprocess.run(
        [node(), "--input-type=module", "--eval", EVALUATE],
        input=json.dumps(list(expressions)),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The program, with what it was called with."""
    return subprocess.run(
        [node(), PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def outcomes(*arguments: str | Path) -> dict[str, Any]:
    """What the program finds in files, by their paths."""
    answer: dict[str, Any] = json.loads(run("--json", *arguments).stdout)
    return answer
