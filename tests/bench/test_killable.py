"""A referee that is killed and started again."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from arena.bench import killable
from arena.bench.killable import KillableReferee

READY_MS, ASKED_MS, ENDED_MS = 1_000, 2_000, 2_040


class SlowToEnd:
    """A process that serves on for 40 ms after its kill was asked for."""

    now_ms = READY_MS

    def __init__(self, command: list[str], **options: Any) -> None:
        self.stdout = io.BytesIO(b"ready\n")

    def kill(self) -> None:
        SlowToEnd.now_ms = ASKED_MS

    def wait(self) -> None:
        SlowToEnd.now_ms = ENDED_MS


def test_what_a_referee_serves_until_its_process_has_ended_counts_as_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killable.subprocess, "Popen", SlowToEnd)
    monkeypatch.setattr(killable, "wall_ms", lambda: SlowToEnd.now_ms)
    referee = KillableReferee(tmp_path, "sqlite://")
    referee.start()
    referee.close()
    assert [(life.ready_ms, life.killed_ms) for life in referee.lives] == [(READY_MS, ENDED_MS)]
