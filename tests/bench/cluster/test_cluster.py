"""`arena bench cluster` runs and tells what it promises; small runs, their figures mean nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.bench.cluster.bell import BellPlan
from arena.bench.cluster.campaign import CampaignPlan, play, play_in_peace
from arena.bench.cluster.postgres import programs
from arena.bench.cluster.rows import WantedRows, check
from arena.bench.cluster.sharing import SharingPlan, measure
from arena.bench.cluster.simulation import SimulationPlan, simulate
from arena.bench.cluster.verdict import verdict
from arena.bench.cluster.witness import Witness
from arena.errors import BadInput
from tests.bench.cluster.failover import ServerWithStandby
from tests.cli.shell import ROOT, arena, environment
from tests.postgres import FAST, Server, need_programs

BELL = ("--row", "bell", "--seconds", "1")
RULESET = {"preset": "pagat"}


@pytest.fixture(autouse=True)
def _our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def standby() -> Iterator[Server]:
    """A server with a standby; the test skips where there is none."""
    need_programs()
    installed = programs()
    assert installed is not None
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))  # a socket's path must be short
    try:
        server = ServerWithStandby(folder, installed, settings=FAST)
        with closing(server):  # also if only one of the two has started
            server.start()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def quiet(line: str) -> None:
    """Say nothing."""


@pytest.mark.server
@pytest.mark.slow
def test_referees_are_measured_with_bots_that_never_follow_a_route(postgres: Server) -> None:
    plan = SharingPlan(RULESET, (2,), ("batch",), sessions=2, tables=1, players=1)
    [run] = measure(plan, "never", postgres, tell=quiet)
    assert (run.referees, run.mode, run.refused) == (2, "batch", 0)
    assert run.per_s > 0


@pytest.mark.server
@pytest.mark.slow
def test_a_bell_reaches_a_waiter_at_another_referee(postgres: Server) -> None:
    done = arena("bench", "cluster", *BELL, "--database", postgres.create(), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["findings"] == []
    by_what = {figure["what"]: figure for figure in told["figures"]}
    assert by_what["waiter at another referee, ms p99"]["figure"] > 0
    assert by_what["waiter at another referee, ms p99"]["goal"] == 20
    assert by_what["waiter at home, ms p99"]["figure"] > 0


@pytest.mark.server
@pytest.mark.slow
def test_a_home_that_is_killed_loses_nothing(postgres: Server, tmp_path: Path) -> None:
    plan = CampaignPlan("kill", 1, referees=2, sessions=1, tables=4)
    struck = play(plan, tmp_path / "struck", postgres, tell=quiet)
    told = verdict(plan, struck, play_in_peace(plan, tmp_path / "peace"))
    assert told.findings == ()
    assert told.faults == 1
    assert told.moves >= 1
    assert told.stale == 0
    assert told.decisions > 200


@pytest.mark.server
@pytest.mark.slow
def test_a_synchronous_standby_that_takes_the_place_of_its_server_has_every_move(
    standby: Server, tmp_path: Path
) -> None:
    plan = CampaignPlan("database", 1, referees=2, sessions=1, tables=4)
    struck = play(plan, tmp_path / "struck", standby, tell=quiet)
    outcome = verdict(plan, struck, play_in_peace(plan, tmp_path / "peace"))
    assert outcome.findings == ()
    assert outcome.decisions > 200
    assert (outcome.faults, outcome.standings) == (1, 1)
    assert standby.execute("SELECT pg_is_in_recovery()") == [(False,)]


def test_a_write_of_a_referee_that_is_not_home_is_noted(postgres: Server) -> None:
    schema = postgres.new_schema()
    url = postgres.url(schema)
    for sql in (
        "CREATE TABLE leases (session_id TEXT, home TEXT, epoch BIGINT)",
        "CREATE TABLE steps (hand_id TEXT, seq BIGINT)",
    ):
        postgres.execute(sql, url)
    witness = Witness(postgres, url)
    write = "INSERT INTO steps VALUES ('faults-1-r01-t01-h001', {})"
    postgres.execute("INSERT INTO leases VALUES ('faults-1', 'referee-1', 1)", url)
    postgres.execute(write.format(1), postgres.url(schema, name="referee-1%20d9f0"))
    postgres.execute("UPDATE leases SET home = 'referee-2', epoch = 2", url)
    postgres.execute(write.format(2), postgres.url(schema, name="referee-1%20d9f0"))
    postgres.execute(write.format(3), postgres.url(schema, name="referee-2"))
    assert [(step.seq, step.writer, step.home) for step in witness.stale()] == [
        (2, "referee-1", "referee-2")
    ]
    assert [(move.home, move.epoch) for move in witness.moves()] == [
        ("referee-1", 1),
        ("referee-2", 2),
    ]
    assert witness.homes() == {"faults-1": "referee-2"}


@pytest.mark.server
@pytest.mark.slow
def test_many_referees_are_simulated(postgres: Server) -> None:
    told = simulate(SimulationPlan(3, 30, seconds=1.0, kills=1), tell=quiet)
    assert told.killed[0].sessions > 0
    assert told.connections >= 3 * 3
    assert told.transactions_per_s > 0


ROWS_THAT_THERE_ARE = (
    "routed, unrouted, bell, kill, stop, database, cut-database, cut-peers, clock, versions"
)


@pytest.mark.parametrize(
    ("row", "database", "said"),
    [
        ("fire", None, f"--row is 'fire'; expected one of {ROWS_THAT_THERE_ARE}"),
        ("kill", "postgresql://db/arena", "kill needs a server of its own"),
        ("bell", "sqlite:///arena.db", "--database is 'sqlite:///arena.db'; expected postgresql"),
        ("versions", None, "--python is not given; expected the Python of another installation"),
    ],
)
def test_what_cannot_be_measured_is_refused(row: str, database: str | None, said: str) -> None:
    plans = SharingPlan(RULESET), BellPlan(RULESET), CampaignPlan("kill", 1)
    with pytest.raises(BadInput, match=re.escape(said)):
        check(WantedRows([row], *plans, database))


@pytest.mark.server
def test_bad_numbers_of_a_simulation_are_one_line() -> None:
    done = arena("bench", "cluster", "--simulate", "--simulated", "64")
    expected = "expected 2 to 99 referees, a comma, and sessions: 64,10000"
    assert (done.returncode, done.stderr) == (2, f"arena: --simulated is '64'; {expected}\n")


@pytest.mark.server
def test_without_postgresql_one_line_says_what_is_missing(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from arena.bench.cluster import postgres;"
        "postgres.programs = lambda: None;"
        "from arena.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "bench", "cluster", "--row", "kill"],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "arena: PostgreSQL is not given; expected PostgreSQL's programs"
        " (Debian: apt-get install postgresql)\n"
    )
