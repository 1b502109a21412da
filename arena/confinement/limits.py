"""Limits of a program: what it may use, how it is started under them, and how it ran into one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from arena.errors import BadInput

START = Path(__file__).with_name("start.py")
MIB = 1 << 20
SIGXCPU, SIGXFSZ, SIGKILL = 24, 25, 9
"""As on Linux; where there are no such limits nothing ends by them."""
OUT_OF_MEMORY = ("MemoryError", "std::bad_alloc", "out of memory", "Cannot allocate memory")
NO_PROCESS = ("Resource temporarily unavailable", "can't start new thread", "fork: retry")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What each process of a program may use.

    memory_mib: of data in MiB. cpu_s: seconds of CPU. processes: besides those that its user has
    already, threads included; the system does not hold root to that. open_files: at a time.
    output_mib: the longest file that it can write, its log included, in MiB.
    """

    memory_mib: int = 2_048
    cpu_s: int = 14_400
    processes: int = 256
    open_files: int = 1_024
    output_mib: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or not 1 <= value <= 1_000_000:
                raise BadInput(f"limits.{field.name}", value, "a whole number from 1 to 1000000")


def read_limits(document: object) -> Limits:
    """The limits of a document. Raises BadInput naming the member."""
    if document is None:
        return Limits()
    if not isinstance(document, dict):
        raise BadInput("limits", document, "a table of limits")
    names = [field.name for field in fields(Limits)]
    for name in document:
        if name not in names:
            raise BadInput("limits member", name, "one of " + ", ".join(names))
    return Limits(**document)


def limited(
    command: Sequence[str], limits: Limits, *, relay: tuple[str, int] | None = None
) -> list[str]:
    """A command that begins under limits. relay: a socket's path, and the port of the loopback
    that leads to it."""
    if os.name != "posix":
        return list(command)
    asked: dict[str, Any] = {**asdict(limits), "relay": relay}
    return [sys.executable, "-I", "-S", str(START), json.dumps(asked), *command]


def reason(code: int, limits: Limits, log: Path) -> str | None:
    """Which limit a program ran into, in words; None if it ended by itself.

    code: of its exit; negative, or 128 and more through a sandbox, for a signal. log: its output.
    """
    size = log.stat().st_size
    with log.open("rb") as file:
        file.seek(max(0, size - 4_000))
        end = file.read().decode("utf-8", "replace")
    signal = -code if code < 0 else code - 128
    if size >= limits.output_mib * MIB or signal == SIGXFSZ:
        return f"it wrote more than its {limits.output_mib} MiB in one file"
    if signal == SIGXCPU:
        return f"it used up its {limits.cpu_s} s of CPU time"
    if code and any(words in end for words in OUT_OF_MEMORY):
        return f"it needed more than its {limits.memory_mib} MiB of memory"
    if code and any(words in end for words in NO_PROCESS):
        return f"it started more than its {limits.processes} processes and threads"
    if signal == SIGKILL:
        return "the system killed it, perhaps for want of memory"
    return None


def clean_environment(own: Path, given: Mapping[str, str]) -> dict[str, str]:
    """What a program is told of the machine: where programs are, languages, time zone; its own
    folder for home and for temporary files; and what is given."""
    kept = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "COMSPEC")
    plain = {name: os.environ[name] for name in kept if name in os.environ}
    return plain | {name: str(own) for name in ("HOME", "TMPDIR", "TEMP", "TMP")} | dict(given)
