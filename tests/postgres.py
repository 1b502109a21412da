"""A PostgreSQL server for the tests: in a folder of its own, on a Unix socket, gone afterwards.

The programs are those of the system (Debian: the package `postgresql`). PostgreSQL refuses to run
as root, so a test run as root starts it as another user. Where there is no server, tests skip; with
TESTS_NEED_SERVERS set they fail instead, so that a test run in CI cannot leave them out.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

NEEDED = "TESTS_NEED_SERVERS"
USERS = ("postgres", "nobody")
START_S = 30.0
FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=on")
"""No test cuts the power, so nothing need reach the disk; what is durable is the same otherwise."""


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`, the newest if there are several."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(versions, key=lambda path: int(path.parts[4].partition(".")[0]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def unprivileged() -> Mapping[str, Any]:
    """What makes a child process run as somebody who is not root; nothing if we are not."""
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import pwd

    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = next(known[name] for name in USERS if name in known)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Server:
    """A server that can be stopped, killed and started again."""

    def __init__(self, folder: Path, programs: Path, *, settings: tuple[str, ...] = FAST) -> None:
        self.folder = folder
        self._programs = programs
        self._settings = settings
        self._as = unprivileged()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        if self._as:
            os.chown(folder, self._as["user"], self._as["group"])
        self._run("initdb", "-D", str(folder / "data"), "-U", "arena", "-A", "trust", "--no-sync")

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = [f"-c{setting}" for setting in (*self._settings, "listen_addresses=")]
        command = [str(self._programs / "postgres"), "-D", str(self.folder / "data")]
        command += [f"-cunix_socket_directories={self.folder}", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, env=_environment(), **self._as
            )
        until_s = time.monotonic() + START_S
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < until_s, "PostgreSQL did not start"
            time.sleep(0.02)

    def stop(self, *, crash: bool = False) -> None:
        """Stop it and cut all connections; crash: without a last word to the disk."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._process.wait()

    def url(self, schema: str = "public") -> str:
        """The URL of a schema of the one database."""
        return f"postgresql://arena@/postgres?host={self.folder}&options=-csearch_path%3D{schema}"

    def create(self) -> str:
        """The URL of a new, empty schema: as good as a database of its own, and made at once."""
        name = f"arena_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(name)

    def execute(self, sql: str, url: str | None = None) -> list[Any]:
        """Run a statement; its rows."""
        import psycopg

        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            cwd=self.folder,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            **self._as,
        )
        assert done.returncode == 0, done.stderr

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop(crash=True)


def start_server(*, settings: tuple[str, ...] = FAST) -> Server:
    """A new server in a new folder, not started; remove the folder in the end.

    Skips the test where there is none, or fails it where there must be one.
    """
    found = programs()
    try:
        import psycopg
    except ImportError:
        psycopg = None  # type: ignore[assignment]
    if found is None or psycopg is None or os.name != "posix":
        reason = "needs PostgreSQL's programs and psycopg (Debian: apt-get install postgresql)"
        if os.environ.get(NEEDED):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))  # a socket's path must be short
    return Server(folder, found, settings=settings)


def _environment() -> dict[str, str]:
    """Without what would point PostgreSQL's programs at another server."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_", "LANG"))
    }
