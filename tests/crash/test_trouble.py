"""The disk is full, read-only or locked: told clearly, nothing half written, and it passes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.errors import Unavailable
from arena.processes import new_admin
from arena.referee.liveness import COME_AGAIN_MS
from arena.referee.store_probe import TRY_MS
from arena.store import open_store
from arena.store.patience import Patience
from arena.store.sqlite import open_sqlite
from tests.cli.shell import environment
from tests.real import Real

Trouble = Callable[[Real, Path], AbstractContextManager[None]]
QUICK = Patience(total_s=0.001)


def writer(real: Real) -> sqlite3.Connection:
    """The connection that writes: the hook for trouble."""
    connection: sqlite3.Connection = real.store._engine._connection  # type: ignore[attr-defined]
    return connection


@contextmanager
def full(real: Real, file: Path) -> Iterator[None]:
    """No file of this process may grow beyond what the log of the database has by now."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(f"{file}-wal"), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def read_only(real: Real, file: Path) -> Iterator[None]:
    writer(real).execute("PRAGMA query_only = 1")
    yield
    writer(real).execute("PRAGMA query_only = 0")


@contextmanager
def locked(real: Real, file: Path) -> Iterator[None]:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


TROUBLES = pytest.mark.parametrize("trouble", [full, read_only, locked], ids=lambda t: t.__name__)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


@pytest.fixture
def real(file: Path) -> Iterator[Real]:
    with open_sqlite(file, patience=QUICK) as store:
        yield Real(store)


def unavailable(response: TestResponse) -> bool:
    """Is it the answer to a request that cannot be served now, with all that belongs to it?"""
    told = response.json
    assert told is not None
    assert response.headers["Retry-After"] == str(told["retry_after_s"])
    return (response.status_code, told["code"]) == (503, "unavailable")


@pytest.mark.server
@TROUBLES
def test_nothing_is_accepted_that_is_not_durable_and_it_passes(
    trouble: Trouble, real: Real, file: Path
) -> None:
    session = real.session(clock={"move_ms": 5_000, "bank_ms": 0})
    [(number, turn)] = real.waiting()
    bot, answer = real.bots[number], {"cards": [turn["held"][0]]}
    before = real.store.steps(turn["hand"])
    with trouble(real, file):
        assert unavailable(bot.post(f"/api/v1/turns/{turn['turn']}", json=answer))
        batch = {"answers": [{"turn": turn["turn"], **answer}]}
        told = bot.post("/api/v1/turns", json=batch).json
        assert told is not None
        assert told["results"][0]["problem"]["code"] == "unavailable"
        for refused in _other_writes(real, bot, session):
            assert unavailable(refused)
        assert unavailable(real.anybody.get("/readyz"))
        assert real.anybody.get("/healthz").status_code == 200
        assert real.anybody.get(f"/api/v1/hands/{turn['hand']}/events").status_code == 200
        assert [open_["turn"] for _, open_ in real.waiting()] == [turn["turn"]]
    assert real.store.steps(turn["hand"]) == before
    assert real.store.bot_by_name("late") is None
    real.clock.pass_ms(TRY_MS)
    assert real.anybody.get("/readyz").status_code == 200
    accepted = bot.post(f"/api/v1/turns/{turn['turn']}", json=answer)
    assert accepted.json is not None
    assert (accepted.status_code, accepted.json["replayed"]) == (200, False)


def _other_writes(real: Real, bot: FlaskClient, session: str) -> list[TestResponse]:
    post = real.organiser.post
    return [
        real.anybody.post("/api/v1/bots", json={"name": "late"}),
        bot.post("/api/v1/whoami/token"),
        bot.delete(f"/api/v1/sessions/{session}/entry"),
        post("/api/v1/sessions", json={"name": "Other"}),
        post(f"/api/v1/sessions/{session}/pause"),
        post("/api/v1/codes", json={"label": "class"}),
        post(f"/api/v1/bots/{real.ids[0]}/revoke"),
    ]


@pytest.mark.parametrize(
    ("trouble", "why"),
    [(full, "the disk"), (read_only, "it is read-only"), (locked, "another program has locked it")],
)
def test_whoever_asks_is_told_what_is_wrong_with_the_log(
    trouble: Trouble, why: str, real: Real, file: Path
) -> None:
    real.session()
    [(number, turn)] = real.waiting()
    with trouble(real, file):
        answer = {"cards": [turn["held"][0]]}
        refused = real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=answer).json
        ready = real.anybody.get("/readyz").json
    assert refused is not None
    assert ready is not None
    assert f"the database arena.db: {why}" in refused["detail"]
    assert f"The log cannot be written: the database arena.db: {why}" in ready["detail"]
    assert ready["health"]["reason"] in ready["detail"]
    healthy = real.anybody.get("/readyz").json
    assert healthy is not None
    assert "reason" not in healthy


@TROUBLES
def test_the_time_of_the_trouble_is_nobodys_fault(trouble: Trouble, real: Real, file: Path) -> None:
    real.session(clock={"move_ms": 5_000, "bank_ms": 0, "grace_ms": 0})
    [(_, turn)] = real.waiting()
    with trouble(real, file):
        for _ in range(20):
            real.clock.pass_ms(1_000)
            with contextlib.suppress(Unavailable):
                real.referee.sweep()
    assert real.referee.sweep() == 0
    [(_, same)] = real.waiting()
    assert same["turn"] == turn["turn"]
    assert same["remaining_ms"] >= 4_000
    real.clock.pass_ms(COME_AGAIN_MS + 6_000)
    assert real.referee.sweep() >= 1


@TROUBLES
def test_whose_answer_met_the_trouble_has_time_to_send_it_again(
    trouble: Trouble, real: Real, file: Path
) -> None:
    """As it was told to, though the trouble was over before a beat met it."""
    real.session(clock={"move_ms": 5_000, "bank_ms": 0, "grace_ms": 0})
    real.referee.sweep()
    [(number, turn)] = real.waiting()
    real.clock.pass_ms(4_990)
    answer = {"cards": [turn["held"][0]]}
    with trouble(real, file):
        assert unavailable(real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=answer))
        real.clock.pass_ms(50)
    real.referee.sweep()
    real.clock.pass_ms(1_000)
    real.referee.sweep()
    again = real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=answer)
    assert again.status_code == 200


needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="needs limits of other processes")


@pytest.mark.server
@needs_limits
def test_a_process_whose_disk_takes_no_more_says_so_and_goes_on_when_it_does(
    tmp_path: Path,
) -> None:
    """The system itself refuses to let the files grow; then it does not any more."""
    import resource

    file = tmp_path / "arena.db"
    token = new_admin(f"sqlite:///{file}")
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.web", "--port", "0", "--database", f"sqlite:///{file}"],
        env=environment(ARENA_LOG_LEVEL="error", ARENA_REQUESTS_PER_S="0"),
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        http = requests.Session()
        http.trust_env = False
        http.headers["Authorization"] = f"Bearer {token}"

        def register(number: int) -> requests.Response:
            return http.post(f"{url}/api/v1/bots", json={"name": f"bot-{number}"}, timeout=30)

        assert register(0).status_code == 201
        grown = max(os.path.getsize(path) for path in tmp_path.iterdir())
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (grown, resource.RLIM_INFINITY))
        answers = [register(number) for number in range(1, 20)]
        refused = [answer for answer in answers if answer.status_code != 201]
        assert {answer.status_code for answer in refused} == {503}
        assert all(answer.headers["Retry-After"] for answer in refused)
        _until_readiness(http, url, status=503)  # a last page may have been left
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
        _until_readiness(http, url, status=200)
        assert register(99).status_code == 201
    finally:
        process.kill()
        process.communicate()
    names = {f"bot-{n}" for n, a in enumerate(answers, start=1) if a.status_code == 201}
    with open_store(f"sqlite:///{file}") as store:
        kept = {bot.name for bot in store.bots() if bot.kind == "bot"}
    assert kept == names | {"bot-0", "bot-99"}


def _until_readiness(http: requests.Session, url: str, *, status: int) -> None:
    until = time.monotonic() + 120
    while http.get(f"{url}/readyz", timeout=30).status_code != status:
        assert time.monotonic() < until
        time.sleep(0.05)
