"""A whole examination: the scenes that the chosen checks need, played, and judged."""

from __future__ import annotations

import shlex
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from arena import interruptions
from arena.doctor.checks import BotCheck
from arena.doctor.opponents import OtherPlayers
from arena.doctor.playing import DoctorStopped, SceneDirector, SceneRun, Terms
from arena.doctor.process import BotProcess
from arena.doctor.scenes import SCENES, Scene, narrowed
from arena.doctor.timing import Timing, timing
from arena.doctor.verdicts import CheckOutcome, CheckVerdict, skipped
from arena.loopback.host import LocalArena
from arena.processes import bot_command
from arena.settings import Settings
from arena.statuses import RegistrationMode

SETTINGS = Settings(registration=RegistrationMode.CODE.value, requests_per_s=500)
"""Registration needs a code; a bot that asks too often is found by a check, not by a limit."""
JOBS = 2
OTHERS = 8


@dataclass(frozen=True)
class Diagnosis:
    """What an examination came to. timing: how the bot spent its time; None if it answered
    nothing."""

    command: str
    verdicts: Sequence[tuple[BotCheck, CheckVerdict]]
    timing: Timing | None

    @property
    def healthy(self) -> bool:
        """Has no check failed?"""
        return all(verdict.outcome is not CheckOutcome.FAILED for _, verdict in self.verdicts)


def examine(
    command: str,
    checks: Sequence[BotCheck],
    *,
    terms: Terms,
    cwd: Path,
    jobs: int = JOBS,
    progress: Callable[[str], None] = lambda line: None,
) -> Diagnosis:
    """Try a command. jobs: how many of its processes play at the same time.

    Raises BadInput for a command that is no program here. Whatever is raised, no process is left.
    """
    words = bot_command(command)
    scenes = [
        narrowed(scene, _phases(scene, checks)) for scene in SCENES if _is_needed(scene, checks)
    ]
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        for scene in scenes:
            (Path(folder) / scene.name).mkdir()
        processes = [BotProcess(words, Path(folder) / scene.name, cwd) for scene in scenes]
        arena = LocalArena(SETTINGS)
        opponents = OtherPlayers(arena.referee, OTHERS)
        try:
            directors = [
                SceneDirector(
                    arena,
                    opponents,
                    scene,
                    terms=terms,
                    process=process,
                    stop=stop,
                    progress=progress,
                )
                for scene, process in zip(scenes, processes, strict=True)
            ]
            runs = _play(directors, jobs, stop)
        finally:
            with interruptions.deferred():
                arena.close()
                opponents.close()
    by_scene = {run.scene.name: run for run in runs}
    verdicts = [(check, _judged(check, by_scene.get(check.scene))) for check in checks]
    return Diagnosis(shlex.join(words), verdicts, timing(runs, terms))


def _is_needed(scene: Scene, checks: Sequence[BotCheck]) -> bool:
    return any(check.scene == scene.name for check in checks)


def _phases(scene: Scene, checks: Sequence[BotCheck]) -> set[str]:
    return {name for check in checks if check.scene == scene.name for name in check.phases}


def _play(directors: Sequence[SceneDirector], jobs: int, stop: threading.Event) -> list[SceneRun]:
    """Play the scenes, the first one alone: a command that sends nothing is not started again."""
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="doctor")
    try:
        first = pool.submit(directors[0].play).result()
        if not first.connected:
            return [first]
        return [first, *pool.map(SceneDirector.play, directors[1:])]
    except BaseException:
        stop.set()
        raise
    finally:
        with interruptions.deferred():
            pool.shutdown(wait=True, cancel_futures=True)


def _judged(check: BotCheck, run: SceneRun | None) -> CheckVerdict:
    if run is None:
        return skipped("not tried: the command sends no request")
    if not run.connected and check.name != "starts":
        return skipped("the bot sends no request")
    return check.judge(run)


__all__ = ["Diagnosis", "DoctorStopped", "examine"]
