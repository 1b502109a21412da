"""Are vulnerabilities known in what a host installs? And if nobody could be asked, say so clearly.

    python .ci/vulnerabilities.py arena/deploy/constraints.txt

pip-audit, in an environment of its own, asks a service on the network. Exit code 1 if there are
known vulnerabilities. 0 if there are none, and also if it could not be found out: a checkout is no
worse for a network that is away, but the last line says that they were NOT checked, and why.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FLAGS = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
WORST_CASE_S = 120


class Finding(NamedTuple):
    """What came out. known: a line for each vulnerability. checked: how many packages were looked
    up. reasons: why some or all were not."""

    known: tuple[str, ...] = ()
    checked: int = 0
    reasons: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """For people."""
        told = [f"known vulnerability: {each}" for each in self.known]
        if self.checked:
            told.append(f"{self.checked} dependencies were checked for known vulnerabilities")
        if self.reasons:
            which = "some dependencies" if self.checked else "dependencies"
            more = f" (and {len(self.reasons) - 1} more)" if len(self.reasons) > 1 else ""
            told.append(
                f"{which} were NOT checked for known vulnerabilities: {self.reasons[0]}{more}"
            )
        return told


def read(output: str, errors: str) -> Finding:
    """What pip-audit has said; whatever is not its report is a reason why nothing was checked."""
    try:
        entries = json.loads(output)["dependencies"]
        checked = [entry for entry in entries if "skip_reason" not in entry]
        known = [line for entry in checked for line in _known(entry)]
        skipped = [str(entry["skip_reason"]) for entry in entries if "skip_reason" in entry]
    except (ValueError, KeyError, TypeError):
        lines = (errors.strip() or output.strip() or "pip-audit said nothing").splitlines()
        return Finding(reasons=(lines[-1][:300],))
    if not entries:
        return Finding(reasons=("the file names no dependencies",))
    return Finding(tuple(known), len(checked), tuple(skipped))


def _known(entry: dict[str, object]) -> list[str]:
    vulnerabilities = entry["vulns"]
    assert isinstance(vulnerabilities, list)
    return [
        f"{entry['name']} {entry['version']}: {each['id']}"
        f" (mended in {', '.join(each.get('fix_versions') or ()) or 'no version yet'})"
        for each in vulnerabilities
    ]


def ask(command: Sequence[str], file: Path) -> Finding:
    """Run pip-audit over a file of requirements with hashes."""
    try:
        done = subprocess.run(
            [*command, *FLAGS, "--requirement", str(file)],
            capture_output=True,
            text=True,
            timeout=WORST_CASE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(reasons=(f"pip-audit did not run: {error}",))
    return read(done.stdout, done.stderr)


def ask_in(folder: Path, file: Path) -> Finding:
    """The same with a pip-audit that is installed into a folder first."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install = [str(python), "-m", "pip", "install", "--quiet", "pip-audit"]
    try:
        subprocess.run(install, capture_output=True, timeout=WORST_CASE_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(reasons=(f"pip-audit cannot be installed: {error}",))
    return ask([str(python), "-m", "pip_audit"], file)


def main(arguments: Sequence[str]) -> int:
    """Print what was found; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="requirements with hashes")
    parser.add_argument("--program", nargs="+", help="a pip-audit that is installed already")
    asked = parser.parse_args(arguments)
    if not asked.file.is_file():
        parser.error(f"{asked.file} is not a file")
    if asked.program:
        finding = ask(asked.program, asked.file)
    else:
        with tempfile.TemporaryDirectory() as folder:
            finding = ask_in(Path(folder), asked.file)
    print("\n".join(finding.lines()))
    return 1 if finding.known else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
