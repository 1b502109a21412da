"""A PostgreSQL server of our own that may be stopped, killed and started again.

It lies in a folder that its owner removes, listens on a Unix socket there and nowhere else, and
runs with the programs of the system (Debian: the package `postgresql`). PostgreSQL refuses to run
as root, so root starts it as another user. Tests use it too. It may know nothing of the arena.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.errors import BadInput, Unavailable

USERS = ("postgres", "nobody")
START_S = 30.0
STOP_S = 60.0
LOOK_S = 0.02
LAST_WORDS = 300
"""So much of the server's log is repeated when it does not start."""


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`, the newest if there are several; None if none."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(versions, key=lambda path: int(path.parts[4].partition(".")[0]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def unprivileged() -> Mapping[str, Any]:
    """What makes a child process run as somebody who is not root; nothing if we are not.

    Raises BadInput where root has nobody to be instead.
    """
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import pwd

    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = next((known[name] for name in USERS if name in known), None)
    if user is None:
        raise BadInput("user of PostgreSQL", None, f"one of {', '.join(USERS)}: it refuses root")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class PostgresServer:
    """A server that can be stopped, killed and started again.

    folder: new, and with a short name, for the socket lies in it. settings: `name=value`, as in
    postgresql.conf. Raises Unavailable when a program of it fails.
    """

    def __init__(self, folder: Path, programs: Path, *, settings: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self._programs = programs
        self._settings = settings
        self._as = unprivileged()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        if self._as:
            os.chown(folder, self._as["user"], self._as["group"])
        self._run("initdb", "-D", str(folder / "data"), "-U", "arena", "-A", "trust", "--no-sync")

    @property
    def socket(self) -> Path:
        """The socket that it listens on."""
        return self.folder / ".s.PGSQL.5432"

    @property
    def pid(self) -> int:
        """Its first process, the parent of the others."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = [f"-c{setting}" for setting in (*self._settings, "listen_addresses=")]
        command = [str(self._programs / "postgres"), "-D", str(self.folder / "data")]
        command += [f"-cunix_socket_directories={self.folder}", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=_environment(),
                start_new_session=True,  # Ctrl-C reaches us, and we stop it in order
                **self._as,
            )
        until_s = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until_s:
                log_text = (self.folder / "log").read_text(errors="replace").strip()
                raise Unavailable(f"PostgreSQL did not start: {log_text[-LAST_WORDS:]}")
            time.sleep(LOOK_S)

    def stop(self, *, crash: bool = False) -> None:
        """Stop it and cut all connections ("fast"); crash: without a last word to the disk
        ("immediate")."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._process.wait(STOP_S)

    def close(self) -> None:
        """End it, whatever it does."""
        if self._process is not None and self._process.poll() is None:
            self.stop(crash=True)

    def url(self, schema: str = "public", *, port: int | None = None, name: str = "") -> str:
        """The URL of a schema of the one database.

        port: of the loopback, where something passes connections on to its socket. name: what the
        connections are called (`application_name`).
        """
        where = (
            f"/postgres?host={self.folder}"
            if port is None
            else f"127.0.0.1:{port}/postgres?sslmode=disable"
        )
        called = f"&application_name={name}" if name else ""
        return f"postgresql://arena@{where}&options=-csearch_path%3D{schema}{called}"

    def create(self) -> str:
        """The URL of a new, empty schema: as good as a database of its own, and made at once."""
        return self.url(self.new_schema())

    def new_schema(self) -> str:
        """The name of one."""
        name = f"arena_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return name

    def execute(self, sql: str, url: str | None = None) -> list[Any]:
        """Run a statement; its rows."""
        import psycopg

        with psycopg.connect(
            url or self.url(), autocommit=True, client_encoding="UTF8"
        ) as connection:
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
            timeout=STOP_S,
            **self._as,
        )
        if done.returncode != 0:
            raise Unavailable(f"{program}: {done.stderr.strip()[-LAST_WORDS:]}")

    def __enter__(self) -> PostgresServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def missing() -> str | None:
    """What a server of our own would need and this machine does not have; None if it has all."""
    if os.name != "posix":
        return "a POSIX system"
    if programs() is None:
        return "PostgreSQL's programs (Debian: apt-get install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg (pip install 'psycopg[binary]')"
    return None


def new_server(*, settings: tuple[str, ...] = ()) -> PostgresServer:
    """A server in a new folder, not started; remove the folder in the end. Raises BadInput where
    there can be none."""
    needed, found = missing(), programs()
    if needed is not None or found is None:
        raise BadInput("PostgreSQL", None, needed or "its programs")
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))  # a socket's path must be short
    try:
        return PostgresServer(folder, found, settings=settings)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def private_server(*, settings: tuple[str, ...] = ()) -> Iterator[PostgresServer]:
    """A server that is started now, and gone without a trace in the end."""
    server = new_server(settings=settings)
    try:
        with server:
            yield server
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    """Without what would point PostgreSQL's programs at another server."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_", "LANG"))
    }
