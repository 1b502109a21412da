"""The fenced blocks of a page, and pages that are run: files written, commands executed in order.

What a block is, its first line says: a language, and a name. In a page that is run

    python, toml or sh FILE     is written as FILE
    json SCHEMA                 fits that schema; the commands before it print one with its members
    sh                          is executed, and ends with exit code 0
    sh server                   is executed in the background, and answers at ADDRESS
    sh background               is executed in the background, line by line
    sh once                     is not executed: it installs something, or needs another machine
    text                        is what the commands before it print, but for numbers
    text part                   the same, but only its first line has to be there
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.shell import environment
from tests.manual.pages import named, text
from tests.ports import free_port

ADDRESS = "127.0.0.1:8000"
HEALTH = f"http://{ADDRESS}/healthz"
TOKEN = "dfaadm_..."
KEPT_TOKEN = """kept_token() {
  for _ in $(seq 300); do [ -s "$(ls *.organiser-token 2>/dev/null)" ] && break; sleep 0.1; done
  cat *.organiser-token
}"""
"""An arena answers a moment before it has written the token of its organiser."""
PATIENCE_S = 480
FENCE = re.compile(r"^```(\S*) ?(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_BACKGROUND = ("server", "background")
NOT_RUN = "once"
PROGRAMS = {"arena": "-m arena.cli", "python": "", "python3": ""}


class Block(NamedTuple):
    """A fenced block. line: of its fence, from 1."""

    page: Path
    line: int
    language: str
    name: str
    text: str

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{named(self.page)}:{self.line}"

    @property
    def is_file(self) -> bool:
        """Is it written as a file?"""
        return "." in self.name and self.language != "text"


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    """All blocks of a page, in order."""
    whole = text(page)
    return tuple(
        Block(page, whole.count("\n", 0, found.start()) + 1, *found.groups())
        for found in FENCE.finditer(whole)
    )


def run_page(page: Path, folder: Path) -> str:
    """Do what a page says, in a folder -> what its commands printed. What goes wrong is raised."""
    programs = folder / "programs"
    programs.mkdir()
    for name, arguments in PROGRAMS.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
        program.chmod(0o755)
    work = folder / "work"
    work.mkdir()
    for block in blocks(page):
        if block.is_file:
            (work / block.name).write_text(block.text, encoding="utf-8")
    return _bash(_script(page), work, programs)


def _script(page: Path) -> str:
    """The commands of a page as one script, which stops at the first that fails."""
    address = f"127.0.0.1:{free_port()}"
    lines = ["set -euo pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT"]
    for block in blocks(page):
        if block.language not in ("sh", "bash") or block.is_file or block.name == NOT_RUN:
            continue
        lines.append(f"echo '--- {block.place}' >&2")
        if block.name in IN_BACKGROUND:
            lines += _in_background(block)
        else:
            lines.append(block.text)
        if block.name == "server":
            lines.append(f"curl -sf --retry 60 --retry-delay 1 --retry-connrefused {HEALTH} >&2")
    script = "\n".join([KEPT_TOKEN, *lines])
    port = address.partition(":")[2]
    script = script.replace("arena serve ", f"arena serve --port {port} ")
    return script.replace(ADDRESS, address).replace(TOKEN, "$(kept_token)")


def _in_background(block: Block) -> list[str]:
    """Each line as a process of its own, which can be stopped."""
    commands = [line.partition("  #")[0] for line in block.text.splitlines() if line.strip()]
    log = f"{block.name}-{block.line}"
    return [f"(exec env {each}) >{log}-{n}.log 2>&1 &" for n, each in enumerate(commands)]


def _bash(script: str, work: Path, programs: Path) -> str:
    env = environment()
    env["PATH"] = f"{programs}:{env['PATH']}"
    process = subprocess.Popen(
        ["bash", "-c", script],
        cwd=work,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        printed, said = process.communicate(timeout=PATIENCE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it has left running
    logs = "".join(f"\n{log.name}\n{log.read_text()}" for log in work.glob("*.log"))
    assert process.returncode == 0, f"{said}\n{printed}{logs}"
    return printed


def shape(line: str) -> str:
    """A line without what differs from time to time: numbers, spaces, signs, random ids."""
    line = re.sub(r"\b(b-|dfa_)\w+", r"\1x", line)
    return re.sub(r"[\s+-]+", " ", re.sub(r"\d[\d.,]*", "0", line)).strip()


def check_outputs(page: Path, printed: str) -> None:
    """Are the outputs that a page shows such as were printed?"""
    there = {shape(line) for line in printed.splitlines()}
    for block in blocks(page):
        if block.language == "text" and block.name in ("", "part"):
            shown = [line for line in block.text.splitlines() if line.strip()]
            for line in shown[:1] if block.name else shown:
                assert shape(line) in there, f"{block.place}: {line!r} was not printed"

    printed_documents = list(documents_in(printed))
    for block in blocks(page):
        if block.language == "json":
            kind = kind_of(json.loads(block.text))
            assert kind in map(kind_of, printed_documents), f"{block.place} was not printed"


def documents_in(printed: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in what was printed; `curl` ends none with a line break."""
    decoder, place = json.JSONDecoder(), printed.find('{"')
    while place >= 0:
        document, end = decoder.raw_decode(printed, place)
        yield document
        place = printed.find('{"', end)


def kind_of(document: dict[str, Any]) -> tuple[frozenset[str], object]:
    """What stays the same of a document: its members, and of a problem its code."""
    return frozenset(document), document.get("code")
