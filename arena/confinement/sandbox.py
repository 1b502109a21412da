"""The sandbox: bubblewrap's, where it is installed and works.

A program in it sees the system read-only, no home folders, no temporary files of others, no
processes of others, no network, and of the event only a folder of its own. Its memory, CPU time and
files are bounded by `limits`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

PROBE_S = 10.0
EMPTIED = ("/tmp", "/var/tmp", "/run", "/home", "/root")
"""Folders of which nothing is seen, besides the home of whoever runs it."""
SCRATCH_BYTES = 64 << 20
"""What can be written into each of them: it is memory."""


class Sandbox(NamedTuple):
    """Where a program lives. hidden: folders of which it sees nothing; own: its folder, in which it
    can write; readable: folders that it needs, also if they lie in hidden ones; cwd: where it
    starts."""

    hidden: tuple[Path, ...]
    own: Path
    readable: tuple[Path, ...]
    cwd: Path

    def command(self, command: Sequence[str]) -> list[str]:
        """A command that begins in the sandbox."""
        words = ["bwrap", "--die-with-parent", "--unshare-all", "--new-session"]
        words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        emptied = [Path(each) for each in (*EMPTIED, Path.home()) if Path(each) != Path("/")]
        for folder in dict.fromkeys(each.resolve() for each in emptied if each.is_dir()):
            words += ["--size", str(SCRATCH_BYTES), "--tmpfs", str(folder)]
        for folder in dict.fromkeys(each.resolve() for each in (*_python(), self.cwd)):
            words += ["--ro-bind", str(folder), str(folder)]
        for folder in self.hidden:
            words += ["--size", str(SCRATCH_BYTES), "--tmpfs", str(folder.resolve())]
        for folder in self.readable:
            words += ["--ro-bind", str(folder.resolve()), str(folder.resolve())]
        words += ["--bind", str(self.own.resolve()), str(self.own.resolve())]
        return [*words, "--chdir", str(self.cwd.resolve()), "--", *command]


def _python() -> tuple[Path, ...]:
    """Where Python, the arena and other packages are, in case that they are in somebody's home."""
    arena = Path(__file__).parents[2]
    packages = (Path(place) for place in sys.path if Path(place).is_absolute())
    return (Path(sys.base_prefix), Path(sys.prefix), arena, *filter(Path.is_dir, packages))


@cache
def usable() -> bool:
    """Is bubblewrap there, and does the system let it work?"""
    if shutil.which("bwrap") is None:
        return False
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
