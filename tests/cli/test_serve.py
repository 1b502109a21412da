"""`arena serve` and the organiser's token: on a terminal once, never in a log unless asked for."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.client import Client
from arena.proofs.signatures import Signer
from arena.store import open_store
from tests.cli.shell import ARENA, arena, environment, served

pytestmark = pytest.mark.server

TOKEN = re.compile(r"dfaadm_\S+")


def database(folder: Path, name: str = "cup.db") -> str:
    return f"sqlite:///{(folder / name).as_posix()}"


@contextmanager
def piped(url: str, *flags: str, cwd: Path | None = None, **env: str) -> Iterator[list[str]]:
    """`arena serve` whose output is no terminal; the lines it wrote until it took requests."""
    process = subprocess.Popen(
        [*ARENA, "serve", "--database", url, "--port", "0", *flags],
        cwd=cwd,
        env=environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while "serving" not in lines[-1] and "rganiser" not in lines[-1] and lines[-1]:
            lines.append(process.stdout.readline())
        yield lines
    finally:
        process.terminate()
        assert process.stdout is not None
        lines += process.stdout.read().splitlines()  # what was read ahead is in it, too
        process.wait(120)
        process.stdout.close()
        watchdog.cancel()


def works(url: str, token: str) -> bool:
    """Is it an organiser's token of this arena?"""
    with Client(url, token, patience_s=60) as client:
        return "admin" in str(client.whoami())


def url_in(lines: list[str]) -> str:
    found = re.search(r"Arena at (http://\S+)", "".join(lines))
    assert found, lines
    return found.group(1)


def test_where_nobody_reads_along_the_token_goes_into_a_file_of_mode_0600(tmp_path: Path) -> None:
    file = tmp_path / "cup.db.organiser-token"
    with piped(database(tmp_path)) as lines:
        assert str(file) in lines[-1]
        token = file.read_text().strip()
        assert TOKEN.fullmatch(token)
        assert works(url_in(lines), token)
    assert token not in "".join(lines)
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_it_is_printed_where_it_was_asked_for(tmp_path: Path) -> None:
    for number, (flags, env) in enumerate(
        [(("--print-token",), {}), ((), {"ARENA_PRINT_TOKEN": "yes"})]
    ):
        with piped(database(tmp_path, f"{number}.db"), *flags, **env) as lines:
            found = TOKEN.search(lines[-1])
            assert found
            assert works(url_in(lines), found.group())
    assert not [*tmp_path.glob("*token*")]


def test_the_second_start_makes_no_token_and_no_file(tmp_path: Path) -> None:
    with served(database(tmp_path)):
        pass
    with served(database(tmp_path), first=False, more=("--print-token",)) as server:
        assert server.token == ""
    assert not [*tmp_path.glob("*token*")]


def test_a_file_that_is_there_is_not_overwritten_and_no_token_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "cup.db.organiser-token"
    file.write_text("something of somebody's")
    with piped(database(tmp_path)) as lines:
        assert str(file) in lines[-1]
        assert "arena admin token" in lines[-1]
    assert file.read_text() == "something of somebody's"
    made = arena("admin", "token", "--database", database(tmp_path))
    assert TOKEN.fullmatch(made.stdout.strip())


def test_without_a_file_of_its_own_the_database_leaves_it_in_the_working_directory(
    tmp_path: Path,
) -> None:
    with piped("memory:", cwd=tmp_path) as lines:
        token = (tmp_path / "organiser-token").read_text().strip()
        assert works(url_in(lines), token)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_on_a_terminal_it_is_printed_once(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ARENA, "serve", "--database", database(tmp_path), "--port", "0"],
        env=environment(),
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    try:
        said = ""
        while not (found := TOKEN.search(said)) or "\n" not in said[found.end() :]:
            said += os.read(ours, 4096).decode()
        assert works(url_in([said]), found.group())
    finally:
        process.terminate()
        process.wait(120)
        watchdog.cancel()
        os.close(ours)
    assert not [*tmp_path.glob("*token*")]
    with open_store(database(tmp_path)):
        pass


def test_the_public_key_is_printed_the_private_one_never_and_another_is_refused(
    tmp_path: Path,
) -> None:
    url = database(tmp_path)
    with piped(url, "--log-level", "debug") as lines:
        pass
    private = (tmp_path / "cup.db.key").read_text().strip()
    printed = "\n".join(lines)
    public = Signer(bytes.fromhex(private)).public_key
    assert f"Public key  {public}" in printed
    assert private not in printed
    assert private.encode() not in (tmp_path / "cup.db").read_bytes()
    assert arena("key", "new", "other.key", cwd=tmp_path).returncode == 0
    words = ("serve", "--database", url, "--port", "0", "--signing-key", "other.key")
    refused = arena(*words, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"expected the key of {public}, with which this arena signs" in refused.stderr
    assert "Traceback" not in refused.stderr
