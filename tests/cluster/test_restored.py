"""A database that was put back from a backup: its leases name homes of that time."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from arena.bench.cluster.postgres import programs, unprivileged
from arena.settings import Settings
from arena.store import open_store
from tests.cluster.test_deploy import DEPLOY, read
from tests.postgres import Server
from tests.real import Real
from tests.referee.table import lowest

pytestmark = pytest.mark.server

PAGE = (DEPLOY / "postgresql.md").read_text(encoding="utf-8")


@contextmanager
def referee(url: str, name: str) -> Iterator[Real]:
    """A referee that runs by itself only as far as it is told to."""
    with open_store(url) as store:
        created = Real(store, Settings(requests_per_s=0, cluster_name=name))
        yield created
        created.referee.stop()


def dump(server: Server, schema: str) -> bytes:
    return tool("pg_dump", "--format=custom", f"--schema={schema}", f"--dbname={server.url()}")


def restore(server: Server, copy: bytes) -> None:
    tool("pg_restore", "--no-owner", f"--dbname={server.url()}", given=copy)


def tool(name: str, *arguments: str, given: bytes = b"") -> bytes:
    folder = programs()
    assert folder is not None
    command = [str(folder / name), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, check=True, **unprivileged())
    return done.stdout


def play(arena: Real, count: int) -> None:
    """Some answers, each a legal one."""
    for _ in range(count):
        number, turn = arena.waiting()[0]
        answer = arena.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=dict(lowest(turn)))
        assert answer.status_code == 200, answer.text


def test_sessions_go_on_under_another_referee_and_nobody_is_charged(postgres: Server) -> None:
    url = postgres.create()
    schema = url.rpartition("%3D")[2]
    with referee(url, "alpha") as before:
        session = before.session()
        play(before, 7)
        known = before.waiting()
        copy = dump(postgres, schema)
        play(before, 5)
        number, lost = before.waiting()[0]
    postgres.execute(f"DROP SCHEMA {schema} CASCADE")
    restore(postgres, copy)
    with referee(url, "beta") as after:
        after.bots = [again(after, bot) for bot in before.bots]
        after.ids = before.ids
        after.clock.ms = before.clock.ms + 600_000
        for _ in range(40):
            after.clock.pass_ms(300)
            after.referee.sweep()
            lease = after.store.lease(session)
            if lease is not None and lease.home == "beta":
                break
        assert lease is not None
        assert lease.home == "beta"
        turns = after.waiting()
        assert [turn["turn"] for _, turn in turns] == [turn["turn"] for _, turn in known]
        assert [turn["bank_ms"] for _, turn in turns] == [turn["bank_ms"] for _, turn in known]
        gone = after.bots[number].post(f"/api/v1/turns/{lost['turn']}", json={"choice": 0})
        assert gone.status_code == 404
        play(after, 3)


def again(arena: Real, bot: FlaskClient) -> FlaskClient:
    """A client with the same token, at another referee."""
    return arena.client(bot.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer "))


def test_what_the_page_does_to_the_tables_can_be_done(postgres: Server) -> None:
    url = postgres.create()
    with open_store(url):
        pass
    statements = re.findall(r"^    (ALTER TABLE .*;)$", PAGE, re.MULTILINE)
    assert len(statements) == 3
    for each in (*statements, *re.findall(r'--command "(DELETE .*?)"', PAGE)):
        postgres.execute(each, url)
    found = postgres.execute(
        "SELECT count(*) FROM pg_class WHERE 'autovacuum_vacuum_threshold=1000' = ANY (reloptions)",
        url,
    )
    assert found == [(3,)]


def test_the_page_names_what_the_file_sets() -> None:
    set_there = re.findall(r"^#? ?(\w+) = ", read("postgresql.conf"), re.MULTILINE)
    for name in re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \| ", PAGE, re.MULTILINE):
        for each in re.findall(r"`([\w.]+)`", name):
            assert any(known.startswith(each.rstrip(".")) for known in set_there), each


def test_backups_of_postgresql_are_explained_where_those_of_sqlite_are() -> None:
    for page in ("operations.md", "hosting.md"):
        assert "postgresql.md#backups" in Path(DEPLOY / page).read_text(encoding="utf-8")
