"""The power is cut while the store writes: the files, as they were at that instant, are good.

The writer is stopped, its three files are copied, it goes on; so each copy is one instant. What was
written but not yet synchronised may be lost in a power cut: the copy's log is cut off at any byte
behind the last acknowledged commit, and its end is torn.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from arena.store import open_store
from arena.store.wal import check_log
from tests.store import rows
from tests.store.processes import command, environment

pytestmark = [pytest.mark.server, pytest.mark.skipif(os.name != "posix", reason="needs SIGSTOP")]
COPIES = 25
PATIENCE_S = 120
CUTS = 10
WAL_HEAD, FRAME_HEAD = 32, 24


class Writer:
    """A process that appends steps from four threads and says which are durable."""

    def __init__(self, file: Path, told: Path) -> None:
        self._told = told
        self._out = told.open("wb")
        arguments = command("append_until_killed.py", file, rows.HAND.id, 2)
        self.process = subprocess.Popen(arguments, env=environment(), stdout=self._out)

    def acknowledged(self) -> set[int]:
        """The steps that it has said are durable."""
        lines = self._told.read_text().split("\n")[:-1]
        return {int(line) for line in lines if line}

    def wait_for(self, count: int) -> None:
        """Wait until this many steps are durable."""
        until_s = time.monotonic() + PATIENCE_S
        while len(self.acknowledged()) < count:
            assert time.monotonic() < until_s
            time.sleep(0.01)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._out.close()


@contextmanager
def writing(file: Path, told: Path) -> Iterator[Writer]:
    writer = Writer(file, told)
    try:
        writer.wait_for(20)
        yield writer
    finally:
        writer.end()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a hand to append to."""
    made = tmp_path / "arena.db"
    with open_store(f"sqlite:///{made}") as store:
        store.write(*rows.WORLD)
    return made


def copied(file: Path, folder: Path) -> Path:
    folder.mkdir()
    for end in ("", "-wal", "-shm"):
        source = file.with_name(file.name + end)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / file.name


def steps_in(file: Path) -> set[int]:
    """The steps of a copy, opened as it is; its integrity is looked at first."""
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        assert mode == "wal"
    connection.close()
    with open_store(f"sqlite:///{file}") as store:
        return {step.seq for step in store.steps(rows.HAND.id)}


def test_every_copy_has_every_row_that_was_acknowledged_before(file: Path, tmp_path: Path) -> None:
    random = Random(4)
    with writing(file, tmp_path / "told") as writer:
        for number in range(COPIES):
            writer.wait_for(20 + 8 * number)
            time.sleep(random.uniform(0.005, 0.08))
            writer.stop()
            acknowledged = writer.acknowledged()
            copy = copied(file, tmp_path / str(number))
            writer.go_on()
            assert check_log(copy)[1] is None
            assert acknowledged - steps_in(copy) == set()
    assert len(acknowledged) >= 8 * COPIES


def test_what_was_not_synchronised_may_be_lost_or_torn(file: Path, tmp_path: Path) -> None:
    random = Random(5)
    with writing(file, tmp_path / "told") as writer:
        writer.stop()
        acknowledged = writer.acknowledged()
        writer.go_on()
        writer.wait_for(len(acknowledged) + 4)  # commits that nobody may rely on
        writer.stop()
        whole = copied(file, tmp_path / "whole")
    log = whole.with_name("arena.db-wal").read_bytes()
    ends = commits(log)
    safe = next(at for at in ends if acknowledged <= kept(whole, log[:at], tmp_path))
    assert safe < len(log)
    for number in range(CUTS):
        at = random.randrange(safe, len(log))
        torn = log[:at] + random.randbytes(random.randrange(0, 5_000))
        found = kept(whole, torn, tmp_path)
        assert acknowledged - found == set(), number


def commits(log: bytes) -> list[int]:
    """Where the commits of a write-ahead log end, in bytes."""
    page = int.from_bytes(log[8:12], "big")
    salt = log[16:24]
    found = []
    for at in range(WAL_HEAD, len(log) - page, FRAME_HEAD + page):
        head = log[at : at + FRAME_HEAD]
        if head[8:16] != salt:
            break
        if int.from_bytes(head[4:8], "big"):
            found.append(at + FRAME_HEAD + page)
    return found


def kept(whole: Path, log: bytes, tmp_path: Path) -> set[int]:
    """What is in the database if this is all that is left of its log."""
    folder = tmp_path / "cut"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copyfile(whole, folder / "arena.db")
    (folder / "arena.db-wal").write_bytes(log)
    return steps_in(folder / "arena.db")
