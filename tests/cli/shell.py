"""Running `arena` as a person does: as a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).parent.parent.parent
ARENA = (sys.executable, "-m", "arena.cli")
PATIENCE_S = 120


def environment(**more: str) -> dict[str, str]:
    """The environment of a command: nothing of an arena but what is given."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("ARENA_")}
    return plain | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"} | more


def arena(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*ARENA, *arguments],
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


class Served:
    """A running `arena serve`: its process, its URL, and the token it printed (or "")."""

    def __init__(self, process: subprocess.Popen[str], url: str, token: str) -> None:
        self.process = process
        self.url = url
        self.token = token


@contextmanager
def served(database: str, *, first: bool = True, more: tuple[str, ...] = ()) -> Iterator[Served]:
    """`arena serve` on a free port; first: a new database, whose first token is printed."""
    flags = ["--port", "0", "--log-level", "warning", *(["--print-token"] if first else []), *more]
    process = subprocess.Popen(
        [*ARENA, "serve", "--database", database, *flags],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = re.search(r"http://\S+", process.stdout.readline())
        assert url, process.communicate(timeout=PATIENCE_S)
        token = ""
        if first:
            found = re.search(r"dfaadm_\S+", process.stdout.readline())
            assert found
            token = found.group()
            process.stdout.readline()
        yield Served(process, url.group(), token)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def check_shape(document: Any, name: str) -> None:
    """Does what a command printed with `--json` fit its schema in `schemas/commands`?"""
    folder = ROOT / "schemas"
    files = {str(file.relative_to(folder)): file for file in folder.rglob("*.schema.json")}
    registry: Registry[Any] = Registry().with_resources(
        (place, Resource.from_contents(json.loads(file.read_bytes())))
        for place, file in files.items()
    )
    schema = json.loads(files[f"commands/{name}.schema.json"].read_bytes())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema, registry=registry).validate(document)
