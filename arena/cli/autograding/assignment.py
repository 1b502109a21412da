"""The assignment: what a submission has to be, against whom it plays, and what that is worth."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from arena import resources
from arena.confinement.limits import Limits, read_limits
from arena.errors import BadInput

FOLDER = "benchmarks"
"""Where a bundle has benchmark bots that are files."""


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """An assignment.

    file: of the submission, which is started with Python. benchmarks: sample bots by name, or files
    of the bundle ending in ``.py``. hands: against each benchmark; budget_s: seconds for all of
    them. points: in all, shared equally; partial: the share of a benchmark's points for a result
    that shows no difference. The same submission plays the same deals (`seed`).
    """

    benchmarks: tuple[str, ...]
    file: str = "bot.py"
    ruleset: dict[str, Any] = field(default_factory=lambda: {"preset": "pagat"})
    hands: int = 200
    hands_per_table: int = 10
    budget_s: int = 480
    points: float = 100.0
    partial: float = 0.5
    seed: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not self.benchmarks or len(set(self.benchmarks)) != len(self.benchmarks):
            raise BadInput("benchmarks", list(self.benchmarks), "one or more different bots")
        for name in self.benchmarks:
            if not name.endswith(".py") and resources.sample_bot(f"sample_bots.{name}") is None:
                raise BadInput("benchmark", name, "a sample bot, or a file ending in .py")
        if Path(self.file).name != self.file or not self.file.endswith(".py"):
            raise BadInput("file", self.file, "the name of a Python file, such as bot.py")
        for member in ("hands", "hands_per_table", "budget_s", "seed"):
            value = getattr(self, member)
            if type(value) is not int or value < 1:
                raise BadInput(member, value, "a whole number, 1 or more")
        for member, most in (("points", 1e6), ("partial", 1.0)):
            value = getattr(self, member)
            if type(value) not in (int, float) or not 0 <= value <= most:
                raise BadInput(member, value, f"a number from 0 to {most:g}")

    def only(self, benchmark: str) -> Assignment:
        """The part of it with one benchmark, and its points. Raises BadInput for another."""
        if benchmark not in self.benchmarks:
            raise BadInput("benchmark", benchmark, f"one of {', '.join(self.benchmarks)}")
        share = self.points / len(self.benchmarks)
        return replace(self, benchmarks=(benchmark,), points=share)


def command_of(benchmark: str, bundle: Path) -> str:
    """The command that starts a benchmark bot. bundle: the folder of the assignment."""
    if benchmark.endswith(".py"):
        return f'python "{(bundle / FOLDER / benchmark).resolve().as_posix()}"'
    return f"python -m sample_bots.{benchmark}"


def written(assignment: Assignment) -> str:
    """The assignment as JSON."""
    return json.dumps(asdict(assignment), indent=2, ensure_ascii=False) + "\n"


def read_assignment(file: Path) -> Assignment:
    """The assignment in a file. Raises BadInput naming the file or the member."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput("assignment", str(file), f"a readable JSON file ({error})") from error
    if not isinstance(document, dict) or not isinstance(document.get("benchmarks"), list):
        raise BadInput("assignment", str(file), "an object with a list of benchmarks")
    known = [each.name for each in fields(Assignment)]
    for name in document:
        if name not in known:
            raise BadInput("member of the assignment", name, "one of " + ", ".join(known))
    document["benchmarks"] = tuple(map(str, document["benchmarks"]))
    document["limits"] = read_limits(document.get("limits"))
    return Assignment(**document)
