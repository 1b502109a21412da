"""A PostgreSQL server with a synchronous standby that takes its place."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from arena.bench.cluster.postgres import PostgresServer, unprivileged
from arena.errors import Unavailable

STREAMING_S = 30.0
LOOK_S = 0.05


class ServerWithStandby(PostgresServer):
    """Two servers at one URL: stopped, the first is gone for good; started, the second is it.

    Both referees' and our own connections name both, and go to the one that can be written to.
    """

    def __init__(self, folder: Path, programs: Path, *, settings: tuple[str, ...] = ()) -> None:
        folder.chmod(0o755)
        for name in ("first", "second"):
            (folder / name).mkdir()
        super().__init__(folder / "first", programs, settings=settings)
        self._standby = PostgresServer(folder / "second", programs, settings=settings)
        self._begun = False

    def start(self) -> None:
        """Both, the first time; after that the standby is promoted."""
        if self._begun:
            self._standby.execute("SELECT pg_promote()")
            return
        self._begun = True
        super().start()
        self._follow()
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.execute("SELECT pg_reload_conf()")
        self._await("sync")

    def stop(self, *, crash: bool = False) -> None:
        """The first goes without a last word, whatever was asked for."""
        super().stop(crash=True)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._standby.close()

    def url(self, schema: str = "public", *, port: int | None = None, name: str = "") -> str:
        first = super().url(schema, port=port, name=name)
        second = self._standby.folder
        both = first.replace(f"host={self.folder}", f"host={self.folder},{second}")
        return f"{both}&target_session_attrs=read-write"

    def _follow(self) -> None:
        """A base backup of the first becomes a standby that streams from it."""
        data = self._standby.folder / "data"
        shutil.rmtree(data)
        program = str(self._programs / "pg_basebackup")
        source = (f"--host={self.folder}", "--username=arena")
        options = ("--checkpoint=fast", "--write-recovery-conf")
        command = (program, f"--pgdata={data}", *source, *options)
        subprocess.run(command, check=True, cwd=self.folder, **unprivileged())
        self._standby.start()
        self._await("async")

    def _await(self, state: str) -> None:
        until_s = time.monotonic() + STREAMING_S
        while self.execute("SELECT sync_state, state FROM pg_stat_replication") != [
            (state, "streaming")
        ]:
            if time.monotonic() > until_s:
                raise Unavailable(f"the standby is not {state}")
            time.sleep(LOOK_S)
