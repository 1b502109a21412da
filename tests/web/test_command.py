"""A server process begins with the checks that are due before anybody is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import Damaged
from arena.settings import Settings
from arena.web import command


def test_a_damaged_database_is_refused_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(command, "open_store", lambda url, **_: opened.append(url))
    file = tmp_path / "arena.db"
    file.write_bytes(b"SQLite format 3\0" + bytes(5_000))
    with pytest.raises(Damaged):
        command.run(Settings(database=f"sqlite:///{file}"), on_ready=lambda *_: None)
    assert opened == []
